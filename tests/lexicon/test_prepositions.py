"""Edge labels that are prepositions, and verbs of two words, written with a hyphen."""

from __future__ import annotations

from tsgkit.lexicon import PREPOSITIONS, ParticleVerb, is_preposition, split_particle

EVERYDAY = """with on from into in to onto of under around for across down through towards inside along off against over
by at near behind between above below beside"""
COMPOUNDS = """out-of next-to away-from back-on back-into in-front-of on-top-of to-the-left-of from-under close-to
together-with INTO"""
OTHERS = """manner holding to-remove prep preposition connected-to verb verbs dobj - on-on pick-up in-hand1-of
with-hand1 of-of-of-of-of back the on-the-of"""


def test_everyday_prepositions_and_compounds_are_known() -> None:
    assert set(EVERYDAY.split()) <= set(PREPOSITIONS)
    for label in [*EVERYDAY.split(), *COMPOUNDS.split(), "On top of"]:
        assert is_preposition(label), label


def test_other_labels_are_no_prepositions() -> None:
    assert [label for label in ["", *OTHERS.split()] if is_preposition(label)] == []


def test_a_particle_verb_comes_apart() -> None:
    for name, verb, particle in [
        ("pick-up", "pick", "up"),
        ("Turn on", "turn", "on"),
        ("take_apart", "take", "apart"),
        ("pry-open", "pry", "open"),
        ("open-up", "open", "up"),
        ("put-back-together", "put-back", "together"),
    ]:
        assert split_particle(name) == ParticleVerb(verb, particle), name


def test_other_names_have_no_particle() -> None:
    names = ["mop-stick", "up", "", "back-on", "pick", "look-at", "out-of", "next-to", "pickup", "--"]
    assert [name for name in names if split_particle(name) is not None] == []
