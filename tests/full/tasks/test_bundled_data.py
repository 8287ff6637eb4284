"""All bundled instructions can be satisfied; scenarios can be made again, and baselines have the figures on record."""

from __future__ import annotations

import json
import runpy
import shutil
import sys
from pathlib import Path

import pytest
from shipped import EVAL, TASKS
from tasks.test_data import ROWS, TEN_OBJECTS, check_satisfiable

from tsgkit.cli import main
from tsgkit.report.published_tables import reference_from

DATA = TASKS / "tsg" / "data" / "tsgkit-2"
NAMES = ("sgqa", "sgds", "sa-sgg", "ma-sgg")
STORIES = Path(__file__).parents[3] / "examples" / "stories" / "stories.jsonl"


def test_every_item_can_be_satisfied() -> None:
    check_satisfiable([*ROWS, *TEN_OBJECTS])


def test_the_command_on_the_card_makes_the_same_rows(tmp_path: Path) -> None:
    card = (DATA / "README.md").read_text(encoding="utf-8")
    command = next(line.split() for line in card.splitlines() if line.strip().startswith("tsgkit make"))
    out = tmp_path / "made"
    only = ["--only", "import,describe,elements,questions,choices,generation"]  # other tests audit the same rows
    assert main(["make", "tsg", str(STORIES), "-o", str(out), *command[command.index("mine") + 1 :], *only]) == 0
    for name in (*NAMES, "narratives"):
        assert (out / f"{name}.jsonl").read_bytes() == (DATA / f"{name}.jsonl").read_bytes(), name


def test_the_example_replies_are_what_their_program_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["", str(shutil.copytree(DATA, tmp_path / "data"))])
    runpy.run_path(str(STORIES.parents[2] / "docs/example_replies.py"), run_name="__main__")
    for file in (f"example-replies/{name}.jsonl" for name in NAMES):
        assert (tmp_path / "data" / file).read_bytes() == (DATA / file).read_bytes(), file


def test_figures_of_the_baselines_are_those_on_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--data", "tsgkit-2", "--quiet", "--model", "baseline/random", "--model", "baseline/rules")
    assert main(["eval", *words, "--out", str(tmp_path / "run")]) == 0
    record = EVAL / "reference" / "tsgkit-2.yaml"
    reference = reference_from(record.read_text(encoding="utf-8"), str(record))
    capsys.readouterr()
    assert main(["report", str(tmp_path / "run"), "--against", "published", "--format", "json"]) == 0
    report, compared = json.loads(capsys.readouterr().out), 0
    for row in report["rows"]:
        for figure in reference.figures(row["task"], "baseline"):
            if row["subject"] == f"baseline/{figure.model}":
                found = row["profiles"]["strict"][figure.metric]["value"]
                assert found == pytest.approx(figure.value, abs=6e-5), (row["task"], figure)
                compared += 1
    assert (len(report["rows"]), compared) == (8, 16)
