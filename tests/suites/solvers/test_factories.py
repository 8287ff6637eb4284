"""Families of solvers: which tasks each can do, and what is left of a solver in a recorded run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from prompt_items import document, row
from tsg_tasks import samples_of, tsg_task

from tsgkit.errors import UsageError
from tsgkit.library.cards import card_names, load_card
from tsgkit.llm.reply import Reply
from tsgkit.suites.solvers.factories import recorded
from tsgkit.suites.suite import task_of
from tsgkit.suites.transcript import LabelledReply, Transcript

VOTABLE = {name for name in card_names() if name.startswith("tsg/")} | {"sceneeval/annotate"}
WRITING = {"tsg/sa-sgg", "tsg/ma-sgg", "tsg/refine", "tsg/refine-hinted"}
[SAMPLE] = samples_of(document(row("sgqa", "one")), "sgqa")
ANSWERS = tsg_task(load_card("tsg/sgqa"))


def test_a_solver_that_a_task_cannot_use_is_refused_in_one_sentence() -> None:
    for solver, able in (("vote:3", VOTABLE), ("agent", WRITING), ("single", set(card_names()))):
        for name in card_names():
            task = task_of(load_card(name))
            if name in able:
                task.check_way("zero-shot", solver, None)
                continue
            with pytest.raises(UsageError, match=f"^solver {solver} cannot do {name}") as raised:
                task.check_way("zero-shot", solver, None)
            assert "\n" not in raised.value.message and ". " not in raised.value.message
    for name, reason in (
        ("formalimg/layout", "its answers cannot be put to a vote"),
        ("formalimg/natural", "no model answers it"),
    ):
        with pytest.raises(UsageError, match=f"{name}: {reason}"):
            task_of(load_card(name)).check_way("zero-shot", "vote:5", None)
    for name in ("spatialgen/questions", "sceneeval/fidelity", "formalimg/knolling"):
        with pytest.raises(UsageError, match="there is no solver singel") as raised:
            task_of(load_card(name)).check_way("zero-shot", "singel", None)
        assert raised.value.hint == "single?"


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
        left = recorded(ANSWERS, solver, style)
        judged = left.judge(SAMPLE, transcript(**said))
        assert (judged.answer, sorted(judged.scores)) == ("cup", profiles)
        assert bool(left.unpublished) == ("official" not in profiles)
        assert left.unfinished(transcript(**said)) == ""
        assert left.expected(SAMPLE).calls == (0, 0)
        with pytest.raises(UsageError, match="a recorded run can only be scored"):
            asyncio.run(left.solve(SAMPLE, None))
    assert left.unfinished(transcript(vote_0="[cup]", vote_1="[cup]")) == "2 of 3 calls are recorded"


def test_a_run_of_a_solver_that_is_not_installed_opens_and_is_refused_only_where_it_is_scored() -> None:
    left: Any = recorded(ANSWERS, "theirs:2", "cot")
    assert left.unpublished == "the published way asks once; solver theirs:2 does not"
    with pytest.raises(UsageError, match="there is no solver theirs:2"):
        left.judge(SAMPLE, transcript(answer="[cup]"))
