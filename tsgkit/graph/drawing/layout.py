"""Layout of a drawing: layers from left to right, with a separate place for every label.

>>> layout = lay_out([Size(60, 30), Size(80, 30)], starts=[0, 1], links=[Link(0, 1, Size(30, 18))])
>>> [box.x < layout.labels[0].x for box in layout.nodes], layout.nodes[0].y == layout.nodes[1].y
([True, False], True)

Each connected component is layered by distance from its root, the node with the lowest start (the person, else an
action). Distances ignore the direction of edges, so an edge joins neighbouring layers or two nodes of one layer.
Between two layers is a column for labels with one place for each edge, and each edge passes through the place of its
own label only. Therefore only edges can cross, and only between columns.

Heights result from a few sweeps that move each box towards its neighbours and then resolve overlaps. The time is linear
in the number of edges, except for sorting.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

GAP = 14.0
LABEL_GAP = 6.0
PART_GAP = 34.0
LANE, LANE_PER_HEIGHT, LANE_AT_MOST = 26.0, 0.12, 130.0


class Size(NamedTuple):
    """A width and a height."""

    width: float
    height: float


class Box(NamedTuple):
    """A rectangle by its centre."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        """The left border."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """The right border."""
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        """The upper border."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """The lower border."""
        return self.y + self.height / 2


class Link(NamedTuple):
    """An edge by the numbers of its end nodes, and the size of its label."""

    source: int
    target: int
    label: Size

    @property
    def ends(self) -> tuple[int, int]:
        """Source and target."""
        return self.source, self.target


class Span(NamedTuple):
    """The left and right border of a column."""

    left: float
    right: float


@dataclass(frozen=True)
class Layout:
    """The boxes of nodes and labels, their columns, and the total size."""

    nodes: tuple[Box, ...]
    labels: tuple[Box, ...]
    node_columns: tuple[int, ...]
    label_columns: tuple[int, ...]
    spans: dict[int, Span]
    size: Size


def lay_out(nodes: Sequence[Size], starts: Sequence[int], links: Sequence[Link]) -> Layout:
    """Find a place for every node and every label; ``starts`` says in which layer each node would be a root."""
    layers, parts = _layers(starts, links)
    columns = [2 * layer for layer in layers]
    columns += [2 * min(layers[link.source], layers[link.target]) + 1 for link in links]
    sizes = [*nodes, *(link.label for link in links)]
    heights, offset = [0.0] * len(sizes), 0.0
    for part in _parts_with_links(parts, links, len(nodes)):
        offset = _Part.of(part, columns, sizes, links, len(nodes)).stack(heights, offset) + PART_GAP
    spans = _spans(columns, sizes, _rises(columns, heights, links, len(nodes)))
    boxes = tuple(
        Box((spans[column].left + spans[column].right) / 2, y, *size)
        for column, y, size in zip(columns, heights, sizes, strict=True)
    )
    size = Size(max((span.right for span in spans.values()), default=0.0), max(0.0, offset - PART_GAP))
    count = len(nodes)
    return Layout(boxes[:count], boxes[count:], tuple(columns[:count]), tuple(columns[count:]), spans, size)


def _layers(starts: Sequence[int], links: Sequence[Link]) -> tuple[list[int], list[list[int]]]:
    """Return the layer of each node, and the connected parts, each in the order its nodes were reached."""
    neighbours = defaultdict[int, list[int]](list)
    entered = set[int]()
    for link in links:
        neighbours[link.source].append(link.target)
        neighbours[link.target].append(link.source)
        entered.add(link.target)
    layers, parts = [-1] * len(starts), list[list[int]]()
    for root in sorted(range(len(starts)), key=lambda node: (starts[node], node in entered, node)):
        if layers[root] < 0:
            layers[root] = starts[root]
            parts.append(list(_reach(root, neighbours, layers)))
    return layers, parts


def _reach(root: int, neighbours: dict[int, list[int]], layers: list[int]) -> Iterator[int]:
    waiting = deque([root])
    while waiting:
        node = waiting.popleft()
        yield node
        for other in neighbours.get(node, ()):
            if layers[other] < 0:
                layers[other] = layers[node] + 1
                waiting.append(other)


def _parts_with_links(parts: Iterable[list[int]], links: Sequence[Link], count: int) -> Iterator[list[int]]:
    """Yield each part's nodes in written order, then its links, numbered on from the nodes."""
    by_source = defaultdict[int, list[int]](list)
    for place, link in enumerate(links):
        by_source[link.source].append(count + place)
    for part in parts:
        yield [*sorted(part), *sorted(item for node in part for item in by_source[node])]


@dataclass
class _Part:
    """A connected component: its items (nodes, then labels) by column, and their neighbours on each side."""

    columns: dict[int, list[int]]
    sizes: Sequence[Size]
    before: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    after: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    y: dict[int, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls, items: Sequence[int], columns: Sequence[int], sizes: Sequence[Size], links: Sequence[Link], count: int
    ) -> _Part:
        """Return the part these items make up."""
        by_column = defaultdict[int, list[int]](list)
        for item in items:
            by_column[columns[item]].append(item)
        part = cls(dict(sorted(by_column.items())), sizes, y=dict.fromkeys(items, 0.0))
        for label in (item for item in items if item >= count):
            for node in links[label - count].ends:
                left, right = (node, label) if columns[node] < columns[label] else (label, node)
                part.before[right].append(left)
                part.after[left].append(right)
        return part

    def stack(self, heights: list[float], offset: float) -> float:
        """Settle every item, write its height into ``heights`` from ``offset`` down, and say where the part ends."""
        self._sweep(self.columns, self.before)
        self._sweep(reversed(self.columns), self.after)
        self._sweep(self.columns, self.before)
        self._sweep(reversed(self.columns), self.after)
        top = min(y - self.sizes[item].height / 2 for item, y in self.y.items())
        for item, y in self.y.items():
            heights[item] = y - top + offset
        return max(heights[item] + self.sizes[item].height / 2 for item in self.y)

    def _sweep(self, columns: Iterable[int], pulls: dict[int, list[int]]) -> None:
        """Pull every column's items towards the middle of their neighbours on one side, and push them apart."""
        for column in columns:
            wanted = {item: self._middle(pulls.get(item) or (item,)) for item in self.columns[column]}
            order = sorted(self.columns[column], key=lambda item: (wanted[item], self.y[item]))
            gap = LABEL_GAP if column % 2 else GAP
            places = settle([wanted[item] for item in order], [self.sizes[item].height for item in order], gap)
            self.columns[column] = order
            self.y.update(zip(order, places, strict=True))

    def _middle(self, items: Sequence[int]) -> float:
        return sum(self.y[item] for item in items) / len(items)


def settle(wanted: Sequence[float], heights: Sequence[float], gap: float) -> list[float]:
    """Return the places nearest to those wanted (least squares) at which things in this order do not overlap.

    >>> settle([0, 0, 50], [10, 10, 10], gap=2)
    [-6.0, 6.0, 50.0]
    """
    offsets = [0.0]
    for one, other in pairwise(heights):
        offsets.append(offsets[-1] + (one + other) / 2 + gap)
    blocks = list[tuple[float, int]]()  # (mean, how many) of what has been pushed together
    for want, offset in zip(wanted, offsets, strict=False):
        mean, many = want - offset, 1
        while blocks and blocks[-1][0] >= mean:
            above, more = blocks.pop()
            mean, many = (mean * many + above * more) / (many + more), many + more
        blocks.append((mean, many))
    level = [mean for mean, many in blocks for _ in range(many)]
    return [mean + offset for mean, offset in zip(level, offsets, strict=False)]


def _rises(columns: Sequence[int], heights: Sequence[float], links: Sequence[Link], count: int) -> dict[int, float]:
    """By the column on its left, how far the steepest line between two columns climbs."""
    rises = defaultdict[int, float](float)
    for place, link in enumerate(links):
        label = count + place
        for node in link.ends:
            left = min(columns[node], columns[label])
            rises[left] = max(rises[left], abs(heights[node] - heights[label]))
    return rises


def _spans(columns: Sequence[int], sizes: Sequence[Size], rises: dict[int, float]) -> dict[int, Span]:
    """Return the borders of every column that holds something; steep lines get wider lanes."""
    widths = defaultdict[int, float](float)
    for column, size in zip(columns, sizes, strict=True):
        widths[column] = max(widths[column], size.width)
    spans, x = dict[int, Span](), 0.0
    for column in sorted(widths):
        spans[column] = Span(x, x + widths[column])
        x += widths[column] + min(LANE + LANE_PER_HEIGHT * rises.get(column, 0.0), LANE_AT_MOST)
    return spans
