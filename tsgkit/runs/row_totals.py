"""Totals of a row: its records added up in the order of the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tsgkit.runs.records import add_usage
from tsgkit.scoring.outcomes import FAILURES, Outcome
from tsgkit.scoring.score import Score
from tsgkit.scoring.tally import Tally

Scores = Mapping[str, Mapping[str, Score]]


@dataclass
class RowTotals:
    """A tally, the usage of the calls, and errors."""

    tally: Tally
    usage: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    """Errors with the number of samples that ended with them."""
    raised: dict[str, int] = field(default_factory=dict)
    """Exceptions of our own or a suite's code, and how many samples ended with each."""
    partial: dict[str, int] = field(default_factory=dict)
    """Errors in samples that were answered in part, with counts."""
    unreadable: str = ""
    """The note of the first sample that cannot be read."""

    @property
    def n(self) -> int:
        """The number of samples."""
        return self.tally.n

    def add(self, record: Mapping[str, Any], scores: Scores) -> None:
        """One more record, and the scores it holds."""
        self.tally.add(record["cluster"], scores, record["counts"])
        add_usage(self.usage, record["usage"])
        if record["outcome"] in FAILURES or record["error"]:
            error = record["error"] or "no reason given"
            failed = self.raised if record["outcome"] == Outcome.ERROR else self.errors
            where = failed if record["outcome"] in FAILURES else self.partial
            where[error] = where.get(error, 0) + 1
        if record["outcome"] == Outcome.UNREADABLE:
            self.unreadable = self.unreadable or next(iter(record["notes"]), "")
