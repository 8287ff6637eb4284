"""Says of a file's bytes whether they are questions of this suite, and what is wrong with them.

>>> row = '{"id": "000001", "scene": "Park", "prompt": "", "question_type": [], "questions": [], "answers": []}'
>>> found = inspect(row.encode(), "rows.jsonl")
>>> found.rows, found.counts, found.problem.partition(": 0")[0]
(1, {'row-shape': 1}, 'rows.jsonl: line 1: item 000001')
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tsgkit.errors import UsageError
from tsgkit.graph.rules import Finding, Place
from tsgkit.suites.spatialgen.defects import RULES, findings
from tsgkit.suites.spatialgen.rows import Row, read_rows
from tsgkit.suites.spatialgen.samples import Rows

TASK = "questions"
FINDING_RULES = RULES


@dataclass(frozen=True)
class Inspection:
    """How many rows a file holds, what was found in them, and why they cannot be used, if so."""

    rows: int
    findings: tuple[Finding, ...]
    problem: str = ""
    task: str = TASK

    @property
    def counts(self) -> dict[str, int]:
        """How many findings of each code, in the order of the rules."""
        counts = Counter(finding.code for finding in self.findings)
        return {code: counts[code] for code in FINDING_RULES if counts[code]}


def inspect(data: bytes, file: str, task: str | None = None) -> Inspection:
    """What a file holds."""
    try:
        rows = list(read_rows(data.splitlines(keepends=True), file))
    except UsageError as error:
        return Inspection(0, (), str(error))
    found = (Finding(one.code, one.severity, one.message, place=Place(one.line, one.item)) for one in findings(rows))
    return Inspection(len(rows), tuple(found), _problem(rows, file))


def _problem(rows: list[Row], file: str) -> str:
    """Why no evaluation takes these rows, or nothing."""
    try:
        Rows(file, rows)
    except UsageError as error:
        return str(error)
    return ""
