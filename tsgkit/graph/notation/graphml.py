"""GraphML for graph editors such as yEd and Gephi: one ``<graph>`` element per graph. Lossless in both directions.

>>> from tsgkit.graph.model import ActionGraph
>>> graph = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"))
>>> parse(write([graph])) == (graph,)
True

XML cannot represent control characters, so names with them are refused. Entity definitions are refused when reading:
they can expand to enormous sizes, and GraphML does not need them.

networkx reads; we write, because networkx's writer repeats the data of every earlier graph in a file.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tsgkit.errors import NotationError
from tsgkit.graph.model import ActionGraph, Vocabulary, edge_kind
from tsgkit.graph.notation.limits import not_printable, refuse
from tsgkit.graph.views import from_networkx, loose_nodes

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
KEYS = {"node": {"name": "string", "kind": "string"}, "edge": {"label": "string", "kind": "string", "order": "int"}}


def parse(text: str) -> tuple[ActionGraph, ...]:
    """Return the graphs of a GraphML text."""
    return tuple(graph for graph, _ in read_all(text))


def read_all(text: str) -> tuple[tuple[ActionGraph, tuple[str, ...]], ...]:
    """Return the graphs of a GraphML text, each with the names of its nodes without edges."""
    from xml.etree.ElementTree import ParseError

    import networkx as nx
    from networkx.readwrite.graphml import GraphMLReader

    if "<!ENTITY" in text:
        raise NotationError("GraphML with entity definitions is not read")
    reader: Any = GraphMLReader(node_type=str)
    reader.multigraph = True  # else it looks through the edges of all earlier graphs for every graph
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of keys without a type, which are texts
            graphs = tuple((from_networkx(view), loose_nodes(view)) for view in reader(string=text))
    except ParseError as error:
        raise NotationError(f"not well-formed XML: {error.msg}", line=error.position[0]) from None
    except (nx.NetworkXException, KeyError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise NotationError(f"not GraphML that can be read: {type(error).__name__}: {error}") from None
    if reader.xml.tag != f"{{{NAMESPACE}}}graphml":
        raise NotationError(f"expected a <graphml> document of {NAMESPACE}, found <{reader.xml.tag}>")
    return graphs


def write(graphs: Iterable[ActionGraph], vocabulary: Vocabulary | None = None) -> str:
    """Return the GraphML text of these graphs."""
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    graphs = tuple(graphs)
    refuse(graphs, "GraphML", not_printable)
    root = Element("graphml", {"xmlns": NAMESPACE})
    for owner, names in KEYS.items():
        for name, type_name in names.items():
            key = {"id": f"{owner}-{name}", "for": owner, "attr.name": name, "attr.type": type_name}
            SubElement(root, "key", key)
    for number, graph in enumerate(graphs):
        element = SubElement(root, "graph", {"id": f"g{number}", "edgedefault": "directed"})
        ids = {node: f"n{position}" for position, node in enumerate(graph.nodes(vocabulary))}
        for node, node_id in ids.items():
            child = SubElement(element, "node", {"id": node_id})
            _add_data(child, "node", {"name": node.name, "kind": str(node.kind)})
        for order, (source, label, target) in enumerate(graph.typed(vocabulary)):
            child = SubElement(element, "edge", {"id": f"e{order}", "source": ids[source], "target": ids[target]})
            _add_data(child, "edge", {"label": label, "kind": str(edge_kind(label)), "order": str(order)})
    indent(root)
    return "<?xml version='1.0' encoding='utf-8'?>\n" + tostring(root, encoding="unicode") + "\n"


def _add_data(element: Element, owner: str, data: dict[str, str]) -> None:
    from xml.etree.ElementTree import SubElement

    for name, value in data.items():
        SubElement(element, "data", {"key": f"{owner}-{name}"}).text = value
