"""Rows of tables, read piece by piece: Parquet (with pyarrow), CSV, TSV and JSON Lines.

A row is a dict of values that JSON can hold. Rows are counted from 1, without the header of a CSV file.

>>> import io
>>> list(_csv(io.StringIO("id,text\\n1,cup\\n"), "rows.csv", ","))
[{'id': '1', 'text': 'cup'}]
>>> list(_csv(io.StringIO("id,text\\n1,cup,2\\n"), "rows.csv", ","))
Traceback (most recent call last):
tsgkit.errors.FileProblem: rows.csv: row 1: 3 cells, and the header has 2
"""

from __future__ import annotations

import csv
import math
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from tsgkit.errors import ExtraMissing, FileProblem, NotationError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.library.files import look_alike
from tsgkit.library.mappings import NamedMapping

PARQUET, CSV, TSV, JSONL = ".parquet", ".csv", ".tsv", ".jsonl"
TABLES = (PARQUET, CSV, TSV)
SUFFIXES = (JSONL, *TABLES)
LONGEST_CELL = 1 << 24
"""Characters of a cell of CSV, or of a line of JSON; more of them show a quote that is never closed."""
BATCH = 256
"""Rows of Parquet that are held at once."""
BUFFER = 1 << 16
"""Bytes of a column of Parquet that are read at once; without it whole files are held."""


def suffix_of(name: str) -> str:
    """Return the ending that says what a file is."""
    return PurePosixPath(name).suffix.lower()


def mapped_rows(path: Path, name: str, kind: str, mapping: NamedMapping) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table as a mapping makes them; ``FileProblem`` names the file, the row and the column."""
    for number, row in enumerate(_rows(path, name, kind, mapping), 1):
        try:
            yield {field: _plain(value, field) for field, value in mapping.mapping.of(row).items()}
        except ValueError as error:
            hint = f"see {mapping.source}" if mapping.changes_rows else "a mapping can leave this column out"
            raise FileProblem(f"{name}: row {number}: {error}", hint=hint) from None


def _rows(path: Path, name: str, kind: str, mapping: NamedMapping) -> Iterator[dict[str, Any]]:
    if kind == PARQUET:
        yield from _parquet(path, name, mapping)
        return
    with _opened(path, name) as stream:
        rows = _json_lines(stream, name) if kind == JSONL else _csv(stream, name, "\t" if kind == TSV else ",")
        for number, row in enumerate(rows, 1):
            if number == 1 or kind == JSONL:
                mapping.check_columns(_columns(row, mapping, number), name)
            yield row


def _columns(row: dict[str, Any], mapping: NamedMapping, number: int) -> Collection[str]:
    """Return the columns that a row allows; a later line of JSON may lack fields that the first one has."""
    later = (rule.column for rule in (mapping.mapping.fields or {}).values() if rule.column and number > 1)
    return {**row, **dict.fromkeys(later)}


@contextmanager
def _opened(path: Path, name: str) -> Iterator[IO[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            yield stream
    except FileNotFoundError:
        raise FileProblem(f"{name}: no such file", hint=look_alike(path)) from None
    except UnicodeDecodeError:
        raise FileProblem(f"{name}: not UTF-8 text", hint="save it as UTF-8") from None
    except OSError as error:
        raise FileProblem(f"{name}: cannot be read: {error.strerror}") from None


def _json_lines(stream: IO[str], name: str) -> Iterator[dict[str, Any]]:
    number = 0
    while line := stream.readline(LONGEST_CELL + 1):
        number += 1
        if len(line) > LONGEST_CELL:
            raise FileProblem(f"{name}: line {number}: more than {LONGEST_CELL:,} characters")
        if not line.strip():
            continue
        try:
            value = load(line)
        except NotationError as error:
            raise FileProblem(f"{name}: line {number}: {error.message}", hint="one JSON object a line") from None
        if not isinstance(value, dict):
            raise FileProblem(f"{name}: line {number}: not a JSON object")
        yield value


def _csv(stream: IO[str], name: str, delimiter: str) -> Iterator[dict[str, Any]]:
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    number = 0
    for cells in _cells(reader, name):
        if not cells:  # a blank line
            continue
        if header is None:
            header = _header(cells, name)
            continue
        number += 1
        if len(cells) != len(header):
            raise FileProblem(f"{name}: row {number}: {len(cells)} cells, and the header has {len(header)}")
        yield dict(zip(header, cells, strict=True))


def _cells(reader: Any, name: str) -> Iterator[list[str]]:  # noqa: ANN401  (csv's reader has no public type)
    """Yield the cells of each line, with csv's limit raised while a line is read."""
    while True:
        before = csv.field_size_limit(LONGEST_CELL)
        try:
            cells: list[str] = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FileProblem(
                f"{name}: line {reader.line_num}: not CSV: {error}", hint="a quote inside a cell is written twice"
            ) from None
        finally:
            csv.field_size_limit(before)
        yield cells


def _header(cells: list[str], name: str) -> list[str]:
    if twice := [cell for cell in cells if cells.count(cell) > 1]:
        raise FileProblem(f"{name}: two columns are called {twice[0]!r}", hint="the first line names the columns")
    return cells


def _parquet(path: Path, name: str, mapping: NamedMapping) -> Iterator[dict[str, Any]]:
    with _arrow(name):
        import pyarrow.parquet

        table = pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=BUFFER)
    with table:
        known = tuple(table.schema_arrow.names)
        mapping.check_columns(known, name)
        wanted = mapping.mapping.columns
        if wanted is not None and any("." in column for column in known):  # which pyarrow takes for a path in a struct
            wanted = None
        batches = table.iter_batches(batch_size=BATCH, columns=wanted and list(wanted), use_threads=False)
        while True:
            with _arrow(name):
                batch = next(batches, None)
                rows = None if batch is None else batch.to_pylist()
            if rows is None:
                return
            yield from map(_without_nulls, rows)


@contextmanager
def _arrow(name: str) -> Iterator[None]:
    """Raise what pyarrow raises in our words: it has a class of error for each way in which a file can be broken."""
    try:
        yield
    except ImportError:
        raise ExtraMissing("Parquet files are read", "pyarrow", "parquet") from None
    except FileNotFoundError:
        raise FileProblem(f"{name}: no such file") from None
    except (OSError, ValueError, TypeError, NotImplementedError, RuntimeError, MemoryError, ArithmeticError) as error:
        told = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
        raise FileProblem(f"{name}: not a Parquet file that can be read: {told}") from None


def _without_nulls(value: Any) -> Any:  # noqa: ANN401  (any value)
    """Return a value without fields that are null, as a table has them where a row has no such field."""
    if isinstance(value, dict):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def _plain(value: Any, field: str) -> Any:  # noqa: ANN401  (any value)
    """Return a value that JSON can hold, else raise ``ValueError``."""
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise ValueError(f"{field}: a name that is no text")
        return {name: _plain(one, field) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one, field) for one in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    kind = "binary data" if isinstance(value, bytes) else f"a value of the kind {type(value).__name__}"
    raise ValueError(f"{field}: {value if isinstance(value, float) else kind}, which a row cannot hold")
