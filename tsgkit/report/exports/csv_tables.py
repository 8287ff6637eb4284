"""Tables of a run as CSV: three files; no cell is a formula, and control characters are escapes."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from tsgkit.report.exports.columns import TABLES, values_of
from tsgkit.report.exports.recorded_run import RecordedRun
from tsgkit.report.spreadsheet import cell

ENDING = ".csv"
WHAT = "tables"


def check() -> None:
    """Nothing is needed that could be missing."""


def names(run: RecordedRun) -> Sequence[str]:
    """Return the names of the tables."""
    return [f"{table}{ENDING}" for table in TABLES]


def write(run: RecordedRun, folder: Path) -> None:
    """Write the tables in one pass over the samples."""
    with ExitStack() as files:
        writers = {}
        for table, columns in TABLES.items():
            file = files.enter_context((folder / f"{table}{ENDING}").open("w", encoding="utf-8", newline=""))
            writers[table] = csv.DictWriter(file, [column.name for column in columns], lineterminator="\r\n")
            writers[table].writeheader()
        for sample in run.samples():
            for table, line in values_of(sample):
                writers[table].writerow({name: _cell(value) for name, value in line.items()})


def _cell(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else cell(value)
