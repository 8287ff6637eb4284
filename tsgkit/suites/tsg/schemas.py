"""JSON schemas of answers: every field required, no other allowed, names exactly those that may be used.

>>> closed({"answer": one_of(("A", "B"))})["properties"]
{'answer': {'type': 'string', 'enum': ['A', 'B']}}
"""

from __future__ import annotations


def graphs_schema(nodes: tuple[str, ...], edges: tuple[str, ...]) -> dict[str, object]:
    """Return the schema of graphs with these nodes and edges."""
    graph = {"type": "array", "items": {"$ref": "#/$defs/triplet"}}
    node = {"$ref": "#/$defs/node"}
    schema = closed({"graphs": {"type": "array", "items": graph}})
    schema["$defs"] = {
        "node": one_of(nodes),
        "edge": one_of(edges),
        "triplet": closed({"source": node, "edge": {"$ref": "#/$defs/edge"}, "target": node}),
    }
    return schema


def closed(properties: dict[str, object]) -> dict[str, object]:
    """Return the schema of an object with these properties and no others."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def one_of(names: tuple[str, ...]) -> dict[str, object]:
    """Return the schema of one of these names."""
    return {"type": "string", "enum": list(names)}
