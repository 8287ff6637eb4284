"""Tables become rows by a mapping; what does not fit is named with its file, row and column."""

from __future__ import annotations

import csv
import datetime
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library import tables
from tsgkit.library.mappings import FieldRule, RowMapping, mapping_for, mappings_in
from tsgkit.library.row_choice import Wanted, chosen, sets_of
from tsgkit.library.row_sources import parts_of, pinned, row_place, with_mapping

MAPPING = """
fields:
  item_id: id
  question: {column: text, strip: true}
  domain: {value: kitchen}
  tags: {column: labels, split: ";", strip: true}
  graphs: {column: graphs_json, json: true}
"""
GRAPHS = [[["person", "verb", "lift"]]]
COLUMNS = {"id": ["7"], "text": [" where? "], "labels": ["a; b"], "graphs_json": [json.dumps(GRAPHS)], "more": ["x"]}
ROW = {"item_id": "7", "question": "where?", "domain": "kitchen", "tags": ["a", "b"], "graphs": GRAPHS}


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache"


def write(name: str, columns: dict[str, list[Any]]) -> str:
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if name.endswith(".jsonl"):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return name
    with Path(name).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, delimiter="\t" if name.endswith(".tsv") else ",")
        writer.writeheader()
        writer.writerows(rows)
    return name


def mapping(text: str = MAPPING, name: str = "m.yaml") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def rows(data: str, task: str = "", stored: str | None = None) -> list[dict[str, Any]]:
    place = row_place(data, stored)
    assert place is not None
    return [json.loads(line) for line in place.rows_of(task, stored).read_text().splitlines()]


def problem(data: str, task: str = "") -> str:
    with pytest.raises(TsgkitError) as raised:
        rows(data, task)
    assert "\n" not in str(raised.value)
    return f"{raised.value} | {raised.value.hint}"


def test_a_mapping_makes_the_same_rows_of_every_kind_of_table_named_or_beside_it() -> None:
    for name in ("rows.csv", "rows.tsv", "rows.jsonl"):
        assert rows(f"{write(name, COLUMNS)}#{mapping()}") == [ROW], name
    mapping(name="tsgkit.yaml")
    assert rows("rows.csv") == [ROW]
    mapping("fields: {item_id: id}\nothers: keep\n")
    assert set(rows("rows.csv#m.yaml")[0]) == {"item_id", "text", "labels", "graphs_json", "more"}
    hostile = ["{{ 7*7 }}", "{0.__class__}", "=HYPERLINK(1)", "$(id)", "../../etc/passwd", "!!python/object:x"]
    write("rows.csv", {"id": hostile})
    mapping("fields: {item_id: id, note: {value: '{item_id} ${HOME} !!x'}}")
    assert rows("rows.csv#m.yaml") == [{"item_id": one, "note": "{item_id} ${HOME} !!x"} for one in hostile]


def test_a_wrong_mapping_names_its_file_and_place() -> None:
    for text, expected in [
        ("fields: {a: {column: x, value: 1}}", "a column or a value is needed, and not both"),
        ("fields: {a: {split: ';'}}", "a column or a value is needed"),
        ("fields: {a: {column: x, split: ';', json: true}}", "split or json, not both"),
        ("fields: {a: {column: x, jsn: true}}", "there is no setting fields.a.jsn"),
        ("fields: {}", "fields"),
        ("field: {a: x}", "there is no setting field"),
        ("file: ../x.parquet", "not a path inside the dataset"),
        ("file: a.csv\nsplit: test", "file, or config and split, not both"),
        ("[1]", "a mapping is fields and values"),
        ("tasks: {sgqa: 3}", "tasks.sgqa: expected the fields of a mapping"),
        ("tasks: {sgqa: {fields: {a: x}}}\nsplit: test", "nothing beside tasks"),
        ("fields: {a: !!python/name:os.system }", "m.yaml"),
    ]:
        message = refusal(UsageError, mappings_in, text, "m.yaml")
        assert message.startswith("m.yaml: ") and expected in message, text


def test_a_cell_or_column_that_does_not_fit_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    write("rows.csv", COLUMNS)
    mapping("fields: {item_id: ids}")
    assert problem("rows.csv#m.yaml") == "m.yaml: fields.item_id: rows.csv has no column ids | id?"
    Path("rows.parquet").write_bytes(b"")
    mapping()
    columns: list[tuple[dict[str, list[Any]], str]] = [
        ({"graphs_json": ["[]", "{"]}, "rows.parquet: row 2: column graphs_json: "),
        ({"labels": ["a", [1]]}, "rows.parquet: row 2: column labels: a text is needed, and this is a list"),
        ({"text": ["a", 3]}, "row 2: column text: a text is needed, and this is 3"),
        ({"id": ["a", b"\xff"]}, "row 2: item_id: binary data, which a row cannot hold"),
        ({"id": ["a", math.nan]}, "row 2: item_id: nan, which a row cannot hold"),
        ({"id": ["a", datetime.date(2020, 1, 1)]}, "row 2: item_id: a value of the kind date"),
    ]
    for column, expected in columns:
        table = {name: values * 2 for name, values in COLUMNS.items()} | column
        found = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
        monkeypatch.setattr(tables, "_parquet", lambda *_, found=found: iter(found))  # a column of Parquet has one type
        message = problem("rows.parquet#m.yaml")
        assert expected in message and "see m.yaml" in message


def test_a_broken_csv_file_leaves_nothing_in_the_cache_and_a_changed_one_is_read_anew(caches: Path) -> None:
    for text, expected in [
        (b"id,text\n1,a\n2\n", "rows.csv: row 2: 1 cells, and the header has 2"),
        (b"id,id\n1,2\n", "two columns are called 'id'"),
        (b'id\n"a"b\n', "line 2: not CSV"),
        (b'id\n"never closed\n', "not CSV"),
        (b"id\n\xff\n", "not UTF-8 text"),
    ]:
        Path("rows.csv").write_bytes(text)
        assert expected in problem("rows.csv"), text
    assert list((caches / "rows").iterdir()) == []
    for field, value in (("item_id", "7"), ("name", "7"), ("name", "8")):
        write("rows.csv", COLUMNS | {"id": [value]})
        mapping(f"fields: {{{field}: id}}")
        assert rows("rows.csv#m.yaml") == [{field: value}]
    assert len(list((caches / "rows").iterdir())) == 3


def test_places_of_rows_are_told_apart_and_what_is_not_there_is_named() -> None:
    found = mappings_in("tasks: {sgqa: {fields: {a: x}}, tsg/sgds: {fields: {b: y}}}", "m.yaml")
    assert mapping_for("tsg/sgqa", found) is found["sgqa"]
    assert mapping_for("tsg/sgds", found) is found["tsg/sgds"]
    write("rows.csv", COLUMNS)
    mapping("tasks: {sgqa: {fields: {a: id}}}")
    assert "there is no mapping for tsg/ma-sgg | it has sgqa" in problem("rows.csv#m.yaml", "tsg/ma-sgg")
    write("rows.jsonl", COLUMNS)
    assert row_place("rows.csv", native=(".csv",)) is None
    assert [row_place(name) for name in ("rows.jsonl", "tsg-bench", "-")] == [None] * 3
    assert pinned("rows.jsonl") == "rows.jsonl"
    write("a.csv#b.yaml", {"id": ["1"]})
    assert parts_of("a.csv#b.yaml") == ("a.csv#b.yaml", ""), "a name may have a hash"
    assert parts_of("b.csv#b.yaml") == ("b.csv", "b.yaml")
    assert "n.yaml: no such file" in problem("rows.csv#n.yaml")
    mapping()
    assert "row.csv: no such file or folder | rows.csv?" in problem("row.csv#m.yaml")
    Path("rows.bin").write_bytes(b"x")
    assert "rows.bin: no rows that m.yaml could map" in problem("rows.bin#m.yaml")
    with pytest.raises(UsageError, match="a mapping is a file in YAML"):
        with_mapping("rows.csv", "m.json")


def test_splits_and_configurations_choose_files() -> None:
    splits = ["data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet", "README.md", ".hidden/x.csv"]
    both = [f"{config}/{split}.csv" for config in ("easy", "hard") for split in ("train", "test")]
    assert chosen(splits, Wanted(split="test"), "x").paths == (splits[1],)
    assert chosen(both, Wanted(config="hard", split="test"), "x").paths == ("hard/test.csv",)
    for paths, wanted, reason in (
        (both, Wanted(split="test"), "several files could be meant: easy/test.csv, hard/test.csv"),
        (both, Wanted(split="dev"), "no rows of split dev in it"),
        ([f"test-0000{n}-of-00003.parquet" for n in (0, 2)], Wanted(), "test.parquet lacks 1 of its parts"),
    ):
        assert reason in refusal(UsageError, chosen, paths, wanted, "x")
    [parts] = sets_of(["default/test/0000.parquet", "default/test/0001.parquet"])
    assert parts.label == "default/test.parquet"


PIECES = [
    "task: tsg/sgqa\n", "tasks:\n", "  sgqa:\n", "fields:\n", "  item_id: id\n", "  tags: {column: a, split: ';'}\n",
    "  graphs: {column: g, json: true}\n", "  domain: {value: 1}\n", "others: keep\n", "file: ../a.csv\n", "split: x\n",
    "config: 1\n", "? ", ": ", "- ", "[", "]", "{", "}", ",", "\n", "  ", "\t", "#", "|", "'", '"', "&a ", "*a", "<<: ",
    "!!", "!!set ", "!!binary =", "!!timestamp x", "---\n", ".inf", ".nan", "2026-13-41", "~", "\x00", "\ud800",
]  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
FIELDS = st.sampled_from(["a", "b", "c", "", "ünï", "__class__", "{a}", "a.b"])
PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=3))
ROWS = st.dictionaries(FIELDS, VALUES | st.sampled_from(["[1]", "{", "a;b", " ; ", "NaN", "1e999"]))
NAMES = FIELDS.filter(bool)
RULES = st.one_of(
    NAMES,
    st.builds(lambda column, strip: {"column": column, "strip": strip}, NAMES, st.booleans()),
    st.builds(lambda column, split: {"column": column, "split": split}, NAMES, st.sampled_from([";", ", ", "aa"])),
    st.builds(lambda column: {"column": column, "json": True}, NAMES),
    st.builds(lambda value: {"value": value}, VALUES),
)
MAPPINGS = st.fixed_dictionaries(
    {"fields": st.dictionaries(NAMES, RULES, min_size=1)}, optional={"others": st.sampled_from(["keep", "drop"])}
)


@given(TEXTS, MAPPINGS)
def test_a_file_is_refused_by_name_or_a_mapping_whose_record_is_the_same_mapping(
    text: str, value: dict[str, Any]
) -> None:
    try:
        found = mappings_in(text, "m.yaml")
    except UsageError as error:
        assert error.message.startswith("m.yaml")
    else:
        assert all(len(one.sha256) == 64 for one in found.values())
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


@given(st.lists(st.text(max_size=6), min_size=1), st.sampled_from([";", ", ", "aa"]), VALUES)
def test_a_list_comes_out_of_the_text_that_joins_it_and_a_value_out_of_its_json(
    parts: list[str], separator: str, value: object
) -> None:
    parts = [part.replace(separator[0], "") for part in parts]
    joined = separator.join(parts)
    rule = FieldRule.model_validate({"column": "c", "split": separator})
    assert rule.of({"c": joined}) == (parts if joined else [])
    assert FieldRule.model_validate({"column": "c", "json": True}).of({"c": json.dumps(value)}) == value
