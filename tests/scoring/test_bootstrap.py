"""Intervals."""

from __future__ import annotations

import math
import random

import pytest

from tsgkit.errors import UsageError
from tsgkit.scoring import IntervalMethod, Part, Pooling, interval
from tsgkit.scoring.bootstrap import Resampling, effective_number, intervals
from tsgkit.scoring.pooling import cluster_totals


def outcomes(right: int, wrong: int) -> list[Part]:
    return [Part(float(n < right), 1, f"{n:05}") for n in range(right + wrong)]


def test_a_small_interval_has_the_ends_of_the_binomial_distribution() -> None:
    # Redrawing 20 outcomes, 10 of them right, is Binomial(20, 1/2): P(X <= 5) = 0.0207, P(X <= 6) = 0.0577, so the
    # 2.5 % point is 6, and 14 the other. 20,000 rounds keep the sampling error of 0.0207 at 0.001.
    found = interval(outcomes(10, 10), Pooling.POOLED, seed=1, rounds=20_000)
    assert found is not None
    assert (found.low, found.high) == (0.3, 0.7)


@pytest.mark.parametrize("right", [100, 500, 900])
def test_a_large_interval_has_the_width_of_the_normal_one(right: int) -> None:
    # The standard error of a share p of n is sqrt(p (1 - p) / n).
    found = interval(outcomes(right, 1000 - right), Pooling.POOLED, seed=1)
    share = right / 1000
    half = 1.96 * math.sqrt(share * (1 - share) / 1000)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((share - half, share + half), abs=0.003)


def test_two_clusters_can_come_out_as_either_of_them() -> None:
    found = interval(outcomes(1, 1), Pooling.POOLED, seed=1)
    assert found is not None
    assert (found.low, found.high, found.clusters) == (0, 1, 2)


def test_items_of_one_cluster_are_drawn_together() -> None:
    # Twenty clusters of ten equal items know no more than twenty items.
    items = [Part(float(n < 10), 1, str(n)) for n in range(20) for _ in range(10)]
    found = interval(items, Pooling.POOLED, seed=1, rounds=20_000)
    assert found is not None
    assert (found.low, found.high, found.clusters) == (0.3, 0.7, 20)


@pytest.mark.parametrize("parts", [[], [Part(0, 0, "a"), Part(1, 1, "b")], [Part(1, 1, "a"), Part(0, 1, "a")]])
def test_fewer_than_two_clusters_with_weight_have_no_interval(parts: list[Part]) -> None:
    assert interval(parts, Pooling.POOLED, seed=1) is None


@pytest.mark.parametrize(("clusters", "unseen"), [(2, 1 - math.sqrt(0.05)), (10, 0.2589), (100, 0.0295), (1000, 0.003)])
def test_all_right_and_all_wrong_get_the_rule_of_three(clusters: int, unseen: float) -> None:
    # 1 - 0.05 ** (1 / n), which is about 3 / n
    right = interval(outcomes(clusters, 0), Pooling.POOLED, seed=1)
    wrong = interval(outcomes(0, clusters), Pooling.POOLED, seed=1)
    assert right is not None
    assert wrong is not None
    assert (right.low, right.high) == pytest.approx((1 - unseen, 1), abs=1e-4)
    assert (wrong.low, wrong.high) == pytest.approx((0, unseen), abs=1e-4)
    assert right.method is wrong.method is IntervalMethod.CONSTANT


@pytest.mark.parametrize("clusters", [5, 10, 50, 200, 500])
def test_one_wrong_cluster_is_never_surer_than_none(clusters: int) -> None:
    none = interval(outcomes(clusters, 0), Pooling.POOLED, seed=1)
    one = interval(outcomes(clusters - 1, 1), Pooling.POOLED, seed=1)
    assert none is not None
    assert one is not None
    assert one.low < none.low


def test_clusters_that_share_a_value_between_may_be_off_on_either_side() -> None:
    # a tenth of 0.2589 down to 0, nine tenths of it up to 1
    found = interval([Part(0.1, 1, str(n)) for n in range(10)], Pooling.POOLED, seed=1)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.1 - 0.02589, 0.1 + 0.9 * 0.2589), abs=1e-4)


def test_one_heavy_cluster_among_light_ones_counts_for_little_more_than_one() -> None:
    assert effective_number([1, 1, 1, 1]) == 4
    # (97 + 3)² / (97² + 3), about 1.06: the bound is 0.05 ** (1 / 1.0625)
    weights = [97, 1, 1, 1]
    found = interval([Part(w, w, str(n)) for n, w in enumerate(weights)], Pooling.POOLED, seed=1)
    assert effective_number(weights) == pytest.approx(10_000 / 9412)
    assert found is not None
    assert found.low == pytest.approx(0.05 ** (9412 / 10_000))


def test_a_count_that_is_always_the_same_has_no_bound() -> None:
    counts = [Part(0, 1, str(n)) for n in range(10)]
    assert interval(counts, Pooling.POOLED, seed=1, top=math.inf) is None
    assert interval([Part(3, 1, str(n)) for n in range(10)], Pooling.POOLED, seed=1) is None
    five = interval(counts, Pooling.POOLED, seed=1, top=5)
    assert five is not None
    assert five.high == pytest.approx(5 * 0.2589, abs=1e-3)


def test_the_interval_records_what_it_takes_to_make_it_again() -> None:
    found = interval(outcomes(6, 4), Pooling.POOLED, seed=11, level=0.9, rounds=500)
    assert found is not None
    assert (found.seed, found.level, found.rounds, found.clusters) == (11, 0.9, 500, 10)
    assert found.method is IntervalMethod.PERCENTILE
    again = interval(outcomes(6, 4), Pooling.POOLED, seed=found.seed, level=found.level, rounds=found.rounds)
    assert again == found


def test_another_seed_gives_about_the_same_interval() -> None:
    parts = [Part(n % 7, 7, str(n)) for n in range(300)]
    one, other = (interval(parts, Pooling.POOLED, seed=seed) for seed in (1, 2))
    assert one is not None
    assert other is not None
    assert one != other
    assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.01)


@pytest.mark.parametrize("level", [0, 1, -1, 95, math.nan])
def test_a_level_that_is_no_share_is_refused(level: float) -> None:
    with pytest.raises(UsageError, match="level"):
        interval(outcomes(1, 1), Pooling.POOLED, seed=1, level=level)


def test_rounds_that_cannot_show_the_level_are_refused() -> None:
    with pytest.raises(UsageError, match="38 rounds cannot show a level") as caught:
        interval(outcomes(1, 1), Pooling.POOLED, seed=1, rounds=38)
    assert caught.value.hint == "take 39 or more"
    assert interval(outcomes(1, 1), Pooling.POOLED, seed=1, rounds=39) is not None


@pytest.mark.parametrize("clusters", [7, 300])
def test_intervals_made_together_are_those_made_one_by_one(clusters: int) -> None:
    rng = random.Random(4)
    weights = [rng.choice((0, 1, 3)) for _ in range(900)]
    some = [Part(rng.random() if weight else 0.0, weight, str(n % clusters)) for n, weight in enumerate(weights)]
    columns = [
        outcomes(3, 0),
        some,
        [Part(1.0 if part.weight else 0.0, part.weight, part.cluster) for part in some],
        outcomes(4, 3),
        [Part(float(n % 3 == 0), 1.0, str(n % clusters)) for n in range(900)],
        [Part(1, 1, "alone")],
    ]
    for pooling in Pooling:
        together = intervals([cluster_totals(column, pooling) for column in columns], Resampling(seed=5))
        assert together == [interval(column, pooling, seed=5) for column in columns]
