"""Shuffled options are put back before anything is counted."""

from __future__ import annotations

import pytest

from tsgkit.errors import UsageError
from tsgkit.suites.spatialgen.rows import Question
from tsgkit.suites.spatialgen.shuffling import permutation, recorded, unshuffled

FIVE = Question("?", {"A": "up", "B": "down", "C": "left", "D": "right", "E": "None"}, "B")
FOUR = Question("?", {"A": "up", "B": "down", "C": "left", "E": "None"}, "D")


@pytest.mark.parametrize("question", [FIVE, FOUR])
@pytest.mark.parametrize("round", range(8))
def test_the_letter_of_a_text_is_found_wherever_it_was_shown(question: Question, round: int) -> None:  # noqa: A002
    order = permutation(question, seed=3, item="000001", number=0, round=round)
    shown = order.shown(question)
    assert shown.options["E"] == "None"
    assert list(shown.options) == list(question.options)
    for letter, text in shown.options.items():
        assert question.options[order.undo(letter)] == text
    assert order.undo(shown.key) == question.key


def test_the_order_depends_on_seed_item_question_and_round() -> None:
    places = [(0, "1", 0, 0), (1, "1", 0, 0), (0, "2", 0, 0), (0, "1", 1, 0), (0, "1", 0, 1)]
    records = [permutation(FIVE, seed=s, item=i, number=n, round=r).record for s, i, n, r in places]
    assert records == [permutation(FIVE, seed=s, item=i, number=n, round=r).record for s, i, n, r in places]
    assert len(set(records)) > 1


def test_a_record_gives_the_order_back() -> None:
    order = permutation(FIVE, seed=3, item="000001", number=0, round=2)
    assert recorded(FIVE, order.record) == order
    with pytest.raises(UsageError, match="ABCE is none of the options ABCD"):
        recorded(FIVE, "ABCE")


def test_the_order_of_the_data_changes_nothing() -> None:
    (order,) = unshuffled([FIVE])
    assert order.shown(FIVE) == FIVE
    assert order.record == "ABCD"


def test_what_is_no_option_is_left_alone() -> None:
    order = permutation(FIVE, seed=3, item="000001", number=0, round=2)
    assert (order.undo("E"), order.undo("F")) == ("E", "F")


def test_a_judge_who_always_says_one_letter_is_right_by_chance_only() -> None:
    skewed = Question("?", FIVE.options, "C")
    said = [
        permutation(skewed, seed=0, item=str(item), number=0, round=number).undo("C")
        for item in range(400)
        for number in range(5)
    ]
    assert 0.22 < said.count(skewed.key) / len(said) < 0.28, "and 100 % without shuffling"
