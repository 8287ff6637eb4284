"""HTML elements, escaped text, and self-contained pages.

>>> tag("td", text("a < b"), class_="number", title='say "so"')
'<td class="number" title="say &quot;so&quot;">a &lt; b</td>'
>>> text("cup\\x1b[31m")
'cup\\\\x1b[31m'

``Markup`` is text that is already HTML. Only this module and the drawings create it, so that a name, a reply or a
prompt cannot become a tag; control and direction characters become escapes. A page has no script and refers to nothing
outside itself, and its content security policy forbids both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape, unescape
from typing import TYPE_CHECKING, NamedTuple

from tsgkit.graph.drawing.svg import Markup
from tsgkit.report.figures import NOTHING, Estimate
from tsgkit.report.plain_text import Foreign, inert
from tsgkit.report.stylesheet import STYLE

if TYPE_CHECKING:
    from tsgkit.report.table import Cell, Document, Line, Table

VOID = frozenset({"meta", "br", "hr", "col", "img"})
LAYOUT = re.compile(r"[^\n\t]+")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
WIDTH = re.compile(r'\A<svg [^>]*\bwidth="([0-9.]+)"')
LEAST_SHARE = 0.72
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
TAGS = re.compile(r"<[^<>]*>")
FIGURE = re.compile(
    r"(?:>=)?[-+−]?\$?\d[\d.,]*(?: ?%)?(?: \+ (?:>=)?[\d.,]+)?(?: ?\[[^\]]*\])?(?: \(\S+\))?"
    r"|\[[^\]]*\]|\((?:cached|unknown)\)"
)
"""The words of a cell that holds a figure: a number with its interval and its mark, or an interval alone."""
LONGEST_LINE = 48
"""Characters of a cell that stays on one line."""
MOST_ROWS = 16
"""A table with more rows is scrolled inside, under its head."""


def tag(kind: str, /, *children: Markup, **attributes: str) -> Markup:
    """Return one element. Underscores in attribute names become hyphens; ``class_`` means ``class``."""
    head = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(part)}"' for key, part in attributes.items())
    return Markup(f"<{kind}{head}>" if kind in VOID else f"<{kind}{head}>{''.join(children)}</{kind}>")


def text(value: str) -> Markup:
    """Return text of ours or numbers, as it stands."""
    return Markup(escape(inert(value)))


def name(value: str) -> Markup:
    """Return a name from data: it keeps its direction to itself."""
    return tag("bdi", text(value))


def block(value: str, marked: Iterable[tuple[int, int]] = ()) -> Markup:
    """Return a text of several lines from data, as it was written; stretches of it are marked."""
    shown, at = "\n", 0
    for start, end in sorted(marked):
        if at <= start < end:
            shown += _as_written(value[at:start]) + f"<mark>{_as_written(value[start:end])}</mark>"
            at = end
    return tag("pre", Markup(shown + _as_written(value[at:])), tabindex="0")


def _as_written(value: str) -> str:
    return escape(LAYOUT.sub(lambda part: inert(part.group()), value.replace("\r\n", "\n")))


def paragraph(words: str, **attributes: str) -> Markup:
    """Return a paragraph of text."""
    return tag("p", text(words), **attributes)


def section(heading: str, *parts: Markup, level: int = 2, anchor: str = "") -> Markup:
    """Return a part of a page under its heading; nothing where there is nothing to say."""
    kept = [part for part in parts if part]
    where = {"id": anchor} if anchor else {}
    return tag("section", tag(f"h{level}", text(heading)), *kept, **where) if kept else Markup("")


def chapters(parts: Iterable[tuple[str, Iterable[Markup]]]) -> Markup:
    """Return the parts of a long page, with links to them before the first; those with nothing to say are left out."""
    links, sections = list[Markup](), list[Markup]()
    for number, (heading, content) in enumerate(parts):
        if part := section(heading, *content, anchor=f"part-{number}"):
            links.append(tag("a", text(heading), href=f"#part-{number}"))
            sections.append(part)
    return Markup(tag("nav", *links, aria_label="parts of this page") + "\n" + "\n".join(sections))


def listed(items: Iterable[Markup]) -> Markup:
    """Return a list; nothing where it is empty."""
    lines = [tag("li", item) for item in items]
    return tag("ul", *lines) if lines else Markup("")


def facts(pairs: Iterable[tuple[str, Markup]]) -> Markup:
    """Return names and what they stand for."""
    return tag("dl", *(part for term, said in pairs for part in (tag("dt", text(term)), tag("dd", said))))


class _Column(NamedTuple):
    """A column of a table: its place among all, its heading, and ``figure`` or ``words`` if it holds figures or texts
    that are broken into lines."""

    place: int
    heading: str
    look: dict[str, str]


def table(head: Sequence[str], rows: Iterable[Sequence[Markup]], caption: str = "", *, as_cards: bool = True) -> Markup:
    """Return a table whose first cells are the rows' headings; where the screen is narrow it becomes cards, or is
    scrolled.

    Columns without any content are left out, and figures are aligned on the right. A heading of two lines names a group
    of columns in the first.
    """
    lines = [tuple(row) for row in rows]
    columns = _columns(head, lines)
    headings, body = [], [list[Markup]() for _ in lines]
    for place, heading, look in columns:
        group, _, word = heading.rpartition("\n")
        above = tag("span", name(group), class_="group") if group else Markup("")
        headings.append(tag("th", Markup(above + text(word)), scope="col", role="columnheader", **look))
        label = heading.replace("\n", " ")
        for cells, line in zip(body, lines, strict=True):
            if place:
                cells.append(tag("td", tag("span", line[place]), data_label=label, role="cell", **look))
            else:
                cells.append(tag("th", line[place], data_label=label, scope="row", role="rowheader"))
    parts = [tag("caption", text(caption))] if caption else []
    parts.append(tag("thead", tag("tr", *headings, role="row"), role="rowgroup"))
    parts.append(tag("tbody", *(tag("tr", *cells, role="row") for cells in body), role="rowgroup"))
    cards = {"class_": "cards"} if as_cards else {}
    around = "wide long" if len(lines) > MOST_ROWS else "wide"
    return tag("div", tag("table", *parts, role="table", **cards), class_=around, tabindex="0")


def _columns(head: Sequence[str], rows: Sequence[tuple[Markup, ...]]) -> list[_Column]:
    """Return the columns with content; the first one always, and all of a table without rows."""
    columns = []
    for place, heading in enumerate(head):
        cells = (unescape(TAGS.sub("", row[place])).strip() for row in rows)
        words = [cell for cell in cells if cell not in ("", NOTHING)]
        if place and rows and not words:
            continue
        look = ""
        if place and words:
            longest = max(map(len, words))
            look = "figure" if all(map(FIGURE.fullmatch, words)) else "words" if longest > LONGEST_LINE else ""
        columns.append(_Column(place, heading, {"class_": look} if look else {}))
    return columns


def cell(value: Cell) -> Markup:
    """Return a cell: words and numbers as names, a figure with its interval in paler letters."""
    if not isinstance(value, Estimate):
        return name(value)
    around = tag("span", text(f" {value.interval}"), class_="interval") if value.interval else Markup("")
    return Markup(tag("b", text(value.value)) + around + (text(f" {value.mark}") if value.mark else Markup("")))


def line(pieces: Line) -> Markup:
    """Return a line of text, in which names of others keep their direction to themselves."""
    return Markup("".join(name(piece) if isinstance(piece, Foreign) else text(piece) for piece in pieces))


def drawn_up(one: Table, *, level: int = 4) -> Markup:
    """Return a table of words and figures under its title, with its notes."""
    rows = ([cell(value) for value in row] for row in one.rows)
    heading = tag(f"h{level}", line(one.title))
    return Markup(heading + table(one.head, rows, as_cards=False) + listed(map(line, one.notes)))


def folded(summary: Markup, *parts: Markup, is_open: bool = False) -> Markup:
    """Something that is opened when it is wanted; no script is needed for that."""
    head = tag("summary", summary)
    return tag("details", head, *parts, open="open") if is_open else tag("details", head, *parts)


def drawing(svg: str, caption: str = "") -> Markup:
    """Return an SVG as part of the page; it shrinks with the page as long as its text stays legible."""
    width = WIDTH.search(svg)
    least = f' style="min-width:{LEAST_SHARE * float(width[1]):.0f}px"' if width else ""
    inside = Markup(svg.replace(NAMESPACE, least, 1).strip())
    words = [tag("figcaption", text(caption))] if caption else []
    return tag("figure", *words, tag("div", inside, class_="wide", tabindex="0"))


def whole_page(title: str, *body: Markup, heading: str = "") -> str:
    """Return a document in one file; ``heading`` is what stands at its top, if that is not its title."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", text(title)),
        tag("style", Markup(STYLE)),
    )
    inside = tag("body", tag("main", tag("h1", text(heading or title)), *(part for part in body if part)))
    return "<!doctype html>\n" + tag("html", head, Markup("\n"), inside, lang="en") + "\n"


def written(document: Document) -> str:
    """Return the page of a document of tables, in the look of a report.

    >>> from tsgkit.report.table import Document, Table
    >>> document = Document("Styles", (Table(("a < b",), ("subject",), (("x",),)),), ())
    >>> "<h2>a &lt; b</h2>" in written(document)
    True
    """
    about = section("About these tables", listed(map(line, document.notes)))
    tables = (tag("section", drawn_up(table, level=2)) for table in document.tables)
    return whole_page(document.title, listed(map(line, document.lead)), *tables, about)


def part(document: Document) -> Markup:
    """Return a document as a section of a page."""
    tables = (drawn_up(table, level=3) for table in document.tables)
    return section(document.title, listed(map(line, document.lead)), *tables, listed(map(line, document.notes)))


def fragment(document: Document) -> str:
    """Return the tables and notes of a document as part of a page."""
    return "".join(map(drawn_up, document.tables)) + listed(map(line, document.notes))
