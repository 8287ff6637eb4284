"""``tsgkit export``: files on standard output, the rest on standard error; logs that are scored again."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CommandLine
from exported_runs import served_run, stopped_run
from scripted_choices import ROWS, scripted_run

import tsgkit as tk


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return served_run(tmp_path_factory.mktemp("served") / "run", repeat=1)


def test_files_are_printed_and_their_samples_counted(run: Path, folder: Path, tsgkit: CommandLine) -> None:
    ended = tsgkit(f"export {run} --to csv -o out")
    assert ended.out.splitlines() == [f"out/{name}" for name in ("samples.csv", "calls.csv", "scores.csv")]
    assert ended.err == "tsgkit: 8 samples in 3 files\n"
    stopped = stopped_run(folder / "run")
    assert tsgkit(f"export {stopped} --to jsonl -o out.jsonl").err.splitlines() == [
        "tsgkit: the run is not finished: 2 samples not asked yet, left out of the export",
        "tsgkit: 2 samples in 1 file",
    ]


def test_export_refuses_invalid_arguments(run: Path, tsgkit: CommandLine) -> None:
    Path("made").mkdir()
    tsgkit.refuses(
        {
            f"{run} --to inspekt -o x": "tsgkit: there is no format inspekt\n  inspect?\n",
            f"{run} --to xlsx -o x": "tsgkit: there is no format xlsx\n  choose from inspect, parquet, csv, jsonl\n",
            f"{run} --to csv": "tsgkit: missing: -o/--output\n",
            f"{run} --to csv -o x.csv": "tsgkit: x.csv: the run gives 3 tables, not one file\n  name a folder: x\n",
            f"{run} --to jsonl -o a/x": "tsgkit: a/x: cannot be written: there is no folder a\n",
            f"{run} --to csv -o x --data gone": "tsgkit: tsg/sgqa: no file, folder or dataset is called gone\n",
            "made --to csv -o x": "no run lies here",
            "nowhere --to csv -o x": "no run lies here",
        },
        "export",
    )


def test_texts_of_an_exported_sample_log_are_scored_as_they_were(folder: Path) -> None:
    """Sample logs have no field that says why a reply ended."""
    scripted = scripted_run(folder)
    scripted.export("jsonl", "one.jsonl")
    scores = tk.score("sgds", ROWS, "one.jsonl", source="lm-eval")
    answers = {one.item_id: one.answer for one in scripted.samples if one.outcome == "answered"}
    assert answers.items() <= {one.sample.item_id: one.answer for one in scores.judged}.items()
