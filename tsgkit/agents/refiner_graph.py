"""The refiner as a compiled LangGraph, which works alone and as a node of a caller's own graph.

>>> said = "person -> verb -> fill; fill -> dobj -> kettle"
>>> L = Vocabulary(("kettle",), ("verb", "dobj"), ("fill",))
>>> graph = refiner(lambda messages: said, vocabulary=L, critique=False)
>>> out = graph.invoke({"graphs": [[["fill", "verb", "person"], ["fill", "dobj", "vase"]]]})
>>> out["graphs"], out["calls"]
([[['person', 'verb', 'fill'], ['fill', 'dobj', 'kettle']]], 1)
>>> [(change["by"], change["code"]) for change in out["changes"]]
[('exact', 'verb-source'), ('model', 'out-of-vocabulary')]

It does what ``refine`` does, passage after passage. What it knows between two steps is plain values, so that it goes on
from any checkpoint: what was answered before is not asked again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, Unpack

from tsgkit.agents.asking import Asker, Voice, ask_for
from tsgkit.agents.cleaning import Tally, begun, ended
from tsgkit.agents.graph_values import (
    ChangeValue,
    FindingValue,
    Graphs,
    change_values,
    counts_in,
    finding_values,
    graph_values,
    graphs_of,
    public_node,
    sentences_in,
    vocabulary_in,
)
from tsgkit.agents.passage_steps import Update, add_passage_steps, first_step, passage_begun, passage_refined
from tsgkit.agents.passages import Passage, Span, spans_of
from tsgkit.agents.plain_state import plain, restored
from tsgkit.agents.refinement import Effort, Repair, Setting
from tsgkit.agents.shared_model import AskingOptions, shared_model
from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import Checkpointer

MOST_STEPS = 1_000_000
"""The loop is bounded by the passages and the rounds; LangGraph's own bound would stop long narratives."""


class RefineInput(TypedDict):
    """The fields that the refiner reads; those of a caller's state that have these names are given to it.

    ``narrative`` is the story (a text or its sentences), ``counts`` are the numbers of graphs of its sentences, where
    they are not one each. ``vocabulary`` holds the lists ``object``, ``relationship`` and ``verb``.
    """

    graphs: Graphs
    narrative: NotRequired[str | list[str]]
    counts: NotRequired[list[int]]
    vocabulary: NotRequired[dict[str, list[str]] | None]


class RefineOutput(TypedDict):
    """The fields that the refiner writes.

    ``findings`` are those that are left, warnings included; ``undecided`` is how many of them are faults. ``stopped``
    is why the model was not asked to the end; ``failures`` and ``notes`` are what went wrong on the way.
    """

    graphs: Graphs
    changes: list[ChangeValue]
    findings: list[FindingValue]
    undecided: int
    calls: int
    stopped: str
    failures: list[str]
    notes: list[str]


class _State(RefineInput, RefineOutput):
    """All fields, with the work that is under way: ``graphs`` as they are, the ``number`` of the passage, its state."""

    work: dict[str, Any]


def refiner(
    model: Any = None,  # noqa: ANN401  (the kinds of models share no type)
    *,
    vocabulary: Vocabulary | Mapping[str, Sequence[str]] | None = None,
    hint: str = "",
    rounds: int = Effort.rounds,
    critique: bool = Effort.critique,
    repair: Repair = Effort.repair,
    checkpointer: Checkpointer = None,
    **asking: Unpack[AskingOptions],
) -> CompiledStateGraph[_State, None, RefineInput, RefineOutput]:
    """Return a compiled LangGraph that cleans graphs: exact repairs first, then a model for what is left.

    ``model`` is a name as LiteLLM has it, a function of messages, a chat model of LangChain, or anything with an
    ``ask``; without one only exact repairs are made. The other parameters are the options of ``tsgkit refine``. A
    vocabulary in the state goes before the one given here. Without a checkpointer of its own the graph takes that of
    the graph it is a node of.
    """
    if hint and model is None:
        raise UsageError("hint is for a model, and none is given", hint="give model=...")
    work = _Refiner(shared_model(model, asking), vocabulary_in(vocabulary), hint, Effort(rounds, critique, repair))
    return work.compiled(checkpointer)


@dataclass(frozen=True)
class _Refiner:
    """The nodes of one refiner."""

    asker: Asker | None
    vocabulary: Vocabulary | None
    hint: str
    effort: Effort

    def __post_init__(self) -> None:
        Passage((), hint=self.hint)  # refuses a hint that is none

    def compiled(self, checkpointer: Checkpointer) -> CompiledStateGraph[_State, None, RefineInput, RefineOutput]:
        from langgraph.graph import END, START, StateGraph

        builder = StateGraph(_State, input_schema=RefineInput, output_schema=RefineOutput)
        builder.add_node("begin", public_node("begin", self.begin))
        builder.add_edge(START, "begin")
        add_passage_steps(builder, self.setting, "next")
        for name, work in {"next": self.next, "finish": self.finish}.items():
            builder.add_node(name, public_node(name, work))
        for name in ("begin", "next"):
            builder.add_conditional_edges(name, self.after_passage, ["repair", "check", "finish"])
        builder.add_edge("finish", END)
        return builder.compile(checkpointer, name="refiner").with_config(recursion_limit=MOST_STEPS)

    async def begin(self, state: _State) -> Update:
        """Repair the whole narrative, and begin with its first passage."""
        narrative = self.narrative(state)
        tally, graphs = begun(narrative, self.effort.repair)
        return self.turned_to(state, 0, graphs, tally) | {"calls": 0}

    async def next(self, state: _State) -> Update:
        """Take over the best version of a passage, and turn to the one after it."""
        known = state["work"]
        setting, start = self.setting(state)
        refined = passage_refined(known, setting)
        graphs, tally = list(restored(tuple[ActionGraph, ...], known["graphs"])), restored(Tally, known["tally"])
        if len(refined.graphs) == setting.passage.count:
            graphs[start : start + len(refined.graphs)] = refined.graphs
            tally.add(refined, start)
        return self.turned_to(state, known["number"] + 1, graphs, tally)

    async def finish(self, state: _State) -> Update:
        """Say what it all came to."""
        known = state["work"]
        graphs, tally = restored(tuple[ActionGraph, ...], known["graphs"]), restored(Tally, known["tally"])
        cleaned = ended(self.narrative(state), graphs, tally)
        return {
            "graphs": graph_values(cleaned.narrative.graphs),
            "changes": change_values(cleaned.changes),
            "findings": finding_values(cleaned.after),
            "undecided": len(cleaned.undecided),
            "calls": cleaned.calls,
            "stopped": cleaned.stopped,
            "failures": list(cleaned.failures),
            "notes": list(cleaned.notes),
            "work": {},
        }

    def after_passage(self, state: _State) -> str:
        """Return the first step of the next passage, if there is one."""
        return first_step(state["work"], self.setting(state)[0]) if state["work"]["passage"] else "finish"

    def turned_to(self, state: _State, number: int, graphs: Sequence[ActionGraph], tally: Tally) -> Update:
        """Return the work with its next passage; with none where nobody is asked any more."""
        span = None if self.asker is None or tally.stopped else self.span(state, number)
        passage = None if span is None else span.passage(graphs, self.narrative(state).vocabulary, self.hint)
        return {
            "work": {
                "graphs": plain(tuple[ActionGraph, ...], tuple(graphs)),
                "number": number,
                "tally": plain(Tally, tally),
                **passage_begun(passage, tally.calls),
            }
        }

    def setting(self, state: Mapping[str, Any]) -> tuple[Setting, int]:
        """Return what stays the same while the passage in work is refined, and where that lies."""
        known = state["work"]
        span = self.span(state, known["number"])
        assert span is not None and self.asker is not None  # noqa: S101  (there is a passage in work)
        graphs = restored(tuple[ActionGraph, ...], known["graphs"])
        passage = span.passage(graphs, self.narrative(state).vocabulary, self.hint)
        repair: Repair = "none" if self.effort.repair == "none" else "exact"  # hands: along all of the narrative
        effort = Effort(self.effort.rounds, self.effort.critique, repair)
        return Setting(passage, effort, Voice(ask_for(self.asker, f"0/{known['number']}"), known["calls"])), span.start

    def span(self, state: Mapping[str, Any], number: int) -> Span | None:
        told = () if state.get("counts") is not None else sentences_in(state)
        return next(islice(spans_of(self.narrative(state), told), number, None), None)

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
