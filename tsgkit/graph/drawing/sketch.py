"""Nodes and marked edges as SVG, shared by drawings of one and of two graphs.

>>> edge = Edge(Node(Kind.ACTION, "open"), Node(Kind.OBJECT, "lid"), "dobj")
>>> drawn = sketch([edge])
>>> sum(part.count('class="tsg-node') for part in drawn.parts), drawn.size.width > 100
(2, True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tsgkit.graph.drawing.document import Sketch
from tsgkit.graph.drawing.edge_routes import HALF_HEAD, SPREAD, Course, arrow_head, courses
from tsgkit.graph.drawing.layout import Box, Link, Size, lay_out
from tsgkit.graph.drawing.node_shapes import PADDING, outline
from tsgkit.graph.drawing.svg import INK, LINE_HEIGHT, Markup, element, lines_of_text, spoken
from tsgkit.graph.drawing.text import shown, text_width, visible, wrap
from tsgkit.graph.model import Kind, Node

NAME, LABEL, NOTE = 14.0, 12.5, 11.0
NODE_WRAP, LABEL_WRAP = 260.0, 220.0
NAME_PADDING, LABEL_PADDING = 8.0, 4.0
LEAST_WIDTH = 40.0
HEADS_AT_MOST = 8  # arrow heads a node grows for; more of them share the room
STARTS = {Kind.PERSON: 0, Kind.ACTION: 1, Kind.OBJECT: 2, Kind.HAND: 2}


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
    told: str = ""
    stroke: Stroke = PLAIN
    other_way: bool = False


class _Words(NamedTuple):
    """A name broken into lines, with their size."""

    lines: tuple[str, ...]
    size: Size


def sketch(edges: Sequence[Edge], notes: Mapping[Node, str] | None = None) -> Sketch:
    """Return the edges with all their nodes; ``notes`` are printed below the names of some nodes."""
    nodes = tuple(dict.fromkeys(node for edge in edges for node in (edge.source, edge.target)))
    written = [(notes or {}).get(node, "") for node in nodes]
    kinds = [node.kind for node in nodes]
    names = [_words(shown(node.name), NODE_WRAP, NAME) for node in nodes]
    labels = [_words(edge.label, LABEL_WRAP, LABEL) for edge in edges]
    sizes = map(_node_size, kinds, names, written, _heads(nodes, edges))
    links = _links(nodes, edges, labels)
    layout = lay_out(tuple(sizes), [STARTS[kind] for kind in kinds], links)
    lines = map(_drawn_line, edges, courses(kinds, links, layout))
    parts = (*lines, *map(_drawn_label, labels, layout.labels), *map(_drawn_node, nodes, names, written, layout.nodes))
    return Sketch(parts, layout.size)


def _words(text: str, width: float, size: float) -> _Words:
    lines = wrap(text, width, size)
    return _Words(lines, Size(max(text_width(line, size) for line in lines), len(lines) * size * LINE_HEIGHT))


def _links(nodes: Sequence[Node], edges: Sequence[Edge], labels: Sequence[_Words]) -> list[Link]:
    place = {node: position for position, node in enumerate(nodes)}
    return [
        Link(place[edge.source], place[edge.target], Size(label.size.width + 2 * LABEL_PADDING, label.size.height))
        for edge, label in zip(edges, labels, strict=True)
    ]


def _heads(nodes: Sequence[Node], edges: Sequence[Edge]) -> list[int]:
    """Return how many lines may meet at one side of each node: those that come, or those that go."""
    come, go = Counter(edge.target for edge in edges), Counter(edge.source for edge in edges)
    return [max(come[node], go[node]) for node in nodes]


def _node_size(kind: Kind, name: _Words, note: str, heads: int) -> Size:
    """Return the size of a node with its name, its note, and arrow heads above each other."""
    width = max(name.size.width, text_width(note, NOTE)) + 2 * PADDING[kind]
    height = name.size.height + 2 * NAME_PADDING + (NOTE * LINE_HEIGHT if note else 0.0)
    return Size(max(LEAST_WIDTH, width), max(height, min(heads, HEADS_AT_MOST) * SPREAD + 2 * HALF_HEAD))


def _drawn_node(node: Node, name: _Words, note: str, box: Box) -> Markup:
    told = f"{node.kind}: {visible(node.name)}"
    parts = [spoken(f"{told} ({note})" if note else told)]
    if note:
        parts += [
            outline(node.kind, box, stroke_dasharray="4 3"),
            lines_of_text(name.lines, box.x, box.y - NOTE * LINE_HEIGHT / 2, size=NAME),
            lines_of_text((note,), box.x, box.y + name.size.height / 2, size=NOTE, font_style="italic"),
        ]
    else:
        parts += [outline(node.kind, box), lines_of_text(name.lines, box.x, box.y, size=NAME)]
    return element("g", *parts, class_=f"tsg-node tsg-{node.kind}")


def _drawn_label(label: _Words, box: Box) -> Markup:
    """Return the label on a white ground, which interrupts its line."""
    ground = element("rect", x=box.left, y=box.top, width=box.width, height=box.height, fill="#ffffff")
    return element("g", ground, lines_of_text(label.lines, box.x, box.y, size=LABEL), class_="tsg-label")


def _drawn_line(edge: Edge, course: Course) -> Markup:
    told = edge.told or f"{visible(edge.source.name)} -> {edge.label} -> {visible(edge.target.name)}"
    colour = edge.stroke.colour
    parts = [
        spoken(told),
        edge.stroke.line(course.path),
        arrow_head(course.end, course.end_leftwards, fill=colour),
    ]
    if edge.other_way:
        parts.append(arrow_head(course.start, course.start_leftwards, fill="#ffffff", stroke=colour))
    return element("g", *parts, class_="tsg-edge")
