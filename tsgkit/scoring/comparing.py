"""Two systems on the same items: how far apart, how sure, and what such a set of items can show at all.

>>> ours = {n: Part(float(n % 4 != 0), 1, str(n)) for n in range(40)}
>>> theirs = {n: Part(float(n % 2 != 0), 1, str(n)) for n in range(40)}
>>> found = compare(ours, theirs, Pooling.POOLED, seed=3)
>>> found.difference, found.interval.low, round(found.interval.high, 3)
(0.25, 0.125, 0.4)
>>> found.test.p, str(found.test.method), found.test.differs()
(0.001953125, 'exact McNemar test', True)
>>> round(found.resolvable.value, 3)
0.194
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

from tsgkit.errors import UsageError
from tsgkit.scoring.bootstrap import Interval, Resampling, constant_interval, effective_number, percentile_interval
from tsgkit.scoring.draws import redrawn_totals
from tsgkit.scoring.pairing import Item, Paired, pair
from tsgkit.scoring.pooling import Part, Pooled, Pooling
from tsgkit.scoring.significance import PairedTest, binomial, flipped

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Resolvable:
    """The smallest true difference that so many clusters would probably show; None, with the reason, where unknown."""

    value: float | None
    level: float
    power: float
    clusters: int
    standard_error: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Comparison:
    """The first system minus the second, with everything it takes to judge the difference.

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
    rounds: int = 2000,
    top: float = 1.0,
) -> Comparison:
    """Compare two systems, item by item.

    Definition: the difference is the first corpus value minus the second; its interval redraws clusters, each with
    both its sides (see :func:`tsgkit.scoring.bootstrap.interval`, also for ``top``); the test is McNemar's where each
    cluster is one item scored 0 or 1, else the sign-flip test. Range of the difference: -1 to 1 for shares. Two
    identical systems differ by 0 with p = 1, and an interval that is not of zero width: that no cluster seen differs
    leaves open how many unseen ones would. Both systems must have the same items in the same clusters.
    """
    how = Resampling(seed, level, rounds)
    paired = pair(first, second, pooling)
    discordant = paired.discordant
    return Comparison(
        first=paired.first,
        second=paired.second,
        difference=paired.difference,
        interval=_interval(paired, top, how),
        test=flipped(paired, seed=seed) if discordant is None else binomial(discordant, len(paired.clusters)),
        resolvable=_resolvable(paired, level, 0.8),
        items=paired.items,
        clusters=len(paired.clusters),
        reason=paired.reason,
    )


def _interval(paired: Paired, top: float, how: Resampling) -> Interval | None:
    if paired.difference is None or len(paired.clusters) < 2:
        return None
    if _alike(paired):
        sides = ([cluster[side].weight for cluster in paired.clusters] for side in (0, 1))
        return constant_interval(paired.difference, min(sides, key=effective_number), (-top, top), how)
    rows = [(*cluster.first, *cluster.second) for cluster in paired.clusters]
    redrawn = redrawn_totals(rows, rounds=how.rounds, rng=how.rng)
    estimates = [mine / out_of - theirs / of for mine, out_of, theirs, of in redrawn if out_of > 0 and of > 0]
    return percentile_interval(estimates, len(paired.clusters), how)


def _alike(paired: Paired) -> bool:
    """Whether no cluster pulls the difference anywhere, so that redrawing them shows nothing."""
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
    """The smallest true difference that these items would show, were systems as unlike as these two compared again.

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
