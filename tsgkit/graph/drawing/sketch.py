"""Nodes in the shapes of their kinds and marked edges between them as SVG, for drawings of one and of two graphs.

>>> edge = Edge(Node(Kind.ACTION, "open"), Node(Kind.OBJECT, "lid"), "dobj")
>>> drawn = sketch([edge])
>>> sum(part.count('class="tsg-node') for part in drawn.parts), drawn.size.width > 100
(2, True)

Each kind differs in shape and colour; colours are those of Okabe and Ito, which people with the common forms of colour
blindness can tell apart. Several edges at one side of a node are spread over its height in the order of their labels.
An edge within one layer, and a self loop, leaves on the right, touches its label and returns.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from tsgkit.graph.drawing.layout import DrawnBox, DrawnEdge, GraphLayout, Size, lay_out
from tsgkit.graph.drawing.svg import (
    INK,
    LINE_HEIGHT,
    LegendEntry,
    Markup,
    Sketch,
    coordinate,
    element,
    lines_of_text,
    polygon,
    spoken,
)
from tsgkit.graph.drawing.text import shown, text_width, visible, wrap
from tsgkit.graph.model import Kind, Node

ORANGE, GREEN, BLUE, VERMILION, PURPLE = "#e69f00", "#009e73", "#0072b2", "#d55e00", "#cc79a7"
COLOURS = {Kind.PERSON: PURPLE, Kind.ACTION: ORANGE, Kind.OBJECT: BLUE, Kind.HAND: GREEN}
PADDING = {Kind.PERSON: 16.0, Kind.ACTION: 18.0, Kind.OBJECT: 12.0, Kind.HAND: 18.0}
STARTS = {Kind.PERSON: 0, Kind.ACTION: 1, Kind.OBJECT: 2, Kind.HAND: 2}
SLANT = 12.0
ROUND = 17.0
SAMPLE = DrawnBox(19, 13, 38, 18)

NAME, LABEL, NOTE = 14.0, 12.5, 11.0
NODE_WRAP, LABEL_WRAP = 260.0, 220.0
NAME_PADDING, LABEL_PADDING = 8.0, 4.0
LEAST_WIDTH = 40.0
HEAD, HALF_HEAD = 10.0, 4.0
HEADS_AT_MOST = 8  # arrow heads a node grows for; more of them share the room
SPREAD = 10.0
BRACKET = 5.0


def outline(kind: Kind, box: DrawnBox, **look: str | float) -> Markup:
    """Return the shape of a kind, filled with a light tint of its colour."""
    style: dict[str, str | float] = {
        "fill": COLOURS[kind], "fill_opacity": "0.16", "stroke": COLOURS[kind], "stroke_width": 2, **look
    }  # fmt: skip
    if kind in (Kind.PERSON, Kind.OBJECT):
        rounding = min(ROUND, box.height / 2) if kind is Kind.PERSON else 0
        return element("rect", x=box.left, y=box.top, width=box.width, height=box.height, rx=rounding, **style)
    top, bottom, left, right = box.top, box.bottom, box.left + SLANT, box.right - SLANT
    hexagon = ((left, top), (right, top), (box.right, box.y), (right, bottom), (left, bottom), (box.left, box.y))
    slanted = ((left, top), (box.right, top), (right, bottom), (box.left, bottom))
    return polygon(hexagon if kind is Kind.ACTION else slanted, **style)


def touch(kind: Kind, box: DrawnBox, *, dy: float, right: bool) -> float:
    """Return where a horizontal line ``dy`` below the middle of the box meets the outline.

    >>> touch(Kind.OBJECT, DrawnBox(50, 10, 40, 20), dy=0, right=True)
    70.0
    >>> touch(Kind.ACTION, DrawnBox(50, 10, 40, 20), dy=10, right=False)  # a corner of the hexagon
    42.0
    """
    share, inset = dy / box.height, 0.0
    if kind is Kind.ACTION:
        inset = SLANT * 2 * abs(share)
    elif kind is Kind.HAND:
        inset = SLANT * (0.5 + share if right else 0.5 - share)
    elif kind is Kind.PERSON:
        radius = min(ROUND, box.height / 2)
        inset = radius - sqrt(radius**2 - max(0.0, abs(dy) - (box.height / 2 - radius)) ** 2)
    return box.right - inset if right else box.left + inset


def kind_entries(kinds: Iterable[Kind]) -> list[LegendEntry]:
    """Return the legend of those of the four kinds that occur."""
    occurring = set(kinds)
    return [LegendEntry(outline(kind, SAMPLE), kind.value) for kind in Kind if kind in occurring]


class Stroke(NamedTuple):
    """The style of a line."""

    colour: str = INK
    dashes: str = ""
    width: float = 1.6

    def line(self, path: str) -> Markup:
        """Return a path drawn so."""
        look: dict[str, str | float] = {"stroke": self.colour, "stroke_width": self.width, "fill": "none"}
        if self.dashes:
            look |= {"stroke_dasharray": self.dashes, "stroke_linecap": "round"}
        return element("path", d=path, **look)


PLAIN = Stroke()


@dataclass(frozen=True)
class Edge:
    """An edge to draw: its ends, its label, its tooltip, its stroke.

    ``other_way`` draws a hollow head at the source, where the arrow should have pointed.
    """

    source: Node
    target: Node
    label: str
    tooltip: str = ""
    stroke: Stroke = PLAIN
    other_way: bool = False


class _Words(NamedTuple):
    """A name broken into lines, with their size."""

    lines: tuple[str, ...]
    size: Size


class _Port(NamedTuple):
    """The point on the side of a node where an edge ends."""

    x: float
    y: float
    right: bool

    def arrow_head(self, **look: str | float) -> Markup:
        """Return a triangle whose tip touches the node."""
        back = self.x + (HEAD if self.right else -HEAD)
        return polygon(((self.x, self.y), (back, self.y - HALF_HEAD), (back, self.y + HALF_HEAD)), **look)


def sketch(edges: Sequence[Edge], notes: Mapping[Node, str] | None = None) -> Sketch:
    """Return the edges with all their nodes; ``notes`` are printed below the names of some nodes."""
    nodes = tuple(dict.fromkeys(node for edge in edges for node in (edge.source, edge.target)))
    place = {node: position for position, node in enumerate(nodes)}
    written = [(notes or {}).get(node, "") for node in nodes]
    kinds = [node.kind for node in nodes]
    names = [_words(shown(node.name), NODE_WRAP, NAME) for node in nodes]
    labels = [_words(edge.label, LABEL_WRAP, LABEL) for edge in edges]
    come, go = Counter(edge.target for edge in edges), Counter(edge.source for edge in edges)
    heads = [max(come[node], go[node]) for node in nodes]
    links = [
        DrawnEdge(place[edge.source], place[edge.target], Size(label.size.width + 2 * LABEL_PADDING, label.size.height))
        for edge, label in zip(edges, labels, strict=True)
    ]
    sizes = tuple(map(_node_size, kinds, names, written, heads))
    layout = lay_out(sizes, [STARTS[kind] for kind in kinds], links)
    ports = _ports(kinds, links, layout)
    lines = (_drawn_line(edge, number, ports, layout, links[number]) for number, edge in enumerate(edges))
    parts = (*lines, *map(_drawn_label, labels, layout.labels), *map(_drawn_node, nodes, names, written, layout.nodes))
    return Sketch(parts, layout.size)


def _words(text: str, width: float, size: float) -> _Words:
    lines = wrap(text, width, size)
    return _Words(lines, Size(max(text_width(line, size) for line in lines), len(lines) * size * LINE_HEIGHT))


def _node_size(kind: Kind, name: _Words, note: str, heads: int) -> Size:
    """Return the size of a node with its name, its note, and as many arrow heads at one side."""
    width = max(name.size.width, text_width(note, NOTE)) + 2 * PADDING[kind]
    height = name.size.height + 2 * NAME_PADDING + (NOTE * LINE_HEIGHT if note else 0.0)
    return Size(max(LEAST_WIDTH, width), max(height, min(heads, HEADS_AT_MOST) * SPREAD + 2 * HALF_HEAD))


def _drawn_node(node: Node, name: _Words, note: str, box: DrawnBox) -> Markup:
    parts = [spoken(f"{node.kind}: {visible(node.name)}" + (f" ({note})" if note else ""))]
    if note:
        parts += [
            outline(node.kind, box, stroke_dasharray="4 3"),
            lines_of_text(name.lines, box.x, box.y - NOTE * LINE_HEIGHT / 2, size=NAME),
            lines_of_text((note,), box.x, box.y + name.size.height / 2, size=NOTE, font_style="italic"),
        ]
    else:
        parts += [outline(node.kind, box), lines_of_text(name.lines, box.x, box.y, size=NAME)]
    return element("g", *parts, class_=f"tsg-node tsg-{node.kind}")


def _drawn_label(label: _Words, box: DrawnBox) -> Markup:
    """Return the label on a white ground, which interrupts its line."""
    ground = element("rect", x=box.left, y=box.top, width=box.width, height=box.height, fill="#ffffff")
    return element("g", ground, lines_of_text(label.lines, box.x, box.y, size=LABEL), class_="tsg-label")


# Routes: from a node's side through the label to another node's side


def _drawn_line(
    edge: Edge, number: int, ports: Mapping[tuple[int, int], _Port], layout: GraphLayout, link: DrawnEdge
) -> Markup:
    tooltip = edge.tooltip or f"{visible(edge.source.name)} -> {edge.label} -> {visible(edge.target.name)}"
    colour, start, end = edge.stroke.colour, ports[number, 0], ports[number, 1]
    path = _route(link, number, start, end, layout)
    parts = [spoken(tooltip), edge.stroke.line(path), end.arrow_head(fill=colour)]
    if edge.other_way:
        parts.append(start.arrow_head(fill="#ffffff", stroke=colour))
    return element("g", *parts, class_="tsg-edge")


def _ports(kinds: Sequence[Kind], links: Sequence[DrawnEdge], layout: GraphLayout) -> dict[tuple[int, int], _Port]:
    """Return the port of each (link, end), end being 0 for the source and 1 for the target."""
    sides = defaultdict[tuple[int, bool], list[tuple[float, int, int]]](list)
    for place, link in enumerate(links):
        for end, node in enumerate(link.ends):
            aim = layout.labels[place].y  # or that half of the label where a line within a layer touches it
            if _within_a_layer(link, layout):
                aim += -BRACKET if _is_upper(link, end, layout) else BRACKET
            right = layout.node_columns[node] < layout.label_columns[place]
            sides[node, right].append((aim, place, end))
    ports = dict[tuple[int, int], _Port]()
    for (node, right), ends in sides.items():
        box = layout.nodes[node]
        step = min(SPREAD, (box.height - 2 * HALF_HEAD) / max(1, len(ends) - 1))
        for rank, (_, place, end) in enumerate(sorted(ends)):
            dy = (rank - (len(ends) - 1) / 2) * step
            ports[place, end] = _Port(touch(kinds[node], box, dy=dy, right=right), box.y + dy, right)
    return ports


def _within_a_layer(link: DrawnEdge, layout: GraphLayout) -> bool:
    return layout.node_columns[link.source] == layout.node_columns[link.target]


def _is_upper(link: DrawnEdge, end: int, layout: GraphLayout) -> bool:
    """Return whether this end of a link within a layer is the upper one; the source is, in a self loop."""
    own, other = layout.nodes[link.ends[end]].y, layout.nodes[link.ends[1 - end]].y
    return (own, end) < (other, 1 - end)


def _route(link: DrawnEdge, number: int, start: _Port, end: _Port, layout: GraphLayout) -> str:
    """Return the path of an edge: straight through the label's place to the next layer, or around it and back."""
    span, label = layout.spans[layout.label_columns[number]], layout.labels[number]
    lanes = []  # the borders of the nodes' columns, where lines begin to bend
    for node, port in zip(link.ends, (start, end), strict=True):
        column = layout.spans[layout.node_columns[node]]
        lanes.append(column.right if port.right else column.left)
    first = [f"M{coordinate(start.x)},{coordinate(start.y)}", _to(lanes[0])]
    last = _to(end.x + (HEAD - 1 if end.right else 1 - HEAD))  # a little into the arrow head, so that no gap shows
    if not _within_a_layer(link, layout):
        near, far = (span.left, span.right) if start.right else (span.right, span.left)
        across = (_bend(lanes[0], start.y, near, label.y), _to(far), _bend(far, label.y, lanes[1], end.y))
        return " ".join((*first, *across, last))
    below = 1 if _is_upper(link, 0, layout) else -1
    out, back, turn = label.y - below * BRACKET, label.y + below * BRACKET, label.left - BRACKET
    near = min(span.left, turn)
    half_circle = f"A{BRACKET:g},{BRACKET:g} 0 0 {int(below > 0)} {coordinate(turn)},{coordinate(back)}"
    around = (
        _bend(lanes[0], start.y, near, out),
        _to(turn),
        half_circle,
        _to(near),
        _bend(near, back, lanes[0], end.y),
    )
    return " ".join((*first, *around, last))


def _to(x: float) -> str:
    return f"H{coordinate(x)}"


def _bend(x: float, y: float, to_x: float, to_y: float) -> str:
    """Return a curve that leaves and arrives level."""
    middle = coordinate((x + to_x) / 2)
    return f"C{middle},{coordinate(y)} {middle},{coordinate(to_y)} {coordinate(to_x)},{coordinate(to_y)}"
