"""Tests of comparing annotations with their texts: every kind of finding, and none for correct ones."""

from __future__ import annotations

from collections.abc import Iterator

from described_rooms import CLEAN, clean
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped import TASKS

from tsgkit.graph.rules import ERROR
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.sceneeval.annotation_files import read_annotation_file
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.makers.annotation_vs_text import RULES, text_mismatches
from tsgkit.suites.sceneeval.makers.batch_findings import batch_findings
from tsgkit.suites.sceneeval.makers.descriptions import LONGEST, read_description
from tsgkit.suites.sceneeval.makers.furniture import furniture
from tsgkit.suites.sceneeval.makers.room_plans import ROOM_TYPES, draw_plans
from tsgkit.suites.sceneeval.makers.sentence_patterns import written_room

OURS = read_annotation_file(TASKS / "sceneeval" / "data" / "annotations.csv").annotations


def found(one: Annotation) -> Iterator[tuple[str, str]]:
    return ((finding.code, finding.message) for finding in text_mismatches(one, furniture()))


SLIPS: dict[str, list[tuple[str, str]]] = {
    "level-objects": [
        ("A den with five stools. | eq,5,stool", "at most 4 objects, and 5 are counted"),
        ("medium: A den with a sofa and a desk. | eq,1,sofa;eq,1,desk", "at least 5 objects, and 2"),
        ("hard: A den with at least six chairs. | ge,6,chair", "at least 9 objects, and 6"),
    ],
    "level-small": [
        ("A den with a desk and a laptop. | eq,1,desk;eq,1,laptop", "at most 0 small objects, and 1"),
        ("medium: A den with a desk and four candles. | eq,1,desk;eq,4,candle", "at most 3 small"),
        ("medium: A den with a desk, two mugs and at least two books. "
         "| eq,1,desk;eq,2,mug;ge,2,book", "and 4 are counted"),
    ],
    "uncounted-thing": [
        ("A den with a sofa and a floor lamp. | eq,1,sofa", "'floor lamp'"),
        ("A den with a sofa facing the television. | eq,1,sofa", "'television'"),
        ("A den with a desk. Two plants stand by the window. | eq,1,desk", "'plants'"),
    ],
    "unknown-thing": [
        ("A den with a sofa and a zither. | eq,1,sofa", "'zither'"),
        ("A den with three tall gargoyles near a sofa. | eq,1,sofa", "gargoyles"),
        ("A den with a sofa. Several quipus hang on the wall. | eq,1,sofa", "quipus"),
    ],
    "untold-category": [
        ("A den with a sofa. | eq,1,sofa;eq,1,piano", "does not name piano"),
        ("A bedroom with a bed. | eq,1,bed;ge,1,throw_pillow", "throw pillow"),
        ("A den with a sofa. | eq,1,sofa | eq,1,armchair,red", "armchair"),
    ],
    "loose-category": [
        ("An office with a chair. | eq,1,desk_chair", "does not say desk chair"),
        ("A den with a lamp. | eq,1,reading_lamp", "reading lamp"),
        ("A den with a table. | eq,1,poker_table", "poker table"),
    ],
    "several-counts": [
        ("A den with two stools. | eq,2,stool;eq,3,stool", "eq,2,stool, eq,3,stool"),
        ("A den with a sofa. | eq,1,sofa;eq,0,sofa", "sofa is counted by"),
        ("A den with a sofa. | eq,1,sofa;ge,1,sofa;le,3,sofa", "sofa is counted by"),
    ],
    "other-quantity": [
        ("A den with at least two stools. | eq,2,stool", "tells at least 2 stool"),
        ("A den with a desk and no chair. | eq,1,desk;eq,1,chair", "tells exactly 0 chair"),
        ("A den with three stools. | eq,2,stool", "tells exactly 3 stool"),
        ("A den with more than one sofa. | eq,1,sofa", "tells more than 1 sofa"),
        ("A den with a pair of armchairs. | eq,1,armchair", "tells exactly 2 armchair"),
        ("A den with several stools. | eq,1,stool", "tells several stool"),
        ("A den with two lamps by the door and a lamp by the window. "
         "| eq,4,lamp |  |  | eq,2,by,lamp,door;eq,1,by,lamp,window", "in all the text tells of 3 lamp"),
        ("A den with three lamps by the door and a lamp by the window. "
         "| eq,2,lamp |  |  | eq,2,by,lamp,door;eq,1,by,lamp,window", "in one place alone the text tells of 3 lamp"),
    ],
    "unsure-quantity": [
        ("A den with two stools. | ge,2,stool", "tells exactly 2 stool"),
        ("A den with several stools. | eq,3,stool", "several stool"),
        ("A den with stools. | eq,3,stool", "no number"),
    ],
    "more-than-counted": [
        ("A den with two red stools. | eq,2,stool | eq,3,stool,red", "only 2 are counted"),
        ("A den with a sofa against the wall. | eq,1,sofa |  |  | eq,2,against,sofa,wall", "only 1"),
        ("A den with a lamp on a desk. | eq,1,lamp;eq,1,desk |  | eq,2,on,0,desk,lamp", "only 1"),
    ],
    "missing-attribute": [
        ("A den with a blue sofa. | eq,1,sofa", "'sofa' is blue"),
        ("A den with two leather armchairs. | eq,2,armchair", "'armchairs' is leather"),
        ("A den with a small, round table. | eq,1,table | eq,1,table,small", "'table' is round"),
        ("A den with a desk. The desk is green. | eq,1,desk", "'desk' is green"),
        ("A den with a dark green sofa. | eq,1,sofa", "'sofa' is dark green"),
        ("A den with a shelf made of oak. | eq,1,shelf", "'shelf' is oak"),
    ],
    "unsure-attribute": [
        ("A den with a tall bookcase. | eq,1,bookcase", "'bookcase' is tall"),
        ("A den with two vintage armchairs. | eq,2,armchair", "vintage"),
        ("A den with a lopsided sofa. | eq,1,sofa", "lopsided"),
    ],
    "untold-attribute": [
        ("A den with a sofa. | eq,1,sofa | eq,1,sofa,red", "does not say red"),
        ("A den with a blue sofa. | eq,1,sofa | eq,1,sofa,blue;eq,1,sofa,leather", "leather"),
        ("A den with a desk. | eq,1,desk | eq,1,desk,l_shaped", "l shaped"),
    ],
    "merged-attribute": [
        ("A den with a red wooden chair. | eq,1,chair | eq,1,chair,red_wooden", "colour and material"),
        ("A den with a small round table. | eq,1,table | eq,1,table,small_round", "size and shape"),
        ("A den with a striped blue rug. | eq,1,rug | eq,1,rug,striped and blue", "pattern and colour"),
        ("A den with a black leather sofa. | eq,1,sofa | eq,1,sofa,black/leather", "colour and material"),
    ],
    "attribute-in-category": [
        ("A den with a red sofa. | eq,1,red_sofa", "the attribute red"),
        ("A den with a striped rug. | eq,1,striped_rug", "the attribute striped"),
        ("A den with two white chairs. | eq,2,white_chair", "the attribute white"),
    ],
    "missing-relation": [
        ("A den with a lamp next to the sofa. | eq,1,lamp;eq,1,sofa", "'next to' of 'lamp' and 'sofa'"),
        ("A den with a sofa against the wall. | eq,1,sofa", "'against' of 'sofa' and wall"),
        ("A den with a desk in the corner. | eq,1,desk", "'in corner' of 'desk'"),
        ("A den. A sofa faces a fireplace. | eq,1,sofa;eq,1,fireplace", "'sofa' and 'fireplace'"),
        ("A den with a desk and a chair behind it. | eq,1,desk;eq,1,chair", "'behind' of 'chair'"),
    ],
    "untold-relation": [
        ("A den with a lamp and a sofa. | eq,1,lamp;eq,1,sofa |  | eq,1,next_to,0,sofa,lamp", "next to"),
        ("A den with a sofa. | eq,1,sofa |  |  | eq,1,against,sofa,wall", "does not say against"),
        ("A den with a desk and a rug. | eq,1,desk;eq,1,rug |  | eq,1,under,0,desk,rug", "say under"),
    ],
    "unmapped-relation": [
        ("A den with a lamp in harmony with a sofa. "
         "| eq,1,lamp;eq,1,sofa |  | eq,1,in_harmony_with,0,sofa,lamp", "means nothing that is measured"),
        ("A den with a sofa hugging the wall. | eq,1,sofa |  |  | eq,1,hugging,sofa,wall", "hugging wall"),
        ("A den with a desk and a matching chair. "
         "| eq,1,desk;eq,1,chair | eq,1,chair,matching | eq,1,matching,0,desk,chair", "matching"),
    ],
    "odd-name": [
        ("A den with a sofa. | eq,1,sofa\u202e", "holds"),
        ("A den with a sofa. | eq,1,so\rfa", "holds"),
        ("A den with a sofa. | eq,1,<b>sofa", "'<>'"),
    ],
    "uncounted-category": [
        ("A den with a red sofa. | eq,1,rug | eq,1,sofa,red", "sofa stands in no ObjCount"),
        ("A den with a rug by the wall. | eq,1,sofa |  |  | eq,1,by,rug,wall", "rug stands in no"),
        ("A den with a rug under a desk. | eq,1,desk |  | eq,1,under,0,desk,rug", "rug stands in no"),
    ],
    "no-anchor": [
        ("A den with a lamp on a desk. | eq,1,lamp;eq,1,desk |  | eq,1,on,-1,desk,lamp", "no anchor"),
        ("A den with a rug under a desk. | eq,1,rug;eq,1,desk |  | eq,1,under,-1,desk,rug", "no anchor"),
        ("A den with a rug near a desk. | eq,1,rug;eq,1,desk |  | eq,1,near,-1,desk,rug", "no anchor"),
    ],
}  # fmt: skip
"""For each kind of slip: the text (easy where it says nothing) and its four cells, and a part of the message."""


def test_annotation_error_is_found() -> None:
    assert set(RULES) <= set(SLIPS) and all(len(cases) >= 3 for cases in SLIPS.values())
    for code, cases in SLIPS.items():
        for row, message in cases:
            text, *cells = row.split(" | ")
            difficulty, colon, rest = text.partition(": ")
            one = clean(0, difficulty, rest, *cells) if colon else clean(0, "easy", text, *cells)
            messages = list(found(one))
            assert [words for name, words in messages if name == code and message in words], (code, row, messages)


def test_a_finding_says_what_to_add() -> None:
    rows: list[tuple[str, str]] = [
        ("A den with a sofa and two storage boxes.", "add eq,2,storage_box to the counts"),
        ("A den with a sofa and at least three mugs.", "add ge,3,mug to the counts"),
        ("A den with a sofa and a chess set.", "add eq,1,chess_set to the counts"),
        ("A den with two red sofas.", "add eq,2,sofa,red to the attributes"),
    ]
    for text, hint in rows:
        one = clean(0, "easy", text, "ge,1,sofa")
        assert hint in [finding.hint for finding in text_mismatches(one, furniture())], text


def test_correct_annotation_has_no_errors() -> None:
    for one in CLEAN:
        findings = text_mismatches(one, furniture())
        assert [str(finding) for finding in findings if finding.severity == ERROR] == [], one
        assert len(findings) <= 1, one


def test_bundled_annotations_have_no_errors_and_known_warnings() -> None:
    findings = [finding for one in OURS for finding in text_mismatches(one, furniture())]
    assert [str(finding) for finding in findings if finding.severity == ERROR] == []
    doubts = [
        ("13", "untold-relation"),
        ("13", "untold-relation"),
        ("18", "untold-relation"),
        ("22", "untold-relation"),
    ]
    assert [(finding.place.item, finding.code) for finding in findings] == doubts
    assert [finding for of_one in batch_findings(OURS, furniture()) for finding in of_one] == []


def test_sentence_patterns_have_no_findings() -> None:
    for seed in range(3):
        for drawn in draw_plans(30, ("easy", "medium", "hard"), ROOM_TYPES, seed, furniture()):
            one = written_room(drawn, seed, furniture())
            assert text_mismatches(one, furniture()) == (), one.description


def test_removed_entry_is_reported_if_the_text_mentions_it() -> None:
    missed, taken = 0, 0
    for drawn in draw_plans(30, ("easy", "medium", "hard"), ROOM_TYPES, 7, furniture()):
        one = written_room(drawn, 7, furniture())
        for spec in one.of_kind("atr"):
            attributes = tuple(other for other in one.attributes if other != spec)
            left = Annotation(one.item_id, one.difficulty, one.description, one.counts, attributes)
            taken += 1
            missed += any(code == "missing-attribute" for code, _ in found(left))
    assert missed == taken > 50


WORDS = st.sampled_from(
    sorted(
        word_set(
            "a an the two no without each of at least more than or table chairs red and , . ; is made next to it on",
            "wall left corner in zorp {x} \u202e \uffff 99999999999 under shelves pair row several bed bedroom -- '",
        )
    )
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=80).map(" ".join))
ENTRIES = st.sampled_from(
    ["eq,1,table", "ge,2,chair", "eq,0,bed", "le,3,zorp", "gt,0,_", "eq,1,ta-ble", "lt,0,a_b_c_d_e_f", "eq,1,\u202e"]
)


@settings(max_examples=50, deadline=None)
@given(TEXTS, st.lists(ENTRIES, max_size=4))
def test_no_text_makes_the_checks_raise(text: str, counts: list[str]) -> None:
    one = annotation_of("0", "easy", text, counts, ("eq,1,table,red_wooden",), ("eq,1,on,0,table,zorp",))
    findings = text_mismatches(one, furniture())
    assert findings == text_mismatches(one, furniture())
    assert {finding.severity for finding in findings if finding.code in RULES} <= {"error", "warning"}


@settings(max_examples=50, deadline=None)
@given(TEXTS)
def test_things_are_ordered_and_do_not_overlap(text: str) -> None:
    told = read_description(text, ("table", "chair"), furniture())
    places = [place for thing in told.things for place in (thing.start, thing.end)]
    assert places == sorted(places)
    for placing in told.placings:
        assert all(0 <= one < len(told.things) for one in (placing.thing, placing.anchor) if one is not None)


def test_long_text_is_read_up_to_the_limit() -> None:
    told = read_description("a red table next to " * 50_000, (), furniture())
    assert len(told.tokens) <= LONGEST
