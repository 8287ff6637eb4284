"""JSON schemas of answers: every field required and no other allowed, only names that may be used, lists that end.

They use only keywords that services take in strict mode, so that an element can stand twice in a triplet: to exclude
that needs ``anyOf`` of objects with the same first field, which OpenAI refuses, and an action may share its name with
its object.

>>> closed({"answer": one_of(("A", "B"))})["properties"]
{'answer': {'type': 'string', 'enum': ['A', 'B']}}
"""

from __future__ import annotations

from typing import Any


def graphs_schema(k: int, most: int, nodes: tuple[str, ...], edges: tuple[str, ...]) -> dict[str, object]:
    """Return the schema of k graphs of at most so many triplets, and at least one, with these nodes and edges."""
    node = {"$ref": "#/$defs/node"}
    schema = closed({"graphs": list_of({"$ref": "#/$defs/graph"}, k, k)})
    schema["$defs"] = {
        "graph": list_of({"$ref": "#/$defs/triplet"}, 1, most),
        "node": one_of(nodes),
        "edge": one_of(edges),
        "triplet": closed({"source": node, "edge": {"$ref": "#/$defs/edge"}, "target": node}),
    }
    return schema


def closed(properties: dict[str, object]) -> dict[str, object]:
    """Return the schema of an object with these properties and no others."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def list_of(entry: dict[str, Any], least: int, most: int) -> dict[str, object]:
    """Return the schema of a list of so many entries."""
    return {"type": "array", "items": entry, "minItems": least, "maxItems": most}


def one_of(names: tuple[str, ...]) -> dict[str, object]:
    """Return the schema of one of these names."""
    return {"type": "string", "enum": list(names)}
