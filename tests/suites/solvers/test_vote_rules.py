"""Rules of votes: the answer of most draws, in whatever form it is given, and the parts that most draws have."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.logic.formula import Formula, Iff, Not
from tsgkit.logic.parser import parse
from tsgkit.logic.printer import text_of
from tsgkit.suites.solvers.vote_rules import majority, plurality

CUP_ON_TOP = (
    "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))",
    "(exists ?thing (and (OnTopSide ?thing) (Is ?thing 'cup')))",
    "(not (not (exists ?x (and (Is ?x 'cup') (and (OnTopSide ?x) (Is ?x 'cup'))))))",
)
CUP_BELOW = ("(exists ?x (and (Is ?x 'cup') (OnBottomSide ?x)))", "(exists ?y (and (OnBottomSide ?y) (Is ?y 'cup')))")
PARTS = st.lists(st.lists(st.sampled_from("aAbBc"), max_size=6), min_size=1, max_size=6)


def equivalent(one: Formula, other: Formula) -> bool:
    """Return whether no layout tells two formulas apart, as the solver proves."""
    from tsgkit.logic.solver import solve

    return solve(Not(Iff(one, other))).status == "unsatisfiable"


@pytest.mark.parametrize("draws", list(permutations((*CUP_ON_TOP[:2], *CUP_BELOW[:1]))))
def test_formulas_are_voted_on_by_equivalence_whatever_their_form(draws: tuple[str, ...]) -> None:
    pytest.importorskip("ortools", reason="formulas are solved with the extra logic")
    formulas = [parse(text) for text in draws]
    assert len(set(draws)) == 3, "by their text there is no majority"
    assert plurality(formulas, equivalent) == next(one for one in formulas if text_of(one) in CUP_ON_TOP)


def test_a_formula_that_is_drawn_in_more_forms_wins_over_one_that_is_drawn_twice_in_the_same() -> None:
    pytest.importorskip("ortools", reason="formulas are solved with the extra logic")
    draws = [parse(text) for text in (CUP_BELOW[0], CUP_BELOW[0], *CUP_ON_TOP)]
    assert plurality(draws) == draws[0]
    assert plurality(draws, equivalent) == draws[2]


@given(words=st.lists(st.sampled_from("aAbBcC"), min_size=1, max_size=9))
def test_the_winner_stands_for_the_largest_class_in_its_first_form(words: list[str]) -> None:
    winner = plurality(words, lambda one, other: one.lower() == other.lower())
    classes = Counter(map(str.lower, words))
    assert classes[winner.lower()] == max(classes.values())
    assert winner == next(word for word in words if word.lower() == winner.lower())
    first = next(word for word in words if classes[word.lower()] == max(classes.values()))
    assert winner == first


@given(draws=PARTS)
def test_a_part_stays_exactly_where_more_than_half_of_the_draws_have_it(draws: list[list[str]]) -> None:
    kept = majority(draws, str.lower)
    for part in {one.lower() for draw in draws for one in draw}:
        holding = sum(part in map(str.lower, draw) for draw in draws)
        assert (part in map(str.lower, kept)) == (holding * 2 > len(draws))
    assert len({part.lower() for part in kept}) == len(kept), "no part stands twice"


@given(draws=PARTS)
def test_parts_stand_as_first_written_and_in_that_order(draws: list[list[str]]) -> None:
    written = list({part.lower(): part for draw in reversed(draws) for part in reversed(draw)}.values())
    kept = majority(draws, str.lower)
    assert set(kept) <= set(written)
    flat = [part for draw in draws for part in draw]
    assert [flat.index(part) for part in kept] == sorted(flat.index(part) for part in kept)
