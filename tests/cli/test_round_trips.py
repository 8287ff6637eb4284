"""Logs that were exported are scored again as the run was: outcomes, answers and figures."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from shipped import TASKS

import tsgkit as tk

ROWS = TASKS / "tsg/data/tsgkit-1/sgds.jsonl"
SAID: tuple[dict[str, object], ...] = (
    {"reply": "[A]"},
    {"reply": "<think>hm</think>Answer: [B]"},
    {"reply": "[C", "outcome": "truncated"},
    {"reply": None, "outcome": "refused"},
    {"reply": ""},
    {"reply": "neither of them"},
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tk.Run:
    """A run whose replies end in every way that a script can say."""
    folder = tmp_path_factory.mktemp("round")
    ids = [json.loads(line)["item_id"] for line in ROWS.read_text(encoding="utf-8").splitlines()]
    lines = ({"item_id": name, **SAID[number % len(SAID)]} for number, name in enumerate(ids))
    (folder / "said.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    return tk.evaluate("sgds", model=f"script:{folder / 'said.jsonl'}", out=folder / "run", quiet=True)


def test_replies_of_an_exported_log_are_scored_as_they_were(run: tk.Run, tmp_path: Path) -> None:
    if find_spec("inspect_ai") is None:
        pytest.skip("logs of Inspect need the extra tsgkit[inspect]")
    run.export("inspect", tmp_path / "one.eval")
    found = tk.score("sgds", ROWS, tmp_path / "one.eval", source="inspect")
    assert {one.sample.item_id: str(one.outcome) for one in found.judged} == {
        one.item_id: one.outcome for one in run.samples
    }
    assert found.board == run.results[0].board


def test_texts_of_an_exported_sample_log_are_scored_as_they_were(run: tk.Run, tmp_path: Path) -> None:
    """Sample logs have no field that says why a reply ended."""
    run.export("jsonl", tmp_path / "one.jsonl")
    found = tk.score("sgds", ROWS, tmp_path / "one.jsonl", source="lm-eval")
    answers = {one.item_id: one.answer for one in run.samples if one.outcome == "answered"}
    assert answers.items() <= {one.sample.item_id: one.answer for one in found.judged}.items()
