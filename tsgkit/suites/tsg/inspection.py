"""Inspection of files: the task that they belong to, and their defects.

>>> row = '{"context_graphs": [[["person", "verbs", "wash"]]], "qa_pairs": [{"Q": "What happens?", "A": "wash"}]}'
>>> inspection = inspect(row.encode(), "rows.jsonl")
>>> inspection.task, inspection.rows, inspection.counts
('sgqa', 1, {'no-action': 1, 'edge-misspelt': 1, 'no-final-newline': 1})

Slips, known from the published data (a misspelt edge, an empty name, a choice of four), are findings: the data can be
used as they are. So is a row of one graph among those of several, which is scored as k = 1. A problem is what no task
could use: a line that is not JSON, rows of another kind, a row of several graphs among those of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.graph.rules import ERROR, WARNING, Finding, Place, Rule
from tsgkit.library.cards import load_card
from tsgkit.library.documents.lint import ALL_RULES, check_document
from tsgkit.library.documents.reader import Document, read_document
from tsgkit.library.documents.rows import RowKind, are_of_several, row_kind
from tsgkit.library.files import decoded
from tsgkit.suites.importers import Inspection
from tsgkit.suites.suite import task_of
from tsgkit.suites.tsg.rows import RowRules

TEXT_RULES = {
    "no-final-newline": Rule(WARNING, "the last line does not end"),
    "blank-line": Rule(WARNING, "a line without anything on it"),
    "byte-order-mark": Rule(WARNING, "the file begins with a byte order mark"),
}
FINDING_RULES: dict[str, Rule] = {**ALL_RULES, **TEXT_RULES}
ROWS = "data are JSON Lines: rows of sgqa, sgds, sa-sgg or ma-sgg"
TASKS: dict[str, RowKind] = {"sgqa": "sgqa", "sgds": "sgds", "sa-sgg": "sgg", "ma-sgg": "sgg"}
"""The published tasks, and the kind of row each is made from."""
ONE, SEVERAL = "sa-sgg", "ma-sgg"
ROWS_LOOKED_AT = 50
UNUSABLE = ("broken-line", "broken-file", "other-format", "repeated-id")


def inspect(data: bytes, file: str, task: str | None = None) -> Inspection:
    """Return the report about a file; without a task, the rows decide. Raise ``FileProblem`` if no task can use it."""
    text = decoded(data, file)
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):  # graphs can be read from prose; markup is named by who reads documents
        if begin := line.lstrip()[:1]:
            if begin not in "{[<":
                raise FileProblem(f"{file}: line {number}: not JSON", hint=ROWS)
            break
    document = read_document(text, file)
    if task is None:
        fitting = [name for name, kind in TASKS.items() if kind == document.format]
        if not fitting:
            raise FileProblem(_other_kind(document, "any task"), hint=ROWS)
        counts = [len(entry.narrative.graphs) for entry in document.entries]
        task = task_of_counts(counts) if document.format == "sgg" else fitting[0]
    report = check_document(document, of_several=task == SEVERAL)
    slips = [("byte-order-mark", 1)] if data.startswith(b"\xef\xbb\xbf") else []
    ended = lines[-1] == ""
    slips += [("blank-line", number) for number, line in enumerate(lines[: len(lines) - ended], 1) if not line.strip()]
    slips += [] if ended else [("no-final-newline", len(lines))]
    findings = (
        Finding(code, TEXT_RULES[code].severity, TEXT_RULES[code].meaning, place=Place(line)) for code, line in slips
    )
    problem = _problem(document, task)
    return Inspection(task, report.narratives, (*report.findings, *findings), FINDING_RULES, problem)


def _problem(document: Document, task: str) -> str:
    """Return why no task could use the file, or nothing."""
    if document.format != TASKS[task]:
        return _other_kind(document, task)
    for finding in document.findings:
        if finding.code in UNUSABLE:
            return f"{document.file}: {_line(finding.place.line)}{finding.message}"
    if not document.entries:
        return f"{document.file}: no row in it"
    rows: RowRules = task_of(load_card(f"tsg/{task}")).rows.own
    try:
        rows.items_in(document)
    except UsageError as error:
        for entry in document.entries:  # the line of the row, if one row alone causes it
            try:
                rows.check_answerable(rows.items_from(entry, document.file), document.file)
            except UsageError as own:
                return str(own).replace(f"{document.file}: ", f"{document.file}: {_line(entry.line)}", 1)
        return str(error)
    return ""


def _other_kind(document: Document, task: str) -> str:
    broken = next((finding for finding in document.findings if finding.severity == ERROR), None)
    if broken and broken.code in UNUSABLE:
        return f"{document.file}: {_line(broken.place.line)}{broken.message}"
    return f"{document.file}: line 1: these are not rows of {task} but {document.format}"


def _line(line: int | None) -> str:
    return f"line {line}: " if line else ""


def task_of_counts(counts: Sequence[int]) -> str:
    """Return the generation task of rows with so many graphs each."""
    return SEVERAL if are_of_several(counts) else ONE


def kinds_of(file: Path) -> tuple[str, ...]:
    """Return the tasks whose rows a file holds, by its first rows, or a folder, by its files; none if unknown."""
    if file.is_dir():
        return tuple(task for task in TASKS if (file / f"{task}.jsonl").exists())
    rows: list[object] = []  # the first ones, up to an unreadable one
    with suppress(OSError, UnicodeDecodeError, NotationError), file.open(encoding="utf-8-sig") as lines:
        for line in islice(filter(str.strip, lines), ROWS_LOOKED_AT):
            rows.append(load(line))  # noqa: PERF401  (what was read before an error stays)
    kind = row_kind(rows[0]) if rows else None
    if kind == "sgg":
        graphs = [row.get("graphs") for row in rows if isinstance(row, dict)]
        return (task_of_counts([len(of_row) for of_row in graphs if isinstance(of_row, list)]),)
    return tuple(task for task, of in TASKS.items() if of == kind)
