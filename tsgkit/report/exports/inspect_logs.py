"""Logs of Inspect: an ``.eval`` file for each task, subject and way of asking; repeats are its epochs.

Needs the extra ``inspect``. Every sample is added as a member of the archive as soon as it is read, since Inspect's own
writer keeps all of them in memory; that writer makes the rest of the log: what was asked of whom, the results with
their intervals, the usage.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_DEFLATED, ZipFile

from tsgkit.errors import ExtraMissing
from tsgkit.report.exports.recorded_run import RecordedRun, file_name, mark_of, whole
from tsgkit.report.report_rows import comparison_metric
from tsgkit.runs.folder import CALLS
from tsgkit.runs.plan import Cell
from tsgkit.runs.results import NOWHERE, Result, RowState, usage_value
from tsgkit.suites.scoreboard import board_value
from tsgkit.version import __version__

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalScore, EvalSpec, EvalStats, HeadlineMetric
    from inspect_ai.model import ModelUsage
    from pydantic import BaseModel

ENDING = ".eval"
WHAT = "logs"
SUMMARIES = "summaries.json"
COPIED = 1 << 20
VALUE, MEAN = "value", "mean"
"""The names of a metric of one repeat, and of the mean over several."""


def check() -> None:
    """Raise ``ExtraMissing`` where inspect_ai is not installed."""
    if find_spec("inspect_ai") is None:
        raise ExtraMissing("Inspect's logs are written", "inspect_ai", "inspect")


def names(run: RecordedRun) -> Sequence[str]:
    """Return the names of the logs, in the form TIME_TASK_WAY_ID by which Inspect lists them."""
    time = file_name(str(run.header["begun"]).replace(":", "-"))
    ways = {cell: file_name(cell.subject.rpartition("/")[2], *cell.ways) for cell in run.logs()}
    return [f"{time}_{file_name(cell.task)}_{way}_{mark_of(run, *cell)}{ENDING}" for cell, way in ways.items()]


def write(run: RecordedRun, folder: Path) -> None:
    """Write the logs one after the other: the samples of each, and then its head, which names them."""
    from inspect_ai.log import write_eval_log

    for name, (cell, states) in zip(names(run), run.logs().items(), strict=True):
        file = folder / name
        with ZipFile(file, "w", ZIP_DEFLATED) as archive:
            sample_ids, usage = _write_samples(run, states, archive, folder)
            empty = file.with_suffix(f".empty{ENDING}")
            write_eval_log(_head(run, cell, states, sample_ids, usage), empty)
            with ZipFile(empty) as members:
                for member in members.namelist():
                    if member != SUMMARIES:
                        archive.writestr(member, members.read(member))
            empty.unlink()


def _write_samples(
    run: RecordedRun, states: Sequence[RowState], archive: ZipFile, folder: Path
) -> tuple[list[str], dict[str, ModelUsage]]:
    """Write samples and their summaries into an archive; return their ids, those of several epochs once, and the usage
    of each model.
    """
    from tsgkit.report.exports.inspect_samples import sample_of

    ids: dict[str, None] = {}
    usages: dict[str, ModelUsage] = {}
    with tempfile.TemporaryFile(dir=folder) as summaries:
        before = b"["
        for recorded in chain.from_iterable(map(run.samples_of, states)):
            sample = sample_of(recorded)
            archive.writestr(f"samples/{sample.id}_epoch_{sample.epoch}.json", _dumped(sample))
            summaries.write(before + _dumped(sample.summary()))
            before = b","
            ids[str(sample.id)] = None
            for model, usage in sample.model_usage.items():
                usages[model] = usages[model] + usage if model in usages else usage
        summaries.write(b"]")
        summaries.seek(0)
        with archive.open(SUMMARIES, "w", force_zip64=True) as member:
            while part := summaries.read(COPIED):
                member.write(part)
    return list(ids), usages


def _dumped(value: BaseModel) -> bytes:
    """Return the JSON of a sample, or of its summary; an unknown score is NaN, as Inspect has it."""
    return value.model_dump_json(exclude_none=True).encode()


def _head(
    run: RecordedRun, cell: Cell, states: Sequence[RowState], sample_ids: list[str], usage: Mapping[str, ModelUsage]
) -> EvalLog:
    """Return the log of rows that differ in their repeat alone, without its samples."""
    from inspect_ai.log import EvalLog, EvalPlan, EvalPlanStep, EvalResults, HeadlineMetric

    row, plan = states[0].row, run.opened.prepared.plan
    settings = {"solver": row.cell.solver, "style": row.cell.style or None, "judge": row.judge, **row.values(plan)}
    settings |= {"limit": plan.limit, "first": plan.first, "ids": list(plan.ids) or None}
    arguments: dict[str, Any] = whole({name: value for name, value in settings.items() if value is not None})
    metric = comparison_metric(row.task.card.metrics)
    headline = HeadlineMetric(score=f"strict.{metric}", metric=VALUE if len(states) == 1 else MEAN)
    results = [run.results[state.row.cell] for state in states]
    repeats = [
        {
            "repeat": result.cell.repeat,
            **board_value(result.board),
            "unasked": result.unasked,
            "usage": usage_value(result.usage),
        }
        for result in results
    ]
    return EvalLog(
        status="success" if all(NOWHERE not in state.places for state in states) else "cancelled",
        eval=_spec(run, cell, states, arguments, sample_ids, headline),
        plan=EvalPlan(name="tsgkit", steps=[EvalPlanStep(solver=whole(cell.solver), params=arguments)]),
        results=EvalResults(
            total_samples=sum(result.total for result in results),
            completed_samples=sum(result.board.n for result in results),
            scores=list(_scores(results)),
            headline=headline,
            metadata={"repeats": whole(repeats)},
        ),
        stats=_stats(run, states, usage),
    )


def _spec(
    run: RecordedRun,
    cell: Cell,
    states: Sequence[RowState],
    arguments: dict[str, Any],
    sample_ids: list[str],
    headline: HeadlineMetric,
) -> EvalSpec:
    """Return what was asked of whom; the facts that Inspect has no field for are its metadata."""
    from inspect_ai.log import EvalConfig, EvalDataset, EvalSpec

    row, header = states[0].row, run.header
    about = {
        "run": run.identity,
        "run_name": header["name"],
        "command": header["command"],
        "data_sha256": row.dataset.sha256,
        "reader": header["reader"],
        "exported_by": f"tsgkit {__version__}",
        "official": row.solver.unpublished or "asked as published",
        "notes": list(row.notes),
        "unasked": sum(state.places.count(NOWHERE) for state in states),
    }
    return EvalSpec(
        eval_id=mark_of(run, *cell, "eval"),
        run_id=mark_of(run),
        task_id=mark_of(run, *cell),
        created=header["begun"],
        task=whole(cell.task),
        task_version=header["asked"]["tasks"][cell.task]["version"],
        task_args=dict(arguments),
        task_args_passed=dict(arguments),
        solver=whole(cell.solver),
        solver_args={},
        dataset=EvalDataset(
            name=whole(PurePath(row.dataset.file).name),
            location=whole(row.dataset.file),
            samples=len(row.numbers),
            sample_ids=sample_ids,  # Inspect reads a log sample by sample only by these
        ),
        model=whole(cell.subject),
        model_args=run.parameters_of(row),
        model_base_url=whole(run.model_of(row).get("endpoint")),
        config=EvalConfig(epochs=len(states), fail_on_error=False),
        packages={"tsgkit": str(header["tsgkit"])},
        metadata=whole(about),
        headline_metric=headline,
    )


def _scores(results: Sequence[Result]) -> Iterator[EvalScore]:
    """Yield every metric of both profiles that has a value: of one repeat, or the mean over several and the value of
    each. Intervals are in the metadata.
    """
    from inspect_ai.log import EvalMetric, EvalScore

    several = len(results) > 1
    for profile in results[0].board.profiles:
        for name in results[0].board.profiles[profile] or {}:
            boards = [(result.cell.repeat, result.board.profiles[profile] or {}) for result in results]
            values = {repeat: value for repeat, board in boards if (value := board.get(name)) is not None}
            metrics = []
            if values and several:
                mean = sum(value.value for value in values.values()) / len(values)
                metrics.append(EvalMetric(name=MEAN, value=mean, metadata={"repeats": len(values)}))
            for repeat, value in values.items():
                about = {"low": value.low, "high": value.high, "n": value.n, "level": 0.95, "is_share": value.is_share}
                title = f"repeat_{repeat + 1}" if several else VALUE
                metrics.append(EvalMetric(name=title, value=value.value, metadata=about))
            if metrics:
                by_name = {metric.name: metric for metric in metrics}
                yield EvalScore(name=f"{profile}.{name}", scorer=profile, metrics=by_name)


def _stats(run: RecordedRun, states: Sequence[RowState], usage: Mapping[str, ModelUsage]) -> EvalStats:
    """Return when the run began, when its last call was recorded (the time of its file, not before the run's begin),
    and the tokens of each model; those that no call reported are not in it.
    """
    from inspect_ai.log import EvalStats

    row, used = states[0].row, dict(usage)
    if any(run.results[state.row.cell].usage.get("unpriced") for state in states):
        used = {model: tokens.model_copy(update={"total_cost": None}) for model, tokens in used.items()}
    begun, file = datetime.fromisoformat(run.header["begun"]), run.opened.path / CALLS
    last = datetime.fromtimestamp(file.stat().st_mtime, UTC) if file.exists() else begun
    return EvalStats(
        started_at=run.header["begun"],
        completed_at=max(begun, last).isoformat(timespec="seconds"),
        model_usage=used,
        role_usage={"judge": used[whole(row.asked)]} if used and row.judge else {},
    )
