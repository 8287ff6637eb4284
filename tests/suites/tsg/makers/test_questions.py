"""Questions about stories: one answer, confirmed twice, and no shortcut to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import pytest
from drawn_graphs import drawn_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
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

STEPS = {"take": ("off shelf", "with hand1"), "wash": ("with brush", "with hand2"), "put": ("on rack", "with hand1")}
STORY = Narrative.of(
    ActionGraph([("person", "verb", action), (action, "dobj", "cup"), *((action, *edge.split()) for edge in edges)])
    for action, edges in STEPS.items()
)


def stories() -> Iterator[Narrative]:
    return (entry.narrative for entry in read_file(DATA / "narratives.jsonl").entries)


def asked(text: str, reply: str, *path: str) -> Question:
    return Question(text, reply, path, "", hops_needed(path))


def test_both_evaluators_follow_a_path_to_its_answer() -> None:
    for path, reply in (
        ("only wash cup, tool", "brush"),
        ("only take cup, target off", "shelf"),
        ("only take cup, next, action", "wash"),
        ("only put cup, previous, previous, place", "shelf"),
        ("only wash cup, held hand1", "cup"),
        ("only wash cup, holder cup", "hand1"),
        ("only take cup, again, hand", "hand2"),
        ("between take cup and put cup, first, action", "wash"),
        ("all, times 3 object", "cup"),
        ("only take cup, shared wash cup", "cup"),
    ):
        steps = tuple(path.split(", "))
        assert answer(Timeline(STORY), steps) == reply == SecondReader(STORY).answer(steps), path
    for path in ("first cup, next, next, next, action", "all, next, action", "only cup, action", "first cup, tool"):
        assert SecondReader(STORY).answer(tuple(path.split(", "))) == "", "a path without one answer"
        with pytest.raises(LookupError):
            answer(Timeline(STORY), tuple(path.split(", ")))


def test_a_question_is_refused_with_its_reason() -> None:
    for text, reply, path, reason in (
        ("With what was the cup washed?", "brush", ("only wash cup", "tool"), ""),
        ("With what?", "towel", ("only wash cup", "tool"), "the evaluators differ"),
        ("What?", "cup", ("first cup", "tool"), "no single answer"),
        ("With what brush was the cup washed?", "brush", ("only wash cup", "tool"), "the answer is in the question"),
    ):
        assert confirmed(STORY, asked(text, reply, *path)) == reason


def of_reversed(story: Narrative) -> SecondReader:
    """Return a reader that takes later for earlier."""
    return SecondReader(Narrative.of(reversed(story.graphs)))


def of_other_hands(story: Narrative) -> SecondReader:
    """Return a reader that takes one hand for the other."""
    turned = dict(zip(HANDS, HANDS[::-1], strict=True))
    graphs = [ActionGraph([tuple(turned.get(e, e) for e in t) for t in g]) for g in story.graphs]
    return SecondReader(Narrative.of(graphs))


def test_questions_of_our_stories_are_confirmed_and_a_wrong_evaluator_is_noticed() -> None:
    wrong: dict[Callable[[Narrative], SecondReader], list[bool]] = {of_reversed: [], of_other_hands: []}
    for story in stories():
        drawn = draw_questions(story, Random(3), 24).questions
        assert len(drawn) > 12 and {question.hops for question in drawn} == {1, 2, 3, 4}
        for question in drawn:
            assert confirmed(story, question) == "" and mentions(question.text, question.answer) is None
            assert question.hops == hops_needed(question.path)
            assert question.text.endswith("?") and "-" not in question.text
            for reader, noticed in wrong.items():
                if reader is of_reversed or question.answer in HANDS:
                    noticed.append(reader(story).answer(question.path) != question.answer)
    for reader, share in ((of_reversed, 0.4), (of_other_hands, 0.9)):
        assert sum(wrong[reader]) >= share * len(wrong[reader]) > 15 * share


def test_chosen_questions_spread_over_hops_and_families_and_no_name_answers_many() -> None:
    chosen = [one for _, found, _ in choose_questions(stories(), 8, QuestionChooser(2)) for one in found]
    hops = Counter(question.hops for question in chosen)
    assert len(chosen) > 130 and min(hops[number] for number in (1, 2, 3, 4)) > len(chosen) / 8
    assert len({question.family for question in chosen}) > 15
    assert max(Counter(question.answer for question in chosen).values()) <= 8
    story = made_up_story(1)
    first = QuestionChooser(1).choose(story, 6).questions
    again = QuestionChooser(1).choose(story, 6, frozenset(question.path for question in first)).questions
    assert len(again) > 3 and not {one.path for one in first} & {one.path for one in again}, "avoided paths stay away"


def test_a_row_has_graphs_and_questions_with_ids() -> None:
    question = asked("With what was the cup washed?", "brush", "only wash cup", "tool")
    row = question_row(Narrative(STORY.descriptions, id="tea", facts=(("domain", "kitchen"),)), [question])
    assert row["item_id"] == "tea" and row["domain"] == "kitchen" and len(row["context_graphs"]) == 3
    [pair] = row["qa_pairs"]
    assert (pair["Q"], pair["A"], pair["item_id"]) == (question.text, "brush", "tea/q0")
    assert (pair["path"], pair["hops"]) == (["only wash cup", "tool"], 1)


@given(st.lists(drawn_graphs(), max_size=9), st.integers(0, 5))
@settings(max_examples=50)
def test_two_evaluators_agree_on_any_story_whenever_the_second_one_knows(steps: list[ActionGraph], seed: int) -> None:
    drawn = draw_questions(Narrative.of(steps), Random(seed), 16)
    assert drawn.dropped["the evaluators differ"] == 0
