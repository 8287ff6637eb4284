"""Logs of Inspect, scored with ``score --from``: every reply is found, and the figures are those of the run."""

from __future__ import annotations

from pathlib import Path

from inspect_ai.log import read_eval_log, read_eval_log_samples
from samples import SGQA, lines
from scored_exports import check_figures, rows_asked, run_of

import tsgkit as tk

URLS = [f"https://example.org/rooms/{number}" for number in range(3)] + ["/root", "x" * 300]


def test_every_sample_is_read_back_by_the_ids_in_its_head(tmp_path: Path) -> None:
    rows = tmp_path / "sgqa.jsonl"
    rows.write_text(lines(*(SGQA | {"item_id": one, "scenario_id": one} for one in URLS)), encoding="utf-8")
    run = tk.evaluate("sgqa", model={"cup": lambda _: "[cup]"}, data=rows, out=tmp_path / "run", quiet=True)
    (file,) = run.export("inspect", tmp_path / "log.eval").files
    samples = list(read_eval_log_samples(file.as_posix()))
    assert [(one.metadata or {})["item_id"] for one in samples] == [sample.item_id for sample in run.samples]
    report = tk.score("sgqa", rows, file, source="inspect")
    assert report.board.counts["answered"] == len(URLS)
    assert report.board == run.results[0].board


def test_an_exported_log_has_the_figures_of_its_run(tmp_path: Path) -> None:
    check_figures(tmp_path, "inspect", "inspect")


def test_a_failed_call_without_a_reason_is_an_error_of_its_sample(tmp_path: Path) -> None:
    (file,) = run_of(rows_asked(tmp_path), tmp_path / "run").export("inspect", tmp_path / "log.eval").files
    samples = read_eval_log(file.as_posix()).samples or []
    failed = {one.metadata["item_id"] for one in samples if one.error is not None}
    assert failed == {one.metadata["item_id"] for one in samples if one.metadata["outcome"] == "api_error"}
    assert failed
