"""Drawing of a narrative as a strip along time: a cell for each graph below its description, with both hands.

>>> from tsgkit.graph.model import ActionGraph
>>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"), ("open", "with", "hand1"))
>>> svg = draw_narrative(Narrative((Description("She opens the lid.", (graph,)), Description("She waits."))))
>>> svg.count('class="tsg-cell"'), "no graphs" in svg, "with hand1" in svg
(1, True, True)

The strip is broken into rows like a text into lines. The hands have fixed places in every cell, so that each forms a
lane through a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from tsgkit.graph.drawing.cells import LANES, PAD, UNUSED, USED, Cell, arranged, cell_width, drawn_cell
from tsgkit.graph.drawing.document import MARGIN, SAMPLE, Entry, Sketch, image, kind_entries, moved, notice
from tsgkit.graph.drawing.layout import Box, Size
from tsgkit.graph.drawing.node_shapes import outline
from tsgkit.graph.drawing.svg import LINE_HEIGHT, PALE, Markup, element, lines_of_text, spoken
from tsgkit.graph.drawing.text import prose, shorten, visible, wrap
from tsgkit.graph.model import Description, Kind, Narrative

ACROSS = 1400.0 - 2 * MARGIN
GAP, ROW_GAP = 6.0, 16.0
TEXT = 12.5
LONGEST_TEXT = 1200  # characters of a description: more is in the tooltip only
LEAST_BODY = 40.0
NO_GRAPHS, NO_TEXT, CONTINUED = "no graphs", "no description", "(continued)"


@dataclass(frozen=True)
class _Group:
    """Neighbouring cells of one description, and the text above them."""

    description: Description
    lines: tuple[str, ...]
    cells: tuple[Cell, ...]
    width: float


def draw_narrative(narrative: Narrative, *, title: str = "") -> str:
    """Return the narrative as an SVG document at most 1400 pixels wide; a narrative without descriptions says so."""
    spoken_title = title or f"Narrative {visible(narrative.id) if narrative.id else ''}".strip()
    if not narrative.descriptions:
        return notice("empty narrative", heading=title, title=spoken_title)
    cells = _cells(narrative)
    legend = _legend([cell for own in cells for cell in own])
    strip = _strip(narrative, cells)
    return image(strip, (legend,), heading=title, title=spoken_title, description=_told(narrative))


def _cells(narrative: Narrative) -> list[tuple[Cell, ...]]:
    """Return the cells of each description, numbered along the whole narrative."""
    numbers = count()
    return [
        tuple(Cell.of(graph, next(numbers), narrative.vocabulary) for graph in description.graphs)
        for description in narrative.descriptions
    ]


def _strip(narrative: Narrative, cells: Sequence[tuple[Cell, ...]]) -> Sketch:
    wide = cell_width(cell for own in cells for cell in own)
    groups = (
        group
        for description, own in zip(narrative.descriptions, cells, strict=True)
        for group in _groups(description, own, wide)
    )
    parts, width, y = list[Markup](), 0.0, 0.0
    for row in _rows(groups):
        drawn = _drawn_row(row, wide)
        parts.append(moved(drawn, 0, y))
        width, y = max(width, drawn.size.width), y + drawn.size.height + ROW_GAP
    return Sketch(tuple(parts), Size(width, y - ROW_GAP))


def _groups(description: Description, cells: Sequence[Cell], wide: float) -> Iterator[_Group]:
    """Yield a description's cells in groups that fit a row."""
    text = NO_TEXT if description.text is None else shorten(prose(description.text), LONGEST_TEXT)
    fitting = int((ACROSS - 2 * PAD + GAP) // (wide + GAP))
    for first in range(0, max(1, len(cells)), fitting):
        own = tuple(cells[first : first + fitting])
        room = max(1, len(own)) * (wide + GAP) - GAP
        lines = wrap(CONTINUED if first else text, room, TEXT)
        yield _Group(description, lines, own, room + 2 * PAD)


def _rows(groups: Iterable[_Group]) -> Iterator[list[_Group]]:
    """Yield the groups in rows; a group is not broken if it fits a row of its own."""
    row, used = list[_Group](), 0.0
    for group in groups:
        if row and used + GAP + group.width > ACROSS:
            yield row
            row, used = [], 0.0
        used += group.width + (GAP if row else 0.0)
        row.append(group)
    yield row


def _drawn_row(row: Sequence[_Group], wide: float) -> Sketch:
    """Return groups side by side; texts and cells are as high as the highest of the row."""
    head = max(len(group.lines) for group in row) * TEXT * LINE_HEIGHT + 2 * PAD
    placed = {cell.number: arranged(cell, wide) for group in row for cell in group.cells}
    inner = max((chip.box.bottom for chips in placed.values() for chip in chips), default=LEAST_BODY)
    size = Size(wide, inner + PAD + LANES)
    parts, x = list[Markup](), 0.0
    for group in row:
        parts.append(_drawn_group(group, x, head, size))
        for place, cell in enumerate(group.cells):
            drawn = drawn_cell(cell, placed[cell.number], size)
            parts.append(moved(Sketch((drawn,), size), x + PAD + place * (wide + GAP), head))
        x += group.width + GAP
    return Sketch(tuple(parts), Size(x - GAP, head + size.height + PAD))


def _drawn_group(group: _Group, x: float, head: float, cell: Size) -> Markup:
    """Return the frame of a group and its text; where there are no cells, words that say so."""
    description = group.description
    look: dict[str, str | float] = {} if description.text is not None else {"font_style": "italic", "fill": PALE}
    middle = PAD + len(group.lines) * TEXT * LINE_HEIGHT / 2
    height = head + cell.height + PAD
    parts = [
        spoken(NO_TEXT if description.text is None else description.text),
        element("rect", x=x, y=0, width=group.width, height=height, rx=6, fill="#f5f5f5", stroke="#cccccc"),
        lines_of_text(group.lines, x + PAD, middle, size=TEXT, anchor="start", **look),
    ]
    if not group.cells:
        parts.append(_no_graphs(Box(x + group.width / 2, head + cell.height / 2, *cell)))
    return element("g", *parts, class_="tsg-description")


def _no_graphs(box: Box) -> Markup:
    look: dict[str, str | float] = {"fill": "none", "stroke": PALE, "stroke_dasharray": "4 4"}
    frame = element("rect", x=box.left, y=box.top, width=box.width, height=box.height, **look)
    words = lines_of_text((NO_GRAPHS,), box.x, box.y, size=TEXT, font_style="italic", fill=PALE)
    return element("g", frame, words)


def _legend(cells: Sequence[Cell]) -> list[Entry]:
    """Return the shapes that occur, and how a hand shows whether it is used."""
    entries = kind_entries({kind for cell in cells for kind in cell.kinds})
    uses = {bool(use) for cell in cells for use in cell.hands}
    if True in uses:
        entries.append(Entry(outline(Kind.HAND, SAMPLE, **USED), "hand in use"))
    if False in uses:
        entries.append(Entry(outline(Kind.HAND, SAMPLE, **UNUSED), "hand not in use"))
    return entries


def _told(narrative: Narrative) -> str:
    texts = " ".join(prose(description.text) for description in narrative.descriptions if description.text)
    return f"{len(narrative.descriptions)} descriptions, {len(narrative.graphs)} graphs. {texts}".strip()
