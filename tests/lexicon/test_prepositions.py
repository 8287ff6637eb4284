"""Edge labels that are prepositions."""

from __future__ import annotations

import pytest

from tsgkit.lexicon import PREPOSITIONS, is_preposition

EVERYDAY = """with on from into in to onto of under around for across down through towards inside along off against over
by at near behind between above below beside"""


@pytest.mark.parametrize("label", EVERYDAY.split())
def test_the_everyday_prepositions_are_known(label: str) -> None:
    assert label in PREPOSITIONS
    assert is_preposition(label)


@pytest.mark.parametrize(
    "label",
    [
        "out-of",
        "next-to",
        "away-from",
        "back-on",
        "back-into",
        "in-front-of",
        "on-top-of",
        "to-the-left-of",
        "from-under",
        "close-to",
        "together-with",
        "On top of",
        "INTO",
    ],
)
def test_compounds_and_other_spellings_are_prepositions_too(label: str) -> None:
    assert is_preposition(label)


@pytest.mark.parametrize(
    "label",
    [
        "manner",
        "holding",
        "to-remove",
        "prep",
        "preposition",
        "connected-to",
        "verb",
        "verbs",
        "dobj",
        "",
        "-",
        "on-on",
        "pick-up",
        "in-hand1-of",
        "with-hand1",
        "of-of-of-of-of",
        "back",
        "the",
        "on-the-of",
    ],
)
def test_other_labels_are_no_prepositions(label: str) -> None:
    assert not is_preposition(label)
