"""Pairing of two systems on the same items, cluster by cluster: the input of the paired statistics.

>>> ours = {"tea/0": Part(1, 1, "tea"), "tea/1": Part(1, 1, "tea"), "flat/0": Part(0, 1, "flat")}
>>> theirs = {"tea/0": Part(1, 1, "tea"), "tea/1": Part(0, 1, "tea"), "flat/0": Part(0, 1, "flat")}
>>> paired = pair(ours, theirs, Pooling.POOLED)
>>> paired.clusters
(ClusterPair(first=Totals(sum=0.0, weight=1.0), second=Totals(sum=0.0, weight=1.0)), \
ClusterPair(first=Totals(sum=2.0, weight=2.0), second=Totals(sum=1.0, weight=2.0)))
>>> round(paired.difference, 4)
0.3333
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from tsgkit.errors import UsageError
from tsgkit.scoring.pooling import Part, Pooled, Pooling, Totals, add, pool

Item = TypeVar("Item", bound=Hashable)


class ClusterPair(NamedTuple):
    """The contributions of one cluster (or item) to the values of both systems."""

    first: Totals
    second: Totals

    @property
    def differs(self) -> bool:
        """True if the two systems differ on this cluster."""
        return self.first != self.second

    @property
    def outcomes(self) -> tuple[float, float] | None:
        """The outcomes of both sides if each is plainly right (1) or wrong (0) with the same weight; else None."""
        (first, weight), (second, other) = self
        return (first / weight, second / weight) if weight == other and {first, second} <= {0.0, weight} else None


@dataclass(frozen=True)
class Paired:
    """Two corpus values and the contributions of each cluster. Clusters without weight on either side are left out."""

    first: Pooled
    second: Pooled
    items: int
    clusters: tuple[ClusterPair, ...]

    @property
    def difference(self) -> float | None:
        """The first value minus the second; None if one is missing."""
        if self.first.value is None or self.second.value is None:
            return None
        return self.first.value - self.second.value

    @property
    def reason(self) -> str | None:
        """The reason for a missing difference."""
        return self.first.reason or self.second.reason

    @property
    def discordant(self) -> tuple[int, int] | None:
        """The numbers of clusters in which only the first, and only the second, is right; None unless each cluster is
        one plain outcome.
        """
        outcomes = [cluster.outcomes for cluster in self.clusters]
        if len(self.clusters) != self.items or len({cluster.first.weight for cluster in self.clusters}) != 1:
            return None
        return None if None in outcomes else (outcomes.count((1.0, 0.0)), outcomes.count((0.0, 1.0)))

    def deviations(self) -> list[float]:
        """Return the deviation of each cluster from the overall difference (linearised; they add up to 0)."""
        mine = _deviations([cluster.first for cluster in self.clusters])
        theirs = _deviations([cluster.second for cluster in self.clusters])
        return [one - other for one, other in zip(mine, theirs, strict=True)]

    def standard_error(self) -> float:
        """Return the clustered standard error of the difference: sqrt(k / (k - 1) * sum of squared deviations)."""
        k = len(self.clusters)
        return math.sqrt(k / (k - 1) * math.fsum(deviation**2 for deviation in self.deviations()))


def pair(first: Mapping[Item, Part], second: Mapping[Item, Part], pooling: Pooling) -> Paired:
    """Pair two systems. Raise ``UsageError`` unless both have the same items in the same clusters."""
    _check_items(first, second)
    members: defaultdict[str, list[ClusterPair]] = defaultdict(list)
    for item, part in first.items():
        if part.weight or second[item].weight:
            members[part.cluster].append(ClusterPair(part.counted(pooling), second[item].counted(pooling)))
    return Paired(
        first=pool(first.values(), pooling),
        second=pool(second.values(), pooling),
        items=sum(map(len, members.values())),
        clusters=tuple(
            ClusterPair(add(item.first for item in members[name]), add(item.second for item in members[name]))
            for name in sorted(members)
        ),
    )


def _check_items(first: Mapping[Item, Part], second: Mapping[Item, Part]) -> None:
    unpaired = sorted(map(str, first.keys() ^ second.keys()))
    if unpaired:
        raise UsageError(
            f"{len(unpaired)} items are in one system only, as {unpaired[0]}", hint="compare on the items both have"
        )
    moved = sorted(str(item) for item in first if first[item].cluster != second[item].cluster)
    if moved:
        raise UsageError(
            f"{len(moved)} items are in another cluster in the second system, as {moved[0]}",
            hint="cluster both systems by the same data",
        )


def _deviations(totals: list[Totals]) -> list[float]:
    total = add(totals)
    value = total.sum / total.weight
    return [(cluster.sum - value * cluster.weight) / total.weight for cluster in totals]
