"""Mentions of elements in a sentence."""

from __future__ import annotations

import pytest

from tsgkit.lexicon import Mention, every_mention, mentions
from tsgkit.lexicon.mention import MOST_WORDS


def found(text: str, name: str) -> list[str]:
    mention = mentions(text, name)
    return [text[start:end] for start, end in mention.spans] if mention else []


@pytest.mark.parametrize(
    ("text", "name", "spans", "by"),
    [
        ("Take the lid.", "lid", ["lid"], "exact"),
        ("Take the LID's edge.", "lid", ["LID"], "folded"),
        ("two wood pieces", "wood-pieces", ["wood pieces"], "folded"),
        ("a wood piece", "wood-pieces", ["wood piece"], "inflection"),
        ("She picks up a nut", "pick-up", ["picks up"], "inflection"),
        ("She pick-up a nut", "pick-up", ["pick-up"], "exact"),
        ("She picked the big lid up", "pick-up", ["picked", "up"], "inflection"),
        ("Turn the lamp on, then go", "turn-on", ["Turn", "on"], "folded"),
        ("She wrung the knives", "wring", ["wrung"], "inflection"),
        ("after an adjustment of it", "adjust", ["adjustment"], "stem:porter"),
    ],
)
def test_a_mention_is_found_where_it_stands(text: str, name: str, spans: list[str], by: str) -> None:
    mention = mentions(text, name)
    assert mention is not None
    assert (found(text, name), mention.by) == (spans, by)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("He flips the pancake", "pan"),
        ("several lids", "sever"),
        ("wood, pieces", "wood-pieces"),
        ("wood\n\npieces", "wood-pieces"),
        ("pieces of wood", "wood-pieces"),
        ("", "lid"),
        ("lid", ""),
        ("lid", "--"),
        ("lid", "?!"),
    ],
)
def test_partial_names_are_no_mention(text: str, name: str) -> None:
    assert mentions(text, name) is None


@pytest.mark.parametrize(
    "text",
    [
        "She picked the lid. Up it went.",
        "She picked the lid; up it went.",
        "She picked the lid\n\nup",
        "She picks a lid and stands up.",
        "She picks one two three four five six up.",
        "She picks the lid from the pan up.",
        "She picks the box up the stairs.",
    ],
)
def test_a_particle_too_far_off_belongs_to_another_verb(text: str) -> None:
    assert mentions(text, "pick-up") is None


def test_a_particle_may_stand_five_words_behind_its_verb() -> None:
    assert found("She picks one two three four five up.", "pick-up") == ["picks", "up"]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("She puts the pan on the stove.", "put-on", []),
        ("She puts pan on stove.", "put-on", []),
        ("She puts the hat on.", "put-on", ["puts", "on"]),
        ("He turned the lamp on with his thumb", "turn-on", ["turned", "on"]),
        ("He turned the lamp on slowly", "turn-on", ["turned", "on"]),
        ("He takes the toy apart the second time", "take-apart", ["takes", "apart"]),
        ("He picks it up twice", "pick-up", ["picks", "up"]),
    ],
)
def test_a_particle_behind_an_object_must_read_as_one(text: str, name: str, expected: list[str]) -> None:
    assert found(text, name) == expected


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("with her left hand", "leave"),
        ("Left hand grips the lid", "leave"),
        ("lies on the ground", "grind"),
        ("takes a saw", "see"),
        ("binds the wound", "wind"),
        ("sees the board", "saw"),
        ("finds it", "found"),
        ("picks the leaves", "leave"),
    ],
)
def test_an_everyday_word_is_no_verb_where_a_noun_stands(text: str, name: str) -> None:
    assert mentions(text, name) is None


def test_an_everyday_word_is_a_verb_where_a_verb_can_stand_and_is_marked() -> None:
    assert mentions("He ground the beans", "grind") == Mention(((3, 9),), "inflection", ambiguous=True)
    assert mentions("two saw blades", "saw-blade") == Mention(((4, 14),), "inflection")
    assert mentions("He saw the beans", "saw") == Mention(((3, 6),), "exact")


def test_the_surest_mention_wins_over_an_earlier_one() -> None:
    assert found("She lifted a lift", "lift") == ["lift"]
    assert found("the adjustment was adjusted", "adjust") == ["adjusted"]


def test_of_equally_sure_mentions_the_first_counts() -> None:
    mention = mentions("Lift the lift", "lift")
    assert mention is not None
    assert mention.spans == ((0, 4),)
    assert found("She lifts, then lifted", "lift") == ["lifts"]


def test_a_passed_lemmatiser_is_named() -> None:
    class Fabric:
        name = "fabric"

        def lemma(self, word: str) -> str:
            return {"fabric": "cloth"}.get(word, word)

    mention = mentions("the fabric", "cloth", Fabric())
    assert mention is not None
    assert mention.by == "lemma:fabric"
    assert mentions("the cloths", "cloth", Fabric()) is None


def test_a_name_of_too_many_words_is_never_mentioned() -> None:
    name = " ".join(["a"] * (MOST_WORDS + 1))
    assert mentions(name, name) is None
    assert mentions(name, name[2:]) is not None


def test_a_name_that_is_half_punctuation_is_its_words() -> None:
    assert found("Go up or not", "?!-up") == ["up"]
    assert found("Pick it up", "pick-up!") == ["Pick", "up"]


def test_a_name_with_an_apostrophe_is_found() -> None:
    assert found("the carpenter’s square", "carpenter's-square") == ["carpenter’s square"]


def test_every_mention_is_found_in_the_order_of_the_text() -> None:
    text = "Takes the lid off, wipes it, and then takes the second lid off."
    assert [[text[slice(*span)] for span in one.spans] for one in every_mention(text, "take-off")] == [
        ["Takes", "off"],
        ["takes", "off"],
    ]
    assert every_mention(text, "pan") == () == every_mention(text, "")
