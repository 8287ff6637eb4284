"""Tables become rows by a mapping; what does not fit is named with its file, row and column."""

from __future__ import annotations

import datetime
import json
import math
from pathlib import Path
from typing import Any

import pytest

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.library.mappings import mapping_for, mappings_in
from tsgkit.library.row_choice import Wanted, chosen, sets_of
from tsgkit.library.row_sources import parts_of, pinned, row_place, with_mapping

pa = pytest.importorskip("pyarrow")
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
    import pyarrow.parquet

    if name.endswith(".parquet"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(pa.table(columns), name)
        return name
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if name.endswith(".jsonl"):
        Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return name
    import csv

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
    return f"{raised.value} | {raised.value.hint}"


@pytest.mark.parametrize("name", ["rows.parquet", "rows.csv", "rows.tsv", "rows.jsonl"])
def test_a_mapping_makes_the_same_rows_of_every_kind_of_table(name: str) -> None:
    assert rows(f"{write(name, COLUMNS)}#{mapping()}") == [ROW]


def test_a_mapping_beside_the_rows_needs_no_name() -> None:
    write("rows.csv", COLUMNS)
    mapping(name="tsgkit.yaml")
    assert rows("rows.csv") == [ROW]


def test_columns_with_the_names_of_fields_need_no_mapping() -> None:
    write("rows.parquet", {"item_id": ["a", "b"], "tags": [["x"], None], "qa": [[{"q": "w", "a": None}], []]})
    assert rows("rows.parquet") == [
        {"item_id": "a", "tags": ["x"], "qa": [{"q": "w"}]},
        {"item_id": "b", "qa": []},
    ]


def test_other_columns_are_kept_when_the_mapping_says_so() -> None:
    write("rows.csv", COLUMNS)
    mapping("fields: {item_id: id}\nothers: keep\n")
    (found,) = rows("rows.csv#m.yaml")
    assert set(found) == {"item_id", "text", "labels", "graphs_json", "more"}


def test_a_value_in_template_syntax_or_a_formula_stays_text() -> None:
    hostile = ["{{ 7*7 }}", "{0.__class__}", "=HYPERLINK(1)", "$(id)", "../../etc/passwd", "!!python/object:x"]
    write("rows.csv", {"id": hostile})
    mapping("fields: {item_id: id, note: {value: '{item_id} ${HOME} !!x'}}")
    assert [row["item_id"] for row in rows("rows.csv#m.yaml")] == hostile
    assert rows("rows.csv#m.yaml")[0]["note"] == "{item_id} ${HOME} !!x"


def test_many_rows_are_read_in_order_across_batches_and_parts() -> None:
    for part in range(3):
        names = [f"{part}-{number}" for number in range(700)]
        write(f"data/test-0000{part}-of-00003.parquet", {"item_id": names})
    mapping("split: test", "data/tsgkit.yaml")
    assert [row["item_id"] for row in rows("data")] == [f"{part}-{n}" for part in range(3) for n in range(700)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
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
    ],
)
def test_a_wrong_mapping_names_its_file_and_place(text: str, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        mappings_in(text, "m.yaml")
    assert str(raised.value).startswith("m.yaml: ")
    assert told in str(raised.value)


def test_a_column_that_is_not_there_is_named_with_the_nearest() -> None:
    write("rows.parquet", COLUMNS)
    mapping("fields: {item_id: ids}")
    assert problem("rows.parquet#m.yaml") == "m.yaml: fields.item_id: rows.parquet has no column ids | id?"


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"graphs_json": ["[]", "{"]}, "rows.parquet: row 2: column graphs_json: "),
        ({"labels": ["a", [1]]}, "rows.parquet: row 2: column labels: a text is needed, and this is a list"),
        ({"text": ["a", 3]}, "row 2: column text: a text is needed, and this is 3"),
        ({"id": ["a", b"\xff"]}, "row 2: item_id: binary data, which a row cannot hold"),
        ({"id": ["a", math.nan]}, "row 2: item_id: nan, which a row cannot hold"),
        ({"id": ["a", datetime.date(2020, 1, 1)]}, "row 2: item_id: a value of the kind date"),
    ],
)
def test_a_cell_that_does_not_fit_is_named_by_row_and_column(
    columns: dict[str, list[Any]], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tsgkit.library import tables

    table = {name: values * 2 for name, values in COLUMNS.items()} | columns
    found = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
    monkeypatch.setattr(tables, "_parquet", lambda *_: iter(found))  # a column of Parquet has one type
    write("rows.parquet", COLUMNS)
    mapping()
    assert told in problem("rows.parquet#m.yaml")
    assert "see m.yaml" in problem("rows.parquet#m.yaml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"id,text\n1,a\n2\n", "rows.csv: row 2: 1 cells, and the header has 2"),
        (b"id,id\n1,2\n", "two columns are called 'id'"),
        (b'id\n"a"b\n', "line 2: not CSV"),
        (b'id\n"never closed\n', "not CSV"),
        (b"id\n\xff\n", "not UTF-8 text"),
    ],
)
def test_a_broken_csv_file_is_named_by_row(text: bytes, told: str) -> None:
    Path("rows.csv").write_bytes(text)
    assert told in problem("rows.csv")


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"not parquet"])
def test_a_file_that_is_not_parquet_is_one_line(data: bytes) -> None:
    Path("rows.parquet").write_bytes(data)
    assert problem("rows.parquet").startswith("rows.parquet: not a Parquet file that can be read: ")
    assert "\n" not in problem("rows.parquet")


def test_a_spoilt_parquet_file_is_one_line_wherever_it_is_spoilt() -> None:
    write("rows.parquet", {"item_id": [f"item {number}" for number in range(2000)]})
    good = Path("rows.parquet").read_bytes()
    for place in range(4, len(good), len(good) // 60):
        Path("rows.parquet").write_bytes(
            good[:place] + bytes(b ^ 0xA5 for b in good[place : place + 40]) + good[place + 40 :]
        )
        try:
            rows("rows.parquet")
        except FileProblem as error:
            assert "\n" not in str(error)


@pytest.mark.slow
def test_a_large_table_is_never_held_whole() -> None:
    import subprocess
    import sys

    import pyarrow.parquet

    text = pa.table({"item_id": ["x" * 400] * 20_000})
    with pyarrow.parquet.ParquetWriter("rows.parquet", text.schema, use_dictionary=False, compression="none") as writer:
        for _ in range(8):
            writer.write_table(text)
    assert Path("rows.parquet").stat().st_size > 60_000_000
    code = (
        "import pyarrow; from tsgkit.library.row_sources import row_place; row_place('rows.parquet').rows_of();"
        "print(pyarrow.default_memory_pool().max_memory())"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(told.stdout) < 16_000_000


def test_a_broken_row_leaves_nothing_in_the_cache(caches: Path) -> None:
    Path("rows.csv").write_text("id,text\n1,a\n2\n")
    problem("rows.csv")
    assert list((caches / "rows").iterdir()) == []


def test_a_changed_table_or_mapping_is_read_anew(caches: Path) -> None:
    write("rows.csv", COLUMNS)
    mapping("fields: {item_id: id}")
    assert rows("rows.csv#m.yaml") == [{"item_id": "7"}]
    mapping("fields: {name: id}")
    assert rows("rows.csv#m.yaml") == [{"name": "7"}]
    write("rows.csv", COLUMNS | {"id": ["8"]})
    assert rows("rows.csv#m.yaml") == [{"name": "8"}]
    assert len(list((caches / "rows").iterdir())) == 3


def test_a_mapping_for_several_tasks_is_chosen_by_task() -> None:
    found = mappings_in("tasks: {sgqa: {fields: {a: x}}, tsg/sgds: {fields: {b: y}}}", "m.yaml")
    assert mapping_for("tsg/sgqa", found) is found["sgqa"]
    assert mapping_for("tsg/sgds", found) is found["tsg/sgds"]
    write("rows.csv", COLUMNS)
    mapping("tasks: {sgqa: {fields: {a: id}}}")
    assert "there is no mapping for tsg/ma-sgg | it has sgqa" in problem("rows.csv#m.yaml", "tsg/ma-sgg")


def test_files_that_are_read_as_they_lie_are_no_places() -> None:
    write("rows.jsonl", COLUMNS)
    assert row_place("rows.jsonl") is None
    assert row_place("rows.csv", native=(".csv",)) is None
    assert row_place("tsg-bench") is None
    assert row_place("-") is None
    assert pinned("rows.jsonl") == "rows.jsonl"


def test_a_file_whose_own_name_has_a_hash_is_meant_as_it_is() -> None:
    write("a.csv#b.yaml", {"id": ["1"]})
    assert parts_of("a.csv#b.yaml") == ("a.csv#b.yaml", "")
    assert parts_of("b.csv#b.yaml") == ("b.csv", "b.yaml")


def test_what_is_not_there_is_named() -> None:
    write("rows.csv", COLUMNS)
    assert "m.yaml: no such file" in problem("rows.csv#m.yaml")
    mapping()
    assert "row.csv: no such file or folder | rows.csv?" in problem("row.csv#m.yaml")
    Path("rows.bin").write_bytes(b"x")
    assert "rows.bin: no rows that m.yaml could map" in problem("rows.bin#m.yaml")
    with pytest.raises(UsageError, match="a mapping is a file in YAML"):
        with_mapping("rows.csv", "m.json")


SPLITS = ["data/train-00000-of-00001.parquet", "data/test-00000-of-00001.parquet", "README.md", ".hidden/x.csv"]


def test_splits_and_configurations_choose_files() -> None:
    both = [f"{config}/{split}.csv" for config in ("easy", "hard") for split in ("train", "test")]
    assert chosen(SPLITS, Wanted(split="test"), "x").paths == (SPLITS[1],)
    assert chosen(both, Wanted(config="hard", split="test"), "x").paths == ("hard/test.csv",)
    with pytest.raises(UsageError, match=r"several files could be meant: easy/test.csv, hard/test.csv"):
        chosen(both, Wanted(split="test"), "x")
    with pytest.raises(UsageError, match="no rows of split dev in it"):
        chosen(both, Wanted(split="dev"), "x")


def test_a_table_that_lacks_a_part_is_refused() -> None:
    paths = ["test-00000-of-00003.parquet", "test-00002-of-00003.parquet"]
    with pytest.raises(UsageError, match=r"test.parquet lacks 1 of its parts"):
        chosen(paths, Wanted(), "x")
    assert [one.label for one in sets_of(["default/test/0000.parquet", "default/test/0001.parquet"])] == [
        "default/test.parquet"
    ]
