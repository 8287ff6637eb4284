"""Confidence intervals of corpus values over clusters: score intervals with an effective sample size.

>>> from tsgkit.scoring.pooling import Part
>>> parts = [Part(right, 5, f"scenario-{n}") for n, right in enumerate((5, 3, 4, 1, 5, 4, 2, 5))]
>>> found = interval(parts, Pooling.POOLED)
>>> round(found.low, 3), round(found.high, 3), found.clusters, str(found.method)
(0.416, 0.907, 8, 'Wilson interval over clusters')
>>> sure = interval([Part(1, 1, str(n)) for n in range(100)], Pooling.POOLED)
>>> round(sure.low, 4), sure.high, str(sure.method)
(0.9705, 1.0, 'rule of three for a constant column')

No random numbers are used: the same clusters always give the same interval. Coverage on simulated corpora is in
docs/statistics.md and is measured by eval/bench/coverage.py.

Not covered: a rare kind of cluster that the data do not contain.

Quantiles of Student's t, for any degrees of freedom from 1 up.

>>> round(student_quantile(0.975, 9), 4), round(student_quantile(0.975, 1.5), 3), round(student_quantile(0.5, 4), 4)
(2.2622, 6.017, 0.0)

A round of the bootstrap or of the permutation test gives every cluster a weight (how often it is drawn, or whether it
is swapped) and adds up the rows of all clusters. The plain way costs one random number per cluster and round;
:func:`weighted_totals` does 4,000 clusters in 2,000 rounds in a few tenths of a second by letting one long integer hold
all rounds side by side.

>>> rows = [(1.0, 1.0), (0.0, 1.0), (1.0, 2.0)]
>>> redrawn_totals(rows, rounds=3, rng=random.Random(5))
[(2.0, 5.0), (3.0, 6.0), (2.0, 4.0)]
"""

from __future__ import annotations

import functools
import math
import random
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter
from statistics import NormalDist
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.scoring.pooling import Part, Pooling, Totals, add, cluster_totals

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
    value = lower
    for n in range(1, 10_000):
        even = n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n))
        odd = -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1))
        for term in (even, odd):
            lower = 1 / _off_zero(1 + term * lower)
            upper = _off_zero(1 + term / upper)
            value *= lower * upper
        if abs(lower * upper - 1) < 1e-15:
            break
    return value


def _off_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


Row = tuple[float, ...]

PLAIN_DRAWS = 200
"""Up to this number of clusters, each round draws exactly as many clusters as there are; above, Poisson weights
approximate that.
"""

SWAPS = bytes(value & 1 for value in range(256))
"""Map a random byte to 0 or 1."""

POISSON = bytes(weight for weight, times in enumerate((95, 92, 49, 15, 4, 1)) for _ in range(times))
"""Map a random byte to a Poisson weight with mean 1 and variance 1; its third moment is 4.96 instead of 5."""

_FIELD = 8  # bytes that hold one round
_ZERO = 1 << 62  # what a field holds for a total of nothing, so that it never has to go below
_DIGITS = 29  # bits kept of a value: products and their totals over 2**29 clusters stay within a field


def redrawn_totals(rows: Sequence[Row], *, rounds: int, rng: random.Random) -> list[Row]:
    """Return the column totals of ``rounds`` samples of clusters, drawn with replacement.

    Up to 200 clusters a sample has as many draws as there are clusters. Above, every cluster is drawn a Poisson number
    of times (Hanley and MacGibbon 2006, Chamandy et al. 2012), so the number of draws varies around that of the
    clusters; for a quotient of totals this makes no difference at such sizes.
    """
    if len(rows) > PLAIN_DRAWS:
        return weighted_totals(rows, POISSON, rounds=rounds, rng=rng)
    columns = list(zip(*rows, strict=True))
    totals = []
    for _ in range(rounds):
        drawn = itemgetter(*rng.choices(range(len(rows)), k=len(rows)), 0)  # one more, so that it gives a tuple
        totals.append(tuple(sum(drawn(column)[:-1]) for column in columns))
    return totals


def weighted_totals(rows: Sequence[Row], weights: bytes, *, rounds: int, rng: random.Random) -> list[Row]:
    """Return the column totals of ``rounds`` rounds in which each row counts ``weights[random byte]`` times.

    The weights of one row in all rounds are written side by side into one long integer, a field of eight bytes each.
    Multiplying it by a value of the row and adding the products up does all rounds at once. Values are rounded to 29
    bits of the largest of their column; whole numbers below 2**29 stay exact.
    """
    shifts = [_shift(column) for column in zip(*rows, strict=True)]
    zeros = int.from_bytes(_ZERO.to_bytes(_FIELD, "little") * rounds, "little")
    totals = [zeros] * len(shifts)
    fields = bytearray(_FIELD * rounds)
    for row in rows:
        fields[::_FIELD] = rng.randbytes(rounds).translate(weights)
        drawn = int.from_bytes(fields, "little")
        for column, (value, shift) in enumerate(zip(row, shifts, strict=True)):
            totals[column] += drawn * round(math.ldexp(value, shift))
    return list(zip(*map(_unpacked, totals, shifts, [rounds] * len(shifts)), strict=True))


def _shift(column: Sequence[float]) -> int:
    _, exponent = math.frexp(max(map(abs, column)))
    return _DIGITS - exponent


def _unpacked(total: int, shift: int, rounds: int) -> list[float]:
    fields = struct.unpack(f"<{rounds}Q", total.to_bytes(_FIELD * rounds, "little"))
    return [math.ldexp(field - _ZERO, -shift) for field in fields]


Clusters = Mapping[str, Totals]
_ROUNDING = 1e-12
_DOUBT = 2.0
"""Weight of the worst case, as a multiple of the square root of the number of clusters. Chosen by simulation."""


class IntervalMethod(StrEnum):
    """The method that made an interval."""

    WILSON = "Wilson interval over clusters"
    STUDENT = "Student's t over clusters"
    PAIRED = "Tango interval over clusters"
    PERCENTILE = "percentile bootstrap over clusters"
    CONSTANT = "rule of three for a constant column"


@dataclass(frozen=True)
class Interval:
    """A confidence interval: its ends, its level, its method and the number of clusters."""

    low: float
    high: float
    level: float
    clusters: int
    method: IntervalMethod


class Contribution(NamedTuple):
    """The share of one cluster in a value: a sum and a weight. The weights of all clusters add up to 1."""

    sum: float
    weight: float


@dataclass(frozen=True)
class Spread:
    """An estimate, its variance over clusters, and the contribution of each cluster."""

    value: float
    variance: float
    contributions: Sequence[Contribution]

    @property
    def effective(self) -> float:
        """The effective number of clusters."""
        return effective_number([contribution.weight for contribution in self.contributions])


def interval(parts: Iterable[Part], pooling: Pooling, *, level: float = 0.95, top: float = 1.0) -> Interval | None:
    """Return a confidence interval for the corpus value, or None for fewer than two clusters that weigh anything.

    Definition: Wilson's score interval, with Student's t instead of z and an effective sample size instead of n. The
    variance over clusters is the jackknife's, leaving out one cluster at a time; p (1 - p) over it is the effective
    sample size. Where few clusters carry the evidence that variance is itself a guess, so the sample size is drawn
    towards the effective number of clusters, (sum of weights)² / (sum of squared weights), the fewer the more. The
    degrees of freedom are the geometric mean of that number and the number of clusters, minus 1. Range: 0 to ``top``,
    the most an item can score. For a count (``top`` infinite) Wilson's interval becomes that of a Poisson rate, and for
    a value outside the range Student's interval.

    Where all clusters have the same value, all right and all wrong among them, the interval is the one-sided binomial
    bound (at 95 %, the rule of three): were more than a share ``u = 1 - (1 - level) ** (1 / n)`` of all clusters
    different, a corpus with none of them would be rarer than ``1 - level``. At worst these score 0, or ``top``; where
    ``top`` is infinite or below the value, there is no interval. n is the effective number of clusters.

    Wilson 1927; Dean and Pagano 2015, "Evaluating Confidence Interval Methods for Binomial Proportions in Clustered
    Surveys".

    >>> interval([Part(1, 1, "tea"), Part(0, 1, "tea")], Pooling.POOLED) is None
    True
    >>> wrong = interval([Part(0, 1, str(n)) for n in range(10)], Pooling.POOLED)
    >>> wrong.low, round(wrong.high, 4)
    (0.0, 0.2589)
    """
    return clusters_interval(cluster_totals(parts, pooling), level=level, top=top)


def clusters_interval(clusters: Clusters, *, level: float = 0.95, top: float = 1.0) -> Interval | None:
    """Return the interval of a corpus value from the contributions of its clusters; see :func:`interval`."""
    check_level(level)
    if len(clusters) < 2:
        return None
    totals = list(clusters.values())
    total = add(totals)
    value = total.sum / total.weight
    if all(math.isclose(c.sum / c.weight, value, rel_tol=_ROUNDING, abs_tol=_ROUNDING) for c in totals):
        return constant_interval(value, [c.weight for c in totals], (0.0, top), level)
    contributions = [Contribution(c.sum / total.weight, c.weight / total.weight) for c in totals]
    if max(c.weight for c in contributions) > 1 - _ROUNDING:
        return None  # all of the weight lies in one cluster
    shifts = [(c.sum - value * c.weight) / (1 - c.weight) for c in contributions]
    return share_interval(Spread(value, jackknife_variance(shifts), contributions), level, top)


def share_interval(spread: Spread, level: float, top: float = 1.0) -> Interval:
    """Return the Wilson interval of a value between 0 and ``top``, or Student's if a cluster lies outside."""
    quantile = _quantile(spread, level)
    scale = top if math.isfinite(top) else 1.0
    value, variance = spread.value / scale, spread.variance / scale**2
    sums = [contribution.sum / scale for contribution in spread.contributions]
    rest = [contribution.weight - share for contribution, share in zip(spread.contributions, sums, strict=True)]
    if min(sums) < -_ROUNDING or (math.isfinite(top) and min(rest) < -_ROUNDING):
        return student_interval(spread, level)
    counted = not math.isfinite(top)
    carriers = _carriers(sums) if counted else min(_carriers(sums), _carriers(rest))
    spare = value if counted else value * (1 - value)
    size = _sample_size(spare, variance, carriers, spread)
    low, high = _wilson(value, size, quantile, counted=counted)
    return _made(spread, (low * scale, high * scale), level, IntervalMethod.WILSON)


def difference_interval(spread: Spread, above: Sequence[float], below: Sequence[float], level: float) -> Interval:
    """Return the interval of a paired difference between -1 and 1.

    Definition: Tango's score interval for the difference of paired proportions, with Student's t and an effective
    sample size as :func:`interval` has them. A cluster's contribution is a gain or a loss; their sums stand for the two
    shares of discordant pairs. ``above`` and ``below`` are how much more each cluster could gain or lose.

    Tango 1998, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design".
    """
    quantile = _quantile(spread, level)
    sums = [contribution.sum for contribution in spread.contributions]
    gains = math.fsum(max(difference, 0.0) for difference in sums)
    losses = math.fsum(max(-difference, 0.0) for difference in sums)
    spare = gains + losses - spread.value**2
    if spare <= _ROUNDING or min(*above, *below) < -_ROUNDING:
        return student_interval(spread, level)
    carriers = min(map(_carriers, (sums, above, below)))
    size = _sample_size(spare, spread.variance, carriers, spread)
    low = -_tango_end(losses, gains, size, quantile)
    return _made(spread, (low, _tango_end(gains, losses, size, quantile)), level, IntervalMethod.PAIRED)


def student_interval(spread: Spread, level: float) -> Interval:
    """Return Student's interval, for a value of no known range."""
    half = _quantile(spread, level) * math.sqrt(spread.variance)
    return _made(spread, (spread.value - half, spread.value + half), level, IntervalMethod.STUDENT)


def constant_interval(
    value: float, weights: Sequence[float], scale: tuple[float, float], level: float
) -> Interval | None:
    """Return the interval of a value that is the same in all clusters, within the range that a cluster can have."""
    least, most = scale
    if not (math.isfinite(least) and math.isfinite(most) and least - _ROUNDING <= value <= most + _ROUNDING):
        return None
    unseen = 1 - (1 - level) ** (1 / effective_number(weights))
    return Interval(
        low=value - unseen * max(value - least, 0.0),
        high=value + unseen * max(most - value, 0.0),
        level=level,
        clusters=len(weights),
        method=IntervalMethod.CONSTANT,
    )


def jackknife_variance(shifts: Sequence[float]) -> float:
    """Return the jackknife variance from the change of the value when each cluster is left out."""
    return (len(shifts) - 1) / len(shifts) * math.fsum(shift * shift for shift in shifts)


def effective_number(weights: Sequence[float]) -> float:
    """Return the effective number of clusters: (sum of weights)² / (sum of squared weights).

    >>> effective_number([2, 2, 2]), effective_number([8, 1, 1])
    (3.0, 1.5151515151515151)
    """
    heaviest = max(weights)
    shares = [weight / heaviest for weight in weights]
    return math.fsum(shares) ** 2 / math.fsum(share * share for share in shares)


def check_level(level: float) -> None:
    """Raise UsageError unless a level lies between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(f"the level of an interval is {level}", hint="give one between 0 and 1, as in 0.95")


def _quantile(spread: Spread, level: float) -> float:
    freedom = math.sqrt(len(spread.contributions) * spread.effective) - 1
    return student_quantile((1 + level) / 2, max(freedom, 1.0))


def _carriers(shares: Sequence[float]) -> float:
    """Return the effective number of clusters that carry a sum: 1 if one cluster holds all of it."""
    sizes = [abs(share) for share in shares]
    return effective_number(sizes) if max(sizes) > 0 else 0.0


def _sample_size(spare: float, variance: float, carriers: float, spread: Spread) -> float:
    """Return the effective sample size, shrunk towards one observation per cluster if few clusters carry the
    evidence."""
    if variance <= _ROUNDING**2:
        return spread.effective
    doubt = _DOUBT * math.sqrt(len(spread.contributions))
    trust = carriers**2 / (carriers**2 + doubt)
    return math.exp(trust * math.log(spare / variance) + (1 - trust) * math.log(spread.effective))


def _wilson(value: float, size: float, quantile: float, *, counted: bool) -> tuple[float, float]:
    """Return the values whose own variance puts them ``quantile`` standard errors away."""
    slack = quantile * quantile / size
    spare = value if counted else value * (1 - value)
    half = math.sqrt(slack * (spare + slack / 4))
    shrink = 1.0 if counted else 1 + slack
    low, high = (value + slack / 2 - half) / shrink, (value + slack / 2 + half) / shrink
    return max(low, 0.0), high if counted else min(high, 1.0)


def _tango_end(gains: float, losses: float, size: float, quantile: float) -> float:
    """Return the largest difference that is not ``quantile`` standard errors above the one seen."""
    observed = gains - losses

    def is_too_high(end: float) -> bool:
        spread = 2 * _constrained_losses(gains, losses, end) + end * (1 - end)
        return (end - observed) ** 2 * size > quantile * quantile * max(spread, 0.0)

    near, far = observed, 1.0
    if not is_too_high(far):
        return far
    for _ in range(60):
        middle = (near + far) / 2
        near, far = (near, middle) if is_too_high(middle) else (middle, far)
    return near


def _constrained_losses(gains: float, losses: float, difference: float) -> float:
    """Return the likeliest share of losses, were the true difference this one."""
    linear = (2 - gains + losses) * difference - gains - losses
    constant = -losses * difference * (1 - difference)
    return (math.sqrt(max(linear * linear - 8 * constant, 0.0)) - linear) / 4


def _made(spread: Spread, ends: tuple[float, float], level: float, method: IntervalMethod) -> Interval:
    return Interval(*ends, level, len(spread.contributions), method)
