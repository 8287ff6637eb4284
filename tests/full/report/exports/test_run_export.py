"""Exports that need a library: no key, no growth of memory, nothing left of one that fails; and tables as Parquet."""

from __future__ import annotations

import csv
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas  # type: ignore[import-untyped]
import pyarrow.parquet as pq
import pytest
from exported_runs import HOSTILE, KEY, hostile_run, largest_file, served_run, stopped_run
from report_runs import recorded
from samples import SGQA

import tsgkit as tk
from tsgkit.errors import FileProblem, UsageError
from tsgkit.report.exports import FORMATS, export_run
from tsgkit.report.exports.columns import TABLES, Kind

TYPES = {Kind.TEXT: "string", Kind.JSON: "string", Kind.WHOLE: "int64", Kind.NUMBER: "double", Kind.TRUTH: "bool"}
NAMES = ("task", "solver", "style", "repeat", "item_id")


def unpacked(files: tuple[Path, ...], folder: Path) -> bytes:
    """Return the bytes of some files, archives unpacked."""
    found = b""
    for file in files:
        if file.suffix == ".eval":
            shutil.unpack_archive(file, folder / file.stem, "zip")
            found += b"".join(path.read_bytes() for path in sorted((folder / file.stem).rglob("*")) if path.is_file())
        found += file.read_bytes()
    return found


def test_an_export_counts_every_sample_holds_no_key_and_is_the_same_twice(tmp_path: Path) -> None:
    served, stopped = served_run(tmp_path / "served"), stopped_run(tmp_path / "stopped")
    for to in ("inspect", "parquet"):
        told: list[tuple[int, int]] = []
        out = tmp_path / to
        out.mkdir()
        first = export_run(served, to, out / "a", done=lambda done, total, told=told: told.append((done, total))).files
        assert told == [(number, 16) for number in range(1, 17)]
        found = unpacked(first, out)
        assert KEY.encode() not in found
        assert to == "parquet" or b"[redacted]" in found, "the server did say it"
        second = export_run(served, to, out / "b").files
        assert [file.relative_to(out / "a") for file in first] == [file.relative_to(out / "b") for file in second]
        if to != "inspect":  # the archive holds the times of its members
            assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
        with largest_file(6000), pytest.raises(FileProblem, match=r"out: cannot be written: .*large"):
            export_run(served, to, out / "out")
        assert not (out / "out").exists()
        exported = export_run(stopped, to, out / "there")
        assert (exported.samples, exported.unasked) == (2, 2)


def test_an_interrupted_export_leaves_nothing(tmp_path: Path) -> None:
    run, target = tmp_path / "run", tmp_path / "out" / "tables"
    target.parent.mkdir()
    tk.evaluate(["sgqa", "ma-sgg"], out=run, quiet=True)
    for to in FORMATS:
        words = [sys.executable, "-m", "tsgkit", "export", str(run), "--to", to, "-o", str(target)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 60
        while not any(path.stat().st_size for path in target.parent.rglob("*") if path.is_file()):
            assert time.monotonic() < until and process.poll() is None, to
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert (process.returncode, told) == (130, "tsgkit: interrupted\n"), to
        assert list(target.parent.iterdir()) == [], to


MEASURE = """
import sys
from pathlib import Path
from tsgkit.report.exports import export_run
export_run(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
print(next(int(line.split()[1]) // 1024 for line in Path("/proc/self/status").open() if line.startswith("VmHWM")))
"""


def test_memory_hardly_grows_with_the_run(tmp_path: Path) -> None:
    """Six times the samples, 20 MB more of output: a few MB more for their positions and for one group of rows."""
    runs = []
    for number in (500, 3000):
        rows = [SGQA | {"item_id": f"i{place}", "data_id": f"d{place % 50}"} for place in range(number)]
        replies = {f"i{place}/0": f"<think>{'x' * 5000}</think>[cup]" for place in range(number)}
        runs.append(recorded(tmp_path / str(number), "sgqa", replies, rows=rows))
    for to, most in (("csv", 20), ("parquet", 60), ("inspect", 30)):
        used = []
        for number, run in enumerate(runs):
            words = [sys.executable, "-c", MEASURE, str(run), to, str(tmp_path / f"{to}{number}")]
            used.append(int(subprocess.run(words, capture_output=True, text=True, check=True).stdout))
        assert used[1] - used[0] <= most, to


def test_parquet_has_typed_columns_with_their_meaning_and_the_values_of_csv_and_pandas(tmp_path: Path) -> None:
    run = tk.open_run(served_run(tmp_path / "run", task=["sgqa", "ma-sgg"], solver=["single", "vote:3"], repeat=1))
    run.export("parquet", tmp_path / "parquet")
    run.export("csv", tmp_path / "csv")
    tables: dict[str, list[dict[str, Any]]] = {}
    for table, columns in TABLES.items():
        file = tmp_path / "parquet" / f"{table}.parquet"
        schema = pq.read_schema(file)
        assert [(field.name, str(field.type)) for field in schema] == [(one.name, TYPES[one.kind]) for one in columns]
        assert [field.metadata[b"meaning"].decode() for field in schema] == [one.meaning for one in columns]
        tables[table] = pq.read_table(file).to_pylist()
        with (tmp_path / "csv" / f"{table}.csv").open(encoding="utf-8", newline="") as stream:
            texts = list(csv.DictReader(stream))
        for one, other in zip(texts, tables[table], strict=True):
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
    frame = {tuple(row[name] for name in NAMES): row for row in run.samples.frame("pandas").to_dict("records")}
    for row in tables["samples"]:
        meant = frame[tuple(row[name] for name in NAMES)]
        for ours, theirs in (("prompt_tokens", "prompt"), ("completion_tokens", "completion"), ("cost", "cost")):
            value = meant[f"usage.{theirs}"]
            assert row[ours] == (None if value is None or value != value else value)
    scores = pandas.read_parquet(tmp_path / "parquet" / "scores.parquet")
    means = scores[scores.metric == "exact_match"].groupby(["style", "profile"])["value"].mean()
    assert set(means.index) == {(style, one) for style in ("zero-shot", "cot") for one in ("strict", "official")}


def test_parquet_holds_hostile_texts_as_they_are_and_refuses_numbers_that_are_too_large(tmp_path: Path) -> None:
    run = tk.open_run(hostile_run(tmp_path / "mine"))
    run.export("parquet", tmp_path / "out")
    whole = HOSTILE.encode("utf-8", "backslashreplace").decode()
    assert f"{whole}/0" in pq.read_table(tmp_path / "out" / "samples.parquet")["item_id"].to_pylist()
    assert pq.read_table(tmp_path / "out" / "calls.parquet")["reply"].to_pylist() == [f"[{whole}]"] * 5
    (file,) = run.export("jsonl", tmp_path / "log").files
    frame = pandas.read_json(file, lines=True)
    assert len(frame) == 10 and set(frame["filter"]) == {"strict", "official"}
    for place, seed in enumerate((1 << 63, 99999999999999999999999)):
        asked: dict[str, Any] = {"model": {"cup": lambda _: "[cup]"}, "first": 2, "style": "few-shot", "quiet": True}
        run = tk.evaluate("sgqa", out=tmp_path / f"run{place}", seed=[seed, 2], **asked)
        with pytest.raises(UsageError, match=r"samples\.parquet: column seed: a number takes more than 64 bits"):
            run.export("parquet", tmp_path / "tables")
        assert not (tmp_path / "tables").exists()
        assert run.export("csv", tmp_path / f"csv{place}").files
