"""Tests of votes."""

from __future__ import annotations

import pytest

from tsgkit.suites.spatialgen.votes import (
    Ballot,
    accuracy,
    agreement_between_rounds,
    right_by_chance,
    single_round_accuracy,
    vote_curve,
)


def ballot(letters: str, key: str = "B") -> Ballot:
    return Ballot(key, tuple(None if letter == "-" else letter for letter in letters))


@pytest.mark.parametrize(
    ("letters", "right"),
    [("BBBBB", True), ("BBBB-", True), ("BBBB", True), ("BBBA-", False), ("BBB", False), ("", False)],
)
def test_round_without_letter_votes_for_nothing(letters: str, right: bool) -> None:
    assert ballot(letters).right() == right


def test_extra_rounds_do_not_vote() -> None:
    assert not ballot("AABBBBB").right()


def test_the_curve_shows_every_threshold_and_never_rises() -> None:
    ballots = [ballot("B" * rights + "A" * (5 - rights)) for rights in range(6)]
    assert vote_curve(ballots) == tuple(pytest.approx(passing / 6) for passing in (5, 4, 3, 2, 1))
    assert accuracy(ballots) == pytest.approx(2 / 6)
    assert single_round_accuracy(ballots) == 0.5


def test_votes_of_no_questions_are_none() -> None:
    assert accuracy([]) is single_round_accuracy([]) is None
    assert vote_curve([]) == (None,) * 5
    assert agreement_between_rounds([]).value is None


def test_agreement_compares_letters_not_correctness() -> None:
    assert agreement_between_rounds([ballot("AAAAA"), ballot("CCCCC"), ballot("BBBB-")]).value == 1.0
    torn = agreement_between_rounds([ballot("ABABA"), ballot("BABAB"), ballot("ABBA")])
    assert torn.value is not None
    assert torn.value < 0


def test_random_letters_rarely_pass_the_vote() -> None:
    assert right_by_chance(5) == pytest.approx(0.00672)
    assert right_by_chance(4, rounds=1, needed=1) == pytest.approx(0.25)
