"""Parquet files become rows by a mapping, whole or not at all, and in little memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from refusals import refusal

from tsgkit.errors import FileProblem
from tsgkit.library.row_sources import row_place


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache"


def write(name: str, columns: dict[str, list[Any]]) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.table(columns), name)


def rows(data: str) -> list[dict[str, Any]]:
    place = row_place(data)
    assert place is not None
    return [json.loads(line) for line in place.rows_of().read_text().splitlines()]


def test_a_mapping_makes_rows_of_a_parquet_file() -> None:
    write("rows.parquet", {"id": ["7"], "text": [" where? "], "labels": ["a; b"]})
    rules = 'fields: {item_id: id, question: {column: text, strip: true}, tags: {column: labels, split: "; "}}'
    Path("m.yaml").write_text(rules)
    assert rows("rows.parquet#m.yaml") == [{"item_id": "7", "question": "where?", "tags": ["a", "b"]}]


def test_columns_with_the_names_of_fields_need_no_mapping() -> None:
    write("rows.parquet", {"item_id": ["a", "b"], "tags": [["x"], None], "qa": [[{"q": "w", "a": None}], []]})
    assert rows("rows.parquet") == [{"item_id": "a", "tags": ["x"], "qa": [{"q": "w"}]}, {"item_id": "b", "qa": []}]


def test_many_rows_are_read_in_order_across_batches_and_parts() -> None:
    for part in range(3):
        names = [f"{part}-{number}" for number in range(700)]
        write(f"data/test-0000{part}-of-00003.parquet", {"item_id": names})
    Path("data/tsgkit.yaml").write_text("split: test")
    assert [row["item_id"] for row in rows("data")] == [f"{part}-{n}" for part in range(3) for n in range(700)]


def test_a_file_that_is_not_parquet_or_spoilt_anywhere_is_one_line() -> None:
    for data in (b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"not parquet"):
        Path("rows.parquet").write_bytes(data)
        message = refusal(FileProblem, rows, "rows.parquet")
        assert message.startswith("rows.parquet: not a Parquet file that can be read: ") and "\n" not in message, data
    write("rows.parquet", {"item_id": [f"item {number}" for number in range(2000)]})
    good = Path("rows.parquet").read_bytes()
    for place in range(4, len(good), len(good) // 60):
        spoilt = bytes(byte ^ 0xA5 for byte in good[place : place + 40])
        Path("rows.parquet").write_bytes(good[:place] + spoilt + good[place + 40 :])
        try:
            rows("rows.parquet")
        except FileProblem as error:
            assert "\n" not in str(error)


def test_a_large_table_is_never_held_whole() -> None:
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
