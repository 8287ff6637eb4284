"""Tests of significance: paired tests of two systems on the same items, Holm's correction, and even spread.

Systems are paired cluster by cluster:

>>> ours = {"tea/0": Part(1, 1, "tea"), "tea/1": Part(1, 1, "tea"), "flat/0": Part(0, 1, "flat")}
>>> theirs = {"tea/0": Part(1, 1, "tea"), "tea/1": Part(0, 1, "tea"), "flat/0": Part(0, 1, "flat")}
>>> paired = pair(ours, theirs, Pooling.POOLED)
>>> paired.clusters
(ClusterPair(first=Totals(sum=0.0, weight=1.0), second=Totals(sum=0.0, weight=1.0)), \
ClusterPair(first=Totals(sum=2.0, weight=2.0), second=Totals(sum=1.0, weight=2.0)))
>>> round(paired.difference, 4)
0.3333

Tests are McNemar's or sign flips:

>>> ours = {str(n): Part(float(n < 9), 1, str(n)) for n in range(12)}
>>> theirs = {str(n): Part(float(n < 2), 1, str(n)) for n in range(12)}
>>> found = mcnemar(ours, theirs, Pooling.POOLED)
>>> found.p, found.differing, str(found.method)
(0.015625, 7, 'exact McNemar test')
>>> sign_flip(ours, theirs, Pooling.POOLED, seed=1).p
0.015625
>>> holm([0.01, 0.04, 0.03])
(0.03, 0.06, 0.06)

Pearson's chi-square test of whether counts are spread as expected.

>>> found = skew([54, 60, 43, 46, 47], [50, 50, 50, 50, 50])
>>> round(found.statistic, 2), round(found.p, 3), found.most
(3.8, 0.434, 1)
>>> skew([20, 80], [50, 50]).p < 1e-8
True

The test is valid if all expected counts are about five or more; else ``is_rough`` is true.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeVar

from tsgkit.errors import UsageError
from tsgkit.scoring.intervals import SWAPS, weighted_totals
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
        (first, weight), (second, second_weight) = self
        return (
            (first / weight, second / weight) if weight == second_weight and {first, second} <= {0.0, weight} else None
        )


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
        return [first - second for first, second in zip(mine, theirs, strict=True)]

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


EXACT_CLUSTERS = 15
"""Up to this number of differing clusters all rearrangements are counted (32,768); above, some are drawn at random."""

_SLACK = 1e-8  # relative: two rearrangements that are equal on paper may differ by rounding


class PairedMethod(StrEnum):
    """The method behind a p-value."""

    MCNEMAR = "exact McNemar test"
    EXACT_FLIPS = "sign-flip test over clusters, all rearrangements"
    DRAWN_FLIPS = "sign-flip test over clusters, drawn rearrangements"


@dataclass(frozen=True)
class PairedTest:
    """A two-sided p-value and its method; the p-value is None if a system has no value, with the reason.

    ``differing`` counts the clusters whose two sides differ; the others carry no evidence. ``rounds`` and ``seed`` are
    None if nothing was drawn.
    """

    p: float | None
    method: PairedMethod
    clusters: int
    differing: int
    rounds: int | None = None
    seed: int | None = None
    reason: str | None = None

    def differs(self, alpha: float = 0.05) -> bool:
        """Return whether the systems differ significantly at this level. Correct the p-values of several tests
        first."""
        return self.p is not None and self.p <= alpha


def sign_flip(
    first: Mapping[Item, Part], second: Mapping[Item, Part], pooling: Pooling, *, seed: int, rounds: int = 10_000
) -> PairedTest:
    """Return the clustered sign-flip permutation test of two systems on the same items.

    Definition: were the systems alike, each cluster might as well have had its two sides swapped. The p-value is the
    share of all such rearrangements whose values are at least as far apart as the real ones. All are counted where at
    most 15 clusters differ; else ``rounds`` of them are drawn, and the real one is counted with them. Range: above 0,
    to 1; two identical systems give 1. With k differing clusters p is never below 2 / 2**k, so fewer than six cannot
    show a difference at 5 %. Of two equal systems at most 5 % are called different at 5 %: about as many where scores
    are fine-grained, fewer where they are right or wrong and most clusters tie. Where both systems give a cluster the
    same weight, swapping is changing the sign of its difference; otherwise (a precision, say) both sums and weights
    change sides.

    Dror, Baumer, Shlomov and Reichart 2018, "The Hitchhiker's Guide to Testing Statistical Significance in NLP".
    """
    if rounds < 1:
        raise UsageError(f"a test of {rounds} rounds was asked for", hint="take 1000 or more")
    return flipped(pair(first, second, pooling), seed=seed, rounds=rounds)


def flipped(paired: Paired, *, seed: int, rounds: int = 10_000) -> PairedTest:
    """Return the sign-flip test of a pairing."""
    differing = [cluster for cluster in paired.clusters if cluster.differs]
    exact = len(differing) <= EXACT_CLUSTERS
    method = PairedMethod.EXACT_FLIPS if exact else PairedMethod.DRAWN_FLIPS
    if paired.difference is None:
        return PairedTest(None, method, len(paired.clusters), len(differing), reason=paired.reason)
    if exact:
        # The first cluster stays: to swap all the others instead of it is as far apart.
        swaps = _all_swaps(differing[1:])
        return PairedTest(_as_far(paired, swaps) / len(swaps), method, len(paired.clusters), len(differing))
    drawn = weighted_totals([_swap(cluster) for cluster in differing], SWAPS, rounds=rounds, rng=random.Random(seed))
    p = (1 + _as_far(paired, drawn)) / (1 + rounds)
    return PairedTest(p, method, len(paired.clusters), len(differing), rounds, seed)


def _swap(cluster: ClusterPair) -> tuple[float, float]:
    """Return the gain of the first system, in sum and weight, if a cluster changes sides."""
    return cluster.second.sum - cluster.first.sum, cluster.second.weight - cluster.first.weight


def _all_swaps(clusters: Sequence[ClusterPair]) -> list[tuple[float, ...]]:
    gains: list[tuple[float, ...]] = [(0.0, 0.0)]
    for cluster in clusters:
        more, weight = _swap(cluster)
        gains += [(gain + more, heavier + weight) for gain, heavier in gains]
    return gains


def _as_far(paired: Paired, gains: Sequence[tuple[float, ...]]) -> int:
    """Return the number of rearrangements with at least the real difference, including those that leave a side without
    weight.
    """
    sums = [math.fsum(c[side].sum for c in paired.clusters) for side in (0, 1)]
    weights = [math.fsum(c[side].weight for c in paired.clusters) for side in (0, 1)]
    values = [total / weight for total, weight in zip(sums, weights, strict=True)]
    least = abs(values[0] - values[1]) - _SLACK * max(map(abs, values))
    empty = _SLACK * max(weights)
    far = 0
    for gain, heavier in gains:
        left, right = weights[0] + heavier, weights[1] - heavier
        if min(left, right) <= empty or abs((sums[0] + gain) / left - (sums[1] - gain) / right) >= least:
            far += 1
    return far


def mcnemar(first: Mapping[Item, Part], second: Mapping[Item, Part], pooling: Pooling) -> PairedTest:
    """Return the exact McNemar test of two systems on the same items.

    Definition: of the items only one system gets right, b and c for either, each might as well have been the other's,
    so p = 2 P(X <= min(b, c)) for X ~ Binomial(b + c, 1/2), at most 1. Range: above 0, to 1; with b = c = 0, and for
    two identical systems, 1. It needs independent items that are right or wrong: ``UsageError`` unless each cluster
    has one item, of one weight, scored 0 or 1. There it is what :func:`sign_flip` comes to, without drawing.

    McNemar 1947, "Note on the sampling error of the difference between correlated proportions or percentages".
    """
    paired = pair(first, second, pooling)
    counts = paired.discordant
    if counts is None:
        raise UsageError(
            "McNemar's test needs one item per cluster, scored 0 or 1 by both systems", hint="use the sign-flip test"
        )
    return binomial(counts, len(paired.clusters))


def binomial(discordant: tuple[int, int], clusters: int) -> PairedTest:
    """Return the exact McNemar test of two counts of discordant items."""
    fewer, tries = min(discordant), sum(discordant)
    ways = term = 1
    for successes in range(fewer):
        term = term * (tries - successes) // (successes + 1)
        ways += term
    return PairedTest(min(1.0, 2 * ways / 2**tries), PairedMethod.MCNEMAR, clusters, tries)


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's correction: p-values of several comparisons, adjusted so that each may be read at the usual level.

    Definition: the i-th smallest of m (from 0) is multiplied by m - i, raised to the adjusted value before it, and cut
    at 1. Calling different what is at most alpha then calls any equal pair different in at most a share alpha of all
    studies. Range: each between its p-value and 1, in the order given; no p-values give none.

    Holm 1979, "A simple sequentially rejective multiple test procedure".

    >>> holm([0.02, 0.02, 0.9]), holm([])
    ((0.06, 0.06, 0.9), ())
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p-values lie between 0 and 1, and these are {list(p_values)}")
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, number in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[number]))
        adjusted[number] = highest
    return tuple(adjusted)


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
    most = max(range(len(counts)), key=lambda number: counts[number] - expected[number])
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
