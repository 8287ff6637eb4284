"""Near misses: layouts that fail by exactly one conjunct."""

from __future__ import annotations

import pytest

pytest.importorskip("ortools", reason="near misses need the extra logic")

from tsgkit.logic.conjuncts import without
from tsgkit.logic.formula import Not
from tsgkit.logic.near_misses import near_misses
from tsgkit.logic.parser import parse
from tsgkit.logic.verification import verify

TEXT = (
    "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'pen') (Has ?a 'red') (OnLeftSide ?a) (not (OnTopSide ?b))"
    " (LeftOf ?a ?b) (forall ?c (implies (Is ?c 'hat') (and (Above ?c ?b) (LargerThan ?c ?a)))))))"
)


def test_every_conjunct_gets_a_near_miss_that_fails_it_and_nothing_else() -> None:
    formula = parse(TEXT)
    misses = near_misses(formula, 6, seed=1)
    assert len({miss.conjunct for miss in misses}) == 6
    for miss in misses:
        for profile in ("strict", "official"):
            assert verify(formula, miss.layout, profile).truth is False
            assert verify(without(formula, [miss.path]), miss.layout, profile).truth is True


def test_near_misses_are_different_and_the_same_for_the_same_seed() -> None:
    formula = parse(TEXT)
    misses = near_misses(formula, 12, seed=2)
    assert len({miss.layout for miss in misses}) == 12
    assert near_misses(formula, 3, seed=2) == misses[:3]


def test_a_conjunct_that_others_imply_has_no_near_miss() -> None:
    formula = parse("(exists ?a (and (Is ?a 'cup') (OnLeftSide ?a) (not (OnRightSide ?a))))")
    assert {miss.conjunct for miss in near_misses(formula, 5)} == {"the cup is on the left side"}


def test_near_miss_can_lack_an_object_that_only_must_exist() -> None:
    misses = near_misses(parse("(exists ?a (Is ?a 'cup'))"), 1)
    assert [miss.conjunct for miss in misses] == ["there is a cup"]
    assert verify(Not(parse("(exists ?a (Is ?a 'cup'))")), misses[0].layout).truth
