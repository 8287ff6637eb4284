"""Published tables beside ours: their figures, doubts about them, and differences in how both were obtained.

>>> reference = load_reference()
>>> figure = next(figure for figure in reference.figures("tsg/sgds", "zero-shot") if figure.model == "Mistral-7B")
>>> figure.value, figure.doubt
(0.9014, 'an accuracy over 250 items is a multiple of 1/250')

The figures are data, a file for each suite (``eval/reference/tsg_bench.yaml``). Doubts about them are listed there too;
:func:`doubts_found` computes those that can be computed.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tsgkit.errors import UsageError, first_fault
from tsgkit.library.cards import loaded
from tsgkit.library.datasets import catalogue, dataset, is_official, shipped_datasets, shipped_file
from tsgkit.library.files import read_bytes
from tsgkit.library.projects import find, search_path, text_of
from tsgkit.report.report_rows import PublishedFigure, PublishedMatch, Report, ReportRow
from tsgkit.runs.plan import RULES
from tsgkit.suites.suite import Suite, suites

PUBLISHED = "published"
ROUNDING = 0.0100001
"""Figures have two decimals; a sum of two of them is off by at most this much."""

Text = Annotated[str, Field(min_length=1)]
Kind = Literal["bound", "multiple", "sum", "mean", "shifted", "unlike"]


class _Declared(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PublishedColumn(_Declared):
    """The meaning of one figure in every row of a table."""

    task: Text
    metric: Text
    style: Text
    items: Annotated[int, Field(ge=1)]
    part: str = ""
    is_share: bool = True
    """True if it is a fraction shown in percent, rather than a level."""

    @property
    def title(self) -> str:
        """The title that distinguishes it from other columns."""
        return " ".join(filter(None, (self.task, self.style, self.part, self.metric)))


class PublishedTable(_Declared):
    """One table: columns, and a row of figures for every model."""

    name: Text
    about: Text
    unit: Literal["percent", "count"] = "percent"
    columns: Annotated[tuple[PublishedColumn, ...], Field(min_length=1)]
    rows: dict[str, tuple[Annotated[float, Field(ge=0)], ...]]

    @model_validator(mode="after")
    def _is_whole(self) -> PublishedTable:
        for model, figures in self.rows.items():
            if len(figures) != len(self.columns):
                raise ValueError(f"{model} has {len(figures)} figures for {len(self.columns)} columns")
            if self.unit == "percent" and max(figures) > 100:
                raise ValueError(f"{model} has a figure above 100")
        if len({column.title for column in self.columns}) < len(self.columns):
            raise ValueError("two columns have the same title")
        return self


class Doubt(_Declared):
    """Figures of one row that cannot be right or are unreliable, by the titles of their columns."""

    table: Text
    model: Text
    kind: Kind
    columns: Annotated[tuple[Text, ...], Field(min_length=1)]
    reason: Text


class Reference(_Declared):
    """All tables of a paper."""

    source: Text
    dataset: Text
    """The catalogue's name of the data that were asked."""
    styles: Annotated[tuple[Text, ...], Field(min_length=1)]
    """The styles shown beside ours; a row in none of them is shown beside the first style of its task."""
    beside_first: tuple[Text, ...] = ()
    """Rows shown beside the first style for every subject, such as human performance."""
    temperature: float
    judge: str = ""
    """The judge that the paper reports."""
    remarks: tuple[Text, ...] = ()
    tables: tuple[PublishedTable, ...]
    doubtful: tuple[Doubt, ...]

    @model_validator(mode="after")
    def _doubts_are_of_figures(self) -> Reference:
        known = {(t.name, model, c.title) for t in self.tables for model in t.rows for c in t.columns}
        for doubt in self.doubtful:
            for column in doubt.columns:
                if (doubt.table, doubt.model, column) not in known:
                    raise ValueError(f"doubtful: {doubt.table} has no {column} of {doubt.model}")
        return self

    def figures(self, task: str, style: str) -> Iterator[PublishedFigure]:
        """Yield all figures of a task in a style, table by table."""
        doubts = {(d.table, d.model, column): d.reason for d in self.doubtful for column in d.columns}
        for table in self.tables:
            for model, row in table.rows.items():
                for column, number in zip(table.columns, row, strict=True):
                    if (column.task, column.style) == (task, style):
                        doubt = doubts.get((table.name, model, column.title), "")
                        is_share = column.is_share and table.unit == "percent"
                        value = round(number / (100 if is_share else 1), 6)
                        yield PublishedFigure(table.name, model, column.metric, value, column.items, doubt, is_share)


def load_reference(suite: str = "") -> Reference:
    """Return the published tables of a suite (empty: the first), checked; ``UsageError`` where there are none."""
    file = find("eval", f"reference/{_file_of(suite)}")
    return reference_from(text_of(file), str(file))


def _file_of(suite: str) -> str:
    """Return the file that holds the tables of a suite; an empty name is the first suite's."""
    named_differences = next((known for known in suites() if not suite or known.name == suite), Suite(suite))
    return named_differences.tables or f"{named_differences.name}.yaml"


@lru_cache(maxsize=16)
def reference_from(text: str, source: str) -> Reference:
    """Return the tables in a YAML text. Raise ``UsageError`` if it is invalid."""
    try:
        return Reference.model_validate(loaded(text, source))
    except ValidationError as error:
        hint = "the tables that come along show the form"
        raise UsageError(f"{source}: {first_fault(error)}", hint=hint) from None


def against_published(report: Report) -> Report:
    """Return the report with published figures beside every row that there are some for.

    Rows on a shipped dataset stand beside the figures of our baselines, others beside the tables of their suite.
    """
    of_suites = {suite: _reference_in(_file_of(suite)) for suite in {row.suite for row in report.rows}}
    matches: list[PublishedMatch | None] = []
    for row in report.rows:
        reference = of_suites[row.suite]
        for name in shipped_datasets(row.suite):
            file = shipped_file(row.suite, name, row.kind)
            if file is not None and hashlib.sha256(file.read_bytes()).hexdigest() == row.data_sha256:
                reference = _reference_in(f"{name}.yaml") or reference
                break
        matches.append(None if reference is None else _match(row, reference))
    return replace(report, beside=tuple(match for match in matches if match is not None))


def _reference_in(file: str) -> Reference | None:
    """Return the tables in a file of the search path; None if there is no such file."""
    places = (folder.joinpath("reference", file) for folder in search_path("eval"))
    place = next((place for place in places if place.is_file()), None)
    return None if place is None else reference_from(text_of(place), str(place))


def _match(row: ReportRow, reference: Reference) -> PublishedMatch | None:
    """Return a row beside the figures of its style, with the differences in how both were obtained."""
    task, ways = f"{row.suite}/{row.kind}", (row.style, row.solver)
    styles = [style for style in reference.styles if any(reference.figures(task, style))]
    if not styles:
        return None
    style = next((way for way in ways if way in styles), styles[0])
    styles_beside = (style, *(reference.beside_first if style == styles[0] else ()))
    figures = tuple(figure for name in styles_beside for figure in reference.figures(task, name))
    items = max(figure.items for figure in figures)
    is_ours = reference.dataset in shipped_datasets(row.suite)
    temperature = (row.parameters or {}).get("temperature")
    differences = {
        "data: ours are not the published file, so the figures are of different items": not (
            is_ours or asks_published_data(row.kind, row.data, reference.dataset)
        ),
        f"n: {row.n:,} items here, {items:,} there": row.n != items,
        f"style: {row.style or 'a baseline without a prompt'} here, {style} there": (
            style not in ways and (row.style or row.solver == "baseline")
        ),
        f"protocol: {row.protocol_note}": row.protocol_note,
        f"judge: {row.judge} here, {reference.judge} there": (
            reference.judge and row.judge is not None and row.judge.rpartition("/")[2] != reference.judge
        ),
        "prompts: the same requests in our wording": (
            row.solver != "baseline" and row.judge != RULES and row.prompts is None and not is_ours
        ),
        f"temperature: {temperature} here, {reference.temperature} there": (
            temperature not in (None, reference.temperature)
        ),
        f"not finished: {row.unasked} items not asked, {row.failed} failed (these count as wrong here)": (
            row.unasked or row.failed
        ),
    }
    named_differences = tuple(text for text, does_differ in differences.items() if does_differ)
    return PublishedMatch(row, style, figures, named_differences, reference.source)


def asks_published_data(kind: str, file: str, name: str) -> bool:
    """Return whether a file is one of a published dataset, by its checksum; where none is known, by having all of its
    rows.
    """
    known = catalogue().get(name)
    if known is None or not Path(file).is_file():
        return False
    here = dataset(name)
    stored = next((part for part in here.files if (here.folder / part.name) == Path(file)), None)
    if stored is not None and stored.official is None:
        return stored.rows == stored.expected_rows
    return kind in known.tasks and bool(is_official(known.file(kind), read_bytes(file)))


class FoundDoubt(NamedTuple):
    """A doubt found by a check, without its words."""

    table: str
    model: str
    kind: str
    columns: tuple[str, ...]


def doubts_found(reference: Reference) -> Iterator[FoundDoubt]:
    """Yield everything in the tables that arithmetic says cannot be right.

    ``multiple``: n items that are right or wrong as a whole give a multiple of 1/n. ``bound``: a mean of harmonic means
    is at most the mean of the arithmetic means. ``sum``: parts add up to the total. ``mean``: an overall figure is the
    mean of its parts, which are of equal size.
    """
    for table in reference.tables:
        for model, figures in table.rows.items():
            for kind, columns in _doubts_in(dict(zip(table.columns, figures, strict=True))):
                yield FoundDoubt(table.name, model, kind, tuple(column.title for column in columns))


def _doubts_in(row: Mapping[PublishedColumn, float]) -> Iterator[tuple[Kind, tuple[PublishedColumn, ...]]]:
    """Yield the figures of a row that break a rule."""
    groups: defaultdict[tuple[str, str, str], dict[str, PublishedColumn]] = defaultdict(dict)
    for column, figure in row.items():
        groups[column.task, column.style, column.part][column.metric] = column
        right = round(figure * column.items / 100)
        if column.metric in ("accuracy", "exact_match") and abs(100 * right / column.items - figure) > ROUNDING / 2:
            yield "multiple", (column,)
    for (task, style, part), group in groups.items():
        means = tuple(group[name] for name in ("precision", "recall", "f1") if name in group)
        if len(means) == 3 and row[means[2]] > (row[means[0]] + row[means[1]]) / 2 + ROUNDING:
            yield "bound", means
        counts = tuple(group[f"hallucinated_{k}"] for k in ("desc", "new", "total") if f"hallucinated_{k}" in group)
        if len(counts) == 3 and row[counts[0]] + row[counts[1]] != row[counts[2]]:
            yield "sum", counts
        for metric, column in group.items() if part == "overall" else ():
            alike = [other for other in row if (other.task, other.style, other.metric) == (task, style, metric)]
            parts = [row[other] for other in alike if other.part not in ("", "overall")]
            if parts and abs(sum(parts) / len(parts) - row[column]) > ROUNDING:
                yield "mean", (column,)
