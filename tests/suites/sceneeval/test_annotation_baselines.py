"""Tests of the annotation baselines: random entries and rules."""

from __future__ import annotations

import json

import pytest

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


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("A lamp.", ["eq,1,lamp"]),
        ("At least three books and no lamp.", ["ge,3,book", "eq,0,lamp"]),
        ("More than two stools, at most one chair.", ["gt,2,stool", "le,1,chair"]),
        ("A pair of lamps, a row of four chairs, several vases.", ["eq,2,lamp", "eq,4,chair", "ge,2,vase"]),
        ("A bedroom with a bed; the bed is old.", ["eq,1,bed"]),
        ("A bed and another bed.", ["eq,2,bed"]),
        ("Two small white coffee tables.", ["eq,2,coffee_table", "eq,2,coffee_table,small", "eq,2,coffee_table,white"]),
    ],
)
def test_numbers_nouns_and_adjectives_are_read(description: str, expected: list[str]) -> None:
    assert all_entries(description) == expected


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("A lamp to the left of the bed.", "eq,1,left,0,bed,lamp"),
        ("A shelf with a vase on it.", "eq,1,on,0,shelf,vase"),
        ("Two tables, each with a lamp on it.", "eq,2,on,0,table,lamp"),
        ("Four chairs around the table.", "eq,1,surround,0,table,chair:0,chair:1,chair:2,chair:3"),
        ("A table surrounded by three stools.", "eq,1,surround,0,table,stool:0,stool:1,stool:2"),
        ("Two chairs around the table.", "eq,2,next_to,0,table,chair"),
        ("A sofa faces a fireplace.", "eq,1,facing,0,fireplace,sofa"),
        ("A desk against the wall with a chair in front of it.", "eq,1,in_front_of,0,desk,chair"),
        ("A TV on a TV stand.", "eq,1,on,0,tv_stand,tv"),
        ("Two monitors stand on the desk.", "eq,2,on,0,desk,monitor"),
        ("A desk against the walls.", "eq,1,against,desk,wall"),
        ("A plant in the corner.", "eq,1,in_corner,plant,room"),
        ("A rug in the middle of the living room.", "eq,1,in_middle,rug,living_room"),
        ("Two lamps hang from the ceiling above the table.", "eq,2,hang_from,lamp,ceiling"),
        ("Two lamps hang from the ceiling above the table.", "eq,2,above,0,table,lamp"),
    ],
)
def test_rules_read_relations(description: str, expected: str) -> None:
    assert expected in all_entries(description)


def test_rules_read_only_relations_of_the_table() -> None:
    assert all_entries("A lamp in harmony with a sofa.") == ["eq,1,lamp", "eq,1,sofa"]


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


def test_rules_ignore_the_annotation() -> None:
    rules = annotator_named("baseline/rules", 0, [])
    other = annotation_of("0", "easy", "A den.", ["eq,7,cat"])
    assert rules.answer(sample()) == rules.answer(other)
    assert json.loads(rules.answer(other))["counts"] == []


def test_unknown_baseline_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no baseline/rule"):
        annotator_named("baseline/rule", 0, [])
