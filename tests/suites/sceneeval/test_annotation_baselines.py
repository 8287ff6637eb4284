"""Tests of the annotation baselines: random entries and rules."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.suites.sceneeval.annotation_baselines import annotate, annotator_named
from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.word_meanings import relation_table

TABLE = relation_table()


def all_entries(description: str) -> list[str]:
    return [entry for entries in annotate(description, TABLE).values() for entry in entries]


def sample(item_id: str = "0") -> Annotation:
    return annotation_of(
        item_id, "easy", "A den.", ["eq,1,sofa", "ge,2,lamp"], (), ["eq,1,left,0,sofa,lamp"], ["eq,1,on,sofa,floor"]
    )


def test_numbers_nouns_and_adjectives_are_read() -> None:
    rows: list[tuple[str, list[str]]] = [
        ("A lamp in harmony with a sofa.", ["eq,1,lamp", "eq,1,sofa"]),  # no relation of the table
        ("At least three books and no lamp.", ["ge,3,book", "eq,0,lamp"]),
        ("More than two stools, at most one chair.", ["gt,2,stool", "le,1,chair"]),
        ("A pair of lamps, a row of four chairs, several vases.", ["eq,2,lamp", "eq,4,chair", "ge,2,vase"]),
        ("A bedroom with a bed; the bed is old.", ["eq,1,bed"]),
        ("A bed and another bed.", ["eq,2,bed"]),
        ("Two small white coffee tables.", ["eq,2,coffee_table", "eq,2,coffee_table,small", "eq,2,coffee_table,white"]),
    ]
    for description, expected in rows:
        assert all_entries(description) == expected, description


def test_rules_read_relations() -> None:
    rows: list[tuple[str, str]] = [
        ("A lamp to the left of the bed.", "eq,1,left,0,bed,lamp"),
        ("A shelf with a vase on it.", "eq,1,on,0,shelf,vase"),
        ("Two tables, each with a lamp on it.", "eq,2,on,0,table,lamp"),
        ("Four chairs around the table.", "eq,1,surround,0,table,chair:0,chair:1,chair:2,chair:3"),
        ("A table surrounded by three stools.", "eq,1,surround,0,table,stool:0,stool:1,stool:2"),
        ("Two chairs around the table.", "eq,2,next_to,0,table,chair"),
        ("A sofa faces a fireplace.", "eq,1,facing,0,fireplace,sofa"),
        ("A desk against the wall with a chair in front of it.", "eq,1,in_front_of,0,desk,chair"),
        ("Two lamps. The two lamps stand on a table.", "eq,2,on,0,table,lamp"),
        ("A TV on a TV stand.", "eq,1,on,0,tv_stand,tv"),
        ("Two monitors stand on the desk.", "eq,2,on,0,desk,monitor"),
        ("A desk against the walls.", "eq,1,against,desk,wall"),
        ("A plant in the corner.", "eq,1,in_corner,plant,room"),
        ("A rug in the middle of the living room.", "eq,1,in_middle,rug,living_room"),
        ("Two lamps hang from the ceiling above the table.", "eq,2,hang_from,lamp,ceiling"),
        ("Two lamps hang from the ceiling above the table.", "eq,2,above,0,table,lamp"),
    ]
    for description, expected in rows:
        assert expected in all_entries(description), description


def test_random_annotator_depends_on_seed_and_item_and_uses_dataset_values() -> None:
    samples = [sample(str(number)) for number in range(20)]
    chance = annotator_named("baseline/random", 0, samples)
    said = [chance.answer(one) for one in samples]
    assert said == [chance.answer(one) for one in samples]
    assert len(set(said)) > 1
    assert said != [annotator_named("baseline/random", 1, samples).answer(one) for one in samples]
    for text in said:
        reading = read_annotation_reply(text)
        assert not reading.findings
        assert set(reading.annotation("0").categories) <= {"sofa", "lamp"}


def test_rules_ignore_the_annotation_and_an_unknown_baseline_is_refused() -> None:
    answer = annotator_named("baseline/rules", 0, []).answer(annotation_of("0", "easy", "A den.", ["eq,7,cat"]))
    assert json.loads(answer)["counts"] == []
    with pytest.raises(UsageError, match="there is no baseline/rule"):
        annotator_named("baseline/rule", 0, [])


WORDS = (
    "a the two 999999 no at least each with it them on in front of left its corner wall room table chairs red lamp"
    " stand surrounded by around facing , . ; and another several pair row"
)
TEXTS = st.lists(st.sampled_from(WORDS.split()), max_size=40).map(" ".join) | st.text(max_size=60)


@given(TEXTS)
@example("0S")
@example("999999 tables, each with 999999 chairs around it")
@example("{description} ٣ chairs; eq,1,bed")
def test_rules_write_entries_that_can_be_read(description: str) -> None:
    told = annotate(description, TABLE)
    reading = read_annotation_reply(json.dumps(told))
    assert not reading.findings
    assert [spec.text for spec in reading.specifications] == [entry for entries in told.values() for entry in entries]
