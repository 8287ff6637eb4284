"""Inspection of files of rows before import: the task that takes them, and invalid lines.

Used for every suite with row tasks and without an inspector of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tsgkit.graph.rules import ERROR, WARNING, Finding, Place, Rule
from tsgkit.library.files import decoded
from tsgkit.suites.text_task import RowTask

RULES = {
    "row": Rule(ERROR, "a line that is no row of the task"),
    "repeated-id": Rule(ERROR, "an item id occurs twice"),
    "repeated-item": Rule(WARNING, "two items ask the same"),
}


@dataclass(frozen=True)
class RowsInspected:
    """The rows of a file, the findings, and the reason why they cannot be used, if so."""

    task: str
    rows: int
    findings: tuple[Finding, ...]
    problem: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings of each code, in the order of the rules."""
        counts = Counter(finding.code for finding in self.findings)
        return {code: counts[code] for code in RULES if counts[code]}


@dataclass(frozen=True)
class RowInspector:
    """The inspector of a suite with these tasks of rows."""

    tasks: tuple[RowTask[Any, Any], ...]
    FINDING_RULES: ClassVar[Mapping[str, Rule]] = RULES

    def inspect(self, data: bytes, file: str, task: str | None = None) -> RowsInspected:
        """Return the report about these bytes; without a task, the one that takes most lines."""
        text = decoded(data, file)
        found = [_inspected(one, text, file) for one in self.tasks if task in (None, one.stored)]
        if not found:
            return RowsInspected(task or "", 0, (), f"{file}: there is no task of rows that is stored as {task}")
        return max(found, key=lambda one: one.rows)


def kinds_of_rows(tasks: Sequence[RowTask[Any, Any]], file: Path) -> tuple[str, ...]:
    """Return the tasks of rows that take the first row of a file, or that a folder has a file of."""
    if file.is_dir():
        return tuple(task.kind for task in tasks if (file / f"{task.stored}.jsonl").exists())
    try:
        with file.open(encoding="utf-8-sig") as lines:
            first = next(filter(str.strip, lines), "")
    except (OSError, ValueError):
        return ()
    return tuple(task.kind for task in tasks if any(line.item is not None for line in task.lines(first)))


def _inspected(task: RowTask[Any, Any], text: str, file: str) -> RowsInspected:
    findings = tuple(_findings(task, text))
    rows = sum(line.item is not None for line in task.lines(text))
    errors = [one for one in findings if RULES[one.code].severity == ERROR]
    problem = "" if rows or errors else f"{file}: there are no rows in it"
    if errors:
        more = f" (the first of {len(errors):,} errors)" if len(errors) > 1 else ""
        problem = f"{file}: line {errors[0].place.line}: {errors[0].message}{more}"
    return RowsInspected(task.stored, rows, findings, problem)


def _findings(task: RowTask[Any, Any], text: str) -> Iterator[Finding]:
    ids = set[str]()
    asked: dict[object, str] = {}
    for line in task.lines(text):
        if line.item is None:
            yield _finding("row", line.problem, Place(line.number))
            continue
        name = line.item.item_id
        place = Place(line.number, name)
        if name in ids:
            yield _finding("repeated-id", f"the item id {name} occurs twice", place)
        ids.add(name)
        first = asked.setdefault(task.identity(line.item).contents, name)
        if first != name:
            yield _finding("repeated-item", f"asks the same as {first}", place)


def _finding(code: str, message: str, place: Place) -> Finding:
    return Finding(code, RULES[code].severity, message, place=place)
