"""A table of words and figures, which every format for people writes in its own way.

>>> from tsgkit.report.plain_text import Foreign
>>> table = Table(("rows of ", Foreign("a|b")), ("subject", "f1"), ((Foreign("a|b"), Estimate("5.0", "[1.0, 9.0]")),))
>>> table.title[1], str(table.rows[0][1])
('a|b', '5.0 [1.0, 9.0]')

Foreign text is marked as :class:`~tsgkit.report.plain_text.Foreign`; every format escapes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.report.figures import Estimate

Line = tuple[str, ...]
"""A line of text in pieces, of which some are Foreign."""
Cell = str | Estimate
"""Words, a number, or a figure with its interval."""
INTERVALS = "95 % intervals"
LEAST_NEEDED = (
    *("better", "protocol", "from cache", "cached input", "seconds", "tokens out", "tokens in", "tokens", "calls"),
    *("cost", "items", INTERVALS, "95 % interval", "n", "official"),
)
"""Columns that go where there is no room for them, the least needed first; of several with one name the last first."""


@dataclass(frozen=True)
class Table:
    """Rows of cells under a title; the first ``words`` columns hold text, the others numbers.

    The first line of a head of two lines names the group of columns that it is in.
    """

    title: Line
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[Line, ...] = ()
    words: int = 1
    caption: Line = ()
    """The title in a paper, if it needs more words there."""
    label: str = ""
    """The name to refer to it by, made of what it shows; from the title if empty."""


@dataclass(frozen=True)
class ReportDocument:
    """All tables of a report, and notes about all of them: how to read them, and where the figures come from."""

    title: str
    tables: tuple[Table, ...]
    reading: tuple[Line, ...] = ()
    sources: tuple[Line, ...] = ()
    lead: tuple[Line, ...] = ()
    """The result in a few sentences, before the tables."""

    @property
    def notes(self) -> tuple[Line, ...]:
        """All notes."""
        return (*self.reading, *self.sources)
