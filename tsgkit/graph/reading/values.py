"""What a JSON value holds: triplets as lists or objects, graphs as lists of them, under whatever names.

>>> cup = {"source": "wash", "edge": "dobj", "target": "cup"}
>>> holding = look({"graphs": [{"triplets": [["person", "verb", "wash"], cup]}]})
>>> [[str(triplet) for triplet in graph] for graph in holding.graphs]
[['person -> verb -> wash', 'wash -> dobj -> cup']]
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.lines import understand

DEEPEST = 20
ENDS = (
    ("source", "subject", "head", "from", "node1", "start"),
    ("edge", "relation", "relationship", "predicate", "label", "type"),
    ("target", "object", "tail", "to", "node2", "end"),
)


@dataclass
class Holding:
    """The graphs found in a value, whether the value was a lone triplet, and how many parts were no triplets."""

    graphs: list[list[Triplet]] = field(default_factory=list)
    is_triplet: bool = False
    ignored: int = 0


def look(value: object) -> Holding:
    """All graphs in a JSON value; a list that mixes triplets with other lists is read in order."""
    holding = Holding()
    if lone := triplets_of(value):
        holding.graphs, holding.is_triplet = [lone], True
    else:
        _walk(value, holding, 0)
    return holding


def triplets_of(value: object) -> list[Triplet]:
    """The triplets a value is by itself: a list of three, an object with two ends and a label, or an arrow line."""
    if isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) for part in value):
        return [Triplet(*(part.strip() for part in value))] if not any("->" in part for part in value) else []
    if isinstance(value, dict):
        parts = [next((value[key] for key in keys if isinstance(value.get(key), str)), None) for keys in ENDS]
        return [Triplet(*(part.strip() for part in parts if part is not None))] if None not in parts else []
    if isinstance(value, str) and value.strip():
        return list(understand(value).triplets)
    return []


def _walk(value: object, holding: Holding, depth: int) -> None:
    children: list[object] = []
    if isinstance(value, dict):
        children = list(value.values())
    elif isinstance(value, list):
        children = value
    if depth > DEEPEST:
        holding.ignored += 1
        return
    graph: list[Triplet] = []
    for child in children:
        if found := triplets_of(child):
            graph.extend(found)
        elif isinstance(child, (list, dict)) and child:
            if graph:
                holding.graphs.append(graph)
                graph = []
            _walk(child, holding, depth + 1)
        else:
            holding.ignored += 1
    if graph:
        holding.graphs.append(graph)
