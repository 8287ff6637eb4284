"""Solvers: how often they ask, which tasks each can do, recorded runs of them; pools of examples; rules of votes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_items import document, row
from prompt_items import pool as pool_of_rows
from tsg_tasks import pool_of, prompter_of, samples_of, tsg_task

from tsgkit.errors import UsageError
from tsgkit.library.cards import card_names, load_card
from tsgkit.llm.failures import Stopped
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.solvers import ways
from tsgkit.suites.solvers.examples import Identity, Pool, WorkedExample
from tsgkit.suites.solvers.factories import factory_of, votes_of
from tsgkit.suites.solvers.scorers import majority, plurality
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.styles import style_of
from tsgkit.suites.suite import task_of
from tsgkit.suites.transcript import LabelledReply, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

ANSWERS = tsg_task(load_card("tsg/sgqa"))
[SAMPLE] = samples_of(document(row("sgqa", "one")), "sgqa")


def solver(name: str = "single", style: str = "zero-shot") -> Solver:
    chosen = style_of(style, 3 if "few" in style else None)
    examples = pool_of(pool_of_rows("sgqa"), "sgqa").drawn(3) if chosen.shots else ()
    return factory_of(name).solver(name, ANSWERS, prompter_of("sgqa", chosen, None, examples))


def baseline_of(subject: str, seed: int) -> Solver:
    return ways.baseline_of(ANSWERS, subject, seed, ANSWERS.dataset(None))


class Asked:
    """Answers with what it was given, in turn, and remembers how it was asked."""

    def __init__(self, *replies: Reply | Exception) -> None:
        self.replies = list(replies)
        self.calls: list[tuple[str, int, dict[str, Any] | None]] = []
        self.ended = 0

    async def __call__(
        self, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
    ) -> Reply:
        self.calls.append((label, draw, schema))
        reply = self.replies[draw]
        if isinstance(reply, Exception):
            raise reply
        await asyncio.sleep(0.01)
        self.ended += 1
        return reply


def test_a_single_look_asks_once_a_vote_under_labels_of_its_own_and_one_that_is_stopped_ends_first() -> None:
    asked = Asked(Reply("[cup]"))
    transcript = asyncio.run(solver().solve(SAMPLE, asked))
    assert asked.calls == [("answer", 0, None)]
    assert transcript == Transcript((LabelledReply("answer", Reply("[cup]")),))
    judged = solver().judge(SAMPLE, transcript)
    assert (judged.outcome, judged.answer, sorted(judged.scores)) == (Outcome.ANSWERED, "cup", ["official", "strict"])
    asked = Asked(*map(Reply, ("[lid]", "[cup]", "[cup]")))
    transcript = asyncio.run(solver("vote:3").solve(SAMPLE, asked))
    assert [call[:2] for call in asked.calls] == [("vote/0", 0), ("vote/1", 1), ("vote/2", 2)]
    judged = solver("vote:3").judge(SAMPLE, transcript)
    assert (judged.answer, sorted(judged.scores)) == ("cup", ["strict"])
    assert solver("vote:3").unpublished == "the published way asks once; solver vote:3 does not"
    asked = Asked(Reply("[cup]"), Stopped("stopped"), Reply("[cup]"))
    with pytest.raises(Stopped):
        asyncio.run(solver("vote:3").solve(SAMPLE, asked))
    assert asked.ended == 2
    failed = Reply(None, ending=Ending.API_ERROR, error="500")
    said = (LabelledReply(f"vote/{n}", one) for n, one in enumerate((Reply("[cup]"), failed, Reply("[cup]"))))
    assert solver("vote:3").judge(SAMPLE, Transcript(tuple(said))).outcome is Outcome.API_ERROR


def test_fingerprints_tell_solvers_apart_a_baseline_asks_nobody_and_a_vote_2_to_100_calls() -> None:
    ways = [solver(), solver("vote:2"), solver("vote:3"), solver(style="cot"), solver(style="few-shot")]
    ways += [baseline_of(*one) for one in (("baseline/rules", 0), ("baseline/random", 0), ("baseline/random", 1))]
    assert len({way.fingerprint for way in ways}) == len(ways)
    assert solver().fingerprint == ways[0].fingerprint
    transcript = asyncio.run(baseline_of("baseline/rules", 0).solve(SAMPLE, None))
    assert ([said.label for said in transcript.said], transcript.usage.total) == (["local"], 0)
    with pytest.raises(UsageError, match="solver single asks a model, and none was given"):
        asyncio.run(solver().solve(SAMPLE, None))
    with pytest.raises(UsageError, match="there is no baseline/rule") as raised:
        baseline_of("baseline/rule", 0)
    assert raised.value.hint == "baseline/rules?"
    assert [votes_of(name) for name in ("vote:2", "vote:100")] == [2, 100]
    for name in ("vote:1", "vote:101"):
        with pytest.raises(UsageError, match="a vote takes 2 to 100 calls"):
            votes_of(name)
    for name in ("vote", "vote:٣", "singel"):
        with pytest.raises(UsageError, match=f"there is no solver {name}"):
            votes_of(name)


VOTABLE = {name for name in card_names() if name.startswith("tsg/")} | {"sceneeval/annotate"}
WRITING = {"tsg/sa-sgg", "tsg/ma-sgg", "tsg/refine", "tsg/refine-hinted"}


def test_a_solver_that_a_task_cannot_use_is_refused_in_one_sentence() -> None:
    for solver, able in (("vote:3", VOTABLE), ("agent", WRITING), ("single", set(card_names()))):
        for name in card_names():
            task = task_of(load_card(name))
            if name in able:
                ways.check_way(task, "zero-shot", solver, None)
                continue
            with pytest.raises(UsageError, match=f"^solver {solver} cannot do {name}") as raised:
                ways.check_way(task, "zero-shot", solver, None)
            assert "\n" not in raised.value.message and ". " not in raised.value.message
    for name, reason in (("layout", "its answers cannot be put to a vote"), ("natural", "no model answers it")):
        with pytest.raises(UsageError, match=f"formalimg/{name}: {reason}"):
            ways.check_way(task_of(load_card(f"formalimg/{name}")), "zero-shot", "vote:5", None)


def transcript(**said: str) -> Transcript:
    return Transcript(tuple(LabelledReply(label.replace("_", "/"), Reply(text)) for label, text in said.items()))


def test_a_recorded_run_is_scored_as_the_solver_that_made_it() -> None:
    votes = {"vote_0": "[lid]", "vote_1": "[cup]", "vote_2": "[cup]"}
    for solver, style, said, profiles in (
        ("single", "zero-shot", {"answer": "[cup]"}, ["official", "strict"]),
        ("single", "structured", {"answer": '{"answer": "cup"}'}, ["strict"]),
        ("baseline", "", {"local": "[cup]"}, ["official", "strict"]),
        ("vote:3", "cot", votes, ["strict"]),
    ):
        left = ways.recorded_of(ANSWERS, solver, style)
        judged = left.judge(SAMPLE, transcript(**said))
        assert (judged.answer, sorted(judged.scores)) == ("cup", profiles)
        assert bool(left.unpublished) == ("official" not in profiles)
        assert left.unfinished(transcript(**said)) == ""
        assert left.expected(SAMPLE).calls == (0, 0)
        with pytest.raises(UsageError, match="a recorded run can only be scored"):
            asyncio.run(left.solve(SAMPLE, None))
    assert left.unfinished(transcript(vote_0="[cup]", vote_1="[cup]")) == "2 of 3 calls are recorded"
    with pytest.raises(UsageError, match="there is no solver theirs:2"):
        ways.recorded_of(ANSWERS, "theirs:2", "cot")


class Item(NamedTuple):
    item_id: str
    words: str
    cluster: str = ""
    groups: Mapping[str, tuple[str, ...]] = MappingProxyType({})


def pool(*items: Item, sources: str = "") -> Pool:
    named = list(sources) or [""] * len(items)
    examples = [WorkedExample(item, "[cup]", source=source) for item, source in zip(items, named, strict=True)]
    return Pool("pool.jsonl", tuple(examples), lambda one: Identity((one.words,), tuple(filter(None, [one.cluster]))))


NINE = pool(*(Item(str(number), f"cup {number}") for number in range(9)))


def test_fewer_shots_are_the_beginning_of_more_and_examples_that_are_asked_are_refused() -> None:
    assert NINE.drawn(8, 1)[:3] == NINE.drawn(3, 1)
    assert len({tuple(one.item.item_id for one in NINE.drawn(9, seed)) for seed in range(5)}) == 5
    assert NINE.drawn(0) == NINE.chosen(0, 0, [Item("0", "cup 0")]) == ()
    with pytest.raises(UsageError, match="the number of examples is not negative"):
        NINE.drawn(-1)
    with pytest.raises(UsageError, match="the pool has 9, --shots 10 asks for more"):
        NINE.drawn(10)
    spread = pool(*(Item(name, name) for name in "012345"), sources="aaabbc")
    for seed in range(10):
        assert [one.source for one in spread.drawn(6, seed)[:3]] != ["a", "a", "a"]
        assert {one.source for one in spread.drawn(3, seed)} == {"a", "b", "c"}, "every row has its turn"
    shown = pool(Item("shown", "a cup", "kitchen"))
    for asked, said in (
        (Item("x", "a cup"), "example shown is item x"),
        (Item("x", "a lid", "kitchen"), "example shown and item x are of one scenario kitchen"),
    ):
        with pytest.raises(UsageError, match=f"examples must share nothing with the data: {said}$"):
            shown.chosen(1, 0, [Item("y", "a jar", "attic"), asked])
    [example] = shown.chosen(1, 0, [Item("shown", "a lid", "attic")])
    assert example.item.item_id == "shown", "ids alone make nothing the same"
    with pytest.raises(UsageError) as raised:
        NINE.check_disjoint([Item(f"asked-{number}", f"cup {number % 5}") for number in range(20)])
    assert raised.value.message.count("is item asked-") == 3
    assert raised.value.message.endswith("; and more")


PARTS = st.lists(st.lists(st.sampled_from("aAbBc"), max_size=6), min_size=1, max_size=6)


@given(words=st.lists(st.sampled_from("aAbBcC"), min_size=1, max_size=9), draws=PARTS)
def test_the_largest_class_and_the_parts_of_most_draws_win(words: list[str], draws: list[list[str]]) -> None:
    classes = Counter(map(str.lower, words))
    first = next(word for word in words if classes[word.lower()] == max(classes.values()))
    assert plurality([word.lower() for word in words]) == first.lower()
    flat = [part for draw in draws for part in draw]
    kept = majority(draws, str.lower)
    for part in {one.lower() for one in flat}:
        holding = sum(part in map(str.lower, draw) for draw in draws)
        assert (part in map(str.lower, kept)) == (holding * 2 > len(draws))
    assert len({part.lower() for part in kept}) == len(kept), "no part stands twice"
    assert set(kept) <= set({part.lower(): part for part in reversed(flat)}.values()), "as first written"
    assert [flat.index(part) for part in kept] == sorted(flat.index(part) for part in kept)
