"""The result of a relation: its score, whether it holds, and the reason.

>>> print(relation("next_to", 0.25, "lamp_2 is 0.92 m from bed_1; next_to needs < 0.79"))
next_to: no (0.25): lamp_2 is 0.92 m from bed_1; next_to needs < 0.79
"""

from __future__ import annotations

import math
from typing import NamedTuple

ENOUGH = 0.5
"""A relation holds above this score, not at it."""


class Relation(NamedTuple):
    """A relation between given objects; ``margin`` is the score minus the threshold."""

    name: str
    score: float
    satisfied: bool
    margin: float
    evidence: str

    def __str__(self) -> str:
        return f"{self.name}: {'yes' if self.satisfied else 'no'} ({self.score:.2f}): {self.evidence}"


def relation(name: str, score: float, evidence: str) -> Relation:
    """Return a relation with a score; one that cannot be scored, such as a corner without walls, scores 0."""
    known = score if math.isfinite(score) else 0.0
    return Relation(name, known, known > ENOUGH, known - ENOUGH, evidence)


class Range(NamedTuple):
    """A range of distances with soft ends: 1 strictly inside, falling off like a bell curve outside."""

    low: float
    high: float
    sigma: float

    def score(self, distance: float) -> float:
        """Between 0 and 1; 0.5 is reached about 1.18 sigma outside the range."""
        if self.low < distance < self.high:
            return 1.0
        off = min(abs(distance - self.low), abs(distance - self.high))
        return math.exp(-(off**2) / (2 * self.sigma**2))

    def most(self, least: float, most: float) -> float:
        """Return the highest score of any distance from ``least`` to ``most``."""
        inside = least < self.high and most > self.low
        return 1.0 if inside else max(self.score(least), self.score(most))

    @property
    def needs(self) -> str:
        """The distances at which the score exceeds one half, in words."""
        soft = self.sigma * math.sqrt(2 * math.log(2))
        low, high = self.low - soft, self.high + soft
        if math.isinf(high):
            return f"> {low:.2f}"
        return f"< {high:.2f}" if low <= 0 else f"{low:.2f} to {high:.2f}"
