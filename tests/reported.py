"""Runs and rows for tests of reports: example replies, stored runs, made-up names, hostile answers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from samples import GRAPH, SGDS, SGG, SGQA, lines
from shipped import DATA
from tsg_tasks import METRICS, TASKS

import tsgkit as tk
from tsgkit.library.cards import load_card
from tsgkit.report.comparison import ComparedRows, paired
from tsgkit.report.comparison_rows import Contender
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import Report, ReportRow
from tsgkit.runs.evaluation import RunOptions, carry_out, evaluate
from tsgkit.runs.jobs import JobWatch
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare
from tsgkit.scoring.pooling import Part
from tsgkit.suites.metrics import Metric
from tsgkit.suites.scoreboard import Board, Value
from tsgkit.suites.suite import task_of

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
    carry_out(prepare(plan), RunOptions(out=folder / "run"), JobWatch())
    return folder / "run"


COUNTS = {
    "items": 4,
    **dict.fromkeys(("answered", "missing", "empty", "truncated", "refused", "unreadable", "api_error", "error"), 0),
    **dict.fromkeys(("repaired", "missing_graphs", "surplus_graphs", "skipped_official"), 0),
}
USAGE: dict[str, Any] = {
    **dict.fromkeys(("calls", "requests", "calls_without_usage", "calls_without_price"), 4),
    **dict.fromkeys(("prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens"), None),
    **dict.fromkeys(("cached_input", "cost"), None),
    "from_cache": 0,
    "seconds": 1.5,
}
VALUES = {"strict": Value(0.12345, 0.0512, 0.25, 4.0), "official": Value(0.75, None, None, 4.0)}
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
        4, {profile: {"exact_match": value} for profile, value in VALUES.items()}, COUNTS | {"answered": 4}, {}
    ),
    metric="exact_match",
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


def board(value: float | None, n: int = 4, *, is_share: bool = True) -> Board:
    """Return a board of one value, whose interval ends half way to none and to all."""
    found = None if value is None else Value(value, value / 2, (1 + value) / 2, float(n), is_share)
    return replace(ROW.board, n=n, profiles={"strict": {"exact_match": found}, "official": None})


def row(subject: str, value: float | None = 0.5, **more: Any) -> ReportRow:  # noqa: ANN401
    return replace(ROW, subject=subject, board=board(value), **more)


def by(group: str, *rows: Mapping[str, float]) -> Report:
    """Return a report of rows whose members of a group have these values."""
    grouped = [
        row(f"model {number}", groups={group: {name: board(value) for name, value in values.items()}})
        for number, values in enumerate(rows)
    ]
    return Report(tuple(grouped), (group,))


def contender(name: str, scores: str | Mapping[str, Part], measure: Metric | None = None, **more: Any) -> Contender:  # noqa: ANN401
    """Return a row to be compared; its items score these digits out of nine."""
    if isinstance(scores, str):
        scores = {str(place): Part(int(score) / 9, 1.0, str(place)) for place, score in enumerate(scores)}
    return Contender(
        name, name, 0, name, "tsg/sgqa", "single", "zero-shot", 1, "exact_match",
        measure or METRICS["sgqa"]["exact_match"], scores, {}, of=ROW.of, **more,
    )  # fmt: skip


def compared(*rows: Contender) -> ComparedRows:
    """Return the comparison of the first row with the others."""
    pairs = paired([(rows[0], other) for other in rows[1:]], 0)
    return ComparedRows("strict", 0, rows, pairs, (), has_baseline=False)


def hostile(text: str) -> Report:
    """Return a report in which everything that others name is this text."""
    named = replace(ROW, run=f"runs/{text}", name=text, subject=text, data=text)
    named = replace(named, style=text or "x", protocol_note=text or "x")
    board = replace(ROW.board, reasons={"official": text})
    named = replace(named, board=board, errors={text: 2}, groups={"tag": {text: ROW.board}})
    ours = replace(ROW, subject="baseline/rules", run="runs/ours, whose name is longer than any made up")
    return against_published(Report((named, ours), by=("tag",)))


def example_run(folder: Path, *kinds: str, **settings: Any) -> Path:  # noqa: ANN401  (whatever a plan takes)
    """Return a run of the example replies to tasks."""
    script = folder.with_suffix(".jsonl")
    script.write_text("".join((DATA / f"example-replies/{kind}.jsonl").read_text("utf-8") for kind in kinds), "utf-8")
    plan = {"tasks": [f"tsg/{kind}" for kind in kinds], "models": [f"script:{script}"]}
    return evaluate(Plan.model_validate(plan | settings), RunOptions(out=folder)).path


def baseline_run(folder: Path, *tasks: str, limit: int | None = None) -> Path:
    """Return a run of two baselines."""
    plan = Plan(tasks=tasks, models=("baseline/rules", "baseline/random"), limit=limit)
    return evaluate(plan, RunOptions(out=folder)).path


STORED = Path(__file__).parent / "stored_runs"
RUNS = {
    "tsg": "tsg/replies",
    "formalimg": "formalimg/layout",
    "sceneeval": "sceneeval/rules",
    "spatialgen": "spatialgen/judged",
}


def stored(folder: Path, name: str, limit: int | None = None) -> Path:
    """Return a copy of a stored run beside its images and scenes; that of tsg is made of the example replies."""
    suite, _, run = name.partition("/")
    if suite == "tsg":  # in a thread, since a browser has an event loop in this one
        settings = {"styles": ["zero-shot", "cot"], "limit": limit}
        return ThreadPoolExecutor(1).submit(example_run, folder / run, *TASKS, **settings).result()
    shutil.copytree(STORED / suite, folder / suite, dirs_exist_ok=True)
    return folder / suite / run


HOSTILE = "<script>alert(1)</script>\x1b[31m"


def hostile_reply(messages: list[dict[str, Any]]) -> str:
    return f"[{HOSTILE}]" if "cup" in messages[-1]["content"] else "I do not know."


def hostile_run(folder: Path) -> tk.Run:
    models = {"mine": hostile_reply}
    styles = ["zero-shot", "cot"]
    return tk.evaluate("tsg/sgqa", model=models, style=styles, limit=8, out=folder, cache=False, quiet=True)
