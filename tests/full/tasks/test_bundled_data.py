"""All bundled instructions can be satisfied; scenarios can be made again, and baselines have the figures on record."""

from __future__ import annotations

import json
import runpy
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from shipped import EVAL, TASKS
from tasks.test_data import ROWS, TEN_OBJECTS, check_satisfiable

from tsgkit.cli import main
from tsgkit.report.published_tables import reference_from

DATA = TASKS / "tsg" / "data" / "tsgkit-2"
NAMES = ("sgqa", "sgds", "sa-sgg", "ma-sgg")
MODELS = {
    "gguf:Qwen2.5-Coder-0.5B-Instruct-AWQ-Q4_K_M@1d961463": "Qwen2.5-Coder-0.5B",
    "gguf:Smollm2-135M-8k-Lc100K-Mix1-Ep2-Q4_1@b179c952": "SmolLM2-135M",
}
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


def compared(report: dict[str, Any], style: str, names: dict[str, str]) -> int:
    """Return how many strict values of a report stand in the reference, each as it is there; names are by subject."""
    record, found = EVAL / "reference" / "tsgkit-2.yaml", 0
    reference = reference_from(record.read_text(encoding="utf-8"), str(record))
    for row in report["rows"]:
        for figure in reference.figures(row["task"], style):
            if figure.model == names.get(row["subject"]) and figure.items == row["n"]:
                value = row["profiles"]["strict"][figure.metric]["value"]
                assert value == pytest.approx(figure.value, abs=6e-5), (row["task"], figure)
                found += 1
    return found


def test_figures_of_the_baselines_are_those_on_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--data", "tsgkit-2", "--quiet", "--model", "baseline/random", "--model", "baseline/rules")
    assert main(["eval", *words, "--out", str(tmp_path / "run")]) == 0
    capsys.readouterr()
    assert main(["report", str(tmp_path / "run"), "--against", "published", "--format", "json"]) == 0
    names = {"baseline/random": "random", "baseline/rules": "rules"}
    assert compared(json.loads(capsys.readouterr().out), "baseline", names) == 16


def test_stored_replies_of_models_open_and_give_the_figures_on_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = 0
    for pack in sorted((STORIES.parents[2] / "eval/runs").glob("*.zip")):
        run = tmp_path / pack.stem
        assert main(["runs", "unpack", str(pack), "-o", str(run)]) == 0
        read = (run / "samples.jsonl").read_bytes()
        assert main(["rescore", str(run), "--quiet"]) == 0
        assert (run / "samples.jsonl").read_bytes() == read, pack
        assert main(["view", str(run), "-o", f"{run}.html"]) == 0
        first = json.loads(read.split(b"\n", 1)[0])
        assert main(["explain", str(run), "--item", first["item_id"], "--task", first["task"]]) == 0
        capsys.readouterr()
        assert main(["report", str(run), "--format", "json"]) == 0
        values += compared(json.loads(capsys.readouterr().out), "zero-shot", MODELS)
    assert values == 16
