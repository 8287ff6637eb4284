"""Comparison of two systems on the same items: the difference, its interval, and the smallest detectable difference.

>>> ours = {n: Part(float(n % 4 != 0), 1, str(n)) for n in range(40)}
>>> theirs = {n: Part(float(n % 2 != 0), 1, str(n)) for n in range(40)}
>>> found = compare(ours, theirs, Pooling.POOLED, seed=3)
>>> found.difference, round(found.interval.low, 3), round(found.interval.high, 3)
(0.25, 0.132, 0.409)
>>> found.test.p, str(found.test.method), found.test.differs()
(0.001953125, 'exact McNemar test', True)
>>> round(found.resolvable.value, 3)
0.194
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from tsgkit.errors import UsageError
from tsgkit.scoring.intervals import (
    Contribution,
    Interval,
    Spread,
    check_level,
    constant_interval,
    difference_interval,
    effective_number,
    jackknife_variance,
    student_interval,
    student_quantile,
)
from tsgkit.scoring.pooling import Part, Pooled, Pooling, Totals, add
from tsgkit.scoring.significance import Item, Paired, PairedTest, binomial, flipped, pair

DISCORDANT = 0.2
"""The share of items on which two models are taken to disagree before anything is known of them."""
SHARED = 0.05
"""The correlation of differences within a scenario that is assumed then; of programs on our own data it is less."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Resolvable:
    """The smallest true difference that this number of clusters is likely to detect; None if unknown, with the
    reason."""

    value: float | None
    level: float
    power: float
    clusters: int
    standard_error: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class PairedComparison:
    """The difference of two systems (first minus second) with its interval and test.

    ``difference`` is None, with the reason, where a system has no value; ``interval`` is None for fewer than two
    clusters as well. ``items`` and ``clusters`` count those that weigh anything in either system.
    """

    first: Pooled
    second: Pooled
    difference: float | None
    interval: Interval | None
    test: PairedTest
    resolvable: Resolvable
    items: int
    clusters: int
    reason: str | None = None


def compare(
    first: Mapping[Item, Part],
    second: Mapping[Item, Part],
    pooling: Pooling,
    *,
    seed: int,
    level: float = 0.95,
    top: float = 1.0,
) -> PairedComparison:
    """Compare two systems, item by item.

    Definition: the difference is the first corpus value minus the second; its interval is that of
    :func:`tsgkit.scoring.intervals.difference_interval` over clusters, each with both its sides (``top`` is the most an
    item can score); the test is McNemar's where each cluster is one item scored 0 or 1, else the sign-flip test, whose
    rearrangements are drawn from ``seed``. Range of the difference: -1 to 1 for shares. Two identical systems differ by
    0 with p = 1, and an interval that is not of zero width: that no cluster seen differs leaves open how many unseen
    ones would. Both systems must have the same items in the same clusters.
    """
    check_level(level)
    paired = pair(first, second, pooling)
    discordant = paired.discordant
    return PairedComparison(
        first=paired.first,
        second=paired.second,
        difference=paired.difference,
        interval=paired_interval(paired, level, top),
        test=flipped(paired, seed=seed) if discordant is None else binomial(discordant, len(paired.clusters)),
        resolvable=_resolvable(paired, level, 0.8),
        items=paired.items,
        clusters=len(paired.clusters),
        reason=paired.reason,
    )


def paired_interval(paired: Paired, level: float = 0.95, top: float = 1.0) -> Interval | None:
    """Return the interval of a paired difference; None for fewer than two clusters. See :func:`compare`."""
    if paired.difference is None or len(paired.clusters) < 2:
        return None
    if _alike(paired):
        sides = ([cluster[side].weight for cluster in paired.clusters] for side in (0, 1))
        return constant_interval(paired.difference, min(sides, key=effective_number), (-top, top), level)
    unit = top if math.isfinite(top) else 1.0
    mine, theirs = (_contributions([cluster[side] for cluster in paired.clusters], unit) for side in (0, 1))
    if max(totals.weight for totals in (*mine, *theirs)) > 1 - _ROUNDING:
        return None  # a system whose whole weight lies in one cluster has no spread
    spread = _spread(mine, theirs)
    if not math.isfinite(top):
        return student_interval(spread, level)
    above = [contribution.weight - both.sum for contribution, both in zip(mine, spread.contributions, strict=True)]
    below = [contribution.weight + both.sum for contribution, both in zip(theirs, spread.contributions, strict=True)]
    interval = difference_interval(spread, above, below, level)
    return replace(interval, low=interval.low * top, high=interval.high * top)


def _contributions(clusters: Sequence[Totals], unit: float) -> list[Contribution]:
    total = add(clusters)
    return [Contribution(cluster.sum / total.weight / unit, cluster.weight / total.weight) for cluster in clusters]


def _spread(mine: Sequence[Contribution], theirs: Sequence[Contribution]) -> Spread:
    """Return the difference of two values and its change when each cluster is left out of both."""
    both = [
        Contribution(first.sum - second.sum, (first.weight + second.weight) / 2)
        for first, second in zip(mine, theirs, strict=True)
    ]
    shifts = [shift - second for shift, second in zip(_shifts(mine), _shifts(theirs), strict=True)]
    return Spread(math.fsum(first.sum for first in both), jackknife_variance(shifts), both)


def _shifts(side: Sequence[Contribution]) -> list[float]:
    value = math.fsum(contribution.sum for contribution in side)
    return [(contribution.sum - value * contribution.weight) / (1 - contribution.weight) for contribution in side]


def _alike(paired: Paired) -> bool:
    """Return whether every cluster has the same difference, so that resampling them shows nothing."""
    size = max(abs(paired.first.value or 0.0), abs(paired.second.value or 0.0))
    return max(map(abs, paired.deviations())) <= _ROUNDING * size


def smallest_difference(
    first: Mapping[Item, Part],
    second: Mapping[Item, Part],
    pooling: Pooling,
    *,
    level: float = 0.95,
    power: float = 0.8,
) -> Resolvable:
    """Return the smallest true difference that these items would detect in a new comparison of such systems.

    Definition: (z(1 - (1 - level) / 2) + z(power)) * SE, which is 2.80 SE at 95 % and 80 %. SE is the clustered
    standard error of the difference: each of the k clusters deviates by d = (s1 - R1 w1) / W1 - (s2 - R2 w2) / W2, for
    its sums s and weights w, the corpus values R and total weights W; SE = sqrt(k / (k - 1) * sum of d²). Range: above
    0. None where the clusters are too few for any p-value to reach the level (fewer than six at 95 %), or all alike.
    The normal quantiles z make it a little small for fewer than about 30 clusters.

    Miller 2024, "Adding Error Bars to Evals: A Statistical Approach to Language Model Evaluations".
    """
    if not (0 < level < 1 and 0 < power < 1):
        raise UsageError(f"a level of {level} at a power of {power} was asked for", hint="give both between 0 and 1")
    return _resolvable(pair(first, second, pooling), level, power)


def planned_difference(sizes: Sequence[int], *, level: float = 0.95, power: float = 0.8) -> float:
    """Return the smallest true difference that clusters of these sizes would detect between two models yet to be asked.

    Definition: two systems disagree on a share q of the items (:data:`DISCORDANT`, or the difference itself where that
    is more), and differences of one cluster correlate by c (:data:`SHARED`). With N items in k clusters of sizes n,
    SE² = (q - d²) (1 + c (sum of n² / N - 1)) / N; the result is the d with d = (t + u) SE for the quantiles t and u of
    Student's distribution with k - 1 degrees of freedom at level and power. Range: 0 to 1, and 1 for fewer than
    two clusters.
    """
    items, clusters = sum(sizes), len(sizes)
    if clusters < 2:
        return 1.0
    design = 1 + SHARED * (math.fsum(size * size for size in sizes) / items - 1)
    quantiles = sum(student_quantile(share, clusters - 1) for share in ((1 + level) / 2, power))
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        variance = max(DISCORDANT, middle) - middle * middle
        low, high = (low, middle) if middle >= quantiles * math.sqrt(variance * design / items) else (middle, high)
    return high


def _resolvable(paired: Paired, level: float, power: float) -> Resolvable:
    clusters = len(paired.clusters)
    if paired.difference is None:
        return Resolvable(None, level, power, clusters, reason=paired.reason)
    if 2 ** (1 - clusters) > 1 - level:
        reason = f"{clusters} clusters are too few: even if all of them agreed, p would be {2 ** (1 - clusters):.2g}"
        return Resolvable(None, level, power, clusters, reason=reason)
    if _alike(paired):
        reason = "all clusters differ alike, so nothing is known of their spread"
        return Resolvable(None, level, power, clusters, reason=reason)
    z = NormalDist().inv_cdf
    error = paired.standard_error()
    return Resolvable((z((1 + level) / 2) + z(power)) * error, level, power, clusters, standard_error=error)
