"""Values combined from several metrics: the mean of sub-scores, or the highest level that is reached.

>>> from tsgkit.scoring.pooling import Part
>>> easy = [Part(1, 1, "a"), Part(1, 1, "b"), Part(0, 1, "c"), Part(1, 1, "d")]
>>> hard = [Part(0, 1, "e"), Part(1, 1, "f")]
>>> combine([easy, hard], Pooling.POOLED, mean_of_all)
0.625
>>> combine([easy, []], Pooling.POOLED, mean_of_all) is None
True

A column is a metric of some of the samples. Each is pooled separately, so that a column of few samples counts as much
as one of many.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from tsgkit.scoring.intervals import (
    Contribution,
    Interval,
    IntervalMethod,
    Spread,
    check_level,
    constant_interval,
    jackknife_variance,
    redrawn_totals,
    share_interval,
)
from tsgkit.scoring.pooling import Part, Pooling, Totals, add, cluster_totals, pool

Combination = Callable[[Sequence[float | None]], float | None]
"""A function from the values of several metrics to one value; a metric without weight is None."""
ROUNDS = 2000
"""Rounds of the bootstrap, for combinations that are not a mean."""


def mean_of_all(values: Sequence[float | None]) -> float | None:
    """Return the mean, or None if a value is missing: the mean of the others would be another quantity."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def combine(columns: Sequence[Sequence[Part]], pooling: Pooling, how: Combination) -> float | None:
    """Return the combined value of several metrics."""
    return how([pool(column, pooling).value for column in columns])


def combined_interval(
    columns: Sequence[Sequence[Part]],
    pooling: Pooling,
    how: Combination,
    *,
    seed: int,
    level: float = 0.95,
    top: float = 1.0,
) -> Interval | None:
    """Return an interval for a combined value; None for fewer than two clusters, in all or in one averaged column.

    Definition: a mean of columns has the interval of a corpus value (:func:`tsgkit.scoring.intervals.interval`), its
    variance found by leaving out one cluster at a time from all columns. Any other combination may be a step function
    (a level that is held), for which no such variance exists: it has the percentile bootstrap, 2,000 rounds drawn from
    ``seed``, a round that leaves a needed column empty left out. Where all clusters have one value, the columns have
    the bounds that clusters of one value have, and the ends are what these come to. ``top`` is the most a column can
    be.
    """
    check_level(level)
    totals = [cluster_totals(column, pooling) for column in columns]
    clusters = sorted({name for column in totals for name in column})
    if len(clusters) < 2 or combine(columns, pooling, how) is None:
        return None
    values = [total.sum / total.weight for column in totals for total in column.values()]
    if max(values) - min(values) < _SAME:
        bound = constant_interval(values[0], _weights(totals, clusters), (0.0, top), level)
        return None if bound is None else _combined_ends(bound, how, totals)
    if how is mean_of_all:
        return _mean_interval(totals, clusters, level, top)
    rows = [tuple(_flat(column.get(name, _NOTHING) for column in totals)) for name in clusters]
    redrawn = redrawn_totals(rows, rounds=ROUNDS, rng=random.Random(seed))
    estimates = sorted(value for row in redrawn if (value := how(_values(row))) is not None)
    return _percentiles(estimates, level, len(clusters))


def _mean_interval(
    totals: Sequence[Mapping[str, Totals]], clusters: Sequence[str], level: float, top: float
) -> Interval | None:
    if min(map(len, totals)) < 2:
        return None
    sums, weights, shifts = ([0.0] * len(clusters) for _ in range(3))
    for column in totals:
        total = add(column.values())
        value = total.sum / total.weight
        if max(one.weight for one in column.values()) / total.weight > 1 - _SAME:
            return None  # all of the weight lies in one cluster
        for place, name in enumerate(clusters):
            if name in column:
                own, weight = (number / total.weight for number in column[name])
                sums[place] += own / len(totals)
                weights[place] += weight / len(totals)
                shifts[place] += (own - value * weight) / (1 - weight) / len(totals)
    contributions = [Contribution(own, weight) for own, weight in zip(sums, weights, strict=True)]
    return share_interval(Spread(math.fsum(sums), jackknife_variance(shifts), contributions), level, top)


def _percentiles(ordered: Sequence[float], level: float, clusters: int) -> Interval | None:
    """Return the percentile interval; None if too few rounds gave an estimate, or all gave the same."""
    tail = math.floor((len(ordered) + 1) * (1 - level) / 2 + _SAME)
    if tail < 1 or ordered[tail - 1] == ordered[-tail]:
        return None
    return Interval(ordered[tail - 1], ordered[-tail], level, clusters, IntervalMethod.PERCENTILE)


def _combined_ends(bound: Interval, how: Combination, totals: Sequence[Mapping[str, Totals]]) -> Interval | None:
    """Return the interval of metrics that all end at the same bound; None if its ends are equal."""
    low, high = (how([end if column else None for column in totals]) for end in (bound.low, bound.high))
    return None if low is None or high is None or low == high else replace(bound, low=low, high=high)


_SAME = 1e-12
_NOTHING = Totals(0.0, 0.0)


def _weights(totals: Sequence[dict[str, Totals]], clusters: Sequence[str]) -> list[float]:
    return [math.fsum(column[name].weight for column in totals if name in column) for name in clusters]


def _flat(totals: Iterable[Totals]) -> Iterable[float]:
    return (number for total in totals for number in total)


def _values(row: Sequence[float]) -> list[float | None]:
    pairs = zip(row[::2], row[1::2], strict=True)
    return [total / weight if weight > _SAME else None for total, weight in pairs]
