"""Tests of reading annotations from replies in any usual form."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tsgkit.suites.sceneeval.annotation_replies import CUT, FIELDS, NOTHING, AnnotationReading, read_annotation_reply
from tsgkit.suites.sceneeval.annotations import KINDS

ASKED = {
    "counts": ["eq,1,bed", "ge,2,lamp"],
    "attributes": ["eq,1,bed,king_size"],
    "object_relations": ["eq,2,left,0,bed,lamp"],
    "room_relations": ["eq,1,against,bed,wall"],
}
ENTRIES = [entry for entries in ASKED.values() for entry in entries]
KINDS_ASKED = ["cnt", "cnt", "atr", "oor", "oar"]


def entries(reading: AnnotationReading) -> list[str]:
    return [spec.text for spec in reading.specifications]


def reasons(reading: AnnotationReading, kind: str) -> list[str]:
    return [note.reason for note in reading.findings if note.kind == kind]


def test_requested_form_is_read_without_findings() -> None:
    rows: list[str] = [
        "{}",
        "```json\n{}\n```",
        "Sure! Here it is:\n\n{}\n\nAnything else?",
        "<think>[]</think>\n{}",
        "Final answer:\n{}",
    ]
    for frame in rows:
        reading = read_annotation_reply(frame.replace("{}", json.dumps(ASKED), 1))
        assert (entries(reading), reading.findings, reading.unreadable) == (ENTRIES, (), ""), frame
        assert [spec.kind for spec in reading.specifications] == KINDS_ASKED, frame


def test_other_forms_of_annotations_and_lines_under_headings_are_read() -> None:
    rows: list[Any] = [
        {"annotation": ASKED},
        [ASKED],
        {
            "ObjCount": "eq,1,bed; ge,2,lamp",
            "ObjAttr": "eq,1,bed,king_size",
            "OORel": "eq,2,left,0,bed,lamp",
            "OARel": "eq,1,against,bed,wall",
        },
        {name: [entry.split(",") for entry in entries] for name, entries in ASKED.items()},
        ENTRIES,
        {
            "counts": [{"quantifier": "eq", "number": 1, "category": "bed"}, {"op": ">=", "n": 2, "object": "lamp"}],
            "attributes": [{"quantity": "eq", "n": 1, "category": "bed", "attribute": "king_size"}],
            "object relations": [
                {"quantity": "eq", "n": 2, "relation": "left", "anchor_index": 0, "objects": ["bed", "lamp"]}
            ],
            "room relations": [
                {"quantity": "eq", "n": 1, "relation": "against", "category": "bed", "references": ["wall"]}
            ],
        },
    ]
    for value in rows:
        reading = read_annotation_reply(json.dumps(value))
        assert entries(reading) == ENTRIES, value
        assert not reading.bad, value
    text = "**ObjCount**\n- eq,1,bed\n- ge,2,lamp\n\n## Attributes: eq,1,bed,king_size\n"
    text += "OORel:\n1. `eq,2,left,0,bed,lamp`\n\nRoom relations:\n* eq,1,against,bed,wall\n"
    reading = read_annotation_reply(f"I counted everything.\n\n{text}\nI hope this helps.")
    assert entries(reading) == ENTRIES
    assert reasons(reading, "ignored") == ["no entry and no heading"] * 2
    assert reading.is_repaired
    assert [spec.kind for spec in read_annotation_reply("\n".join(ENTRIES)).specifications] == KINDS_ASKED


def test_a_bad_entry_is_a_finding_of_its_kind_and_the_others_are_read() -> None:
    value = {"counts": ["eq,1,bed", "some,1,lamp", 7, "eq,1"], "room_relations": ["eq,1,on,lamp", None]}
    reading = read_annotation_reply(json.dumps(value))
    assert entries(reading) == ["eq,1,bed"]
    assert [one.kind for one in reading.bad] == ["cnt", "cnt", "cnt", "oar"]
    assert "some is none of eq, lt, gt, le, ge" in reading.bad[0].note.reason
    assert all(one.note in reading.findings for one in reading.bad)


def test_comparison_signs_number_words_and_missing_anchors_are_repaired() -> None:
    rows: list[tuple[str, str, str]] = [
        (">=,2,lamp", "ge,2,lamp", "the comparison as a sign or in words"),
        ("at least,2,lamp", "ge,2,lamp", "the comparison as a sign or in words"),
        ("eq,two,lamp", "eq,2,lamp", "the number in words"),
        ("eq,2.0,lamp", "eq,2,lamp", "the number in words"),
    ]
    for written, read, reason in rows:
        reading = read_annotation_reply(json.dumps({"counts": [written]}))
        assert (entries(reading), reasons(reading, "repaired")) == ([read], [reason]), written
    reading = read_annotation_reply('{"object_relations": ["eq,1,left,bed,lamp"]}')
    (spec,) = reading.specifications
    assert (spec.anchor_place, spec.anchor, spec.others) == (-1, "bed", ("lamp",))
    assert reasons(reading, "repaired") == ["no place of the anchor"]


def test_the_last_annotation_with_entries_counts_and_an_empty_one_is_valid() -> None:
    texts = [{"counts": ["eq,1,bed"]}, {"counts": ["eq,2,bed"]}, {"counts": []}]
    reading = read_annotation_reply("\n".join(map(json.dumps, texts)))
    assert entries(reading) == ["eq,2,bed"]
    assert reasons(reading, "ignored") == ["2 other annotations in it; the last one with entries counts"]
    assert read_annotation_reply('{"counts": [], "attributes": []}') == AnnotationReading()
    assert read_annotation_reply("Counts: none\nAttributes: none").unreadable == ""


def test_a_text_without_an_annotation_says_why() -> None:
    rows: list[tuple[str, str]] = [
        ("", "there is no annotation in it"),
        ("I'm sorry, I can't help with that.", "there is no annotation in it"),
        ('{"answer": 42}', "there is no annotation in it"),
        ('{"counts": ["eq,1,bed", "eq,1,la', "the annotation ends in the middle"),
        ('```json\n{"counts": ["eq,1,bed"], "attributes": [', "the annotation ends in the middle"),
        ('<think>{"counts": ["eq,1,bed"]}', "the reasoning never ends"),
    ]
    for text, why in rows:
        reading = read_annotation_reply(text)
        assert (reading.unreadable, reading.specifications, reading.bad) == (why, (), ()), text


def test_reading_converts_to_an_annotation() -> None:
    made = read_annotation_reply(json.dumps(ASKED)).annotation("7", description="A bedroom.", difficulty="easy")
    assert (made.item_id, made.room, [spec.text for spec in made.specifications]) == ("7", "bedroom", ENTRIES)


def test_hostile_text_stays_data() -> None:
    hostile = "eq,1,{statement}; DROP\x1b[31m,%s"
    reading = read_annotation_reply(json.dumps({"counts": [hostile], "__proto__": {"x": 1}, "system": "obey"}))
    assert entries(reading) == ["eq,1,{statement}"]
    assert len(reading.bad) == 1
    assert reasons(reading, "ignored") == ["a field that was not requested"] * 2


def test_reading_has_the_spans_of_the_annotation() -> None:
    rows: list[tuple[str, list[str]]] = [
        ('<think>\r\n</think>\r\nHere:\r\n{"counts": ["eq,1,bed"]}\r\nDone.', ['{"counts": ["eq,1,bed"]}']),
        ('  {"counts":\r\n ["eq,1,bed"]}\r\n', ['{"counts":\r\n ["eq,1,bed"]}']),
        ("Counts:\r\n- eq,1,bed\r\nthat is\r\n- ge,2,lamp", ["- eq,1,bed", "- ge,2,lamp"]),
        ("nothing", []),
    ]
    for reply, places in rows:
        assert [reply[start:end] for start, end in read_annotation_reply(reply).spans] == places, reply


NAMES = st.sampled_from(["bed", "lamp", "tv_stand", "night stand", "wall", "chair:0", "é"])
QUANTITIES = st.tuples(st.sampled_from(["eq", "lt", "gt", "le", "ge"]), st.integers(0, 12)).map(
    lambda q: f"{q[0]},{q[1]}"
)
COUNTS = st.tuples(QUANTITIES, NAMES).map(",".join)
ATTRIBUTES = st.tuples(QUANTITIES, NAMES, NAMES).map(",".join)
PAIRS = st.tuples(QUANTITIES, NAMES, st.sampled_from(["0", "1", "-1"]), NAMES, NAMES).map(",".join)
BUILT = st.tuples(QUANTITIES, st.just("against"), NAMES, NAMES).map(",".join)
ANNOTATIONS = st.fixed_dictionaries(
    {
        name: st.lists(entries, max_size=4)
        for name, entries in zip(FIELDS.values(), (COUNTS, ATTRIBUTES, PAIRS, BUILT), strict=True)
    }
)
SCRAP_WORDS = '``` <think> </think> "counts" ObjAttr: eq,1,bed ge,2 >= -1, eq'
SCRAPS = st.sampled_from([*"[]{}(),;:'\"`\\ \n-*", *SCRAP_WORDS.split()])
TEXTS = st.text(max_size=80) | st.lists(SCRAPS | st.text(max_size=3), max_size=40).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | COUNTS | PAIRS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*FIELDS.values(), "OORel", "n", "category"]) | st.text(max_size=4), inner)
    ),
    max_leaves=20,
)


@given(TEXTS | JSON.map(json.dumps) | JSON.map(str))
@example("[{" * 3000)
@example('{"counts": [[[[[]]]], {"a": [1]}, "' + "," * 5000 + '"]}')
@example("eq," + "9" * 400 + ",bed")
@example("eq,٣,bed")
@example("\ud800,eq,1,bed")
def test_no_text_makes_the_reader_raise(text: str) -> None:
    reading = read_annotation_reply(text)
    assert reading == read_annotation_reply(text)
    assert not (reading.unreadable and (reading.specifications or reading.bad))
    assert all(len(note.text) <= 123 and len(note.reason) <= 200 for note in reading.findings)
    json.dumps([list(reading.specifications), reading.findings], ensure_ascii=False).encode("utf-8")


@settings(max_examples=50)
@given(ANNOTATIONS)
def test_what_is_written_as_asked_is_read_back(value: dict[str, Any]) -> None:
    reading = read_annotation_reply(f"Here:\n```json\n{json.dumps(value, indent=1)}\n```")
    assert {FIELDS[kind]: [spec.text for spec in reading.of_kind(kind)] for kind in KINDS} == value
    assert not reading.findings


@settings(max_examples=50)
@given(ANNOTATIONS, st.integers(1, 300))
def test_truncated_annotation_is_never_read_as_complete(value: dict[str, Any], cut: int) -> None:
    text = json.dumps(value)
    if cut < len(text):
        assert read_annotation_reply(text[:-cut]).unreadable in (CUT, NOTHING)
