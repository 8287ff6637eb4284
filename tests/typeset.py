"""Documents that pdfTeX typesets: whether it complains, and how wide the boxes are."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

PLAIN = r"\documentclass{article}"
TWO_COLUMNS = r"\documentclass[twocolumn]{article}"
needs_tex = pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="no pdflatex here (Debian: texlive-latex-recommended)"
)


class Typeset(NamedTuple):
    """The log of a document that was typeset, and by how many points boxes are too wide."""

    log: str
    overfull: list[float]


def typeset(folder: Path, text: str, begin: str = PLAIN, more: str = "") -> Typeset:
    """Return a document whose body is ``\\input``, as a paper does it; it fails where pdfTeX reports an error."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tables.tex").write_text(text, encoding="utf-8")
    body = "\\begin{document}\nText.\n\n\\input{tables.tex}\n\nText.\n\\end{document}\n"
    (folder / "paper.tex").write_text(rf"{begin}\usepackage{{booktabs}}{more}{body}")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for _ in range(2):
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
        log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
        assert done.returncode == 0, log[-3000:]
    assert "Missing character" not in log
    return Typeset(log, [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)])
