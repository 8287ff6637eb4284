"""Comparison of two names by their words, and the allowed names nearest to one that is not allowed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.lexicon import Near, WordMatch, fold, is_preposition, nearest, only_near, same_word, split_particle
from tsgkit.lexicon.irregular import IRREGULAR_FORMS
from tsgkit.lexicon.nearest import meant

SPELT = st.text(st.sampled_from("abceghilnorstuy"), min_size=1, max_size=9)
NAMES = st.lists(SPELT | st.sampled_from(sorted(IRREGULAR_FORMS)), min_size=1, max_size=3).map("-".join)
ANYTHING = NAMES | st.text() | st.text(st.sampled_from("aA-_ '\"`\n.,İΣß“‑up"), max_size=30)


def test_the_reading_that_made_two_names_the_same_is_told_both_ways() -> None:
    pairs: dict[str, list[tuple[str, str]]] = {
        "exact": [("lid", "lid"), ("", "")],
        "folded": [("Pick up", "pick-up"), ("", "--")],
        "inflection": [("wood-pieces", "wood-piece"), ("picks up", "pick-up"), ("Picked Up", "picking_up")],
        "stem:porter": [("adjustment", "adjust"), ("adjustments knobs", "adjusting knob")],
        "": [("lid", "lids-lid"), ("pan", "pancake"), ("cloth", "clothes"), ("university", "universal")],
    }
    pairs[""] += [("hand1", "hand2"), ("screw", "screwdriver"), ("up-pick", "pick-up")]
    for by, names in pairs.items():
        for a, b in names:
            for match in (same_word(a, b), same_word(b, a)):
                assert (match.same, match.by, bool(match)) == (bool(by), by, bool(by)), (a, b)


def test_only_an_everyday_word_taken_for_a_verb_is_marked_ambiguous() -> None:
    for form, base in [("ground", "grind"), ("found", "finding"), ("left", "leave"), ("saw", "sees")]:
        expected = WordMatch(same=True, by="inflection", ambiguous=True)
        assert same_word(form, base) == same_word(base, form) == expected, form
    for form, base in [("ground", "grounds"), ("saws", "saw"), ("wound", "wounds"), ("held", "hold")]:
        assert same_word(form, base) == WordMatch(same=True, by="inflection"), form


def test_a_passed_lemmatiser_decides_alone_and_is_named() -> None:
    class Upright:
        name = "upright"

        def lemma(self, word: str) -> str:
            return "hoist" if word == "lift" else word

    assert same_word("lift", "hoist", Upright()).by == "lemma:upright"
    assert not same_word("lifts", "lift", Upright())
    assert same_word("Lift", "lift", Upright()).by == "folded"


@given(ANYTHING, ANYTHING)
def test_being_the_same_word_is_symmetric_and_reflexive(a: str, b: str) -> None:
    assert same_word(a, b) == same_word(b, a)
    assert same_word(a, a).by == "exact"
    is_preposition(a)
    parts = split_particle(a)
    assert parts is None or fold(a) == f"{parts.verb}-{parts.particle}"


def test_the_same_words_come_before_a_like_spelling_and_surer_readings_first() -> None:
    names = ["adjusts-", "adjustments", "adjust", "Adjusting", "ADJUST!"]
    ways = ["folded", "inflection", "inflection", "stem:porter", "ratio"]
    assert [near.by for near in nearest("Adjust", names, limit=9)] == ways


def test_equally_near_names_keep_their_order_and_the_very_same_or_a_far_name_is_never_suggested() -> None:
    for names in (["pot", "pan", "pit"], ["pit", "pan", "pot"]):
        assert [near.name for near in nearest("pat", names)] == names
        assert [near.name for near in nearest("pat", names, limit=1)] == names[:1]
    assert nearest("pat", ["pot"], limit=0) == nearest("pat", ["pot", "pan"], limit=-1) == ()
    assert nearest("pick-up", ["pick-up"]) == ()
    assert nearest("pick-up", ["pick-up", "Pick up"]) == (Near("Pick up", 1.0, "folded"),)
    lid = Near("lid", 1.0, "inflection")
    assert (nearest("lids", ["lid", "lid"]), only_near("lids", ["lid", "lid"])) == ((lid,), lid)
    assert nearest("screwdriver", ["cup", "table"]) == nearest("clock", ["cloth"], least=0.61) == ()
    assert nearest("clock", ["cloth"], least=0.6) == (Near("cloth", 0.6, "ratio"),)


def test_the_only_near_name_is_given_only_when_it_is_clear() -> None:
    rows: list[tuple[str, list[str], str | None]] = [
        ("screwdrver", ["screw", "screwdriver"], "screwdriver"),
        ("picks up", ["pick-up", "pick-ups-up"], "pick-up"),
        ("Picks", ["pick", "picks"], "picks"),
        ("knives", ["knive5", "knife"], "knife"),
        ("pat", ["pan", "pot"], None),
        ("spatulla-a", ["spatula-a", "spatula-b"], "spatula-a"),
        ("bucket-c", ["bucket-a", "bucket-b"], None),
        ("cups", ["cup", "Cup"], None),
        ("fabric", ["cloth"], None),
        ("", ["cloth"], None),
        ("cloth", [], None),
    ]
    for name, names, expected in rows:
        near = only_near(name, names)
        assert (near.name if near else None) == expected, name


def test_an_overlong_name_is_compared_as_words_only_and_a_hint_lists_twelve_names() -> None:
    overlong = "x" * 201
    assert nearest(overlong, ["x" * 200, overlong.upper()]) == (Near(overlong.upper(), 1.0, "folded"),)
    assert nearest("x" * 200, [overlong]) == ()
    assert nearest("x" * 200, ["x" * 199]) != ()
    names = [f"n{number}" for number in range(1013)]
    assert meant("quite-other", names[:12]) == "choose from " + ", ".join(names[:12])
    assert meant("quite-other", names) == "choose from " + ", ".join(names[:12]) + " and 1,001 more"


@given(ANYTHING, st.lists(ANYTHING, max_size=8), st.floats(0, 1))
def test_suggestions_are_other_names_of_the_list_in_falling_order(name: str, names: list[str], least: float) -> None:
    found = nearest(name, names, limit=10, least=least)
    assert {near.name for near in found} <= {*names} - {name}
    assert [near.score for near in found] == sorted((near.score for near in found), reverse=True)
    assert all(0 <= near.score <= 1 for near in found)
    assert len({near.name for near in found}) == len(found)
    assert only_near(name, names) in (None, *nearest(name, names, limit=1))
