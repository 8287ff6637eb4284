"""Reports for continuous integration: JUnit XML with a test case for each row, and a summary in Markdown.

A row with failed samples or samples not asked yet is an error; one that misses a gate is a failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.sax.saxutils import quoteattr

from tsgkit.report.figures import NOTHING, cost, number, percent, with_interval
from tsgkit.report.markdown import table
from tsgkit.report.plain_text import Foreign, inert
from tsgkit.report.report_rows import Report, ReportRow
from tsgkit.report.table import Line, Table
from tsgkit.runs.gates import Gate, missed
from tsgkit.runs.results import Result

HEAD = ("task", "subject", "way", "metric", "strict", "95 % interval", "n", "official", "cost")


def junit(report: Report, gates: Sequence[Gate] = ()) -> str:
    """Return the report as JUnit XML."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_numbers(report.rows, gates)}>"]
    for run, of_run in groupby(report.rows, lambda row: row.run):
        rows = list(of_run)
        lines.append(f"  <testsuite name={_attribute(run)} {_numbers(rows, gates)}>")
        for row in rows:
            seconds = row.usage["seconds"] if row.usage else 0.0
            head = f'classname={_attribute(row.task)} name={_attribute(row.title)} time="{seconds:.3f}"'
            lines.append(f"    <testcase {head}>")
            failures = gates_missed(row, gates)
            if words := _trouble(row):
                lines.append(f'      <error type="incomplete" message={_attribute("; ".join([words, *failures]))}/>')
            elif failures:
                lines.append(f'      <failure type="gate" message={_attribute("; ".join(failures))}/>')
            value = with_interval(row.board.value(row.metric))
            text = f"{row.metric} {value.value} {value.interval} n {row.n:,}"
            lines += [f"      <system-out>{_attribute(text)[1:-1]}</system-out>", "    </testcase>"]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def summary(report: Report, gates: Sequence[Gate] = ()) -> str:
    """Return lines of Markdown: the metric that every row is compared by, the gates it misses, and errors."""
    rows, notes, failures = [], list[Line](), list[str]()
    for row in report.rows:
        strict, way = with_interval(row.board.value(row.metric)), Foreign(" ".join(row.way)) if row.way else NOTHING
        official = percent(row.board.value(row.metric, "official"))
        values = (strict.value, strict.interval, number(row.n), official, cost(row.usage))
        rows.append((Foreign(row.task), Foreign(row.subject), way, row.metric, *values))
        if words := _trouble(row):
            notes.append((Foreign(row.title), ": ", Foreign(words)))
        failures += gates_missed(row, gates)
        notes += [(Foreign(words),) for words in gates_missed(row, gates)]
    if gates and not failures:
        notes.append(("every gate is reached",))
    shown = Table(("tsgkit results",), HEAD, tuple(rows), tuple(notes), words=4)
    return "\n" + "\n".join(table(shown)) + "\n"


def gates_missed(row: ReportRow, gates: Sequence[Gate]) -> list[str]:
    """Return every gate that a row misses, in words."""
    return missed(gates, [Result(row.cell, row.board, {}, row.data, row.unasked)])


def _trouble(row: ReportRow) -> str:
    """Return the reason why a row is incomplete; empty if it is complete."""
    parts = []
    if row.failed:
        parts.append(f"{row.failed:,} of {row.n:,} samples failed ({'; '.join(row.errors)})")
    if row.unasked:
        parts.append(f"{row.unasked:,} of {row.total:,} samples were not asked")
    return ", ".join(parts)


def _numbers(rows: Sequence[ReportRow], gates: Sequence[Gate]) -> str:
    errors = sum(bool(_trouble(row)) for row in rows)
    failed = sum(bool(gates_missed(row, gates)) and not _trouble(row) for row in rows)
    seconds = sum(row.usage["seconds"] for row in rows if row.usage)
    return f'tests="{len(rows)}" failures="{failed}" errors="{errors}" skipped="0" time="{seconds:.3f}"'


def _attribute(text: str) -> str:
    """Return text in quotes; characters that XML forbids are written as escapes."""
    allowed = "".join(
        letter if letter not in "\ufffe\uffff" and not 0xD800 <= ord(letter) < 0xE000 else f"\\u{ord(letter):04x}"
        for letter in inert(text)
    )
    return quoteattr(allowed)
