"""HTML elements, escaped text, and self-contained pages.

>>> tag("td", text("a < b"), class_="number", title='say "so"')
'<td class="number" title="say &quot;so&quot;">a &lt; b</td>'
>>> text("cup\\x1b[31m")
'cup\\\\x1b[31m'

``Markup`` is text that is already HTML. Only this module and the drawings create it, so that a name, a reply or a
prompt cannot become a tag; control and direction characters become escapes. A page has no script and refers to nothing
outside itself, and its content security policy forbids both. The style sheet is for phone and desktop, light and
dark, screen and print; its colours are those of Okabe and Ito, lightened where the page is dark. Colour never says
anything alone.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable, Sequence
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.errors import ExtraMissing
from tsgkit.graph.drawing.svg import Markup
from tsgkit.report.figures import NOTHING, Estimate
from tsgkit.report.plain_text import Foreign, inert

if TYPE_CHECKING:
    from tsgkit.report.table import Cell, Line, ReportDocument, Table

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
LONGEST_SIDE = 640
"""Pixels of a thumbnail."""


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
    return tag("dl", *(part for term, fact in pairs for part in (tag("dt", text(term)), tag("dd", fact))))


def table(head: Sequence[str], rows: Iterable[Sequence[Markup]], caption: str = "", *, as_cards: bool = True) -> Markup:
    """Return a table whose first cells are the rows' headings; where the screen is narrow it becomes cards, or is
    scrolled.

    Columns without any content are left out, but for the first, and figures are aligned on the right. A heading of two
    lines names a group of columns in the first.
    """
    lines = [tuple(row) for row in rows]
    headings, body = [], [list[Markup]() for _ in lines]
    for column, heading in enumerate(head):
        texts = (unescape(TAGS.sub("", line[column])).strip() for line in lines)
        words = [words for words in texts if words not in ("", NOTHING)]
        if column and lines and not words:
            continue
        look = ""
        if column and words:
            is_long = max(map(len, words)) > LONGEST_LINE
            look = "figure" if all(map(FIGURE.fullmatch, words)) else "words" if is_long else ""
        looks = {"class_": look} if look else {}
        group, _, word = heading.rpartition("\n")
        above = tag("span", name(group), class_="group") if group else Markup("")
        headings.append(tag("th", Markup(above + text(word)), scope="col", role="columnheader", **looks))
        label = heading.replace("\n", " ")
        for cells, line in zip(body, lines, strict=True):
            if column:
                cells.append(tag("td", tag("span", line[column]), data_label=label, role="cell", **looks))
            else:
                cells.append(tag("th", line[column], data_label=label, scope="row", role="rowheader"))
    parts = [tag("caption", text(caption))] if caption else []
    parts.append(tag("thead", tag("tr", *headings, role="row"), role="rowgroup"))
    parts.append(tag("tbody", *(tag("tr", *cells, role="row") for cells in body), role="rowgroup"))
    cards = {"class_": "cards"} if as_cards else {}
    around = "wide long" if len(lines) > MOST_ROWS else "wide"
    return tag("div", tag("table", *parts, role="table", **cards), class_=around, tabindex="0")


def cell(value: Cell) -> Markup:
    """Return a cell: words and numbers as names, a figure with its interval in paler letters."""
    if not isinstance(value, Estimate):
        return name(value)
    around = tag("span", text(f" {value.interval}"), class_="interval") if value.interval else Markup("")
    return Markup(tag("b", text(value.value)) + around + (text(f" {value.mark}") if value.mark else Markup("")))


def line(pieces: Line) -> Markup:
    """Return a line of text, in which names of others keep their direction to themselves."""
    return Markup("".join(name(piece) if isinstance(piece, Foreign) else text(piece) for piece in pieces))


def drawn_up(table_value: Table, *, level: int = 4) -> Markup:
    """Return a table of words and figures under its title, with its notes."""
    rows = ([cell(value) for value in row] for row in table_value.rows)
    heading = tag(f"h{level}", line(table_value.title))
    return Markup(heading + table(table_value.head, rows, as_cards=False) + listed(map(line, table_value.notes)))


def folded(summary: Markup, *parts: Markup, is_open: bool = False) -> Markup:
    """Return parts that are opened at a click, without a script."""
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


def written(document: ReportDocument) -> str:
    """Return the page of a document of tables, in the look of a report.

    >>> from tsgkit.report.table import ReportDocument, Table
    >>> document = ReportDocument("Styles", (Table(("a < b",), ("subject",), (("x",),)),), ())
    >>> "<h2>a &lt; b</h2>" in written(document)
    True
    """
    about = section("About these tables", listed(map(line, document.notes)))
    tables = (tag("section", drawn_up(table, level=2)) for table in document.tables)
    return whole_page(document.title, listed(map(line, document.lead)), *tables, about)


def part(document: ReportDocument) -> Markup:
    """Return a document as a section of a page."""
    tables = (drawn_up(table, level=3) for table in document.tables)
    return section(document.title, listed(map(line, document.lead)), *tables, listed(map(line, document.notes)))


def fragment(document: ReportDocument) -> str:
    """Return the tables and notes of a document as part of a page."""
    return "".join(map(drawn_up, document.tables)) + listed(map(line, document.notes))


def thumbnail(path: Path) -> str:
    """Return an image, made small, as a data URL; empty where it cannot be read. ``ExtraMissing`` without Pillow.

    >>> thumbnail(Path("no-such-file.png"))
    ''
    """
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise ExtraMissing("thumbnails are made", "Pillow", "view") from None
    try:
        with Image.open(path) as image:
            image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            small, written = image.convert("RGB"), io.BytesIO()
        small.save(written, "JPEG", quality=82)
    except (OSError, ValueError, Image.DecompressionBombError):
        return ""
    return f"data:image/jpeg;base64,{base64.b64encode(written.getvalue()).decode()}"


DARK = {
    "#ffffff": "#17171a", "#f1f1f1": "#2a2a30", "#222222": "#ececf0", "#333333": "#ececf0", "#666666": "#a9a9b4",
    "#0072b2": "#56b4e9", "#d55e00": "#f07a2e", "#009e73": "#1fb58a", "#cc79a7": "#df9bc2", "#e69f00": "#f0b429",
    "#d8ecd8": "#24402c", "#d6e4f5": "#23364d", "#f7e6c4": "#4a3a17", "#ead9f2": "#3f2d4a", "#cfeeee": "#1d4444",
    "#f3d9d9": "#4d2929", "#c9c9c9": "#6c6c76", "#e06666": "#b04444", "#f6b26b": "#a8691f", "#8e7cc3": "#6f5fae",
    "#6e6e6e": "#9a9aa4", "#d9d9d9": "#3c3c44", "#56b4e9": "#b5e0fa", "#7a3fa0": "#b58ad6",
}  # fmt: skip
"""The colours of plots and of drawings of graphs and rooms, and what they are on a dark page."""
STYLE = """
:root {
  color-scheme: light dark;
  --ink: #1c1c1e; --pale: #5d5d66; --paper: #ffffff; --raised: #f4f4f6; --line: #d0d0d8; --link: #005a9c;
  --strict: #0072b2; --official: #b34700; --good: #00785a; --bad: #b34700; --marked: #ffe38a; --marked-ink: #1c1c1e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #ececf0; --pale: #a9a9b4; --paper: #17171a; --raised: #232328; --line: #44444e; --link: #7fc4ff;
    --strict: #56b4e9; --official: #f0a04b; --good: #4fd1a5; --bad: #f0a04b; --marked: #6b5300; --marked-ink: #ffffff;
  }
}
@media screen and (prefers-color-scheme: dark) {
DRAWINGS
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, "Segoe UI", Helvetica, Arial, "Liberation Sans", sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; margin: .5rem 0 1rem; }
h2 { font-size: 1.25rem; margin: 2rem 0 .5rem; padding-top: .5rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.25rem 0 .4rem; overflow-wrap: anywhere; }
h4 { font-size: 1rem; margin: 1rem 0 .3rem; overflow-wrap: anywhere; }
h2, p, li, dd, summary { overflow-wrap: anywhere; } p, li, dd, summary { max-width: 60rem; }
a { color: var(--link); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.pale, figcaption, caption { color: var(--pale); font-size: .9rem; }
bdi, td, th, dd { unicode-bidi: isolate; }
code, pre { font: .875rem/1.45 ui-monospace, "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--raised); border: 1px solid var(--line);
  border-radius: .4rem; padding: .6rem .75rem; margin: .4rem 0; max-height: 28rem; overflow: auto; direction: ltr; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--pale); } dd { margin: 0; }
.wide { overflow-x: auto; max-width: 100%; }
.long { overflow-y: auto; max-height: min(34rem, 85vh); }
.long thead th { position: sticky; top: 0; z-index: 1; background: var(--paper); box-shadow: 0 1px 0 var(--line); }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; margin: .5rem 0; }
caption { text-align: left; padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--pale); font-weight: 600; white-space: nowrap; vertical-align: bottom; }
.figure { text-align: right; }
.group { display: block; font-weight: 400; }
.scores .group { white-space: normal; }
.scores tbody th, .scores thead th:first-child { position: sticky; left: 0; z-index: 1; background: var(--paper); }
.scores thead th:first-child { z-index: 2; }
.scores .interval { display: block; font-size: .85em; }
.lead { font-size: 1.05rem; }
mark { background: var(--marked); color: var(--marked-ink); text-decoration: underline; }
tbody th { font-weight: 600; overflow-wrap: anywhere; min-width: 9rem; }
td { white-space: nowrap; } td.words { white-space: normal; min-width: 14rem; }
.interval { color: var(--pale); white-space: nowrap; }
figure { margin: .5rem 0 1rem; }
figure svg { display: block; height: auto; max-width: 100%; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: .5rem 2rem; }
.plots svg { width: 100%; max-width: 27rem; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: .25rem 1.5rem; }
.sides figure, .legend figure { margin: .25rem 0; }
.graph, .legend, .room { margin: .25rem 0 .75rem; }
.graph .wide, .room .wide { border: 1px solid var(--line); border-radius: .4rem; padding: .25rem; }
.room .wide { width: fit-content; }
summary > h2 { display: inline; border: 0; padding: 0; }
details:has(> summary > h2) { border-top: 1px solid var(--line); margin-top: 1.5rem; padding-top: .75rem; }
.right { color: var(--good); } .wrong { color: var(--bad); }
.options { list-style: none; padding: 0; margin: 0; }
.tree, .tree ul { list-style: none; padding-left: 1.1rem; margin: .1rem 0; } .tree { padding-left: 0; }
details { margin: .4rem 0; } summary { cursor: pointer; }
.changes { list-style: none; padding: 0; margin: .4rem 0; }
.changes li { font: .875rem/1.5 ui-monospace, "DejaVu Sans Mono", "Liberation Mono", Consolas, monospace;
  padding-left: 3.4em; text-indent: -3.4em; }
.changes b { display: inline-block; width: 3.4em; text-indent: 0; }
.kind-matched { color: var(--pale); } .kind-missing b { color: var(--bad); } .kind-extra b { color: var(--strict); }
.kind-reversed b, .kind-mismatched b, .kind-wrong-hand b { color: var(--official); }
.outside { font-weight: 600; text-decoration: underline wavy var(--bad); }
.note { border-left: .25rem solid var(--official); padding: .2rem .75rem; background: var(--raised); }
@media (max-width: 46rem) {
  main { padding: .75rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin: 0 0 .4rem .75rem; }
  table:not(.cards) td { white-space: normal; min-width: 4.2rem; }
  table:not(.cards) tbody th { min-width: 8.5rem; }
  .cards, .cards caption, .cards tbody, .cards tr, .cards td, .cards tbody th { display: block; }
  .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards, .cards tbody { width: 100%; }
  .cards tr { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .6rem; margin: .5rem 0; }
  .cards td, .cards tbody th { border: 0; padding: .1rem 0; white-space: normal; }
  .cards td { display: flex; justify-content: space-between; gap: 1rem; }
  .cards .figure { text-align: left; } .cards td:has(> span:empty) { display: none; }
  .cards td::before { content: attr(data-label); color: var(--pale); flex: none; }
  .cards tbody th::before { content: attr(data-label) " "; color: var(--pale); font-weight: 400; }
  .scores .interval { display: inline; } .scores tbody th { position: static; }
  .long .cards thead th { position: absolute; }
  .cards td > span { text-align: right; overflow-wrap: anywhere; min-width: 0; }
}
@media print {
  :root { --ink: #000; --paper: #fff; --raised: #fff; --pale: #444; }
  main { max-width: none; padding: 0; } pre, .long { max-height: none; overflow: visible; }
  .long thead th { position: static; }
  figure, tr, .card { break-inside: avoid; }
}
""".replace(
    "DRAWINGS",
    "\n".join(
        f'  figure svg[fill="{light}"], figure svg [fill="{light}"] {{ fill: {dark}; }}\n'
        f'  figure svg [stroke="{light}"] {{ stroke: {dark}; }}'
        for light, dark in DARK.items()
    ),
)
"""The style sheet of all pages; drawings have colours as attributes, which are replaced on a dark page."""
