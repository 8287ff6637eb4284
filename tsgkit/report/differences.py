"""How the graphs of an answer differ from their references, line by line and as pictures.

>>> from tsgkit.graph.edits import diff
>>> wanted = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"))
>>> got = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> for line in told(GraphDifference(wanted, got, diff(wanted, got))):
...     print(line.sign, line.words)
= person -> verb -> open
≠ open -> dobj -> jar, expected open -> dobj -> lid
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from tsgkit.graph.drawing import draw_diff, draw_graph
from tsgkit.graph.drawing.diffs import MARKS
from tsgkit.graph.edits import ChangeKind, Diff, diff
from tsgkit.graph.model import ActionGraph
from tsgkit.suites.task import Graphs

MATCHED = "matched"


@dataclass(frozen=True)
class GraphDifference:
    """One graph of the reference beside the one at its place in the answer; None where there is none."""

    reference: ActionGraph | None
    candidate: ActionGraph | None
    difference: Diff | None

    @property
    def summary(self) -> str:
        """What agrees and what does not, in numbers."""
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


class TellingLine(NamedTuple):
    """One triplet of either graph: how it stands to the other graph, in a sign and in words."""

    kind: str
    sign: str
    words: str
    outside: tuple[str, ...] = ()
    """Its elements out of L."""


def differences(graphs: Graphs) -> Iterator[GraphDifference]:
    """Yield each graph of the reference beside the answer's at its place, then what is surplus."""
    for reference, candidate in zip_longest(graphs.references, graphs.answers):
        both = None if reference is None or candidate is None else diff(reference, candidate, graphs.vocabulary)
        yield GraphDifference(reference, candidate, both)


def told(graph: GraphDifference) -> Iterator[TellingLine]:
    """Yield a line for every triplet of both graphs."""
    if graph.difference is None:
        kind = "missing" if graph.candidate is None else "extra"
        for triplet in graph.reference or graph.candidate or ():
            yield TellingLine(kind, MARKS[kind].sign, str(triplet))
        return
    for triplet in graph.difference.matched:
        yield TellingLine(MATCHED, "=", str(triplet))
    for change in graph.difference.changes:
        words = str(change).partition(": ")[2].partition(" (out of L: ")[0]
        yield TellingLine(str(change.kind), MARKS[change.kind].sign, words, change.outside)


def drawn(graph: GraphDifference, title: str) -> str:
    """Return the picture of a difference; of a graph alone where it has no partner."""
    if graph.reference is not None and graph.candidate is not None and graph.difference is not None:
        return draw_diff(graph.reference, graph.candidate, graph.difference.changes, title=title)
    if graph.candidate is None:
        return draw_diff(graph.reference or ActionGraph(), ActionGraph(), (), title=title)
    return draw_graph(graph.candidate, title=title)
