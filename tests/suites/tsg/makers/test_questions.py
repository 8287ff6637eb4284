"""Questions about stories: one answer, confirmed twice, and no shortcut to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from made_up_stories import made_up_story
from shipped import DATA

from tsgkit.graph.model import HANDS, ActionGraph, Narrative
from tsgkit.graph.timeline import Timeline
from tsgkit.lexicon import mentions
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.tsg.makers.question_paths import answer, hops_needed
from tsgkit.suites.tsg.makers.questions import (
    Question,
    QuestionChooser,
    choose_questions,
    confirmed,
    draw_questions,
    question_row,
)
from tsgkit.suites.tsg.makers.second_reader import SecondReader

TAKE = ActionGraph.of(
    ("person", "verb", "take"), ("take", "dobj", "cup"), ("take", "off", "shelf"), ("take", "with", "hand1")
)
WASH = ActionGraph.of(
    ("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "brush"), ("wash", "with", "hand2")
)
PUT = ActionGraph.of(("person", "verb", "put"), ("put", "dobj", "cup"), ("put", "on", "rack"), ("put", "with", "hand1"))
STORY = Narrative.of([TAKE, WASH, PUT])


def stories() -> Iterator[Narrative]:
    return (entry.narrative for entry in read_file(DATA / "narratives.jsonl").entries)


def asked(text: str, reply: str, *path: str) -> Question:
    return Question(text, reply, path, "", hops_needed(path))


@pytest.mark.parametrize(
    ("path", "reply"),
    [
        (("only wash cup", "tool"), "brush"),
        (("only take cup", "target off"), "shelf"),
        (("only take cup", "next", "action"), "wash"),
        (("only put cup", "previous", "previous", "place"), "shelf"),
        (("only wash cup", "held hand1"), "cup"),
        (("only wash cup", "holder cup"), "hand1"),
        (("only take cup", "again", "hand"), "hand2"),
        (("between take cup and put cup", "first", "action"), "wash"),
        (("all", "times 3 object"), "cup"),
        (("only take cup", "shared wash cup"), "cup"),
    ],
)
def test_both_evaluators_follow_a_path_to_its_answer(path: tuple[str, ...], reply: str) -> None:
    assert answer(Timeline(STORY), path) == reply == SecondReader(STORY).answer(path)


@pytest.mark.parametrize(
    "path", [("first cup", "next", "next", "next", "action"), ("only cup", "action"), ("first cup", "tool")]
)
def test_a_path_without_one_answer_is_none_for_both(path: tuple[str, ...]) -> None:
    assert SecondReader(STORY).answer(path) == ""
    with pytest.raises(LookupError):
        answer(Timeline(STORY), path)


def test_a_question_is_refused_with_its_reason() -> None:
    good = asked("With what was the cup washed?", "brush", "only wash cup", "tool")
    assert confirmed(STORY, good) == ""
    assert confirmed(STORY, asked("With what?", "towel", "only wash cup", "tool")) == "the evaluators differ"
    assert confirmed(STORY, asked("What?", "cup", "first cup", "tool")) == "no single answer"
    in_question = asked("With what brush was the cup washed?", "brush", "only wash cup", "tool")
    assert confirmed(STORY, in_question) == "the answer is in the question"


def test_all_questions_of_our_stories_are_confirmed_and_say_no_answer() -> None:
    for story in stories():
        drawn = draw_questions(story, Random(3), 24)
        assert len(drawn.questions) > 12
        for question in drawn.questions:
            assert confirmed(story, question) == "" and mentions(question.text, question.answer) is None
            assert (
                question.hops == hops_needed(question.path) and question.text.endswith("?") and "-" not in question.text
            )
        assert {question.hops for question in drawn.questions} == {1, 2, 3, 4}


class Backwards(SecondReader):
    """A reader that takes later for earlier."""

    def __init__(self, story: Narrative) -> None:
        super().__init__(Narrative.of(reversed(story.graphs)))


class OtherHands(SecondReader):
    """A reader that takes one hand for the other."""

    def __init__(self, story: Narrative) -> None:
        turned = dict(zip(HANDS, HANDS[::-1], strict=True))
        super().__init__(
            Narrative.of([ActionGraph([tuple(turned.get(e, e) for e in t) for t in g]) for g in story.graphs])
        )


@pytest.mark.parametrize(("wrong", "share"), [(Backwards, 0.4), (OtherHands, 0.9)])
def test_a_wrong_evaluator_is_noticed(wrong: type[SecondReader], share: float) -> None:
    told = Counter[bool]()
    for story in stories():
        reader = wrong(story)
        for question in draw_questions(story, Random(5), 24).questions:
            if wrong is not OtherHands or question.answer in HANDS:
                told[reader.answer(question.path) != question.answer] += 1
    assert told[True] >= share * told.total() and told.total() > 15


def test_chosen_questions_spread_over_hops_and_families_and_no_name_answers_many() -> None:
    chosen = [one for _, found, _ in choose_questions(stories(), 8, QuestionChooser(2)) for one in found]
    hops = Counter(question.hops for question in chosen)
    assert len(chosen) > 130 and min(hops[number] for number in (1, 2, 3, 4)) > len(chosen) / 8
    assert len({question.family for question in chosen}) > 15
    assert max(Counter(question.answer for question in chosen).values()) <= 8


def test_avoided_paths_are_not_chosen_again() -> None:
    story = made_up_story(1)
    first = QuestionChooser(1).choose(story, 6).questions
    again = QuestionChooser(1).choose(story, 6, frozenset(question.path for question in first)).questions
    assert len(again) > 3 and not {one.path for one in first} & {one.path for one in again}


def test_a_row_has_graphs_and_questions_with_ids() -> None:
    question = asked("With what was the cup washed?", "brush", "only wash cup", "tool")
    row = question_row(Narrative(STORY.descriptions, id="tea", facts=(("domain", "kitchen"),)), [question])
    assert row["item_id"] == "tea" and row["domain"] == "kitchen" and len(row["context_graphs"]) == 3
    [pair] = row["qa_pairs"]
    assert (pair["Q"], pair["A"], pair["item_id"]) == (question.text, "brush", "tea/q0")
    assert (pair["path"], pair["hops"]) == (["only wash cup", "tool"], 1)
