"""Tables of a run as Parquet: three typed files, written in groups of rows so that memory does not grow.

Needs the extra ``parquet``; pyarrow is imported here alone, when a table is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tsgkit.errors import ExtraMissing, UsageError
from tsgkit.report.exports.columns import TABLES, Column, Kind, values_of
from tsgkit.report.exports.recorded_run import RecordedRun
from tsgkit.version import __version__

ENDING = ".parquet"
WHAT = "tables"
GROUP_ROWS = 5_000
GROUP_LETTERS = 1 << 23
"""Rows, and characters of text, of one group of rows at most."""

LEAST, MOST = -(1 << 63), (1 << 63) - 1
"""The least and the greatest whole number that a column holds."""


def check() -> None:
    """Raise ``ExtraMissing`` where pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise ExtraMissing("Parquet is written", "pyarrow", "parquet")


def names(run: RecordedRun) -> Sequence[str]:
    """Return the names of the tables."""
    return [f"{table}{ENDING}" for table in TABLES]


def write(run: RecordedRun, folder: Path) -> None:
    """Write the tables in one pass over the samples."""
    with ExitStack() as stack:
        tables = {}
        for table, columns in TABLES.items():
            about = {"tsgkit": __version__, "run": run.identity, "table": table}
            tables[table] = _Table(folder / f"{table}{ENDING}", columns, about)
            stack.callback(tables[table].close)
        for sample in run.samples():
            for table, line in values_of(sample):
                tables[table].add(line)
        for file in tables.values():
            file.flush()


class _Table:
    """A Parquet file that is being written."""

    def __init__(self, path: Path, columns: Sequence[Column], about: Mapping[str, str]) -> None:
        import pyarrow
        import pyarrow.parquet

        types = {
            Kind.TEXT: pyarrow.string(),
            Kind.JSON: pyarrow.string(),
            Kind.WHOLE: pyarrow.int64(),
            Kind.NUMBER: pyarrow.float64(),
            Kind.TRUTH: pyarrow.bool_(),
        }
        fields = [pyarrow.field(name, types[kind], metadata={"meaning": meaning}) for name, kind, meaning in columns]
        self._name = path.name
        self._schema = pyarrow.schema(fields, dict(about))
        self._writer = pyarrow.parquet.ParquetWriter(path, self._schema, compression="zstd")
        self._lines: list[dict[str, Any]] = []
        self._letters = 0

    def add(self, line: dict[str, Any]) -> None:
        """Add a line; a full group of rows is written."""
        for name, value in line.items():
            if isinstance(value, int) and not LEAST <= value <= MOST:
                problem = f"{self._name}: column {name}: a number takes more than 64 bits, the most that Parquet holds"
                raise UsageError(problem, hint="nothing was written; csv holds it: --to csv")
        self._lines.append(line)
        self._letters += sum(len(value) for value in line.values() if isinstance(value, str))
        if len(self._lines) >= GROUP_ROWS or self._letters >= GROUP_LETTERS:
            self.flush()

    def flush(self) -> None:
        """Write the lines that were added as a group of rows."""
        import pyarrow

        if self._lines:
            self._writer.write_table(pyarrow.Table.from_pylist(self._lines, schema=self._schema))
        self._lines, self._letters = [], 0

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()
