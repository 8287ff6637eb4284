"""Elements of graphs that are not in L, and whether the description mentions them.

``Total = Desc + New``: Desc elements are mentioned in the description in some inflected form though L does not allow
them, New ones are not. The unit is the element (a node name or an edge label, once per sample).

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "wipe"), ("wipe", "dobj", "counter"), ("wipe", "with", "spoon"))
>>> L = Vocabulary(("table", "cloth"), ("verb", "dobj", "with"), ("wipe",))
>>> hallucinations([graph], L, "She wiped the counters.")
Hallucinations(described=('counter',), new=('spoon',))
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.lexicon import mentions


class Hallucinations(NamedTuple):
    """The elements outside L: those that the description mentions, and the others."""

    described: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def total(self) -> int:
        """The number of elements."""
        return len(self.described) + len(self.new)


def hallucinations(graphs: Iterable[ActionGraph], vocabulary: Vocabulary, description: str) -> Hallucinations:
    """Return the elements of these graphs that are not in L."""
    outside = dict.fromkeys([name for graph in graphs for t in graph.triplets for name in vocabulary.outside(t)])
    described = tuple(name for name in outside if mentions(description, name))
    return Hallucinations(described, tuple(name for name in outside if name not in described))
