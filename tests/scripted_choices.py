"""A run whose replies end in every way that a script can say, for tests that export it and score it again."""

from __future__ import annotations

import json
from pathlib import Path

from shipped import TASKS

import tsgkit as tk

ROWS = TASKS / "tsg/data/tsgkit-1/sgds.jsonl"
REPLIES: tuple[dict[str, object], ...] = (
    {"reply": "[A]"},
    {"reply": "<think>hm</think>Answer: [B]"},
    {"reply": "[C", "outcome": "truncated"},
    {"reply": None, "outcome": "refused"},
    {"reply": ""},
    {"reply": "neither of them"},
)


def scripted_run(folder: Path) -> tk.Run:
    ids = [json.loads(line)["item_id"] for line in ROWS.read_text(encoding="utf-8").splitlines()]
    lines = ({"item_id": name, **REPLIES[number % len(REPLIES)]} for number, name in enumerate(ids))
    (folder / "said.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    return tk.evaluate("sgds", model=f"script:{folder / 'said.jsonl'}", out=folder / "run", quiet=True)
