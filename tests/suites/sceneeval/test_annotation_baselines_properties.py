"""Property test: the rules write readable entries for any description."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from tsgkit.suites.sceneeval.annotation_baselines import annotate
from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
from tsgkit.suites.sceneeval.word_meanings import relation_table

TABLE = relation_table()
WORDS = st.sampled_from(
    [
        "a",
        "the",
        "two",
        "999999",
        "no",
        "at",
        "least",
        "each",
        "with",
        "it",
        "them",
        "on",
        "in",
        "front",
        "of",
        "left",
        "its",
        "corner",
        "wall",
        "room",
        "table",
        "chairs",
        "red",
        "lamp",
        "stand",
        "surrounded",
        "by",
        "around",
        "facing",
        ",",
        ".",
        ";",
        "and",
        "another",
        "several",
        "pair",
        "row",
    ]
)
TEXTS = st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=60)


@given(TEXTS)
@example("0S")
@example("999999 tables, each with 999999 chairs around it")
@example("{description} ٣ chairs; eq,1,bed")
def test_rules_write_entries_that_can_be_read(description: str) -> None:
    told = annotate(description, TABLE)
    reading = read_annotation_reply(json.dumps(told))
    assert not reading.findings
    assert [spec.text for spec in reading.specifications] == [entry for entries in told.values() for entry in entries]
