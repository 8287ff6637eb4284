"""Tables of samples, calls and scores, as Parquet and as CSV: the same values, typed, and what the manual says."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from exported_runs import HOSTILE, hostile_run, served_run
from report_runs import recorded
from samples import SGQA

import tsgkit as tk
from tsgkit.errors import UsageError
from tsgkit.report.exports.columns import TABLES, Kind
from tsgkit.report.spreadsheet import FORMULA

Rows = list[dict[str, Any]]
NUMBERS = (Kind.WHOLE, Kind.NUMBER)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tk.Run:
    folder = tmp_path_factory.mktemp("served")
    return tk.open_run(served_run(folder / "run", task=["sgqa", "ma-sgg"], solver=["single", "vote:3"], repeat=1))


@pytest.fixture(scope="module")
def parquet(run: tk.Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")
    folder = tmp_path_factory.mktemp("parquet")
    run.export("parquet", folder)
    return {table: pq.read_table(folder / f"{table}.parquet").to_pylist() for table in TABLES}


@pytest.fixture(scope="module")
def comma(run: tk.Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    folder = tmp_path_factory.mktemp("csv")
    run.export("csv", folder)
    return {table: read_csv(folder / f"{table}.csv") for table in TABLES}


def read_csv(file: Path) -> Rows:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def names_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("task", "solver", "style", "repeat", "item_id"))


def test_every_sample_is_a_row_that_says_what_the_run_says(run: tk.Run, parquet: dict[str, Rows]) -> None:
    assert len(parquet["samples"]) == len(run.samples) == 32
    for row, sample in zip(parquet["samples"], run.samples, strict=True):
        same = (
            "subject",
            "task",
            "solver",
            "style",
            "repeat",
            "item_id",
            "cluster",
            "outcome",
            "key",
            "reason",
            "error",
        )
        assert {name: row[name] for name in same} == {name: getattr(sample, name) for name in same}
        assert row["wrong"] == sample.is_wrong
        assert row["value"] == (sample.scores["strict"] or {})[row["metric"]] and row["metric"] == sample.main
        answer = row["answer"]
        assert sample.answer == (answer if isinstance(sample.answer, str | None) else json.loads(answer))
        for name in ("groups", "counts", "evidence"):
            assert json.loads(row[name]) == getattr(sample, name)
        assert json.loads(row["notes"]) == list(sample.notes)


def test_usage_is_null_unless_every_call_reports_it(run: tk.Run, parquet: dict[str, Rows]) -> None:
    frame = {names_of(row): row for row in run.samples.frame("pandas").to_dict("records")}
    for row in parquet["samples"]:
        meant = frame[names_of(row)]
        for ours, theirs in (("prompt_tokens", "prompt"), ("completion_tokens", "completion"), ("cost", "cost")):
            value = meant[f"usage.{theirs}"]
            assert row[ours] == (None if value is None or value != value else value)
    failed = [row for row in parquet["samples"] if row["outcome"] == "api_error"]
    assert failed and all(row["prompt_tokens"] is None for row in failed)


def test_every_call_is_a_row(run: tk.Run, parquet: dict[str, Rows]) -> None:
    meant = [(sample.item_id, place, call) for sample in run.samples for place, call in enumerate(sample.calls)]
    assert len(meant) == len(parquet["calls"]) > len(parquet["samples"])
    for row, (item, place, call) in zip(parquet["calls"], meant, strict=True):
        assert (row["item_id"], row["place"], row["label"], row["draw"]) == (item, place, call.label, call.draw)
        assert json.loads(row["messages"]) == [{"role": m.role, "content": m.content} for m in call.prompt]
        assert (row["reply"], row["error"], row["source"]) == (call.reply.text, call.reply.error, call.reply.source)
        assert (row["ending"], row["prompt_tokens"]) == (str(call.reply.ending), call.reply.usage.prompt)
        assert (row["cached_tokens"], row["seconds"]) == (call.reply.usage.cached, call.reply.seconds)


def test_every_score_is_a_row_with_its_reason(run: tk.Run, parquet: dict[str, Rows]) -> None:
    rows = {(*names_of(row), row["profile"], row["metric"]): row for row in parquet["scores"]}
    assert len(rows) == len(parquet["scores"])
    for sample in run.samples:
        (explained,) = sample.explain().rows
        for profile, scores in explained.judged.scores.items():
            for metric, score in scores.items():
                row = rows.pop(
                    (sample.task, sample.solver, sample.style, sample.repeat, sample.item_id, profile, metric)
                )
                assert (row["value"], row["sum"], row["weight"]) == (score.value, score.sum, score.weight)
                assert row["reason"] == score.reason
    assert rows == {}


def test_the_sums_of_the_scores_give_the_figures_of_the_report(run: tk.Run, parquet: dict[str, Rows]) -> None:
    for result in run.results:
        rows = [
            row
            for row in parquet["scores"]
            if (row["task"], row["solver"], row["style"]) == (result.cell.task, result.cell.solver, result.cell.style)
            and (row["profile"], row["metric"]) == ("strict", "exact_match")
        ]
        if rows:
            value = (result.board.profiles["strict"] or {})["exact_match"]
            assert value is not None
            assert sum(row["sum"] for row in rows) / sum(row["weight"] for row in rows) == value.value


def test_columns_of_parquet_are_typed_and_say_what_they_mean(run: tk.Run, tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")
    types = {Kind.TEXT: "string", Kind.JSON: "string", Kind.WHOLE: "int64", Kind.NUMBER: "double", Kind.TRUTH: "bool"}
    run.export("parquet", tmp_path / "out")
    for table, columns in TABLES.items():
        schema = pq.read_schema(tmp_path / "out" / f"{table}.parquet")
        assert [(field.name, str(field.type)) for field in schema] == [(one.name, types[one.kind]) for one in columns]
        assert [field.metadata[b"meaning"].decode() for field in schema] == [one.meaning for one in columns]


def test_pandas_opens_the_tables(run: tk.Run, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    run.export("parquet", tmp_path / "out")
    frame = pandas.read_parquet(tmp_path / "out" / "scores.parquet")
    means = frame[frame.metric == "exact_match"].groupby(["style", "profile"])["value"].mean()
    assert set(means.index) == {(style, one) for style in ("zero-shot", "cot") for one in ("strict", "official")}


def test_csv_says_the_same_as_parquet(parquet: dict[str, Rows], comma: dict[str, Rows]) -> None:
    for table, columns in TABLES.items():
        assert len(comma[table]) == len(parquet[table])
        for one, other in zip(comma[table], parquet[table], strict=True):
            for column in columns:
                text, value = one[column.name], other[column.name]
                if value is None:
                    assert text == ""
                elif column.kind in NUMBERS:
                    assert float(text) == value
                elif column.kind is Kind.TRUTH:
                    assert text == str(value).lower()
                elif text != value:
                    assert text.removeprefix("'") == value.encode("unicode_escape").decode().replace("\\\\", "\\")


def test_no_cell_of_csv_is_a_formula_or_holds_a_control_character(tmp_path: Path) -> None:
    run = tk.open_run(hostile_run(tmp_path / "mine"))
    for file in run.export("csv", tmp_path / "out").files:
        assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]", file.read_bytes().decode("utf-8"))
        for row in read_csv(file):
            for column, text in row.items():
                assert not text.lstrip().startswith(FORMULA) or re.fullmatch(r"-?[0-9.e-]+", text), column
                assert "\n" not in text and "\r" not in text
    assert any(HOSTILE[:12] in row["item_id"] for row in read_csv(tmp_path / "out" / "samples.csv"))


def test_parquet_holds_hostile_texts_as_they_are(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")
    run = tk.open_run(hostile_run(tmp_path / "mine"))
    run.export("parquet", tmp_path / "out")
    whole = HOSTILE.encode("utf-8", "backslashreplace").decode()
    assert f"{whole}/0" in pq.read_table(tmp_path / "out" / "samples.parquet")["item_id"].to_pylist()
    assert pq.read_table(tmp_path / "out" / "calls.parquet")["reply"].to_pylist() == [f"[{whole}]"] * 5


MEASURE = """
import sys
from pathlib import Path
from tsgkit.report.exports import export_run
export_run(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
print(next(int(line.split()[1]) // 1024 for line in Path("/proc/self/status").open() if line.startswith("VmHWM")))
"""


@pytest.fixture(scope="module")
def long_runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A run of 500 samples and one of 3,000."""
    found = []
    for number in (500, 3000):
        rows = [SGQA | {"item_id": f"i{place}", "data_id": f"d{place % 50}"} for place in range(number)]
        replies = {f"i{place}/0": f"<think>{'x' * 5000}</think>[cup]" for place in range(number)}
        found.append(recorded(tmp_path_factory.mktemp(f"{number}"), "sgqa", replies, rows=rows))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("to", "most"), [("csv", 20), ("jsonl", 20), ("parquet", 60), ("inspect", 30)])
def test_memory_hardly_grows_with_the_run(to: str, most: int, long_runs: list[Path], tmp_path: Path) -> None:
    """Six times the samples, 20 MB more of output: a few MB more for their positions and for one group of rows."""
    if to in ("parquet", "inspect"):
        pytest.importorskip({"parquet": "pyarrow", "inspect": "inspect_ai"}[to])
    used = []
    for number, run in enumerate(long_runs):
        words = [sys.executable, "-c", MEASURE, str(run), to, str(tmp_path / f"out{number}")]
        used.append(int(subprocess.run(words, capture_output=True, text=True, check=True).stdout))
    assert used[1] - used[0] <= most


@pytest.mark.parametrize("seed", [1 << 63, 99999999999999999999999])
def test_a_number_that_parquet_cannot_hold_is_refused_with_its_column(tmp_path: Path, seed: int) -> None:
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    asked: dict[str, Any] = {"model": {"cup": lambda _: "[cup]"}, "first": 2, "style": "few-shot", "seed": [seed, 2]}
    run = tk.evaluate("sgqa", out=tmp_path / "run", quiet=True, **asked)
    before = set(tmp_path.iterdir())
    with pytest.raises(UsageError, match=r"samples\.parquet: column seed: a number takes more than 64 bits"):
        run.export("parquet", tmp_path / "tables")
    assert set(tmp_path.iterdir()) == before
    assert run.export("csv", tmp_path / "csv").files
