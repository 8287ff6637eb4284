"""Cleaner of existing graphs: exact repairs along the whole narrative, then a model, passage by passage.

>>> from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
>>> L = Vocabulary(("cup", "hand1"), ("verb", "dobj", "with"), ("wash",))
>>> slip = ActionGraph.of(("person", "verb", "wash"), ("washes", "dobj", "cup"))
>>> cleaned = asyncio.run(arefine([slip], vocabulary=L))
>>> print(*cleaned.changes)
graph 1: wash -> dobj -> cup, was washes -> dobj -> cup [dobj-source] (exact)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tsgkit.agents.effort import Effort
from tsgkit.agents.passages import Passage, Point, can_be_made, passages_of
from tsgkit.agents.refinement import ASKING, Refined, refine_passage
from tsgkit.agents.steps import Update
from tsgkit.graph.edits import exchanged
from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.graph.repairs import Change, is_undecided, mend
from tsgkit.graph.rules import Finding, check_narrative
from tsgkit.llm.asker import Asker, ask_for, closing, door_of

MOST_FAILURES = 3
"""After so many passages in a row without an answer from the service, it is not asked any more."""
USUAL = Effort()


@dataclass(frozen=True)
class CleanedNarrative:
    """A cleaned narrative, every change with its reason, the findings before and after, and the usage.

    ``stopped`` is the reason why the model was not asked to the end, ``failures`` are failed calls.
    """

    narrative: Narrative
    changes: tuple[Change, ...]
    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    calls: int = 0
    stopped: str = ""
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    touched: tuple[int, ...] = ()
    proposed: tuple[Change, ...] = ()
    """Edits of which the model was not sure, so that they were not made."""
    refused: int = 0
    """Edits of the model that add a fault, so that they were not made."""

    @property
    def undecided(self) -> tuple[Finding, ...]:
        """The faults that are left, and the hands that break their rule."""
        return tuple(filter(is_undecided, self.after))


async def arefine(
    graphs: Narrative | Iterable[ActionGraph],
    model: str | Asker | None = None,
    *,
    vocabulary: Vocabulary | None = None,
    told: Sequence[str] = (),
    hint: str = "",
    effort: Effort = USUAL,
    model_args: Sequence[str] = (),
    item: str = "0",
    passage_done: Callable[[int], None] = lambda _: None,
    step_done: Callable[[FinishedStep], None] | None = None,
) -> CleanedNarrative:
    """Clean graphs: exact repairs first, then a model for the rest. Without a model only exact repairs are made.

    ``model`` is a LiteLLM name, or an object with an ``ask`` such as a door or a script. ``told`` is the story, for
    graphs without sentences.

    >>> from tsgkit.llm.scripts import ByLabel
    >>> L = Vocabulary(("kettle", "hand1"), ("verb", "dobj", "with"), ("fill",))
    >>> vase = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "vase"))
    >>> model = ByLabel({"look/1": "1: fill -> dobj -> kettle (90)"})
    >>> work = arefine([vase], model, vocabulary=L, told=["She fills the kettle."], effort=Effort("low"))
    >>> print(*asyncio.run(work).changes)
    graph 1: fill -> dobj -> kettle, was fill -> dobj -> vase [out-of-vocabulary] (model: 90 %)
    """
    narrative = graphs if isinstance(graphs, Narrative) else Narrative.of(graphs, vocabulary)
    if narrative.vocabulary is None and vocabulary is not None:
        narrative = replace(narrative, vocabulary=vocabulary)
    if not isinstance(model, str):
        return await _cleaned(narrative, _Work(model, told, hint, effort, item, passage_done, step_done))
    door = door_of(model, model_args)
    work = _Work(door, told, hint, effort, item, passage_done, step_done)
    return await closing(door, _cleaned(narrative, work))


@dataclass
class ChangeTally:
    """The changes, findings and calls along a narrative; ``proposed`` are edits of which a model was not sure,
    ``refused`` is the number of those that add a fault."""

    changes: list[Change] = field(default_factory=list)
    proposed: list[Change] = field(default_factory=list)
    refused: int = 0
    calls: int = 0
    stopped: str = ""
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    in_a_row: int = 0

    def add(self, refined: Refined, start: int) -> None:
        """Add the result of a passage; ``start`` is the number of its first graph."""
        passage_place = place_of(start, len(refined.graphs))
        self.changes += [replace(change, graph=change.graph + start) for change in refined.changes]
        self.calls += refined.calls
        self.proposed += [replace(change, graph=change.graph + start) for change in refined.proposed]
        self.refused += refined.refused
        self.notes += [f"{passage_place}: {note}" for note in refined.notes]
        self.in_a_row = self.in_a_row + 1 if refined.silent == "failed" else 0
        if refined.silent:
            self.failures.append(f"{passage_place}: {refined.why}")
        if refined.silent == "stopped" or self.in_a_row >= MOST_FAILURES:
            self.stopped = refined.why


def repaired(narrative: Narrative, effort: Effort = USUAL) -> CleanedNarrative:
    """Clean graphs without a model, as :func:`arefine` does before it asks one."""
    tally, graphs = with_repairs(narrative, effort)
    return ended(narrative, graphs, tally)


def with_proposals(cleaned: CleanedNarrative) -> CleanedNarrative:
    """Return the graphs with what was proposed, each edit among the changes."""
    graphs, accepted = list(cleaned.narrative.graphs), list[Change]()
    for change in cleaned.proposed:
        if can_be_made(change, graphs):
            graphs[change.graph] = exchanged(graphs[change.graph], change.before, change.after)
            accepted.append(change)
    narrative = cleaned.narrative.with_graphs(graphs)
    return replace(
        cleaned,
        narrative=narrative,
        changes=tuple(sorted((*cleaned.changes, *accepted), key=lambda change: change.graph)),
        after=tuple(check_narrative(narrative)),
        touched=tuple(sorted({*cleaned.touched, *(change.graph for change in accepted)})),
        proposed=tuple(change for change in cleaned.proposed if change not in accepted),
    )


@dataclass(frozen=True)
class _Work:
    """The settings for cleaning one narrative, and its callbacks."""

    asker: Asker | None
    told: Sequence[str]
    hint: str
    effort: Effort
    item: str
    passage_done: Callable[[int], None]
    step_done: Callable[[FinishedStep], None] | None


async def _cleaned(narrative: Narrative, work: _Work) -> CleanedNarrative:
    tally, graphs = with_repairs(narrative, work.effort)
    if work.step_done is not None and work.effort.repair != "none":
        work.step_done(repair_step(narrative.with_graphs(graphs)))
    await asyncio.sleep(0)  # so that an interrupt is heard between two narratives
    if (asker := work.asker) is not None:
        if work.effort.repair != "none":  # the hands were looked at along all of the narrative
            work = replace(work, effort=replace(work.effort, repair="exact"))
        await _ask_along(narrative, graphs, asker, work, tally)
    return ended(narrative, graphs, tally)


def with_repairs(narrative: Narrative, effort: Effort) -> tuple[ChangeTally, list[ActionGraph]]:
    """Return the graphs after the repairs that are made before a model is asked, and these repairs."""
    if effort.repair == "none":
        return ChangeTally(), list(narrative.graphs)
    mended = mend(narrative, hands=effort.repair == "hands")
    return ChangeTally(changes=list(mended.changes)), list(mended.narrative.graphs)


def ended(narrative: Narrative, graphs: Sequence[ActionGraph], tally: ChangeTally) -> CleanedNarrative:
    """Return what cleaning came to."""
    cleaned = narrative.with_graphs(graphs)
    pairs = zip(narrative.graphs, graphs, strict=True)
    touched = tuple(number for number, (old, new) in enumerate(pairs) if old.triplets != new.triplets)
    return CleanedNarrative(
        cleaned,
        tuple(sorted((change for change in tally.changes if change.graph in touched), key=lambda one: one.graph)),
        tuple(check_narrative(narrative)),
        tuple(check_narrative(cleaned)),
        tally.calls,
        tally.stopped,
        tuple(tally.failures),
        tuple(tally.notes),
        touched,
        tuple(one for one in tally.proposed if can_be_made(one, graphs)),
        tally.refused,
    )


async def _ask_along(
    narrative: Narrative, graphs: list[ActionGraph], asker: Asker, work: _Work, tally: ChangeTally
) -> None:
    """Refine the passages in order, since hands carry over from one to the next."""
    start = 0
    for number, passage in enumerate(passages_of(narrative, work.told, work.hint, graphs)):
        watch = None if work.step_done is None else _Watched(passage, start, tally.calls, work.step_done)
        refined = await refine_passage(passage, ask_for(asker, f"{work.item}/{number}"), work.effort, watch)
        end = start + len(passage.graphs)
        if len(refined.graphs) == end - start:
            graphs[start:end] = refined.graphs
            tally.add(refined, start)
        work.passage_done(number)
        if tally.stopped:
            return
        start = end


class FinishedStep(NamedTuple):
    """A finished step: its place, its name, the remaining findings there, and the calls so far.

    Remaining problems are errors, breaches of the hand rule, and errors that a model named without a remedy.
    """

    place: str
    name: str
    left: int
    calls: int


def repair_step(narrative: Narrative) -> FinishedStep:
    """Return the step of the exact repairs along a whole narrative, as it is after them."""
    return FinishedStep("", "repair", sum(map(is_undecided, check_narrative(narrative))), 0)


@dataclass
class _Watched:
    """A callback that reports the finished steps of a passage."""

    passage: Passage
    start: int
    calls: int
    step_done: Callable[[FinishedStep], None]
    points: tuple[Point, ...] = ()
    graphs: tuple[ActionGraph, ...] = ()

    def __call__(self, name: str, update: Update) -> None:
        self.points = update.get("points", self.points)
        self.graphs = update.get("graphs", self.graphs or self.passage.graphs)
        self.calls += name in ASKING and update.get("silent") != "stopped"
        faults = sum(map(is_undecided, self.passage.findings(self.graphs)))
        left = faults + sum(point.is_open(self.graphs) for point in self.points)
        self.step_done(FinishedStep(place_of(self.start, len(self.passage.graphs)), name, left, self.calls))


def place_of(start: int, size: int) -> str:
    """Return what to call some graphs that follow each other, counted from 1.

    >>> place_of(3, 1), place_of(3, 2)
    ('graph 4', 'graphs 4 to 5')
    """
    return f"graph {start + 1}" if size == 1 else f"graphs {start + 1} to {start + size}"
