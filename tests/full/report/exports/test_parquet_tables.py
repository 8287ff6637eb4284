"""Tables as Parquet and as pandas opens them: typed, with the meaning of each column, the values of the CSV tables."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pandas  # type: ignore[import-untyped]
import pyarrow.parquet as pq
import pytest
from exported_runs import HOSTILE, hostile_run, served_run

import tsgkit as tk
from tsgkit.errors import UsageError
from tsgkit.report.exports.columns import TABLES, Kind

TYPES = {Kind.TEXT: "string", Kind.JSON: "string", Kind.WHOLE: "int64", Kind.NUMBER: "double", Kind.TRUTH: "bool"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tk.Run:
    folder = tmp_path_factory.mktemp("served")
    return tk.open_run(served_run(folder / "run", task=["sgqa", "ma-sgg"], solver=["single", "vote:3"], repeat=1))


@pytest.fixture(scope="module")
def folder(run: tk.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parquet")
    run.export("parquet", folder)
    return folder


def test_columns_are_typed_and_say_what_they_mean(folder: Path) -> None:
    for table, columns in TABLES.items():
        schema = pq.read_schema(folder / f"{table}.parquet")
        assert [(field.name, str(field.type)) for field in schema] == [(one.name, TYPES[one.kind]) for one in columns]
        assert [field.metadata[b"meaning"].decode() for field in schema] == [one.meaning for one in columns]


def test_values_are_those_of_the_csv_tables(run: tk.Run, folder: Path, tmp_path: Path) -> None:
    run.export("csv", tmp_path / "csv")
    for table, columns in TABLES.items():
        with (tmp_path / "csv" / f"{table}.csv").open(encoding="utf-8", newline="") as stream:
            texts = list(csv.DictReader(stream))
        for one, other in zip(texts, pq.read_table(folder / f"{table}.parquet").to_pylist(), strict=True):
            for column in columns:
                text, value = one[column.name], other[column.name]
                if value is None:
                    assert text == ""
                elif column.kind in (Kind.WHOLE, Kind.NUMBER):
                    assert float(text) == value
                elif column.kind is Kind.TRUTH:
                    assert text == str(value).lower()
                elif text != value:
                    assert text.removeprefix("'") == value.encode("unicode_escape").decode().replace("\\\\", "\\")


def test_usage_of_a_sample_is_null_as_in_the_frame_of_pandas(run: tk.Run, folder: Path) -> None:
    names = ("task", "solver", "style", "repeat", "item_id")
    frame = {tuple(row[name] for name in names): row for row in run.samples.frame("pandas").to_dict("records")}
    samples = pq.read_table(folder / "samples.parquet").to_pylist()
    for row in samples:
        meant = frame[tuple(row[name] for name in names)]
        for ours, theirs in (("prompt_tokens", "prompt"), ("completion_tokens", "completion"), ("cost", "cost")):
            value = meant[f"usage.{theirs}"]
            assert row[ours] == (None if value is None or value != value else value)
    failed = [row for row in samples if row["outcome"] == "api_error"]
    assert failed and all(row["prompt_tokens"] is None for row in failed)
    scores = pandas.read_parquet(folder / "scores.parquet")
    means = scores[scores.metric == "exact_match"].groupby(["style", "profile"])["value"].mean()
    assert set(means.index) == {(style, one) for style in ("zero-shot", "cot") for one in ("strict", "official")}


def test_hostile_texts_are_held_as_they_are_and_pandas_reads_their_log(tmp_path: Path) -> None:
    run = tk.open_run(hostile_run(tmp_path / "mine"))
    run.export("parquet", tmp_path / "out")
    whole = HOSTILE.encode("utf-8", "backslashreplace").decode()
    assert f"{whole}/0" in pq.read_table(tmp_path / "out" / "samples.parquet")["item_id"].to_pylist()
    assert pq.read_table(tmp_path / "out" / "calls.parquet")["reply"].to_pylist() == [f"[{whole}]"] * 5
    (file,) = run.export("jsonl", tmp_path / "log").files
    frame = pandas.read_json(file, lines=True)
    assert len(frame) == 10 and set(frame["filter"]) == {"strict", "official"}


@pytest.mark.parametrize("seed", [1 << 63, 99999999999999999999999])
def test_a_number_that_parquet_cannot_hold_is_refused_with_its_column(tmp_path: Path, seed: int) -> None:
    asked: dict[str, Any] = {"model": {"cup": lambda _: "[cup]"}, "first": 2, "style": "few-shot", "seed": [seed, 2]}
    run = tk.evaluate("sgqa", out=tmp_path / "run", quiet=True, **asked)
    before = set(tmp_path.iterdir())
    with pytest.raises(UsageError, match=r"samples\.parquet: column seed: a number takes more than 64 bits"):
        run.export("parquet", tmp_path / "tables")
    assert set(tmp_path.iterdir()) == before
    assert run.export("csv", tmp_path / "csv").files
