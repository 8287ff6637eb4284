"""How sure a corpus value is: intervals from resampled clusters, with a recorded seed.

>>> from tsgkit.scoring.pooling import Part
>>> parts = [Part(right, 5, f"scenario-{n}") for n, right in enumerate((5, 3, 4, 1, 5, 4, 2, 5))]
>>> found = interval(parts, Pooling.POOLED, seed=7)
>>> found.low, found.high, found.clusters, str(found.method)
(0.525, 0.9, 8, 'percentile bootstrap over clusters')
>>> sure = interval([Part(1, 1, str(n)) for n in range(100)], Pooling.POOLED, seed=7)
>>> round(sure.low, 4), sure.high, str(sure.method)
(0.9705, 1.0, 'rule of three for a constant column')

Not covered: percentile intervals are a little too narrow for few clusters. For normal scores a 95 % interval holds the
truth in about 84 % of corpora with 5 clusters, 90 % with 10, 93 % with 20 and 94 % with 50.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tsgkit.errors import UsageError
from tsgkit.scoring.draws import redrawn_totals
from tsgkit.scoring.pooling import Part, Pooling, Totals, add, cluster_totals

Clusters = Mapping[str, Totals]
_ROUNDING = 1e-12


class IntervalMethod(StrEnum):
    """How an interval was made."""

    PERCENTILE = "percentile bootstrap over clusters"
    CONSTANT = "rule of three for a constant column"


@dataclass(frozen=True)
class Interval:
    """Where the value may lie, and all it takes to find the same interval again; ``rounds`` is what was really used."""

    low: float
    high: float
    level: float
    rounds: int
    seed: int
    clusters: int
    method: IntervalMethod


@dataclass(frozen=True)
class Resampling:
    """How an interval is to be made: the share of corpora it shall hold for, how many rounds, from which seed."""

    seed: int
    level: float = 0.95
    rounds: int = 2000

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise UsageError(f"the level of an interval is {self.level}", hint="give one between 0 and 1, as in 0.95")
        if self.tail(self.rounds) < 1:
            needed = math.ceil(2 / (1 - self.level)) - 1
            raise UsageError(f"{self.rounds} rounds cannot show a level of {self.level}", hint=f"take {needed} or more")

    def tail(self, rounds: int) -> int:
        """How many of the sorted estimates, counted from either end, the interval leaves out, plus one."""
        return math.floor((rounds + 1) * (1 - self.level) / 2 + _ROUNDING)

    @property
    def rng(self) -> random.Random:
        """A fresh generator."""
        return random.Random(self.seed)


def interval(
    parts: Iterable[Part],
    pooling: Pooling,
    *,
    seed: int,
    level: float = 0.95,
    rounds: int = 2000,
    top: float = 1.0,
) -> Interval | None:
    """An interval for the corpus value, or None for fewer than two clusters.

    Definition: the percentile bootstrap. Each round draws clusters with replacement, each with all its sums and
    weights, and takes the corpus value anew; the interval leaves out an equal share of rounds at either end. Clusters
    without weight are not drawn. Range: within that of the clusters' own values. The same parts and seed give the same
    interval, whatever the order of the parts.

    Where all clusters have the same value, all right and all wrong among them, no round could differ, and a zero-width
    interval would claim what nobody knows. There the interval is the one-sided binomial bound (at 95 %, the rule of
    three): were more than a share ``u = 1 - (1 - level) ** (1 / n)`` of all clusters different, a corpus with none of
    them would be rarer than ``1 - level``. At worst these score 0, or ``top``, the most an item can score; where
    ``top`` is infinite (a count) or below the value, there is no interval. n is the effective number of clusters,
    (sum of weights)² / (sum of squared weights): their number where all weigh the same, and there the bound is exact.

    >>> interval([Part(1, 1, "tea"), Part(0, 1, "tea")], Pooling.POOLED, seed=1) is None
    True
    >>> wrong = interval([Part(0, 1, str(n)) for n in range(10)], Pooling.POOLED, seed=1)
    >>> wrong.low, round(wrong.high, 4), wrong.rounds
    (0.0, 0.2589, 0)
    """
    (found,) = intervals([cluster_totals(parts, pooling)], Resampling(seed, level, rounds), top=top)
    return found


def intervals(metrics: Sequence[Clusters], how: Resampling, *, top: float = 1.0) -> list[Interval | None]:
    """The interval of each of several metrics, given as what its clusters contribute: as :func:`interval` makes it.

    Metrics with the same clusters share their draws, which are the same for each of them anyway.

    >>> halves, thirds = ({name: Totals(right, of) for name, right in zip("abc", (1, 2, 0))} for of in (2, 3))
    >>> [found.high for found in intervals([halves, thirds], Resampling(seed=1))]
    [1.0, 0.6666666666666666]
    """
    found: list[Interval | None] = [None] * len(metrics)
    alike: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, clusters in enumerate(metrics):
        if len(clusters) < 2:
            continue
        if (value := _shared_value(clusters)) is not None:
            found[place] = constant_interval(value, [c.weight for c in clusters.values()], (0.0, top), how)
        else:
            alike[tuple(clusters)].append(place)
    for names, places in alike.items():
        for place, estimates in zip(places, _estimates([metrics[place] for place in places], how), strict=True):
            found[place] = percentile_interval(estimates, len(names), how)
    return found


def _shared_value(clusters: Clusters) -> float | None:
    """The value that all clusters have; None where they differ."""
    total = add(clusters.values())
    value = total.sum / total.weight
    same = all(math.isclose(c.sum / c.weight, value, rel_tol=_ROUNDING, abs_tol=_ROUNDING) for c in clusters.values())
    return value if same else None


def _estimates(metrics: Sequence[Clusters], how: Resampling) -> list[list[float]]:
    """The corpus value of each metric in every round; of columns that are equal, one is added up."""
    columns: dict[tuple[float, ...], int] = {}
    pairs = [
        tuple(columns.setdefault(column, len(columns)) for column in zip(*clusters.values(), strict=True))
        for clusters in metrics
    ]
    redrawn = redrawn_totals(list(zip(*columns, strict=True)), rounds=how.rounds, rng=how.rng)
    return [[totals[right] / totals[of] for totals in redrawn] for right, of in pairs]


def percentile_interval(estimates: Sequence[float], clusters: int, how: Resampling) -> Interval | None:
    """What lies between the tails of the estimates; None where too few rounds gave an estimate."""
    tail = how.tail(len(estimates))
    if tail < 1:
        return None
    ordered = sorted(estimates)
    return Interval(
        low=ordered[tail - 1],
        high=ordered[-tail],
        level=how.level,
        rounds=len(estimates),
        seed=how.seed,
        clusters=clusters,
        method=IntervalMethod.PERCENTILE,
    )


def constant_interval(
    value: float, weights: Sequence[float], scale: tuple[float, float], how: Resampling
) -> Interval | None:
    """The bound for a value that all clusters share, on a scale from the least to the most a cluster can have."""
    least, most = scale
    if not (math.isfinite(least) and math.isfinite(most) and least - _ROUNDING <= value <= most + _ROUNDING):
        return None
    unseen = 1 - (1 - how.level) ** (1 / effective_number(weights))
    return Interval(
        low=value - unseen * max(value - least, 0.0),
        high=value + unseen * max(most - value, 0.0),
        level=how.level,
        rounds=0,
        seed=how.seed,
        clusters=len(weights),
        method=IntervalMethod.CONSTANT,
    )


def effective_number(weights: Sequence[float]) -> float:
    """How many clusters of equal weight would be as good: (sum of weights)² / (sum of squared weights).

    >>> effective_number([2, 2, 2]), effective_number([8, 1, 1])
    (3.0, 1.5151515151515151)
    """
    heaviest = max(weights)
    shares = [weight / heaviest for weight in weights]
    return math.fsum(shares) ** 2 / math.fsum(share * share for share in shares)
