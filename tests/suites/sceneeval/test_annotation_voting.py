"""Tests of voting on annotations, entry by entry."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.library.cards import load_card
from tsgkit.llm.reply import Ending
from tsgkit.llm.reply import Reply as ModelReply
from tsgkit.replies import Unreadable
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.sceneeval.annotate import NO_MAJORITY, UNREAD, AnnotateTask
from tsgkit.suites.sceneeval.annotation_replies import FIELDS, AnnotationReading, read_annotation_reply
from tsgkit.suites.sceneeval.annotations import Specification, annotation_of
from tsgkit.suites.solvers.protocols import Reading
from tsgkit.suites.solvers.scorers import Draws, OneReply
from tsgkit.suites.transcript import LabelledReply, Transcript

ANSWERS = AnnotateTask(load_card("sceneeval/annotate"))
WORDING = ANSWERS.matcher
ASKED = annotation_of("0", "easy", "A den.", ("eq,1,bed",))
ENTRIES = ("eq,1,bed", "ge,2,lamp", "eq,2,lamp", "eq,1,sofa", "eq,1,couch", "eq,1,bed,king_size", "eq,one")
DRAWS = st.lists(st.lists(st.sampled_from(ENTRIES), max_size=5), min_size=1, max_size=7)


def reply(*entries: str) -> str:
    fields: dict[str, list[str]] = {name: [] for name in FIELDS.values()}
    for entry in entries:
        fields[{4: "attributes", 6: "object_relations"}.get(len(entry.split(",")), "counts")].append(entry)
    return json.dumps(fields)


def draw(*entries: str) -> AnnotationReading:
    return read_annotation_reply(reply(*entries))


def texts(reading: AnnotationReading) -> list[str]:
    return [spec.text for spec in reading.specifications]


def kept(found: Reading[Any]) -> tuple[Specification, ...]:
    return () if isinstance(found.answer, Unreadable) else found.answer.specifications


NEXT_TO = ("eq,1,next_to,0,bed,lamp", "eq,1,next_to,1,bed,lamp")
LEFT_OF = ("eq,1,left,0,bed,lamp", "eq,1,left,1,bed,lamp")


def test_vote_keeps_entries_of_more_than_half_of_the_draws_or_is_unreadable() -> None:
    rows: list[tuple[list[list[str]], list[str]]] = [
        # the same entry in two of three draws
        ([["eq,1,bed"], ["eq,1,bed", "ge,2,lamp"], ["ge,2,lamp"]], ["eq,1,bed", "ge,2,lamp"]),
        # half of the draws is no majority
        ([["eq,1,bed", "ge,2,lamp"], ["eq,1,bed"]], ["eq,1,bed"]),
        # another number or another comparison is another entry
        ([["eq,1,bed", "eq,2,lamp"], ["eq,1,bed", "ge,2,lamp"], ["eq,1,bed", "eq,3,lamp"]], ["eq,1,bed"]),
        # spelling, plural and names of one kind of thing are the same entry, as first written
        ([["eq,1,couch"], ["eq,1,sofa"], ["eq,1,Sofas"]], ["eq,1,couch"]),
        # an entry that a draw says twice has one vote
        ([["eq,1,bed", "eq,1,bed"], ["ge,2,lamp"], ["ge,2,lamp"]], ["ge,2,lamp"]),
        # the anchor counts where the relation has a direction, and does not where it has none
        ([[NEXT_TO[0]], [NEXT_TO[1]], ["eq,1,bed"]], [NEXT_TO[0]]),
        ([[LEFT_OF[0], "eq,1,bed"], [LEFT_OF[1], "eq,1,bed"]], ["eq,1,bed"]),
        # an attribute is an entry of its own kind
        ([["eq,1,bed,king_size"], ["eq,1,bed"], ["eq,1,bed,king_size"]], ["eq,1,bed,king_size"]),
        # most draws want nothing at all
        ([[], [], ["eq,1,bed"]], []),
    ]
    for draws, said in rows:
        found = ANSWERS.vote(ASKED, [draw(*one) for one in draws])
        assert (found.outcome, texts(found.answer)) == (Outcome.ANSWERED, said), draws
    without_majority: list[list[list[str]]] = [[["eq,1,bed"], ["eq,2,bed"]], [["eq,1,bed"], ["ge,2,lamp"], []]]
    for draws in without_majority:
        found = ANSWERS.vote(ASKED, [draw(*one) for one in draws])
        assert found == (Outcome.UNREADABLE, Unreadable(NO_MAJORITY)), draws


def test_vote_counts_unreadable_majority_entry_as_wrong() -> None:
    scored = Draws(ANSWERS, "zero-shot", "vote:3", 3).judge(ASKED, transcript(*[reply("eq,1,bed", "eq,one")] * 3))
    assert scored.counts[UNREAD] == 1
    assert scored.scores["strict"]["precision"].value == 0.5
    once = [reply("eq,1,bed", "eq,one"), reply("eq,1,bed"), reply("eq,1,bed")]
    assert Draws(ANSWERS, "zero-shot", "vote:3", 3).judge(ASKED, transcript(*once)).counts[UNREAD] == 0


def transcript(*replies: str | Ending) -> Transcript:
    given = (ModelReply(None, one) if isinstance(one, Ending) else ModelReply(one) for one in replies)
    return Transcript(tuple(LabelledReply(f"vote/{number}", one) for number, one in enumerate(given)))


def test_unreadable_draws_do_not_vote_and_failed_draw_fails_the_sample() -> None:
    rows: list[tuple[list[str | Ending], Outcome]] = [
        (["I cannot do that.", reply("eq,1,bed"), reply("eq,1,bed")], Outcome.ANSWERED),
        (["I cannot do that.", Ending.REFUSED, reply("eq,1,bed")], Outcome.ANSWERED),
        (["I cannot do that.", Ending.REFUSED, Ending.EMPTY], Outcome.UNREADABLE),
        ([Ending.REFUSED, "I cannot do that.", Ending.EMPTY], Outcome.REFUSED),
        ([reply("eq,1,bed"), Ending.API_ERROR, reply("eq,1,bed")], Outcome.API_ERROR),
        ([], Outcome.MISSING),
    ]
    for replies, outcome in rows:
        judged = Draws(ANSWERS, "zero-shot", "vote:3", 3).judge(ASKED, transcript(*replies) if replies else None)
        assert judged.outcome is outcome, replies
        assert judged.scores["strict"]["f1"].value == float(outcome is Outcome.ANSWERED), replies


@given(entries=st.lists(st.sampled_from(ENTRIES), max_size=5, unique=True), times=st.integers(2, 5))
def test_identical_draws_score_as_one(entries: list[str], times: int) -> None:
    asked = annotation_of("0", "easy", "A den.", ("eq,1,bed", "ge,2,lamp"))
    one = OneReply(ANSWERS, "zero-shot").judge(asked, transcript(reply(*entries)))
    all_of_them = Draws(ANSWERS, "zero-shot", f"vote:{times}", times)
    judged = all_of_them.judge(asked, transcript(*[reply(*entries)] * times))
    assert (judged.outcome, judged.scores) == (one.outcome, one.scores)
    assert judged.counts == one.counts


@given(draws=DRAWS)
def test_voted_entries_occur_in_more_than_half_of_the_draws(draws: list[list[str]]) -> None:
    readings = [draw(*one) for one in draws]
    for spec in kept(ANSWERS.vote(ASKED, readings)):
        keys = [{WORDING.key(one) for one in reading.specifications} for reading in readings]
        assert sum(WORDING.key(spec) in one for one in keys) * 2 > len(draws)


@given(draws=DRAWS, order=st.randoms(use_true_random=False))
def test_vote_ignores_the_order_of_draws(draws: list[list[str]], order: object) -> None:
    shuffled = draws.copy()
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = (ANSWERS.vote(ASKED, [draw(*entries) for entries in listed]) for listed in (draws, shuffled))
    assert one.outcome is other.outcome
    assert {WORDING.key(spec) for spec in kept(one)} == {WORDING.key(spec) for spec in kept(other)}
