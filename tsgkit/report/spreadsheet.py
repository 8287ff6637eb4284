"""Report as CSV: one line for each figure, values as fractions of 1; no cell is a formula.

>>> cell("=1+1"), cell("a,b"), cell(-0.5)
("'=1+1", 'a,b', '-0.5')

``kind`` is ``metric``, ``count``, ``usage`` or ``published``. An unknown value is ``(unknown)``. One that does not
apply is empty, with a ``reason``.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from tsgkit.report.figures import UNKNOWN
from tsgkit.report.plain_text import inert
from tsgkit.report.report_rows import Report, ReportRow
from tsgkit.runs.plan import AXES
from tsgkit.suites.scoreboard import Board

HEAD = (
    *("run", "name", "task", "subject", "solver", "style", "repeat", "protocol", "kind", "group", "member", "profile"),
    *("metric", "better", "value", "low", "high", "n", "items", "reason"),
)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "|", "%", "＝", "＋", "－", "＠")
"""Beginnings of cells that spreadsheets interpret."""
Fields = dict[str, object]


def write(report: Report) -> str:
    """Return the report as CSV."""
    text = io.StringIO()
    several = [name for name in AXES if any(name in row.cell.value for row in report.rows)]
    writer = csv.DictWriter(text, (*HEAD, *several), restval="", quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows({name: cell(value) for name, value in line.items()} for line in lines(report))
    return text.getvalue()


def csv_text(table: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV, of which no cell is a formula."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([[cell(value) for value in row] for row in table])
    return out.getvalue()


def cell(value: object) -> str:
    """Return a cell: numbers as they are, text so that it stays text."""
    if value is None:
        return ""
    if isinstance(value, int | float):
        return repr(value)
    text = inert(str(value))
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text


def lines(report: Report) -> Iterator[Fields]:
    """Yield one line a figure."""
    names = ("run", "name", "task", "subject", "solver", "style", "repeat", "protocol")
    for row in report.rows:
        about = {name: getattr(row, name) for name in names} | row.cell.own_axes
        yield from (about | line for line in _metrics(row, row.board))
        for group, members in row.groups.items():
            for name, board in members.items():
                yield from (about | {"group": group, "member": name} | line for line in _metrics(row, board))
        counts = row.board.counts | {"unasked": row.unasked}
        yield from (about | {"kind": "count", "metric": name, "value": value} for name, value in counts.items())
        for name, value in (row.usage or {}).items():
            yield about | {"kind": "usage", "metric": name, "value": UNKNOWN if value is None else value}
    for match in report.beside:
        for figure in match.figures:
            yield {
                "name": figure.table,
                "task": match.row.task,
                "subject": figure.model,
                "style": match.style,
                "kind": "published",
                "profile": "official",
                "metric": figure.metric,
                "value": figure.value,
                "items": figure.items,
                "reason": figure.doubt,
            }


def _metrics(row: ReportRow, board: Board) -> Iterator[Fields]:
    for profile in board.profiles:
        for name, metric in row.metrics.items():
            if name not in (board.profiles["strict"] or {}):
                continue
            line: Fields = {"kind": "metric", "profile": profile, "metric": name, "items": board.n}
            line["better"] = "more" if metric.more_is_better else "less"
            if (value := board.value(name, profile)) is None:
                line["reason"] = board.reasons.get(f"{profile}.{name}", board.reasons.get(profile, ""))
            else:
                line |= {field: getattr(value, field) for field in ("value", "low", "high", "n")}
            yield line
