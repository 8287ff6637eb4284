"""Runs that are made to be compared: questions that a script answers rightly, wrongly or not at all."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from samples import GRAPH

from tsgkit.cli import main

IDS = [f"s{scenario}-{number}" for scenario in range(12) for number in range(2)]


def write_questions(path: Path, ids: Collection[str], question: str = "What is washed?") -> Path:
    """Return rows of one question each; the scenario is what stands before the last hyphen."""
    rows = [
        {
            "item_id": f"row {item_id}",
            "scenario_id": item_id.rpartition("-")[0],
            "context_graphs": [GRAPH],
            "qa_pairs": [{"item_id": item_id, "Q": question, "A": "cup"}],
        }
        for item_id in ids
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_script(path: Path, ids: Collection[str], right: Collection[str], missing: Collection[str] = ()) -> Path:
    """Replies to these items: right, wrong, or none."""
    answered = (item_id for item_id in ids if item_id not in missing)
    rows = [{"item_id": item_id, "reply": "[cup]" if item_id in right else "[wash]"} for item_id in answered]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def evaluate(out: str, *subjects: str, data: str = "questions.jsonl", more: Collection[str] = ()) -> Path:
    """Return the folder of a run on these questions."""
    models = [word for subject in subjects for word in ("--model", subject)]
    code = main(["eval", *models, "--task", "tsg/sgqa", "--data", data, "--out", out, "--quiet", *more])
    assert code == 0, code
    return Path(out)
