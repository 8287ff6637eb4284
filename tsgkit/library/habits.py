"""Habits of the bundled narratives: how often their graphs have which edges, as evidence about other graphs.

>>> habits = our_habits()
>>> habits.graphs, habits.count("take", "dobj", "") > 0
(476, True)
"""

from __future__ import annotations

from functools import cache

from tsgkit.graph.evidence import Habits
from tsgkit.graph.model import Narrative
from tsgkit.library.bundle import bundled
from tsgkit.library.documents.reader import read_document

PLACE = ("tsg", "data", "tsgkit-1", "narratives.jsonl")


def our_habits(without: str = "") -> Habits:
    """Return the habits of the bundled narratives; the one with the id ``without`` is no evidence about itself."""
    return _habits(without if any(one.id == without for one in _narratives()) else "")


@cache
def _habits(without: str) -> Habits:
    return Habits.of(graph for one in _narratives() if one.id != without for graph in one.graphs)


@cache
def _narratives() -> tuple[Narrative, ...]:
    text = bundled("tasks").joinpath(*PLACE).read_text("utf-8")
    return tuple(entry.narrative for entry in read_document(text, PLACE[-1]).entries)
