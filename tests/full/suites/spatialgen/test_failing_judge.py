"""A judge whose service fails now and then changes no result: failed calls are retried until they succeed."""

from __future__ import annotations

import hashlib
from pathlib import Path

from image_server import png
from shipped import TASKS
from spatial_judge import spatial_judge

from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.plan import Plan
from tsgkit.scoring.outcomes import COUNTS
from tsgkit.suites.spatialgen.rows import rows_in

ROWS = TASKS / "spatialgen" / "data" / "questions.jsonl"
FAULTS = {"429": 0.15, "500": 0.1, "cut": 0.05, "nochoices": 0.05, "empty": 0.03, "refusal": 0.02}


def test_failing_service_changes_no_results(tmp_path: Path) -> None:
    ids = tuple(row.id for row in rows_in(ROWS))[:4]
    for item_id in ids:
        (tmp_path / f"{item_id}.png").write_bytes(png(item_id))
    known = {hashlib.sha256(png(item_id)).hexdigest(): item_id for item_id in ids}
    for protocol in ("published", "ours"):
        with spatial_judge(rows=str(ROWS), images=known, faults=FAULTS, retry_after="0") as server:
            plan = Plan(
                tasks=("spatialgen/questions",),
                images=(f"mine={tmp_path}",),
                judge="openai/eye",
                ids=ids,
                protocols=(protocol,),
                model_args=(f"api_base={server.base}", "api_key=sk-none"),
            )
            board = evaluate(plan, Options(out=tmp_path / protocol, cache=False)).results[0].board
        assert set(COUNTS) <= set(board.counts)
        assert (board.counts["items"], board.counts["answered"]) == (4, 4), protocol
        accuracy = (board.profiles["strict"] or {})["accuracy"]
        assert accuracy is not None
        assert accuracy.value == 1.0, protocol
