"""Score of one sample on one metric: a sum, a weight, the reason in words, and the evidence.

>>> score = Score(1.5, 2, "2 graphs, 1.5 right")
>>> score.value, Score.missing("asked in another way").value
(0.75, None)

A score is never a bare float. A corpus value pools (sum, weight) or averages the samples' values, as the metric says. A
sample without weight is not the same as zero.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Score(NamedTuple):
    """The contribution of a sample to a metric, with reason and evidence."""

    sum: float
    weight: float
    reason: str = ""
    evidence: Any = None

    @property
    def value(self) -> float | None:
        """The value of this sample alone; None without weight."""
        return self.sum / self.weight if self.weight else None

    @classmethod
    def missing(cls, reason: str) -> Score:
        """Return a score without a value, with the reason."""
        return cls(0.0, 0.0, reason)


def right_or_wrong(right: bool, reason: str, evidence: Any = None) -> Score:  # noqa: ANN401  (the suite's own)
    """Return the score of a sample that is right or wrong as a whole."""
    return Score(float(right), 1.0, reason, evidence)
