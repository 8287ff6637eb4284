"""Exported logs, scored with ``score --from``: every reply is found, and the figures are those of the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import lines
from scored_exports import check_figures, rows_asked, run_of

import tsgkit as tk
from tsgkit.errors import UsageError


def without_calls(file: Path) -> Path:
    """Make a log one of an earlier version, which had only the names of its calls."""
    values = [json.loads(line) for line in file.read_text("ascii").splitlines()]
    for value in values:
        value["tsgkit"]["calls"] = [[call["label"], call["draw"]] for call in value["tsgkit"]["calls"]]
    file.write_text(lines(*values), encoding="utf-8")
    return file


def test_an_exported_log_has_the_figures_of_its_run(tmp_path: Path) -> None:
    check_figures(tmp_path, "jsonl", "lm-eval")


def test_a_log_without_calls_is_read_unless_it_has_votes(tmp_path: Path) -> None:
    rows = rows_asked(tmp_path)
    run = run_of(rows, tmp_path / "run")
    file = without_calls(run.export("jsonl", tmp_path / "logs").files[0])
    assert tk.score("sgqa", rows, file, source="lm-eval").board == run.results[0].board
    voted = run_of(rows, tmp_path / "voted", solver="vote:3")
    file = without_calls(voted.export("jsonl", tmp_path / "votes").files[0])
    with pytest.raises(UsageError, match="has several calls") as problem:
        tk.score("sgqa", rows, file, source="lm-eval")
    assert "tsgkit export" in problem.value.hint


def test_another_style_than_that_of_the_log_can_be_named_and_a_mixture_is_refused(tmp_path: Path) -> None:
    rows = rows_asked(tmp_path)
    files = [
        run_of(rows, tmp_path / style, style=style).export("jsonl", tmp_path / f"{style}-logs").files[0]
        for style in ("zero-shot", "cot")
    ]
    assert tk.score("sgqa", rows, files[1], source="lm-eval", style="few-shot").style == "few-shot"
    half = [file.read_text("ascii").splitlines(keepends=True)[8 * place :][:8] for place, file in enumerate(files)]
    files[0].write_text("".join(half[0] + half[1]), encoding="ascii")
    with pytest.raises(UsageError, match="of several styles: cot, zero-shot"):
        tk.score("sgqa", rows, files[0], source="lm-eval")
