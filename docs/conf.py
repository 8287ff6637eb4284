"""Settings of Sphinx for this manual: ``make docs`` builds it into ``build/docs``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tsgkit.version import __version__

project = "tsgkit"
author = "The tsgkit authors"
release = __version__
extensions = ["myst_parser"]
html_theme = "furo"
html_title = f"tsgkit {release}"
html_show_copyright = False
myst_heading_anchors = 4
nitpicky = True

LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def contents(text: str) -> str:
    """Return the tables of contents that the navigation needs, one for each list of the index page."""
    trees = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        pages = [link.removesuffix(".md") for _, link in LINK.findall(section)]
        trees.append("\n".join(["```{toctree}", ":hidden:", f":caption: {section.splitlines()[0]}", "", *pages, "```"]))
    return "\n\n".join([text, *trees])


def without_files(text: str, folder: Path) -> str:
    """Return a page with the words alone of links that lead out of the manual, since the site has no such files."""
    docs = Path(__file__).parent

    def kept(link: re.Match[str]) -> str:
        words, place = link.groups()
        is_inside = re.match(r"https?:|#", place) or (folder / place).resolve().is_relative_to(docs)
        return link[0] if is_inside else words

    return LINK.sub(kept, text)


def adapt(app: Any, name: str, source: list[str]) -> None:  # noqa: ANN401  (Sphinx has the type, and is an extra)
    """Adapt a page, which is written for reading as a file, to the site."""
    text = contents(source[0]) if name == "index" else source[0]
    source[0] = without_files(text, Path(app.srcdir, name).parent)


def setup(app: Any) -> None:  # noqa: ANN401
    """Have Sphinx adapt every page that it reads."""
    app.connect("source-read", adapt)
