"""Spellings, forms and stems of words; prepositions, and verbs of two words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit import lexicon
from tsgkit.lexicon import (
    PREPOSITIONS,
    ParticleVerb,
    bases,
    fold,
    forms,
    gerund,
    is_preposition,
    participle,
    split_particle,
    stem,
    third_person,
)
from tsgkit.lexicon.inflection import LONGEST_WORD, family
from tsgkit.lexicon.irregular import AMBIGUOUS, IRREGULAR_BASES, IRREGULAR_FORMS
from tsgkit.lexicon.stems import names_the_doing

ANYTHING = st.text() | st.text(st.sampled_from("aA-_ '\"`\n.,İΣß“‑up"), max_size=30)
WORDS = st.text(st.sampled_from("abceghilnorstuy"), min_size=1, max_size=9) | st.sampled_from(sorted(IRREGULAR_FORMS))
EVERYDAY = """with on from into in to onto of under around for across down through towards inside along off against over
    by at near behind between above below beside"""
COMPOUNDS = """out-of next-to away-from back-on back-into in-front-of on-top-of to-the-left-of from-under close-to
    together-with INTO"""
NO_PREPOSITIONS = """manner holding to-remove prep preposition connected-to verb verbs dobj - on-on pick-up in-hand1-of
    with-hand1 of-of-of-of-of back the on-the-of"""
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
    agree agrees agreeing agreed; be is being been; begin begins beginning begun; carry carries carrying carried;
    catch catches catching caught; centre centres centring centred; cut cuts cutting cut; die dies dying died;
    do does doing done; dye dyes dyeing dyed; go goes going gone; hang hangs hanging hung; have has having had;
    lay lays laying laid; lie lies lying lain; light lights lighting lit; loosen loosens loosening loosened;
    mix mixes mixing mixed; offer offers offering offered; open opens opening opened;
    prefer prefers preferring preferred; press presses pressing pressed; put puts putting put;
    quilt quilts quilting quilted; repot repots repotting repotted; run runs running run; saw saws sawing sawn;
    scrub scrubs scrubbing scrubbed; sew sews sewing sewn; spray sprays spraying sprayed; stir stirs stirring stirred;
    take takes taking taken; tie ties tying tied; travel travels travelling travelled; unzip unzips unzipping unzipped;
    visit visits visiting visited; wet wets wetting wet; wring wrings wringing wrung
"""


def rows(text: str) -> list[list[str]]:
    return [line.split() for line in text.split(";")]


def test_every_way_of_writing_a_name_folds_to_one() -> None:
    written = ["pick-up", "Pick up", " PICK_UP ", '"pick up"', "`pick-up`", "“pick‑up”", "pick - up", "- pick up"]
    assert [fold(name) for name in [*written, "pick\n up --"]] == ["pick-up"] * 9
    assert [fold(nothing) for nothing in ["", " ", "--", "``", ' "" ', "_ _"]] == [""] * 6
    kept = {
        "Carpenter's square 2": "carpenter's-square-2",
        "screw-driver": "screw-driver",
        "screwdriver": "screwdriver",
    }
    assert {name: fold(name) for name in kept} == kept


@given(ANYTHING)
def test_folding_twice_or_with_other_space_and_quotes_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(f' "{text}"') == fold(text.replace("-", " _ ")) == fold(text)


def test_every_offered_name_exists_and_is_listed_once_in_order() -> None:
    assert all(hasattr(lexicon, name) for name in lexicon.__all__)
    assert lexicon.__all__ == sorted(set(lexicon.__all__), key=lambda name: (not name.isupper(), name))


def test_prepositions_and_particles_are_told_from_other_words() -> None:
    assert set(EVERYDAY.split()) <= set(PREPOSITIONS)
    labels = [*EVERYDAY.split(), *COMPOUNDS.split(), "On top of"]
    assert [label for label in [*labels, "", *NO_PREPOSITIONS.split()] if is_preposition(label)] == labels
    for name, parts in {
        "pick-up": ("pick", "up"),
        "Turn on": ("turn", "on"),
        "take_apart": ("take", "apart"),
        "pry-open": ("pry", "open"),
        "open-up": ("open", "up"),
        "put-back-together": ("put-back", "together"),
    }.items():
        assert split_particle(name) == ParticleVerb(*parts), name
    names = ["mop-stick", "up", "", "back-on", "pick", "look-at", "out-of", "next-to", "pickup", "--"]
    assert [name for name in names if split_particle(name) is not None] == []


def test_a_form_leads_to_its_bases_and_to_no_others() -> None:
    assert [row for row in rows(BASES) if row[1] not in bases(row[0])] == []
    assert [row for row in rows(NO_BASES) if row[1] in bases(row[0])] == []
    assert bases("found")[:2] == ("found", "find")
    assert "holded" not in forms("hold") and {"hung", "hanged"} <= forms("hang")
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
    actions = [third_person("pick-up"), gerund("take-out-of"), participle("let-go")]
    assert actions == ["picks up", "taking out of", "let go"], "only the first word"
    for name in ("", "-", "x", "hand1", "12"):
        assert all(isinstance(form(name), str) for form in (third_person, gerund, participle)), name


def test_an_action_and_the_noun_of_its_doing_go_together_but_equal_stems_are_not_enough() -> None:
    pairs = "rotate rotation; insert insertions; adjusting adjustment; prepared preparation"
    assert [row for row in rows(pairs) if not names_the_doing(*row) or not names_the_doing(*row[::-1])] == []
    others = rows(
        "universal university; several sever; container contain; past paste; cloth clothes; bath bathe; mineral miner; "
        "organ organization; generate general"
    )
    assert [row for row in others if stem(row[0]) != stem(row[1]) or names_the_doing(*row)] == []
    assert not names_the_doing("department", "depart") and not names_the_doing("apartments", "apart")


@given(WORDS, WORDS)
def test_forms_and_bases_lead_to_each_other_and_families_share_a_base(word: str, other: str) -> None:
    assert all(word in bases(form) for form in forms(word))
    assert all(word == base or word in forms(base) for base in bases(word))
    assert (other in family(word)) == bool(set(bases(word)) & set(bases(other)))
