"""Tests of reading annotations from replies in any usual form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tsgkit.suites.sceneeval.annotation_replies import AnnotationReading, read_annotation_reply

ASKED = {
    "counts": ["eq,1,bed", "ge,2,lamp"],
    "attributes": ["eq,1,bed,king_size"],
    "object_relations": ["eq,2,left,0,bed,lamp"],
    "room_relations": ["eq,1,against,bed,wall"],
}
ENTRIES = [entry for entries in ASKED.values() for entry in entries]
KINDS = ["cnt", "cnt", "atr", "oor", "oar"]


def entries(reading: AnnotationReading) -> list[str]:
    return [spec.text for spec in reading.specifications]


def reasons(reading: AnnotationReading, kind: str) -> list[str]:
    return [note.reason for note in reading.findings if note.kind == kind]


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "```json\n{}\n```",
        "Sure! Here it is:\n\n{}\n\nAnything else?",
        "<think>[]</think>\n{}",
        "Final answer:\n{}",
    ],
)
def test_requested_form_is_read_without_findings(frame: str) -> None:
    reading = read_annotation_reply(frame.replace("{}", json.dumps(ASKED), 1))
    assert (entries(reading), reading.findings, reading.unreadable) == (ENTRIES, (), "")
    assert [spec.kind for spec in reading.specifications] == KINDS


@pytest.mark.parametrize(
    "value",
    [
        {"annotation": ASKED},
        [ASKED],
        {"ObjCount": "eq,1,bed; ge,2,lamp", "ObjAttr": "eq,1,bed,king_size", "OORel": "eq,2,left,0,bed,lamp",
         "OARel": "eq,1,against,bed,wall"},
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
    ],
)  # fmt: skip
def test_other_forms_of_annotations_are_read(value: Any) -> None:  # noqa: ANN401  (as JSON has it)
    reading = read_annotation_reply(json.dumps(value))
    assert entries(reading) == ENTRIES
    assert not reading.bad


def test_lines_under_headings_are_read() -> None:
    text = "**ObjCount**\n- eq,1,bed\n- ge,2,lamp\n\n## Attributes: eq,1,bed,king_size\n"
    text += "OORel:\n1. `eq,2,left,0,bed,lamp`\n\nRoom relations:\n* eq,1,against,bed,wall\n"
    reading = read_annotation_reply(f"I counted everything.\n\n{text}\nI hope this helps.")
    assert entries(reading) == ENTRIES
    assert reasons(reading, "ignored") == ["no entry and no heading"] * 2
    assert reading.is_repaired


def test_kind_of_lines_without_headings_follows_from_their_form() -> None:
    assert [spec.kind for spec in read_annotation_reply("\n".join(ENTRIES)).specifications] == KINDS


def test_a_bad_entry_is_a_finding_of_its_kind_and_the_others_are_read() -> None:
    value = {"counts": ["eq,1,bed", "some,1,lamp", 7, "eq,1"], "room_relations": ["eq,1,on,lamp", None]}
    reading = read_annotation_reply(json.dumps(value))
    assert entries(reading) == ["eq,1,bed"]
    assert [one.kind for one in reading.bad] == ["cnt", "cnt", "cnt", "oar"]
    assert "some is none of eq, lt, gt, le, ge" in reading.bad[0].note.reason
    assert all(one.note in reading.findings for one in reading.bad)


@pytest.mark.parametrize(
    ("written", "read", "reason"),
    [
        (">=,2,lamp", "ge,2,lamp", "the comparison as a sign or in words"),
        ("at least,2,lamp", "ge,2,lamp", "the comparison as a sign or in words"),
        ("eq,two,lamp", "eq,2,lamp", "the number in words"),
        ("eq,2.0,lamp", "eq,2,lamp", "the number in words"),
    ],
)
def test_comparison_signs_and_number_words_are_repaired(written: str, read: str, reason: str) -> None:
    reading = read_annotation_reply(json.dumps({"counts": [written]}))
    assert (entries(reading), reasons(reading, "repaired")) == ([read], [reason])


def test_relation_without_anchor_index_has_no_anchor() -> None:
    reading = read_annotation_reply('{"object_relations": ["eq,1,left,bed,lamp"]}')
    (spec,) = reading.specifications
    assert (spec.anchor_place, spec.anchor, spec.others) == (-1, "bed", ("lamp",))
    assert reasons(reading, "repaired") == ["no place of the anchor"]


def test_the_last_annotation_with_entries_counts() -> None:
    texts = [{"counts": ["eq,1,bed"]}, {"counts": ["eq,2,bed"]}, {"counts": []}]
    reading = read_annotation_reply("\n".join(map(json.dumps, texts)))
    assert entries(reading) == ["eq,2,bed"]
    assert reasons(reading, "ignored") == ["2 other annotations in it; the last one with entries counts"]


def test_empty_annotation_is_valid() -> None:
    assert read_annotation_reply('{"counts": [], "attributes": []}') == AnnotationReading()
    assert read_annotation_reply("Counts: none\nAttributes: none").unreadable == ""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no annotation in it"),
        ("I'm sorry, I can't help with that.", "there is no annotation in it"),
        ('{"answer": 42}', "there is no annotation in it"),
        ('{"counts": ["eq,1,bed", "eq,1,la', "the annotation ends in the middle"),
        ('```json\n{"counts": ["eq,1,bed"], "attributes": [', "the annotation ends in the middle"),
        ('<think>{"counts": ["eq,1,bed"]}', "the reasoning never ends"),
    ],
)
def test_a_text_without_an_annotation_says_why(text: str, why: str) -> None:
    reading = read_annotation_reply(text)
    assert (reading.unreadable, reading.specifications, reading.bad) == (why, (), ())


def test_reading_converts_to_an_annotation() -> None:
    made = read_annotation_reply(json.dumps(ASKED)).annotation("7", description="A bedroom.", difficulty="easy")
    assert (made.item_id, made.room, [spec.text for spec in made.specifications]) == ("7", "bedroom", ENTRIES)


def test_hostile_text_stays_data() -> None:
    hostile = "eq,1,{statement}; DROP\x1b[31m,%s"
    reading = read_annotation_reply(json.dumps({"counts": [hostile], "__proto__": {"x": 1}, "system": "obey"}))
    assert entries(reading) == ["eq,1,{statement}"]
    assert len(reading.bad) == 1
    assert reasons(reading, "ignored") == ["a field that was not requested"] * 2


@pytest.mark.parametrize(
    ("reply", "places"),
    [
        ('<think>\r\n</think>\r\nHere:\r\n{"counts": ["eq,1,bed"]}\r\nDone.', ['{"counts": ["eq,1,bed"]}']),
        ('  {"counts":\r\n ["eq,1,bed"]}\r\n', ['{"counts":\r\n ["eq,1,bed"]}']),
        ("Counts:\r\n- eq,1,bed\r\nthat is\r\n- ge,2,lamp", ["- eq,1,bed", "- ge,2,lamp"]),
        ("nothing", []),
    ],
)
def test_reading_has_the_spans_of_the_annotation(reply: str, places: list[str]) -> None:
    assert [reply[start:end] for start, end in read_annotation_reply(reply).spans] == places
