"""Report for a terminal: aligned columns without control characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tsgkit.report.figures import Estimate
from tsgkit.report.plain_text import CUT, abridged, inert
from tsgkit.report.table import INTERVALS, LEAST_NEEDED, Cell, Line, ReportDocument, Table


@dataclass(frozen=True)
class Screen:
    """The output device: its width (None: unlimited), and whether it has colours."""

    width: int | None = None
    in_colour: bool = False

    def bold(self, text: str) -> str:
        """Return a text as a heading."""
        return f"\x1b[1m{text}\x1b[0m" if self.in_colour and text else text

    def pale(self, text: str) -> str:
        """Return a text that matters less."""
        return f"\x1b[2m{text}\x1b[0m" if self.in_colour and text else text


PAPER = Screen()
"""A file or a pipe: nothing is left out, nothing is coloured."""


def written(document: ReportDocument, screen: Screen = PAPER) -> str:
    """Return a document as text."""
    tables = (table(content, screen) for content in document.tables)
    blocks = [map(line, document.lead), *tables, map(line, document.notes)]
    return "\n\n".join(filter(None, map("\n".join, blocks))) + "\n"


def line(pieces: Line) -> str:
    """Return a line of text."""
    return "".join(map(inert, pieces))


def table(content: Table, screen: Screen = PAPER) -> Iterator[str]:
    """Yield a table under its title, with its notes."""
    yield screen.bold(line(content.title))
    yield from aligned([[head.replace("\n", " ") for head in content.head], *content.rows], content.words, screen)
    for note in content.notes:
        yield "  " + screen.pale(line(note))


def aligned(rows: Sequence[Sequence[Cell]], words: int, screen: Screen = PAPER) -> Iterator[str]:
    """Yield rows in columns, the head first: words to the left, figures to the right.

    Where they do not fit a narrow screen, long names lose what they share; then columns are left out and named: first
    empty ones, then the least needed.

    >>> rows = [("task", "f1", "missing", "cost"), ("sgqa", Estimate("87.5", "[80.0, 93.1]"), "0", "$1.20")]
    >>> print(*aligned(rows, 1, Screen(28)), sep="\\n")
      task                 f1
      sgqa  87.5 [80.0, 93.1]
      not shown here for want of room: cost
    """
    left_out: list[str] = []
    if screen.width is not None:
        rows, words, left_out = _fitted(rows, words, screen.width)
    cells = [tuple(inert(str(cell)) for cell in row) for row in rows]
    widths = [max(map(columns, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        padded = []
        for column_number, cell in enumerate(row):
            space = " " * (widths[column_number] - columns(cell))
            padded.append(cell + space if column_number < words else space + cell)
        text = "  " + "  ".join(padded).rstrip()
        yield text if number else screen.pale(text)
    if left_out:
        yield "  " + screen.pale(f"not shown here for want of room: {', '.join(left_out)}")


SAYS_NOTHING = {"", "0", "-", "0.0 %"}
Rows = Sequence[Sequence[Cell]]


def _fitted(cells: Rows, words: int, width: int) -> tuple[Rows, int, list[str]]:
    """Return rows that fit a width by leaving out columns, the number of text columns, and the dropped names."""
    left_out: list[str] = []
    if _width(cells) > width:
        short = [abridged(str(row[column_number]) for row in cells[1:]) for column_number in range(words)]
        if any(name != shown for names in short for name, shown in names.items()):
            left_out.append(f"what long names share ({CUT})")
        shown = [
            [*(short[column_number][str(row[column_number])] for column_number in range(words)), *row[words:]]
            for row in cells[1:]
        ]
        cells = [cells[0], *shown]
    while _width(cells) > width:
        figures = list(enumerate(zip(*cells[1:], strict=True)))[words:]
        column_number = next(
            (column_number for column_number, column in figures if SAYS_NOTHING.issuperset(map(str, column))), None
        )
        if column_number is None:
            has_intervals = any(isinstance(cell, Estimate) and cell.interval for row in cells for cell in row)
            present = {*cells[0][words:], *([INTERVALS] if has_intervals else [])}
            if (name := next((name for name in LEAST_NEEDED if name in present), None)) is None:
                break
            left_out.append(name)
            if name == INTERVALS:
                cells = [
                    [replace(cell, interval="") if isinstance(cell, Estimate) else cell for cell in row]
                    for row in cells
                ]
                continue
            column_number = max(column_number for column_number, head in enumerate(cells[0]) if head == name)
        cells = [[*row[:column_number], *row[column_number + 1 :]] for row in cells]
        words -= column_number < words
    return cells, words, list(dict.fromkeys(left_out))


def _width(cells: Rows) -> int:
    return sum(2 + max(columns(inert(str(cell))) for cell in column) for column in zip(*cells, strict=True))


def columns(text: str) -> int:
    """Return how many columns a text takes on a terminal.

    >>> columns("abc"), columns("茶"), columns("é")
    (3, 2, 1)
    """
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )
