"""Totals added up during a run equal those of its records."""

from __future__ import annotations

import json
from pathlib import Path

from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.plan import Plan
from tsgkit.runs.records import scores_of
from tsgkit.runs.run_setup import prepare
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.runs.state import RowState


def test_a_run_in_order_comes_to_what_its_records_say(tmp_path: Path) -> None:
    tasks = ("tsg/sgqa", "tsg/ma-sgg", "tsg/refine")
    plan = Plan(tasks=tasks, models=("baseline/random", "baseline/rules"), limit=12)
    options = Options(out=tmp_path / "run")
    finished = evaluate(plan, options)
    assert evaluate(plan, options).values == finished.values
    assert open_saved_run(tmp_path / "run").results == finished.results


def test_a_run_that_goes_on_in_the_middle_comes_to_the_same(tmp_path: Path) -> None:
    plan, options = Plan(tasks=("tsg/ma-sgg",), models=("baseline/random",), limit=20), Options(out=tmp_path / "run")
    finished = evaluate(plan, options)
    path = tmp_path / "run/samples.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:7] + lines[9:]))
    assert evaluate(plan, options).values == finished.values
    assert path.read_bytes() == b"".join(lines)


def test_samples_out_of_order_are_not_added_up(tmp_path: Path) -> None:
    plan = Plan(tasks=("tsg/sgqa",), models=("baseline/random",), limit=3)
    evaluate(plan, Options(out=tmp_path / "run"))
    records = [json.loads(line) for line in (tmp_path / "run/samples.jsonl").read_text(encoding="utf-8").splitlines()]
    for places in ((1,), (0, 2), (0, 0), (0, 1, 0)):
        state = RowState(prepare(plan).rows[0])
        for place in places:
            state.add_up(place, records[place], scores_of(records[place]))
        assert state.sums is None, places
        for place in range(3):
            state.add_up(place, records[place], scores_of(records[place]))
        assert state.sums is None, "an order once broken stays broken"
