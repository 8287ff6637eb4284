"""The table that a report opens with: models and their ways as rows, the headline metrics of all tasks as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tsgkit.errors import TsgkitError
from tsgkit.report.figures import NOTHING, with_interval
from tsgkit.report.grid import grid
from tsgkit.report.plain_text import Foreign
from tsgkit.report.report_rows import Report, ReportRow
from tsgkit.report.table import Cell, Table
from tsgkit.runs.plan import Cell as PlanCell

LESS = "↓"
"""The sign at the head of a metric of which less is better."""


class Marks(NamedTuple):
    """The marks of significant differences, by run and row, and what is to be said of them."""

    of: Mapping[tuple[str, PlanCell], str]
    legend: tuple[str, ...]


def results_table(report: Report) -> Table:
    """Return the strict values, marked where a model's way differs from its first one."""
    columns = {(row.task, name): row.metrics[name] for row in report.rows for name in row.headlines}
    tasks = list(dict.fromkeys(task for task, _ in columns))
    columns = dict(sorted(columns.items(), key=lambda column: tasks.index(column[0][0])))
    is_one_suite = len({task.rpartition("/")[0] for task in tasks}) == 1
    heads = []
    for (task, name), metric in columns.items():
        shown = name if metric.more_is_better else f"{name} {LESS}"
        above = task.rpartition("/")[2] if is_one_suite else task
        heads.append(f"{above}\n{shown}" if len(tasks) > 1 else shown)
    # a run is named where two of them have the same result
    has_runs = len({row.cell for row in report.rows}) < len(report.rows)
    lines = dict[tuple[str, tuple[str, ...], str, int], dict[str, ReportRow]]()
    for row in report.rows:
        lines.setdefault((row.subject, row.way, row.run if has_runs else "", row.repeat), {})[row.task] = row
    marks, subjects = marks_of(report), list(dict.fromkeys(row.subject for row in report.rows))
    rows = []
    for line in sorted(lines, key=lambda line: subjects.index(line[0])):
        subject, way, run, _ = line
        who: list[Cell] = [Foreign(subject), Foreign(" ".join(way)) if way else NOTHING]
        who += [Foreign(run)] if has_runs else []
        rows.append((*who, *(_value(lines[line].get(task), name, marks) for task, name in columns)))
    head = ("subject", "style", *(["run"] if has_runs else []), *heads)
    notes = tuple((Foreign(note),) for note in marks.legend)
    return Table(("results, strict",), head, tuple(rows), notes, 2 + has_runs, label="results")


def marks_of(report: Report) -> Marks:
    """Return the marks that ``compare`` gives, if a model has several rows on a task."""
    brackets = "values in percent unless they are counts; brackets hold 95 % intervals"
    seen = [(row.subject, row.task, row.run, row.cell._replace(repeat=0)) for row in report.rows]
    if len({(subject, task) for subject, task, *_ in seen}) == len(set(seen)):
        return Marks({}, (brackets,))
    try:
        found = grid([Path(run) for run in report.runs], data=report.data)
    except TsgkitError as error:
        return Marks({}, (brackets, f"differences are not marked: {error}"))
    cells = [cell for row in found.rows for cell in row.cells if cell is not None]
    of = {(report.runs[cell.row.place], cell.row.cell): cell.mark for cell in cells if cell.mark}
    about = f"marks are about {', '.join(dict.fromkeys(found.metrics))}"
    return Marks(of, (*found.legend, about))


def _value(row: ReportRow | None, name: str, marks: Marks) -> Cell:
    if row is None or name not in row.metrics:
        return NOTHING
    mark = marks.of.get((row.run, row.cell), "") if name == row.metric and not row.repeat else ""
    return replace(with_interval((row.board.profiles["strict"] or {}).get(name)), mark=mark)
