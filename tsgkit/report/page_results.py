"""The grid at the top of a report's page: subjects and styles as rows, the headline metrics of all tasks as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from tsgkit.errors import TsgkitError
from tsgkit.graph.drawing.svg import Markup
from tsgkit.report import html
from tsgkit.report.figures import NOTHING, with_interval
from tsgkit.report.grid import grid
from tsgkit.report.html import tag, text
from tsgkit.report.page_title import enumerated
from tsgkit.report.report_rows import Report, ReportRow
from tsgkit.report.report_tables import headlines
from tsgkit.runs.plan import Cell
from tsgkit.suites.metrics import Metric
from tsgkit.suites.scoreboard import Board

LESS = "↓"
MOST_OPEN = 8
"""The meaning of so many metrics is shown without a click."""
Line = tuple[str, str, tuple[str, ...], int]
"""A row of the grid: its run (empty where runs need not be told apart), subject, way of asking, and repeat."""


class Marks(NamedTuple):
    """The marks of significant differences, by run and row, and what is to be said of them."""

    of: Mapping[tuple[str, Cell], str]
    legend: str
    notes: tuple[str, ...] = ()


def results(report: Report) -> Iterator[Markup]:
    """Yield the grid of the strict values, what its marks mean, and what its columns are."""
    if not report.rows:
        return
    columns = dict(_columns(report.rows))
    found = marks_of(report)
    lines = _lines(report)
    head = [*_who_head(report), *_heads(columns)]
    rows = ([*_who(report, line), *(_cell(rows.get(task), name, found) for task, name in columns)]
            for line, rows in lines.items())  # fmt: skip
    yield tag("div", html.table(head, rows, "strict: every item counts"), class_="scores")
    yield html.paragraph(found.legend, class_="pale")
    if found.notes:
        yield html.folded(text(f"Notes on the comparison ({len(found.notes)})"), html.listed(map(text, found.notes)))
    yield _meanings(columns, report.rows)


def value_shown(board: Board, profile: str, metric: str) -> Markup:
    """Return a value with its interval, or a dash."""
    return html.cell(with_interval((board.profiles[profile] or {}).get(metric)))


def marks_of(report: Report) -> Marks:
    """Return the marks that ``compare`` gives, if a model has several rows on a task."""
    brackets = "Values in percent unless they are counts; brackets hold 95 % intervals"
    seen = [(row.subject, row.task, row.run, row.cell._replace(repeat=0)) for row in report.rows]
    if len({(subject, task) for subject, task, *_ in seen}) == len(set(seen)):
        return Marks({}, f"{brackets}.")
    try:
        found = grid([Path(run) for run in report.runs], data=report.data)
    except TsgkitError as error:
        return Marks({}, f"{brackets}. Differences are not marked: {error}.")
    cells = [cell for row in found.rows for cell in row.cells if cell is not None]
    of = {(report.runs[cell.row.place], cell.row.cell): cell.mark for cell in cells if cell.mark}
    mains = enumerated(list(dict.fromkeys(found.metrics)))
    legend = "; ".join(found.legend)
    legend = f"{legend[:1].upper()}{legend[1:]}. Marks are about {mains}."
    return Marks(of, legend, found.notes)


def _columns(rows: Iterable[ReportRow]) -> Iterator[tuple[tuple[str, str], Metric]]:
    tasks: dict[str, dict[str, Metric]] = {}
    for row in rows:
        tasks.setdefault(row.task, {}).update((name, row.metrics[name]) for name in headlines(row))
    for task, metrics in tasks.items():
        yield from (((task, name), metric) for name, metric in metrics.items())


def _lines(report: Report) -> dict[Line, dict[str, ReportRow]]:
    """Return the rows of the grid with their results by task, those of a subject together."""
    found, apart = dict[Line, dict[str, ReportRow]](), _runs_matter(report)
    for row in report.rows:
        found.setdefault((row.run if apart else "", row.subject, row.way, row.repeat), {})[row.task] = row
    subjects = list(dict.fromkeys(line[1] for line in found))
    return {line: found[line] for line in sorted(found, key=lambda line: subjects.index(line[1]))}


def _who_head(report: Report) -> list[str]:
    return ["subject", "style", *(["run"] if _runs_matter(report) else [])]


def _runs_matter(report: Report) -> bool:
    """Return whether two runs have the same result, so that the run has to be named."""
    return len({row.cell for row in report.rows}) < len(report.rows)


def _who(report: Report, line: Line) -> list[Markup]:
    run, subject, way, _ = line
    told = [html.name(subject), html.name(" ".join(way)) if way else text(NOTHING)]
    return [*told, html.name(run)] if _runs_matter(report) else told


def _heads(columns: Mapping[tuple[str, str], Metric]) -> Iterator[str]:
    """Yield the headings of the columns: a task, unless there is one only, above a metric."""
    tasks = {task for task, _ in columns}
    is_one_suite = len({task.rpartition("/")[0] for task in tasks}) == 1
    for (task, name), metric in columns.items():
        above = task.rpartition("/")[2] if is_one_suite else task
        shown = name if metric.more_is_better else f"{name} {LESS}"
        yield f"{above}\n{shown}" if len(tasks) > 1 else shown


def _cell(row: ReportRow | None, name: str, found: Marks) -> Markup:
    if row is None or name not in row.metrics:
        return text(NOTHING)
    shown = value_shown(row.board, "strict", name)
    mark = found.of.get((row.run, row.cell)) if name == row.main and not row.repeat else None
    return Markup(shown + text(f" {mark}")) if mark else shown


def _meanings(columns: Mapping[tuple[str, str], Metric], rows: Iterable[ReportRow]) -> Markup:
    """Return what the columns, and then the other metrics, are; those of several tasks that mean the same once."""
    said = {name: metric for (_, name), metric in columns.items()} | {
        name: metric for row in rows for name, metric in row.metrics.items()
    }
    less = f" ({LESS} less is better)"
    told = [(name, text(one.meaning + ("" if one.more_is_better else less))) for name, one in said.items()]
    return html.folded(text("What the metrics are"), html.facts(told), is_open=len(told) <= MOST_OPEN)
