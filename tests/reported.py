"""Runs and rows for tests of reports: a run of the bundled example replies, a row of made-up names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shipped import DATA
from tsg_tasks import METRICS

from tsgkit.library.cards import load_card
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import Report, ReportRow
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.plan import Plan
from tsgkit.suites.scoreboard import Board, Value
from tsgkit.suites.suite import task_of

COUNTS = {
    "items": 4,
    **dict.fromkeys(("answered", "missing", "empty", "truncated", "refused", "unreadable", "api_error", "error"), 0),
    **dict.fromkeys(("repaired", "missing_graphs", "surplus_graphs", "skipped_official"), 0),
}
USAGE = {
    "calls": 4,
    "from_cache": 0,
    "requests": 4,
    "seconds": 1.5,
    "prompt_tokens": None,
    "completion_tokens": None,
    "reasoning_tokens": None,
    "cached_tokens": None,
    "cached_input": None,
    "calls_without_usage": 4,
    "cost": None,
    "calls_without_price": 4,
}
ROW = ReportRow(
    run="runs/a",
    name="a",
    subject="openai/x",
    task="tsg/sgqa",
    kind="sgqa",
    measured=tuple(METRICS["sgqa"]),
    solver="single",
    style="zero-shot",
    repeat=0,
    board=Board(
        4,
        {
            "strict": {"exact_match": Value(0.12345, 0.0512, 0.25, 4.0)},
            "official": {"exact_match": Value(0.75, None, None, 4.0)},
        },
        COUNTS | {"answered": 4},
        {},
    ),
    main="exact_match",
    metrics={"exact_match": METRICS["sgqa"]["exact_match"]},
    usage=USAGE,
    unasked=0,
    errors={},
    protocol_note="",
    data="rows.jsonl",
    data_sha256="0" * 64,
    seed=7,
    of=task_of(load_card("tsg/sgqa")),
)


def hostile(text: str) -> Report:
    """Return a report in which everything that others name is this text."""
    named = replace(ROW, run=f"runs/{text}", name=text, subject=text, data=text)
    named = replace(named, style=text or "x", protocol_note=text or "x")
    board = replace(ROW.board, reasons={"official": text})
    named = replace(named, board=board, errors={text: 2}, groups={"tag": {text: ROW.board}})
    ours = replace(ROW, subject="baseline/rules", run="runs/ours, whose name is longer than any made up")
    return against_published(Report((named, ours), by=("tag",)))


def example_run(folder: Path, kind: str) -> Path:
    """Return a run of the bundled example replies to a task."""
    plan = Plan(tasks=(f"tsg/{kind}",), models=(f"script:{DATA / 'example-replies' / kind}.jsonl",))
    return evaluate(plan, Options(out=folder)).path


def baseline_run(folder: Path, *tasks: str, limit: int | None = None) -> Path:
    """Return a run of two baselines."""
    plan = Plan(tasks=tasks, models=("baseline/rules", "baseline/random"), limit=limit)
    return evaluate(plan, Options(out=folder)).path
