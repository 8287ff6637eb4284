"""JSON triplets: ``[[["person", "verb", "wash"], ["wash", "dobj", "cup"]], ...]``. Lossless in both directions.

>>> graphs = parse('[[["person", "verb", "wash"], ["wash", "dobj", ""]]]')
>>> graphs[0].triplets[1]
Triplet(source='wash', edge='dobj', target='')
>>> parse(write(graphs)) == graphs
True

Represents every text as a name, graphs without triplets, repeats and order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from tsgkit.errors import NotationError
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.notation.limits import not_text, refuse


def parse(text: str) -> tuple[ActionGraph, ...]:
    """Return the graphs of a JSON list of graphs; a single graph (a list of triplets) is taken as a list of one."""
    return from_value(load(text))


def load(text: str) -> object:
    """Return the JSON value of a text, or a ``NotationError`` that names the line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise NotationError(f"broken JSON, column {error.colno}: {error.msg}", line=error.lineno) from None
    except RecursionError:
        raise NotationError("JSON nested too deeply to read") from None
    except ValueError as error:  # an integer of more digits than Python reads
        raise NotationError(f"JSON that cannot be read: {error}") from None


def from_value(value: object) -> tuple[ActionGraph, ...]:
    """Return the graphs of a JSON value already loaded."""
    if not isinstance(value, list):
        raise NotationError(f"expected a list of graphs, found {kind_of(value)}")
    if value and all(is_triplet(item) for item in value):
        return (graph_from(value, "graph 1"),)
    return tuple(graph_from(item, f"graph {number}") for number, item in enumerate(value, 1))


def graph_from(value: object, place: str) -> ActionGraph:
    """Return one graph of a JSON list of triplets; ``place`` is how an error names it."""
    if not isinstance(value, list):
        raise NotationError(f"{place}: expected a list of triplets, found {kind_of(value)}")
    for number, item in enumerate(value, 1):
        if not is_triplet(item):
            raise NotationError(f"{place}, triplet {number}: expected three strings, found {kind_of(item)}")
    return ActionGraph(Triplet(*item) for item in value)


def is_triplet(value: object) -> bool:
    """Return whether a JSON value is a list of three strings."""
    return isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) for part in value)


def kind_of(value: object) -> str:
    """Return what a JSON value is, in the words of an error message."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    names = {dict: "an object", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), "null" if value is None else type(value).__name__)


def write(graphs: Iterable[ActionGraph]) -> str:
    """Return a JSON list of graphs, one graph a line."""
    graphs = tuple(graphs)
    refuse(graphs, "JSON", not_text)
    if not graphs:
        return "[]\n"
    lines = (json.dumps(to_value(graph), ensure_ascii=False) for graph in graphs)
    return "[\n  " + ",\n  ".join(lines) + "\n]\n"


def to_value(graph: ActionGraph) -> list[list[str]]:
    """Return the JSON value of one graph."""
    return [list(triplet) for triplet in graph.triplets]
