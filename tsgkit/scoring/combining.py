"""Values made of several columns: the mean of sub-scores, the highest level that is held.

>>> from tsgkit.scoring.pooling import Part
>>> easy = [Part(1, 1, "a"), Part(1, 1, "b"), Part(0, 1, "c"), Part(1, 1, "d")]
>>> hard = [Part(0, 1, "e"), Part(1, 1, "f")]
>>> combine([easy, hard], Pooling.POOLED, mean_of_all)
0.625
>>> combine([easy, []], Pooling.POOLED, mean_of_all) is None
True

A column is a metric of some of the samples; each is pooled by itself, so that a column of few samples counts as much as
one of many.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from tsgkit.scoring.bootstrap import Interval, Resampling, constant_interval, percentile_interval
from tsgkit.scoring.draws import redrawn_totals
from tsgkit.scoring.pooling import Part, Pooling, Totals, cluster_totals, pool

Combination = Callable[[Sequence[float | None]], float | None]
"""Makes one value of those of the columns; a column that nothing weighs in is None."""


def mean_of_all(values: Sequence[float | None]) -> float | None:
    """The mean; None where a column has no value, since the mean of the others is another quantity."""
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(values) else None


def combine(columns: Sequence[Sequence[Part]], pooling: Pooling, how: Combination) -> float | None:
    """The value that the columns come to."""
    return how([pool(column, pooling).value for column in columns])


def combined_interval(
    columns: Sequence[Sequence[Part]],
    pooling: Pooling,
    how: Combination,
    *,
    seed: int,
    level: float = 0.95,
    rounds: int = 2000,
    top: float = 1.0,
) -> Interval | None:
    """An interval for a combined value, or None for fewer than two clusters.

    Definition: as :func:`~tsgkit.scoring.bootstrap.interval`, each round drawing the clusters of all columns together,
    so that columns of the same samples stay beside each other; a round that leaves a needed column empty is left out.
    Where no round differs from another, the columns have the bounds that clusters of one value have there, and the ends
    are what these come to; else there is no interval. ``top`` is the most a column can be.
    """
    resampling = Resampling(seed, level, rounds)
    totals = [cluster_totals(column, pooling) for column in columns]
    clusters = sorted({name for column in totals for name in column})
    if len(clusters) < 2 or combine(columns, pooling, how) is None:
        return None
    values = [total.sum / total.weight for column in totals for total in column.values()]
    if max(values) - min(values) < _SAME:
        bound = constant_interval(values[0], _weights(totals, clusters), (0.0, top), resampling)
        return None if bound is None else _combined_ends(bound, how, totals)
    rows = [tuple(_flat(column.get(name, _NOTHING) for column in totals)) for name in clusters]
    redrawn = redrawn_totals(rows, rounds=rounds, rng=resampling.rng)
    estimates = [value for row in redrawn if (value := how(_values(row))) is not None]
    found = percentile_interval(estimates, len(clusters), resampling)
    return None if found is None or found.low == found.high else found


def _combined_ends(bound: Interval, how: Combination, totals: Sequence[Mapping[str, Totals]]) -> Interval | None:
    """What columns that all end where one does come to; an empty one stays so; no interval where its ends are one."""
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
