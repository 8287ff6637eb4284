"""Whatever a run, an item or a reply is called and says: exports are whole, readable and hold it as text."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

import csv
import json
import re
import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st
from samples import SGQA, lines

import tsgkit as tk
from tsgkit.report.exports.recorded_run import file_name, whole
from tsgkit.report.spreadsheet import FORMULA

ANYTHING = st.text(st.characters(exclude_characters="\0"), max_size=40) | st.sampled_from(
    ["../..", "/etc", ".", "=1+1", "\ud800\udc00", "\ud83d", "a\\x1b", "\x1b[2J", "\u202ex", "-1|cmd", "%2E%2E"]
)
ITEMS = st.lists(ANYTHING.map(str.strip).filter(bool), min_size=1, max_size=4, unique=True)


@given(st.lists(ANYTHING))
def test_names_of_files_are_short_plain_words(parts: list[str]) -> None:
    name = file_name(*parts)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,59}", name) and not name.endswith((".", "-"))


@given(st.recursive(ANYTHING | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(ANYTHING, inner)))
def test_whole_values_are_unicode_and_stay_as_they_are_where_they_were(value: object) -> None:
    json.dumps(whole(value), ensure_ascii=False).encode("utf-8")
    assert whole(whole(value)) == whole(value)
    text = json.dumps(value, ensure_ascii=False)
    if text == text.encode("utf-8", "ignore").decode():
        assert whole(value) == value


@given(items=ITEMS, reply=ANYTHING, name=ANYTHING.filter(str.strip))
@example(items=["\x1b", "\\x1b"], reply="=1", name="../x")
@settings(max_examples=25, deadline=None)
def test_all_formats_hold_every_sample_once(items: list[str], reply: str, name: str) -> None:
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    pytest.importorskip("inspect_ai", reason="the extra inspect is not installed")
    import pyarrow.parquet
    from inspect_ai.log import read_eval_log

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "sgqa.jsonl").write_text(lines(*(SGQA | {"item_id": item} for item in items)), encoding="utf-8")
        model = {name: lambda messages: reply}
        run = tk.evaluate("sgqa", model=model, data=folder / "sgqa.jsonl", out=folder / "run", quiet=True)
        made = {to: run.export(to, folder / to).files for to in ("inspect", "parquet", "csv", "jsonl")}
        ids = [whole(sample.item_id) for sample in run.samples]
        (log,) = map(read_eval_log, map(str, made["inspect"]))
        assert sorted(sample.metadata["item_id"] for sample in log.samples or []) == sorted(ids)
        assert pyarrow.parquet.read_table(made["parquet"][0])["item_id"].to_pylist() == ids
        with made["csv"][0].open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream))
        assert len(rows) == len(items) + 1
        assert not any(cell.lstrip().startswith(FORMULA) for row in rows for cell in row if not cell[1:2].isdigit())
        logged = [json.loads(line) for line in made["jsonl"][0].read_text("ascii").splitlines()]
        assert [line["doc"]["item_id"] for line in logged if line["filter"] == "strict"] == ids
        for files in made.values():
            assert all(folder in file.resolve().parents for file in files)
