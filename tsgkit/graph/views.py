"""Conversion of one graph to a typed networkx graph and back.

>>> from tsgkit.graph.model import ActionGraph
>>> graph = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"))
>>> view = to_networkx(graph)
>>> sorted(str(node) for node in view)
['action:screw', 'object:screw', 'person:person']
>>> from_networkx(view) == graph
True

A node of the view is a ``Node(kind, name)``. An edge carries ``label``, ``kind`` and ``order``, its position in the
written graph, so that parallel and repeated edges and their order are restored exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tsgkit.errors import NotationError
from tsgkit.graph.model import ActionGraph, Node, Triplet, Vocabulary, edge_kind

if TYPE_CHECKING:
    import networkx as nx

LABEL_KEYS = ("label", "relation", "edge")


def to_networkx(graph: ActionGraph, vocabulary: Vocabulary | None = None) -> nx.MultiDiGraph[Node]:
    """Return the graph as a MultiDiGraph whose nodes and edges know their kinds."""
    import networkx as nx

    view: nx.MultiDiGraph[Node] = nx.MultiDiGraph()
    for order, (source, label, target) in enumerate(graph.typed(vocabulary)):
        for node in (source, target):
            view.add_node(node, kind=str(node.kind), name=node.name)
        view.add_edge(source, target, label=label, kind=str(edge_kind(label)), order=order)
    return view


def from_networkx(view: nx.Graph[Any]) -> ActionGraph:
    """Return the graph a view shows; edges without an ``order`` keep the view's own order.

    Graphs of other tools are accepted: a node's name is its ``name`` or ``label``, else the node itself; an edge's its
    ``label``, ``relation`` or ``edge``.
    """
    if not view.is_directed():
        raise NotationError("an undirected graph: the source of an edge is ambiguous")
    edges = [
        (data.get("order", position), position, Triplet(_name(view, source), _label(data), _name(view, target)))
        for position, (source, target, data) in enumerate(view.edges(data=True))
    ]
    if all(isinstance(order, (int, float)) for order, _, _ in edges):
        edges.sort(key=lambda edge: edge[:2])
    return ActionGraph(triplet for _, _, triplet in edges)


def loose_nodes(view: nx.Graph[Any]) -> tuple[str, ...]:
    """Return the names of nodes without edges: a graph is its triplets, so these are not in it."""
    return tuple(str(_name(view, node)) for node in view if not view.degree(node))


def _name(view: nx.Graph[Any], node: object) -> str:
    if isinstance(node, Node):
        return node.name
    data = view.nodes[node]
    name = data.get("name", data.get("label", node))
    if not isinstance(name, str):
        raise NotationError(f"a node is named {name!r}, which is not text")
    return name


def _label(data: dict[str, object]) -> str:
    for key in LABEL_KEYS:
        if isinstance(label := data.get(key), str):
            return label
    raise NotationError("an edge has no label", hint=f"give each edge one of: {', '.join(LABEL_KEYS)}")
