"""Drawing of a narrative as a strip along time: a cell for each graph below its description, with both hands.

>>> from tsgkit.graph.model import ActionGraph
>>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"), ("open", "with", "hand1"))
>>> svg = draw_narrative(Narrative((Description("She opens the lid.", (graph,)), Description("She waits."))))
>>> svg.count('class="tsg-cell"'), "no graphs" in svg, "with hand1" in svg
(1, True, True)
>>> cell = GraphCard.of(graph, number=0)
>>> cell.head, [[chip.text for chip in row] for row in cell.rows], cell.hands
('open', [['dobj', 'lid']], ('with hand1', ''))

The strip is broken into rows like a text into lines. The head of a cell names the action, so ``person -verb-> open`` is
not repeated; the hands have fixed places at its foot, so that each forms a lane through a row. Every other triplet has
a row; repeated ones show their count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from tsgkit.graph.drawing.layout import DrawnBox, Size
from tsgkit.graph.drawing.sketch import PADDING, SAMPLE, kind_entries, outline
from tsgkit.graph.drawing.svg import (
    BOLD,
    INK,
    LINE_HEIGHT,
    MARGIN,
    PALE,
    LegendEntry,
    Markup,
    Sketch,
    element,
    image,
    lines_of_text,
    moved,
    notice,
    spoken,
)
from tsgkit.graph.drawing.text import prose, shorten, shown, text_width, visible, wrap
from tsgkit.graph.model import HANDS, PERSON, VERB, ActionGraph, Description, Kind, Narrative, Node, Vocabulary

ACROSS = 1400.0 - 2 * MARGIN
LEAST_CELL, MOST_CELL, LEAST_BODY = 118.0, 210.0, 40.0
PAD, GAP, LINE_GAP = 8.0, 6.0, 3.0
STRIP_GAP = 16.0
TEXT, NAME, SMALL = 12.5, 12.0, 11.0
LONGEST_TEXT = 1200  # characters of a description: more is in the tooltip only
HAND, HAND_GAP = 22.0, 4.0
LANES = len(HANDS) * (HAND + HAND_GAP)
SLACK = 0.01  # sums of widths taken in another order are not quite equal
NO_ACTION, EMPTY = "no action", "empty graph"
NO_GRAPHS, NO_TEXT, CONTINUED = "no graphs", "no description", "(continued)"
USED: dict[str, str | float] = {"stroke_width": 1.2, "fill_opacity": "0.4"}
UNUSED: dict[str, str | float] = {"stroke_width": 1.2, "fill": "none", "stroke_dasharray": "3 3"}


class Chip(NamedTuple):
    """A name in the shape of its kind, or an edge label without a shape."""

    kind: Kind | None
    text: str

    @property
    def padding(self) -> float:
        """The total padding left and right of the text."""
        return 6.0 if self.kind is None else PADDING[self.kind] * 1.2


class PlacedChip(NamedTuple):
    """A chip's lines and their position in the cell."""

    kind: Kind | None
    lines: tuple[str, ...]
    box: DrawnBox


@dataclass(frozen=True)
class GraphCard:
    """A graph: its number along time, its action, the other triplets as chips, and the labels of both hands."""

    number: int
    graph: ActionGraph
    head: str
    rows: tuple[tuple[Chip, ...], ...]
    hands: tuple[str, ...]
    """The action's edges to each hand, or the hand's name if other edges lead to it; empty if none does."""

    @classmethod
    def of(cls, graph: ActionGraph, number: int, vocabulary: Vocabulary | None = None) -> GraphCard:
        """Return the cell that shows this graph."""
        times, actions = Counter(graph.typed(vocabulary)), graph.actions
        lone = Node(Kind.ACTION, actions[0]) if len(actions) == 1 else None
        rows, hands = list[tuple[Chip, ...]](), list[str]()
        for (source, edge, target), many in times.items():
            is_in_head = edge == VERB and source == Node(Kind.PERSON, PERSON)
            is_at_foot = lone is not None and source == lone and target.kind is Kind.HAND
            if many == 1 and (is_in_head or is_at_foot):
                continue
            label = Chip(None, shown(edge) + (f" ×{many}" if many > 1 else ""))
            ends = [Chip(node.kind, shown(node.name)) for node in (source, target)]
            rows.append((label, ends[1]) if source == lone else (ends[0], label, ends[1]))
        for hand in HANDS:
            node = Node(Kind.HAND, hand)
            labels = [shown(label) for source, label, target in times if lone and source == lone and target == node]
            is_used = any(node in (source, target) for source, _, target in times)
            hands.append(f"{', '.join(labels)} {hand}".strip() if is_used else "")
        head = ", ".join(map(shown, actions)) or (NO_ACTION if times else EMPTY)
        return cls(number, graph, head, tuple(rows), tuple(hands))

    @property
    def wanted_width(self) -> float:
        """The width at which nothing in this cell would be broken."""
        head = text_width(self.head, NAME) * BOLD + self.number_width + 2 * PADDING[Kind.ACTION]
        hands = (text_width(hand, SMALL) + 2 * PADDING[Kind.HAND] for hand in self.hands)
        rows = (sum(text_width(chip.text, NAME) + chip.padding for chip in row) for row in self.rows)
        return max(head, *hands, *rows) + 2 * PAD

    @property
    def number_width(self) -> float:
        """The width of the cell's number."""
        return text_width(str(self.number + 1), SMALL) + 6


class _Group(NamedTuple):
    """Neighbouring cells of one description, and the text above them."""

    description: Description
    lines: tuple[str, ...]
    cells: Sequence[GraphCard]
    width: float


def draw_narrative(narrative: Narrative, *, title: str = "") -> str:
    """Return the narrative as an SVG document at most 1400 pixels wide; a narrative without descriptions says so."""
    spoken_title = title or f"Narrative {visible(narrative.id) if narrative.id else ''}".strip()
    if not narrative.descriptions:
        return notice("empty narrative", heading=title, title=spoken_title)
    numbers = count()
    of_descriptions = [
        (description, [GraphCard.of(graph, next(numbers), narrative.vocabulary) for graph in description.graphs])
        for description in narrative.descriptions
    ]
    cells = [cell for _, own in of_descriptions for cell in own]
    wide = min(max((LEAST_CELL, *(cell.wanted_width for cell in cells))), MOST_CELL)
    parts, width, y = list[Markup](), 0.0, 0.0
    for row in _rows(group for description, own in of_descriptions for group in _groups(description, own, wide)):
        drawn = _drawn_row(row, wide)
        parts.append(moved(drawn, 0, y))
        width, y = max(width, drawn.size.width), y + drawn.size.height + STRIP_GAP
    strip = Sketch(tuple(parts), Size(width, y - STRIP_GAP))
    texts = " ".join(prose(description.text) for description in narrative.descriptions if description.text)
    described = f"{len(narrative.descriptions)} descriptions, {len(narrative.graphs)} graphs. {texts}".strip()
    return image(strip, (_legend(cells),), heading=title, title=spoken_title, description=described)


def _groups(description: Description, cells: Sequence[GraphCard], wide: float) -> Iterator[_Group]:
    """Yield a description's cells in groups that fit a row."""
    text = NO_TEXT if description.text is None else shorten(prose(description.text), LONGEST_TEXT)
    fitting = int((ACROSS - 2 * PAD + GAP) // (wide + GAP))
    for first in range(0, max(1, len(cells)), fitting):
        own = cells[first : first + fitting]
        room = max(1, len(own)) * (wide + GAP) - GAP
        yield _Group(description, wrap(CONTINUED if first else text, room, TEXT), own, room + 2 * PAD)


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
    placed = {cell.number: _arranged(cell, wide) for group in row for cell in group.cells}
    inner = max((chip.box.bottom for chips in placed.values() for chip in chips), default=LEAST_BODY)
    size = Size(wide, inner + PAD + LANES)
    parts, x = list[Markup](), 0.0
    for group in row:
        parts.append(_drawn_group(group, x, head, size))
        for place, cell in enumerate(group.cells):
            drawn = _drawn_cell(cell, placed[cell.number], size)
            parts.append(moved(Sketch((drawn,), size), x + PAD + place * (wide + GAP), head))
        x += group.width + GAP
    return Sketch(tuple(parts), Size(x - GAP, head + size.height + PAD))


def _drawn_group(group: _Group, x: float, head: float, cell: Size) -> Markup:
    """Return the frame of a group and its text; where there are no cells, words that say so."""
    text = group.description.text
    look: dict[str, str | float] = {} if text is not None else {"font_style": "italic", "fill": PALE}
    middle = PAD + len(group.lines) * TEXT * LINE_HEIGHT / 2
    height = head + cell.height + PAD
    parts = [
        spoken(NO_TEXT if text is None else text),
        element("rect", x=x, y=0, width=group.width, height=height, rx=6, fill="#f5f5f5", stroke="#cccccc"),
        lines_of_text(group.lines, x + PAD, middle, size=TEXT, anchor="start", **look),
    ]
    if not group.cells:
        box = DrawnBox(x + group.width / 2, head + cell.height / 2, *cell)
        dashed: dict[str, str | float] = {"fill": "none", "stroke": PALE, "stroke_dasharray": "4 4"}
        frame = element("rect", x=box.left, y=box.top, width=box.width, height=box.height, **dashed)
        words = lines_of_text((NO_GRAPHS,), box.x, box.y, size=TEXT, font_style="italic", fill=PALE)
        parts.append(element("g", frame, words))
    return element("g", *parts, class_="tsg-description")


def _arranged(cell: GraphCard, width: float) -> list[PlacedChip]:
    """Return the head and the chips of a cell in lines that fit its width; a chip too long has several lines itself."""
    room = width - 2 * PAD - cell.number_width
    lines = wrap(cell.head, (room - 2 * PADDING[Kind.ACTION]) / BOLD, NAME)
    tall = len(lines) * NAME * LINE_HEIGHT + 10
    placed = [PlacedChip(Kind.ACTION, lines, DrawnBox(width - PAD - room / 2, PAD + tall / 2, room, tall))]
    room, bottom = width - 2 * PAD, PAD + tall
    for row in cell.rows:
        x, top = 0.0, bottom + GAP
        bottom = top
        for chip in row:
            lines = wrap(chip.text, room - chip.padding, NAME)
            wide = max(text_width(line, NAME) for line in lines) + chip.padding
            tall = len(lines) * NAME * LINE_HEIGHT + 5
            if x and x + wide > room + SLACK:
                x, top = 0.0, bottom + LINE_GAP
            box = DrawnBox(PAD + x + wide / 2, top + tall / 2, wide, tall)
            placed.append(PlacedChip(chip.kind, lines, box))
            x, bottom = x + wide, max(bottom, top + tall)
        bottom = max(chip.box.bottom for chip in placed)
    return placed


def _drawn_cell(cell: GraphCard, placed: Sequence[PlacedChip], size: Size) -> Markup:
    """Return the cell with its upper left corner at the origin."""
    head, *chips = placed
    if cell.graph.actions:
        words = lines_of_text(head.lines, head.box.x, head.box.y, size=NAME, font_weight="bold")
        title = element("g", outline(Kind.ACTION, head.box), words)
    else:
        title = lines_of_text(head.lines, head.box.x, head.box.y, size=NAME, font_style="italic", fill=PALE)
    parts = [
        spoken(f"graph {cell.number + 1}: " + "; ".join(map(str, cell.graph.triplets))),
        element("rect", x=0, y=0, width=size.width, height=size.height, rx=3, fill="#ffffff", stroke="#999999"),
        lines_of_text((str(cell.number + 1),), PAD, head.box.y, size=SMALL, anchor="start", fill=PALE),
        title,
    ]
    for kind, lines, box in chips:
        words = lines_of_text(lines, box.x, box.y, size=NAME, fill=PALE if kind is None else INK)
        parts.append(words if kind is None else element("g", outline(kind, box, stroke_width=1.2), words))
    for place, (hand, use) in enumerate(zip(HANDS, cell.hands, strict=True)):
        y = size.height - LANES + place * (HAND + HAND_GAP) + HAND / 2
        box = DrawnBox(size.width / 2, y, size.width - 2 * PAD, HAND)
        words = lines_of_text((use or hand,), box.x, box.y, size=SMALL, fill=INK if use else PALE)
        shape = outline(Kind.HAND, box, **(USED if use else UNUSED))
        parts.append(element("g", shape, words, class_="tsg-used" if use else "tsg-unused"))
    return element("g", *parts, class_="tsg-cell")


def _legend(cells: Sequence[GraphCard]) -> list[LegendEntry]:
    """Return the shapes that occur, and how a hand shows whether it is used."""
    kinds = {chip.kind for cell in cells for row in cell.rows for chip in row if chip.kind is not None}
    entries = kind_entries(kinds | {Kind.ACTION for cell in cells if cell.graph.actions})
    uses = {bool(use) for cell in cells for use in cell.hands}
    for is_used, look, words in ((True, USED, "hand in use"), (False, UNUSED, "hand not in use")):
        if is_used in uses:
            entries.append(LegendEntry(outline(Kind.HAND, SAMPLE, **look), words))
    return entries
