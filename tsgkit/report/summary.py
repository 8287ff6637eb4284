"""Summary of a report in a few lines of Markdown, for the summary page of continuous integration."""

from __future__ import annotations

from collections.abc import Sequence

from tsgkit.report.figures import NOTHING, cost, interval, number, percent
from tsgkit.report.junit import gates_missed, trouble
from tsgkit.report.markdown import table
from tsgkit.report.plain_text import Foreign
from tsgkit.report.report_rows import Report
from tsgkit.report.table import Line, Table
from tsgkit.runs.gates import Gate

HEAD = ("task", "subject", "way", "metric", "strict", "95 % interval", "n", "official", "cost")


def write(report: Report, gates: Sequence[Gate] = ()) -> str:
    """Return the metric that every row is compared by, the gates it misses, and errors."""
    rows, notes = [], list[Line]()
    for row in report.rows:
        strict, official = ((row.board.profiles[name] or {}).get(row.metric) for name in ("strict", "official"))
        way = Foreign(" ".join(row.way)) if row.way else NOTHING
        values = (percent(strict), interval(strict), number(row.n), percent(official), cost(row.usage))
        rows.append((Foreign(row.task), Foreign(row.subject), way, row.metric, *values))
        if words := trouble(row):
            notes.append((Foreign(row.title), ": ", Foreign(words)))
        notes += [(Foreign(words),) for words in gates_missed(row, gates)]
    if gates and not any(gates_missed(row, gates) for row in report.rows):
        notes.append(("every gate is reached",))
    shown = Table(("tsgkit results",), HEAD, tuple(rows), tuple(notes), words=4)
    return "\n" + "\n".join(table(shown)) + "\n"
