"""Confidence intervals over clusters."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.scoring import IntervalMethod, Part, Pooling, compare, interval, pool
from tsgkit.scoring.combination import Combination, combine, combined_interval, mean_of_all
from tsgkit.scoring.intervals import Interval, effective_number
from tsgkit.scoring.student import incomplete_beta, student_quantile

POOLED = Pooling.POOLED
SHARES = [Part(1, 2, "a"), Part(3, 3, "b"), Part(0, 1, "c"), Part(2, 5, "d"), Part(1, 1, "b")]
THIRDS = [Part(float(n % 3 == 0), 1, str(n)) for n in range(40)]


def outcomes(right: int, wrong: int) -> list[Part]:
    return [Part(float(n < right), 1, f"{n:05}") for n in range(right + wrong)]


def ends(found: Interval | None) -> tuple[float, float]:
    assert found is not None
    return found.low, found.high


def test_student_quantile_agrees_with_printed_tables() -> None:
    for share, freedom, expected in [
        (0.975, 1, 12.7062), (0.975, 1.5, 6.0171), (0.975, 2, 4.30265), (0.975, 9, 2.26216), (0.95, 17, 1.73961),
        (0.995, 30, 2.75), (0.975, 1000, 1.96234), (0.975, 1e9, 1.95996), (0.5, 3, 0),
    ]:  # fmt: skip
        assert student_quantile(share, freedom) == pytest.approx(expected, abs=1e-5 if freedom != 1.5 else 1e-3)
    for share, freedom in [(0.4, 5), (1, 5), (0.9, 0.5)]:
        with pytest.raises(ValueError, match=f"no quantile of {share} at {freedom} degrees of freedom"):
            student_quantile(share, freedom)


def test_incomplete_beta_agrees_with_polynomials() -> None:
    # I_x(2, 3) = 6 x² - 8 x³ + 3 x⁴; I_x(1, b) = 1 - (1 - x)^b; I_x(1/2, 1/2) = 2/pi asin(sqrt(x))
    for x in (0.01, 0.3, 0.5, 0.9, 0.999):
        assert incomplete_beta(x, 2, 3) == pytest.approx(6 * x**2 - 8 * x**3 + 3 * x**4, rel=1e-12), x
        assert incomplete_beta(x, 1, 7) == pytest.approx(1 - (1 - x) ** 7, rel=1e-12), x
        assert incomplete_beta(x, 0.5, 0.5) == pytest.approx(2 / math.pi * math.asin(math.sqrt(x)), rel=1e-12), x
    assert [incomplete_beta(x, 2, 3) for x in (-1, 0, 1, 2)] == [0, 0, 1, 1]


def test_interval_of_half_right_is_symmetric_and_about_wilsons() -> None:
    # Wilson's interval of 10 out of 20 with t(19) = 2.0930 and 19 instead of 20: half of it is 0.2204.
    found = interval(outcomes(10, 10), POOLED)
    assert found is not None
    assert found.low + found.high == pytest.approx(1)
    assert found.high - 0.5 == pytest.approx(0.2204, abs=0.005)
    assert (found.level, found.clusters, found.method) == (0.95, 20, IntervalMethod.WILSON)


def test_interval_of_many_clusters_has_the_width_of_the_normal_one() -> None:
    for share in (0.1, 0.5, 0.9):  # the standard error of a share p of n is sqrt(p (1 - p) / n)
        half = 1.96 * math.sqrt(share * (1 - share) / 1000)
        found = interval(outcomes(round(1000 * share), round(1000 - 1000 * share)), POOLED)
        assert ends(found) == pytest.approx((share - half, share + half), abs=0.003), share


def test_intervals_of_reference_columns_keep_their_ends() -> None:
    """Ends as they are computed today, to notice any change of a formula that the rules above allow."""
    per_item = Pooling.PER_ITEM
    for parts, pooling, level, top, low, high in [
        (SHARES, POOLED, 0.95, 1, 0.0884784302, 0.9528130317),
        (SHARES, POOLED, 0.8, 1, 0.2276337725, 0.8692865418),
        (SHARES, POOLED, 0.95, math.inf, 0.1185779243, 2.8696553737),
        (SHARES, POOLED, 0.95, 2, 0.0865509401, 1.5788035197),
        (SHARES, per_item, 0.95, 1, 0.0823539902, 0.9550550932),
        (SHARES, per_item, 0.95, math.inf, 0.1043527894, 3.2236800001),
        (outcomes(2, 1), POOLED, 0.95, 1, 0.0581756237, 0.9847925677),
        (outcomes(2, 1), POOLED, 0.8, 2, 0.1834521599, 1.4245442584),
        (THIRDS, POOLED, 0.95, 1, 0.2166680357, 0.5117757624),
        (THIRDS, POOLED, 0.95, math.inf, 0.2246905175, 0.5451943470),
        (THIRDS, per_item, 0.8, 1, 0.2586592532, 0.4538493296),
    ]:
        found = interval(parts, pooling, level=level, top=top)
        assert ends(found) == pytest.approx((low, high)), (len(parts), pooling, level, top)


def test_interval_counts_equal_items_of_a_cluster_once() -> None:
    # Twenty clusters of ten equal items know no more than twenty items.
    items = [Part(float(n < 10), 1, f"{n:05}") for n in range(20) for _ in range(10)]
    assert ends(interval(items, POOLED)) == pytest.approx(ends(interval(outcomes(10, 10), POOLED)))


def test_interval_of_two_unlike_clusters_says_next_to_nothing() -> None:
    low, high = ends(interval(outcomes(1, 1), POOLED))
    assert low < 0.01 and high > 0.99


def test_fewer_than_two_clusters_with_weight_have_no_interval() -> None:
    for parts in ([], [Part(0, 0, "a"), Part(1, 1, "b")], [Part(1, 1, "a"), Part(0, 1, "a")]):
        assert interval(parts, POOLED) is None, parts


def test_all_right_and_all_wrong_get_the_rule_of_three() -> None:
    for clusters, unseen in [(2, 1 - math.sqrt(0.05)), (10, 0.2589), (100, 0.0295), (1000, 0.003)]:
        right, wrong = interval(outcomes(clusters, 0), POOLED), interval(outcomes(0, clusters), POOLED)
        assert ends(right) == pytest.approx((1 - unseen, 1), abs=1e-4), clusters  # 1 - 0.05 ** (1 / n): about 3 / n
        assert ends(wrong) == pytest.approx((0, unseen), abs=1e-4), clusters
        assert right is not None and right.method is IntervalMethod.CONSTANT
        assert right.clusters == clusters
        if clusters < 1000:
            assert (
                ends(interval(outcomes(clusters, 1), POOLED))[0] < ends(interval(outcomes(clusters + 1, 0), POOLED))[0]
            )


def test_clusters_that_share_a_value_between_may_be_off_on_either_side() -> None:
    # a tenth of 0.2589 down to 0, nine tenths of it up to 1
    found = interval([Part(0.1, 1, str(n)) for n in range(10)], POOLED)
    assert ends(found) == pytest.approx((0.1 - 0.02589, 0.1 + 0.9 * 0.2589), abs=1e-4)


def test_one_heavy_cluster_among_light_ones_counts_for_little_more_than_one() -> None:
    # (97 + 3)² / (97² + 3), about 1.06: the bound is 0.05 ** (1 / 1.0625)
    weights = [97, 1, 1, 1]
    assert effective_number([1, 1, 1, 1]) == 4
    assert effective_number(weights) == pytest.approx(10_000 / 9412)
    low, _ = ends(interval([Part(w, w, str(n)) for n, w in enumerate(weights)], POOLED))
    assert low == pytest.approx(0.05 ** (9412 / 10_000))
    parts = [Part(4e8, 1e9, "heavy"), Part(1e-10, 1e-9, "light")]
    assert interval(parts, POOLED) is None
    assert combined_interval([parts, parts], POOLED, mean_of_all, seed=0) is None


def test_a_count_that_is_always_the_same_has_a_bound_only_where_it_has_a_most() -> None:
    counts = [Part(0, 1, str(n)) for n in range(10)]
    assert interval(counts, POOLED, top=math.inf) is None
    assert interval([Part(3, 1, str(n)) for n in range(10)], POOLED) is None
    assert ends(interval(counts, POOLED, top=5)) == pytest.approx((0, 5 * 0.2589), abs=1e-3)


def test_the_interval_of_a_count_is_that_of_a_rate_and_never_below_zero() -> None:
    # 200 clusters of Poisson counts with mean 2: standard error sqrt(2 / 200) = 0.1
    rng = random.Random(3)
    counts = [Part(sum(rng.random() < 0.02 for _ in range(100)), 1, str(n)) for n in range(200)]
    low, high = ends(interval(counts, POOLED, top=math.inf))
    assert high - low == pytest.approx(2 * 1.97 * 0.1, rel=0.1)
    low, high = ends(interval([Part(float(n == 0), 1, str(n)) for n in range(20)], POOLED, top=math.inf))
    assert 0 < low < 0.05 < high


def test_a_value_beyond_its_range_has_students_interval() -> None:
    found = interval([Part(1 + n / 10, 1, str(n)) for n in range(10)], POOLED)
    # mean 1.45, standard deviation 0.3028, t(9) = 2.2622
    assert ends(found) == pytest.approx((1.45 - 0.2166, 1.45 + 0.2166), abs=1e-4)
    assert found is not None and found.method is IntervalMethod.STUDENT


def test_a_level_is_a_share_and_a_higher_one_gives_a_wider_interval() -> None:
    for level in (0, 1, -1, 95, math.nan):
        with pytest.raises(UsageError, match=f"the level of an interval is {level}"):
            interval(outcomes(1, 1), POOLED, level=level)
    widths = [high - low for low, high in (ends(interval(outcomes(6, 9), POOLED, level=x)) for x in (0.8, 0.95, 0.99))]
    assert widths == sorted(widths)


def test_the_interval_of_a_mean_of_columns_is_that_of_a_corpus_value() -> None:
    parts = outcomes(12, 8)
    apart = [Part(part.sum, part.weight, f"other {part.cluster}") for part in parts]
    low, high = ends(interval(parts, POOLED))
    assert ends(combined_interval([parts, parts], POOLED, mean_of_all, seed=0)) == pytest.approx((low, high))
    surer = ends(combined_interval([parts, apart], POOLED, mean_of_all, seed=0))
    assert (surer[1] - surer[0]) / (high - low) == pytest.approx(math.sqrt(0.5), abs=0.05)
    others = [Part(part.weight - part.sum, part.weight, part.cluster) for part in SHARES[1:]]
    found = combined_interval([SHARES, others], POOLED, mean_of_all, seed=1)
    assert ends(found) == pytest.approx((0.2343079493, 0.7535193029))
    assert combined_interval([outcomes(3, 2), [Part(1, 2, "a")]], POOLED, mean_of_all, seed=0) is None
    assert combined_interval([parts, []], POOLED, mean_of_all, seed=0) is None
    assert combined_interval([[Part(1, 1, "a")]] * 2, POOLED, mean_of_all, seed=0) is None
    two = [Part(1, 2, "a"), Part(2, 2, "b")]
    alone = ends(interval(two, POOLED))
    assert ends(combined_interval([two, two], POOLED, mean_of_all, seed=0)) == pytest.approx(alone)
    assert (mean_of_all([1, 0.5]), mean_of_all([1, None]), mean_of_all([])) == (0.75, None, None)
    assert combine([parts, SHARES], POOLED, mean_of_all) == pytest.approx((0.6 + 7 / 12) / 2)


def test_the_interval_of_any_other_combination_is_a_percentile_bootstrap_of_its_seed() -> None:
    largest: Combination = lambda values: max(value or 0.0 for value in values)  # noqa: E731
    others = [Part(part.weight - part.sum, part.weight, part.cluster) for part in THIRDS[1:]]
    found = combined_interval([THIRDS, others], POOLED, largest, seed=1)
    assert ends(found) == pytest.approx((0.525, 0.8205128205))
    assert found is not None and (found.clusters, found.method) == (40, IntervalMethod.PERCENTILE)
    found = combined_interval([THIRDS, others], POOLED, largest, seed=2, level=0.8)
    assert ends(found) == pytest.approx((0.575, 0.7631578947))
    assert combined_interval([THIRDS, others], POOLED, lambda _: 0.5, seed=1) is None, "all rounds alike"
    assert combined_interval([THIRDS, others], POOLED, lambda _: None, seed=1) is None
    bound = combined_interval([outcomes(10, 0)] * 2, POOLED, largest, seed=1)
    assert ends(bound) == pytest.approx((0.05**0.1, 1))
    held = combined_interval([outcomes(10, 0)] * 2, POOLED, lambda values: float((values[0] or 0) > 0.5), seed=1)
    assert held is None, "equal ends"


def test_the_interval_of_a_difference_follows_wins_and_losses() -> None:
    # 6 clusters of 20 won, none lost: p = 2 / 2**6 = 0.031; losses may have been missed, so it is wider than a share's.
    wins = {n: Part(float(n < 6), 1, str(n)) for n in range(20)}
    none = {n: Part(0.0, 1, str(n)) for n in range(20)}
    found, share = compare(wins, none, POOLED, seed=0).interval, interval(outcomes(6, 14), POOLED)
    assert found is not None and found.method is IntervalMethod.PAIRED
    assert 0 < found.low < ends(share)[0]
    assert found.high == pytest.approx(ends(share)[1], abs=0.01)
    rng = random.Random(8)
    ours = {n: Part(0.5 + rng.uniform(0.15, 0.25), 1, str(n)) for n in range(10)}
    low, high = ends(compare(ours, {n: Part(0.5, 1, str(n)) for n in range(10)}, POOLED, seed=0).interval)
    assert 0.1 < low < 0.2 < high < 0.3


def test_the_interval_of_a_difference_of_counts_is_students() -> None:
    ours = {n: Part(3 + n % 2, 1, str(n)) for n in range(10)}
    found = compare(ours, {n: Part(1, 1, str(n)) for n in range(10)}, POOLED, seed=0, top=math.inf).interval
    # differences 2 and 3: mean 2.5, standard deviation 0.527, t(9) = 2.2622
    assert ends(found) == pytest.approx((2.5 - 0.377, 2.5 + 0.377), abs=1e-3)


@given(
    st.lists(
        st.builds(
            lambda share, weight, cluster: Part(share * weight, weight, cluster),
            st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 1.0]),
            st.integers(0, 5),
            st.sampled_from("abcdefgh"),
        ),
        max_size=20,
    ),
    st.sampled_from(Pooling),
    st.randoms(use_true_random=False),
)
def test_an_interval_of_shares_lies_within_them_whatever_the_order(
    parts: list[Part], pooling: Pooling, choice: random.Random
) -> None:
    found = interval(parts, pooling)
    assert (found is None) == (len({part.cluster for part in parts if part.weight}) < 2)
    assert found is None or -1e-9 <= found.low < found.high <= 1 + 1e-9
    mixed = choice.sample(parts, len(parts))
    assert (pool(mixed, pooling), interval(mixed, pooling)) == (pool(parts, pooling), found)
