"""Words and names: their spellings, forms and stems, which are the same or near, and where a text mentions them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.lexicon.folding import fold
from tsgkit.lexicon.inflection import (
    LONGEST_WORD,
    bases,
    family,
    forms,
    gerund,
    names_the_doing,
    participle,
    stem,
    third_person,
)
from tsgkit.lexicon.irregular import AMBIGUOUS, IRREGULAR_BASES, IRREGULAR_FORMS
from tsgkit.lexicon.matching import WordMatch, same_word
from tsgkit.lexicon.mention import MOST_WORDS, Mention, every_mention, mentions
from tsgkit.lexicon.nearest import Near, meant, nearest, only_near
from tsgkit.lexicon.prepositions import PREPOSITIONS, ParticleVerb, is_preposition, split_particle

ANYTHING = st.text() | st.text(st.sampled_from("aA-_ '\"`\n.,İΣß“‑up"), max_size=30)
SPELT = st.text(st.sampled_from("abceghilnorstuy"), min_size=1, max_size=9)
WORDS = SPELT | st.sampled_from(sorted(IRREGULAR_FORMS))
NAMES = st.lists(WORDS, min_size=1, max_size=3).map("-".join)
REGULAR_NAMES = st.lists(SPELT, min_size=1, max_size=3).map("-".join)
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


def test_every_way_of_writing_a_name_folds_to_one_and_prepositions_are_told_from_other_words() -> None:
    written = ["pick-up", "Pick up", " PICK_UP ", '"pick up"', "`pick-up`", "“pick‑up”", "pick - up", "- pick up"]
    assert [fold(name) for name in [*written, "pick\n up --"]] == ["pick-up"] * 9
    assert [fold(nothing) for nothing in ["", " ", "--", "``", ' "" ', "_ _"]] == [""] * 6
    kept = ("carpenter's-square-2", "screw-driver", "screwdriver")
    assert tuple(map(fold, ("Carpenter's square 2", *kept[1:]))) == kept
    assert set(EVERYDAY.split()) <= set(PREPOSITIONS)
    labels = [*EVERYDAY.split(), *COMPOUNDS.split(), "On top of"]
    assert [label for label in [*labels, "", *NO_PREPOSITIONS.split()] if is_preposition(label)] == labels
    verbs = "pick up; turn on; take apart; pry open; open up; put-back together"
    for verb, particle in rows(verbs):
        assert split_particle(f"{verb.title()}_{particle}") == ParticleVerb(verb, particle), verb
    names = ["mop-stick", "up", "", "back-on", "pick", "look-at", "out-of", "next-to", "pickup", "--"]
    assert [name for name in names if split_particle(name) is not None] == []


@given(ANYTHING)
def test_folding_twice_or_with_other_space_and_quotes_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(f' "{text}"') == fold(text.replace("-", " _ ")) == fold(text)


def test_a_form_leads_to_its_bases_and_no_others_and_irregular_words_are_in_order() -> None:
    assert [row for row in rows(BASES) if row[1] not in bases(row[0])] == []
    assert [row for row in rows(NO_BASES) if row[1] in bases(row[0])] == []
    assert bases("found")[:2] == ("found", "find")
    assert "holded" not in forms("hold") and {"hung", "hanged"} <= forms("hang")
    longest = "a" * LONGEST_WORD
    assert forms("hand1") == forms(longest + "a") == frozenset()
    assert longest + "s" in forms(longest)
    assert [bases(word) for word in ("hand1", longest + "s")] == [("hand1",), (longest + "s",)]
    assert len(IRREGULAR_BASES) >= 150
    for base, irregular in IRREGULAR_FORMS.items():
        assert all(word.isalpha() for word in (base, *irregular)) and base not in irregular, base
        assert set(irregular) <= forms(base), base
    assert [form for form, verb in AMBIGUOUS.items() if form not in forms(verb)] == []


def test_verbs_are_inflected_as_they_are_spelt_and_go_with_the_noun_of_their_doing() -> None:
    for verb, *written in rows(VERBS):
        assert [third_person(verb), gerund(verb), participle(verb)] == written, verb
        assert {*written} - {verb} <= forms(verb) | {"has"}, verb
    actions = [third_person("pick-up"), gerund("take-out-of"), participle("let-go")]
    assert actions == ["picks up", "taking out of", "let go"], "only the first word"
    for name in ("", "-", "x", "hand1", "12"):
        assert all(isinstance(form(name), str) for form in (third_person, gerund, participle)), name
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


def test_the_reading_that_made_two_names_the_same_is_told_and_an_everyday_word_for_a_verb_marked() -> None:
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
    for form, base in [("ground", "grind"), ("found", "finding"), ("left", "leave"), ("saw", "sees")]:
        expected = WordMatch(same=True, by="inflection", ambiguous=True)
        assert same_word(form, base) == same_word(base, form) == expected, form
    for form, base in [("ground", "grounds"), ("saws", "saw"), ("wound", "wounds"), ("held", "hold")]:
        assert same_word(form, base) == WordMatch(same=True, by="inflection"), form


def test_a_passed_lemmatiser_decides_alone_and_is_named() -> None:
    class Own:
        name = "own"

        def lemma(self, word: str) -> str:
            return {"lift": "hoist", "fabric": "cloth"}.get(word, word)

    assert same_word("lift", "hoist", Own()).by == "lemma:own"
    assert not same_word("lifts", "lift", Own())
    assert same_word("Lift", "lift", Own()).by == "folded"
    assert mentions("the fabric", "cloth", Own()) == Mention(((4, 10),), "lemma:own")
    assert mentions("the cloths", "cloth", Own()) is None


@given(ANYTHING | NAMES, ANYTHING | NAMES)
def test_being_the_same_word_is_symmetric_and_reflexive(a: str, b: str) -> None:
    assert same_word(a, b) == same_word(b, a)
    assert same_word(a, a).by == "exact"
    is_preposition(a)
    parts = split_particle(a)
    assert parts is None or fold(a) == f"{parts.verb}-{parts.particle}"


def test_surer_readings_come_first_equally_near_names_keep_their_order_and_far_ones_are_left_out() -> None:
    names = ["adjusts-", "adjustments", "adjust", "Adjusting", "ADJUST!"]
    ways = ["folded", "inflection", "inflection", "stem:porter", "ratio"]
    assert [near.by for near in nearest("Adjust", names, limit=9)] == ways
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


def test_the_only_near_name_is_given_only_when_it_is_clear_and_a_hint_lists_twelve_names() -> None:
    rows: list[tuple[str, list[str], str | None]] = [
        ("screwdrver", ["screw", "screwdriver"], "screwdriver"), ("picks up", ["pick-up", "pick-ups-up"], "pick-up"),
        ("Picks", ["pick", "picks"], "picks"), ("knives", ["knive5", "knife"], "knife"), ("pat", ["pan", "pot"], None),
        ("spatulla-a", ["spatula-a", "spatula-b"], "spatula-a"), ("bucket-c", ["bucket-a", "bucket-b"], None),
        ("cups", ["cup", "Cup"], None), ("fabric", ["cloth"], None), ("", ["cloth"], None), ("cloth", [], None),
    ]  # fmt: skip
    for name, names, expected in rows:
        near = only_near(name, names)
        assert (near.name if near else None) == expected, name
    overlong = "x" * 201
    assert nearest(overlong, ["x" * 200, overlong.upper()]) == (Near(overlong.upper(), 1.0, "folded"),)
    assert nearest("x" * 200, [overlong]) == ()
    assert nearest("x" * 200, ["x" * 199]) != ()
    names = [f"n{number}" for number in range(1013)]
    assert meant("quite-other", names[:12]) == "choose from " + ", ".join(names[:12])
    assert meant("quite-other", names) == "choose from " + ", ".join(names[:12]) + " and 1,001 more"


@given(ANYTHING | NAMES, st.lists(ANYTHING | NAMES, max_size=8), st.floats(0, 1))
def test_suggestions_are_other_names_of_the_list_in_falling_order(name: str, names: list[str], least: float) -> None:
    found = nearest(name, names, limit=10, least=least)
    assert {near.name for near in found} <= {*names} - {name}
    assert [near.score for near in found] == sorted((near.score for near in found), reverse=True)
    assert all(0 <= near.score <= 1 for near in found)
    assert len({near.name for near in found}) == len(found)
    assert only_near(name, names) in (None, *nearest(name, names, limit=1))


def found(text: str, name: str) -> list[str]:
    mention = mentions(text, name)
    return [text[start:end] for start, end in mention.spans] if mention else []


def test_a_mention_is_found_where_it_stands_and_partial_names_and_everyday_nouns_are_none() -> None:
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
    for name, texts in {
        "pan": ["He flips the pancake"], "sever": ["several lids"],
        "wood-pieces": ["wood, pieces", "wood\n\npieces", "pieces of wood"], "lid": [""],
        **{none: ["lid"] for none in ("", "--", "?!")},
        "leave": ["with her left hand", "Left hand grips the lid", "picks the leaves"], "grind": ["lies on the ground"],
        "see": ["takes a saw"], "wind": ["binds the wound"], "saw": ["sees the board"], "found": ["finds it"],
    }.items():  # fmt: skip
        assert [text for text in texts if mentions(text, name)] == [], name


def test_a_particle_too_far_off_belongs_to_another_verb_and_behind_an_object_must_read_as_one() -> None:
    for text in [
        "She picked the lid. Up it went.", "She picked the lid; up it went.", "She picked the lid\n\nup",
        "She picks a lid and stands up.", "She picks one two three four five six up.",
        "She picks the lid from the pan up.", "She picks the box up the stairs.",
    ]:  # fmt: skip
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


def test_the_surest_mention_wins_and_every_mention_is_found_in_the_order_of_the_text() -> None:
    assert mentions("He ground the beans", "grind") == Mention(((3, 9),), "inflection", ambiguous=True)
    assert mentions("two saw blades", "saw-blade") == Mention(((4, 14),), "inflection")
    assert mentions("He saw the beans", "saw") == Mention(((3, 6),), "exact")

    assert found("She lifted a lift", "lift") == ["lift"]
    assert found("the adjustment was adjusted", "adjust") == ["adjusted"]
    assert mentions("Lift the lift", "lift") == Mention(((0, 4),), "folded")
    assert found("She lifts, then lifted", "lift") == ["lifts"]
    text = "Takes the lid off, wipes it, and then takes the second lid off."
    spans = [[text[slice(*span)] for span in one.spans] for one in every_mention(text, "take-off")]
    assert spans == [["Takes", "off"], ["takes", "off"]]
    assert every_mention(text, "pan") == () == every_mention(text, "")
    name = " ".join(["a"] * (MOST_WORDS + 1))
    assert mentions(name, name) is None, "a name of too many words"
    assert mentions(name, name[2:]) is not None


@given(REGULAR_NAMES, st.data())
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
