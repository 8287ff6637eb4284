"""Head of an Inspect log: what was asked of whom, the results with their intervals, the usage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from tsgkit.report.exports.recorded_run import RecordedRun, mark_of, whole
from tsgkit.report.report_rows import comparison_metric
from tsgkit.runs.folder import CALLS
from tsgkit.runs.plan import Cell
from tsgkit.runs.results import NOWHERE, Result, RowState, usage_value
from tsgkit.suites.scoreboard import Value, board_value
from tsgkit.version import __version__

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalMetric, EvalResults, EvalScore, EvalSpec, EvalStats, HeadlineMetric
    from inspect_ai.model import ModelUsage

    from tsgkit.report.exports.inspect_samples import WrittenSamples

VALUE, MEAN = "value", "mean"
"""The names of a metric of one repeat, and of the mean over several."""


def log_of(run: RecordedRun, cell: Cell, states: Sequence[RowState], written: WrittenSamples) -> EvalLog:
    """Return the log of rows that differ in their repeat alone, without its samples."""
    from inspect_ai.log import EvalLog, EvalPlan, EvalPlanStep

    complete = all(NOWHERE not in state.places for state in states)
    arguments = _arguments(run, states[0])
    plan = EvalPlan(name="tsgkit", steps=[EvalPlanStep(solver=whole(cell.solver), params=arguments)])
    return EvalLog(
        status="success" if complete else "cancelled",
        eval=_spec(run, cell, states, arguments, list(written.ids)),
        plan=plan,
        results=_results(run, states),
        stats=_stats(run, states, written.usage),
    )


def _arguments(run: RecordedRun, state: RowState) -> dict[str, Any]:
    """Return how the task was asked: solver, style and the axes that the row depends on."""
    row, plan = state.row, run.opened.prepared.plan
    found = {"solver": row.cell.solver, "style": row.cell.style or None, "judge": row.judge, **row.values(plan)}
    asked = {"limit": plan.limit, "first": plan.first, "ids": list(plan.ids) or None}
    value: dict[str, Any] = whole({name: one for name, one in (found | asked).items() if one is not None})
    return value


def _spec(
    run: RecordedRun, cell: Cell, states: Sequence[RowState], arguments: Mapping[str, Any], sample_ids: list[str]
) -> EvalSpec:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalSpec

    row, header = states[0].row, run.header
    version = header["asked"]["tasks"][cell.task]["version"]
    return EvalSpec(
        eval_id=mark_of(run, *cell, "eval"),
        run_id=mark_of(run),
        task_id=mark_of(run, *cell),
        created=header["begun"],
        task=whole(cell.task),
        task_version=version,
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
        model_base_url=run.endpoint_of(row),
        config=EvalConfig(epochs=len(states), fail_on_error=False),
        packages={"tsgkit": str(header["tsgkit"])},
        metadata=_about(run, states),
        headline_metric=_headline(states),
    )


def _about(run: RecordedRun, states: Sequence[RowState]) -> dict[str, Any]:
    """Return the facts about the run that Inspect has no field for."""
    row, header = states[0].row, run.header
    unasked = sum(state.places.count(NOWHERE) for state in states)
    value: dict[str, Any] = whole(
        {
            "run": run.identity,
            "run_name": header["name"],
            "command": header["command"],
            "data_sha256": row.dataset.sha256,
            "reader": header["reader"],
            "exported_by": f"tsgkit {__version__}",
            "official": row.solver.unpublished or "asked as published",
            "notes": list(row.notes),
            "unasked": unasked,
        }
    )
    return value


def _headline(states: Sequence[RowState]) -> HeadlineMetric:
    from inspect_ai.log import HeadlineMetric

    metric = comparison_metric(states[0].row.task.card.metrics)
    return HeadlineMetric(score=f"strict.{metric}", metric=VALUE if len(states) == 1 else MEAN)


def _results(run: RecordedRun, states: Sequence[RowState]) -> EvalResults:
    from inspect_ai.log import EvalResults

    results = [run.results[state.row.cell] for state in states]
    return EvalResults(
        total_samples=sum(result.total for result in results),
        completed_samples=sum(result.board.n for result in results),
        scores=list(_scores(results)),
        headline=_headline(states),
        metadata={"repeats": [_repeat(result) for result in results]},
    )


def _repeat(result: Result) -> dict[str, Any]:
    """Return the whole board of a repeat: values with intervals, counts, and the reasons for missing values."""
    value: dict[str, Any] = whole(
        {
            "repeat": result.cell.repeat,
            **board_value(result.board),
            "unasked": result.unasked,
            "usage": usage_value(result.usage),
        }
    )
    return value


def _scores(results: Sequence[Result]) -> Iterator[EvalScore]:
    """Yield every metric of both profiles that has a value; its interval is in its metadata."""
    from inspect_ai.log import EvalScore

    for profile in results[0].board.profiles:
        for name in results[0].board.profiles[profile] or {}:
            found = [((result.board.profiles[profile] or {}).get(name), result.cell.repeat) for result in results]
            values = [(value, repeat) for value, repeat in found if value is not None]
            if values:
                metrics = {metric.name: metric for metric in _metrics(values, several=len(results) > 1)}
                yield EvalScore(name=f"{profile}.{name}", scorer=profile, metrics=metrics)


def _metrics(values: Sequence[tuple[Value, int]], *, several: bool) -> Iterator[EvalMetric]:
    """Yield the value of one repeat, or the mean over several and the value of each."""
    from inspect_ai.log import EvalMetric

    if several:
        mean = sum(value.value for value, _ in values) / len(values)
        yield EvalMetric(name=MEAN, value=mean, metadata={"repeats": len(values)})
    for value, repeat in values:
        about = {"low": value.low, "high": value.high, "n": value.n, "level": 0.95, "is_share": value.is_share}
        yield EvalMetric(name=f"repeat_{repeat + 1}" if several else VALUE, value=value.value, metadata=about)


def _stats(run: RecordedRun, states: Sequence[RowState], usage: Mapping[str, ModelUsage]) -> EvalStats:
    """Return when the run began, and the tokens of each model; those that no call reported are not in it."""
    from inspect_ai.log import EvalStats

    row, used = states[0].row, dict(usage)
    results = [run.results[state.row.cell].usage for state in states]
    if any(result["unpriced"] for result in results if result):
        used = {model: one.model_copy(update={"total_cost": None}) for model, one in used.items()}
    asked = whole(row.asked)
    return EvalStats(
        started_at=run.header["begun"],
        completed_at=_last_call(run),
        model_usage=used,
        role_usage={"judge": used[asked]} if used and row.judge else {},
    )


def _last_call(run: RecordedRun) -> str:
    """Return when the last call of the run was recorded: the time of its file, not before the run's begin."""
    begun = datetime.fromisoformat(run.header["begun"])
    file = run.opened.path / CALLS
    written = datetime.fromtimestamp(file.stat().st_mtime, UTC) if file.exists() else begun
    return max(begun, written).isoformat(timespec="seconds")
