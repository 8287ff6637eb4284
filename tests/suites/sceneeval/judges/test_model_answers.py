"""Tests of reading a model judge's answers in any usual form."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.geometry import RELATIONS_OF_OBJECTS, RELATIONS_TO_ROOMS
from tsgkit.geometry.support import TYPES
from tsgkit.suites.sceneeval.judges import answers
from tsgkit.suites.sceneeval.judges.answers import (
    FUNCTIONAL,
    MEANINGS,
    Fault,
    read_category,
    read_holds,
    read_object_relations,
    read_room_relations,
    read_sides,
    read_support,
)
from tsgkit.suites.sceneeval.judges.judge import MeasuredRoomRelation
from tsgkit.suites.sceneeval.judges.model import FIELDS, JudgePrompts
from tsgkit.suites.sceneeval.word_meanings import MeasuredRelation, relation_table

CATEGORIES = ("double_bed", "lamp")


def why(found: object) -> str:
    assert isinstance(found, Fault), found
    return found.reason


def test_a_category_is_read_as_it_was_offered_or_is_a_fault() -> None:
    rows: list[tuple[str, str | None]] = [
        ('{"reason": "it has legs", "category": "double_bed"}', "double_bed"),
        ("<think>a lamp? {\"category\": \"lamp\"}</think>{'category': 'Double Bed',}", "double_bed"),
        ('Sure:\n```json\n{"category": "lamp"}\n```\nAnything else?', "lamp"),
        ('{"category": null}', None),
        ('{"category": "none"}', None),
        ('{"category": ""}', None),
    ]
    for text, category in rows:
        assert read_category(text, CATEGORIES) == category, text
    assert read_category('{"category": "none"}', ("none", "lamp")) == "none"
    faults = [
        ("", "the reply is empty"),
        ("It is a bed.", "there is no JSON object with category in the reply"),
        ('{"category": "bed"}', "'bed' is none of the categories"),
        ('{"category": ["lamp"]}', "['lamp'] is no category"),
        ('{"category": "la', "the reply ends in the middle"),
        ('{"kind": "lamp"}', "there is no JSON object with category in the reply"),
    ]
    for text, reason in faults:
        assert why(read_category(text, CATEGORIES)) == reason, text


def test_holds_must_cover_exactly_the_instances() -> None:
    rows: list[tuple[str, object]] = [
        ('{"holds": {"1": true, "2": false}}', (True, False)),
        ('{"holds": {"2": "no", "1": "Yes"}}', (True, False)),
        ('{"holds": [true, false]}', (True, False)),
        ('{"holds": {"1": true}}', "it says nothing of 2"),
        ('{"holds": {"1": true, "2": true, "3": true}}', "it speaks of 3 objects, and 2 were shown"),
        ('{"holds": {"1": true, "2": "perhaps"}}', "'perhaps', said of 2, is no yes or no"),
        ('{"holds": {"1": true, "2": null}}', "None, said of 2, is no yes or no"),
        ('{"holds": true}', "True says nothing of any object"),
    ]
    for text, found in rows:
        read = read_holds(text, 2)
        assert (read.reason if isinstance(read, Fault) else read) == found, text


def test_what_holds_an_object_is_one_of_four() -> None:
    assert read_support('{"held_by": " Wall "}') == "wall"
    assert why(read_support('{"held_by": "sky"}')) == "'sky' is none of ground, object, wall, ceiling"
    assert why(read_support('{"held_by": []}')) == "[] is none of ground, object, wall, ceiling"


def test_sides_are_read_for_each_object() -> None:
    listed = (
        '{"objects": [{"id": "bed_1", "sides": ["Left", "right", "left"]}, {"id": "rug_1", "sides": []},'
        '{"id": "tv_1", "sides": ["top"]}, {"id": "lamp_9", "sides": ["front"]}]}'
    )
    found = read_sides(listed, ("bed_1", "rug_1", "tv_1", "sofa_1"))
    assert isinstance(found, dict)
    assert (found["bed_1"], found["rug_1"]) == (("left", "right"), ())
    assert why(found["tv_1"]) == "'top' is none of front, back, left, right"
    assert why(found["sofa_1"]) == "nothing, but of 'lamp_9', which was not asked about"
    twice = '[{"id": "bed_1", "sides": ["left"]}, {"id": "bed_1", "sides": ["%s"]}]'
    assert read_sides(twice % "left", ("bed_1",)) == {"bed_1": ("left",)}
    found = read_sides(twice % "right", ("bed_1",))
    assert isinstance(found, dict) and why(found["bed_1"]) == "it is said twice, and differently"


def test_relations_between_objects_take_their_sides_and_no_others() -> None:
    listed = (
        '{"relations": [{"number": 1, "types": ["side_of: left", "next_to"]}, {"number": "2", "types": []},'
        '{"number": 3, "types": ["next_to left"]}, {"number": 4, "types": ["side_of"]}, {"number": 5, "types": null}]}'
    )
    found = read_object_relations(listed, 6)
    assert isinstance(found, dict)
    assert found[1] == (MeasuredRelation("side_of", "left"), MeasuredRelation("next_to"))
    assert (found[2], found[5]) == (None, None)
    assert why(found[3]) == "'next_to left' is no relation that is measured"
    assert why(found[4]) == "'side_of' is no relation that is measured"
    assert why(found[6]) == "nothing"


def test_entry_without_its_field_is_a_fault() -> None:
    between = read_object_relations('{"relations": [{"number": 1, "type": "next_to"}]}', 1)
    built = read_room_relations('{"relations": [{"number": 1, "types": ["on_wall"]}]}', 1, ())
    assert isinstance(between, dict) and isinstance(built, dict)
    assert (why(between[1]), why(built[1])) == ("it has no types", "it has no type")
    said = '{"relations": [{"number": 1, "type": "inside_room", "element": "room", "floors": ["floor_my den"]}]}'
    found = read_room_relations(said, 1, ("floor_my\n den",))
    assert found == {1: MeasuredRoomRelation("inside_room", "room", ("floor_my\n den",))}


def test_room_relations_accept_measured_relations_and_known_floors() -> None:
    listed = (
        '{"relations": [{"number": 1, "type": "inside_room", "element": "room", "floors": ["floor_den"]},'
        '{"number": 2, "type": "next_to", "element": "floor", "floors": []},'
        '{"number": 3, "type": null, "element": "wall", "floors": []},'
        '{"number": 4, "type": "on_wall", "element": "wall"},'
        '{"number": 5, "type": "inside_room", "element": "room", "floors": "floor_den"},'
        '{"number": 6, "type": "floats", "element": "room", "floors": []}]}'
    )
    found = read_room_relations(listed, 6, ("floor_den",))
    assert isinstance(found, dict)
    assert found[1] == MeasuredRoomRelation("inside_room", "room", ("floor_den",))
    assert (found[3], found[4]) == (None, MeasuredRoomRelation("on_wall", "wall"))
    assert why(found[2]) == "next_to of 'floor' cannot be measured"
    assert why(found[5]) == "'floor_den' is no floor of the building"
    assert why(found[6]) == "'floats' is no relation that is measured"


def test_readers_accept_any_text() -> None:
    rows_0: list[str] = ["{" * 3000, "[[[[", '{"objects": 7}', '{"objects": [7, null]}', "\ud800", "null"]
    rows_1: list[Any] = [
        lambda text: read_category(text, CATEGORIES),
        lambda text: read_holds(text, 1),
        read_support,
        lambda text: read_sides(text, ("bed_1",)),
        lambda text: read_object_relations(text, 1),
        lambda text: read_room_relations(text, 1, ()),
    ]
    for odd in rows_0:
        for read in rows_1:
            found = read(odd)
            assert isinstance(found, Fault) or all(isinstance(one, Fault) for one in found.values()), (odd, read)


def test_prompts_name_every_measured_relation_that_can_be_answered() -> None:
    words = JudgePrompts()
    pairs = words.text("object-relations", relations="1.")
    rooms = words.text("room-relations", relations="1.", floors="-")
    assert all(name in pairs for name in RELATIONS_OF_OBJECTS)
    assert all(name in rooms for name in RELATIONS_TO_ROOMS)
    assert set(words.sources) == set(FIELDS)
    table = relation_table()
    assert {one for meant in table.objects.values() for one in meant} <= set(answers.MEANINGS.values())


def loose(schema: dict[str, Any], place: str = "answer") -> list[str]:
    """Return the places of a schema that services for strict schemas refuse."""
    parts = {f"{place}.{name}": part for name, part in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        parts[f"{place}[]"] = schema["items"]
    is_loose = schema.get("type") == "object" and (
        schema["additionalProperties"] is not False or schema["required"] != list(schema["properties"])
    )
    return [place] * is_loose + [wrong for name, part in parts.items() for wrong in loose(part, name)]


def test_schemas_are_strict() -> None:
    for schema in (
        answers.category_schema(CATEGORIES),
        answers.holds_schema(3),
        answers.support_schema(),
        answers.sides_schema(("bed_1",)),
        answers.object_relations_schema(),
        answers.room_relations_schema(()),
    ):
        assert (loose(schema["json_schema"]["schema"]), schema["json_schema"]["strict"]) == ([], True)


NAMES = ("bed_1", "lamp_1")
WORDS = st.sampled_from([*NAMES, *FUNCTIONAL, *TYPES, *MEANINGS, "wall", "room", "on_wall", "floor_den", "none", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=12,
)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"number": VALUES | st.sampled_from([1, 2, "1"]), "id": st.sampled_from(NAMES) | VALUES},
        optional=dict.fromkeys(("sides", "types", "type", "element", "floors"), VALUES | st.lists(WORDS)),
    ),
    max_size=3,
)
ANSWERS = st.fixed_dictionaries(
    {}, optional={"objects": ENTRIES, "relations": ENTRIES, "category": VALUES, "held_by": VALUES, "holds": VALUES}
)
REPLIES = st.text(max_size=80) | st.tuples(st.text(max_size=9), (ANSWERS | VALUES).map(json.dumps)).map("".join)


@settings(max_examples=50)
@given(REPLIES)
def test_single_answers_are_among_those_offered(text: str) -> None:
    category = read_category(text, NAMES)
    assert category is None or isinstance(category, Fault) or category in NAMES
    held = read_support(text)
    assert isinstance(held, Fault) or held in TYPES
    holds = read_holds(text, 2)
    assert isinstance(holds, Fault) or (len(holds) == 2 and all(isinstance(one, bool) for one in holds))


@settings(max_examples=50)
@given(REPLIES)
def test_listed_answers_are_about_all_that_was_asked_and_nothing_else(text: str) -> None:
    sides = read_sides(text, NAMES)
    if not isinstance(sides, Fault):
        assert tuple(sides) == NAMES
        assert all(isinstance(one, Fault) or set(one) <= set(FUNCTIONAL) for one in sides.values())
    pairs = read_object_relations(text, 2)
    if not isinstance(pairs, Fault):
        assert tuple(pairs) == (1, 2)
        told = [one for one in pairs.values() if one is not None and not isinstance(one, Fault)]
        assert all(one and set(one) <= set(MEANINGS.values()) for one in told)
    rooms = read_room_relations(text, 2, ("floor_den",))
    if not isinstance(rooms, Fault):
        assert tuple(rooms) == (1, 2)
        found = [one for one in rooms.values() if one is not None and not isinstance(one, Fault)]
        assert all(set(one.floors) <= {"floor_den"} for one in found)
