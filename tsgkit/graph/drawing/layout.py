"""Layout of a drawing: layers from left to right, with a separate place for every label.

>>> layout = lay_out([Size(60, 30), Size(80, 30)], starts=[0, 1], links=[DrawnEdge(0, 1, Size(30, 18))])
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

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


class DrawnBox(NamedTuple):
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


class DrawnEdge(NamedTuple):
    """An edge by the numbers of its end nodes, and the size of its label."""

    source: int
    target: int
    label: Size

    @property
    def ends(self) -> tuple[int, int]:
        """Source and target."""
        return self.source, self.target


class ColumnSpan(NamedTuple):
    """The left and right border of a column."""

    left: float
    right: float


@dataclass(frozen=True)
class GraphLayout:
    """The boxes of nodes and labels, their columns, and the total size."""

    nodes: tuple[DrawnBox, ...]
    labels: tuple[DrawnBox, ...]
    node_columns: tuple[int, ...]
    label_columns: tuple[int, ...]
    spans: dict[int, ColumnSpan]
    size: Size


def lay_out(nodes: Sequence[Size], starts: Sequence[int], links: Sequence[DrawnEdge]) -> GraphLayout:
    """Find a place for every node and every label; ``starts`` says in which layer each node would be a root."""
    count = len(nodes)
    layers, parts = _layers(starts, links)
    columns = [2 * layer for layer in layers]
    columns += [2 * min(layers[link.source], layers[link.target]) + 1 for link in links]
    sizes = [*nodes, *(link.label for link in links)]
    items = list(map(sorted, parts))  # nodes and labels of each part, the labels numbered on from the nodes
    part_of = {node: number for number, part in enumerate(parts) for node in part}
    before, after = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for label, link in enumerate(links, count):
        items[part_of[link.source]].append(label)
        for node in link.ends:
            left, right = (node, label) if columns[node] < columns[label] else (label, node)
            before[right].append(left)
            after[left].append(right)
    y, offset = [0.0] * len(sizes), 0.0
    for part in items:
        by_column = defaultdict[int, list[int]](list)
        for item in part:
            by_column[columns[item]].append(item)
        in_order = sorted(by_column)
        for pulls, order in ((before, in_order), (after, in_order[::-1])) * 2:
            for column in order:
                by_column[column] = _swept(by_column[column], pulls, sizes, y, LABEL_GAP if column % 2 else GAP)
        top = min(y[item] - sizes[item].height / 2 for item in part)
        for item in part:
            y[item] = y[item] - top + offset
        offset = max(y[item] + sizes[item].height / 2 for item in part) + PART_GAP
    spans = _spans(columns, sizes, y, links, count)
    boxes = tuple(
        DrawnBox((spans[column].left + spans[column].right) / 2, middle, *size)
        for column, middle, size in zip(columns, y, sizes, strict=True)
    )
    size = Size(max((span.right for span in spans.values()), default=0.0), max(0.0, offset - PART_GAP))
    return GraphLayout(boxes[:count], boxes[count:], tuple(columns[:count]), tuple(columns[count:]), spans, size)


def _layers(starts: Sequence[int], links: Sequence[DrawnEdge]) -> tuple[list[int], list[list[int]]]:
    """Return the layer of each node, and the nodes of each connected part."""
    neighbours = defaultdict[int, list[int]](list)
    entered = set[int]()
    for link in links:
        neighbours[link.source].append(link.target)
        neighbours[link.target].append(link.source)
        entered.add(link.target)
    layers, parts = [-1] * len(starts), list[list[int]]()
    for root in sorted(range(len(starts)), key=lambda node: (starts[node], node in entered, node)):
        if layers[root] >= 0:
            continue
        layers[root], part = starts[root], [root]
        for node in part:  # which grows while it is read
            for other in neighbours[node]:
                if layers[other] < 0:
                    layers[other] = layers[node] + 1
                    part.append(other)
        parts.append(part)
    return layers, parts


def _swept(
    items: Sequence[int], pulls: Mapping[int, Sequence[int]], sizes: Sequence[Size], y: list[float], gap: float
) -> list[int]:
    """Move a column's items towards the middle of their neighbours on one side; return them in their new order."""
    around = {item: pulls.get(item) or (item,) for item in items}
    wanted = {item: sum(y[other] for other in others) / len(others) for item, others in around.items()}
    order = sorted(items, key=lambda item: (wanted[item], y[item]))
    places = settle([wanted[item] for item in order], [sizes[item].height for item in order], gap)
    for item, place in zip(order, places, strict=True):
        y[item] = place
    return order


def settle(wanted: Sequence[float], heights: Sequence[float], gap: float) -> list[float]:
    """Return the places nearest to those wanted (least squares) at which things in this order do not overlap.

    >>> settle([0, 0, 50], [10, 10, 10], gap=2)
    [-6.0, 6.0, 50.0]
    """
    offsets = [0.0]
    for upper, lower in pairwise(heights):
        offsets.append(offsets[-1] + (upper + lower) / 2 + gap)
    blocks = list[tuple[float, int]]()  # (mean, how many) of what has been pushed together
    for want, offset in zip(wanted, offsets, strict=False):
        mean, many = want - offset, 1
        while blocks and blocks[-1][0] >= mean:
            above, more = blocks.pop()
            mean, many = (mean * many + above * more) / (many + more), many + more
        blocks.append((mean, many))
    level = [mean for mean, many in blocks for _ in range(many)]
    return [mean + offset for mean, offset in zip(level, offsets, strict=False)]


def _spans(
    columns: Sequence[int], sizes: Sequence[Size], y: Sequence[float], links: Sequence[DrawnEdge], count: int
) -> dict[int, ColumnSpan]:
    """Return the borders of every column that holds something; steep lines get wider lanes on its right."""
    widths, rises = defaultdict[int, float](float), defaultdict[int, float](float)
    for column, size in zip(columns, sizes, strict=True):
        widths[column] = max(widths[column], size.width)
    for label, link in enumerate(links, count):
        for node in link.ends:
            left = min(columns[node], columns[label])
            rises[left] = max(rises[left], abs(y[node] - y[label]))
    spans, x = dict[int, ColumnSpan](), 0.0
    for column in sorted(widths):
        spans[column] = ColumnSpan(x, x + widths[column])
        x += widths[column] + min(LANE + LANE_PER_HEIGHT * rises[column], LANE_AT_MOST)
    return spans
