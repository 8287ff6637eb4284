"""Formulas over candidate objects: class tests decided, zero-trigger rules of both verifiers, how many are enough."""

from __future__ import annotations

import pytest

from tsgkit.errors import UsageError
from tsgkit.logic.formula import Comparison
from tsgkit.logic.grounding import All, Any, Fact, Lit, Tally, ground, holds
from tsgkit.logic.parser import parse
from tsgkit.logic.witnesses import Candidate, bounds_of, candidates_of, is_enough

CUP, PEN = Candidate("cup"), Candidate("pen")


def test_an_exists_over_distinct_classes_becomes_its_facts() -> None:
    formula = parse("(exists ?x (exists ?y (and (Is ?x 'cup') (Is ?y 'pen') (LeftOf ?x ?y) (OnTopSide ?y))))")
    facts = {Lit(Fact("LeftOf", (0, 1))), Lit(Fact("OnTopSide", (1,)))}
    for profile in ("strict", "official"):
        made = ground(formula, [CUP, PEN], profile)
        assert isinstance(made, All)
        assert set(made.parts) == facts


def test_an_exists_over_two_candidates_of_a_class_is_a_choice() -> None:
    made = ground(parse("(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"), [CUP, PEN, CUP], "strict")
    assert made == Any((Lit(Fact("OnTopSide", (0,))), Lit(Fact("OnTopSide", (2,)))))


def test_grounding_negates_only_facts() -> None:
    formula = parse("(exists ?x (and (Is ?x 'cup') (OnTopSide ?x) (Has ?x 'red')))")
    made = ground(formula, [CUP], "strict", truth=False)
    assert made == Any((Lit(Fact("OnTopSide", (0,)), False), Lit(Fact("Has", (0,), "red"), False)))


def test_the_zero_trigger_rule_applies_to_implications_in_both_profiles() -> None:
    implied = parse("(forall ?x (implies (Is ?x 'shoe') (OnTopSide ?x)))")
    either = parse("(forall ?x (or (not (Is ?x 'shoe')) (OnTopSide ?x)))")
    assert [ground(implied, [CUP], "strict"), ground(implied, [CUP], "official")] == [False, False]
    assert [ground(either, [CUP], "strict"), ground(either, [CUP], "official")] == [True, True]
    assert ground(either, [], "strict") is False
    assert ground(implied, [CUP], "strict", truth=False) is True
    nested = parse("(forall ?x (forall ?y (implies (and (Is ?x 'cup') (Is ?y 'pen')) (LeftOf ?x ?y))))")
    assert ground(nested, [CUP, PEN], "strict") == Lit(Fact("LeftOf", (0, 1)))
    assert ground(nested, [CUP, PEN], "official") is False


def test_an_optional_candidate_must_be_there_to_be_a_witness() -> None:
    made = ground(parse("(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"), [Candidate("cup", None, True)], "strict")
    assert made == All((Lit(Fact("Present", (0,))), Lit(Fact("OnTopSide", (0,)))))


def test_counts_are_grounded_to_tallies() -> None:
    made = ground(parse("(Equals (Count ?x (and (Is ?x 'cup') (OnTopSide ?x))) 1)"), [CUP, PEN, CUP], "strict")
    assert isinstance(made, Tally)
    assert holds(made, frozenset({Fact("OnTopSide", (2,))}))
    assert not holds(made, frozenset({Fact("OnTopSide", (0,)), Fact("OnTopSide", (2,))}))
    assert holds(made, frozenset({Fact("OnTopSide", (0,)), Fact("OnTopSide", (1,))}))


def test_comparisons_bound_counts_from_either_side() -> None:
    cups = "(Count ?x (Is ?x 'cup'))"
    for text, bounds, denied in (
        (f"(Equals {cups} 2)", (2, 2, False), (3, 1, True)),
        (f"(Equals 2.5 {cups})", (3, 2, False), (3, 2, True)),
        (f"(GreaterThan {cups} 2)", (3, None, False), (None, 2, False)),
        (f"(GreaterThan 2 {cups})", (None, 1, False), (2, None, False)),
        (f"(LessThan {cups} 2.5)", (None, 2, False), (3, None, False)),
        (f"(GreaterThanOrEquals {cups} 2)", (2, None, False), (None, 1, False)),
        (f"(LessThanOrEquals {cups} 2)", (None, 2, False), (3, None, False)),
    ):
        comparison = parse(text)
        assert isinstance(comparison, Comparison)
        for truth, expected in ((True, bounds), (False, denied)):
            found = bounds_of(comparison, truth=truth)
            assert found is not None and found[1:] == expected, (text, truth)
    for text in (f"(Equals {cups} {cups})", "(Equals 1 2)"):
        comparison = parse(text)
        assert isinstance(comparison, Comparison)
        assert bounds_of(comparison, truth=True) is None, text


def test_candidates_cover_every_variable_that_needs_a_witness() -> None:
    formula = parse("(exists ?x (and (Is ?x 'cup') (not (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x))))))")
    assert [one.label for one in candidates_of(formula)] == ["cup"]
    assert [one.label for one in candidates_of(formula, spare=1)] == ["cup", "cup"]


def test_a_candidate_may_be_of_every_class_that_its_variable_leaves_open() -> None:
    for text, classes in {
        "(exists ?x (and (or (Is ?x 'cup') (Is ?x 'pen')) (OnTopSide ?x)))": ("cup", "pen"),
        "(exists ?x (and (not (Is ?x 'cup')) (OnTopSide ?x)))": ("laptop",),
        "(and (exists ?x (OnTopSide ?x)) (not (exists ?y (not (Is ?y 'cup')))))": ("cup", "laptop"),
        "(not (forall ?x (or (Is ?x 'cup') (not (Is ?x 'pen')))))": ("pen",),
    }.items():
        assert [candidate.labels for candidate in candidates_of(parse(text))] == [classes], text


def test_grounding_keeps_an_undecided_class_as_a_fact() -> None:
    made = ground(parse("(exists ?x (Is ?x 'cup'))"), [Candidate("cup", others=("pen",)), Candidate("pen")], "strict")
    assert made == Lit(Fact("Is", (0,), "cup"))


ENOUGH = [
    ("(forall ?p (implies (Is ?p 'pizza') (exists ?q (and (Is ?q 'pizza') (RightOf ?q ?p)))))", False),
    ("(forall ?p (implies (Is ?p 'pizza') (exists ?q (and (Is ?q 'cup') (RightOf ?q ?p)))))", True),
    ("(forall ?p (implies (Is ?p 'pizza') (OnTopSide ?p)))", True),
    ("(and (exists ?q (Is ?q 'pizza')) (forall ?p (implies (Is ?p 'pizza') (OnTopSide ?p))))", True),
    ("(and (exists ?q (Is ?q 'pen')) (forall ?p (exists ?r (and (Is ?r 'pen') (LeftOf ?p ?r)))))", False),
    ("(GreaterThan (Count ?x (Is ?x 'cup')) 2)", True),
    ("(GreaterThan (Count ?x (Is ?x 'cup')) (Count ?x (Is ?x 'pen')))", False),
    ("(not (exists ?x (Is ?x 'cup')))", True),
    ("(not (exists ?x (and (Is ?x 'cup') (not (exists ?y (and (Is ?y 'cup') (LeftOf ?y ?x)))))))", True),
    ("(and (exists ?z (Is ?z 'cup')) (not (exists ?x (not (exists ?y (LeftOf ?y ?x))))))", False),
]


def test_witnesses_are_enough_unless_a_class_requires_itself() -> None:
    for text, enough in ENOUGH:
        assert is_enough(parse(text)) is enough, text


def test_candidates_refuse_formulas_that_need_too_many_objects() -> None:
    with pytest.raises(UsageError, match="needs 1000 objects"):
        candidates_of(parse("(Equals (Count ?x (Is ?x 'cup')) 1000)"))


def test_a_long_chain_over_one_class_is_grounded_by_parts() -> None:
    text = "(OnTopSide ?x9)"
    for number in range(9, 0, -1):
        text = f"(exists ?x{number} (and (Is ?x{number} 'cup') (LeftOf ?x{number - 1} ?x{number}) {text}))"
    formula = parse(f"(exists ?x0 (and (Is ?x0 'cup') {text}))")
    assert ground(formula, [Candidate("cup")] * 12, "official") is not False
