"""Solvers ask as often as they say, keep every call, and name what is none of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from prompt_items import document, pool, row
from tsg_tasks import pool_of, program_named, prompter_of, samples_of, tsg_task

from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.llm.failures import Stopped
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.solvers.factories import factory_of, votes_of
from tsgkit.suites.solvers.offline_solvers import Baseline
from tsgkit.suites.solvers.scorers import OneReply
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.styles import style_of
from tsgkit.suites.transcript import LabelledReply, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

ANSWERS = tsg_task(load_card("tsg/sgqa"))
[SAMPLE] = samples_of(document(row("sgqa", "one")), "sgqa")


def solver(name: str = "single", style: str = "zero-shot") -> Solver:
    chosen = style_of(style, 3 if "few" in style else None)
    examples = pool_of(pool("sgqa"), "sgqa").drawn(3) if chosen.shots else ()
    return factory_of(name).solver(name, ANSWERS, prompter_of("sgqa", chosen, None, examples))


def baseline_of(subject: str, seed: int) -> Solver:
    return Baseline(OneReply(ANSWERS, "", "baseline"), program_named(subject, seed))


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


def replies(*texts: str) -> list[Reply]:
    return [Reply(text) for text in texts]


def test_a_single_look_asks_once_and_keeps_the_reply() -> None:
    asked = Asked(*replies("[cup]"))
    transcript = asyncio.run(solver().solve(SAMPLE, asked))
    assert asked.calls == [("answer", 0, None)]
    assert transcript == Transcript((LabelledReply("answer", Reply("[cup]")),))
    judged = solver().judge(SAMPLE, transcript)
    assert (judged.outcome, judged.answer, sorted(judged.scores)) == (Outcome.ANSWERED, "cup", ["official", "strict"])


def test_a_vote_asks_its_draws_under_labels_of_their_own_and_has_no_official_figures() -> None:
    asked = Asked(*replies("[lid]", "[cup]", "[cup]"))
    transcript = asyncio.run(solver("vote:3").solve(SAMPLE, asked))
    assert [call[:2] for call in asked.calls] == [("vote/0", 0), ("vote/1", 1), ("vote/2", 2)]
    judged = solver("vote:3").judge(SAMPLE, transcript)
    assert (judged.answer, sorted(judged.scores)) == ("cup", ["strict"])
    assert solver("vote:3").unpublished == "the published way asks once; solver vote:3 does not"


def test_when_one_vote_is_stopped_the_others_come_home_first_and_a_failed_one_leaves_the_sample_open() -> None:
    asked = Asked(Reply("[cup]"), Stopped("stopped"), Reply("[cup]"))
    with pytest.raises(Stopped):
        asyncio.run(solver("vote:3").solve(SAMPLE, asked))
    assert asked.ended == 2
    failed = Reply(None, ending=Ending.API_ERROR, error="500")
    said = (LabelledReply(f"vote/{n}", one) for n, one in enumerate((Reply("[cup]"), failed, Reply("[cup]"))))
    assert solver("vote:3").judge(SAMPLE, Transcript(tuple(said))).outcome is Outcome.API_ERROR


def test_sample_outcome_is_the_ending_of_its_call() -> None:
    for ending in (Ending.TRUNCATED, Ending.REFUSED, Ending.API_ERROR, Ending.EMPTY, Ending.MISSING):
        text = "[cup]" if ending in (Ending.TRUNCATED, Ending.REFUSED) else None
        judged = solver().judge(SAMPLE, Transcript((LabelledReply("answer", Reply(text, ending=ending)),)))
        assert (judged.outcome, judged.answer) == (Outcome[ending.name], None)
    for name in ("single", "vote:2"):
        judged = solver(name).judge(SAMPLE, None)
        assert judged.outcome is Outcome.MISSING
        assert judged.counts["items"] == judged.counts["missing"] == 1


def test_the_structured_style_sends_a_schema_and_has_no_official_figures() -> None:
    for name in ("single", "vote:2"):
        asked, made = Asked(*replies('{"answer": "cup"}', '{"answer": "cup"}')), solver(name, "structured")
        transcript = asyncio.run(made.solve(SAMPLE, asked))
        schema = asked.calls[0][2]
        assert schema is not None
        assert (schema["type"], schema["json_schema"]["strict"]) == ("json_schema", True)
        judged = made.judge(SAMPLE, transcript)
        assert (judged.answer, sorted(judged.scores)) == ("cup", ["strict"])
        assert made.unpublished


def test_fingerprints_tell_everything_apart_that_changes_an_answer() -> None:
    ways = [solver(), solver("vote:2"), solver("vote:3"), solver(style="cot"), solver(style="few-shot")]
    found = [way.fingerprint for way in ways] + [baseline_of(f"baseline/{name}", 0).fingerprint for name in ("rules",)]
    found += [baseline_of("baseline/random", seed).fingerprint for seed in (0, 1)]
    assert len(set(found)) == len(found)
    assert solver().fingerprint == ways[0].fingerprint


def test_a_baseline_asks_nobody_and_other_solvers_need_a_model() -> None:
    transcript = asyncio.run(baseline_of("baseline/rules", 0).solve(SAMPLE, None))
    assert [said.label for said in transcript.said] == ["local"]
    assert transcript.usage.total == 0
    with pytest.raises(UsageError, match="solver single asks a model, and none was given"):
        asyncio.run(solver().solve(SAMPLE, None))
    with pytest.raises(UsageError, match="there is no baseline/rule") as raised:
        baseline_of("baseline/rule", 0)
    assert raised.value.hint == "baseline/rules?"


def test_a_vote_takes_2_to_100_calls() -> None:
    assert [votes_of(name) for name in ("vote:2", "vote:100")] == [2, 100]
    for name, said in (
        ("vote", "there is no solver vote"),
        ("vote:1", "a vote takes 2 to 100 calls"),
        ("vote:0", "a vote takes 2 to 100 calls"),
        ("vote:101", "a vote takes 2 to 100 calls"),
        ("vote:-3", "there is no solver vote:-3"),
        ("vote:٣", "there is no solver"),
        ("singel", "there is no solver singel"),
    ):
        with pytest.raises(UsageError, match=said):
            votes_of(name)
