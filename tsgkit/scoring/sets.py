"""Precision, recall and F1 of two sets: triplets, nodes or edges of a graph.

Precision is the share of the candidate that is right, recall the share of the reference that was found, F1 their
harmonic mean; all in [0, 1]. An empty candidate has precision 0, an empty reference recall 0, and F1 is 0 where both
are 0; of two empty sets all three are 1, for nothing was asked and nothing said.

>>> overlap({"a", "b"}, {"b", "c", "d"})
Overlap(right=1, said=3, wanted=2)
>>> round(overlap({"a", "b"}, {"b", "c", "d"}).f1, 3)
0.4
>>> overlap(set(), set()).f1, overlap({"a"}, set()).f1
(1.0, 0.0)
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import NamedTuple

from tsgkit.graph import ActionGraph


class Overlap(NamedTuple):
    """The numbers of elements that two sets share, that the candidate has, and that the reference has."""

    right: int
    said: int
    wanted: int

    @property
    def precision(self) -> float:
        """The share of the candidate's elements that are right."""
        return self._share(self.said)

    @property
    def recall(self) -> float:
        """The share of the reference's elements that the candidate has."""
        return self._share(self.wanted)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        whole = self.said + self.wanted
        return 2 * self.right / whole if whole else 1.0

    def _share(self, whole: int) -> float:
        return self.right / whole if whole else float(self.said == self.wanted)


def overlap(reference: Set[object], candidate: Set[object]) -> Overlap:
    """Return the overlap of two sets."""
    return Overlap(len(reference & candidate), len(candidate), len(reference))


def triplets_of(graph: ActionGraph) -> frozenset[object]:
    """Return the triplets of a graph, as a set."""
    return frozenset(graph.triplets)


def nodes_of(graph: ActionGraph) -> frozenset[object]:
    """Return the names of a graph's nodes."""
    names: set[object] = set()
    for source, _, target in graph.triplets:
        names.add(source)
        names.add(target)
    return frozenset(names)


def edges_of(graph: ActionGraph) -> frozenset[object]:
    """Return the labels of a graph's edges."""
    return frozenset([edge for _, edge, _ in graph.triplets])


def compare_graphs(
    reference: ActionGraph, candidate: ActionGraph, part: Callable[[ActionGraph], frozenset[object]] = triplets_of
) -> Overlap:
    """Return the overlap of two graphs in their triplets, nodes or edges."""
    return overlap(part(reference), part(candidate))
