"""Gates: minimum strict values of metrics, required of every row.

>>> from tsgkit.runs.plan import Plan
>>> from tsgkit.runs.run_setup import prepare
>>> [gate] = gates_of(["tsg/sgqa.exact_match=0.8"], prepare(Plan(tasks=("tsg/sgqa",), limit=1)))
>>> gate.task, gate.metric, gate.least
('tsg/sgqa', 'exact_match', 0.8)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.runs.results import Result
from tsgkit.runs.run_setup import RunSetup
from tsgkit.suites.suite import task_named
from tsgkit.suites.task import Task


class Gate(NamedTuple):
    """The minimum value of a metric of a task."""

    task: str
    metric: str
    least: float


def gates_of(texts: Iterable[str], prepared: RunSetup) -> tuple[Gate, ...]:
    """Return the gates of ``--fail-under``; ``UsageError`` before anything is asked."""
    return gates_for(texts, {row.task.key: row.task for row in prepared.rows})


def gates_for(texts: Iterable[str], tasks: Mapping[str, Task]) -> tuple[Gate, ...]:
    """Return the gates of these tasks, by name."""
    gates = []
    for text in texts:
        name, _, value = text.partition("=")
        task, _, metric = name.rpartition(".")
        with suppress(UsageError):
            task = task_named(task, tuple(tasks))
        try:
            least = float(value)
        except ValueError:
            hint = "as in tsg/sgqa.exact_match=0.8"
            raise UsageError(f"--fail-under {text}: not TASK.METRIC=VALUE", hint=hint) from None
        if task not in tasks:
            raise UsageError(f"--fail-under {text}: {task} is not evaluated", hint=meant(task, tasks))
        metrics = tasks[task].metrics
        if metric not in metrics:
            raise UsageError(f"--fail-under {text}: {task} has no {metric}", hint=meant(metric, metrics))
        if not metrics[metric].is_share and not (math.isfinite(least) and least >= 0):
            raise UsageError(f"--fail-under {text}: not a value that can be reached")
        if metrics[metric].is_share and not 0 <= least <= 1:
            raise UsageError(f"--fail-under {text}: values are fractions of 1", hint="80 % is 0.8")
        gates.append(Gate(task, metric, least))
    return tuple(gates)


def missed(gates: Sequence[Gate], results: Iterable[Result]) -> list[str]:
    """In words, every gate that a row misses; a row without a value misses it."""
    lines = []
    for result in results:
        for gate in gates:
            if gate.task != result.cell.task:
                continue
            if result.unasked:
                unasked = f"{result.unasked:,} of {result.total:,} samples were not asked"
                lines.append(f"gate missed: {result.cell.title}: {gate.metric} is unfinished: {unasked}")
                continue
            figure = (result.board.profiles["strict"] or {}).get(gate.metric)
            if figure is None or figure.value < gate.least:
                shown = "no value" if figure is None else f"{figure.value:.4f}"
                lines.append(f"gate missed: {result.cell.title}: {gate.metric} is {shown}, less than {gate.least:g}")
    return lines
