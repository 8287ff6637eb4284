"""JSON schemas of answers: every field required and no other allowed, only names that may be used, lists that end.

They use only keywords that services take in strict mode.

>>> closed({"answer": one_of(("A", "B"))})["properties"]
{'answer': {'type': 'string', 'enum': ['A', 'B']}}
"""

from __future__ import annotations

from collections.abc import Mapping


def closed(properties: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of an object with these properties and no others."""
    return {"type": "object", "properties": dict(properties), "required": [*properties], "additionalProperties": False}


def list_of(entry: Mapping[str, object], least: int | None = None, most: int | None = None) -> dict[str, object]:
    """Return the schema of a list of so many entries; None for any number."""
    limits = {"minItems": least, "maxItems": most}
    return {"type": "array", "items": entry, **{name: limit for name, limit in limits.items() if limit is not None}}


def one_of(names: tuple[str, ...]) -> dict[str, object]:
    """Return the schema of one of these names."""
    return {"type": "string", "enum": list(names)}
