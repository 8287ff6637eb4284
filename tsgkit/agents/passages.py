"""Passages: the graphs of one sentence with their context, and the quality of their versions.

>>> from tsgkit.graph.model import ActionGraph, Narrative
>>> wash = ActionGraph.of(("person", "verb", "wash"), ("washes", "dobj", "cup"))
>>> [passage] = passages_of(Narrative.of([wash]))
>>> [finding.code for finding in passage.findings((wash,)) if is_fault(finding)]
['dobj-source', 'disconnected']
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.edits import diff
from tsgkit.graph.hands import EMPTY, State, trace
from tsgkit.graph.model import ActionGraph, Description, Narrative, Triplet, Vocabulary
from tsgkit.graph.repairs import Change, is_fault
from tsgkit.graph.rules import ERROR, Finding, check_narrative

MOST_BEFORE = 100
"""The number of graphs before a passage from which the content of the hands is computed."""
MOST_CONTEXT = 60
"""The number of sentences shown before a passage."""
GRAPH_COUNT = "graph-count"


@dataclass(frozen=True)
class Passage:
    """The graphs of one sentence (or of none), the context, L, and the wanted number of graphs, if known.

    ``hint`` names the kind of error in the graphs, or several: ``missing, reversed``.
    """

    graphs: tuple[ActionGraph, ...]
    sentence: str = ""
    context: tuple[str, ...] = ()
    before: tuple[Description, ...] = ()
    vocabulary: Vocabulary | None = None
    count: int | None = None
    hint: str = ""

    def __post_init__(self) -> None:
        for kind in self.hints:
            if kind not in [*Corruption]:
                raise UsageError(f"there is no error type {kind}", hint=f"the types: {', '.join(Corruption)}")

    @property
    def hints(self) -> tuple[str, ...]:
        """The kinds of errors to look for."""
        return tuple(kind.strip() for kind in self.hint.split(",")) if self.hint else ()

    @property
    def start(self) -> int:
        """The number of graphs before it."""
        return sum(len(description.graphs) for description in self.before)

    def narrative(self, graphs: Sequence[ActionGraph]) -> Narrative:
        """Return what came before, then these graphs."""
        return Narrative((*self.before, Description(self.sentence or None, tuple(graphs))), self.vocabulary)

    def findings(self, graphs: Sequence[ActionGraph]) -> tuple[Finding, ...]:
        """Return the findings about these graphs in this context, numbered from 0."""
        start = self.start
        problems = [
            finding.at(graph=number - start)
            for finding in check_narrative(self.narrative(graphs))
            if (number := finding.place.graph) is not None and number >= start
        ]
        if self.count is not None and len(graphs) != self.count:
            problems.append(Finding(GRAPH_COUNT, ERROR, f"{len(graphs)} graphs, and there should be {self.count}"))
        return tuple(problems)

    def hands(self) -> State:
        """Return what the hands hold before the passage."""
        steps = trace(Narrative(self.before))
        if self.before and not self.before[-1].graphs:
            return State(None, None)
        return steps[-1].after if steps else EMPTY


class Point(NamedTuple):
    """An error that a model named without a remedy: its kind, graph and triplet, and the graphs that it saw."""

    kind: str
    graph: int | None
    triplet: Triplet | None
    said_of: tuple[ActionGraph, ...]

    def is_open(self, graphs: tuple[ActionGraph, ...]) -> bool:
        """Return whether these graphs leave the point as it was."""
        if self.graph is None or self.triplet is None or self.graph >= len(graphs):
            return same(graphs, self.said_of)
        is_there = self.triplet in graphs[self.graph]
        return not is_there if self.kind == Corruption.MISSING else is_there

    def __str__(self) -> str:
        where = "" if self.graph is None else f"graph {self.graph + 1}: "
        return f"{where}{self.kind}" + (f": {self.triplet}" if self.triplet is not None else "")


class Version(NamedTuple):
    """The graphs at one time with their findings, their distance from the first version, and the number of changes."""

    graphs: tuple[ActionGraph, ...]
    faults: int
    open: int
    edits: int
    changes: int

    @property
    def order(self) -> tuple[int, int, int]:
        """The quality of a version: fewer rule errors, then fewer open points, then fewer edits."""
        return self.faults, self.open, self.edits


def version_of(
    passage: Passage,
    graphs: tuple[ActionGraph, ...],
    findings: Sequence[Finding],
    named: int,
    changes: int,
) -> Version:
    """Return how good these graphs are; ``named`` is the number of errors that a model named in them."""
    return Version(graphs, sum(map(is_fault, findings)), named, edits(passage.graphs, graphs), changes)


def best(versions: Sequence[Version]) -> Version:
    """Return the best version; the first of equally good ones. Of equal graphs the latest assessment counts."""
    last = {tuple(graph.triplets for graph in version.graphs): version for version in versions}
    return min(last.values(), key=lambda version: version.order)


def same(graphs_of_one: Sequence[ActionGraph], others: Sequence[ActionGraph]) -> bool:
    """Return whether the same triplets stand in the same order."""
    return [graph.triplets for graph in graphs_of_one] == [graph.triplets for graph in others]


def can_be_made(change: Change, graphs: Sequence[ActionGraph]) -> bool:
    """Return whether a change fits these graphs: what it replaces is there, and what it adds is not."""
    if change.graph >= len(graphs):
        return False
    triplets = graphs[change.graph].triplets
    return (change.before is None or change.before in triplets) and (change.after not in triplets)


def edits(before: Sequence[ActionGraph], after: Sequence[ActionGraph]) -> int:
    """Return how many triplets differ, graph by graph."""
    paired = sum(len(diff(new, old).changes) for old, new in zip(before, after, strict=False))
    rest = (*before[len(after) :], *after[len(before) :])
    return paired + sum(map(len, rest))


def passages_of(
    narrative: Narrative,
    told: Sequence[str] = (),
    hint: str = "",
    now: Sequence[ActionGraph] | None = None,
) -> Iterator[Passage]:
    """Yield the passages of a narrative: its descriptions, or single graphs where no sentence holds them together.

    ``told`` is a story from elsewhere: one sentence for each graph if the numbers agree, else context for all. ``now``
    are the present graphs, as a list that the caller updates while refining.
    """
    graphs = narrative.graphs if now is None else now
    for span in spans_of(narrative, told):
        yield span.passage(graphs, narrative.vocabulary, hint)


class PassageSpan(NamedTuple):
    """The place of a passage in a narrative: its graphs, its sentence, and the range of graphs before it."""

    start: int
    size: int
    sentence: str
    context: tuple[str, ...]
    before: tuple[tuple[int, int], ...]
    """The ranges of the graphs of the preceding descriptions."""
    is_whole: bool
    """True if these are all preceding descriptions."""

    def passage(self, graphs: Sequence[ActionGraph], vocabulary: Vocabulary | None, hint: str = "") -> Passage:
        """Return the passage at this place, with the narrative's current graphs."""
        before = tuple(Description(graphs=tuple(graphs[start:end])) for start, end in self.before)
        return Passage(
            graphs=tuple(graphs[self.start : self.start + self.size]),
            sentence=self.sentence,
            context=self.context,
            before=before if self.is_whole else (Description(), *before),
            vocabulary=vocabulary,
            count=self.size,
            hint=hint,
        )


def spans_of(narrative: Narrative, told: Sequence[str] = ()) -> Iterator[PassageSpan]:
    """Return where the passages of a narrative lie."""
    fits = len(told) == len(narrative.graphs)
    before: list[tuple[int, int]] = []
    context: list[str] = []
    start = 0
    for description in narrative.descriptions:
        for size in [len(description.graphs)] if description.text else [1] * len(description.graphs):
            if not size:
                continue
            known = (*context, *(told[:start] if fits else told))[-MOST_CONTEXT:]
            sentence = description.text or (told[start] if fits else "")
            yield PassageSpan(start, size, sentence, known, tuple(before[-MOST_BEFORE:]), len(before) <= MOST_BEFORE)
            before.append((start, start + size))
            start += size
        if not description.graphs:
            before.append((start, start))
        if description.text:
            context.append(description.text)


def sentences_of_graphs(narrative: Narrative, told: Sequence[str] = ()) -> list[str]:
    """Return the sentence of each graph; empty where none is known."""
    return [passage.sentence for passage in passages_of(narrative, told) for _ in passage.graphs]
