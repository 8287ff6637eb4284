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
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.scoring.pooling import Part, Pooling, Totals, add, cluster_totals
from tsgkit.scoring.student import student_quantile

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
        return effective_number([one.weight for one in self.contributions])


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
    sums = [one.sum / scale for one in spread.contributions]
    rest = [one.weight - share for one, share in zip(spread.contributions, sums, strict=True)]
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
    sums = [one.sum for one in spread.contributions]
    gains = math.fsum(max(one, 0.0) for one in sums)
    losses = math.fsum(max(-one, 0.0) for one in sums)
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
    seen = gains - losses

    def is_too_high(end: float) -> bool:
        spread = 2 * _constrained_losses(gains, losses, end) + end * (1 - end)
        return (end - seen) ** 2 * size > quantile * quantile * max(spread, 0.0)

    near, far = seen, 1.0
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
