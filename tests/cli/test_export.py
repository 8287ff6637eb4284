"""``tsgkit export``: files on standard output, the rest on standard error; clear errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from exported_runs import served_run, stopped_run

from tsgkit.cli import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return served_run(tmp_path_factory.mktemp("served") / "run", repeat=1)


def test_the_files_are_printed_and_their_samples_counted(run: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "out"
    assert main(["export", str(run), "--to", "csv", "-o", str(out)]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines() == [str(out / name) for name in ("samples.csv", "calls.csv", "scores.csv")]
    assert said.err == "tsgkit: 8 samples in 3 files\n"


def test_an_unfinished_run_is_said_to_be_one(tmp_path: Path, capsys: Captured) -> None:
    run = stopped_run(tmp_path / "run")
    capsys.readouterr()
    assert main(["export", str(run), "--to", "jsonl", "-o", str(tmp_path / "out.jsonl")]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "tsgkit: the run is not finished: 2 samples not asked yet, left out of the export",
        "tsgkit: 2 samples in 1 file",
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--to", "inspekt", "-o", "x"], "tsgkit: there is no format inspekt\n  inspect?\n"),
        (["--to", "xlsx", "-o", "x"], "tsgkit: there is no format xlsx\n  choose from inspect, parquet, csv, jsonl\n"),
        (["--to", "csv"], "tsgkit: missing: -o/--output\n"),
        (["--to", "csv", "-o", "x.csv"], "tsgkit: x.csv: the run gives 3 tables, not one file\n  name a folder: x\n"),
        (["--to", "jsonl", "-o", "a/x"], "tsgkit: a/x: cannot be written: there is no folder a\n"),
        (["--to", "csv", "-o", "x", "--data", "gone"], "tsgkit: tsg/sgqa: no file, folder or dataset is called gone\n"),
    ],
)
def test_wrong_words_are_told(
    words: list[str], expected: str, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", str(run), *words]) == 2
    assert capsys.readouterr().err.startswith(expected)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("made", [False, True])
def test_a_folder_without_a_run_is_told(made: bool, tmp_path: Path, capsys: Captured) -> None:
    if made:
        (tmp_path / "run").mkdir()
    assert main(["export", str(tmp_path / "run"), "--to", "csv", "-o", str(tmp_path / "out")]) == 2
    assert "no run lies here" in capsys.readouterr().err
