"""Verbs of two words, written with a hyphen."""

from __future__ import annotations

import pytest

from tsgkit.lexicon import ParticleVerb, split_particle


@pytest.mark.parametrize(
    ("name", "verb", "particle"),
    [
        ("pick-up", "pick", "up"),
        ("Turn on", "turn", "on"),
        ("take_apart", "take", "apart"),
        ("pry-open", "pry", "open"),
        ("open-up", "open", "up"),
        ("put-back-together", "put-back", "together"),
    ],
)
def test_a_particle_verb_comes_apart(name: str, verb: str, particle: str) -> None:
    assert split_particle(name) == ParticleVerb(verb, particle)


@pytest.mark.parametrize(
    "name", ["mop-stick", "up", "", "back-on", "pick", "look-at", "out-of", "next-to", "pickup", "--"]
)
def test_other_names_have_no_particle(name: str) -> None:
    assert split_particle(name) is None
