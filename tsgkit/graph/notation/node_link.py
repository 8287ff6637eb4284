"""Node-link JSON, as networkx and many browser libraries use it: a list of ``{"nodes": [...], "edges": [...]}``.

>>> from tsgkit.graph.model import ActionGraph
>>> graph = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"))
>>> parse(write([graph])) == (graph,)
True

Nodes have the ids ``kind:name``; each also says its kind and name, each edge its label, kind and order. Exact both
ways; files of others are read too (``links`` for ``edges``; a node without a name is called by its id).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tsgkit.errors import NotationError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.notation.json_triplets import kind_of, load
from tsgkit.graph.notation.limits import not_text, refuse
from tsgkit.graph.views import from_networkx, loose_nodes, to_networkx


def parse(text: str) -> tuple[ActionGraph, ...]:
    """Return the graphs of a node-link JSON text: one object, or a list of them."""
    return from_value(load(text))


def from_value(value: object) -> tuple[ActionGraph, ...]:
    """Return the graphs of a JSON value already loaded."""
    items = value if isinstance(value, list) else [value]
    return tuple(graph_from(item, f"graph {number}") for number, item in enumerate(items, 1))


def is_node_link(value: object) -> bool:
    """Return whether a JSON value looks like one node-link graph."""
    return isinstance(value, dict) and isinstance(value.get("nodes"), list) and _edges_key(value) is not None


def graph_from(value: object, place: str) -> ActionGraph:
    """Return one graph of a node-link object; ``place`` is how an error names it."""
    return read_one(value, place)[0]


def read_one(value: object, place: str) -> tuple[ActionGraph, tuple[str, ...]]:
    """Return one graph of a node-link object, and the names of its nodes without edges."""
    import networkx as nx

    if not isinstance(value, dict) or not is_node_link(value):
        raise NotationError(f"{place}: expected an object with nodes and edges, found {kind_of(value)}")
    key = _edges_key(value)
    if not all(isinstance(item, dict) for item in (*value["nodes"], *value[str(key)])):
        raise NotationError(f"{place}: every node and every edge is an object")
    try:
        view: Any = nx.node_link_graph(value, directed=True, multigraph=True, edges=str(key))
        return from_networkx(view), loose_nodes(view)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError, nx.NetworkXException) as error:
        raise NotationError(f"{place}: not a node-link graph: {type(error).__name__} {error}") from None


def _edges_key(value: dict[str, object]) -> str | None:
    return next((key for key in ("edges", "links") if isinstance(value.get(key), list)), None)


def write(graphs: Iterable[ActionGraph], vocabulary: Vocabulary | None = None) -> str:
    """Return a JSON list of node-link objects, one a line."""
    graphs = tuple(graphs)
    refuse(graphs, "node-link JSON", not_text)
    lines = (json.dumps(to_value(graph, vocabulary), ensure_ascii=False) for graph in graphs)
    return "[\n  " + ",\n  ".join(lines) + "\n]\n" if graphs else "[]\n"


def to_value(graph: ActionGraph, vocabulary: Vocabulary | None = None) -> dict[str, object]:
    """Return the node-link object of one graph."""
    import networkx as nx

    view: Any = nx.relabel_nodes(to_networkx(graph, vocabulary), str)
    value: dict[str, object] = nx.node_link_data(view, edges="edges")
    return value
