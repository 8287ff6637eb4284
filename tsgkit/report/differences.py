"""Differences between graphs of an answer and their references, line by line and as drawings.

>>> from tsgkit.graph.edits import diff
>>> from tsgkit.graph.model import ActionGraph
>>> wanted = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"))
>>> got = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> for line in difference_lines(GraphDifference(wanted, got, diff(wanted, got))):
...     print(line.sign, line.words)
= person -> verb -> open
≠ open -> dobj -> jar, expected open -> dobj -> lid
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tsgkit.graph.drawing import draw_legend, draw_sides
from tsgkit.graph.drawing.graphs import MARKS, Sides
from tsgkit.suites.panels import GraphDifference

MATCHED = "matched"


class DifferenceLine(NamedTuple):
    """A triplet of either graph, with a sign and words for its relation to the other graph."""

    kind: str
    sign: str
    words: str
    outside: tuple[str, ...] = ()
    """Its elements out of L."""


def difference_lines(graph: GraphDifference) -> Iterator[DifferenceLine]:
    """Yield a line for every triplet of both graphs."""
    if graph.difference is None:
        kind = "missing" if graph.candidate is None else "extra"
        for triplet in graph.reference or graph.candidate or ():
            yield DifferenceLine(kind, MARKS[kind].sign, str(triplet))
        return
    for triplet in graph.difference.matched:
        yield DifferenceLine(MATCHED, "=", str(triplet))
    for change in graph.difference.changes:
        words = str(change).partition(": ")[2].partition(" (out of L: ")[0]
        yield DifferenceLine(str(change.kind), MARKS[change.kind].sign, words, change.outside)


def sides(graph: GraphDifference, title: str) -> Sides:
    """Return the drawings of the reference and of the answer's graph."""
    changes = graph.difference.changes if graph.difference is not None else ()
    return draw_sides(graph.reference, graph.candidate, changes, title=title)


def legend(graphs: Iterable[GraphDifference]) -> str:
    """Return the legend for the drawings of these differences."""
    pairs = list(graphs)
    drawn = [graph for pair in pairs for graph in (pair.reference, pair.candidate) if graph is not None]
    return draw_legend(drawn, {line.kind for pair in pairs for line in difference_lines(pair)})
