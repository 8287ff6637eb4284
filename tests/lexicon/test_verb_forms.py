"""Forms of verbs for writing, against a list written by hand."""

from __future__ import annotations

import pytest

from tsgkit.lexicon import forms, gerund, participle, third_person

VERBS = """
    agree agrees agreeing agreed; be is being been; begin begins beginning begun;
    carry carries carrying carried; catch catches catching caught; centre centres centring centred;
    cut cuts cutting cut; die dies dying died; do does doing done; dye dyes dyeing dyed; go goes going gone;
    hang hangs hanging hung; have has having had; lay lays laying laid; lie lies lying lain;
    light lights lighting lit; loosen loosens loosening loosened; mix mixes mixing mixed;
    offer offers offering offered; open opens opening opened; prefer prefers preferring preferred;
    press presses pressing pressed; put puts putting put; quilt quilts quilting quilted;
    repot repots repotting repotted; run runs running run; saw saws sawing sawn;
    scrub scrubs scrubbing scrubbed; sew sews sewing sewn; spray sprays spraying sprayed;
    stir stirs stirring stirred; take takes taking taken; tie ties tying tied;
    travel travels travelling travelled; unzip unzips unzipping unzipped; visit visits visiting visited;
    wet wets wetting wet; wring wrings wringing wrung
"""
ROWS = [tuple(line.split()) for line in VERBS.split(";")]


@pytest.mark.parametrize(("verb", "does", "doing", "done"), ROWS)
def test_verbs_are_inflected_as_they_are_spelt(verb: str, does: str, doing: str, done: str) -> None:
    assert (third_person(verb), gerund(verb), participle(verb)) == (does, doing, done)


@pytest.mark.parametrize(("verb", "does", "doing", "done"), ROWS)
def test_written_forms_are_read_as_forms_of_the_verb(verb: str, does: str, doing: str, done: str) -> None:
    assert {does, doing, done} - {verb} <= forms(verb) | {"has"}


def test_only_the_first_word_of_an_action_is_inflected() -> None:
    assert third_person("pick-up") == "picks up"
    assert gerund("take-out-of") == "taking out of"
    assert participle("let-go") == "let go"


def test_names_that_are_no_verbs_are_inflected_without_an_error() -> None:
    for name in ("", "-", "x", "hand1", "12"):
        assert all(isinstance(form(name), str) for form in (third_person, gerund, participle))
