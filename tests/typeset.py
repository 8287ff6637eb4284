"""Documents that pdfTeX typesets: whether it complains, how wide the boxes are, and the letters on the pages."""

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
FONT = re.compile(rb"(\d+) 0 obj\s*<<[^>]*?/BaseFont\s*/[A-Z]{6}\+(\w+)")
NAMED = re.compile(rb"/F(\d+) (\d+) 0 R")
SHOWN = re.compile(rb"/F(\d+) [\d.]+ Tf|\(((?:[^\\()]|\\.)*)\)", re.DOTALL)
ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(.))", re.DOTALL)
SYMBOLS = {0: "-", 102: "{", 103: "}", 106: "|", 110: "\\"}
LETTERS = {18: "`", 34: '"', 123: "–", 124: "—"}
NOT_SHOWN = re.compile(r"[\s_]")
"""TeX shows a blank as a distance, and an underscore as a rule."""


class Typeset(NamedTuple):
    """A document that was typeset: the letters on its pages, its log, and by how many points boxes are too wide."""

    letters: str
    log: str
    overfull: list[float]

    def shows(self, text: str) -> bool:
        """True if a text stands on the pages, letter by letter."""
        return NOT_SHOWN.sub("", text) in self.letters


def typeset(folder: Path, text: str, begin: str = PLAIN, more: str = "") -> Typeset:
    """Return a document whose body is ``\\input``, as a paper does it; it fails where pdfTeX reports an error."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tables.tex").write_text(text, encoding="utf-8")
    preamble = rf"\pdfcompresslevel=0 \pdfobjcompresslevel=0 \usepackage{{booktabs}}{more}"
    (folder / "paper.tex").write_text(
        begin + preamble + "\\begin{document}\nText.\n\n\\input{tables.tex}\n\nText.\n\\end{document}\n"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for _ in range(2):
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
        log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
        assert done.returncode == 0, log[-3000:]
    assert "Missing character" not in log
    overfull = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)]
    return Typeset(_letters((folder / "paper.pdf").read_bytes()), log, overfull)


def _letters(pdf: bytes) -> str:
    """Return the letters that an uncompressed PDF shows, without blanks."""
    fonts = {number: name.decode() for number, name in FONT.findall(pdf)}
    named = {short: fonts.get(number, "") for short, number in NAMED.findall(pdf)}
    shown, font = list[str](), ""
    for stream in re.findall(rb"stream\n(.*?)endstream", pdf, re.DOTALL):
        for short, text in SHOWN.findall(stream) if b" Tf" in stream else ():
            if short:
                font = named[short]
            else:
                shown += [_letter(code, font) for code in ESCAPE.sub(_unescaped, text)]
    return "".join(shown)


def _unescaped(found: re.Match[bytes]) -> bytes:
    return bytes([int(found[1], 8)]) if found[1] else found[2]


def _letter(code: int, font: str) -> str:
    if font.startswith("CMSY"):
        return SYMBOLS.get(code, "\N{REPLACEMENT CHARACTER}")
    return chr(code) if font.startswith("CMMI") else LETTERS.get(code, chr(code))
