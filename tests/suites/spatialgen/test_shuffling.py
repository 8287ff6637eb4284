"""Tests of shuffled options."""

from __future__ import annotations

from itertools import product

import pytest

from tsgkit.errors import UsageError
from tsgkit.suites.spatialgen.judge_requests import permutation, recorded, unshuffled
from tsgkit.suites.spatialgen.rows import Question, question_from

FIVE = Question("?", {"A": "up", "B": "down", "C": "left", "D": "right", "E": "None"}, "B")
FOUR = Question("?", {"A": "up", "B": "down", "C": "left", "E": "None"}, "D")


def test_undo_maps_shown_letters_to_data_letters() -> None:
    for question, turn in product((FIVE, FOUR), range(8)):
        order = permutation(question, seed=3, item="000001", number=0, round=turn)
        shown = order.shown(question)
        assert (shown.options["E"], list(shown.options)) == ("None", list(question.options)), (question, turn)
        for letter, text in shown.options.items():
            assert question.options[order.undo(letter)] == text, (question, turn)
        assert order.undo(shown.key) == question.key
        assert (order.undo("E"), order.undo("F")) == ("E", "F")


def test_the_order_depends_on_seed_item_question_and_round() -> None:
    places = [(0, "1", 0, 0), (1, "1", 0, 0), (0, "2", 0, 0), (0, "1", 1, 0), (0, "1", 0, 1)]
    records = [permutation(FIVE, seed=s, item=i, number=n, round=r).record for s, i, n, r in places]
    assert records == [permutation(FIVE, seed=s, item=i, number=n, round=r).record for s, i, n, r in places]
    assert len(set(records)) > 1


def test_recorded_order_is_restored() -> None:
    order = permutation(FIVE, seed=3, item="000001", number=0, round=2)
    assert recorded(FIVE, order.record) == order
    with pytest.raises(UsageError, match="ABCE is none of the options ABCD"):
        recorded(FIVE, "ABCE")


def test_old_records_with_fewer_options_are_read() -> None:
    """Old runs recorded one option where periods separate four; those were shown in the order of the data."""
    question = question_from("Hair?  Options: A: Red. B: Tan. C: Pink. D: Blue, E: None", "B")
    order = recorded(question, "A")
    assert [order.undo(letter) for letter in "ABCDE"] == list("ABCDE")
    partly = recorded(question, "CA")
    assert [partly.undo(letter) for letter in "ABCDE"] == list("CBADE")
    with pytest.raises(UsageError, match="AA is none of the options ABCD"):
        recorded(question, "AA")


def test_unshuffled_order_is_the_identity() -> None:
    (order,) = unshuffled([FIVE])
    assert (order.shown(FIVE), order.record) == (FIVE, "ABCD")


def test_options_separated_by_periods_are_shuffled_and_keep_their_separators() -> None:
    question = question_from("Hair?  Options: A: Red. B: Tan. C: Pink. D: Blue, E: None", "B")
    order = permutation(question, seed=1, item="000001", number=2, round=0)
    shown = order.shown(question)
    assert order.record == "CDBA"
    assert shown.written() == "Hair?  Options: A: Pink. B: Blue. C: Tan. D: Red, E: None"
    assert order.undo(shown.key) == "B"


def test_constant_judge_is_right_by_chance_only() -> None:
    skewed = Question("?", FIVE.options, "C")
    said = [
        permutation(skewed, seed=0, item=str(item), number=0, round=number).undo("C")
        for item in range(400)
        for number in range(5)
    ]
    assert 0.22 < said.count(skewed.key) / len(said) < 0.28, "and 100 % without shuffling"
