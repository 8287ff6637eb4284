"""Looks at a page as a browser would: which elements there are, whether they are closed, what they refer to."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "col", "img"}
ELEMENTS = """html head meta title style body main nav a section h1 h2 h3 h4 p ul li dl dt dd div span b bdi mark code
pre table caption thead tbody tr th td details summary figure figcaption svg g desc text tspan line
circle polygon polyline rect path image img"""
ATTRIBUTES = """id class style lang charset name content http-equiv role scope tabindex open aria-label data-label
viewbox width height xml:space font-family font-size font-style font-weight text-anchor fill fill-opacity
stroke stroke-width stroke-dasharray points stroke-linecap stroke-linejoin stroke-opacity transform x y
x1 y1 x2 y2 cx cy r rx ry d opacity dx dy fill-rule alt"""
KNOWN, INERT_ATTRIBUTES = set(ELEMENTS.split()), set(ATTRIBUTES.split())
EMBEDDED = re.compile(r"data:image/(?:jpeg|png|svg\+xml);base64,[A-Za-z0-9+/=]+")
"""The address of an image that lies in the page itself."""


class Page(HTMLParser):
    """A page taken apart; what is wrong with it is in ``problems``."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.problems: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.texts: list[str] = []
        self.feed(source)
        self.close()
        self.problems += [f"{tag} is not closed" for tag in self.open]
        self.problems += [f"{link} leads nowhere" for link in self.links if link.removeprefix("#") not in self.ids]

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in KNOWN:
            self.problems.append(f"an element {tag}")
        for name, value in attrs:
            self.attributes.append((tag, name, value or ""))
            if (tag, name) == ("a", "href"):
                self.links.append(value or "")
                if not (value or "").startswith("#"):
                    self.problems.append(f"a link to {value}")
            elif (tag, name) in (("image", "href"), ("img", "src")):
                if not EMBEDDED.fullmatch(value or ""):
                    self.problems.append(f"an image from {value}")
            elif name == "id":
                self.ids.append(value or "")
            elif name not in INERT_ATTRIBUTES:
                self.problems.append(f"an attribute {name} of {tag}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"{tag} is closed where it is not open")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.problems.append("a comment")


class Tables(HTMLParser):
    """The tables of a page: for each one the rows of its cells, the headings first."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._in_cell = False
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][-1][-1] += data


def empty_columns(source: str) -> list[str]:
    """Return the headings of columns in which no row says anything."""
    return [
        rows[0][place]
        for rows in Tables(source).tables
        if len(rows) > 1
        for place in range(1, len(rows[0]))
        if all(row[place].strip() in ("", "-") for row in rows[1:])
    ]
