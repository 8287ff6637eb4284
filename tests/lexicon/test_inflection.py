"""The forms of a word, and the words a form may come from."""

from __future__ import annotations

import pytest

from tsgkit.lexicon import bases, forms
from tsgkit.lexicon.inflection import LONGEST_WORD
from tsgkit.lexicon.irregular import AMBIGUOUS, IRREGULAR_BASES, IRREGULAR_FORMS

IRREGULAR = {
    "held": "hold",
    "took": "take",
    "taken": "take",
    "cut": "cut",
    "put": "put",
    "hung": "hang",
    "wrung": "wring",
    "bound": "bind",
    "ground": "grind",
    "wove": "weave",
    "lit": "light",
    "slid": "slide",
    "swept": "sweep",
    "spread": "spread",
    "torn": "tear",
    "thrown": "throw",
    "stuck": "stick",
    "laid": "lay",
    "unwound": "unwind",
    "shook": "shake",
    "bent": "bend",
    "knives": "knife",
    "shelves": "shelf",
    "feet": "foot",
}
REGULAR = {
    "cutting": "cut",
    "gripped": "grip",
    "unplugged": "unplug",
    "travelled": "travel",
    "traveled": "travel",
    "quitting": "quit",
    "carries": "carry",
    "dried": "dry",
    "spraying": "spray",
    "wiping": "wipe",
    "squeezed": "squeeze",
    "agreed": "agree",
    "tying": "tie",
    "tied": "tie",
    "dyeing": "dye",
    "boxes": "box",
    "brushes": "brush",
    "passes": "pass",
    "tomatoes": "tomato",
    "potatoes": "potato",
    "radios": "radio",
    "mixing": "mix",
    "pieces": "piece",
    "lenses": "lens",
    "mimicking": "mimic",
}


@pytest.mark.parametrize(("form", "base"), [*IRREGULAR.items(), *REGULAR.items()])
def test_a_form_leads_to_its_base(form: str, base: str) -> None:
    assert base in bases(form)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("planing", "plan"),
        ("planning", "plane"),
        ("taping", "tap"),
        ("hoping", "hop"),
        ("scraping", "scrap"),
        ("glass", "glas"),
        ("news", "new"),
        ("clothes", "cloth"),
        ("seed", "see"),
        ("shed", "she"),
        ("string", "str"),
        ("thing", "the"),
        ("his", "hi"),
        ("bed", "be"),
    ],
)
def test_a_word_that_only_looks_inflected_leads_nowhere(word: str, other: str) -> None:
    assert other not in bases(word)


def test_an_irregular_verb_has_no_regular_past() -> None:
    assert "holded" not in forms("hold")
    assert {"hung", "hanged"} <= forms("hang")


def test_a_word_is_its_own_first_base() -> None:
    assert bases("found")[0] == "found"
    assert bases("found")[1] == "find"


def test_a_form_of_two_bases_keeps_both() -> None:
    assert {"leaf", "leave"} <= set(bases("leaves"))
    assert {"lay", "lie"} <= set(bases("lay"))


def test_names_with_digits_have_no_forms() -> None:
    assert forms("hand1") == frozenset()
    assert bases("hand1") == ("hand1",)


def test_a_word_longer_than_any_is_left_alone() -> None:
    assert forms("a" * (LONGEST_WORD + 1)) == frozenset()
    assert bases("a" * LONGEST_WORD + "s") == ("a" * LONGEST_WORD + "s",)


def test_the_table_knows_the_everyday_verbs() -> None:
    assert len(IRREGULAR_BASES) >= 150


@pytest.mark.parametrize("base", IRREGULAR_FORMS)
def test_every_line_of_the_table_reads_as_a_base_and_forms_that_differ_from_it(base: str) -> None:
    assert base.isalpha()
    assert all(form.isalpha() and form != base for form in IRREGULAR_FORMS[base])
    assert set(IRREGULAR_FORMS[base]) <= forms(base)


@pytest.mark.parametrize(("form", "verb"), AMBIGUOUS.items())
def test_every_ambiguous_word_is_a_form_of_its_verb(form: str, verb: str) -> None:
    assert form in forms(verb)
