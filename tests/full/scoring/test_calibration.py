"""Calibration of the statistics on simulated corpora with fixed seeds.

Shares are out of some hundred corpora, so each has a standard error of one to two points; the bounds leave about four.
The same counts over more corpora come from eval/bench/coverage.py.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from functools import partial

import pytest

from tsgkit.scoring.comparison import DISCORDANT, SHARED, compare, planned_difference, smallest_difference
from tsgkit.scoring.intervals import Interval, interval
from tsgkit.scoring.pooling import Part, Pooling
from tsgkit.scoring.significance import mcnemar, sign_flip

Side = dict[tuple[int, int], Part]
POOLED = Pooling.POOLED
APART = 1_000_000  # a statistic must not draw the very numbers its corpus was made of


def system(rng: random.Random, ease: list[float], items: int, better: float = 0.0) -> Side:
    """Return items right or wrong, as easy as their cluster."""
    return {
        (cluster, n): Part(float(rng.random() < chance + better), 1, str(cluster))
        for cluster, chance in enumerate(ease)
        for n in range(items)
    }


def called_different(two_systems: Callable[[random.Random], Iterable[Side]], corpora: int) -> float:
    """Return how often the sign-flip test calls the systems of a corpus different."""
    found = 0
    for seed in range(corpora):
        ours, theirs = two_systems(random.Random(seed))
        found += sign_flip(ours, theirs, POOLED, seed=APART + seed, rounds=300).differs()
    return found / corpora


def covering(intervals: list[Interval | None], truth: float) -> float:
    return sum(one is not None and one.low <= truth <= one.high for one in intervals) / len(intervals)


def test_at_most_about_one_in_twenty_equal_systems_is_called_different() -> None:
    # Both systems share what is hard about a cluster; with 8 clusters the nearest level is 12 / 256 = 4.7 %.
    def fine_scores(clusters: int, rng: random.Random) -> list[Side]:
        return [{(n, 0): Part(rng.gauss(n / clusters, 0.1), 1, str(n)) for n in range(clusters)} for _ in range(2)]

    def often_tied(rng: random.Random) -> list[Side]:
        ease = [rng.random() for _ in range(30)]
        return [system(rng, ease, 3) for _ in range(2)]

    for clusters in (8, 20):
        assert 0.015 <= called_different(partial(fine_scores, clusters), 400) <= 0.09, clusters
    assert 0.003 <= called_different(often_tied, 200) <= 0.08
    generators = map(random.Random, range(400))
    pairs = ([system(rng, [0.6] * 60, 1) for _ in range(2)] for rng in generators)
    assert 0.005 <= sum(mcnemar(ours, theirs, POOLED).differs() for ours, theirs in pairs) / 400 <= 0.06


def test_an_interval_holds_the_truth_about_nineteen_times_in_twenty() -> None:
    for pooling in Pooling:
        corpora = (system(rng, [rng.random() for _ in range(30)], 3) for rng in map(random.Random, range(200)))
        found = [interval(corpus.values(), pooling) for corpus in corpora]
        assert 0.88 <= covering(found, 0.5) <= 0.985, pooling
    columns = ([Part(rng.expovariate(4), 1, str(n)) for n in range(250)] for rng in map(random.Random, range(200)))
    found = [interval(column, POOLED) for column in columns]
    assert 0.88 <= covering(found, 0.25) <= 0.985, "of many clusters"
    found = []
    for seed in range(100):
        rng = random.Random(seed)
        ease = [rng.uniform(0, 0.8) for _ in range(30)]
        ours, theirs = system(rng, ease, 2, better=0.2), system(rng, ease, 2)
        found.append(compare(ours, theirs, POOLED, seed=seed).interval)
    assert 0.88 <= covering(found, 0.2) <= 0.985, "of a difference"
    # A system right 9 times in 10 is all right on 28 items with 0.9**28 = 5.2 %: the bound is there, and covers it.
    all_right = interval([Part(1, 1, str(n)) for n in range(28)], POOLED)
    assert all_right is not None
    assert all_right.low == pytest.approx(0.9, abs=0.002)


@pytest.mark.parametrize(("clusters", "size"), [(62, 6), (40, 10), (200, 1)])
def test_a_planned_difference_is_found_about_four_times_in_five(clusters: int, size: int) -> None:
    """Pairs of models that disagree on a fifth of the items; what the second gains varies from cluster to cluster."""
    planned = planned_difference([size] * clusters)

    def two_systems(rng: random.Random) -> tuple[Side, Side]:
        ours, theirs = Side(), Side()
        for cluster in range(clusters):
            gain = planned + rng.choice((-1, 1)) * math.sqrt(SHARED * (DISCORDANT - planned**2))
            for item in range(size):
                first = second = float(rng.random() < 0.6)
                if rng.random() < DISCORDANT:
                    first, second = (0.0, 1.0) if rng.random() < (1 + gain / DISCORDANT) / 2 else (1.0, 0.0)
                ours[cluster, item] = Part(first, 1, str(cluster))
                theirs[cluster, item] = Part(second, 1, str(cluster))
        return ours, theirs

    assert 0.7 <= called_different(two_systems, 250) <= 0.9


def test_a_difference_of_the_smallest_size_is_found_about_four_times_in_five() -> None:
    # Two systems right 0.5 and 0.5 + d of the time on 100 items of their own cluster each: what 100 such items
    # resolve is about 2.80 * sqrt(0.5 / 100) = 0.198 (a little less for unequal shares).
    def two_systems(rng: random.Random) -> tuple[Side, Side]:
        return system(rng, [0.5] * 100, 1, better=0.19), system(rng, [0.5] * 100, 1)

    assert smallest_difference(*two_systems(random.Random(1)), POOLED).value == pytest.approx(0.19, abs=0.02)
    assert 0.68 <= called_different(two_systems, 200) <= 0.9
