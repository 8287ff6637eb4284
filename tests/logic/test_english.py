"""Formulas in plain English."""

from __future__ import annotations

from random import Random

import pytest
from logic import made_up_formulas

from tsgkit.logic.english import reading_of
from tsgkit.logic.parser import parse


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "(exists ?s (exists ?k (and (Is ?s 'scissors') (Has ?s 'gray') (Is ?k 'keys') (Above ?s ?k))))",
            "There are a pair of gray scissors and a bunch of keys. The pair of scissors is above the bunch of keys.",
        ),
        (
            "(and (forall ?d (implies (Is ?d 'drill') (OnBottomSide ?d))))",
            "For every drill: the drill is on the bottom side.",
        ),
        (
            "(forall ?c (implies (and (Is ?c 'cup') (Has ?c 'red') (OnTopSide ?c)) (OnLeftSide ?c)))",
            "For every red cup such that the cup is on the top side: the cup is on the left side.",
        ),
        (
            "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'cup') (LeftOf ?a ?b))))",
            "There are a cup (cup 1) and a cup (cup 2). Cup 1 is left of cup 2.",
        ),
        ("(not (exists ?x (and (Is ?x 'shoe') (Has ?x 'red'))))", "There is no red shoe."),
        (
            "(not (forall ?x (OnTopSide ?x)))",
            "It is not so that (for every object (object 1): object 1 is on the top side).",
        ),
        ("(exists ?x (not (LeftOf ?x ?x)))", "There is an object (object 1). Object 1 is not left of object 1."),
        (
            "(exists ?x (or (Is ?x 'cup') (Has ?x 'red')))",
            "There is an object (object 1). Either object 1 is a cup or object 1 is red.",
        ),
        ("(LessThanOrEquals (Count ?x (Is ?x 'mouse')) 2)", "The number of mice is at most 2."),
        (
            "(exists ?x (iff (OnTopSide ?x) (OnLeftSide ?x)))",
            "There is an object (object 1). Object 1 is on the top side exactly when object 1 is on the left side.",
        ),
        (
            "(and (IsStyle 'pixel art') (exists ?m (and (Is ?m 'man') (HasState ?m 'running'))))",
            "The style is pixel art. There is a man. The man is running.",
        ),
        ("(exists ?x (and (Is ?x 'cup') (HasMaterial ?x 'glass')))", "There is a glass cup."),
        ("(and)", "Anything is fine."),
        ("(or)", "Nothing is fine."),
    ],
)
def test_formulas_are_verbalised(text: str, said: str) -> None:
    assert reading_of(parse(text)) == said


def test_every_formula_is_verbalised_deterministically() -> None:
    for number in range(1_000):
        formula = made_up_formulas.formula(Random(f"reading/{number}"), deepest=6)
        said = reading_of(formula)
        assert said == reading_of(formula)
        assert said.endswith(".")
        assert said[0].isupper()
        assert "?" not in said
