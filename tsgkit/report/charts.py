"""Values of a report arranged for a figure: panels with categories on one axis, and a series for each row.

>>> mark = Mark("4", Value(0.5, 0.25, 0.75, 8.0), 8)
>>> panel = Panel("tsg/ma-sgg", "k", "k", "f1, strict (%)", ("4",), True, (Series("model", (mark,)),))
>>> print(Chart("f1 by k", (panel,)).alt)
f1 by k. tsg/ma-sgg, f1, strict (%): model (4: 50.0 [25.0, 75.0], n = 8). Brackets hold 95 % intervals; n counts items.

Pure: the values, intervals and sizes are those of the report's tables. Omissions are noted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, NamedTuple, TypeVar

from tsgkit.errors import FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.report.figures import points, with_interval
from tsgkit.report.report_rows import HEADLINE, Report, ReportRow, chosen_tasks, gather
from tsgkit.runs.plan import AXES as OF_PLANS
from tsgkit.runs.saved_run import saved_tasks
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.metrics import PROFILES, check_profile
from tsgkit.suites.scoreboard import Board, Value
from tsgkit.suites.task import Task

AXES = ("task", "style", "solver", *OF_PLANS, "subject", "run")
"""The parts of a row that a figure can be grouped by, beside the groups of a task's samples."""
NO_STYLE = "no style"
LONGEST_NUMBER = 15
"""Digits; a longer number is a name."""
MOST_SERIES = 16
COLUMN = 3.25
"""The width of one column of a paper in inches, at which pages show figures too."""


class Mark(NamedTuple):
    """A value in a category, with its number of items."""

    category: str
    value: Value
    n: int
    is_shown: bool = True
    """False for a difference that is not shown to be one."""


class Series(NamedTuple):
    """The values of one row, or of several that differ along the axis only."""

    label: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Panel:
    """Series over the same categories with the same unit."""

    title: str
    by: str
    """What the categories are: a part of rows or a group; empty for labels of any kind."""
    axis: str
    """The label of the categories."""
    measure: str
    """The label of the values, with their unit."""
    categories: tuple[str, ...]
    is_share: bool
    """True if the values are fractions of 1, shown in percent."""
    series: tuple[Series, ...]
    is_difference: bool = False
    """True if the values are differences, drawn around zero."""

    @property
    def is_numeric(self) -> bool:
        """True if the categories are distinct whole numbers, to be joined by lines."""
        if not self.by or not all(name.isdecimal() and len(name) <= LONGEST_NUMBER for name in self.categories):
            return False
        return 1 < len(self.categories) == len(set(map(int, self.categories)))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of its series."""
        return tuple(one.label for one in self.series)

    @property
    def marks(self) -> list[Mark]:
        """The marks of all series."""
        return [mark for one in self.series for mark in one.marks]

    def sizes(self, category: str) -> str:
        """Return how many items a category holds: one number, or a range where series differ."""
        found = {mark.n for mark in self.marks if mark.category == category}
        low, high = min(found), max(found)
        return f"{low:,}" if low == high else f"{low:,}–{high:,}"

    @property
    def alt(self) -> str:
        """Its values in words."""
        head = ", ".join(filter(None, (self.title, self.measure)))
        return f"{head}: {', '.join(map(self._alt_of, self.series))}"

    def _alt_of(self, series: Series) -> str:
        marks = "; ".join(map(self._alt_of_mark, series.marks)) or "none"
        return f"{series.label} ({marks})" if series.label else marks

    def _alt_of_mark(self, mark: Mark) -> str:
        value, verdict = mark.value, "" if mark.is_shown else ", no difference shown"
        written = with_interval(value)
        if self.is_difference:
            ends = None if value.low is None or value.high is None else (value.low, value.high)
            written = points(value.value, ends, is_share=value.is_share)
        return f"{mark.category}: {written}, n = {mark.n:,}{verdict}"


class Bar(NamedTuple):
    """The numbers of items, or of samples, that went each way."""

    label: str
    counts: tuple[int, ...]

    @property
    def n(self) -> int:
        """The number of all."""
        return sum(self.counts)


@dataclass(frozen=True)
class Bars:
    """Bars with the same divisions."""

    title: str
    measure: str
    labels: tuple[str, ...]
    """The names of the divisions."""
    rows: tuple[Bar, ...]
    is_counted: bool = False
    """True if the numbers stand in words beside the bars, not in them."""
    by: ClassVar[str] = ""
    is_numeric: ClassVar[bool] = False

    @property
    def categories(self) -> tuple[str, ...]:
        """The labels of its bars."""
        return tuple(bar.label for bar in self.rows)

    def counted(self, bar: Bar) -> list[str]:
        """Return the divisions of a bar with their numbers, in words; of a counted one those that occur."""
        numbers = zip(bar.counts, self.labels, strict=True)
        return [f"{number:,} {label}" for number, label in numbers if number or not self.is_counted] or ["none"]

    @property
    def alt(self) -> str:
        """Its numbers in words."""
        bars = "; ".join(f"{bar.label}: {', '.join(self.counted(bar))} (n = {bar.n:,})" for bar in self.rows)
        return f"{self.title}: {bars}" if self.title else bars


COUNTED = "n counts items."
WITH_INTERVALS = f"Brackets hold 95 % intervals; {COUNTED}"


Part = TypeVar("Part", bound=Panel | Bars, covariant=True)


@dataclass(frozen=True)
class Chart(Generic[Part]):
    """A figure as data: panels of series, or of bars; ``notes`` name what it leaves out."""

    title: str
    panels: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    ending: str = WITH_INTERVALS

    @property
    def labels(self) -> tuple[str, ...]:
        """What its legend explains, each once: series, or the kinds of bars."""
        return tuple(dict.fromkeys(label for panel in self.panels for label in panel.labels))

    @property
    def alt(self) -> str:
        """All that the figure shows, in words."""
        parts = [self.title, *(panel.alt for panel in self.panels), self.ending]
        return ". ".join(parts) + "".join(f" Left out: {note}." for note in self.notes)


def gather_for(
    paths: Iterable[str | Path], metric: str, by: str, data: str | None = None, *, tasks: Collection[str] = ()
) -> Report:
    """Return the report of these runs that :func:`chart` needs for this metric and grouping."""
    folders = tuple(map(Path, paths))
    known = {task.key: task for path in folders for task in _tasks_of(path)}
    _check_by(by, known.values())
    groups, also = () if by in AXES else (by,), {f"{task}.{metric}" for task in known}
    return gather(folders, groups, data, metrics=HEADLINE, also=also, in_groups=True, tasks=tasks)


def _tasks_of(path: Path) -> Iterable[Task]:
    """Return the tasks of a run; none if it is broken, which is reported later."""
    try:
        return saved_tasks(path)
    except FileProblem:
        return ()


def _check_by(by: str, tasks: Collection[Task]) -> None:
    names = dict.fromkeys((*AXES, *(group for task in tasks for group in task.groups.names)))
    if tasks and by not in names:
        raise UsageError(f"a figure cannot be grouped by {by}", hint=meant(by, names))


def chart(report: Report, metric: str, by: str, *, task: str | None = None, profile: str = "strict") -> Chart[Panel]:
    """Return a metric's values in these rows by a part of them (:data:`AXES`) or by a group of the report.

    ``metric`` is a name, or ``headline`` for the headline metrics of each task; ``task`` selects the rows of one task,
    or of a suite's.
    """
    check_profile(profile)
    tasks = chosen_tasks((task,) if task else (), (row.task for row in report.rows))
    rows = [row for row in report.rows if row.task in tasks]
    known = dict.fromkeys(name for row in rows for name in row.measured)
    if metric not in known and metric != HEADLINE:
        raise UsageError(f"no task here has the metric {metric}", hint=meant(metric, (HEADLINE, *known)))
    pieces = tuple(_pieces(rows, metric, by, profile))
    notes = tuple(_left_out(rows, metric, by, profile, pieces))
    if not pieces:
        raise UsageError("there is nothing to draw: " + "; ".join(notes))
    title = f"{'Headline metrics' if metric == HEADLINE else metric} by {by}, {profile}"
    found = Chart(title, tuple(_panels(pieces, by, profile)), notes)
    if len(found.labels) > MOST_SERIES:
        hint = "name fewer runs, one task (TASK.METRIC), or another grouping"
        many = f"{title}: {len(found.labels):,} series are too many for a figure, at most {MOST_SERIES}"
        raise UsageError(many, hint=hint)
    return found


def in_both_profiles(title: str, values: Sequence[tuple[str, ReportRow, str]]) -> Chart[Panel]:
    """Return values in both profiles, each given by its label, row and metric, which have one unit."""
    _, first, metric = values[0]
    series = []
    for profile in PROFILES:
        boards = [(label, _value(row.board, profile, name), row.n) for label, row, name in values]
        marks = tuple(Mark(label, value, n) for label, value, n in boards if value is not None)
        series.append(Series(profile, marks))
    drawn = dict.fromkeys(mark.category for one in series for mark in one.marks)
    labels = [label for label, _, _ in values]
    is_share, several = first.metrics[metric].is_share, len({name for _, _, name in values}) > 1
    less = "" if first.metrics[metric].more_is_better else ", less is better"
    panel = Panel(
        title="",
        by="",
        axis="",
        measure=f"{'value' if several else metric}{' (%)' if is_share else ''}{less}",
        categories=tuple(label for label in labels if label in drawn),
        is_share=is_share,
        series=tuple(series),
    )
    without = tuple(f"{label}: no value" for label in labels if label not in drawn)
    return Chart(title, (panel,) if drawn else (), without)


def outcomes(title: str, rows: Sequence[tuple[str, ReportRow]]) -> Chart[Bars]:
    """Return how the samples of labelled rows ended."""
    kinds = [str(outcome) for outcome in Outcome if any(row.outcomes[outcome] for _, row in rows)]
    bars = tuple(Bar(label, tuple(row.outcomes[kind] for kind in kinds)) for label, row in rows)
    return Chart(title, (Bars("", "samples (%)", tuple(kinds), bars, is_counted=True),), ending="n counts samples.")


class _Piece(NamedTuple):
    """A mark with its row."""

    row: ReportRow
    metric: str
    mark: Mark


def _pieces(rows: Sequence[ReportRow], metric: str, by: str, profile: str) -> Iterator[_Piece]:
    for row in rows:
        boards = {_category(row, by): row.board} if by in AXES else row.groups.get(by, {})
        for name in row.headlines if metric == HEADLINE else (metric,):
            for category, board in boards.items():
                if (value := _value(board, profile, name)) is not None:
                    yield _Piece(row, name, Mark(category, value, board.n))


def _value(board: Board, profile: str, metric: str) -> Value | None:
    return (board.profiles[profile] or {}).get(metric)


def _category(row: ReportRow, axis: str) -> str:
    if axis == "style":
        return row.style or NO_STYLE
    if axis in OF_PLANS:
        return str(row.depends.get(axis, f"no {axis}"))
    return row.name if axis == "run" else str(getattr(row, axis))


def _left_out(rows: Sequence[ReportRow], metric: str, by: str, profile: str, pieces: Sequence[_Piece]) -> Iterator[str]:
    """Yield why rows have no value in the figure."""
    drawn = {id(piece.row) for piece in pieces}
    reasons: dict[str, list[ReportRow]] = {}
    for row in rows:
        if id(row) not in drawn:
            reasons.setdefault(_why_not(row, row.metric if metric == HEADLINE else metric, by, profile), []).append(row)
    for reason, without in reasons.items():
        kept = {row.task for row in rows if row not in without}
        names = dict.fromkeys(row.title if row.task in kept else row.task for row in without)
        yield f"{', '.join(names)}: {reason}"


def _why_not(row: ReportRow, metric: str, by: str, profile: str) -> str:
    if metric not in row.measured:
        return f"no metric {metric}"
    if by not in AXES and not row.groups.get(by):
        return f"not grouped by {by}"
    boards = [row.board] if by in AXES else list(row.groups[by].values())
    if all(metric not in (board.profiles["strict"] or {}) for board in boards):
        shown = dict.fromkeys(name for board in boards for name in board.profiles["strict"] or {})
        return f"no {metric} by {by}, only {', '.join(shown)}"
    reasons = boards[0].reasons
    return reasons.get(f"{profile}.{metric}") or reasons.get(profile) or f"no {profile} value"


def _panels(pieces: Sequence[_Piece], by: str, profile: str) -> Iterator[Panel]:
    """Yield a panel for each task; one for all tasks where these are the axis and measured alike."""
    label = _labels([piece.row for piece in pieces], by)
    groups: dict[tuple[object, ...], list[_Piece]] = {}
    for piece in pieces:
        groups.setdefault(_panel_of(piece, by), []).append(piece)
    for members in groups.values():
        series: dict[str, list[Mark]] = {}
        several = len({piece.metric for piece in members}) > 1
        for piece in members:
            mark = piece.mark
            if by == "task" and several:
                mark = mark._replace(category=f"{mark.category} {piece.metric}")
            series.setdefault(label[id(piece.row)], []).append(mark)
        first = members[0]
        row = first.row
        counts = row.k_counts if by == "k" else ""
        once = dict.fromkeys(mark.category for marks in series.values() for mark in marks)
        measure = "headline metrics" if several else first.metric
        yield Panel(
            title="all tasks" if by == "task" else row.task,
            by=by,
            axis=f"{by}: {counts}" if counts else by,
            measure=f"{measure}, {profile}{_unit(first)}",
            categories=tuple(once if by in AXES else row.in_order(once, by)),
            is_share=first.mark.value.is_share,
            series=tuple(Series(name, tuple(marks)) for name, marks in series.items()),
        )


def _panel_of(piece: _Piece, by: str) -> tuple[object, ...]:
    scale = (piece.mark.value.is_share, piece.row.metrics[piece.metric].more_is_better)
    return scale if by == "task" else (piece.row.task, piece.metric)


def _unit(piece: _Piece) -> str:
    less = "" if piece.row.metrics[piece.metric].more_is_better else ", less is better"
    return f"{' (%)' if piece.mark.value.is_share else ''}{less}"


def _labels(rows: Sequence[ReportRow], by: str) -> dict[int, str]:
    """Return a label for each row: its subject, and the other properties in which rows differ."""
    subjects = {row.subject for row in rows}
    styles, solvers = ({getattr(row, name) for row in rows} for name in ("style", "solver"))
    told = {
        id(row): " ".join(filter(None, _parts(row, by, subjects, styles - {""}, solvers - {"baseline"})))
        for row in rows
    }
    cells: dict[tuple[object, ...], set[str]] = {}
    for row in rows:
        cells.setdefault(row.cell, set()).add(row.run)
    if by != "run":
        told |= {id(row): f"{told[id(row)]} ({row.run})".lstrip() for row in rows if len(cells[row.cell]) > 1}
    return told


def _parts(row: ReportRow, by: str, subjects: set[str], styles: set[str], solvers: set[str]) -> Iterator[str]:
    if by != "subject":
        yield row.subject
    if by != "style" and len(styles) > 1:
        yield row.style or (NO_STYLE if by == "subject" else "")
    if by != "solver" and len(solvers) > 1 and row.solver != "baseline":
        yield row.solver
    yield from (f"{name}={value}" for name, value in row.cell.own_axes.items() if name != by)
    if row.repeat:
        yield f"#{row.repeat}"
