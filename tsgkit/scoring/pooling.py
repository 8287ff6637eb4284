"""Contributions of samples to a metric, and the corpus value computed from them.

>>> parts = [Part(3, 4, "tea"), Part(1, 1, "tea"), Part(0, 5, "puncture"), Part(0, 0, "puncture")]
>>> pool(parts, Pooling.POOLED).value
0.4
>>> averaged = pool(parts, Pooling.PER_ITEM)
>>> round(averaged.value, 4), averaged.items, averaged.weightless, averaged.clusters
(0.5833, 3, 1, 2)

A sample to which a metric does not apply has no weight: it is counted in ``weightless`` and changes no value. A wrong
or missing answer has a sum of 0 with its full weight.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

NO_WEIGHT = "no item carries weight, so the metric has no value"


class Pooling(StrEnum):
    """The way in which samples become one corpus value; cards name it."""

    POOLED = "pooled"
    """The total sum divided by the total weight."""
    PER_ITEM = "per-item"
    """The mean of each sample's sum divided by its weight: every sample with a weight counts the same."""


class Totals(NamedTuple):
    """A sum and its weight."""

    sum: float
    weight: float


@dataclass(frozen=True, slots=True)
class Part:
    """The contribution of one sample to one metric: a sum, its weight, and the sample's cluster.

    Samples of one cluster share a scenario or a context, so they are not independent. A sample on its own is a cluster
    of one. The sum of a share is between 0 and the weight; a count may be larger.
    """

    sum: float
    weight: float
    cluster: str

    def __post_init__(self) -> None:
        if not (math.isfinite(self.sum) and math.isfinite(self.weight)):
            raise ValueError(f"a part needs finite numbers, and this one is {self.sum} out of {self.weight}")
        if self.weight < 0 or (self.weight == 0 and self.sum != 0):
            raise ValueError(f"a part is a sum out of a weight, and this one is {self.sum} out of {self.weight}")

    def counted(self, pooling: Pooling) -> Totals:
        """Return the sum and weight with which this part enters a corpus value."""
        if pooling is Pooling.POOLED or self.weight == 0:
            return Totals(self.sum, self.weight)
        return Totals(self.sum / self.weight, 1.0)


@dataclass(frozen=True)
class Pooled:
    """A corpus value with its weight. ``value`` is None if there is no weight; ``reason`` says so."""

    value: float | None
    pooling: Pooling
    weight: float
    items: int
    weightless: int
    clusters: int
    reason: str | None = None


def pool(parts: Iterable[Part], pooling: Pooling) -> Pooled:
    """The corpus value of a metric.

    Definition: ``pooled`` is the total sum over the total weight; ``per-item`` is the mean of each item's sum over its
    weight. Range: that of the items, so 0 to 1 for shares. Without any weight the value is None, never 0. ``weight``
    is the summed weight of the parts, ``items`` and ``clusters`` count those that weigh anything. The order of the
    parts changes nothing, not even the last digit.

    >>> pool([Part(0, 0, "tea")], Pooling.POOLED)
    Pooled(value=None, pooling=<Pooling.POOLED: 'pooled'>, weight=0.0, items=0, weightless=1, clusters=0, \
reason='no item carries weight, so the metric has no value')
    """
    sums, weights, shares, clusters, weightless = array("d"), array("d"), array("d"), set[str](), 0
    for part in parts:
        if part.weight:
            sums.append(part.sum)
            weights.append(part.weight)
            shares.append(part.sum / part.weight)
            clusters.add(part.cluster)
        else:
            weightless += 1
    weight, items = math.fsum(weights), len(weights)
    pooled = pooling is Pooling.POOLED
    total = Totals(math.fsum(sums), weight) if pooled else Totals(math.fsum(shares), float(items))
    return Pooled(
        value=total.sum / total.weight if items else None,
        pooling=pooling,
        weight=weight,
        items=items,
        weightless=weightless,
        clusters=len(clusters),
        reason=None if items else NO_WEIGHT,
    )


def add(totals: Iterable[Totals]) -> Totals:
    """Return the exactly rounded total, which does not depend on the order."""
    given = list(totals)
    return Totals(math.fsum(total.sum for total in given), math.fsum(total.weight for total in given))


def cluster_totals(parts: Iterable[Part], pooling: Pooling) -> dict[str, Totals]:
    """Return the contribution of each cluster, sorted by name. Clusters without weight are left out.

    >>> cluster_totals([Part(3, 4, "tea"), Part(0, 5, "puncture"), Part(1, 1, "tea")], Pooling.PER_ITEM)
    {'puncture': Totals(sum=0.0, weight=1.0), 'tea': Totals(sum=1.75, weight=2.0)}
    """
    members: defaultdict[str, tuple[array[float], array[float]]] = defaultdict(lambda: (array("d"), array("d")))
    for part in parts:
        if part.weight:
            sums, weights = members[part.cluster]
            sums.append(part.sum if pooling is Pooling.POOLED else part.sum / part.weight)
            weights.append(part.weight if pooling is Pooling.POOLED else 1.0)
    return {name: Totals(*map(math.fsum, members[name])) for name in sorted(members)}
