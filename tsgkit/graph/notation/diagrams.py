"""Graphviz DOT and Mermaid, for documents. Written only.

>>> from tsgkit.graph.model import ActionGraph
>>> graph = ActionGraph.of(("person", "verb", "wash"))
>>> print(write_mermaid([graph]), end="")
flowchart LR
  subgraph g0 ["graph 1"]
    g0n0(["person"])
    g0n1["wash"]
    g0n0 -- "verb" --> g0n1
  end
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tsgkit.graph.model import ActionGraph, Kind, Vocabulary
from tsgkit.graph.notation.limits import not_printable, refuse

DOT_SHAPES = {Kind.PERSON: "oval", Kind.ACTION: "box", Kind.OBJECT: "ellipse", Kind.HAND: "diamond"}
MERMAID_SHAPES = {
    Kind.PERSON: '(["{}"])',
    Kind.ACTION: '["{}"]',
    Kind.OBJECT: '("{}")',
    Kind.HAND: '{{"{}"}}',
}
MERMAID_CODES = {letter: f"#{ord(letter)};" for letter in '#"<>&`\\;'}


def write_dot(graphs: Iterable[ActionGraph], vocabulary: Vocabulary | None = None) -> str:
    """Return a DOT digraph with one cluster per graph."""
    graphs = tuple(graphs)
    refuse(graphs, "DOT", not_printable)
    lines = ["digraph tsg {", "  rankdir=LR;"]
    for number, graph in enumerate(graphs):
        lines += [f"  subgraph cluster_{number} {{", f'    label="graph {number + 1}";']
        lines += _lines(graph, vocabulary, number, _dot_node, _dot_edge)
        lines.append("  }")
    return "\n".join([*lines, "}", ""])


def write_mermaid(graphs: Iterable[ActionGraph], vocabulary: Vocabulary | None = None) -> str:
    """Return a Mermaid flowchart with one subgraph per graph."""
    graphs = tuple(graphs)
    refuse(graphs, "Mermaid", not_printable)
    lines = ["flowchart LR"]
    for number, graph in enumerate(graphs):
        lines.append(f'  subgraph g{number} ["graph {number + 1}"]')
        lines += _lines(graph, vocabulary, number, _mermaid_node, _mermaid_edge)
        lines.append("  end")
    return "\n".join([*lines, ""])


def _lines(
    graph: ActionGraph,
    vocabulary: Vocabulary | None,
    number: int,
    node_line: Callable[[str, Kind, str], str],
    edge_line: Callable[[str, str, str], str],
) -> Iterator[str]:
    ids = {node: f"g{number}n{position}" for position, node in enumerate(graph.nodes(vocabulary))}
    for node, node_id in ids.items():
        yield "    " + node_line(node_id, node.kind, node.name)
    for source, label, target in graph.typed(vocabulary):
        yield "    " + edge_line(ids[source], label, ids[target])


def _dot_node(node_id: str, kind: Kind, name: str) -> str:
    return f"{node_id} [label={_dot_text(name)}, shape={DOT_SHAPES[kind]}];"


def _dot_edge(source: str, label: str, target: str) -> str:
    return f"{source} -> {target} [label={_dot_text(label)}];"


def _dot_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _mermaid_node(node_id: str, kind: Kind, name: str) -> str:
    return node_id + MERMAID_SHAPES[kind].format(_mermaid_text(name))


def _mermaid_edge(source: str, label: str, target: str) -> str:
    return f'{source} -- "{_mermaid_text(label)}" --> {target}'


def _mermaid_text(text: str) -> str:
    return "".join(MERMAID_CODES.get(letter, letter) for letter in text) or " "
