"""The refiner as a compiled LangGraph, usable alone or as a node.

>>> L = Vocabulary(("kettle",), ("verb", "dobj"), ("fill",))
>>> graph = refiner(lambda messages: "1: fill -> dobj -> kettle", vocabulary=L, effort="low")
>>> out = graph.invoke({"graphs": [[["fill", "verb", "person"], ["fill", "dobj", "vase"]]]})
>>> out["graphs"], out["calls"]
([[['person', 'verb', 'fill'], ['fill', 'dobj', 'kettle']]], 1)
>>> [(change["by"], change["code"]) for change in out["changes"]]
[('exact', 'verb-source'), ('model', 'out-of-vocabulary')]

It does the same as ``refine``, passage after passage. Its state between steps is plain values, so that it can resume
from any checkpoint without repeating calls.

The steps of refining one passage are nodes of the decomposer too. The state has two fields for them. ``around`` is the
passage as given. ``work`` contains ``passage``, its state; ``start``, the number of its first graph; ``sample``, the
name under which the model is asked; ``calls``, the number of calls; and ``asked``, the number of calls before this
passage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, Unpack

from tsgkit.agents.cleaner import ChangeTally, ended, with_repairs
from tsgkit.agents.effort import Effort, effort_of
from tsgkit.agents.graph_values import (
    ChangeValue,
    FindingValue,
    Graphs,
    change_values,
    counts_in,
    finding_values,
    graph_values,
    graphs_of,
    plain,
    plain_fields,
    public_node,
    restored,
    restored_state,
    sentences_in,
    vocabulary_in,
)
from tsgkit.agents.passages import Passage, spans_of
from tsgkit.agents.refinement import (
    GROWING,
    Choose,
    PassageSetting,
    PassageState,
    Refined,
    Work,
    add_steps,
    after_start,
    begun,
    refined_from,
)
from tsgkit.agents.shared_model import AskingOptions, shared_model
from tsgkit.defaults import Level, Repair
from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.llm.asker import Asker, TextAsk, ask_for

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import Checkpointer

Update = dict[str, Any]
NO_WORK: Update = {"around": {}, "work": {}}


def passage_begun(passage: Passage, start: int, sample: str, asked: int) -> Update:
    """Return the two fields before the first step of a passage."""
    state = plain_fields(PassageState, begun(passage))
    work = {"passage": state, "start": start, "sample": sample, "calls": 0, "asked": asked}
    return {"around": plain(Passage, passage), "work": work}


def passage_setting(state: Mapping[str, Any], asker: Asker | None, effort: Effort) -> PassageSetting:
    """Return what stays the same while the passage in work is refined."""
    work = state["work"]
    voice = None if asker is None else TextAsk(ask_for(asker, work["sample"]), work["calls"])
    return PassageSetting(restored(Passage, state["around"]), effort, voice)


def passage_refined(state: Mapping[str, Any], asker: Asker | None, effort: Effort) -> Refined:
    """Return what refining a passage came to."""
    return refined_from(restored_state(PassageState, state["work"]["passage"]), passage_setting(state, asker, effort))


def first_step(state: Mapping[str, Any], effort: Effort) -> str:
    """Return the first step of the passage in work."""
    return after_start(state["work"]["passage"], _of_no_passage(effort))


def add_passage_steps(builder: Any, asker: Asker | None, effort: Effort, end: str) -> None:  # noqa: ANN401
    """Add the steps of refining a passage to a graph that is being built; ``end`` is the node after the last."""

    def choice(choose: Choose) -> Callable[[Mapping[str, Any]], str]:
        return lambda state: choose(state["work"]["passage"], _of_no_passage(effort))

    add_steps(builder, lambda work: public_node(work.__name__, _step(work, asker, effort)), choice, end)


def _of_no_passage(effort: Effort) -> PassageSetting:
    """Return a setting for edges, which look at the effort alone."""
    return PassageSetting(Passage(()), effort, None)


def _step(work: Work, asker: Asker | None, effort: Effort) -> Any:  # noqa: ANN401
    async def run(state: Mapping[str, Any]) -> Update:
        setting = passage_setting(state, asker, effort)
        known, before = state["work"], state["work"]["passage"]
        changed = await work(restored_state(PassageState, before), setting)
        update = plain_fields(PassageState, changed)
        update |= {name: before[name] + update[name] for name in GROWING if name in update}
        calls = 0 if setting.voice is None else setting.voice.calls
        result = {"work": known | {"passage": before | update, "calls": calls}, "calls": known["asked"] + calls}
        if "findings" in changed:
            result["findings"] = finding_values(changed["findings"], known["start"])
        return result

    return run


MOST_STEPS = 1_000_000
"""The loop is bounded by the passages and the effort; LangGraph's own bound would stop long narratives."""


class RefineInput(TypedDict):
    """The fields that the refiner reads from the state.

    ``narrative`` is the story (a text or its sentences), ``counts`` are the numbers of graphs of its sentences, if not
    one each. ``vocabulary`` holds the lists ``object``, ``relationship`` and ``verb``.
    """

    graphs: Graphs
    narrative: NotRequired[str | list[str]]
    counts: NotRequired[list[int]]
    vocabulary: NotRequired[dict[str, list[str]] | None]


class RefineOutput(TypedDict):
    """The fields that the refiner writes.

    ``findings`` are the remaining ones, warnings included; ``undecided`` is the number of errors among them.
    ``proposed`` are edits of which the model was not sure, so that they were not made.
    ``stopped`` is the reason why the model was not asked to the end; ``failures`` and ``notes`` are failed calls and
    remarks.
    """

    graphs: Graphs
    changes: list[ChangeValue]
    proposed: list[ChangeValue]
    findings: list[FindingValue]
    undecided: int
    calls: int
    stopped: str
    failures: list[str]
    notes: list[str]


class _RefinerState(RefineInput, RefineOutput):
    """All fields: the work ``done`` (the present graphs and the number of the passage), and the passage in progress."""

    done: dict[str, Any]
    around: dict[str, Any]
    work: dict[str, Any]


def refiner(
    model: Any = None,  # noqa: ANN401  (the kinds of models share no type)
    *,
    vocabulary: Vocabulary | Mapping[str, Sequence[str]] | None = None,
    hint: str = "",
    effort: Effort | Level = "medium",
    repair: Repair | None = None,
    checkpointer: Checkpointer = None,
    **asking: Unpack[AskingOptions],
) -> CompiledStateGraph[_RefinerState, None, RefineInput, RefineOutput]:
    """Return a compiled LangGraph that cleans graphs: exact repairs first, then a model for the rest.

    ``model`` is a LiteLLM name, a function of messages, a chat model of LangChain, or an object with an ``ask``;
    without one only exact repairs are made. The other parameters are the options of ``tsgkit refine``. A vocabulary in
    the state overrides the one given here. Without its own checkpointer the graph uses that of the surrounding graph.
    """
    if hint and model is None:
        raise UsageError("hint is for a model, and none is given", hint="give model=...")
    asker = shared_model(model, asking)
    return _Refiner(asker, vocabulary_in(vocabulary), hint, effort_of(effort, repair)).compiled(checkpointer)


@dataclass(frozen=True)
class _Refiner:
    """The nodes of one refiner."""

    asker: Asker | None
    vocabulary: Vocabulary | None
    hint: str
    effort: Effort

    def __post_init__(self) -> None:
        Passage((), hint=self.hint)  # refuses a hint that is none

    def compiled(
        self, checkpointer: Checkpointer
    ) -> CompiledStateGraph[_RefinerState, None, RefineInput, RefineOutput]:
        from langgraph.graph import END, START, StateGraph

        builder = StateGraph(_RefinerState, input_schema=RefineInput, output_schema=RefineOutput)
        builder.add_node("begin", public_node("begin", self.begin))
        builder.add_edge(START, "begin")
        add_passage_steps(builder, self.asker, self.passage_effort, "next")
        for name, work in {"next": self.next, "finish": self.finish}.items():
            builder.add_node(name, public_node(name, work))
        for name in ("begin", "next"):
            builder.add_conditional_edges(name, self.after_passage, ["repair", "check", "finish"])
        builder.add_edge("finish", END)
        return builder.compile(checkpointer, name="refiner").with_config(recursion_limit=MOST_STEPS)

    async def begin(self, state: _RefinerState) -> Update:
        """Repair the whole narrative, and begin with its first passage."""
        narrative = self.narrative(state)
        tally, graphs = with_repairs(narrative, self.effort)
        return self.turned_to(state, 0, graphs, tally) | {"calls": 0}

    async def next(self, state: _RefinerState) -> Update:
        """Take over the best version of a passage, and turn to the one after it."""
        refined = passage_refined(state, self.asker, self.passage_effort)
        graphs, tally = self.done(state)
        start, size = state["work"]["start"], len(state["around"]["graphs"])
        if len(refined.graphs) == size:
            graphs[start : start + size] = refined.graphs
            tally.add(refined, start)
        return self.turned_to(state, state["done"]["number"] + 1, graphs, tally)

    async def finish(self, state: _RefinerState) -> Update:
        """Return what it all came to."""
        graphs, tally = self.done(state)
        cleaned = ended(self.narrative(state), graphs, tally)
        return {
            "graphs": graph_values(cleaned.narrative.graphs),
            "changes": change_values(cleaned.changes),
            "proposed": change_values(cleaned.proposed),
            "findings": finding_values(cleaned.after),
            "undecided": len(cleaned.undecided),
            "calls": cleaned.calls,
            "stopped": cleaned.stopped,
            "failures": list(cleaned.failures),
            "notes": list(cleaned.notes),
            "done": {},
        }

    @property
    def passage_effort(self) -> Effort:
        """The effort for a passage; hands were already repaired along the narrative."""
        return self.effort if self.effort.repair == "none" else replace(self.effort, repair="exact")

    def after_passage(self, state: _RefinerState) -> str:
        """Return the first step of the next passage, if there is one."""
        return first_step(state, self.effort) if state["work"] else "finish"

    def done(self, state: _RefinerState) -> tuple[list[ActionGraph], ChangeTally]:
        """Return the graphs as they are now, and what came together on the way."""
        return restored(list[ActionGraph], state["done"]["graphs"]), restored(ChangeTally, state["done"]["tally"])

    def turned_to(self, state: _RefinerState, number: int, graphs: list[ActionGraph], tally: ChangeTally) -> Update:
        """Return the finished work and the next passage; none if no model is asked any more."""
        done = {"graphs": plain(list[ActionGraph], graphs), "number": number, "tally": plain(ChangeTally, tally)}
        narrative = self.narrative(state)
        span = next(islice(spans_of(narrative, self.told(state)), number, None), None)
        if self.asker is None or tally.stopped or span is None:
            return {"done": done} | NO_WORK
        passage = span.passage(graphs, narrative.vocabulary, self.hint)
        return {"done": done} | passage_begun(passage, span.start, f"0/{number}", tally.calls)

    def told(self, state: Mapping[str, Any]) -> Sequence[str]:
        """Return the story if it is not yet joined to the graphs by numbers."""
        return () if state.get("counts") is not None else sentences_in(state)

    def narrative(self, state: Mapping[str, Any]) -> Narrative:
        """Return the narrative that was given."""
        graphs, sentences = graphs_of(state, "the refiner"), sentences_in(state)
        vocabulary = vocabulary_in(state.get("vocabulary")) or self.vocabulary
        counts = counts_in(state, sentences)
        if counts is None:
            return Narrative.of(graphs, vocabulary)
        if sum(counts) != len(graphs):
            raise UsageError(f"counts: {sum(counts)} graphs in all, and there are {len(graphs)} graphs")
        left = iter(graphs)
        descriptions = [
            Description(text, tuple(islice(left, size))) for text, size in zip(sentences, counts, strict=True)
        ]
        return Narrative(tuple(descriptions), vocabulary)
