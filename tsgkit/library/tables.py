"""Rows of tables, read piece by piece: Parquet (with pyarrow), CSV, TSV and JSON Lines.

A row is a dict of values that JSON can hold. Rows are counted from 1, without the header of a CSV file.

>>> import io
>>> list(_csv(io.StringIO("id,text\\n1,cup\\n"), "rows.csv", ","))
[{'id': '1', 'text': 'cup'}]
>>> list(_csv(io.StringIO("id,text\\n1,cup,2\\n"), "rows.csv", ","))
Traceback (most recent call last):
tsgkit.errors.FileProblem: rows.csv: row 1: 3 cells, and the header has 2

A mapping is a file in YAML that says how the columns of a table become the fields of our rows:

    task: tsg/sgqa                            # whose rows these are (optional)
    split: test                               # or config: NAME, or file: data/test.parquet (all optional)
    fields:
      item_id: id                             # a column of another name
      question: {column: text, strip: true}   # without the blanks around it
      domain: {value: kitchen}                # the same value in every row
      tags: {column: labels, split: ";"}      # a list from one text
      graphs: {column: graphs_json, json: true}   # a value that is written as JSON
    others: keep                              # other columns: drop (default) or keep

A file for several tasks has ``tasks:``, with such a mapping under the name of each. Everything in it is data: no
expression is evaluated and no file is opened because a mapping or a row says so.
"""

from __future__ import annotations

import csv
import hashlib
import json
import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from tsgkit.errors import ExtraMissing, FileProblem, NotationError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.lexicon import meant
from tsgkit.library.cards import Declaration, Text, loaded, problem_of
from tsgkit.library.files import look_alike
from tsgkit.library.hub import is_inner_path


class FieldRule(Declaration):
    """The origin of a field: a column, with what is done to its value, or a constant."""

    column: Text | None = None
    value: Any = None
    split: Text | None = None
    strip: bool = False
    json_text: bool = Field(default=False, alias="json")

    @model_validator(mode="after")
    def _has_one_origin(self) -> FieldRule:
        if (self.column is None) == ("value" not in self.model_fields_set):
            raise ValueError("a column or a value is needed, and not both")
        if self.column is None and (self.split or self.strip or self.json_text):
            raise ValueError("split, strip and json are for columns")
        if self.split and self.json_text:
            raise ValueError("split or json, not both")
        return self

    def of(self, row: Mapping[str, Any]) -> Any:  # noqa: ANN401  (any value of JSON)
        """Return the value in a row; None where the row has none. ``ValueError`` names the column."""
        if self.column is None:
            return self.value
        cell = row.get(self.column)
        if cell is None or not (self.split or self.strip or self.json_text):
            return cell
        if not isinstance(cell, str):
            kind = "a list" if isinstance(cell, list) else "an object" if isinstance(cell, dict) else f"{cell!r:.40}"
            raise ValueError(f"column {self.column}: a text is needed, and this is {kind}")  # noqa: TRY004
        cell = cell.strip() if self.strip or self.json_text else cell
        if self.json_text:
            try:
                return load(cell) if cell else None
            except NotationError as error:
                raise ValueError(f"column {self.column}: {error.message}") from None
        if self.split is None:
            return cell
        return [part.strip() if self.strip else part for part in cell.split(self.split)] if cell else []


class RowMapping(Declaration):
    """The mapping of the rows of one task."""

    task: Text | None = None
    config: Text | None = None
    split: Text | None = None
    file: Text | None = None
    fields: Annotated[dict[Text, FieldRule], Field(min_length=1)] | None = None
    others: Literal["drop", "keep"] | None = None

    @field_validator("fields", mode="before")
    @classmethod
    def _with_columns(cls, value: object) -> object:
        """Let a text stand for a column."""
        if not isinstance(value, dict):
            return value
        return {name: {"column": rule} if isinstance(rule, str) else rule for name, rule in value.items()}

    @model_validator(mode="after")
    def _names_one_place(self) -> RowMapping:
        if self.file and (self.config or self.split):
            raise ValueError("file, or config and split, not both")
        if self.file and not is_inner_path(self.file):
            raise ValueError(f"file: {self.file!r} is not a path inside the dataset")
        return self

    @property
    def keeps_others(self) -> bool:
        """True if columns that are no field's are kept under their names; a mapping without fields keeps them all."""
        return self.others == "keep" or (self.others is None and self.fields is None)

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns that are read; None for all of them."""
        if self.keeps_others:
            return None
        return tuple(dict.fromkeys(rule.column for rule in (self.fields or {}).values() if rule.column is not None))

    def of(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a row; those without a value are left out. ``ValueError`` names the column."""
        rules = self.fields or {}
        used = {rule.column for rule in rules.values()}
        kept = {name: value for name, value in row.items() if name not in used} if self.keeps_others else {}
        fields = kept | {name: rule.of(row) for name, rule in rules.items()}
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True)
class NamedMapping:
    """A mapping and where it stands, for messages."""

    mapping: RowMapping
    source: str

    @property
    def value(self) -> dict[str, Any]:
        """The mapping as JSON, without what it leaves open."""
        return self.mapping.model_dump(mode="json", by_alias=True, exclude_unset=True)

    @property
    def changes_rows(self) -> bool:
        """True if rows are not taken as they are."""
        return self.mapping.fields is not None or self.mapping.others == "drop"

    @property
    def sha256(self) -> str:
        """A hash of what the mapping does."""
        return hashlib.sha256(json.dumps(self.value, sort_keys=True).encode()).hexdigest()

    def check_columns(self, known: Collection[str], file: str) -> None:
        """Raise ``UsageError`` if a field takes a column that a table lacks."""
        for name, rule in (self.mapping.fields or {}).items():
            if rule.column is not None and rule.column not in known:
                hint = meant(rule.column, tuple(known)) if known else "it has no columns"
                raise UsageError(f"{self.source}: fields.{name}: {file} has no column {rule.column}", hint=hint)


IDENTITY = NamedMapping(RowMapping(), "no mapping")
"""Columns that have the names of fields."""


def mappings_in(text: str, source: str) -> dict[str, NamedMapping]:
    """Return the mappings in a text by task; the key is empty for one that names no task."""
    value = loaded(text, source)
    if not isinstance(value, dict) or not value:
        raise UsageError(f"{source}: a mapping is fields and values", hint="it begins with fields: or with tasks:")
    if "tasks" not in value:
        mapping = _mapping(value, source)
        return {mapping.mapping.task or "": mapping}
    if len(value) > 1 or not isinstance(value["tasks"], dict):
        raise UsageError(f"{source}: tasks: expected a mapping under each name, and nothing beside tasks")
    mappings = {}
    for name, fields in value["tasks"].items():
        if not isinstance(fields, dict):
            raise UsageError(f"{source}: tasks.{name}: expected the fields of a mapping")
        mappings[str(name)] = _mapping({**fields, "task": str(name)}, f"{source}: tasks.{name}")
    return mappings


def mapping_for(task: str, mappings: Mapping[str, NamedMapping]) -> NamedMapping | None:
    """Return the mapping of a task (``tsg/sgqa``), which a file may name with its suite or without."""
    return mappings.get(task) or mappings.get(task.partition("/")[2]) or mappings.get("")


def _mapping(value: Mapping[Any, Any], source: str) -> NamedMapping:
    try:
        return NamedMapping(RowMapping.model_validate(value), source)
    except ValidationError as error:
        fields = (*RowMapping.model_fields, "tasks", "column", "value", "strip", "json")
        raise problem_of(error, source, "setting", fields) from None


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
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = _json_lines(stream, name) if kind == JSONL else _csv(stream, name, "\t" if kind == TSV else ",")
            for number, row in enumerate(rows, 1):
                if number == 1 or kind == JSONL:
                    rules = (mapping.mapping.fields or {}).values()
                    later = (rule.column for rule in rules if rule.column and number > 1)
                    mapping.check_columns({**row, **dict.fromkeys(later)}, name)
                yield row
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
    header: list[str] = []
    number = 0
    while True:
        usual_limit = csv.field_size_limit(LONGEST_CELL)  # of the whole process, so it is raised for one line at a time
        try:
            cells = next(reader, None)
        except csv.Error as error:
            problem = f"{name}: line {reader.line_num}: not CSV: {error}"
            raise FileProblem(problem, hint="a quote inside a cell is written twice") from None
        finally:
            csv.field_size_limit(usual_limit)
        if cells is None:
            return
        if not header:
            header = cells
            if twice := [cell for cell in cells if cells.count(cell) > 1]:
                problem = f"{name}: two columns are called {twice[0]!r}"
                raise FileProblem(problem, hint="the first line names the columns")
        elif cells:  # not a blank line
            number += 1
            if len(cells) != len(header):
                raise FileProblem(f"{name}: row {number}: {len(cells)} cells, and the header has {len(header)}")
            yield dict(zip(header, cells, strict=True))


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
        message = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
        raise FileProblem(f"{name}: not a Parquet file that can be read: {message}") from None


def _without_nulls(value: Any) -> Any:  # noqa: ANN401  (any value)
    """Return a value without fields that are null, as a table has them where a row has no such field."""
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _plain(value: Any, field: str) -> Any:  # noqa: ANN401  (any value)
    """Return a value that JSON can hold, else raise ``ValueError``."""
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise ValueError(f"{field}: a name that is no text")
        return {name: _plain(item, field) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, field) for item in value]
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    kind = "binary data" if isinstance(value, bytes) else f"a value of the kind {type(value).__name__}"
    raise ValueError(f"{field}: {value if isinstance(value, float) else kind}, which a row cannot hold")
