"""Mappings: files in YAML that say how the columns of a table become the fields of our rows.

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

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.lexicon import meant
from tsgkit.library.declarations import loaded, problem_of
from tsgkit.library.hub_names import is_inner_path

Text = Annotated[str, Field(min_length=1)]


class _Declared(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class FieldRule(_Declared):
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
        found = row.get(self.column)
        if found is None or not (self.split or self.strip or self.json_text):
            return found
        if not isinstance(found, str):
            raise ValueError(f"column {self.column}: a text is needed, and this is {_kind(found)}")  # noqa: TRY004
        found = found.strip() if self.strip or self.json_text else found
        if self.json_text:
            return self._read(found) if found else None
        if self.split is None:
            return found
        return [part.strip() if self.strip else part for part in found.split(self.split)] if found else []

    def _read(self, text: str) -> Any:  # noqa: ANN401  (any value of JSON)
        try:
            return load(text)
        except NotationError as error:
            raise ValueError(f"column {self.column}: {error.message}") from None


class RowMapping(_Declared):
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
        found = kept | {name: rule.of(row) for name, rule in rules.items()}
        return {name: value for name, value in found.items() if value is not None}


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
        one = _mapping(value, source)
        return {one.mapping.task or "": one}
    if len(value) > 1 or not isinstance(value["tasks"], dict):
        raise UsageError(f"{source}: tasks: expected a mapping under each name, and nothing beside tasks")
    found = {}
    for name, fields in value["tasks"].items():
        if not isinstance(fields, dict):
            raise UsageError(f"{source}: tasks.{name}: expected the fields of a mapping")
        found[str(name)] = _mapping({**fields, "task": str(name)}, f"{source}: tasks.{name}")
    return found


def mapping_for(task: str, found: Mapping[str, NamedMapping]) -> NamedMapping | None:
    """Return the mapping of a task (``tsg/sgqa``), which a file may name with its suite or without."""
    return found.get(task) or found.get(task.partition("/")[2]) or found.get("")


def _mapping(value: Mapping[Any, Any], source: str) -> NamedMapping:
    try:
        return NamedMapping(RowMapping.model_validate(value), source)
    except ValidationError as error:
        fields = (*RowMapping.model_fields, "tasks", "column", "value", "strip", "json")
        found = problem_of(error, source, "setting", fields)
        raise UsageError(found.message.replace("Value error, ", ""), hint=found.hint) from None


def _kind(value: object) -> str:
    return "a list" if isinstance(value, list) else "an object" if isinstance(value, dict) else f"{value!r:.40}"
