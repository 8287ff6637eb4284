"""The decomposer as a compiled LangGraph, usable alone or as a node.

>>> def model(messages):
...     asked = messages[-1]["content"]
...     return "fill the kettle" if "decompose" in asked.lower() else "person -> verb -> fill; fill -> dobj -> kettle"
>>> out = decomposer(model).invoke({"narrative": "She fills the kettle. She fills it again."})
>>> out["graphs"][0], out["counts"], out["calls"]
([['person', 'verb', 'fill'], ['fill', 'dobj', 'kettle']], [1, 1], 4)

It does the same as ``generate``, sentence after sentence. Its state between steps is plain values, as in the refiner's
graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, Unpack, cast

from tsgkit.agents.decomposition import (
    WRITTEN,
    Choose,
    Sentence,
    SentenceSetting,
    SentenceState,
    Work,
    add_writing,
    after_start,
    begun,
    taken_over,
    told_from,
    written,
)
from tsgkit.agents.effort import Effort, effort_of
from tsgkit.agents.graph_values import (
    change_values,
    counts_in,
    finding_values,
    graph_values,
    plain,
    plain_fields,
    public_node,
    restored,
    restored_fields,
    restored_state,
    sentences_in,
    vocabulary_in,
)
from tsgkit.agents.refiner_graph import (
    MOST_STEPS,
    NO_WORK,
    RefineOutput,
    Update,
    add_passage_steps,
    first_step,
    passage_begun,
    passage_refined,
)
from tsgkit.agents.shared_model import KINDS, AskingOptions, shared_model
from tsgkit.agents.story_graphs import StoryProgress
from tsgkit.defaults import Level, Repair
from tsgkit.errors import UsageError
from tsgkit.graph.model import Description, Vocabulary
from tsgkit.graph.notation.narratives import vocabulary_value
from tsgkit.llm.asker import Asker, TextAsk, ask_for

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph
    from langgraph.types import Checkpointer

TOLD = ("descriptions", "vocabulary", "changes", "notes", "failures", "calls", "stopped", "in_a_row")
"""Fields that change while a story is processed."""


class DecomposeInput(TypedDict):
    """The fields that the decomposer reads from the state.

    ``narrative`` is the story (a text or its sentences), ``wanted_counts`` are the numbers of graphs of its sentences,
    if known. ``vocabulary`` holds the lists ``object``, ``relationship`` and ``verb``. It is ignored if the model
    proposes them, so that an earlier story leaves no L behind.
    """

    narrative: str | list[str]
    wanted_counts: NotRequired[list[int]]
    vocabulary: NotRequired[dict[str, list[str]] | None]


class DecomposeOutput(RefineOutput):
    """The fields that the decomposer writes: the refiner's, the numbers of graphs per sentence, and L."""

    counts: list[int]
    vocabulary: dict[str, list[str]] | None


class _DecomposerState(DecomposeOutput, total=False):
    """All fields of the state.

    ``told`` is the progress in the story. ``sentence`` is the sentence in work, ``written`` the state of writing its
    graphs, ``around`` their passage, and ``work`` the state of refining it.
    """

    narrative: str | list[str]
    wanted_counts: list[int]
    told: dict[str, Any]
    sentence: dict[str, Any]
    written: dict[str, Any]
    around: dict[str, Any]
    work: dict[str, Any]


def decomposer(
    model: Any,  # noqa: ANN401  (the kinds of models share no type)
    *,
    vocabulary: Vocabulary | Mapping[str, Sequence[str]] | None = None,
    open_vocabulary: bool = False,
    effort: Effort | Level = WRITTEN.level,
    repair: Repair | None = None,
    checkpointer: Checkpointer = None,
    **asking: Unpack[AskingOptions],
) -> CompiledStateGraph[_DecomposerState, None, DecomposeInput, DecomposeOutput]:
    """Return a compiled LangGraph that turns a story into graphs, sentence by sentence.

    The parameters are those of :func:`~tsgkit.agents.refiner`. With ``open_vocabulary`` the model first proposes L for
    the whole story.
    """
    asker = shared_model(model, asking)
    if asker is None:
        raise UsageError("a model is needed to turn a story into graphs", hint=f"give {KINDS}")
    allowed = vocabulary_in(vocabulary)
    if open_vocabulary and allowed is not None:
        raise UsageError("a vocabulary is given, so none can be proposed", hint="leave out one of the two")
    return _Decomposer(asker, allowed, open_vocabulary, effort_of(effort, repair)).compiled(checkpointer)


@dataclass(frozen=True)
class _Decomposer:
    """The nodes of one decomposer."""

    asker: Asker
    vocabulary: Vocabulary | None
    is_open: bool
    effort: Effort

    def compiled(
        self, checkpointer: Checkpointer
    ) -> CompiledStateGraph[_DecomposerState, None, DecomposeInput, DecomposeOutput]:
        from langgraph.graph import END, START, StateGraph

        builder = StateGraph(_DecomposerState, input_schema=DecomposeInput, output_schema=DecomposeOutput)
        works = {"begin": self.begin, "refine": self.refine, "next": self.next, "finish": self.finish}
        for name, work in (works | ({"propose": self.propose} if self.is_open else {})).items():
            builder.add_node(name, public_node(name, work))
        add_writing(builder, self.step, self.choice, "next")
        add_passage_steps(builder, self.asker, self.effort, "next")
        builder.add_conditional_edges("refine", self.after_refine, ["repair", "check"])
        builder.add_edge(START, "begin")
        if self.is_open:
            builder.add_edge("begin", "propose")
        for name in ("propose" if self.is_open else "begin", "next"):
            builder.add_conditional_edges(name, self.after_sentence, ["decompose", "write", "finish"])
        builder.add_edge("finish", END)
        return builder.compile(checkpointer, name="decomposer").with_config(recursion_limit=MOST_STEPS)

    async def begin(self, state: _DecomposerState) -> Update:
        """Begin with the first sentence."""
        return self.turned_on(self.telling(state, {})) | {"calls": 0}

    async def propose(self, state: _DecomposerState) -> Update:
        """Ask for L."""
        telling = self.telling(state)
        await telling.propose(self.asker)
        return self.turned_on(telling) | {"calls": telling.calls}

    def step(self, work: Work) -> Any:  # noqa: ANN401  (a node)
        """Return a node that does a step of writing the sentence that is in work."""

        async def run(state: _DecomposerState) -> Update:
            setting, known = self.setting(state), state["written"]
            update = plain_fields(SentenceState, await work(restored_state(SentenceState, known["state"]), setting))
            update["notes"] = known["state"]["notes"] + update.get("notes", [])
            calls = setting.voice.calls
            written = known | {"state": known["state"] | update, "calls": calls}
            return {"written": written, "calls": state["told"]["calls"] + calls}

        return public_node(work.__name__, run)

    def choice(self, choose: Choose) -> Callable[[_DecomposerState], str]:
        """Return an edge that chooses by the state of the sentence that is in work."""
        return lambda state: choose(state["written"]["state"], self.setting(state))

    async def refine(self, state: _DecomposerState) -> Update:
        """Begin to refine the graphs of the sentence together."""
        known = state["written"]
        passage = written(restored_state(SentenceState, known["state"]), self.setting(state))
        start = sum(len(description["graphs"]) for description in state["told"]["descriptions"])
        return passage_begun(passage, start, known["sample"], state["told"]["calls"] + known["calls"])

    def after_refine(self, state: _DecomposerState) -> str:
        """Return the first step of refining."""
        return first_step(state, self.effort)

    async def next(self, state: _DecomposerState) -> Update:
        """Take over the result of a sentence and continue with the next."""
        sentence = restored_state(SentenceState, state["written"]["state"])
        if state["work"]:
            changed = taken_over(passage_refined(state, self.asker, self.effort))
            changed["notes"] = (*sentence["notes"], *changed["notes"])
            sentence = cast(SentenceState, {**sentence, **changed})
        telling = self.telling(state)
        telling.add(len(telling.descriptions), told_from(sentence, self.setting(state)))
        return self.turned_on(telling)

    async def finish(self, state: _DecomposerState) -> Update:
        """Return what it all came to."""
        telling = self.telling(state)
        untold = telling.sentences[len(telling.descriptions) :]
        telling.descriptions += [Description(sentence) for sentence in untold]
        generated = telling.generated()
        return {
            "graphs": graph_values(generated.narrative.graphs),
            "counts": [len(description.graphs) for description in generated.narrative.descriptions],
            "vocabulary": None if telling.vocabulary is None else vocabulary_value(telling.vocabulary),
            "changes": change_values(generated.changes),
            "findings": finding_values(generated.findings),
            "undecided": len(generated.undecided),
            "calls": generated.calls,
            "stopped": generated.stopped,
            "failures": list(generated.failures),
            "notes": list(generated.notes),
            "told": {},
        }

    def after_sentence(self, state: _DecomposerState) -> str:
        """Return the first step of the next sentence, if there is one."""
        return after_start(state["written"]["state"], self.setting(state)) if state["written"] else "finish"

    def turned_on(self, telling: StoryProgress) -> Update:
        """Return the story so far and its next sentence; none if no model is asked any more."""
        told = plain_fields(StoryProgress, {name: getattr(telling, name) for name in TOLD})
        number = len(telling.descriptions)
        if telling.stopped or number == len(telling.sentences):
            return {"told": told, "sentence": {}, "written": {}} | NO_WORK
        sentence = plain(Sentence, telling.sentence(number))
        written = {"state": plain_fields(SentenceState, begun()), "sample": str(number), "calls": 0}
        return {"told": told, "sentence": sentence, "written": written} | NO_WORK

    def telling(self, state: Mapping[str, Any], told: Mapping[str, Any] | None = None) -> StoryProgress:
        """Return the story so far."""
        sentences = sentences_in(state)
        vocabulary = None if self.is_open else vocabulary_in(state.get("vocabulary"))
        counts = counts_in(state, sentences, "wanted_counts")
        telling = StoryProgress(sentences, vocabulary or self.vocabulary, counts, self.effort)
        known = restored_fields(StoryProgress, state["told"] if told is None else told)
        for name, value in known.items():
            setattr(telling, name, value)
        return telling

    def setting(self, state: _DecomposerState) -> SentenceSetting:
        """Return what stays the same while the sentence in work is written."""
        known = state["written"]
        ask = ask_for(self.asker, known["sample"])
        return SentenceSetting(
            restored(Sentence, state["sentence"]), self.effort, ask, TextAsk(ask, known["calls"]), None
        )
