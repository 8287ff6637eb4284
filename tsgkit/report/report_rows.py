"""Rows of a report: one for every result of every run, with its groups.

>>> from pathlib import Path
>>> gather([Path("no/run")])
Traceback (most recent call last):
tsgkit.errors.UsageError: no/run: no run lies here: it has no run.json

Reports depend on neither time nor chance: the same runs give the same report. Records are read one by one, and only
their contributions are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.library.projects import portable
from tsgkit.runs.folder import RECORDS, SAMPLES, check_evaluation, read_header
from tsgkit.runs.plan import Axes, Cell
from tsgkit.runs.records import add_usage, scores_of
from tsgkit.runs.results import records_in, usage_value
from tsgkit.runs.run_setup import PlannedRow
from tsgkit.runs.saved_run import prepared_again, saved_tasks
from tsgkit.scoring.pooling import FAILURES, Outcome, Tally
from tsgkit.suites.judgement import PartOfSample
from tsgkit.suites.metrics import Metric, columns_of
from tsgkit.suites.scoreboard import Board
from tsgkit.suites.task import Control, Task, group_metrics, no_group

ALL, HEADLINE = "all", "headline"
CHOICES = (ALL, HEADLINE)
"""Choices of metrics: all, or those that a card calls headlines."""
KEPT_OF_FAILED = ("cluster", "groups", "outcome", "parts", "why", "counts", "usage", "error")
"""Fields kept of a record that may still be superseded."""


@dataclass(frozen=True)
class ReportRow:
    """One result: a subject on a task, asked in one way, once."""

    run: str
    """The folder of the run."""
    name: str
    """The name of the run."""
    subject: str
    task: str
    kind: str
    """The suite's name for the task, whatever its card is called: ``sgqa``, ``ma-sgg``."""
    solver: str
    style: str
    """Empty where there is none, as for baselines."""
    repeat: int
    board: Board
    """The values of the metrics shown in both profiles, counts, and why a value is missing."""
    metric: str
    """The metric by which the row is compared with others."""
    metrics: Mapping[str, Metric]
    """The displayed metrics with their meaning and direction."""
    usage: dict[str, Any] | None
    """Tokens, cost and time; a field is None if unknown, and the whole is None if no model was asked."""
    unasked: int
    """The number of samples not asked yet; scores cover the others."""
    errors: dict[str, int]
    """Errors with the number of samples that ended with them."""
    protocol_note: str
    """The reason why the protocol is not the published one; else empty."""
    data: str
    """The file of its data."""
    data_sha256: str
    seed: int
    """The seed of the intervals."""
    parameters: dict[str, Any] | None = None
    """The parameters its model was asked with; None where there is no model."""
    measured: tuple[str, ...] = ()
    """The names of all metrics of its task, shown or not."""
    prompts: str | None = None
    """The name of other prompts than ours."""
    judge: str | None = None
    """The judge of images or scenes, or of answers."""
    groups: dict[str, dict[str, Board]] = field(default_factory=dict)
    """The boards of the members of every group asked for, by name, in order, with their headline metrics."""
    group_usage: dict[str, dict[str, dict[str, Any] | None]] = field(default_factory=dict)
    """The usage of the calls for each member of each group, as for the row."""
    controls: tuple[Control, ...] = ()
    """The scores of control programs on the same samples."""
    clusters_are: str = "scenarios"
    """The unit that the clusters under its intervals are counted in."""
    axes: Axes = (None, None, None)
    """Shots, prompts and seed, where the plan has several."""
    depends: Mapping[str, Any] = field(default_factory=dict)
    """Its values of those that it depends on, whether the plan has several or one."""
    of: Task | None = field(default=None, repr=False, compare=False)
    """Its task; None for a row of figures alone."""

    @property
    def suite(self) -> str:
        """The suite of its task."""
        return (self.task if self.of is None else self.of.card.task).partition("/")[0]

    @property
    def k_counts(self) -> str:
        """The things that the group ``k`` counts; empty where its task has no such group."""
        return "" if self.of is None else self.of.groups.k_counts

    def in_order(self, members: Iterable[str], group: str) -> list[str]:
        """Return the members of a group as tables have them."""
        return list(members) if self.of is None else self.of.groups.order(members, group)

    @property
    def headlines(self) -> tuple[str, ...]:
        """The displayed metrics that are headlines of its task, and the one it is compared by."""
        return tuple(name for name, metric in self.metrics.items() if metric.is_headline or name == self.metric)

    @property
    def n(self) -> int:
        """The number of samples that ended."""
        return self.board.n

    @property
    def total(self) -> int:
        """The number of samples, including those not asked yet."""
        return self.board.n + self.unasked

    @property
    def cell(self) -> Cell:
        """Its place in the run."""
        return Cell(self.subject, self.task, self.solver, self.style, self.repeat, *self.axes)

    @property
    def protocol(self) -> str:
        """``published`` or ``ours``."""
        return "ours" if self.protocol_note else "published"

    @property
    def outcomes(self) -> dict[str, int]:
        """The number of samples by outcome."""
        return {str(outcome): self.board.counts[outcome] for outcome in Outcome}

    @property
    def failed(self) -> int:
        """The number of samples that ended in an error of the service or of code."""
        return sum(self.board.counts[outcome] for outcome in FAILURES)

    @property
    def title(self) -> str:
        """The title that distinguishes the row within its run."""
        return " ".join([self.subject, self.task, *self.way])

    @property
    def way(self) -> tuple[str, ...]:
        """The way of asking: style, solver and repeat, if they matter."""
        return (*self.cell.ways, *self.cell.repeat_marks)


class PublishedFigure(NamedTuple):
    """A published figure: a fraction of 1, or a count; ``doubt`` says why it is unreliable."""

    table: str
    model: str
    metric: str
    value: float
    items: int
    doubt: str
    is_share: bool = True


@dataclass(frozen=True)
class PublishedMatch:
    """A row of ours, the published figures of its task or the results of its official code, and the differences in
    words."""

    row: ReportRow
    style: str
    """The style of the published figures; for results, their subject."""
    figures: tuple[PublishedFigure, ...]
    differences: tuple[str, ...]
    source: str
    are_results: bool = False
    """True for results of the official code on the same items; then our strict figures are shown too."""


@dataclass(frozen=True)
class Report:
    """All rows, in the order of the runs."""

    rows: tuple[ReportRow, ...]
    by: tuple[str, ...] = ()
    metrics: str = ALL
    """The choice of metrics: ``all`` or ``headline``."""
    beside: tuple[PublishedMatch, ...] = ()
    """Published figures or official results beside the rows, if requested."""
    data: str | None = None
    """The place of the runs' data, if overridden."""
    left_out: tuple[FileProblem, ...] = ()
    """The reasons why some runs are left out: broken files, or another version."""
    lacking: tuple[str, ...] = ()
    """Tasks asked for that some of the runs do not have, with these runs."""

    @property
    def runs(self) -> tuple[str, ...]:
        """The folders of the runs."""
        return tuple(dict.fromkeys(row.run for row in self.rows))


def gather(
    paths: Iterable[str | Path],
    by: Sequence[str] = (),
    data: str | None = None,
    *,
    metrics: str = ALL,
    also: Collection[str] = (),
    in_groups: bool = False,
    tasks: Collection[str] = (),
) -> Report:
    """Return the report of these runs by these groups, of all tasks or of some; ``data`` overrides the place of their
    data.

    ``metrics`` selects the displayed ones, ``also`` adds some by name (``tsg/ma-sgg.f1_soft``), for groups too with
    ``in_groups``. Intervals are computed for these only, since they take time.
    """
    if metrics not in CHOICES:
        raise UsageError(f"there is no choice of metrics {metrics}", hint=f"choose from {', '.join(CHOICES)}")
    by, choice = tuple(dict.fromkeys(by)), _MetricChoice(metrics, also, in_groups)
    rows, left_out, whole = list[ReportRow](), list[FileProblem](), dict[Path, dict[str, Any]]()
    places = dict[Path, Path]()
    for path in map(Path, paths):
        places.setdefault(path.resolve(), path)  # each run once, however it is spelled
    for path in places.values():
        try:
            header = read_header(path)
            check_evaluation(header, path)
            whole[path] = header
        except FileProblem as problem:
            left_out.append(problem)
    chosen = chosen_tasks(tasks, planned_tasks(whole.values())) if whole else ()
    check_groups(by, whole, chosen)
    for path, header in whole.items():
        try:
            rows += _rows_of(path, header, by, data, choice, chosen)
        except FileProblem as problem:
            left_out.append(problem)
    if left_out and not rows:
        raise left_out[0]
    lacking = tuple(
        f"{path}: no {task}"
        for path, header in whole.items()
        for task in (chosen if tasks else ())
        if task not in header["plan"]["tasks"]
    )
    return Report(tuple(rows), by, metrics, data=data, left_out=tuple(left_out), lacking=lacking)


def planned_tasks(headers: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the tasks of runs."""
    return (task for header in headers for task in header["plan"]["tasks"])


def chosen_tasks(names: Collection[str], tasks: Iterable[str]) -> tuple[str, ...]:
    """Return the tasks meant, in the order of the runs: by name, with or without the suite's, or a whole suite."""
    known = tuple(dict.fromkeys(tasks))
    fitting = set[str]()
    for name in names:
        of_name = {task for task in known if name in (task, task.partition("/")[2], task.partition("/")[0])}
        if not of_name:
            raise UsageError(f"no run here has the task {name}", hint=meant(name, known))
        fitting |= of_name
    return tuple(task for task in known if task in fitting) if names else known


def comparison_metric(metrics: Mapping[str, Any]) -> str:
    """Return the metric by which rows and samples of a task are compared: the last that its card calls a headline."""
    headlines = [name for name, metric in metrics.items() if metric.headline]
    return (headlines or list(metrics))[-1]


def check_groups(by: Sequence[str], paths: Iterable[Path], tasks: Collection[str]) -> None:
    """Raise ``UsageError`` where a group applies to none of the tasks of these runs."""
    saved = (task for path in paths for task in saved_tasks(path)) if by else ()
    known = list({task.key: task for task in saved if task.key in tasks}.values())
    for group in by if known else ():
        if not any(group in task.groups.names for task in known):
            raise no_group(group, known)


def _rows_of(
    path: Path,
    header: Mapping[str, Any],
    by: Sequence[str],
    data: str | None,
    choice: _MetricChoice,
    tasks: Collection[str],
) -> Iterator[ReportRow]:
    """Yield the rows of a run from one pass over its records."""
    setup = prepared_again(header, path, data)
    plan, totals = setup.plan, dict[Cell, _Totals]()
    of_tasks = {row.cell.task: row for row in setup.rows}
    controls = {name: controls_of(row, plan.at("seed")) for name, row in of_tasks.items() if name in tasks}
    members = {name: _members(row, by) for name, row in of_tasks.items()}
    for row in setup.rows:
        groups = [group for group in by if group in row.task.groups.names]
        totals[row.cell] = _Totals(row, groups, members[row.cell.task], choice.columns(row.task, groups))
    for _, cell, position, record in records_in(setup.rows, path / SAMPLES, header.get(RECORDS, 0)):
        totals[cell].add_record(position, record)
    for cell, of_row in totals.items():
        of_row.finish()
        if cell.task not in tasks:
            continue
        row, task, seed = of_row.row, of_row.row.task, plan.at("seed", cell)
        shown = choice.of(task)
        board = task.board(of_row.tally, row.solver, seed, only=shown)
        groups_of_row = of_row.boards(seed, shown, choice.more_of_groups(task))
        if board.never_answered:
            board = board.without_values
            groups_of_row = {
                group: {name: member.without_values for name, member in of_group.items()}
                for group, of_group in groups_of_row.items()
            }
        yield ReportRow(
            run=str(path),
            name=str(header["name"]),
            subject=cell.subject,
            task=cell.task,
            kind=task.kind,
            solver=cell.solver,
            style=cell.style,
            repeat=cell.repeat,
            board=board,
            metric=comparison_metric(task.card.metrics),
            metrics={name: task.metrics[name] for name in shown},
            usage=usage_value(of_row.usage),
            unasked=of_row.unasked,
            errors=dict(sorted(of_row.errors.items(), key=lambda item: (-item[1], item[0]))),
            protocol_note=row.solver.unpublished,
            data=portable(row.dataset.file),
            data_sha256=row.dataset.sha256,
            seed=seed,
            parameters=header["asked"]["models"].get(cell.subject, {}).get("parameters"),
            measured=tuple(task.metrics),
            prompts=plan.at("prompts", cell),
            axes=cell[-3:],
            depends=row.values(plan) | cell.own_axes,
            judge=row.judge,
            clusters_are=task.rows.clusters_are(row.dataset),
            groups=groups_of_row,
            group_usage={
                group: {name: usage_value(usage) for name, usage in of_group.items()}
                for group, of_group in of_row.usage_of.items()
            },
            controls=controls[cell.task],
            of=task,
        )


def controls_of(row: PlannedRow, seed: int) -> tuple[Control, ...]:
    """Return the scores of control programs on the samples of a row; none where its task has no such programs."""
    looks = row.task.looks
    return () if looks is None else tuple(looks.controls(row.dataset, row.numbers, seed))


class _MetricChoice(NamedTuple):
    """The wanted metrics: a choice, and some by name."""

    choice: str
    also: Collection[str]
    in_groups: bool

    def of(self, task: Task) -> tuple[str, ...]:
        """Return the names of a task's metrics that are wanted."""
        compared = comparison_metric(task.card.metrics)
        return tuple(
            name
            for name, metric in task.metrics.items()
            if self.choice == ALL
            or (self.choice == HEADLINE and metric.is_headline)
            or name == compared
            or f"{task.key}.{name}" in self.also
        )

    def more_of_groups(self, task: Task) -> tuple[str, ...]:
        """Return the metrics wanted for members of groups in addition to the task's own."""
        return tuple(name for name in task.metrics if self.in_groups and f"{task.key}.{name}" in self.also)

    def columns(self, task: Task, by: Sequence[str]) -> frozenset[str]:
        """Return the columns of records that the wanted metrics are made of."""
        shown = self.of(task)
        names = {*shown, *self.more_of_groups(task)}
        names |= {name for group in by for name in group_metrics(task, group, shown)}
        return frozenset(columns_of({name: task.metrics[name] for name in names}))


Members = dict[str, tuple[str, ...]]
"""The members that a sample belongs to, by group."""


def _members(row: PlannedRow, by: Sequence[str]) -> Callable[[int], Members]:
    """Return the groups of samples by place as their texts say, computed once for all rows of a task."""
    groups, members = [group for group in by if group in row.task.groups.names], dict[str, Members]()

    @cache
    def of(position: int) -> Members:
        sample = row.dataset.sample(row.numbers[position])
        names = {group: row.task.groups.of(sample, group) for group in groups}
        return members.setdefault(repr(names), names)

    return of


class _Totals:
    """The totals of a row's samples.

    A record that ended in an error of the service is held back until all are read, since a later one may replace it;
    others are added at once.
    """

    def __init__(
        self, row: PlannedRow, by: Sequence[str], members_at: Callable[[int], Members], columns: Collection[str]
    ) -> None:
        self.row, self.members_at, self.columns = row, members_at, columns
        self.tally = row.task.tally().narrowed(columns)
        self.members: dict[str, dict[str, Tally]] = {group: {} for group in by}
        self.usage: dict[str, Any] = {}
        self.usage_of: dict[str, dict[str, dict[str, Any]]] = {group: {} for group in by}
        self.errors: dict[str, int] = {}
        self.unasked = 0
        self._added = bytearray(len(row.numbers))
        self._failed: dict[int, dict[str, Any]] = {}
        takes_parts = any(group in row.task.groups.parts for group in by)
        self._kept_of_failed = (*KEPT_OF_FAILED, "evidence") if takes_parts else KEPT_OF_FAILED

    def add_record(self, position: int, record: dict[str, Any]) -> None:
        """Add one more record."""
        if record["outcome"] in FAILURES:
            self._failed[position] = {name: record[name] for name in self._kept_of_failed if name in record}
        else:
            self._failed.pop(position, None)
            self._add(position, record)

    def finish(self) -> None:
        """Add failed samples, and count those not asked, which are in no score."""
        for position, record in sorted(self._failed.items()):
            error = record["error"] or "no reason given"
            self.errors[error] = self.errors.get(error, 0) + 1
            self._add(position, record)
        self.unasked = self._added.count(0)

    def _add(self, position: int, record: Mapping[str, Any]) -> None:
        self._added[position] = 1
        task, cluster, counts = self.row.task, record["cluster"], record["counts"]
        whole = PartOfSample(scores_of(record, self.columns), counts)
        self.tally.add(cluster, whole.scores, counts)
        add_usage(self.usage, record["usage"])
        for group, tallies in self.members.items():
            stored: Collection[str] | None = record["groups"].get(group)
            for name in self.members_at(position)[group] if stored is None else stored:
                part: PartOfSample | None = whole
                if group in task.groups.parts:
                    sample = self.row.dataset.sample(self.row.numbers[position])
                    part = task.groups.part_of(sample, record["evidence"], group, name)
                if part is None:
                    continue
                if name not in tallies:
                    tallies[name] = task.tally().narrowed(self.columns)
                tallies[name].add(cluster, part.scores, {**counts, **part.counts})
                add_usage(self.usage_of[group].setdefault(name, {}), record["usage"])

    def boards(self, seed: int, shown: Sequence[str], more: Sequence[str]) -> dict[str, dict[str, Board]]:
        """Return the board of every member of every group; members that take only parts of samples have no ``more``."""
        task, boards = self.row.task, dict[str, dict[str, Board]]()
        for group, tallies in self.members.items():
            only = dict.fromkeys([*group_metrics(task, group, shown), *(() if group in task.groups.parts else more)])
            boards[group] = {
                name: task.board(tallies[name], self.row.solver, seed, only=tuple(only))
                for name in task.groups.order(tallies, group)
            }
        return boards
