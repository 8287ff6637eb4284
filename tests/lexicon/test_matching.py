"""Comparison of two names by their words."""

from __future__ import annotations

import pytest

from tsgkit.lexicon import WordMatch, same_word


class Upright:
    """A lemmatiser that knows one word."""

    name = "upright"

    def lemma(self, word: str) -> str:
        return "hoist" if word == "lift" else word


@pytest.mark.parametrize(
    ("a", "b", "by"),
    [
        ("lid", "lid", "exact"),
        ("", "", "exact"),
        ("Pick up", "pick-up", "folded"),
        ("", "--", "folded"),
        ("wood-pieces", "wood-piece", "inflection"),
        ("picks up", "pick-up", "inflection"),
        ("Picked Up", "picking_up", "inflection"),
        ("wrung", "wringing", "inflection"),
        ("adjustment", "adjust", "stem:porter"),
        ("adjustments knobs", "adjusting knob", "stem:porter"),
        ("lid", "lids-lid", ""),
        ("pan", "pancake", ""),
        ("cloth", "clothes", ""),
        ("university", "universal", ""),
        ("hand1", "hand2", ""),
        ("screw", "screwdriver", ""),
        ("up-pick", "pick-up", ""),
    ],
)
def test_the_reading_that_made_two_names_the_same_is_told(a: str, b: str, by: str) -> None:
    for match in (same_word(a, b), same_word(b, a)):
        assert (match.same, match.by) == (bool(by), by)
        assert bool(match) is match.same


@pytest.mark.parametrize(
    ("form", "base"), [("ground", "grind"), ("found", "finding"), ("left", "leave"), ("saw", "sees")]
)
def test_an_everyday_word_taken_for_a_verb_is_marked_ambiguous(form: str, base: str) -> None:
    assert same_word(form, base) == WordMatch(same=True, by="inflection", ambiguous=True)
    assert same_word(base, form) == same_word(form, base)


@pytest.mark.parametrize(("a", "b"), [("ground", "grounds"), ("saws", "saw"), ("wound", "wounds"), ("held", "hold")])
def test_a_plain_inflection_is_not_ambiguous(a: str, b: str) -> None:
    assert same_word(a, b) == WordMatch(same=True, by="inflection")


def test_a_passed_lemmatiser_is_named() -> None:
    assert same_word("lift", "hoist", Upright()).by == "lemma:upright"


def test_a_passed_lemmatiser_decides_alone() -> None:
    assert not same_word("lifts", "lift", Upright())
    assert same_word("Lift", "lift", Upright()).by == "folded"
