"""The agents as compiled graphs: alone, as nodes of a caller's own LangGraph, streamed, and gone on with."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any, TypedDict

import pytest
from doors import run
from spoken_models import BETTER, CUP, GOOD, RINSE, VASE, L, arrows, graph

import tsgkit as tk
from tsgkit.agents import ByLabel, Effort, RefineInput
from tsgkit.agents.effort import LEVELS
from tsgkit.agents.graph_values import change_values, finding_values, graph_values
from tsgkit.agents.mermaid import mermaid
from tsgkit.errors import UsageError
from tsgkit.graph import Description, Narrative
from tsgkit.graph.notation.narratives import vocabulary_value
from tsgkit.llm.asker import MemoryRecorder
from tsgkit.llm.door import Call
from tsgkit.llm.failures import BudgetReached
from tsgkit.llm.reply import Ending, Reply

SLIP = graph("fill verb person; fill dobj kettle; fill with hand1")
TEA: Any = {"configurable": {"thread_id": "tea"}}

Values = dict[str, Any]


class Scripted:
    """A function model: says what it is told, one after the other, and remembers what it was asked."""

    def __init__(self, *says: str) -> None:
        self.says = list(says)
        self.asked: list[str] = []

    async def __call__(self, messages: list[dict[str, Any]]) -> str:
        self.asked.append(messages[-1]["content"])
        return self.says.pop(0) if len(self.says) > 1 else self.says[0]


class Faulty:
    """An asker that answers by chance, well and badly, and sometimes fails; the same for the same seed."""

    name = "faulty"

    def __init__(self, seed: int) -> None:
        self.choice = random.Random(seed)

    async def ask(self, where: Call, messages: object, *, label: str, draw: int = 0, schema: object = None) -> Reply:
        if self.choice.random() < 0.1:
            return Reply(None, Ending.API_ERROR, error="broken")
        if self.choice.random() < 0.02:
            raise BudgetReached("used up")
        lines = ["none", "graph 1: missing: fill -> from -> tap", "1: reversed", "it is fine", "graph 9: missing:"]
        if label.startswith("look") and self.choice.random() < 0.7:
            return Reply(self.choice.choice([*lines, "1: a", f"{BETTER} (90)", "graph 1: redundant: 3 (30)"]))
        return Reply(self.choice.choice([arrows(GOOD), arrows(CUP, RINSE), arrows(VASE), "no", arrows(RINSE)]))


def test_refiner_cleans_graphs_when_awaited_when_not_and_where_a_loop_is_running() -> None:
    given: Any = {"graphs": graph_values([SLIP, VASE])}
    refiner = tk.agents.refiner(lambda messages: BETTER, vocabulary=L, effort="low", max_outage=0, wait_for_server=0)
    awaited = run(refiner.ainvoke(given))
    assert awaited["graphs"] == graph_values([GOOD, GOOD])
    assert (awaited["calls"], awaited["undecided"], awaited["stopped"], awaited["failures"]) == (1, 0, "", [])
    assert [change["by"] for change in awaited["changes"]] == ["exact", "model"]
    assert refiner.invoke(given) == awaited and refiner.batch([given, given]) == [awaited, awaited]

    async def invoked() -> Values:
        return refiner.invoke(given)

    assert run(invoked()) == awaited


def values_of(made: Any) -> Values:  # noqa: ANN401  (what was refined or generated)
    """Return what a graph leaves of this in its state."""
    shared = {"calls": made.calls, "stopped": made.stopped, "failures": [*made.failures], "notes": [*made.notes]}
    return shared | {"graphs": graph_values(made.narrative.graphs), "changes": change_values(made.changes)}


def test_refiner_graph_and_arefine_come_to_the_same() -> None:
    for seed in range(9):
        choice = random.Random(seed)
        graphs = choice.choices([GOOD, VASE, CUP, SLIP, RINSE, graph("fill verb person; fill dobj vase")], k=5)
        level: Any = choice.choice(LEVELS)
        repair: Any = choice.choice(["none", "exact", "hands"])
        hint = choice.choice(["", "", "missing"])
        sentences = choice.choice([[], ["She works."], ["Wash.", "Dry.", "Fill.", "Rinse.", "Stop."]])
        told: list[str] = sentences
        narrative = Narrative.of(graphs, L)
        given: RefineInput = {"graphs": graph_values(graphs), "narrative": sentences}
        if seed % 3 == 0:
            sentences, told = ["She fills and rinses.", "Nothing.", "Then again."], []
            parts = zip(sentences, (graphs[:2], [], graphs[2:]), strict=True)
            narrative = Narrative(tuple(Description(text, tuple(part)) for text, part in parts), L)
            given = {"graphs": graph_values(graphs), "narrative": sentences, "counts": [2, 0, 3]}
        effort = Effort(level, repair)
        expected = run(tk.agents.arefine(narrative, Faulty(seed), told=told, hint=hint, effort=effort))
        agent = tk.agents.refiner(Faulty(seed), vocabulary=L, effort=level, repair=repair, hint=hint)
        findings, proposed = finding_values(expected.after), change_values(expected.proposed)
        more = {"proposed": proposed, "findings": findings, "undecided": len(expected.undecided)}
        assert run(agent.ainvoke(given)) == values_of(expected) | more, seed


class Kitchen(TypedDict, total=False):
    graphs: list[list[list[str]]]
    narrative: list[str]
    vocabulary: dict[str, list[str]]
    calls: int
    triplets: int
    recipe: str


def fetch(state: Kitchen) -> Values:
    return {"graphs": graph_values([SLIP, VASE]), "narrative": ["She fills the kettle.", "She fills it again."]}


def count(state: Kitchen) -> Values:
    return {"triplets": sum(map(len, state["graphs"]))}


def kitchen(clean: Any, checkpointer: Any = None) -> Any:  # noqa: ANN401  (LangGraph's, imported when used)
    from langgraph.graph import START, StateGraph

    builder: StateGraph[Any] = StateGraph(Kitchen)
    steps: Any = [("fetch", fetch), ("clean", clean), ("count", count)]
    builder.add_sequence(steps)
    builder.add_edge(START, "fetch")
    return builder.compile(checkpointer)


def test_refiner_is_a_node_of_a_callers_graph_that_streams(caplog: pytest.LogCaptureFixture) -> None:
    graph = kitchen(tk.agents.refiner(Scripted(BETTER), effort="low"))
    given = {"recipe": "tea", "vocabulary": vocabulary_value(L)}
    out = run(graph.ainvoke(given))
    assert out["graphs"] == graph_values([GOOD, GOOD])
    assert (out["triplets"], out["calls"], out["recipe"]) == (6, 1, "tea")
    assert set(out) == set(Kitchen.__annotations__), "what the caller has no field for is left out"
    assert graph.invoke(given) == out
    graph, events = kitchen(tk.agents.refiner(Scripted("none", BETTER), vocabulary=L)), list[tuple[str, Any]]()

    async def stream() -> None:
        event: Any
        async for event in graph.astream({"recipe": "tea"}, stream_mode="updates", subgraphs=True):
            if event[0] and event[0][0].startswith("clean:"):
                events.extend(event[1].items())

    run(stream())
    names = [name for name, _ in events]
    assert set(names) == set(re.findall(r"^\t([a-z]\w*)\(", mermaid("refiner"), re.MULTILINE))
    assert names[0] == "begin" and names[-1] == "finish" and names.count("next") == 2
    assert dict(events)["look"]["calls"] == 2 and dict(events)["check"]["findings"] == []
    with pytest.raises(UsageError, match="there is no agent reviewer"):
        mermaid("reviewer")

    async def clean(state: Kitchen) -> Values:
        cleaned = await tk.arefine([VASE], ByLabel({"look/1": BETTER}), vocabulary=L, effort=Effort("low"))
        return {"graphs": graph_values(cleaned.narrative.graphs)}

    from langgraph.checkpoint.memory import InMemorySaver

    saver = InMemorySaver()
    assert run(kitchen(clean, saver).ainvoke({"recipe": "tea"}, TEA))["graphs"] == graph_values([GOOD])
    assert {one.config["configurable"]["checkpoint_ns"] for one in saver.list(None)} == {""} and caplog.records == []


def test_agents_refuse_input_that_is_none_and_parameters_that_cannot_be_kept() -> None:
    inputs: list[tuple[Any, str]] = [
        ({}, "the refiner was given no graphs"),
        ({"graphs": "tea"}, "graphs: expected a list of graphs, found a string"),
        ({"graphs": [[["a", "b"]]]}, "graphs: graph 1, triplet 1: expected three strings, found a list of 2"),
        ({"graphs": [], "vocabulary": {"object": []}}, "vocabulary: the list 'relationship' is missing"),
        ({"graphs": [], "narrative": 7}, "narrative: expected a text or a list of sentences, found a number"),
        ({"graphs": [[]], "narrative": ["Tea."], "counts": [2]}, "counts: 2 graphs in all, and there are 1 graphs"),
        ({"graphs": [[]], "narrative": ["Tea."], "counts": [1, 1]}, "counts: 2 numbers of graphs for 1 sentences"),
        ({"graphs": [[]], "counts": ["1"]}, "counts: expected a list of numbers"),
    ]
    parameters: list[tuple[Any, str]] = [
        ({"model": 7}, "a int is no model"),
        ({"model": lambda: ""}, "cannot be called with"),
        ({"vocabulary": ["cup"]}, "vocabulary: expected an object"),
        ({"hint": "missing"}, "hint is for a model, and none is given"),
        ({"model": str, "hint": "spelling"}, "no error type spelling"),
        ({"effort": "most"}, "there is no effort 'most'"),
        ({"model": "openai/x", "max_request": 3}, "there is no option max_request"),
        ({"model": "openai/x", "max_requests": 0}, "max_requests=0: expected a number greater than 0"),
        ({"model": "openai/x", "max_outage": -1}, "max_outage=-1: expected 0 .do not wait. or more"),
        ({"model": "openai/x", "model_arg": "temperature=1"}, "model_arg is one text"),
        ({"max_requests": 3}, "max_requests has no use: no model is given"),
    ]
    stories: list[tuple[Any, str]] = [
        ({"narrative": ""}, "the story has no sentence"),
        ({"narrative": "Tea.", "wanted_counts": [101]}, "from 1 to 100"),
        ({"narrative": "Tea.", "wanted_counts": [1, 1]}, "wanted_counts: 2 numbers of graphs for 1 sentences"),
    ]
    told: list[tuple[Any, str]] = [
        ({"model": None}, "a model is needed to turn a story into graphs"),
        ({"model": str, "vocabulary": L, "open_vocabulary": True}, "none can be proposed"),
    ]
    refiner, decomposer = tk.agents.refiner, tk.agents.decomposer
    refused: list[tuple[Callable[[Any], object], list[tuple[Any, str]]]] = [
        (lambda given: refiner().invoke(given), inputs),
        (lambda given: refiner(**given), parameters),
        (lambda given: decomposer(str, open_vocabulary=True).invoke(given), stories),
        (lambda given: decomposer(**given), told),
    ]
    for act, rows in refused:
        for given, message in rows:
            with pytest.raises(UsageError, match=message):
                act(given)


def test_models_of_a_refiner_are_kept_apart_recorded_limited_and_asked_again_after_they_failed() -> None:
    given: Any = {"graphs": graph_values([VASE])}
    model = Scripted("no")
    agent = tk.agents.refiner(model, vocabulary=L, max_requests=3)
    outs = [run(agent.ainvoke(given)) for _ in range(3)]
    assert [out["calls"] for out in outs] == [2, 1, 0] and len(model.asked) == 3
    assert "3 of 3 requests" in outs[2]["stopped"], "limits hold for all runs"
    for target, graphs in (("kettle", [GOOD]), ("cup", [CUP])):  # two functions of one name
        agent = tk.agents.refiner(lambda messages, to=target: f"1: fill -> dobj -> {to}", vocabulary=L, effort="low")
        assert agent.invoke(given)["graphs"] == graph_values(graphs), target
    from langchain_core.language_models import FakeListChatModel  # takes seconds to import

    chat = FakeListChatModel(responses=[BETTER])
    assert tk.agents.refiner(chat, vocabulary=L, effort="low").invoke(given)["graphs"] == graph_values([GOOD])
    model, recorder = Scripted(BETTER), MemoryRecorder()
    for _ in range(2):
        agent = tk.agents.refiner(model, vocabulary=L, effort="low", recorder=recorder)
        assert agent.invoke(given)["graphs"] == graph_values([GOOD])
    assert len(model.asked) == 1 == len(recorder.calls)

    def mending(messages: object) -> str:
        if is_broken:
            raise ValueError("no luck")
        return BETTER

    is_broken, agent = True, tk.agents.refiner(mending, vocabulary=L, effort="low")
    failed = agent.invoke({"graphs": graph_values([VASE] * 5)})
    assert failed["stopped"] and len(failed["failures"]) == 3 and failed["graphs"] == graph_values([VASE] * 5)
    is_broken = False
    assert agent.invoke(given)["graphs"] == graph_values([GOOD])


def test_decomposer_tells_a_story_when_awaited_and_when_not_as_agenerate_does() -> None:
    proposed = "objects: kettle, cup\nverbs: fill, quickly now!\nprepositions: with"
    says = {"decompose/1": "fill the kettle", "write/1": arrows(VASE), "look/1": BETTER, "vocabulary/1": proposed}
    model = ByLabel(says)
    agent = tk.agents.decomposer(model, vocabulary=L)
    out = run(agent.ainvoke({"narrative": "She fills the kettle. She fills it again."}))
    assert out["graphs"] == graph_values([GOOD, GOOD]) and out["counts"] == [1, 1]
    assert (out["calls"], out["vocabulary"]) == (6, vocabulary_value(L))
    story = ["She fills the kettle.", "She fills it again."]
    assert agent.invoke({"narrative": story}) == out
    counted: Any = ((None, {"narrative": story}), ([1, 2], {"narrative": story, "wanted_counts": [1, 2]}))
    for counts, wanted in counted:
        expected = tk.generate(story, model, open_vocabulary=True, counts=counts, effort="high")
        out = tk.agents.decomposer(model, open_vocabulary=True, effort="high").invoke(wanted)
        parts = [len(part.graphs) for part in expected.narrative.descriptions]
        values = values_of(expected) | {"counts": parts, "findings": finding_values(expected.findings)}
        assert {name: out[name] for name in values} == values and (out["failures"] or out["notes"]), counts


def test_interrupted_agents_go_on_without_asking_again(caplog: pytest.LogCaptureFixture) -> None:
    from langgraph.checkpoint.memory import InMemorySaver

    asked: list[str] = []

    class Remembering(ByLabel):
        async def ask(self, where: Call, messages: object, *, label: str, **_: Any) -> Reply:  # noqa: ANN401
            asked.append(f"{where.sample} {label}")
            return await super().ask(where, [], label=label)

    looks = {"look/1": "graph 1: redundant: 3", "look/2": "none"}
    model = Remembering({"decompose/1": "fill it\nrinse it", "write/1": arrows(VASE), "write/2": arrows(RINSE)} | looks)
    story: Any = {"narrative": "She fills the kettle. She fills it again."}
    graphs: Any = {"graphs": graph_values([SLIP, VASE])}

    async def work(saver: InMemorySaver, make: Any, value: Any) -> Any:  # noqa: ANN401
        agent = make(model, vocabulary=L, checkpointer=saver)
        await agent.ainvoke(value, TEA, interrupt_after="*")
        return await agent.aget_state(TEA)

    agents: Any = (("decomposer", tk.agents.decomposer, story, 8), ("refiner", tk.agents.refiner, graphs, 4))
    for name, make, given, calls in agents:
        expected = run(make(model, vocabulary=L).ainvoke(given))
        straight = [*asked]
        asked.clear()
        saver = InMemorySaver()
        state, steps = run(work(saver, make, given)), 1
        while state.next:
            state, steps = run(work(saver, make, None)), steps + 1
        assert {field: state.values[field] for field in expected} == expected and steps > 8, name
        assert asked == straight and len(asked) == calls, name
        asked.clear()
    assert caplog.records == [], "the checkpointer warns of no type"
