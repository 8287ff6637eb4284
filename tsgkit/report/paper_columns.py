"""Columns of a table for a paper: values with their intervals beside them, and no column that says nothing.

>>> table = Table(("t",), ("subject", "metric", "f1", "n"), (("a", "f1", "5.0 [1.0, 9.0]", "4"), ("b", "f1", "-", "4")))
>>> found = shown(table)
>>> [column.head for column in found.columns], found.columns[2].beside, found.same
(['subject', 'metric', 'f1'], ('[1.0, 9.0]', ''), (('n', '4'),))
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tsgkit.report.figures import NOTHING
from tsgkit.report.latex_text import width
from tsgkit.report.tables import INTERVAL, Table

VALUE = re.compile(r"(\S+)(?: (\[[^\]]*\]))?(?: (\([^)]*\)))?")
"""A value, its interval, and a mark."""
COUNT = re.compile(r"[\d,]+")
EMPTY = frozenset({"", NOTHING})
FONT_SIZE, INTERVAL_SIZE = 8.6, 8.1
"""Sizes of the letters of cells and intervals in points, generous, since Computer Modern is wider when small."""
GAP = 6.0
"""The space between two columns in points."""


@dataclass(frozen=True)
class Column:
    """A column: text, or values and, beside them, their intervals and marks."""

    head: str
    cells: tuple[str, ...]
    is_text: bool
    beside: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """Roughly the width in points."""
        value = max(map(width, self.cells), default=0) * FONT_SIZE
        interval = max(map(width, self.beside), default=0) * INTERVAL_SIZE
        return max(width(self.head) * FONT_SIZE, value + interval) + GAP

    @property
    def is_empty(self) -> bool:
        """True if no cell says anything."""
        return EMPTY.issuperset(self.cells)

    @property
    def is_same(self) -> bool:
        """True if all rows say the same."""
        return len(set(self.cells)) == 1 and not any(self.beside)

    @property
    def is_count(self) -> bool:
        """True if the cells are whole numbers."""
        return all(map(COUNT.fullmatch, self.cells))

    @property
    def is_words(self) -> bool:
        """True if no cell holds a number of ours."""
        return self.is_text or not any(re.search(r"\d", cell) for cell in self.cells)


@dataclass(frozen=True)
class PaperColumns:
    """The columns to show, and what is the same in all rows, by the heads of the columns left out."""

    columns: tuple[Column, ...]
    same: tuple[tuple[str, str], ...] = ()
    empty: tuple[str, ...] = ()


def shown(table: Table) -> PaperColumns:
    """Return the columns of a table without those that are empty, the same in all rows, or there twice."""
    columns = _once(_columns(table))
    full = [column for column in columns if not column.is_empty]
    texts = [column for column in full if column.is_text]
    names = next((column for column in texts if not column.is_same), next(iter(texts), None))
    out = [column for column in full if column is not names and _says_nothing(column, len(table.rows))]
    if all(column.is_text or column in out for column in full):
        out = [column for column in out if column.is_words or column.cells[0] == "0"]
    return PaperColumns(
        columns=tuple(column for column in full if column not in out),
        same=tuple((column.head, column.cells[0]) for column in out),
        empty=tuple(column.head for column in columns if column.is_empty and not column.is_text),
    )


def _says_nothing(column: Column, rows: int) -> bool:
    """True if one cell is enough for all rows; of a single row, words and zeros are."""
    if not column.is_same:
        return False
    return column.is_words or (column.is_count and (rows > 1 or column.cells[0] == "0"))


def _columns(table: Table) -> Iterator[Column]:
    """Yield the columns, intervals beside their values."""
    cells = list(zip(*table.rows, strict=True)) or [()] * len(table.head)
    last: Column | None = None
    for place, head in enumerate(table.head):
        if head == INTERVAL and last is not None:
            last = replace(last, beside=tuple("" if cell in EMPTY else cell for cell in cells[place]))
            continue
        if last is not None:
            yield last
        last = _parted(Column(head, cells[place], is_text=place < table.words))
    if last is not None:
        yield last


def _parted(column: Column) -> Column:
    """Return a column of values with intervals or marks in two parts."""
    found = [None if column.is_text else VALUE.fullmatch(cell) for cell in column.cells]
    if not all(found) or not any(one and (one[2] or one[3]) for one in found):
        return column
    parts = [one.groups("") for one in found if one]
    beside = tuple(" ".join(filter(None, (interval, mark))) for _, interval, mark in parts)
    return replace(column, cells=tuple(value for value, _, _ in parts), beside=beside)


def _once(columns: Iterator[Column]) -> tuple[Column, ...]:
    """Return the columns without those that only repeat cells of one with the same head, as n of both profiles."""
    kept = list[Column]()
    for column in columns:
        if not any(_repeats(column, other) for other in kept):
            kept.append(column)
    return tuple(kept)


def _repeats(column: Column, other: Column) -> bool:
    pairs = zip(column.cells, other.cells, strict=True)
    is_alike = column.head == other.head and column.beside == other.beside
    return is_alike and not column.is_empty and all(cell == known or cell in EMPTY for cell, known in pairs)


def panels(columns: Sequence[Column], room: float, texts: float) -> Iterator[tuple[Column, ...]]:
    """Yield the columns in parts that fit the room; each begins with the text columns, which take ``texts`` of it."""
    names = tuple(column for column in columns if column.is_text)
    part, left = list[Column](), room - texts
    for column in columns:
        if column.is_text:
            continue
        if part and column.width > left:
            yield (*names, *part)
            part, left = [], room - texts
        part.append(column)
        left -= column.width
    yield (*names, *part)
