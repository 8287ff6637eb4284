"""The forms of a word, the words a form may come from, and stems."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.lexicon import bases, forms, gerund, participle, stem, third_person
from tsgkit.lexicon.inflection import LONGEST_WORD, family
from tsgkit.lexicon.irregular import AMBIGUOUS, IRREGULAR_BASES, IRREGULAR_FORMS
from tsgkit.lexicon.stems import names_the_doing

WORDS = st.text(st.sampled_from("abceghilnorstuy"), min_size=1, max_size=9) | st.sampled_from(sorted(IRREGULAR_FORMS))
BASES = """
    held hold; took take; taken take; cut cut; put put; hung hang; wrung wring; bound bind; ground grind; wove weave;
    lit light; slid slide; swept sweep; spread spread; torn tear; thrown throw; stuck stick; laid lay; unwound unwind;
    shook shake; bent bend; knives knife; shelves shelf; feet foot;
    cutting cut; gripped grip; unplugged unplug; travelled travel; traveled travel; quitting quit; carries carry;
    dried dry; spraying spray; wiping wipe; squeezed squeeze; agreed agree; tying tie; tied tie; dyeing dye; boxes box;
    brushes brush; passes pass; tomatoes tomato; potatoes potato; radios radio; mixing mix; pieces piece; lenses lens;
    mimicking mimic; leaves leaf; leaves leave; lay lay; lay lie
"""
NO_BASES = """
    planing plan; planning plane; taping tap; hoping hop; scraping scrap; glass glas; news new; clothes cloth; seed see;
    shed she; string str; thing the; his hi; bed be
"""
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


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.split(";")]


def test_a_form_leads_to_its_bases_and_to_no_others() -> None:
    assert [row for row in rows(BASES) if row[1] not in bases(row[0])] == []
    assert [row for row in rows(NO_BASES) if row[1] in bases(row[0])] == []
    assert bases("found")[:2] == ("found", "find")


def test_an_irregular_verb_has_no_regular_past() -> None:
    assert "holded" not in forms("hold")
    assert {"hung", "hanged"} <= forms("hang")


def test_names_with_digits_and_words_longer_than_any_have_no_forms() -> None:
    longest = "a" * LONGEST_WORD
    assert forms("hand1") == forms(longest + "a") == frozenset()
    assert longest + "s" in forms(longest)
    assert [bases(word) for word in ("hand1", longest + "s")] == [("hand1",), (longest + "s",)]


def test_the_table_of_irregular_words_is_in_order() -> None:
    assert len(IRREGULAR_BASES) >= 150
    for base, irregular in IRREGULAR_FORMS.items():
        assert all(word.isalpha() for word in (base, *irregular)) and base not in irregular, base
        assert set(irregular) <= forms(base), base
    assert [form for form, verb in AMBIGUOUS.items() if form not in forms(verb)] == []


def test_verbs_are_inflected_as_they_are_spelt_and_read_again() -> None:
    for verb, *written in rows(VERBS):
        assert [third_person(verb), gerund(verb), participle(verb)] == written, verb
        assert {*written} - {verb} <= forms(verb) | {"has"}, verb


def test_only_the_first_word_of_an_action_is_inflected() -> None:
    assert third_person("pick-up") == "picks up"
    assert gerund("take-out-of") == "taking out of"
    assert participle("let-go") == "let go"


def test_names_that_are_no_verbs_are_inflected_without_an_error() -> None:
    for name in ("", "-", "x", "hand1", "12"):
        assert all(isinstance(form(name), str) for form in (third_person, gerund, participle)), name


def test_an_action_and_the_noun_of_its_doing_go_together() -> None:
    pairs = "rotate rotation; insert insertions; adjusting adjustment; prepared preparation"
    assert [row for row in rows(pairs) if not names_the_doing(*row) or not names_the_doing(*row[::-1])] == []


def test_equal_stems_alone_are_not_enough() -> None:
    pairs = rows(
        "universal university; several sever; container contain; past paste; cloth clothes; bath bathe; mineral miner; "
        "organ organization; generate general"
    )
    assert [row for row in pairs if stem(row[0]) != stem(row[1]) or names_the_doing(*row)] == []
    assert not names_the_doing("department", "depart") and not names_the_doing("apartments", "apart")


@given(WORDS, WORDS)
def test_forms_and_bases_lead_to_each_other_and_families_share_a_base(word: str, other: str) -> None:
    assert all(word in bases(form) for form in forms(word))
    assert all(word == base or word in forms(base) for base in bases(word))
    assert (other in family(word)) == bool(set(bases(word)) & set(bases(other)))
