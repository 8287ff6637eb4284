"""Differences between graphs of an answer and their references, by position.

>>> from tsgkit.graph.model import Vocabulary
>>> wanted = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"))
>>> got = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> found = list(differences(Graphs((wanted,), (got, got), Vocabulary(("lid",), (), ("open",)))))
>>> [one.summary for one in found]
['1 matched, 1 mismatched', 'surplus: no reference stands at its place']
>>> difference_value(found[0])["changes"]
[{'kind': 'mismatched', 'reference': ['open', 'dobj', 'lid'], 'candidate': ['open', 'dobj', 'jar'], 'outside': ['jar']}]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from tsgkit.graph.edits import Change, ChangeKind, Diff, diff
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.suites.task import Graphs


@dataclass(frozen=True)
class GraphDifference:
    """A reference graph and the answer's graph at its position; None if one is missing."""

    reference: ActionGraph | None
    candidate: ActionGraph | None
    difference: Diff | None

    @property
    def summary(self) -> str:
        """The numbers of equal and different triplets."""
        if self.difference is None:
            return "surplus: no reference stands at its place" if self.candidate is not None else "missing"
        counts = {kind: len(self.difference.of_kind(kind)) for kind in ChangeKind}
        changes = [f"{number} {kind}" for kind, number in counts.items() if number]
        return ", ".join([f"{len(self.difference.matched)} matched", *changes])

    @property
    def action(self) -> str:
        """The action by which the graph is known."""
        graph = self.reference if self.reference is not None else self.candidate
        return ", ".join(graph.actions) if graph is not None else ""

    @property
    def titled(self) -> str:
        """The summary behind the action, where the graph has one."""
        return f"{self.action}: {self.summary}" if self.action else self.summary


def differences(graphs: Graphs) -> Iterator[GraphDifference]:
    """Yield each reference graph with the answer's at its position, then the surplus ones."""
    for reference, candidate in zip_longest(graphs.references, graphs.answers):
        both = None if reference is None or candidate is None else diff(reference, candidate, graphs.vocabulary)
        yield GraphDifference(reference, candidate, both)


def difference_value(graph: GraphDifference) -> dict[str, Any]:
    """Return the JSON value of a difference; graphs and triplets are lists."""
    difference = graph.difference
    return {
        "reference": graph_value(graph.reference),
        "candidate": graph_value(graph.candidate),
        "matched": len(difference.matched) if difference is not None else 0,
        "changes": [_change_value(change) for change in (difference.changes if difference is not None else ())],
    }


def graph_value(graph: ActionGraph | None) -> list[list[str]] | None:
    """Return the triplets of a graph as lists; None where there is no graph."""
    return None if graph is None else [list(triplet) for triplet in graph]


def _change_value(change: Change) -> dict[str, Any]:
    return {
        "kind": str(change.kind),
        "reference": _triplet_value(change.reference),
        "candidate": _triplet_value(change.candidate),
        "outside": list(change.outside),
    }


def _triplet_value(triplet: Triplet | None) -> list[str] | None:
    return None if triplet is None else list(triplet)
