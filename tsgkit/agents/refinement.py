"""Refinement: check, look, change and check again, until a passage is clean or another look would not help.

>>> import asyncio
>>> from tsgkit.llm.asker import ask_for
>>> from tsgkit.llm.scripts import ByLabel
>>> from tsgkit.graph.model import ActionGraph, Vocabulary
>>> L = Vocabulary(("kettle", "cup"), ("verb", "dobj", "with"), ("fill", "pour"))
>>> spoilt = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "vase"), ("fill", "with", "hand1"))
>>> ask = ask_for(ByLabel({"look/1": "1: fill -> dobj -> kettle (95)"}), "0")
>>> passage = Passage((spoilt,), "She fills the kettle.", vocabulary=L)
>>> refined = asyncio.run(refine_passage(passage, ask, Effort("low")))
>>> print(*refined.changes, refined.why, sep="\\n")
graph 1: fill -> dobj -> kettle, was fill -> dobj -> vase [out-of-vocabulary] (model: 95 %)
clean

A look is one call: the model decides about numbered findings and names other errors. The edits are made here, and only
those that add no fault. Nodes decide by rules and counters, never by text: no sentence, graph or reply can change which
nodes run, and only triplets that a finding or a point names are touched.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from tsgkit.agents.effort import Effort
from tsgkit.agents.look_replies import Look, Named, read_look, schema_of
from tsgkit.agents.passages import GRAPH_COUNT, Passage, Point, Version, best, can_be_made, version_of
from tsgkit.agents.prompts import look_prompt
from tsgkit.agents.questions import CandidateEdit, edited, edits_between, questions_of
from tsgkit.agents.steps import Update, Watch, ended, node, route
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.repairs import MODEL, PROPOSED, Change, is_fault, mend
from tsgkit.graph.rules import Finding
from tsgkit.llm.asker import NoText, TextAsk
from tsgkit.llm.reply import Ask

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

USUAL = Effort()
CLEAN, OUT_OF_CALLS, UNCHANGED, NO_MODEL = "clean", "no call left", "unchanged", "no model to ask"
LEAST_SURE = 0.5
"""An edit of which the model is less sure is not made, but proposed."""
SURE_ENOUGH = 0.8
"""An edit that no rule confirms is looked at again if the model is less sure of it, or does not say how sure."""
Ending = Literal["", "changed", "doubted", "undecided", "named", "unread", "nothing"]
"""The result of a look: changes, of which some were in doubt; edits that wait for a second look to name them; errors
without a remedy that could be made, or findings without an answer; a reply that could not be read; nothing new."""


@dataclass(frozen=True)
class PassageSetting:
    """The fixed settings of one passage."""

    passage: Passage
    effort: Effort
    voice: TextAsk | None


ASKING = ("look",)
"""Steps that ask a model, once each."""
GROWING = ("named", "proposed", "refused", "versions", "changes", "notes")
"""Fields of the state of which each node adds its own."""


class PassageState(TypedDict):
    """The changing state of a passage; ``named`` are the edits of all looks, each once a look."""

    graphs: tuple[ActionGraph, ...]
    findings: tuple[Finding, ...]
    points: tuple[Point, ...]
    looks: int
    last: Ending
    why: str
    silent: str
    named: Annotated[tuple[CandidateEdit, ...], operator.add]
    proposed: Annotated[tuple[Change, ...], operator.add]
    refused: Annotated[int, operator.add]
    versions: Annotated[tuple[Version, ...], operator.add]
    changes: Annotated[tuple[Change, ...], operator.add]
    notes: Annotated[tuple[str, ...], operator.add]


@dataclass(frozen=True)
class Refined:
    """The best version of a passage, its changes, its remaining findings, and the reason for the end.

    ``proposed`` are edits of which the model was not sure, so that they were not made; ``refused`` is the number of
    those that add a fault.
    """

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
    proposed: tuple[Change, ...] = ()
    refused: int = 0


def begun(passage: Passage) -> PassageState:
    """Return the state before anything was done; a hint is a point that any change closes."""
    points = tuple(Point(kind, None, None, passage.graphs) for kind in passage.hints)
    return PassageState(
        graphs=passage.graphs,
        findings=(),
        points=points,
        looks=0,
        last="",
        why="",
        silent="",
        named=(),
        proposed=(),
        refused=0,
        versions=(),
        changes=(),
        notes=(),
    )


async def check(state: PassageState, setting: PassageSetting) -> Update:
    """Check the graphs by the rules, and decide whether to look at them."""
    findings = setting.passage.findings(state["graphs"])
    points = tuple(point for point in state["points"] if point.is_open(state["graphs"]))
    version = version_of(setting.passage, state["graphs"], findings, len(points), len(state["changes"]))
    is_clean = not version.faults and not points
    return {"findings": findings, "points": points, "versions": (version,), "why": _why(state, setting, is_clean)}


def _why(state: PassageState, setting: PassageSetting, is_clean: bool) -> str:
    """Return why no look follows; empty where one does."""
    if setting.voice is None:
        return CLEAN if is_clean else NO_MODEL
    if not state["looks"]:
        return "" if not is_clean or setting.effort.level != "low" else CLEAN
    if state["looks"] < setting.effort.looks and _would_help(state, setting.effort, is_clean):
        return ""
    if is_clean:
        return CLEAN
    return UNCHANGED if state["last"] == "nothing" or state["looks"] < setting.effort.looks else OUT_OF_CALLS


def _would_help(state: PassageState, effort: Effort, is_clean: bool) -> bool:
    """Return whether another look can tell more: two looks that agree end it."""
    if effort.needs_agreement and (state["looks"] < 2 or state["last"] == "undecided"):
        return True
    return state["last"] == "doubted" or (state["last"] not in ("", "nothing") and not is_clean)


async def repair(state: PassageState, setting: PassageSetting) -> Update:
    """Repair what needs no model."""
    start = setting.passage.start
    mended = mend(setting.passage.narrative(state["graphs"]), hands=setting.effort.repair == "hands", start=start)
    changes = tuple(replace(change, graph=change.graph - start, round=state["looks"]) for change in mended.changes)
    return {"graphs": mended.narrative.graphs[start:], "changes": changes}


async def look(state: PassageState, setting: PassageSetting) -> Update:
    """Ask what has to change, and make the edits that are sure enough and add no fault."""
    assert setting.voice is not None  # noqa: S101  (the graph leads here only with somebody to ask)
    passage, graphs, number = setting.passage, state["graphs"], state["looks"] + 1
    questions = questions_of(passage, graphs, state["findings"], state["points"])
    prompt = look_prompt(passage, graphs, [str(question) for question in questions])
    schema = schema_of(questions, passage.vocabulary, graphs)
    try:
        text = await setting.voice.text(prompt, f"look/{number}", draw=number - 1, schema=schema)
    except NoText as silent:
        return {"looks": number, "why": silent.reason, "silent": silent.kind}
    read = read_look(text, questions, passage, graphs)
    if not read.is_readable:
        notes = tuple(f"look/{number} could not be read: {note}" for note in read.notes)
        return {"looks": number, "last": "unread", "notes": notes}
    if read.rewritten:
        return _written_anew(read, state, number)
    return _decided(read, len(questions), state, setting, number)


def _written_anew(look: Look, state: PassageState, number: int) -> Update:
    """Take over graphs in the right number, which the rules confirm."""
    reason = next(finding.message for finding in state["findings"] if finding.code == GRAPH_COUNT)
    old, new = state["graphs"], look.rewritten
    changes = [
        Change(position, edit.before, edit.after, GRAPH_COUNT, reason, MODEL, number)
        for position in range(max(len(old), len(new)))
        for edit in edits_between(position, _at(old, position), _at(new, position))
    ]
    return {"graphs": new, "looks": number, "last": "changed", "changes": tuple(changes), "notes": look.notes}


def _at(graphs: Sequence[ActionGraph], number: int) -> ActionGraph:
    return graphs[number] if number < len(graphs) else ActionGraph()


def _decided(look: Look, questions: int, state: PassageState, setting: PassageSetting, number: int) -> Update:
    """Make the edits that a look names, as far as they are sure, agreed on, and add no fault.

    ``asked`` is the number of findings that it was to answer.
    """
    passage, graphs = setting.passage, state["graphs"]
    doubted = [correction for correction in look.named if correction.sure is not None and correction.sure < LEAST_SURE]
    corrections = [correction for correction in look.named if correction not in doubted]
    edits = {edit for correction in corrections for edit in correction.edits}
    counted = (*state["named"], *edits)
    confirmed = [correction for correction in corrections if _is_confirmed(passage, graphs, correction)]
    agreed = [
        correction
        for correction in corrections
        if not setting.effort.needs_agreement
        or correction in confirmed
        or all(counted.count(edit) > 1 for edit in correction.edits)
    ]
    new, accepted = _made(passage, graphs, agreed)
    left_out = [
        f"not made, since it adds a fault: {_told(correction)}" for correction in agreed if correction not in accepted
    ]
    waiting = [
        correction for correction in corrections if correction not in agreed and counted.count(correction.edits[0]) < 2
    ]
    proposed = tuple(change for correction in doubted for change in _changes(correction, number, PROPOSED))
    unsure = [f"not made, since the model is not sure: {_told(correction)}" for correction in doubted]
    hints = tuple(point for point in state["points"] if point.graph is None)
    known = tuple(point for point in state["points"] if point.graph is not None and point not in look.points)
    points = (*hints, *known, *look.points)
    version = version_of(passage, graphs, state["findings"], len(points) + len(accepted), len(state["changes"]))
    return {
        "graphs": new,
        "points": points,
        "looks": number,
        "last": _ending(look, questions, accepted, confirmed, waiting, setting.effort),
        "named": tuple(sorted(edits, key=str)),
        "proposed": proposed,
        "refused": len(left_out),
        "versions": (version,),
        "changes": tuple(change for correction in accepted for change in _changes(correction, number, MODEL)),
        "notes": (*look.notes, *left_out, *unsure),
    }


def _ending(
    look: Look,
    questions: int,
    accepted: Sequence[Named],
    confirmed: Sequence[Named],
    waiting: Sequence[Named],
    effort: Effort,
) -> Ending:
    if waiting:
        return "undecided"
    if accepted and not effort.needs_agreement:
        is_sure = all(correction in confirmed or (correction.sure or 0) >= SURE_ENOUGH for correction in accepted)
        return "changed" if is_sure else "doubted"
    if accepted:
        return "changed"
    is_open = look.points or look.named or len(look.answered) < questions
    return "named" if is_open else "nothing"


def _told(correction: Named) -> str:
    sure = "" if correction.sure is None else f" ({100 * correction.sure:.0f} %)"
    return f"graph {correction.edits[0].graph + 1}: " + "; ".join(map(str, correction.edits)) + sure


def _changes(correction: Named, number: int, by: str) -> list[Change]:
    return [
        Change(edit.graph, edit.before, edit.after, correction.code, correction.reason, by, number, correction.sure)
        for edit in correction.edits
    ]


def _faults(passage: Passage, graphs: Sequence[ActionGraph]) -> int:
    return sum(map(is_fault, passage.findings(graphs)))


def _with(graphs: Sequence[ActionGraph], corrections: Sequence[Named]) -> tuple[ActionGraph, ...]:
    """Return the graphs with the edits of some changes made."""
    edits = [edit for correction in corrections for edit in correction.edits]
    return tuple(edited(graph, [edit for edit in edits if edit.graph == number]) for number, graph in enumerate(graphs))


def _is_confirmed(passage: Passage, graphs: Sequence[ActionGraph], correction: Named) -> bool:
    """Return whether the rules find fewer faults after a change."""
    return _faults(passage, _with(graphs, [correction])) < _faults(passage, graphs)


def _made(
    passage: Passage, graphs: tuple[ActionGraph, ...], corrections: Sequence[Named]
) -> tuple[tuple[ActionGraph, ...], list[Named]]:
    """Return the graphs with these changes and those made; of some that add a fault, the others."""
    accepted = list[Named]()
    for number in range(len(graphs)):
        mine = [
            correction
            for correction in corrections
            if correction.edits[0].graph == number and _fits(correction, graphs)
        ]
        before, all_made = _faults(passage, graphs), _with(graphs, mine)
        if _faults(passage, all_made) <= before:
            graphs, accepted = all_made, [*accepted, *mine]
            continue
        for correction in mine:
            with_one = _with(graphs, [correction])
            if (after := _faults(passage, with_one)) <= before and _fits(correction, graphs):
                graphs, before, accepted = with_one, after, [*accepted, correction]
    return graphs, accepted


def _fits(correction: Named, graphs: Sequence[ActionGraph]) -> bool:
    """Return whether any of its edits changes a graph."""
    return any(
        edit.graph < len(graphs) and edited(graphs[edit.graph], [edit]).triplets != graphs[edit.graph].triplets
        for edit in correction.edits
    )


def after_start(state: PassageState, setting: PassageSetting) -> str:
    """Return the first node."""
    return "check" if setting.effort.repair == "none" else "repair"


def after_check(state: PassageState, setting: PassageSetting) -> str:
    """Return the node after a check."""
    return "end" if state["why"] else "look"


def after_look(state: PassageState, setting: PassageSetting) -> str:
    """Return the node after a look: repairs follow changes only."""
    if state["why"]:
        return "end"
    return after_start(state, setting) if state["last"] in ("changed", "doubted", "undecided") else "check"


Work = Callable[[PassageState, PassageSetting], Any]
Choose = Callable[[PassageState, PassageSetting], str]
NODES: dict[str, Work] = {
    "check": check,
    "repair": repair,
    "look": look,
}
ROUTES: dict[str, tuple[Choose, tuple[str, ...]]] = {
    "start": (after_start, ("repair", "check")),
    "check": (after_check, ("look", "end")),
    "look": (after_look, ("repair", "check", "end")),
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
            builder.add_conditional_edges(
                name, choice(choose), {target: end if target == "end" else target for target in targets}
            )


@cache
def compiled() -> CompiledStateGraph[PassageState, PassageSetting, PassageState, PassageState]:
    """Return the refiner of one passage as a LangGraph; a caller's checkpointer has no part in it."""
    from langgraph.graph import END, START, StateGraph

    builder = StateGraph(PassageState, context_schema=PassageSetting)
    add_steps(builder, node, route, END)
    choose, targets = ROUTES["start"]
    builder.add_conditional_edges(START, route(choose), list(targets))
    return builder.compile(checkpointer=False, name="refiner")


async def refine_passage(
    passage: Passage, ask: Ask | None, effort: Effort = USUAL, watch: Watch | None = None
) -> Refined:
    """Return the best version of a passage; without ``ask`` only exact repairs are made."""
    setting = PassageSetting(passage, effort, None if ask is None else TextAsk(ask))
    state = await ended(compiled(), begun(passage), setting, effort.most_steps, watch)
    return refined_from(state, setting)


def refined_from(state: PassageState, setting: PassageSetting) -> Refined:
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
        proposed=tuple(one for one in state["proposed"] if can_be_made(one, chosen.graphs)),
        refused=state["refused"],
    )


def left(refined: Refined) -> tuple[Finding, ...]:
    """Return the faults that the best version still has."""
    return tuple(finding for finding in refined.after if is_fault(finding))
