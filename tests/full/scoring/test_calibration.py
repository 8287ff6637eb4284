"""Calibration of the statistics on simulated corpora with fixed seeds.

Shares are out of some hundred corpora, so each has a standard error of one to two points; the bounds leave about four.
The same counts over more corpora, come from eval/bench/coverage.py, and the seconds
from eval/bench/statistics_of_scores.py.
"""

from __future__ import annotations

import math
import random

import pytest

from tsgkit.scoring import (
    Part,
    Pooling,
    compare,
    interval,
    mcnemar,
    planned_difference,
    sign_flip,
    smallest_difference,
)
from tsgkit.scoring.comparison import DISCORDANT, SHARED

Side = dict[tuple[int, int], Part]

APART = 1_000_000  # a statistic must not draw the very numbers its corpus was made of


def system(rng: random.Random, ease: list[float], items: int, better: float = 0.0) -> Side:
    """Return items right or wrong, as easy as their cluster."""
    return {
        (cluster, n): Part(float(rng.random() < chance + better), 1, str(cluster))
        for cluster, chance in enumerate(ease)
        for n in range(items)
    }


def share(verdicts: list[bool]) -> float:
    return sum(verdicts) / len(verdicts)


@pytest.mark.parametrize("clusters", [8, 20])
def test_about_one_in_twenty_equal_systems_with_fine_scores_is_called_different(clusters: int) -> None:
    # Both systems share what is hard about a cluster; with 8 clusters the nearest level is 12 / 256 = 4.7 %.
    verdicts = []
    for seed in range(400):
        rng = random.Random(seed)
        ours, theirs = ({n: Part(rng.gauss(n / clusters, 0.1), 1, str(n)) for n in range(clusters)} for _ in range(2))
        verdicts.append(sign_flip(ours, theirs, Pooling.POOLED, seed=APART + seed, rounds=300).differs())
    assert 0.015 <= share(verdicts) <= 0.09


def test_at_most_one_in_twenty_equal_systems_that_often_tie_is_called_different() -> None:
    verdicts = []
    for seed in range(200):
        rng = random.Random(seed)
        ease = [rng.random() for _ in range(30)]
        ours, theirs = system(rng, ease, 3), system(rng, ease, 3)
        verdicts.append(sign_flip(ours, theirs, Pooling.POOLED, seed=APART + seed, rounds=300).differs())
    assert 0.003 <= share(verdicts) <= 0.08


def test_mcnemars_test_calls_at_most_one_in_twenty_equal_systems_different() -> None:
    verdicts = []
    for seed in range(400):
        rng = random.Random(seed)
        ours, theirs = system(rng, [0.6] * 60, 1), system(rng, [0.6] * 60, 1)
        verdicts.append(mcnemar(ours, theirs, Pooling.POOLED).differs())
    assert 0.005 <= share(verdicts) <= 0.06


@pytest.mark.parametrize("pooling", Pooling)
def test_an_interval_holds_the_truth_about_nineteen_times_in_twenty(pooling: Pooling) -> None:
    verdicts = []
    for seed in range(200):
        rng = random.Random(seed)
        column = system(rng, [rng.random() for _ in range(30)], 3).values()
        found = interval(column, pooling)
        assert found is not None
        verdicts.append(found.low <= 0.5 <= found.high)
    assert 0.88 <= share(verdicts) <= 0.985


def test_the_interval_of_a_difference_holds_the_truth_about_nineteen_times_in_twenty() -> None:
    verdicts = []
    for seed in range(100):
        rng = random.Random(seed)
        ease = [rng.uniform(0, 0.8) for _ in range(30)]
        ours, theirs = system(rng, ease, 2, better=0.2), system(rng, ease, 2)
        found = compare(ours, theirs, Pooling.POOLED, seed=seed).interval
        assert found is not None
        verdicts.append(found.low <= 0.2 <= found.high)
    assert 0.88 <= share(verdicts) <= 0.985


def test_many_clusters_hold_the_truth_as_often() -> None:
    verdicts = []
    for seed in range(200):
        rng = random.Random(seed)
        parts = [Part(rng.expovariate(4), 1, str(n)) for n in range(250)]
        found = interval(parts, Pooling.POOLED)
        assert found is not None
        verdicts.append(found.low <= 0.25 <= found.high)
    assert 0.88 <= share(verdicts) <= 0.985


def test_all_right_is_believed_where_one_in_twenty_such_corpora_is_all_right() -> None:
    # A system right 9 times in 10 is all right on 28 items with 0.9**28 = 5.2 %: the bound is there, and covers it.
    found = interval([Part(1, 1, str(n)) for n in range(28)], Pooling.POOLED)
    assert found is not None
    assert found.low == pytest.approx(0.9, abs=0.002)


@pytest.mark.parametrize(("clusters", "size"), [(62, 6), (40, 10), (200, 1)])
def test_a_planned_difference_is_found_about_four_times_in_five(clusters: int, size: int) -> None:
    """Pairs of models that disagree on a fifth of the items; what the second gains varies from cluster to cluster."""
    planned = planned_difference([size] * clusters)
    verdicts = []
    for seed in range(250):
        rng = random.Random(seed)
        ours: dict[tuple[int, int], Part] = {}
        theirs: dict[tuple[int, int], Part] = {}
        for cluster in range(clusters):
            gain = planned + rng.choice((-1, 1)) * math.sqrt(SHARED * (DISCORDANT - planned**2))
            for item in range(size):
                first = second = float(rng.random() < 0.6)
                if rng.random() < DISCORDANT:
                    first, second = (0.0, 1.0) if rng.random() < (1 + gain / DISCORDANT) / 2 else (1.0, 0.0)
                ours[cluster, item] = Part(first, 1, str(cluster))
                theirs[cluster, item] = Part(second, 1, str(cluster))
        verdicts.append(sign_flip(ours, theirs, Pooling.POOLED, seed=APART + seed, rounds=300).differs())
    assert 0.7 <= share(verdicts) <= 0.9


def test_a_difference_of_the_smallest_size_is_found_about_four_times_in_five() -> None:
    # Two systems right 0.5 and 0.5 + d of the time on 100 items of their own cluster each: what 100 such items
    # resolve is about 2.80 * sqrt(0.5 / 100) = 0.198 (a little less for unequal shares).
    rng = random.Random(1)
    example = smallest_difference(system(rng, [0.5] * 100, 1, 0.19), system(rng, [0.5] * 100, 1), Pooling.POOLED)
    assert example.value == pytest.approx(0.19, abs=0.02)
    verdicts = []
    for seed in range(200):
        rng = random.Random(seed)
        ours, theirs = system(rng, [0.5] * 100, 1, better=0.19), system(rng, [0.5] * 100, 1)
        verdicts.append(sign_flip(ours, theirs, Pooling.POOLED, seed=APART + seed, rounds=300).differs())
    assert 0.68 <= share(verdicts) <= 0.9
