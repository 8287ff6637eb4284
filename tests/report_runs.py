"""Small recorded runs for tests of what is said of them: made by the real commands, in a folder of the test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from samples import GRAPH, SGDS, SGG, SGQA, lines

from tsgkit.runs.evaluation import Options, carry_out
from tsgkit.runs.jobs import Watch
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare

ROWS: dict[str, list[dict[str, Any]]] = {
    "sgqa": [SGQA | {"item_id": "q"}],
    "sgds": [SGDS | {"item_id": "s"}],
    "sa-sgg": [SGG | {"item_id": "one"}],
    "ma-sgg": [SGG | {"item_id": name, "graphs": [{"triplets": GRAPH}] * 2} for name in ("two", "three", "four")],
}
RIGHT = "\n".join(" -> ".join(triplet) for triplet in GRAPH)


def recorded(
    folder: Path,
    task: str,
    replies: dict[str, Any],
    *,
    rows: list[dict[str, Any]] | None = None,
    script: str = "replies.jsonl",
    **settings: Any,  # noqa: ANN401  (whatever a plan takes)
) -> Path:
    """Return a run of a script of replies, by item; an outcome is given as ``(reply, outcome)``."""
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / f"{task}.jsonl"
    data.write_text(lines(*(ROWS[task] if rows is None else rows)), encoding="utf-8")
    written = [
        {"item_id": item, "reply": said[0], "outcome": said[1]}
        if isinstance(said, tuple)
        else {"item_id": item, "reply": said}
        for item, said in replies.items()
    ]
    file = folder / script
    file.write_text("".join(json.dumps(row) + "\n" for row in written), encoding="utf-8")
    plan = Plan.model_validate({"tasks": [f"tsg/{task}"], "models": [f"script:{file}"], "data": str(data), **settings})
    carry_out(prepare(plan), Options(out=folder / "run"), Watch())
    return folder / "run"
