"""Mentions of elements in a sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.lexicon import Mention, every_mention, fold, forms, mentions, nearest, same_word, split_particle
from tsgkit.lexicon.mention import MOST_WORDS

SPELT = st.text(st.sampled_from("abceghilnorstuy"), min_size=1, max_size=9)
NAMES = st.lists(SPELT, min_size=1, max_size=3).map("-".join)
ANYTHING = st.text() | st.text(st.sampled_from("aA-_ '\"`\n.,İΣß“‑up"), max_size=30)


def found(text: str, name: str) -> list[str]:
    mention = mentions(text, name)
    return [text[start:end] for start, end in mention.spans] if mention else []


def test_a_mention_is_found_where_it_stands() -> None:
    for text, name, spans, by in [
        ("Take the lid.", "lid", ["lid"], "exact"),
        ("Take the LID's edge.", "lid", ["LID"], "folded"),
        ("two wood pieces", "wood-pieces", ["wood pieces"], "folded"),
        ("a wood piece", "wood-pieces", ["wood piece"], "inflection"),
        ("She picks up a nut", "pick-up", ["picks up"], "inflection"),
        ("She pick-up a nut", "pick-up", ["pick-up"], "exact"),
        ("She picked the big lid up", "pick-up", ["picked", "up"], "inflection"),
        ("She picks one two three four five up.", "pick-up", ["picks", "up"], "inflection"),
        ("Turn the lamp on, then go", "turn-on", ["Turn", "on"], "folded"),
        ("She wrung the knives", "wring", ["wrung"], "inflection"),
        ("after an adjustment of it", "adjust", ["adjustment"], "stem:porter"),
        ("Go up or not", "?!-up", ["up"], "folded"),
        ("Pick it up", "pick-up!", ["Pick", "up"], "folded"),
        ("the carpenter’s square", "carpenter's-square", ["carpenter’s square"], "folded"),
    ]:
        mention = mentions(text, name)
        assert mention is not None, (text, name)
        assert (found(text, name), mention.by) == (spans, by), (text, name)


def test_partial_names_and_everyday_nouns_are_no_mention_of_a_verb() -> None:
    for name, texts in {
        "pan": ["He flips the pancake"],
        "sever": ["several lids"],
        "wood-pieces": ["wood, pieces", "wood\n\npieces", "pieces of wood"],
        "lid": [""],
        **{none: ["lid"] for none in ("", "--", "?!")},
        "leave": ["with her left hand", "Left hand grips the lid", "picks the leaves"],
        "grind": ["lies on the ground"],
        "see": ["takes a saw"],
        "wind": ["binds the wound"],
        "saw": ["sees the board"],
        "found": ["finds it"],
    }.items():
        assert [text for text in texts if mentions(text, name)] == [], name


def test_a_particle_too_far_off_belongs_to_another_verb_and_behind_an_object_must_read_as_one() -> None:
    for text in [
        "She picked the lid. Up it went.",
        "She picked the lid; up it went.",
        "She picked the lid\n\nup",
        "She picks a lid and stands up.",
        "She picks one two three four five six up.",
        "She picks the lid from the pan up.",
        "She picks the box up the stairs.",
    ]:
        assert mentions(text, "pick-up") is None, text
    rows: list[tuple[str, str, list[str]]] = [
        ("She puts the pan on the stove.", "put-on", []),
        ("She puts pan on stove.", "put-on", []),
        ("She puts the hat on.", "put-on", ["puts", "on"]),
        ("He turned the lamp on with his thumb", "turn-on", ["turned", "on"]),
        ("He turned the lamp on slowly", "turn-on", ["turned", "on"]),
        ("He takes the toy apart the second time", "take-apart", ["takes", "apart"]),
        ("He picks it up twice", "pick-up", ["picks", "up"]),
    ]
    for text, name, expected in rows:
        assert found(text, name) == expected, text


def test_an_everyday_word_is_a_marked_verb_where_one_can_stand_and_the_surest_mention_wins() -> None:
    assert mentions("He ground the beans", "grind") == Mention(((3, 9),), "inflection", ambiguous=True)
    assert mentions("two saw blades", "saw-blade") == Mention(((4, 14),), "inflection")
    assert mentions("He saw the beans", "saw") == Mention(((3, 6),), "exact")

    assert found("She lifted a lift", "lift") == ["lift"]
    assert found("the adjustment was adjusted", "adjust") == ["adjusted"]
    assert mentions("Lift the lift", "lift") == Mention(((0, 4),), "folded")
    assert found("She lifts, then lifted", "lift") == ["lifts"]


def test_a_passed_lemmatiser_decides_and_is_named() -> None:
    class Fabric:
        name = "fabric"

        def lemma(self, word: str) -> str:
            return {"fabric": "cloth"}.get(word, word)

    assert mentions("the fabric", "cloth", Fabric()) == Mention(((4, 10),), "lemma:fabric")
    assert mentions("the cloths", "cloth", Fabric()) is None


def test_every_mention_is_found_in_the_order_of_the_text() -> None:
    text = "Takes the lid off, wipes it, and then takes the second lid off."
    spans = [[text[slice(*span)] for span in one.spans] for one in every_mention(text, "take-off")]
    assert spans == [["Takes", "off"], ["takes", "off"]]
    assert every_mention(text, "pan") == () == every_mention(text, "")
    name = " ".join(["a"] * (MOST_WORDS + 1))
    assert mentions(name, name) is None, "a name of too many words"
    assert mentions(name, name[2:]) is not None


@given(NAMES, st.data())
def test_a_name_in_any_inflected_form_is_mentioned(name: str, data: st.DataObject) -> None:
    first, *rest = name.split("-")
    form = data.draw(st.sampled_from(sorted({first, *forms(first)})))
    text = f"Then you {form} {' '.join(rest)}, slowly."
    mention = mentions(text, name)
    assert mention is not None
    assert same_word(" ".join(text[start:end] for start, end in mention.spans), name)


@given(ANYTHING, ANYTHING | NAMES)
def test_the_spans_of_a_mention_stand_in_order_within_the_text(text: str, name: str) -> None:
    if mention := mentions(text, name):
        places = [place for span in mention.spans for place in span]
        assert places == sorted(places)
        assert places[-1] <= len(text)


def test_a_long_text_of_anything_is_read_without_an_error() -> None:
    for piece in ["a", "a ", "pick ", "ing ", " ", "\n \n,", "-", "'", "' a", "İ", "\ud800 ", "\x00"]:
        text = piece * (120_000 // len(piece))
        assert fold(fold(text)) == fold(text), piece
        assert mentions(text, "pick-up") is None is mentions("a pan", text), piece
        assert same_word(text, text + "x x").by == "" and split_particle(text) is None, piece
        assert nearest("lid", [text, "lids"])[0].name == "lids", piece
