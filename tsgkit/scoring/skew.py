"""Pearson's chi-square test of whether counts are spread as expected.

>>> found = skew([54, 60, 43, 46, 47], [50, 50, 50, 50, 50])
>>> round(found.statistic, 2), round(found.p, 3), found.most
(3.8, 0.434, 1)
>>> skew([20, 80], [50, 50]).p < 1e-8
True

The test is valid if all expected counts are about five or more; else ``is_rough`` is true.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ENOUGH = 5.0
_STEPS = 500


@dataclass(frozen=True)
class Skew:
    """The chi-square statistic, its p-value, and the most over-represented place."""

    statistic: float
    p: float
    most: int
    is_rough: bool


def skew(counts: Sequence[float], expected: Sequence[float]) -> Skew:
    """Return the deviation of counts from their expectation. Places with expectation 0 must be empty."""
    pairs = [(count, wanted) for count, wanted in zip(counts, expected, strict=True) if wanted > 0]
    statistic = math.fsum((count - wanted) ** 2 / wanted for count, wanted in pairs)
    freedom = len(pairs) - 1
    p = chi_square_tail(statistic, freedom) if freedom > 0 else 1.0
    most = max(range(len(counts)), key=lambda place: counts[place] - expected[place])
    return Skew(statistic, p, most, any(wanted < ENOUGH for _, wanted in pairs))


def chi_square_tail(statistic: float, freedom: int) -> float:
    """Return the probability that a chi-square variable is at least this large.

    >>> round(chi_square_tail(3.841, 1), 3), round(chi_square_tail(9.488, 4), 3), chi_square_tail(0, 3)
    (0.05, 0.05, 1.0)
    """
    a, x = freedom / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        return max(0.0, 1.0 - scale * _series(a, x))
    return min(1.0, scale * _fraction(a, x))


def _series(a: float, x: float) -> float:
    """Return the lower incomplete gamma function over its scale, for small x."""
    term = total = 1 / a
    for step in range(1, _STEPS):
        term *= x / (a + step)
        total += term
        if term < total * 1e-15:
            break
    return total


def _fraction(a: float, x: float) -> float:
    """Return the upper incomplete gamma function over its scale, for large x (Lentz's continued fraction)."""
    b = x + 1 - a
    c, d = 1e300, 1 / b
    total = d
    for step in range(1, _STEPS):
        factor = -step * (step - a)
        b += 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        total *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return total
