"""Confidence intervals over clusters."""

from __future__ import annotations

import math
import random

import pytest

from tsgkit.errors import UsageError
from tsgkit.scoring import IntervalMethod, Part, Pooling, compare, interval
from tsgkit.scoring.combination import combined_interval, mean_of_all
from tsgkit.scoring.intervals import effective_number
from tsgkit.scoring.student import student_quantile

POOLED = Pooling.POOLED


def outcomes(right: int, wrong: int) -> list[Part]:
    return [Part(float(n < right), 1, f"{n:05}") for n in range(right + wrong)]


@pytest.mark.parametrize(
    ("share", "freedom", "expected"),
    [
        (0.975, 1, 12.7062),
        (0.975, 2, 4.30265),
        (0.975, 9, 2.26216),
        (0.95, 17, 1.73961),
        (0.995, 30, 2.75),
        (0.975, 1e9, 1.95996),
        (0.5, 3, 0),
    ],
)
def test_student_quantile_agrees_with_printed_tables(share: float, freedom: float, expected: float) -> None:
    assert student_quantile(share, freedom) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("share", "freedom"), [(0.4, 5), (1, 5), (0.9, 0.5)])
def test_student_quantile_refuses_what_has_no_answer(share: float, freedom: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        student_quantile(share, freedom)


def test_interval_of_half_right_is_symmetric_and_about_wilsons() -> None:
    # Wilson's interval of 10 out of 20 with t(19) = 2.0930 and 19 instead of 20: half of it is 0.2204.
    found = interval(outcomes(10, 10), POOLED)
    assert found is not None
    assert found.low + found.high == pytest.approx(1)
    assert found.high - 0.5 == pytest.approx(0.2204, abs=0.005)
    assert (found.level, found.clusters, found.method) == (0.95, 20, IntervalMethod.WILSON)


@pytest.mark.parametrize("right", [100, 500, 900])
def test_interval_of_many_clusters_has_the_width_of_the_normal_one(right: int) -> None:
    # The standard error of a share p of n is sqrt(p (1 - p) / n).
    found = interval(outcomes(right, 1000 - right), POOLED)
    share = right / 1000
    half = 1.96 * math.sqrt(share * (1 - share) / 1000)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((share - half, share + half), abs=0.003)


def test_interval_counts_equal_items_of_a_cluster_once() -> None:
    # Twenty clusters of ten equal items know no more than twenty items.
    items = [Part(float(n < 10), 1, f"{n:05}") for n in range(20) for _ in range(10)]
    alone, together = interval(outcomes(10, 10), POOLED), interval(items, POOLED)
    assert alone is not None
    assert together is not None
    assert (together.low, together.high) == pytest.approx((alone.low, alone.high))


def test_interval_of_two_unlike_clusters_says_next_to_nothing() -> None:
    found = interval(outcomes(1, 1), POOLED)
    assert found is not None
    assert found.low < 0.01
    assert found.high > 0.99


@pytest.mark.parametrize("parts", [[], [Part(0, 0, "a"), Part(1, 1, "b")], [Part(1, 1, "a"), Part(0, 1, "a")]])
def test_fewer_than_two_clusters_with_weight_have_no_interval(parts: list[Part]) -> None:
    assert interval(parts, POOLED) is None


@pytest.mark.parametrize(("clusters", "unseen"), [(2, 1 - math.sqrt(0.05)), (10, 0.2589), (100, 0.0295), (1000, 0.003)])
def test_all_right_and_all_wrong_get_the_rule_of_three(clusters: int, unseen: float) -> None:
    # 1 - 0.05 ** (1 / n), which is about 3 / n
    right = interval(outcomes(clusters, 0), POOLED)
    wrong = interval(outcomes(0, clusters), POOLED)
    assert right is not None
    assert wrong is not None
    assert (right.low, right.high) == pytest.approx((1 - unseen, 1), abs=1e-4)
    assert (wrong.low, wrong.high) == pytest.approx((0, unseen), abs=1e-4)
    assert right.method is wrong.method is IntervalMethod.CONSTANT


@pytest.mark.parametrize("clusters", [5, 10, 50, 200, 500])
def test_one_wrong_cluster_is_never_surer_than_none(clusters: int) -> None:
    none = interval(outcomes(clusters, 0), POOLED)
    one = interval(outcomes(clusters - 1, 1), POOLED)
    assert none is not None
    assert one is not None
    assert one.low < none.low


def test_clusters_that_share_a_value_between_may_be_off_on_either_side() -> None:
    # a tenth of 0.2589 down to 0, nine tenths of it up to 1
    found = interval([Part(0.1, 1, str(n)) for n in range(10)], POOLED)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.1 - 0.02589, 0.1 + 0.9 * 0.2589), abs=1e-4)


def test_one_heavy_cluster_among_light_ones_counts_for_little_more_than_one() -> None:
    assert effective_number([1, 1, 1, 1]) == 4
    # (97 + 3)² / (97² + 3), about 1.06: the bound is 0.05 ** (1 / 1.0625)
    weights = [97, 1, 1, 1]
    found = interval([Part(w, w, str(n)) for n, w in enumerate(weights)], POOLED)
    assert effective_number(weights) == pytest.approx(10_000 / 9412)
    assert found is not None
    assert found.low == pytest.approx(0.05 ** (9412 / 10_000))


def test_all_of_the_weight_in_one_cluster_has_no_interval() -> None:
    parts = [Part(4e8, 1e9, "heavy"), Part(1e-10, 1e-9, "light")]
    assert interval(parts, Pooling.POOLED) is None
    assert combined_interval([parts, parts], Pooling.POOLED, mean_of_all, seed=0) is None


def test_a_count_that_is_always_the_same_has_no_bound() -> None:
    counts = [Part(0, 1, str(n)) for n in range(10)]
    assert interval(counts, POOLED, top=math.inf) is None
    assert interval([Part(3, 1, str(n)) for n in range(10)], POOLED) is None
    five = interval(counts, POOLED, top=5)
    assert five is not None
    assert five.high == pytest.approx(5 * 0.2589, abs=1e-3)


def test_the_interval_of_a_count_is_that_of_a_rate_and_never_below_zero() -> None:
    # 200 clusters of Poisson counts with mean 2: standard error sqrt(2 / 200) = 0.1
    rng = random.Random(3)
    counts = [Part(sum(rng.random() < 0.02 for _ in range(100)), 1, str(n)) for n in range(200)]
    found = interval(counts, POOLED, top=math.inf)
    assert found is not None
    assert found.high - found.low == pytest.approx(2 * 1.97 * 0.1, rel=0.1)
    rare = interval([Part(float(n == 0), 1, str(n)) for n in range(20)], POOLED, top=math.inf)
    assert rare is not None
    assert 0 < rare.low < 0.05 < rare.high


def test_a_value_beyond_its_range_has_students_interval() -> None:
    found = interval([Part(1 + n / 10, 1, str(n)) for n in range(10)], POOLED)
    assert found is not None
    # mean 1.45, standard deviation 0.3028, t(9) = 2.2622
    assert (found.low, found.high) == pytest.approx((1.45 - 0.2166, 1.45 + 0.2166), abs=1e-3)
    assert found.method is IntervalMethod.STUDENT


@pytest.mark.parametrize("level", [0, 1, -1, 95, math.nan])
def test_a_level_that_is_no_share_is_refused(level: float) -> None:
    with pytest.raises(UsageError, match="level"):
        interval(outcomes(1, 1), POOLED, level=level)


def test_a_higher_level_gives_a_wider_interval() -> None:
    widths = [
        found.high - found.low
        for level in (0.8, 0.95, 0.99)
        if (found := interval(outcomes(6, 9), POOLED, level=level))
    ]
    assert widths == sorted(widths)
    assert len(widths) == 3


def test_the_interval_of_a_mean_of_equal_columns_is_that_of_one() -> None:
    parts = outcomes(12, 8)
    alone, mean = interval(parts, POOLED), combined_interval([parts, parts], POOLED, mean_of_all, seed=0)
    assert alone is not None
    assert mean is not None
    assert (mean.low, mean.high) == pytest.approx((alone.low, alone.high))


def test_columns_of_other_clusters_make_a_mean_surer() -> None:
    parts = outcomes(12, 8)
    apart = [Part(part.sum, part.weight, f"other {part.cluster}") for part in parts]
    alone, mean = interval(parts, POOLED), combined_interval([parts, apart], POOLED, mean_of_all, seed=0)
    assert alone is not None
    assert mean is not None
    assert (mean.high - mean.low) / (alone.high - alone.low) == pytest.approx(math.sqrt(0.5), abs=0.05)


def test_a_mean_with_a_column_of_one_cluster_has_no_interval() -> None:
    assert combined_interval([outcomes(3, 2), [Part(1, 2, "a")]], POOLED, mean_of_all, seed=0) is None


def test_the_interval_of_six_wins_and_no_loss_excludes_zero_as_the_sign_test_does() -> None:
    # 6 clusters of 20 won, none lost: p = 2 / 2**6 = 0.031; losses may have been missed, so it is wider than a share's.
    wins = {n: Part(float(n < 6), 1, str(n)) for n in range(20)}
    none = {n: Part(0.0, 1, str(n)) for n in range(20)}
    found, share = compare(wins, none, POOLED, seed=0).interval, interval(outcomes(6, 14), POOLED)
    assert found is not None
    assert share is not None
    assert found.method is IntervalMethod.PAIRED
    assert 0 < found.low < share.low
    assert found.high == pytest.approx(share.high, abs=0.01)


def test_the_interval_of_a_difference_of_counts_is_students() -> None:
    ours = {n: Part(3 + n % 2, 1, str(n)) for n in range(10)}
    theirs = {n: Part(1, 1, str(n)) for n in range(10)}
    found = compare(ours, theirs, POOLED, seed=0, top=math.inf).interval
    assert found is not None
    # differences 2 and 3: mean 2.5, standard deviation 0.527, t(9) = 2.2622
    assert (found.low, found.high) == pytest.approx((2.5 - 0.377, 2.5 + 0.377), abs=1e-3)


def test_a_small_clear_difference_in_all_clusters_excludes_zero() -> None:
    rng = random.Random(8)
    ours = {n: Part(0.5 + rng.uniform(0.15, 0.25), 1, str(n)) for n in range(10)}
    theirs = {n: Part(0.5, 1, str(n)) for n in range(10)}
    found = compare(ours, theirs, POOLED, seed=0).interval
    assert found is not None
    assert 0.1 < found.low < 0.2 < found.high < 0.3
