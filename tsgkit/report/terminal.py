"""A report for a terminal: aligned columns, nothing that a terminal would obey."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from tsgkit.report.gathering import Report
from tsgkit.report.inert import inert
from tsgkit.report.tables import Line, Table, document


def write(report: Report) -> str:
    """The report as text."""
    shown = document(report)
    blocks = ["\n".join(table(one)) for one in shown.tables]
    return "\n\n".join([*blocks, "\n".join(map(line, shown.notes))]) + "\n"


def line(pieces: Line) -> str:
    """A line of text."""
    return "".join(map(inert, pieces))


def table(one: Table) -> Iterator[str]:
    """A table under its title, with its notes."""
    yield line(one.title)
    cells = [tuple(map(inert, row)) for row in (one.head, *one.rows)]
    widths = [max(map(columns, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (_padded(cell, widths[place], place < one.words) for place, cell in enumerate(row))
        yield "  " + "  ".join(padded).rstrip()
    for note in one.notes:
        yield "  " + line(note)


def _padded(cell: str, width: int, is_word: bool) -> str:
    space = " " * (width - columns(cell))
    return cell + space if is_word else space + cell


def columns(text: str) -> int:
    """How many columns a text takes on a terminal.

    >>> columns("abc"), columns("茶"), columns("é")
    (3, 2, 1)
    """
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )
