"""Cells of a narrative's strip: one graph in a small card with both hands at the bottom.

>>> from tsgkit.graph.model import ActionGraph
>>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"), ("open", "with", "hand1"))
>>> cell = Cell.of(graph, number=0)
>>> cell.head, [[chip.text for chip in row] for row in cell.rows], cell.hands
('open', [['dobj', 'lid']], ('with hand1', ''))

The head names the action, so ``person -verb-> open`` is not repeated, nor are the hands. Every other triplet has a row;
repeated ones show their count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tsgkit.graph.drawing.document import BOLD
from tsgkit.graph.drawing.layout import Box, Size
from tsgkit.graph.drawing.node_shapes import PADDING, outline
from tsgkit.graph.drawing.svg import INK, LINE_HEIGHT, PALE, Markup, element, lines_of_text, spoken
from tsgkit.graph.drawing.text import shown, text_width, wrap
from tsgkit.graph.model import HANDS, PERSON, VERB, ActionGraph, Kind, Node, TypedTriplet, Vocabulary

LEAST, MOST = 118.0, 210.0
PAD, ROW_GAP, LINE_GAP = 8.0, 6.0, 3.0
NAME, SMALL = 12.0, 11.0
HAND, HAND_GAP = 22.0, 4.0
LANES = len(HANDS) * (HAND + HAND_GAP)
SLACK = 0.01  # sums of widths taken in another order are not quite equal
NO_ACTION, EMPTY = "no action", "empty graph"
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


class Placed(NamedTuple):
    """A chip's lines and their position in the cell."""

    kind: Kind | None
    lines: tuple[str, ...]
    box: Box


@dataclass(frozen=True)
class Cell:
    """A graph: its number along time, its action, the other triplets as chips, and the labels of both hands."""

    number: int
    graph: ActionGraph
    head: str
    rows: tuple[tuple[Chip, ...], ...]
    hands: tuple[str, ...]

    @classmethod
    def of(cls, graph: ActionGraph, number: int, vocabulary: Vocabulary | None = None) -> Cell:
        """Return the cell that shows this graph."""
        times = Counter(graph.typed(vocabulary))
        actions = graph.actions
        head = ", ".join(map(shown, actions)) or (NO_ACTION if times else EMPTY)
        lone = Node(Kind.ACTION, actions[0]) if len(actions) == 1 else None
        rows = (
            _chips(triplet, lone, many)
            for triplet, many in times.items()
            if many > 1 or not _is_told_elsewhere(triplet, lone)
        )
        return cls(number, graph, head, tuple(rows), tuple(_hand(hand, tuple(times), lone) for hand in HANDS))

    @property
    def kinds(self) -> set[Kind]:
        """The kinds of nodes that have a shape in this cell, the hands' own places aside."""
        heads = {Kind.ACTION} if self.graph.actions else set()
        return heads | {chip.kind for row in self.rows for chip in row if chip.kind is not None}

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


def cell_width(cells: Iterable[Cell]) -> float:
    """Return one width for all cells: the widest thing in any of them, within bounds."""
    return min(max((LEAST, *(cell.wanted_width for cell in cells))), MOST)


def arranged(cell: Cell, width: float) -> list[Placed]:
    """Return the head and the chips of a cell in lines that fit its width; a chip too long has several lines itself."""
    room = width - 2 * PAD - cell.number_width
    lines = wrap(cell.head, (room - 2 * PADDING[Kind.ACTION]) / BOLD, NAME)
    tall = len(lines) * NAME * LINE_HEIGHT + 10
    placed = [Placed(Kind.ACTION, lines, Box(width - PAD - room / 2, PAD + tall / 2, room, tall))]
    bottom = PAD + tall
    for row in cell.rows:
        placed += _arranged_row(row, width - 2 * PAD, bottom + ROW_GAP)
        bottom = max(chip.box.bottom for chip in placed)
    return placed


def drawn_cell(cell: Cell, placed: Sequence[Placed], size: Size) -> Markup:
    """Return the cell with its upper left corner at the origin."""
    head, *chips = placed
    parts = (
        spoken(f"graph {cell.number + 1}: " + "; ".join(map(str, cell.graph.triplets))),
        element("rect", x=0, y=0, width=size.width, height=size.height, rx=3, fill="#ffffff", stroke="#999999"),
        lines_of_text((str(cell.number + 1),), PAD, head.box.y, size=SMALL, anchor="start", fill=PALE),
        _drawn_head(cell, head),
        *map(_drawn_chip, chips),
        *_drawn_hands(cell, size),
    )
    return element("g", *parts, class_="tsg-cell")


def _is_told_elsewhere(triplet: TypedTriplet, lone: Node | None) -> bool:
    """Return whether the cell's head or its hands say this already."""
    if triplet.edge == VERB and triplet.source == Node(Kind.PERSON, PERSON):
        return True
    return lone is not None and triplet.source == lone and triplet.target.kind is Kind.HAND


def _chips(triplet: TypedTriplet, lone: Node | None, many: int) -> tuple[Chip, ...]:
    """Return a triplet as chips; the source goes without saying where it is the graph's only action."""
    label = Chip(None, shown(triplet.edge) + (f" ×{many}" if many > 1 else ""))
    target = _chip(triplet.target)
    return (label, target) if triplet.source == lone else (_chip(triplet.source), label, target)


def _chip(node: Node) -> Chip:
    return Chip(node.kind, shown(node.name))


def _hand(hand: str, typed: Sequence[TypedTriplet], lone: Node | None) -> str:
    """Return the label of a hand: the action's edges to it, its name if other edges lead to it, else nothing."""
    node = Node(Kind.HAND, hand)
    labels = [shown(label) for source, label, target in typed if lone and source == lone and target == node]
    used = any(node in (source, target) for source, _, target in typed)
    return f"{', '.join(labels)} {hand}".strip() if used else ""


def _arranged_row(row: Sequence[Chip], room: float, top: float) -> Iterator[Placed]:
    x, bottom = 0.0, top
    for chip in row:
        lines = wrap(chip.text, room - chip.padding, NAME)
        width = max(text_width(line, NAME) for line in lines) + chip.padding
        height = len(lines) * NAME * LINE_HEIGHT + 5
        if x and x + width > room + SLACK:
            x, top = 0.0, bottom + LINE_GAP
        yield Placed(chip.kind, lines, Box(PAD + x + width / 2, top + height / 2, width, height))
        x, bottom = x + width, max(bottom, top + height)


def _drawn_head(cell: Cell, head: Placed) -> Markup:
    if not cell.graph.actions:
        return lines_of_text(head.lines, head.box.x, head.box.y, size=NAME, font_style="italic", fill=PALE)
    words = lines_of_text(head.lines, head.box.x, head.box.y, size=NAME, font_weight="bold")
    return element("g", outline(Kind.ACTION, head.box), words)


def _drawn_chip(chip: Placed) -> Markup:
    fill = PALE if chip.kind is None else INK
    words = lines_of_text(chip.lines, chip.box.x, chip.box.y, size=NAME, fill=fill)
    return words if chip.kind is None else element("g", outline(chip.kind, chip.box, stroke_width=1.2), words)


def _drawn_hands(cell: Cell, size: Size) -> Iterator[Markup]:
    """Yield both hands, always in the same places: filled where used, a dashed outline where not."""
    for place, (hand, use) in enumerate(zip(HANDS, cell.hands, strict=True)):
        y = size.height - LANES + place * (HAND + HAND_GAP) + HAND / 2
        box = Box(size.width / 2, y, size.width - 2 * PAD, HAND)
        words = lines_of_text((use or hand,), box.x, box.y, size=SMALL, fill=INK if use else PALE)
        look = USED if use else UNUSED
        yield element("g", outline(Kind.HAND, box, **look), words, class_="tsg-used" if use else "tsg-unused")
