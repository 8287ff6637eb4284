"""Exported logs, scored with ``score --from``: every reply is found, and the figures are those of the run."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import SGQA, lines

import tsgkit as tk

URLS = [f"https://example.org/rooms/{number}" for number in range(3)] + ["/root", "x" * 300]


def rows_file(folder: Path, item_ids: list[str]) -> Path:
    """Return a file of rows that have these ids."""
    file = folder / "sgqa.jsonl"
    file.write_text(lines(*(SGQA | {"item_id": one, "scenario_id": one} for one in item_ids)), encoding="utf-8")
    return file


def test_every_sample_of_an_inspect_log_is_read_back_by_the_ids_in_its_head(tmp_path: Path) -> None:
    log_module = pytest.importorskip("inspect_ai.log", reason="the extra inspect is not installed")
    rows = rows_file(tmp_path, URLS)
    run = tk.evaluate("sgqa", model={"cup": lambda _: "[cup]"}, data=rows, out=tmp_path / "run", quiet=True)
    (file,) = run.export("inspect", tmp_path / "log.eval").files
    samples = list(log_module.read_eval_log_samples(file.as_posix()))
    assert [sample.metadata["item_id"] for sample in samples] == [sample.item_id for sample in run.samples]
    report = tk.score("sgqa", rows, file, source="inspect")
    assert report.board.counts["answered"] == len(URLS)
    assert report.board == run.results[0].board
