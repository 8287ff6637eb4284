"""Quantiles of Student's t, for any degrees of freedom from 1 up.

>>> round(student_quantile(0.975, 9), 4), round(student_quantile(0.975, 1.5), 3), round(student_quantile(0.5, 4), 4)
(2.2622, 6.017, 0.0)
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

_MANY = 1e6  # from here on t is the normal distribution to seven digits
_TINY = 1e-300


@functools.lru_cache(maxsize=4096)
def student_quantile(share: float, freedom: float) -> float:
    """Return the value below which ``share`` of the distribution lies; ``share`` is at least 0.5.

    With x = f / (f + t²) the two tails beyond t hold the regularised incomplete beta function I_x(f / 2, 1 / 2).
    """
    if not 0.5 <= share < 1 or freedom < 1:
        raise ValueError(f"no quantile of {share} at {freedom} degrees of freedom")
    if freedom > _MANY:
        return NormalDist().inv_cdf(share)
    tails, low, high = 2 * (1 - share), 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if incomplete_beta(middle, freedom / 2, 0.5) < tails else (low, middle)
    return math.sqrt(freedom * (1 - high) / high)


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), by its continued fraction.

    >>> round(incomplete_beta(0.5, 2, 2), 6), incomplete_beta(0, 2, 3), incomplete_beta(1, 2, 3)
    (0.5, 0.0, 1.0)
    """
    if x <= 0 or x >= 1:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) * _fraction(x, a, b) / a


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction by Lentz's method."""
    upper, lower = 1.0, 1 / _off_zero(1 - (a + b) * x / (a + 1))
    found = lower
    for n in range(1, 10_000):
        even = n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n))
        odd = -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1))
        for term in (even, odd):
            lower = 1 / _off_zero(1 + term * lower)
            upper = _off_zero(1 + term / upper)
            found *= lower * upper
        if abs(lower * upper - 1) < 1e-15:
            break
    return found


def _off_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
