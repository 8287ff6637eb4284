"""Tests of importing the published questions from a copy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.errors import FileProblem
from tsgkit.library.cards import load_card
from tsgkit.library.catalogue import known
from tsgkit.library.datasets import dataset
from tsgkit.suites.importers import import_dataset
from tsgkit.suites.spatialgen.defects import inspect
from tsgkit.suites.spatialgen.questions import SpatialGenTask

ROWS = (TASKS / "spatialgen" / "data" / "questions.jsonl").read_bytes()
NAME = "spatialgeneval"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def test_the_published_file_is_known_by_its_commit_and_checksum() -> None:
    [file] = known(NAME).files
    assert (file.rows, known(NAME).repository) == (1230, "AMAP-ML/SpatialGenEval")
    assert (
        known(NAME).url(file).endswith("8b294b5fd0bca204fcfbf2cd74b75d9c359e40f6/eval/SpatialGenEval_T2I_Prompts.jsonl")
    )


def test_checkout_is_imported_by_its_published_name(tmp_path: Path) -> None:
    (tmp_path / "checkout" / "eval").mkdir(parents=True)
    (tmp_path / "checkout" / "eval" / "SpatialGenEval_T2I_Prompts.jsonl").write_bytes(ROWS)
    intake = import_dataset(NAME, "checkout")
    assert [(one.stored.rows, one.stored.official, one.stored.findings) for one in intake.arrivals] == [(25, False, {})]
    task = SpatialGenTask(load_card("spatialgen/questions"))
    assert len(task.dataset(NAME)) == 25


def test_import_rejects_rows_that_cannot_be_evaluated(tmp_path: Path) -> None:
    row = json.loads(ROWS.splitlines()[0])
    row["answers"].pop()
    Path("nine.jsonl").write_text(json.dumps(row))
    with pytest.raises(FileProblem, match="line 1: item 000001: 9 questions, not one of each"):
        import_dataset(NAME, "nine.jsonl")
    Path("broken.jsonl").write_bytes(ROWS[:300])
    with pytest.raises(FileProblem, match="line 1"):
        import_dataset(NAME, "broken.jsonl")
    assert not dataset(NAME).files


def test_import_reports_defects_with_lines(capsys: pytest.CaptureFixture[str]) -> None:
    skewed = ROWS.replace(b"Which way is the ranger turned?", b"Which way is the ranger mentioned turned?")
    [finding] = inspect(skewed, "rows.jsonl").findings
    assert (finding.code, finding.place.line) == ("text-reference", 1)
    Path("mine.jsonl").write_bytes(skewed)
    assert main(["data", "import", NAME, "mine.jsonl"]) == 0
    assert "warning text-reference (1, first on line 1): a stem speaks of a text" in capsys.readouterr().out
    assert main(["audit", "mine.jsonl", "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["audits"]
    told = {check["code"]: [one["item_id"] for one in check["found"]] for check in found["checks"] if check["found"]}
    assert told == {"text-reference": ["000001/3"]}
