"""Two systems side by side."""

from __future__ import annotations

import math

import pytest

from tsgkit.errors import UsageError
from tsgkit.scoring import IntervalMethod, PairedMethod, Part, Pooling, compare, smallest_difference

Side = dict[str, Part]


def column(values: list[float], clusters: int | None = None) -> Side:
    return {str(n): Part(value, 1, f"{n % (clusters or len(values)):03}") for n, value in enumerate(values)}


OURS = [1.0] * 14 + [0.0] * 6
THEIRS = [1.0] * 6 + [0.0] * 10 + [1.0] * 4  # 8 items ours alone, 4 theirs alone


def test_a_comparison_says_how_far_apart_and_how_sure() -> None:
    found = compare(column(OURS), column(THEIRS), Pooling.POOLED, seed=5)
    assert (found.first.value, found.second.value) == (0.7, 0.5)
    assert found.difference == pytest.approx(0.2)
    # 2 P(X <= 4) for Binomial(12, 1/2): 2 (1 + 12 + 66 + 220 + 495) / 4096
    assert found.test.p == 2 * 794 / 4096
    assert found.test.method is PairedMethod.MCNEMAR
    # differences 1 (8 times), -1 (4 times), 0 (8 times): variance 12/20 - 0.04 = 0.56, standard error sqrt(0.56/20)
    assert found.interval is not None
    half = 1.96 * math.sqrt(0.56 / 20)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.2 - half, 0.2 + half), abs=0.05)
    assert (found.items, found.clusters, found.reason) == (20, 20, None)


def test_many_clusters_have_the_interval_of_the_normal_distribution() -> None:
    found = compare(column(OURS * 25), column(THEIRS * 25), Pooling.POOLED, seed=5)
    half = 1.96 * math.sqrt(0.56 / 500)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((0.2 - half, 0.2 + half), abs=0.006)


def test_items_that_share_clusters_get_the_sign_flip_test() -> None:
    found = compare(column(OURS, 5), column(THEIRS, 5), Pooling.POOLED, seed=5)
    assert found.test.method is PairedMethod.EXACT_FLIPS
    assert found.clusters == 5


@pytest.mark.parametrize("pooling", Pooling)
def test_two_identical_systems_are_not_different_and_not_surely_the_same(pooling: Pooling) -> None:
    found = compare(column(OURS), column(OURS), pooling, seed=5)
    assert (found.difference, found.test.p, found.test.differs()) == (0, 1, False)
    unseen = 1 - 0.05 ** (1 / 20)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((-unseen, unseen))
    assert found.interval.method is IntervalMethod.CONSTANT
    assert found.resolvable.value is None
    assert found.resolvable.reason == "all clusters differ alike, so nothing is known of their spread"


def test_identical_columns_without_a_limit_have_no_interval() -> None:
    assert compare(column(OURS), column(OURS), Pooling.POOLED, seed=5, top=math.inf).interval is None


def test_a_system_without_a_value_has_no_difference_and_a_reason() -> None:
    weightless = {item: Part(0, 0, part.cluster) for item, part in column(OURS).items()}
    found = compare(column(OURS), weightless, Pooling.POOLED, seed=5)
    assert (found.difference, found.interval, found.test.p, found.resolvable.value) == (None, None, None, None)
    assert found.reason == found.test.reason == found.resolvable.reason
    assert found.reason == "no item carries weight, so the metric has no value"


def test_no_items_at_all_are_no_crash() -> None:
    found = compare({}, {}, Pooling.PER_ITEM, seed=5)
    assert (found.difference, found.interval, found.test.p, found.items) == (None, None, None, 0)


def test_one_cluster_has_a_difference_and_nothing_more() -> None:
    found = compare(column(OURS, 1), column(THEIRS, 1), Pooling.POOLED, seed=5)
    assert found.difference == pytest.approx(0.2)
    assert (found.interval, found.test.p, found.resolvable.value) == (None, 1, None)


def test_the_difference_is_that_of_the_two_values_where_only_one_side_weighs() -> None:
    ours = {"a": Part(1, 2, "a"), "b": Part(0, 0, "b"), "c": Part(3, 3, "c")}
    theirs = {"a": Part(1, 2, "a"), "b": Part(1, 4, "b"), "c": Part(1, 3, "c")}
    found = compare(ours, theirs, Pooling.POOLED, seed=5)
    assert found.difference == pytest.approx(4 / 5 - 3 / 9)
    assert (found.items, found.first.items, found.second.items) == (3, 2, 3)
    assert found.interval is not None
    assert found.difference is not None
    assert found.interval.low < found.difference < found.interval.high


def test_the_smallest_difference_follows_from_the_standard_error() -> None:
    # The standard error of the mean of 20 differences with sum of squares 12 and mean 0.2:
    # sqrt(20 / 19 * (12 - 20 * 0.04) / 20²); 1.95996 + 0.84162 = 2.80158
    error = math.sqrt(20 / 19 * 11.2 / 400)
    found = smallest_difference(column(OURS), column(THEIRS), Pooling.POOLED)
    assert found.standard_error == pytest.approx(error)
    assert found.value == pytest.approx(2.80158 * error, rel=1e-5)
    assert (found.level, found.power, found.clusters) == (0.95, 0.8, 20)


def test_the_standard_error_adds_up_within_clusters() -> None:
    # Doubling every item within its cluster tells nothing new; as clusters of their own it would.
    twice = {f"{item}{copy}": part for item, part in column(OURS).items() for copy in "ab"}
    twice_theirs = {f"{item}{copy}": part for item, part in column(THEIRS).items() for copy in "ab"}
    once = smallest_difference(column(OURS), column(THEIRS), Pooling.POOLED)
    found = smallest_difference(twice, twice_theirs, Pooling.POOLED)
    assert found.standard_error == pytest.approx(once.standard_error)


def test_five_clusters_cannot_show_any_difference() -> None:
    found = smallest_difference(column(OURS, 5), column(THEIRS, 5), Pooling.POOLED)
    assert found.value is None
    assert found.reason == "5 clusters are too few: even if all of them agreed, p would be 0.062"
    assert smallest_difference(column(OURS, 6), column(THEIRS, 6), Pooling.POOLED).value is not None


@pytest.mark.parametrize(("level", "power"), [(0, 0.8), (1, 0.8), (0.95, 0), (0.95, 1)])
def test_levels_and_powers_that_are_no_shares_are_refused(level: float, power: float) -> None:
    with pytest.raises(UsageError, match="was asked for"):
        smallest_difference(column(OURS), column(THEIRS), Pooling.POOLED, level=level, power=power)
