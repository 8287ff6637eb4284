"""Rules of votes: the answer of most draws, in whatever form it is given, and the parts that most draws have."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.logic.formula import Formula, Iff, Not
from tsgkit.logic.parser import parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.solver import solve
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
    return solve(Not(Iff(one, other))).status == "unsatisfiable"


def test_formulas_are_voted_on_by_equivalence_whatever_their_form() -> None:
    for draws in permutations((*CUP_ON_TOP[:2], CUP_BELOW[0])):
        formulas = [parse(text) for text in draws]
        assert plurality(formulas, equivalent) == next(one for one in formulas if text_of(one) in CUP_ON_TOP)
    formulas = [parse(text) for text in (CUP_BELOW[0], CUP_BELOW[0], *CUP_ON_TOP)]
    assert plurality(formulas) == formulas[0], "by their text two are most"
    assert plurality(formulas, equivalent) == formulas[2]


@given(words=st.lists(st.sampled_from("aAbBcC"), min_size=1, max_size=9))
def test_the_winner_is_the_first_of_the_largest_class(words: list[str]) -> None:
    classes = Counter(map(str.lower, words))
    first = next(word for word in words if classes[word.lower()] == max(classes.values()))
    assert plurality(words, lambda one, other: one.lower() == other.lower()) == first


@given(draws=PARTS)
def test_a_part_stays_where_more_than_half_of_the_draws_have_it_as_first_written(draws: list[list[str]]) -> None:
    flat = [part for draw in draws for part in draw]
    kept = majority(draws, str.lower)
    for part in {one.lower() for one in flat}:
        holding = sum(part in map(str.lower, draw) for draw in draws)
        assert (part in map(str.lower, kept)) == (holding * 2 > len(draws))
    assert len({part.lower() for part in kept}) == len(kept), "no part stands twice"
    assert set(kept) <= set({part.lower(): part for part in reversed(flat)}.values())
    assert [flat.index(part) for part in kept] == sorted(flat.index(part) for part in kept)
