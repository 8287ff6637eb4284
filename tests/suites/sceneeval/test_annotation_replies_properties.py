"""Property tests: the reader of annotations never raises, and is deterministic."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tsgkit.suites.sceneeval.annotation_replies import CUT, FIELDS, NOTHING, read_annotation_reply
from tsgkit.suites.sceneeval.annotations import KINDS

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
SCRAPS = st.sampled_from(
    [
        *"[]{}(),;:'\"`\\ \n-*",
        "```",
        "<think>",
        "</think>",
        '"counts"',
        "ObjAttr:",
        "eq,1,bed",
        "ge,2",
        ">=",
        "-1,",
        "eq",
    ]
)
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


@given(ANNOTATIONS)
def test_what_is_written_as_asked_is_read_back(value: dict[str, Any]) -> None:
    reading = read_annotation_reply(f"Here:\n```json\n{json.dumps(value, indent=1)}\n```")
    assert {FIELDS[kind]: [spec.text for spec in reading.of_kind(kind)] for kind in KINDS} == value
    assert not reading.findings


@given(ANNOTATIONS, st.integers(1, 300))
def test_truncated_annotation_is_never_read_as_complete(value: dict[str, Any], cut: int) -> None:
    text = json.dumps(value)
    if cut < len(text):
        assert read_annotation_reply(text[:-cut]).unreadable in (CUT, NOTHING)
