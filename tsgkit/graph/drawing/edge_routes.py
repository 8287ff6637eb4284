"""Routes of edges in a drawing: from a node's side through the label to another node's side.

>>> from tsgkit.graph.drawing.layout import Link, Size, lay_out
>>> links = [Link(0, 1, Size(30, 18))]
>>> layout = lay_out([Size(60, 30), Size(80, 30)], starts=[0, 1], links=links)
>>> [course] = courses([Kind.PERSON, Kind.ACTION], links, layout)
>>> course.path.startswith("M60,"), course.end[0] == layout.nodes[1].left
(True, True)

Several edges at one side of a node are spread over its height in the order of their labels. An edge within one layer,
and a self loop, leaves on the right, touches its label and returns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from tsgkit.graph.drawing.layout import Box, Layout, Link
from tsgkit.graph.drawing.node_shapes import touch
from tsgkit.graph.drawing.svg import Markup, coordinate, polygon
from tsgkit.graph.model import Kind

HEAD, HALF_HEAD = 10.0, 4.0
SPREAD = 10.0
BRACKET = 5.0

Point = tuple[float, float]


class Course(NamedTuple):
    """The route of one edge: its path, its two ends, and whether it enters each node leftwards."""

    path: str
    start: Point
    end: Point
    start_leftwards: bool
    end_leftwards: bool


class _Port(NamedTuple):
    """The point on the side of a node where an edge ends."""

    x: float
    y: float
    right: bool


def courses(kinds: Sequence[Kind], links: Sequence[Link], layout: Layout) -> list[Course]:
    """Return the course of every link, in the order given."""
    ports = _ports(kinds, links, layout)
    return [_course(link, place, ports, layout) for place, link in enumerate(links)]


def arrow_head(tip: Point, leftwards: bool, **look: str | float) -> Markup:
    """Return a triangle whose tip touches the node."""
    x, y = tip
    back = x + (HEAD if leftwards else -HEAD)
    corners = ((x, y), (back, y - HALF_HEAD), (back, y + HALF_HEAD))
    return polygon(corners, **look)


def _ports(kinds: Sequence[Kind], links: Sequence[Link], layout: Layout) -> dict[tuple[int, int], _Port]:
    """Return the port of each (link, end), end being 0 for the source and 1 for the target."""
    sides = defaultdict[tuple[int, bool], list[tuple[float, int, int]]](list)
    for place, link in enumerate(links):
        for end, node in enumerate(link.ends):
            right = layout.node_columns[node] < layout.label_columns[place]
            sides[node, right].append((_aim(link, end, place, layout), place, end))
    ports = dict[tuple[int, int], _Port]()
    for (node, right), ends in sides.items():
        box = layout.nodes[node]
        for dy, (_, place, end) in zip(_spread(box, len(ends)), sorted(ends), strict=True):
            ports[place, end] = _Port(touch(kinds[node], box, dy=dy, right=right), box.y + dy, right)
    return ports


def _aim(link: Link, end: int, place: int, layout: Layout) -> float:
    """Return the height a line leaves its node for: its label's, or that half of it where this line touches it."""
    label = layout.labels[place].y
    if not _within_a_layer(link, layout):
        return label
    return label - BRACKET if _is_upper(link, end, layout) else label + BRACKET


def _spread(box: Box, count: int) -> list[float]:
    step = min(SPREAD, (box.height - 2 * HALF_HEAD) / max(1, count - 1))
    return [(place - (count - 1) / 2) * step for place in range(count)]


def _within_a_layer(link: Link, layout: Layout) -> bool:
    return layout.node_columns[link.source] == layout.node_columns[link.target]


def _is_upper(link: Link, end: int, layout: Layout) -> bool:
    """Return whether this end of a link within a layer is the upper one; the source is, in a self loop."""
    here, there = layout.nodes[link.ends[end]].y, layout.nodes[link.ends[1 - end]].y
    return (here, end) < (there, 1 - end)


def _course(link: Link, place: int, ports: dict[tuple[int, int], _Port], layout: Layout) -> Course:
    start, end = ports[place, 0], ports[place, 1]
    if _within_a_layer(link, layout):
        path = _there_and_back(link, place, start, end, layout)
    else:
        path = _across(link, place, start, end, layout)
    return Course(path, (start.x, start.y), (end.x, end.y), start.right, end.right)


def _across(link: Link, place: int, start: _Port, end: _Port, layout: Layout) -> str:
    """From one layer to the next, straight through the label's place."""
    span, y = layout.spans[layout.label_columns[place]], layout.labels[place].y
    near, far = (span.left, span.right) if start.right else (span.right, span.left)
    leave, enter = _lane(link.source, start, layout), _lane(link.target, end, layout)
    return " ".join(
        (_from(start), _to(leave), _bend(leave, start.y, near, y), _to(far), _bend(far, y, enter, end.y), _into(end))
    )


def _there_and_back(link: Link, place: int, start: _Port, end: _Port, layout: Layout) -> str:
    """Out to the label, around a half circle, and back to the same layer."""
    span, label = layout.spans[layout.label_columns[place]], layout.labels[place]
    below = 1 if _is_upper(link, 0, layout) else -1
    out, back, turn = label.y - below * BRACKET, label.y + below * BRACKET, label.left - BRACKET
    near, lane = min(span.left, turn), _lane(link.source, start, layout)
    half_circle = f"A{BRACKET:g},{BRACKET:g} 0 0 {int(below > 0)} {coordinate(turn)},{coordinate(back)}"
    there = (_from(start), _to(lane), _bend(lane, start.y, near, out), _to(turn))
    return " ".join((*there, half_circle, _to(near), _bend(near, back, lane, end.y), _into(end)))


def _lane(node: int, port: _Port, layout: Layout) -> float:
    """Return the border of the node's column on the side of the port, where lines begin to bend."""
    span = layout.spans[layout.node_columns[node]]
    return span.right if port.right else span.left


def _from(port: _Port) -> str:
    return f"M{coordinate(port.x)},{coordinate(port.y)}"


def _to(x: float) -> str:
    return f"H{coordinate(x)}"


def _into(port: _Port) -> str:
    """On to the back of the arrow head, or a little further, so that no gap shows."""
    return _to(port.x + (HEAD - 1 if port.right else 1 - HEAD))


def _bend(x: float, y: float, to_x: float, to_y: float) -> str:
    """Return a curve that leaves and arrives level."""
    middle = coordinate((x + to_x) / 2)
    return f"C{middle},{coordinate(y)} {middle},{coordinate(to_y)} {coordinate(to_x)},{coordinate(to_y)}"
