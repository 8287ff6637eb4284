"""What a JSON value holds: triplets as lists or objects, graphs as lists of them, under whatever names.

>>> cup = {"source": "wash", "edge": "dobj", "target": "cup"}
>>> holding = look({"graphs": [{"triplets": [["person", "verb", "wash"], cup]}]})
>>> [[str(triplet) for triplet in graph] for graph in holding.graphs]
[['person -> verb -> wash', 'wash -> dobj -> cup']]
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.lines import understand

DEEPEST = 20
TRIPLET_KEY = re.compile(r"tripl|edge|relation|^\d+$", re.IGNORECASE)
ENDS = (
    ("source", "subject", "head", "from", "node1", "start"),
    ("edge", "relation", "relationship", "predicate", "label", "type"),
    ("target", "object", "tail", "to", "node2", "end"),
)


@dataclass
class Holding:
    """The graphs in a value, whether it was a lone triplet, how many parts were none (``ignored``), and how
    many of those stand in a list among triplets (``unread``)."""

    graphs: list[list[Triplet]] = field(default_factory=list)
    is_triplet: bool = False
    ignored: int = 0
    unread: int = 0


def look(value: object) -> Holding:
    """All graphs in a JSON value; a list that mixes triplets with other lists is read in order."""
    holding = Holding()
    if lone := triplets_of(value):
        holding.graphs, holding.is_triplet = [lone], True
    else:
        _walk(value, holding, 0)
    return holding


def triplets_of(value: object) -> list[Triplet]:
    """The triplets a value is by itself: a list of three, an object with two ends and a label, or an arrow line.

    An object that holds triplets in another field is none: its ends and label say when or where a scene was.
    """
    if isinstance(value, str):
        return list(understand(value).triplets) if value.strip() else []
    if (parts := _three_strings(value)) is None or (isinstance(value, list) and any("->" in part for part in parts)):
        return []
    if isinstance(value, dict) and any(_holds_triplets(part) for part in value.values()):
        return []
    return [Triplet(*(part.strip() for part in parts))]


def _three_strings(value: object) -> list[str] | None:
    parts: list[object] = []
    if isinstance(value, list):
        parts = value
    elif isinstance(value, dict):
        parts = [next((value[key] for key in keys if isinstance(value.get(key), str)), None) for keys in ENDS]
    strings = [part for part in parts if isinstance(part, str)]
    return strings if len(strings) == len(parts) == 3 else None


def _holds_triplets(value: object) -> bool:
    """Whether a value is a list of triplets, or of lists of them, by the first."""
    for _ in range(2):
        value = value[0] if isinstance(value, list) and value else None
        if _three_strings(value):
            return True
    return False


def _is_list_of_names(key: str, value: object, fields: int) -> bool:
    """Whether a field holds three names (nodes, say) rather than a triplet: the key and the other fields tell."""
    return isinstance(value, list) and bool(_three_strings(value)) and fields > 1 and not TRIPLET_KEY.search(key)


def _walk(value: object, holding: Holding, depth: int) -> None:
    children: list[object] = []
    if isinstance(value, dict):
        children = [part for key, part in value.items() if not _is_list_of_names(key, part, len(value))]
        holding.ignored += len(value) - len(children)
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
            before = len(holding.graphs)
            _walk(child, holding, depth + 1)
            if isinstance(value, list) and len(holding.graphs) == before:
                holding.unread += 1
        else:
            holding.ignored += 1
    if graph:
        holding.graphs.append(graph)
