"""Whatever a mapping's file and a row hold, fields come out as the mapping says, or a word on what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")


from hypothesis import given
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.library.mappings import FieldRule, RowMapping, mappings_in

PIECES = [
    "task: tsg/sgqa\n", "tasks:\n", "  sgqa:\n", "fields:\n", "  item_id: id\n", "  tags: {column: a, split: ';'}\n",
    "  graphs: {column: g, json: true}\n", "  domain: {value: 1}\n", "others: keep\n", "file: ../a.csv\n", "split: x\n",
    "config: 1\n", "? ", ": ", "- ", "[", "]", "{", "}", ",", "\n", "  ", "\t", "#", "|", "'", '"', "&a ", "*a", "<<: ",
    "!!", "!!set ", "!!binary =", "!!timestamp x", "---\n", ".inf", ".nan", "2026-13-41", "~", "\x00", "\ud800",
]  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
COLUMNS = st.sampled_from(["a", "b", "c", "", "ünï", "__class__", "{a}", "a.b"])
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(COLUMNS, inner, max_size=3))
ROWS = st.dictionaries(COLUMNS, VALUES | st.sampled_from(["[1]", "{", "a;b", " ; ", "NaN", "1e999"]))
NAMES = COLUMNS.filter(bool)
RULES = st.one_of(
    NAMES,
    st.builds(lambda column, strip: {"column": column, "strip": strip}, NAMES, st.booleans()),
    st.builds(lambda column, split: {"column": column, "split": split}, NAMES, st.sampled_from([";", ", ", "aa"])),
    st.builds(lambda column: {"column": column, "json": True}, NAMES),
    st.builds(lambda value: {"value": value}, VALUES),
)
MAPPINGS = st.fixed_dictionaries(
    {"fields": st.dictionaries(NAMES, RULES, min_size=1)},
    optional={"others": st.sampled_from(["keep", "drop"])},
)


@given(TEXTS)
def test_a_file_is_a_mapping_or_is_refused_by_name(text: str) -> None:
    try:
        found = mappings_in(text, "m.yaml")
    except UsageError as error:
        assert error.message.startswith("m.yaml")
    else:
        assert all(len(one.sha256) == 64 for one in found.values())


@given(MAPPINGS)
def test_what_is_recorded_of_a_mapping_is_the_same_mapping(value: dict[str, Any]) -> None:
    (first,) = mappings_in(json.dumps(value), "m.yaml").values()
    (again,) = mappings_in(json.dumps(first.value), "again").values()
    assert (again.mapping, again.sha256) == (first.mapping, first.sha256)


@given(MAPPINGS, ROWS)
def test_a_row_gets_the_fields_of_its_mapping_and_stays_as_it_is(value: dict[str, Any], row: dict[str, Any]) -> None:
    mapping, before = RowMapping.model_validate(value), json.dumps(row)
    rules = mapping.fields or {}
    try:
        found = mapping.of(row)
    except ValueError as error:
        assert any(str(error).startswith(f"column {rule.column}: ") for rule in rules.values())
    else:
        assert None not in found.values()
        assert set(found) <= set(rules) | (set(row) if mapping.keeps_others else set())
        assert {name for name, rule in rules.items() if rule.value is not None} <= set(found)
    assert json.dumps(row) == before


@given(st.lists(st.text(max_size=6), min_size=1), st.sampled_from([";", ", ", "aa"]))
def test_a_list_comes_out_of_the_text_that_joins_it(parts: list[str], separator: str) -> None:
    parts = [part.replace(separator[0], "") for part in parts]
    joined = separator.join(parts)
    rule = FieldRule.model_validate({"column": "c", "split": separator})
    assert rule.of({"c": joined}) == (parts if joined else [])


@given(VALUES)
def test_a_value_comes_out_of_its_json(value: object) -> None:
    rule = FieldRule.model_validate({"column": "c", "json": True})
    assert rule.of({"c": json.dumps(value)}) == value
