"""Tables of samples, calls and scores as CSV: what the run says, and no cell that a spreadsheet would obey."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from exported_runs import HOSTILE, hostile_run, served_run

import tsgkit as tk
from tsgkit.report.exports.columns import TABLES, Kind
from tsgkit.report.spreadsheet import FORMULA

Rows = list[dict[str, Any]]
PARSED: dict[Kind, Callable[[str], Any]] = {
    Kind.TEXT: str, Kind.JSON: json.loads, Kind.WHOLE: int, Kind.NUMBER: float, Kind.TRUTH: "true".__eq__,
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tk.Run:
    folder = tmp_path_factory.mktemp("served")
    return tk.open_run(served_run(folder / "run", task=["sgqa", "ma-sgg"], solver=["single", "vote:3"], repeat=1))


@pytest.fixture(scope="module")
def tables(run: tk.Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Rows]:
    """Return the rows of each table, every cell as its column's kind."""
    folder = tmp_path_factory.mktemp("csv")
    run.export("csv", folder)
    kinds = {table: {one.name: one.kind for one in columns} for table, columns in TABLES.items()}
    return {
        table: [
            {name: PARSED[kinds[table][name]](unquoted(text)) if text else None for name, text in row.items()}
            for row in read_csv(folder / f"{table}.csv")
        ]
        for table in TABLES
    }


def unquoted(text: str) -> str:
    return text[1:] if text[0] == "'" and text[1:].lstrip().startswith(FORMULA) else text


def read_csv(file: Path) -> Rows:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def names_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("task", "solver", "style", "repeat", "item_id"))


def test_every_sample_is_a_row_that_says_what_the_run_says(run: tk.Run, tables: dict[str, Rows]) -> None:
    assert len(tables["samples"]) == len(run.samples) == 32
    same = ("subject", "task", "solver", "style", "repeat", "item_id", "cluster", "outcome")
    for row, sample in zip(tables["samples"], run.samples, strict=True):
        assert {name: row[name] for name in same} == {name: getattr(sample, name) for name in same}
        assert (row["wrong"], row["metric"]) == (sample.is_wrong, sample.main)
        assert row["value"] == (sample.scores["strict"] or {})[row["metric"]]
        for name in ("groups", "counts", "evidence"):
            assert row[name] == getattr(sample, name)
        assert row["notes"] == list(sample.notes)
        assert (row["error"] is None) == (sample.error is None)
    failed = [row for row in tables["samples"] if row["outcome"] == "api_error"]
    assert failed and all(row["prompt_tokens"] is None for row in failed), "null unless every call reports it"


def test_every_call_is_a_row(run: tk.Run, tables: dict[str, Rows]) -> None:
    meant = [(sample.item_id, place, call) for sample in run.samples for place, call in enumerate(sample.calls)]
    assert len(meant) == len(tables["calls"]) > len(tables["samples"])
    for row, (item, place, call) in zip(tables["calls"], meant, strict=True):
        assert (row["item_id"], row["place"], row["label"], row["draw"]) == (item, place, call.label, call.draw)
        assert [(one["role"], len(one["content"]) > 0) for one in row["messages"]] == [
            (m.role, len(m.content) > 0) for m in call.prompt
        ]
        assert (row["source"], row["ending"]) == (call.reply.source, str(call.reply.ending))
        assert (row["prompt_tokens"], row["cached_tokens"]) == (call.reply.usage.prompt, call.reply.usage.cached)
        assert row["seconds"] == call.reply.seconds


def test_every_score_is_a_row_with_its_reason_and_they_sum_to_the_report(run: tk.Run, tables: dict[str, Rows]) -> None:
    rows = {(*names_of(row), row["profile"], row["metric"]): row for row in tables["scores"]}
    assert len(rows) == len(tables["scores"])
    for result in run.results:
        value = (result.board.profiles["strict"] or {}).get("exact_match")
        cell = (result.cell.task, result.cell.solver, result.cell.style)
        own = [row for key, row in rows.items() if (*key[:3], *key[5:]) == (*cell, "strict", "exact_match")]
        if own:
            assert value is not None
            assert sum(row["sum"] for row in own) / sum(row["weight"] for row in own) == value.value
    for sample in run.samples:
        (explained,) = sample.explain().rows
        for profile, scores in explained.judged.scores.items():
            for metric, score in scores.items():
                named = (sample.task, sample.solver, sample.style, sample.repeat, sample.item_id, profile, metric)
                row = rows.pop(named)
                assert (row["value"], row["sum"], row["weight"]) == (score.value, score.sum, score.weight)
                assert (row["reason"] or "") == score.reason
    assert rows == {}


def test_no_cell_is_a_formula_or_holds_a_control_character(tmp_path: Path) -> None:
    run = tk.open_run(hostile_run(tmp_path / "mine"))
    for file in run.export("csv", tmp_path / "out").files:
        assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]", file.read_bytes().decode("utf-8"))
        for row in read_csv(file):
            for column, text in row.items():
                assert not text.lstrip().startswith(FORMULA) or re.fullmatch(r"-?[0-9.e-]+", text), column
                assert "\n" not in text and "\r" not in text
    assert any(HOSTILE[:12] in row["item_id"] for row in read_csv(tmp_path / "out" / "samples.csv"))
