"""Values of reports and comparisons arranged for a figure: panels with categories on one axis, and series or bars.

>>> mark = ChartMark("4", Value(0.5, 0.25, 0.75, 8.0), 8)
>>> panel = ChartPanel("tsg/ma-sgg", "f1, strict (%)", ("4",), True, (Series("model", (mark,)),), by="k", axis="k")
>>> print(Chart("f1 by k", (panel,)).alt)
f1 by k. tsg/ma-sgg, f1, strict (%): model (4: 50.0 [25.0, 75.0], n = 8). Brackets hold 95 % intervals; n counts items.

Pure: the values, intervals and sizes are those of the tables. Omissions are noted.

>>> kinds = share_out([(1.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0)], more_is_better=True)
>>> list(kinds.items())
[('only the first right', 1), ('both right', 1), ('both wrong', 2), ('only the second right', 0)]
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Generic, NamedTuple, TypeVar

from tsgkit.errors import FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.report.comparison import ALPHA, ComparedRows, Pair, is_tie, item_values
from tsgkit.report.figures import points, with_interval
from tsgkit.report.report_rows import HEADLINE, Report, ReportRow, chosen_tasks, gather
from tsgkit.runs.plan import AXES as OF_PLANS
from tsgkit.runs.saved_run import saved_tasks
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.metrics import PROFILES, Metric, check_profile
from tsgkit.suites.scoreboard import Board, Value
from tsgkit.suites.task import Task

AXES = ("task", "style", "solver", *OF_PLANS, "subject", "run")
"""The parts of a row that a figure can be grouped by, beside the groups of a task's samples."""
NO_STYLE = "no style"
LONGEST_NUMBER = 15
"""Digits; a longer number is a name."""
MOST_SERIES = 16
COUNTED = "n counts items."
WITH_INTERVALS = f"Brackets hold 95 % intervals; {COUNTED}"
RIGHT_OR_WRONG = ("only the first right", "both right", "both wrong", "only the second right")
MORE_OR_LESS = ("the first better", "the same", "the second better")
COLUMN = 3.25
"""The width of one column of a paper in inches, at which pages show figures too."""


class ChartMark(NamedTuple):
    """A value in a category, with its number of items."""

    category: str
    value: Value
    n: int
    is_shown: bool = True
    """False for a difference that is not shown to be one."""


class Series(NamedTuple):
    """The values of one row, or of several that differ along the axis only."""

    label: str
    marks: tuple[ChartMark, ...]


@dataclass(frozen=True)
class ChartPanel:
    """Series over the same categories with the same unit."""

    title: str
    measure: str
    """The label of the values, with their unit."""
    categories: tuple[str, ...]
    is_share: bool
    """True if the values are fractions of 1, shown in percent."""
    series: tuple[Series, ...]
    by: str = ""
    """The part of rows or the group that the categories are; empty for labels of any kind."""
    axis: str = ""
    """The label of the categories."""
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
        return tuple(series.label for series in self.series)

    @property
    def marks(self) -> list[ChartMark]:
        """The marks of all series."""
        return [mark for series in self.series for mark in series.marks]

    def sizes(self, category: str) -> str:
        """Return how many items a category holds: one number, or a range where series differ."""
        sizes = {mark.n for mark in self.marks if mark.category == category}
        low, high = min(sizes), max(sizes)
        return f"{low:,}" if low == high else f"{low:,}–{high:,}"

    @property
    def alt(self) -> str:
        """Its values in words."""
        estimate, described = points if self.is_difference else with_interval, []
        for label, marks in self.series:
            values = "; ".join(
                f"{mark.category}: {estimate(mark.value)}, n = {mark.n:,}"
                f"{'' if mark.is_shown else ', no difference shown'}"
                for mark in marks
            )
            described.append(f"{label} ({values or 'none'})" if label else values or "none")
        return f"{', '.join(filter(None, (self.title, self.measure)))}: {', '.join(described)}"


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


Part = TypeVar("Part", bound=ChartPanel | Bars, covariant=True)


@dataclass(frozen=True)
class Chart(Generic[Part]):
    """A figure as data: panels of series, or of bars; ``notes`` name what it leaves out."""

    title: str
    panels: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    ending: str = WITH_INTERVALS

    @property
    def labels(self) -> tuple[str, ...]:
        """The entries of its legend, each once: series, or the kinds of bars."""
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
    folders, known = tuple(map(Path, paths)), dict[str, Task]()
    for folder in folders:
        with suppress(FileProblem):  # a broken run is reported later
            known |= {task.key: task for task in saved_tasks(folder)}
    names = dict.fromkeys((*AXES, *(group for task in known.values() for group in task.groups.names)))
    if known and by not in names:
        raise UsageError(f"a figure cannot be grouped by {by}", hint=meant(by, names))
    groups, also = () if by in AXES else (by,), {f"{task}.{metric}" for task in known}
    return gather(folders, groups, data, metrics=HEADLINE, also=also, in_groups=True, tasks=tasks)


class _Piece(NamedTuple):
    """A mark with its row."""

    row: ReportRow
    metric: str
    mark: ChartMark
    unit: str
    """The unit and the direction of its metric, as labels of axes end."""


def chart(
    report: Report, metric: str, by: str, *, task: str | None = None, profile: str = "strict"
) -> Chart[ChartPanel]:
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
    pieces = [
        _Piece(row, name, ChartMark(category, value, board.n), _unit(row.metrics[name], is_share=value.is_share))
        for row in rows
        for name in (row.headlines if metric == HEADLINE else (metric,))
        for category, board in _boards(row, by).items()
        if (value := board.value(name, profile)) is not None
    ]
    drawn, reasons = {id(piece.row) for piece in pieces}, dict[str, list[ReportRow]]()
    for row in rows:
        if id(row) not in drawn:
            reason = _reason(row, row.metric if metric == HEADLINE else metric, by, profile)
            reasons.setdefault(reason, []).append(row)
    notes = []
    for reason, without in reasons.items():
        kept = {row.task for row in rows if row not in without}
        names = dict.fromkeys(row.title if row.task in kept else row.task for row in without)
        notes.append(f"{', '.join(names)}: {reason}")
    if not pieces:
        raise UsageError("there is nothing to draw: " + "; ".join(notes))
    title = f"{'Headline metrics' if metric == HEADLINE else metric} by {by}, {profile}"
    drawing = Chart(title, tuple(_panels(pieces, by, profile)), tuple(notes))
    if len(drawing.labels) > MOST_SERIES:
        hint = "name fewer runs, one task (TASK.METRIC), or another grouping"
        many = f"{title}: {len(drawing.labels):,} series are too many for a figure, at most {MOST_SERIES}"
        raise UsageError(many, hint=hint)
    return drawing


def _boards(row: ReportRow, by: str) -> Mapping[str, Board]:
    """Return the boards of a row by category: one, or that of each member of a group."""
    if by not in AXES:
        return row.groups.get(by, {})
    if by in OF_PLANS:
        return {str(row.depends.get(by, f"no {by}")): row.board}
    names = {"run": row.name, "style": row.style or NO_STYLE}
    return {names.get(by) or str(getattr(row, by)): row.board}


def _reason(row: ReportRow, metric: str, by: str, profile: str) -> str:
    """Return why a row has no value in the figure."""
    if metric not in row.measured:
        return f"no metric {metric}"
    boards = list(_boards(row, by).values())
    if not boards:
        return f"not grouped by {by}"
    if all(metric not in (board.profiles["strict"] or {}) for board in boards):
        shown = dict.fromkeys(name for board in boards for name in board.profiles["strict"] or {})
        return f"no {metric} by {by}, only {', '.join(shown)}"
    reasons = boards[0].reasons
    return reasons.get(f"{profile}.{metric}") or reasons.get(profile) or f"no {profile} value"


def _panels(pieces: Sequence[_Piece], by: str, profile: str) -> Iterator[ChartPanel]:
    """Yield a panel for each task; one for all tasks where these are the axis and measured alike."""
    label = _labels([piece.row for piece in pieces], by)
    groups: dict[tuple[str, ...], list[_Piece]] = {}
    for piece in pieces:
        groups.setdefault((piece.unit,) if by == "task" else (piece.row.task, piece.metric), []).append(piece)
    for members in groups.values():
        row, is_one = members[0].row, len({piece.metric for piece in members}) == 1
        series: dict[str, list[ChartMark]] = {}
        for piece in members:
            mark = piece.mark
            if by == "task" and not is_one:
                mark = mark._replace(category=f"{mark.category} {piece.metric}")
            series.setdefault(label[id(piece.row)], []).append(mark)
        counts = row.k_counts if by == "k" else ""
        categories = dict.fromkeys(mark.category for marks in series.values() for mark in marks)
        yield ChartPanel(
            title="all tasks" if by == "task" else row.task,
            by=by,
            axis=f"{by}: {counts}" if counts else by,
            measure=f"{members[0].metric if is_one else 'headline metrics'}, {profile}{members[0].unit}",
            categories=tuple(categories if by in AXES else row.in_order(categories, by)),
            is_share=members[0].mark.value.is_share,
            series=tuple(Series(name, tuple(marks)) for name, marks in series.items()),
        )


def _unit(metric: Metric, *, is_share: bool) -> str:
    return f"{' (%)' if is_share else ''}{'' if metric.more_is_better else ', less is better'}"


def _labels(rows: Sequence[ReportRow], by: str) -> dict[int, str]:
    """Return a label for each row: its subject, and the other properties in which rows differ."""
    has_styles = len({row.style for row in rows} - {""}) > 1
    has_solvers = len({row.solver for row in rows} - {"baseline"}) > 1
    runs: dict[tuple[object, ...], set[str]] = {}
    for row in rows:
        runs.setdefault(row.cell, set()).add(row.run)
    labels: dict[int, str] = {}
    for row in rows:
        parts = [
            row.subject if by != "subject" else "",
            row.style or (NO_STYLE if by == "subject" else "") if by != "style" and has_styles else "",
            row.solver if by != "solver" and has_solvers and row.solver != "baseline" else "",
            *(f"{name}={value}" for name, value in row.cell.own_axes.items() if name != by),
            *row.cell.repeat_marks,
            f"({row.run})" if by != "run" and len(runs[row.cell]) > 1 else "",
        ]
        labels[id(row)] = " ".join(filter(None, parts))
    return labels


def in_both_profiles(title: str, values: Sequence[tuple[str, ReportRow, str]]) -> Chart[ChartPanel]:
    """Return values in both profiles, each given by its label, row and metric, which have one unit."""
    _, first, metric = values[0]
    series = []
    for profile in PROFILES:
        boards = [(label, row.board.value(name, profile), row.n) for label, row, name in values]
        series.append(
            Series(profile, tuple(ChartMark(label, value, n) for label, value, n in boards if value is not None))
        )
    drawn = {mark.category for _, marks in series for mark in marks}
    measure, several = first.metrics[metric], len({name for _, _, name in values}) > 1
    panel = ChartPanel(
        title="",
        measure=f"{'value' if several else metric}{_unit(measure, is_share=measure.is_share)}",
        categories=tuple(label for label, _, _ in values if label in drawn),
        is_share=measure.is_share,
        series=tuple(series),
    )
    without = tuple(f"{label}: no value" for label, _, _ in values if label not in drawn)
    return Chart(title, (panel,) if drawn else (), without)


def outcomes(title: str, rows: Sequence[tuple[str, ReportRow]]) -> Chart[Bars]:
    """Return how the samples of labelled rows ended."""
    kinds = [str(outcome) for outcome in Outcome if any(row.outcomes[outcome] for _, row in rows)]
    bars = tuple(Bar(label, tuple(row.outcomes[kind] for kind in kinds)) for label, row in rows)
    return Chart(title, (Bars("", "samples (%)", tuple(kinds), bars, is_counted=True),), ending="n counts samples.")


def differences(comparison: ComparedRows) -> Chart[ChartPanel]:
    """Return the difference of every pair, the first's value minus the second's, with its interval."""
    panels, notes = list[ChartPanel](), list[str]()
    for title, pairs in _by_metric(comparison).items():
        measure, marks = pairs[0].first.measure, list[ChartMark]()
        for pair in pairs:
            if pair.difference is not None:
                name = f"{pair.first.name} minus {pair.second.name}"
                marks.append(ChartMark(name, pair.difference, pair.statistics.items, pair.differs))
        panel = ChartPanel(
            title=title,
            measure=f"difference{' in points' if measure.is_share else ''}{_unit(measure, is_share=False)}",
            categories=tuple(mark.category for mark in marks),
            is_share=measure.is_share,
            series=(Series("", tuple(marks)),),
            is_difference=True,
        )
        panels += [panel] if marks else []
    for pair in comparison.pairs:
        if pair.difference is None:
            name = f"{pair.first.name} minus {pair.second.name}"
            notes.append(f"{pair.first.task}: {name}: {pair.statistics.reason}")
    ending = f"{WITH_INTERVALS} A difference counts as shown at p <= {ALPHA} after Holm's correction."
    return _unless_empty(Chart("Differences", tuple(panels), tuple(notes), ending))


def items(comparison: ComparedRows, by: str | None = None) -> Chart[Bars]:
    """Return how many items each pair got right and wrong, or scored better; by a group that was asked for.

    A panel has a bar for each pair; by a group there is a panel for each pair, with a bar for each member.
    """
    panels, notes = list[Bars](), dict[str, None]()
    for title, pairs in _by_metric(comparison).items():
        measure = pairs[0].first.measure
        names = {f"{pair.first.name} against {pair.second.name}": pair for pair in pairs}
        if by is None:
            bars = {name: [values for _, values in _both(pair)] for name, pair in names.items()}
            panels.append(_shares(title, bars, measure))
            continue
        for name, pair in names.items():
            members: dict[str, list[tuple[float, float]]] = {}
            for item, values in _both(pair):
                for member in dict.fromkeys(pair.first.groups.get(item, ())):
                    members.setdefault(member, []).append(values)
            in_order = list(members) if pair.first.of is None else pair.first.of.groups.order(members, by)
            bars = {f"{by} = {member}" if member.isdecimal() else member: members[member] for member in in_order}
            panels += [_shares(f"{title}: {name}", bars, measure)] if pair.first.groups else []
            notes |= {} if pair.first.groups else {f"{pair.first.task}: not grouped by {by}": None}
    title = f"Items by {by}" if by else "Items"
    return _unless_empty(Chart(title, tuple(panels), tuple(notes), COUNTED))


def _by_metric(comparison: ComparedRows) -> dict[str, list[Pair]]:
    """Return the pairs of each task and metric under the title of their panel."""
    groups: dict[str, list[Pair]] = {}
    for pair in comparison.pairs:
        title = f"{pair.first.task}, {pair.first.metric}, {comparison.profile}"
        groups.setdefault(title, []).append(pair)
    return groups


def _both(pair: Pair) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield both values of the items that weigh something in both rows."""
    for item, mine, theirs in item_values(pair.first, pair.second):
        if mine is not None and theirs is not None:
            yield item, (mine, theirs)


def _unless_empty(drawing: Chart[Part]) -> Chart[Part]:
    """Return a chart that shows something; else raise ``UsageError`` with its notes."""
    if not any(panel.categories for panel in drawing.panels):
        raise UsageError("there is nothing to draw" + "".join(f"; {note}" for note in drawing.notes))
    return drawing


def _shares(title: str, bars: Mapping[str, Sequence[tuple[float, float]]], measure: Metric) -> Bars:
    """Return bars in right and wrong where every value is one or the other, else in better and worse."""
    is_binary = all(value in (0.0, 1.0) for bar in bars.values() for both in bar for value in both)
    rows = tuple(
        Bar(name, tuple(share_out(bar, more_is_better=measure.more_is_better, is_binary=is_binary).values()))
        for name, bar in bars.items()
    )
    return Bars(title, "items (%)", RIGHT_OR_WRONG if is_binary else MORE_OR_LESS, rows)


def share_out(values: Iterable[tuple[float, float]], *, more_is_better: bool, is_binary: bool = True) -> dict[str, int]:
    """Return how many of these values of two rows are of each kind."""
    counts = dict.fromkeys(RIGHT_OR_WRONG if is_binary else MORE_OR_LESS, 0)
    kinds = list(counts)
    for mine, theirs in values:
        if not is_tie(mine, theirs):
            kind = kinds[0] if (mine > theirs) == more_is_better else kinds[-1]
        else:
            kind = kinds[1] if not is_binary or bool(mine) == more_is_better else kinds[2]
        counts[kind] += 1
    return counts
