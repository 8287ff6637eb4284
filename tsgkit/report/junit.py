"""Report as JUnit XML for continuous integration: a test case for each row.

A row with failed samples or samples not asked yet is an error; one that misses a gate is a failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from xml.sax.saxutils import quoteattr

from tsgkit.report.figures import interval, percent
from tsgkit.report.plain_text import inert
from tsgkit.report.report_rows import Report, ReportRow
from tsgkit.runs.gates import Gate, missed
from tsgkit.runs.results import Result


def write(report: Report, gates: Sequence[Gate] = ()) -> str:
    """Return the report as JUnit XML."""
    failures = {id(row): gates_missed(row, gates) for row in report.rows}
    suites = [_suite(run, list(rows), failures) for run, rows in groupby(report.rows, lambda row: row.run)]
    total = _numbers(report.rows, failures)
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {total}>", *suites, "</testsuites>", ""])


def gates_missed(row: ReportRow, gates: Sequence[Gate]) -> list[str]:
    """In words, every gate that a row misses."""
    return missed(gates, [Result(row.cell, row.board, {}, row.data, row.unasked)])


def trouble(row: ReportRow) -> str:
    """Return the reason why a row is incomplete; empty if it is complete."""
    parts = []
    if row.failed:
        parts.append(f"{row.failed:,} of {row.n:,} samples failed ({'; '.join(row.errors)})")
    if row.unasked:
        parts.append(f"{row.unasked:,} of {row.total:,} samples were not asked")
    return ", ".join(parts)


def _suite(run: str, rows: Sequence[ReportRow], failures: dict[int, list[str]]) -> str:
    cases = (_case(row, failures[id(row)]) for row in rows)
    return "\n".join([f"  <testsuite name={_attribute(run)} {_numbers(rows, failures)}>", *cases, "  </testsuite>"])


def _numbers(rows: Sequence[ReportRow], failures: dict[int, list[str]]) -> str:
    errors = sum(bool(trouble(row)) for row in rows)
    failed = sum(bool(failures[id(row)]) and not trouble(row) for row in rows)
    seconds = sum(row.usage["seconds"] for row in rows if row.usage)
    return f'tests="{len(rows)}" failures="{failed}" errors="{errors}" skipped="0" time="{seconds:.3f}"'


def _case(row: ReportRow, failures: Sequence[str]) -> str:
    seconds = row.usage["seconds"] if row.usage else 0.0
    head = f'classname={_attribute(row.task)} name={_attribute(row.title)} time="{seconds:.3f}"'
    inside = []
    if words := trouble(row):
        inside.append(f'      <error type="incomplete" message={_attribute("; ".join([words, *failures]))}/>')
    elif failures:
        inside.append(f'      <failure type="gate" message={_attribute("; ".join(failures))}/>')
    value = (row.board.profiles["strict"] or {}).get(row.metric)
    said = f"{row.metric} {percent(value)} {interval(value)} n {row.n:,}"
    inside.append(f"      <system-out>{_attribute(said)[1:-1]}</system-out>")
    return "\n".join([f"    <testcase {head}>", *inside, "    </testcase>"])


def _attribute(text: str) -> str:
    """Return text in quotes; characters that XML forbids are written as escapes."""
    allowed = "".join(
        letter if letter not in "\ufffe\uffff" and not 0xD800 <= ord(letter) < 0xE000 else f"\\u{ord(letter):04x}"
        for letter in inert(text)
    )
    return quoteattr(allowed)
