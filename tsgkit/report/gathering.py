"""Gathers what is to be reported: one row for every result of every run, with its groups.

>>> from pathlib import Path
>>> gather([Path("no/run")])
Traceback (most recent call last):
tsgkit.errors.UsageError: no/run: no run lies here: it has no run.json

A report holds no clock and no chance: the same runs make the same report. Records are read one by one, and of each
only what a tally needs is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.runs.prepared import Row
from tsgkit.runs.records import add_usage, scores_of
from tsgkit.runs.reopened import Reopened, reopen
from tsgkit.runs.results import usage_value
from tsgkit.runs.state import NOWHERE, RowState
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import Score
from tsgkit.scoring.tally import Tally
from tsgkit.suites.tsg.grouping import STORED, applies, check_group, groups_of, in_order
from tsgkit.suites.tsg.metrics import Metric
from tsgkit.suites.tsg.scoreboard import Board

ALL, HEADLINE, MAIN = "all", "headline", "main"
CHOICES = (ALL, HEADLINE, MAIN)
"""Which metrics a report shows: all, those that a card calls headlines, or the one a row is known by."""


@dataclass(frozen=True)
class ReportRow:
    """One result: a subject on a task, in one way, once."""

    run: str
    """The folder of the run."""
    name: str
    """The name of the run."""
    subject: str
    task: str
    solver: str
    style: str
    """Empty where there is none, as for baselines."""
    repeat: int
    board: Board
    """The values of the metrics shown in both profiles, counts, and why a value is missing."""
    main: str
    """The metric that the row is known by."""
    metrics: Mapping[str, Metric]
    """What the metrics shown mean, and which way is better."""
    usage: dict[str, Any] | None
    """Tokens, money and time; a field that is None is not known; None where nobody was asked."""
    unasked: int
    """How many samples nobody was asked about yet; they count as missing."""
    errors: dict[str, int]
    """What went wrong in the service, and how many samples ended with it."""
    protocol_note: str
    """Why the row was not asked for in the published way; empty where it was."""
    data: str
    """The file of its data."""
    data_sha256: str
    seed: int
    """The seed of the intervals."""
    groups: dict[str, dict[str, Board]] = field(default_factory=dict)
    """For every group asked for: the board of each of its members, by name, in order."""

    @property
    def n(self) -> int:
        """How many items were asked about."""
        return self.board.n

    @property
    def protocol(self) -> str:
        """``published`` or ``ours``."""
        return "ours" if self.protocol_note else "published"

    @property
    def outcomes(self) -> dict[str, int]:
        """How many samples ended in which way."""
        return {str(outcome): self.board.counts[outcome] for outcome in Outcome}

    @property
    def failed(self) -> int:
        """How many samples ended in an error of the service."""
        return self.board.counts[Outcome.API_ERROR]

    @property
    def title(self) -> str:
        """What tells the row from others of its run, in words."""
        return " ".join([self.subject, self.task, *self.way])

    @property
    def way(self) -> tuple[str, ...]:
        """How it was asked: style, solver and repeat, as far as they say something."""
        solver = () if self.solver in ("single", "baseline") else (self.solver,)
        return tuple(filter(None, (self.style, *solver, f"#{self.repeat}" if self.repeat else "")))


@dataclass(frozen=True)
class Report:
    """All rows, in the order of the runs named."""

    rows: tuple[ReportRow, ...]
    by: tuple[str, ...] = ()
    metrics: str = ALL
    """Which metrics are shown: ``all``, ``headline`` or ``main``."""

    @property
    def runs(self) -> tuple[str, ...]:
        """The folders of the runs."""
        return tuple(dict.fromkeys(row.run for row in self.rows))


def gather(
    paths: Iterable[str | Path], by: Sequence[str] = (), data: str | None = None, *, metrics: str = ALL
) -> Report:
    """The report of these runs, by these groups; ``data`` says where their data lie now, if elsewhere."""
    if metrics not in CHOICES:
        raise UsageError(f"there is no choice of metrics {metrics}", hint=f"choose from {', '.join(CHOICES)}")
    by = tuple(dict.fromkeys(by))
    rows = tuple(row for path in _each(paths) for row in _rows_of(path, by, data, metrics))
    return Report(rows, by, metrics)


def main_metric(metrics: Mapping[str, Any]) -> str:
    """The metric a row is known by: the last that its card calls a headline."""
    headlines = [name for name, metric in metrics.items() if metric.headline]
    return (headlines or list(metrics))[-1]


def _each(paths: Iterable[str | Path]) -> Iterator[Path]:
    """Every run once, however often and in whatever spelling it is named."""
    seen: set[Path] = set()
    for path in map(Path, paths):
        if (place := path.resolve()) not in seen:
            seen.add(place)
            yield path


def _rows_of(path: Path, by: Sequence[str], data: str | None, metrics: str) -> Iterator[ReportRow]:
    opened = reopen(path, data)
    try:
        tasks = dict.fromkeys(state.row.task.kind for state in opened.states.values())
        for group in by:
            check_group(group, *tasks)
        for state in opened.states.values():
            yield _row(opened, state, by, metrics)
    finally:
        opened.samples.close()


def _row(opened: Reopened, state: RowState, by: Sequence[str], choice: str) -> ReportRow:
    row, cell = state.row, state.row.cell
    seed, shown = opened.prepared.plan.seed, shown_metrics(row, choice)
    by = [group for group in by if applies(group, row.task.kind)]
    sums = _Sums(row, by)
    for item in _items(opened, state, by):
        sums.add(item)
    return ReportRow(
        run=str(opened.path),
        name=str(opened.header["name"]),
        subject=cell.subject,
        task=cell.task,
        solver=cell.solver,
        style=cell.style,
        repeat=cell.repeat,
        board=row.task.board(sums.tally, row.solver, seed, only=shown),
        main=main_metric(row.task.card.metrics),
        metrics={name: row.task.metrics[name] for name in shown},
        usage=usage_value(sums.usage),
        unasked=sums.unasked,
        errors=sums.errors,
        protocol_note=row.solver.unpublished,
        data=row.dataset.file,
        data_sha256=row.dataset.sha256,
        seed=seed,
        groups=sums.boards(seed, shown),
    )


def shown_metrics(row: Row, choice: str) -> tuple[str, ...]:
    """The names of the metrics that a choice stands for."""
    main = main_metric(row.task.card.metrics)
    chosen = {ALL: lambda _: True, HEADLINE: lambda name: row.task.metrics[name].is_headline, MAIN: main.__eq__}
    return tuple(name for name in row.task.metrics if chosen[choice](name))


class _Item(NamedTuple):
    """What is kept of a sample."""

    cluster: str
    scores: Mapping[str, Mapping[str, Score]]
    counts: Mapping[str, int]
    groups: Mapping[str, Collection[str]]
    usage: Mapping[str, Any] | None = None
    """None: nobody was asked."""
    error: str = ""


def _items(opened: Reopened, state: RowState, by: Sequence[str]) -> Iterator[_Item]:
    """Every sample of a row; one without a record is missing."""
    row = state.row
    computed = [group for group in by if group not in STORED]
    for place, number in enumerate(row.numbers):
        if state.places[place] == NOWHERE:
            judged = row.solver.judge(row.dataset.sample(number), None)
            counts = {str(name): counted for name, counted in judged.counts.items()}
            groups = {group: groups_of(judged.sample, group) for group in by}
            yield _Item(judged.sample.cluster, judged.scores, counts, groups)
            continue
        record = opened.samples.read(state.places[place])
        groups = {group: record["groups"][group] for group in by if group in STORED}
        if computed:
            groups |= {group: groups_of(row.dataset.sample(number), group) for group in computed}
        error = (record["error"] or "no reason given") if record["outcome"] == Outcome.API_ERROR else ""
        yield _Item(record["cluster"], scores_of(record), record["counts"], groups, record["usage"], error)


class _Sums:
    """What the samples of a row come to."""

    def __init__(self, row: Row, by: Sequence[str]) -> None:
        self.row, self.tally = row, row.task.tally()
        self.members: dict[str, dict[str, Tally]] = {group: {} for group in by}
        self.usage: dict[str, Any] = {}
        self.errors: dict[str, int] = {}
        self.unasked = 0

    def add(self, item: _Item) -> None:
        """One more sample."""
        self.tally.add(item.cluster, item.scores, item.counts)
        for group, members in self.members.items():
            for name in item.groups[group]:
                if name not in members:
                    members[name] = self.row.task.tally()
                members[name].add(item.cluster, item.scores, item.counts)
        if item.usage is None:
            self.unasked += 1
        else:
            add_usage(self.usage, item.usage)
        if item.error:
            self.errors[item.error] = self.errors.get(item.error, 0) + 1

    def boards(self, seed: int, shown: Collection[str]) -> dict[str, dict[str, Board]]:
        """The board of every member of every group."""
        task, solver = self.row.task, self.row.solver
        return {
            group: {name: task.board(members[name], solver, seed, only=shown) for name in in_order(members, group)}
            for group, members in self.members.items()
        }
