"""Narratives of two annotators, as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Triplets = list[list[str]]
L = {
    "object": ["cup", "mug", "kettle", "lid", "water", "shelf"],
    "relationship": ["verb", "dobj", "with", "from", "on"],
    "verb": ["fill", "lift", "wash", "put"],
}


def action(verb: str, *others: tuple[str, str]) -> Triplets:
    """Return the graph of an action."""
    return [["person", "verb", verb], *([verb, edge, target] for edge, target in others)]


WASH = action("wash", ("dobj", "cup"), ("with", "hand1"))
FILL = action("fill", ("dobj", "kettle"), ("with", "hand1"))
PUT = action("put", ("dobj", "lid"), ("on", "kettle"))
LIFT = action("lift", ("dobj", "cup"), ("from", "shelf"))
TEXTS = ("She washes the cup.", "She fills the kettle and puts the lid on.", "She lifts the cup.")


def tea(*graphs: list[Triplets], item: str = "tea", **fields: Any) -> dict[str, Any]:  # noqa: ANN401  (JSON)
    """Return a narrative with these graphs of its descriptions."""
    parts = [{"text": text, "graphs": mine} for text, mine in zip(TEXTS, graphs, strict=False)]
    return {"id": item, "descriptions": parts, "vocabulary": L} | fields


ANN = tea([WASH], [FILL], [LIFT])
BOB = tea([action("wash", ("dobj", "mug"), ("with", "hand2"))], [FILL, PUT], [LIFT])


def write(name: str, *items: object) -> Path:
    """Write JSON Lines, and return the path."""
    path = Path(name)
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path
