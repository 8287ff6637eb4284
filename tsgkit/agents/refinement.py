"""Refinement: check, critique, revise and check again, until a passage is clean or nothing improves.

>>> import asyncio
>>> from tsgkit.agents.asker import ByLabel, ask_for
>>> from tsgkit.graph.model import ActionGraph, Vocabulary
>>> L = Vocabulary(("kettle", "cup"), ("verb", "dobj", "with"), ("fill", "pour"))
>>> spoilt = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "vase"), ("fill", "with", "hand1"))
>>> said = "person -> verb -> fill\\nfill -> dobj -> kettle\\nfill -> with -> hand1"
>>> ask = ask_for(ByLabel({"revise/1": said}), "0")
>>> passage = Passage((spoilt,), "She fills the kettle.", vocabulary=L)
>>> refined = asyncio.run(refine_passage(passage, ask, Effort(critique=False)))
>>> print(*refined.changes, refined.why, sep="\\n")
graph 0: fill -> dobj -> kettle, was fill -> dobj -> vase [out-of-vocabulary] (model)
clean

Nodes decide by rules and counters, never by text: no sentence, graph or reply can change which nodes run. A model's
revision is accepted only for graphs with a finding, so that every change has a reason and no other graph is touched.
"""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from tsgkit.agents.asker import NoText, TextAsk
from tsgkit.agents.passages import GRAPH_COUNT, Passage, Point, Version, best, same, version_of
from tsgkit.agents.prompts import critique_prompt, revise_prompt
from tsgkit.agents.repairs import MODEL, Change, is_fault, mend
from tsgkit.agents.steps import Update, Watch, ended, node, route
from tsgkit.errors import UsageError
from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.edits import diff
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.reading import read
from tsgkit.graph.reading.answers import read_graphs
from tsgkit.graph.rules import Finding
from tsgkit.lexicon import meant
from tsgkit.replies import Unreadable
from tsgkit.suites.transcript import Ask

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

CLEAN, OUT_OF_ROUNDS, UNCHANGED, NO_MODEL = "clean", "out of rounds", "unchanged", "no model to ask"
UNREMARKABLE = ("homonym-loop", "no-dobj", "several-dobj", "not-a-preposition")
"""Warnings that are more often right than wrong: a model is not sent after them."""
MOST_POINTS = 20
MOST_TRIPLETS = 100
MOST_ROUNDS = 20
POINT = re.compile(
    rf"^\W*(?:graph\s*)?(?P<graph>\d{{1,4}})\s*[:.)-]\W*(?P<kind>{'|'.join(Corruption)})\b\W*(?P<rest>.*)$",
    re.IGNORECASE,
)
Repair = Literal["none", "exact", "hands", "sure"]
REPAIRS: tuple[Repair, ...] = ("exact", "hands", "none")


@dataclass(frozen=True)
class Effort:
    """The effort: rounds of revision, whether a critique is asked for, and the repairs made without asking.

    ``exact`` makes repairs with exactly one remedy. ``hands`` also adds missing hands, which are likely but not
    certain. ``sure`` is the old name of ``exact``.
    """

    rounds: int = 2
    critique: bool = True
    repair: Repair = "exact"

    def __post_init__(self) -> None:
        if not 0 <= self.rounds <= MOST_ROUNDS:
            raise UsageError(f"{self.rounds} rounds: from 0 to {MOST_ROUNDS} are possible")
        if self.repair == "sure":
            warnings.warn('repair="sure" is now called "exact"', FutureWarning, stacklevel=3)
            object.__setattr__(self, "repair", "exact")
        elif self.repair not in REPAIRS:
            raise UsageError(f"there is no repair {self.repair!r}", hint=meant(str(self.repair), REPAIRS))

    @property
    def most_steps(self) -> int:
        """The largest number of nodes that can run; a graph that runs more is stopped."""
        return 3 + 4 * (self.rounds + 1)


@dataclass(frozen=True)
class Setting:
    """The fixed settings of one passage."""

    passage: Passage
    effort: Effort
    voice: TextAsk | None


ASKING = ("critique", "revise")
"""Steps that ask a model, once each."""
GROWING = ("versions", "changes", "notes")
"""Fields of the state of which each node adds its own."""


class State(TypedDict):
    """The changing state of a passage; each node appends versions, changes and notes."""

    graphs: tuple[ActionGraph, ...]
    findings: tuple[Finding, ...]
    points: tuple[Point, ...]
    round: int
    why: str
    silent: str
    versions: Annotated[tuple[Version, ...], operator.add]
    changes: Annotated[tuple[Change, ...], operator.add]
    notes: Annotated[tuple[str, ...], operator.add]


@dataclass(frozen=True)
class Refined:
    """The best version of a passage, its changes, its remaining findings, and the reason for the end."""

    graphs: tuple[ActionGraph, ...]
    changes: tuple[Change, ...]
    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    points: tuple[Point, ...]
    why: str
    calls: int
    notes: tuple[str, ...] = ()
    silent: str = ""
    """The reason for a missing text that ended it: unusable, failed (the service), stopped (a budget)."""


def begun(passage: Passage) -> State:
    """Return the state before anything was done; a hint is a point that any change closes."""
    points = tuple(Point(kind, None, None, passage.graphs) for kind in passage.hints)
    return State(
        graphs=passage.graphs,
        findings=(),
        points=points,
        round=0,
        why="",
        silent="",
        versions=(),
        changes=(),
        notes=(),
    )


async def check(state: State, setting: Setting) -> Update:
    """Check the graphs by the rules, and decide whether to continue."""
    findings = setting.passage.findings(state["graphs"])
    points = tuple(point for point in state["points"] if point.is_open(state["graphs"]))
    version = version_of(setting.passage, state["graphs"], findings, points, len(state["changes"]))
    clean = not version.faults and not points
    why = ""
    if setting.voice is None:
        why = CLEAN if clean else NO_MODEL
    elif clean and not setting.effort.critique:
        why = CLEAN
    elif state["round"] >= setting.effort.rounds:
        why = CLEAN if clean else OUT_OF_ROUNDS
    return {"findings": findings, "points": points, "versions": (version,), "why": why}


async def repair(state: State, setting: Setting) -> Update:
    """Repair what needs no model."""
    start = setting.passage.start
    mended = mend(setting.passage.narrative(state["graphs"]), hands=setting.effort.repair == "hands", start=start)
    changes = tuple(replace(one, graph=one.graph - start, round=state["round"]) for one in mended.changes)
    return {"graphs": mended.narrative.graphs[start:], "changes": changes}


async def critique(state: State, setting: Setting) -> Update:
    """Ask where the graphs are wrong."""
    assert setting.voice is not None  # noqa: S101  (the graph leads here only with somebody to ask)
    graphs = state["graphs"]
    try:
        prompt = critique_prompt(setting.passage, graphs)
        text = await setting.voice.text(prompt, f"critique/{state['round'] + 1}", draw=state["round"])
    except NoText as silent:
        return _stopped(silent)
    points, notes = points_of(text, graphs)
    hints = tuple(point for point in state["points"] if point.graph is None and point.triplet is None)
    points = (*hints, *points)
    version = version_of(setting.passage, graphs, state["findings"], points, len(state["changes"]))
    why = "" if version.faults or points else CLEAN
    return {"points": points, "versions": (version,), "notes": notes, "why": why}


async def revise(state: State, setting: Setting) -> Update:
    """Ask for better graphs, and take over those about which something was found."""
    assert setting.voice is not None  # noqa: S101  (as above)
    old = state["graphs"]
    findings = tuple(finding for finding in state["findings"] if finding.code not in UNREMARKABLE)
    number = state["round"] + 1
    prompt = revise_prompt(setting.passage, old, findings, state["points"])
    try:
        text = await setting.voice.text(prompt, f"revise/{number}", draw=state["round"])
    except NoText as silent:
        return _stopped(silent)
    found = read_graphs(text, setting.passage.count or len(old))
    if isinstance(found, Unreadable):
        return {"round": number, "notes": (f"revise/{number} could not be read: {found.reason}",)}
    new, notes = _accepted(old, found.graphs, findings, state["points"], setting.passage)
    changes = tuple(_changes(old, new, findings, state["points"], number))
    why = UNCHANGED if same(old, new) else ""
    return {"graphs": new, "round": number, "changes": changes, "notes": notes, "why": why}


def _stopped(silent: NoText) -> Update:
    return {"why": silent.reason, "silent": silent.kind}


def after_start(state: State, setting: Setting) -> str:
    """Return the first node."""
    return "check" if setting.effort.repair == "none" else "repair"


def after_check(state: State, setting: Setting) -> str:
    """Return the node after a check."""
    if state["why"]:
        return "end"
    return "critique" if setting.effort.critique else "revise"


def after_critique(state: State, setting: Setting) -> str:
    """Return the node after a critique."""
    return "end" if state["why"] else "revise"


def after_revise(state: State, setting: Setting) -> str:
    """Return the node after a revision."""
    return "end" if state["why"] else after_start(state, setting)


def points_of(text: str, graphs: tuple[ActionGraph, ...]) -> tuple[tuple[Point, ...], tuple[str, ...]]:
    """Return the points of a critique, and notes about parts that fit no graph.

    >>> graph = ActionGraph.of(("person", "verb", "wash"))
    >>> points, notes = points_of("Graph 1: missing: wash -> dobj -> cup\\nGraph 7: reversed: a -> b -> c", (graph,))
    >>> print(*points, *notes, sep="\\n")
    graph 1: missing: wash -> dobj -> cup
    a point about graph 7, which is not there
    """
    points: dict[Point, None] = {}
    notes = []
    for line in text.splitlines():
        found = POINT.match(line)
        if found is None:
            continue
        number = int(found["graph"]) - 1
        if not 0 <= number < len(graphs):
            notes.append(f"a point about graph {number + 1}, which is not there")
            continue
        points[Point(found["kind"].lower(), number, _triplet(found["rest"]), graphs)] = None
    fitting = [point for point in points if point.is_open(graphs)]
    if len(fitting) < len(points):
        notes.append(f"points that do not fit the graphs: {len(points) - len(fitting)}")
    if not points and not notes and not re.fullmatch(r"\W*none\W*", text, re.IGNORECASE):
        notes.append("a critique that names no point")
    return tuple(fitting[:MOST_POINTS]), tuple(notes)


def _triplet(text: str) -> Triplet | None:
    """Return the one triplet of the rest of a line."""
    graphs = read(text).graphs
    return graphs[0].triplets[0] if len(graphs) == 1 and len(graphs[0].triplets) == 1 else None


def _accepted(
    old: tuple[ActionGraph, ...],
    new: tuple[ActionGraph, ...],
    findings: Sequence[Finding],
    points: Sequence[Point],
    passage: Passage,
) -> tuple[tuple[ActionGraph, ...], tuple[str, ...]]:
    """Return the graphs to continue with: new ones where there was a finding, the others unchanged."""
    if any(len(graph) > MOST_TRIPLETS for graph in new):
        return old, (f"a revision with a graph of more than {MOST_TRIPLETS} triplets was left out",)
    wanted = len(old) if passage.count is None else passage.count
    if len(new) != len(old):
        if abs(len(new) - wanted) < abs(len(old) - wanted):
            return new, ()
        return old, (f"a revision with {len(new)} graphs for {wanted} was left out",)
    if any(finding.code == GRAPH_COUNT for finding in findings):
        return old, ("a revision with as many graphs too many or too few was left out",)
    chosen = tuple(
        theirs if theirs != mine and _reasons(number, mine, theirs, findings, points) else mine
        for number, (mine, theirs) in enumerate(zip(old, new, strict=True))
    )
    kept = sum(theirs != mine for mine, theirs in zip(chosen, new, strict=True))
    return chosen, (f"changes without a reason, left out: {kept} graphs",) if kept else ()


def _reasons(
    number: int, old: ActionGraph, new: ActionGraph, findings: Sequence[Finding], points: Sequence[Point]
) -> list[tuple[str, str]]:
    """Return the codes and reasons of the findings about a graph."""
    mine = [(f"critique-{point.kind}", str(point)) for point in points if point.graph == number and point.triplet]
    loose = [(f"critique-{point.kind}", str(point)) for point in points if point.graph == number and not point.triplet]
    hints = [(f"hint-{point.kind}", f"said to be {point.kind}") for point in points if point.graph is None]
    found = [(finding.code, finding.message) for finding in findings if finding.place.graph == number]
    return [*found, *mine, *loose, *hints]


def _changes(
    old: tuple[ActionGraph, ...],
    new: tuple[ActionGraph, ...],
    findings: Sequence[Finding],
    points: Sequence[Point],
    number: int,
) -> Iterator[Change]:
    """Yield the changes of a revision, each with the finding about its triplet, else about its graph."""
    empty = ActionGraph()
    for place in range(max(len(old), len(new))):
        mine = old[place] if place < len(old) else empty
        theirs = new[place] if place < len(new) else empty
        for one in diff(theirs, mine).changes:
            code, reason = _reason(place, one.candidate, one.reference, mine, findings, points)
            yield Change(place, one.candidate, one.reference, code, reason, MODEL, number)


def _reason(
    place: int,
    before: Triplet | None,
    after: Triplet | None,
    graph: ActionGraph,
    findings: Sequence[Finding],
    points: Sequence[Point],
) -> tuple[str, str]:
    """Return the code and the words of the nearest reason for one change."""
    for finding in findings:
        at = finding.place
        if at.graph == place and at.triplet is not None and before is not None and graph.triplets[at.triplet] == before:
            return finding.code, finding.message
    for point in points:
        if point.graph == place and point.triplet is not None and point.triplet in (before, after):
            return f"critique-{point.kind}", str(point)
    others = _reasons(place, graph, graph, findings, points)
    count = [(finding.code, finding.message) for finding in findings if finding.code == GRAPH_COUNT]
    return [*others, *count][0]


Work = Callable[[State, Setting], Any]
Choose = Callable[[State, Setting], str]
NODES: dict[str, Work] = {
    "check": check,
    "repair": repair,
    "critique": critique,
    "revise": revise,
}
ROUTES: dict[str, tuple[Choose, tuple[str, ...]]] = {
    "start": (after_start, ("repair", "check")),
    "check": (after_check, ("critique", "revise", "end")),
    "critique": (after_critique, ("revise", "end")),
    "revise": (after_revise, ("repair", "check", "end")),
}


def add_steps(builder: Any, step: Callable[[Work], Any], choice: Callable[[Choose], Any], end: str) -> None:  # noqa: ANN401
    """Add the steps to a graph under construction, except what precedes the first; ``end`` is what follows.

    ``step`` and ``choice`` wrap these functions as nodes and edges with their state and setting.
    """
    for name, work in NODES.items():
        builder.add_node(name, step(work))
    builder.add_edge("repair", "check")
    for name, (choose, targets) in ROUTES.items():
        if name != "start":
            builder.add_conditional_edges(name, choice(choose), {one: end if one == "end" else one for one in targets})


@cache
def compiled() -> CompiledStateGraph[State, Setting, State, State]:
    """Return the refiner of one passage as a LangGraph; a caller's checkpointer has no part in it."""
    from langgraph.graph import END, START, StateGraph

    builder = StateGraph(State, context_schema=Setting)
    add_steps(builder, node, route, END)
    choose, targets = ROUTES["start"]
    builder.add_conditional_edges(START, route(choose), list(targets))
    return builder.compile(checkpointer=False, name="refiner")


async def refine_passage(
    passage: Passage, ask: Ask | None, effort: Effort = Effort(), watch: Watch | None = None
) -> Refined:
    """Return the best version of a passage; without ``ask`` only exact repairs are made."""
    setting = Setting(passage, effort, None if ask is None else TextAsk(ask))
    state = await ended(compiled(), begun(passage), setting, effort.most_steps, watch)
    return refined_from(state, setting)


def refined_from(state: State, setting: Setting) -> Refined:
    """Return the result of a finished state."""
    passage = setting.passage
    chosen = best(state["versions"])
    after = passage.findings(chosen.graphs)
    touched = {
        number
        for number, graph in enumerate(chosen.graphs)
        if number >= len(passage.graphs) or graph.triplets != passage.graphs[number].triplets
    } | set(range(len(chosen.graphs), len(passage.graphs)))
    changes = tuple(change for change in state["changes"][: chosen.changes] if change.graph in touched)
    return Refined(
        graphs=chosen.graphs,
        changes=changes,
        before=passage.findings(passage.graphs),
        after=after,
        points=tuple(point for point in state["points"] if point.is_open(chosen.graphs)),
        why=state["why"] or UNCHANGED,
        calls=0 if setting.voice is None else setting.voice.calls,
        notes=state["notes"],
        silent=state["silent"],
    )


def left(refined: Refined) -> tuple[Finding, ...]:
    """Return the faults that the best version still has."""
    return tuple(finding for finding in refined.after if is_fault(finding))
