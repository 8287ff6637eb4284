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
    from tsgkit.report.table import Cell, Line, Table

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
    head = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(part)}"' for key, part in attributes.items())
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
        if made := section(heading, *content, anchor=f"part-{number}"):
            links.append(tag("a", text(heading), href=f"#part-{number}"))
            sections.append(made)
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
    word: str
    look: str = ""


def table(head: Sequence[str], rows: Iterable[Sequence[Markup]], caption: str = "", *, as_cards: bool = True) -> Markup:
    """Return a table whose first cells are the rows' headings; where the screen is narrow it becomes cards, or is
    scrolled.

    Columns without any content are left out, and figures are aligned on the right. A heading of two lines names a group
    of columns in the first.
    """
    lines = [tuple(row) for row in rows]
    columns = _columns(head, lines)
    names = tag("tr", *(_heading(one) for one in columns), role="row")
    body = [tag("tr", *(_cell(one, row[one.place]) for one in columns), role="row") for row in lines]
    parts = [tag("caption", text(caption))] if caption else []
    parts += [tag("thead", names, role="rowgroup"), tag("tbody", *body, role="rowgroup")]
    look = {"class_": "cards"} if as_cards else {}
    around = "wide long" if len(lines) > MOST_ROWS else "wide"
    return tag("div", tag("table", *parts, role="table", **look), class_=around, tabindex="0")


def _columns(head: Sequence[str], rows: Sequence[tuple[Markup, ...]]) -> list[_Column]:
    """Return the columns with content; the first one always, and all of a table without rows."""
    found = []
    for place, word in enumerate(head):
        words = [said for row in rows if (said := _words(row[place]))]
        if not place or not rows or words:
            found.append(_Column(place, word, _kind(words) if place and words else ""))
    return found


def _kind(words: Sequence[str]) -> str:
    if all(map(FIGURE.fullmatch, words)):
        return "figure"
    return "words" if max(map(len, words)) > LONGEST_LINE else ""


def _words(cell: Markup) -> str:
    """Return the words of a cell; empty where it says that there is nothing."""
    said = unescape(TAGS.sub("", cell)).strip()
    return "" if said == NOTHING else said


def _heading(column: _Column) -> Markup:
    group, _, word = column.word.rpartition("\n")
    above = tag("span", name(group), class_="group") if group else Markup("")
    return tag("th", Markup(above + text(word)), scope="col", role="columnheader", **_look(column))


def _cell(column: _Column, content: Markup) -> Markup:
    label = column.word.replace("\n", " ")
    if not column.place:
        return tag("th", content, data_label=label, scope="row", role="rowheader")
    return tag("td", tag("span", content), data_label=label, role="cell", **_look(column))


def _look(column: _Column) -> dict[str, str]:
    return {"class_": column.look} if column.look else {}


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


def _value(value: str) -> str:
    return escape(inert(value))
