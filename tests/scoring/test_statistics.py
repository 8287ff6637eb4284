"""Confidence intervals over clusters, and two systems side by side: paired tests and differences that can be found."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.scoring.combination import Combination, combine, combined_interval, mean_of_all
from tsgkit.scoring.comparison import compare, planned_difference, smallest_difference
from tsgkit.scoring.intervals import Interval, IntervalMethod, effective_number, interval
from tsgkit.scoring.pooling import Part, Pooling, pool
from tsgkit.scoring.significance import EXACT_CLUSTERS, PairedMethod, holm, mcnemar, sign_flip
from tsgkit.scoring.student import incomplete_beta, student_quantile

POOLED = Pooling.POOLED
SHARES = [Part(1, 2, "a"), Part(3, 3, "b"), Part(0, 1, "c"), Part(2, 5, "d"), Part(1, 1, "b")]
THIRDS = [Part(float(n % 3 == 0), 1, str(n)) for n in range(40)]


def marks(right: int, wrong: int) -> list[Part]:
    return [Part(float(n < right), 1, f"{n:05}") for n in range(right + wrong)]


def ends(found: Interval | None) -> tuple[float, float]:
    assert found is not None
    return found.low, found.high


def test_student_quantile_and_incomplete_beta_agree_with_tables_and_polynomials() -> None:
    for share, freedom, expected in [
        (0.975, 1, 12.7062), (0.975, 1.5, 6.0171), (0.975, 2, 4.30265), (0.975, 9, 2.26216), (0.95, 17, 1.73961),
        (0.995, 30, 2.75), (0.975, 1000, 1.96234), (0.975, 1e9, 1.95996), (0.5, 3, 0),
    ]:  # fmt: skip
        assert student_quantile(share, freedom) == pytest.approx(expected, abs=1e-5 if freedom != 1.5 else 1e-3)
    for share, freedom in [(0.4, 5), (1, 5), (0.9, 0.5)]:
        with pytest.raises(ValueError, match=f"no quantile of {share} at {freedom} degrees of freedom"):
            student_quantile(share, freedom)
    # I_x(2, 3) = 6 x² - 8 x³ + 3 x⁴; I_x(1, b) = 1 - (1 - x)^b; I_x(1/2, 1/2) = 2/pi asin(sqrt(x))
    for x in (0.01, 0.3, 0.5, 0.9, 0.999):
        assert incomplete_beta(x, 2, 3) == pytest.approx(6 * x**2 - 8 * x**3 + 3 * x**4, rel=1e-12), x
        assert incomplete_beta(x, 1, 7) == pytest.approx(1 - (1 - x) ** 7, rel=1e-12), x
        assert incomplete_beta(x, 0.5, 0.5) == pytest.approx(2 / math.pi * math.asin(math.sqrt(x)), rel=1e-12), x
    assert [incomplete_beta(x, 2, 3) for x in (-1, 0, 1, 2)] == [0, 0, 1, 1]


def test_an_interval_is_about_wilsons_and_counts_equal_items_of_a_cluster_once() -> None:
    # Wilson's interval of 10 out of 20 with t(19) = 2.0930 and 19 instead of 20: half of it is 0.2204.
    found = interval(marks(10, 10), POOLED)
    assert found is not None
    assert found.low + found.high == pytest.approx(1)
    assert found.high - 0.5 == pytest.approx(0.2204, abs=0.005)
    assert (found.level, found.clusters, found.method) == (0.95, 20, IntervalMethod.WILSON)
    # Twenty clusters of ten equal items know no more than twenty items.
    items = [Part(float(n < 10), 1, f"{n:05}") for n in range(20) for _ in range(10)]
    assert ends(interval(items, POOLED)) == pytest.approx(ends(interval(marks(10, 10), POOLED)))
    low, high = ends(interval(marks(1, 1), POOLED))
    assert low < 0.01 and high > 0.99
    for parts in ([], [Part(0, 0, "a"), Part(1, 1, "b")], [Part(1, 1, "a"), Part(0, 1, "a")]):
        assert interval(parts, POOLED) is None, parts


def test_interval_of_many_clusters_has_the_width_of_the_normal_one() -> None:
    for share in (0.1, 0.5, 0.9):  # the standard error of a share p of n is sqrt(p (1 - p) / n)
        half = 1.96 * math.sqrt(share * (1 - share) / 1000)
        found = interval(marks(round(1000 * share), round(1000 - 1000 * share)), POOLED)
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
        (marks(2, 1), POOLED, 0.95, 1, 0.0581756237, 0.9847925677),
        (marks(2, 1), POOLED, 0.8, 2, 0.1834521599, 1.4245442584),
        (THIRDS, POOLED, 0.95, 1, 0.2166680357, 0.5117757624),
        (THIRDS, POOLED, 0.95, math.inf, 0.2246905175, 0.5451943470),
        (THIRDS, per_item, 0.8, 1, 0.2586592532, 0.4538493296),
    ]:
        found = interval(parts, pooling, level=level, top=top)
        assert ends(found) == pytest.approx((low, high)), (len(parts), pooling, level, top)


def test_clusters_of_one_value_get_the_rule_of_three() -> None:
    for clusters, unseen in [(2, 1 - math.sqrt(0.05)), (10, 0.2589), (100, 0.0295), (1000, 0.003)]:
        right, wrong = interval(marks(clusters, 0), POOLED), interval(marks(0, clusters), POOLED)
        assert ends(right) == pytest.approx((1 - unseen, 1), abs=1e-4), clusters  # 1 - 0.05 ** (1 / n): about 3 / n
        assert ends(wrong) == pytest.approx((0, unseen), abs=1e-4), clusters
        assert right is not None and right.method is IntervalMethod.CONSTANT
        assert right.clusters == clusters
        if clusters < 1000:
            assert ends(interval(marks(clusters, 1), POOLED))[0] < ends(interval(marks(clusters + 1, 0), POOLED))[0]
    # a tenth of 0.2589 down to 0, nine tenths of it up to 1
    found = interval([Part(0.1, 1, str(n)) for n in range(10)], POOLED)
    assert ends(found) == pytest.approx((0.1 - 0.02589, 0.1 + 0.9 * 0.2589), abs=1e-4)
    # (97 + 3)² / (97² + 3), about 1.06: the bound is 0.05 ** (1 / 1.0625)
    weights = [97, 1, 1, 1]
    assert effective_number([1, 1, 1, 1]) == 4
    assert effective_number(weights) == pytest.approx(10_000 / 9412)
    low, _ = ends(interval([Part(w, w, str(n)) for n, w in enumerate(weights)], POOLED))
    assert low == pytest.approx(0.05 ** (9412 / 10_000))
    parts = [Part(4e8, 1e9, "heavy"), Part(1e-10, 1e-9, "light")]
    assert interval(parts, POOLED) is None
    assert combined_interval([parts, parts], POOLED, mean_of_all, seed=0) is None
    counts = [Part(0, 1, str(n)) for n in range(10)]
    assert interval(counts, POOLED, top=math.inf) is None
    assert interval([Part(3, 1, str(n)) for n in range(10)], POOLED) is None
    assert ends(interval(counts, POOLED, top=5)) == pytest.approx((0, 5 * 0.2589), abs=1e-3)


def test_the_interval_of_a_count_is_that_of_a_rate_and_beyond_the_range_students() -> None:
    # 200 clusters of Poisson counts with mean 2: standard error sqrt(2 / 200) = 0.1
    rng = random.Random(3)
    counts = [Part(sum(rng.random() < 0.02 for _ in range(100)), 1, str(n)) for n in range(200)]
    low, high = ends(interval(counts, POOLED, top=math.inf))
    assert high - low == pytest.approx(2 * 1.97 * 0.1, rel=0.1)
    low, high = ends(interval([Part(float(n == 0), 1, str(n)) for n in range(20)], POOLED, top=math.inf))
    assert 0 < low < 0.05 < high
    found = interval([Part(1 + n / 10, 1, str(n)) for n in range(10)], POOLED)
    # mean 1.45, standard deviation 0.3028, t(9) = 2.2622
    assert ends(found) == pytest.approx((1.45 - 0.2166, 1.45 + 0.2166), abs=1e-4)
    assert found is not None and found.method is IntervalMethod.STUDENT


def test_a_level_is_a_share_and_a_higher_one_gives_a_wider_interval() -> None:
    for level in (0, 1, -1, 95, math.nan):
        with pytest.raises(UsageError, match=f"the level of an interval is {level}"):
            interval(marks(1, 1), POOLED, level=level)
    widths = [high - low for low, high in (ends(interval(marks(6, 9), POOLED, level=x)) for x in (0.8, 0.95, 0.99))]
    assert widths == sorted(widths)


def test_the_interval_of_a_mean_of_columns_is_that_of_a_corpus_value() -> None:
    parts = marks(12, 8)
    apart = [Part(part.sum, part.weight, f"other {part.cluster}") for part in parts]
    low, high = ends(interval(parts, POOLED))
    assert ends(combined_interval([parts, parts], POOLED, mean_of_all, seed=0)) == pytest.approx((low, high))
    surer = ends(combined_interval([parts, apart], POOLED, mean_of_all, seed=0))
    assert (surer[1] - surer[0]) / (high - low) == pytest.approx(math.sqrt(0.5), abs=0.05)
    others = [Part(part.weight - part.sum, part.weight, part.cluster) for part in SHARES[1:]]
    found = combined_interval([SHARES, others], POOLED, mean_of_all, seed=1)
    assert ends(found) == pytest.approx((0.2343079493, 0.7535193029))
    assert combined_interval([marks(3, 2), [Part(1, 2, "a")]], POOLED, mean_of_all, seed=0) is None
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
    bound = combined_interval([marks(10, 0)] * 2, POOLED, largest, seed=1)
    assert ends(bound) == pytest.approx((0.05**0.1, 1))
    held = combined_interval([marks(10, 0)] * 2, POOLED, lambda values: float((values[0] or 0) > 0.5), seed=1)
    assert held is None, "equal ends"


def test_the_interval_of_a_difference_follows_wins_and_losses_and_of_counts_is_students() -> None:
    # 6 clusters of 20 won, none lost: p = 2 / 2**6 = 0.031; losses may have been missed, so it is wider than a share's.
    wins = {n: Part(float(n < 6), 1, str(n)) for n in range(20)}
    none = {n: Part(0.0, 1, str(n)) for n in range(20)}
    found, share = compare(wins, none, POOLED, seed=0).interval, interval(marks(6, 14), POOLED)
    assert found is not None and found.method is IntervalMethod.PAIRED
    assert 0 < found.low < ends(share)[0]
    assert found.high == pytest.approx(ends(share)[1], abs=0.01)
    rng = random.Random(8)
    ours = {n: Part(0.5 + rng.uniform(0.15, 0.25), 1, str(n)) for n in range(10)}
    low, high = ends(compare(ours, {n: Part(0.5, 1, str(n)) for n in range(10)}, POOLED, seed=0).interval)
    assert 0.1 < low < 0.2 < high < 0.3
    ours = {n: Part(3 + n % 2, 1, str(n)) for n in range(10)}
    for top in (math.inf, 1):  # or beyond the range of shares
        found = compare(ours, {n: Part(1, 1, str(n)) for n in range(10)}, POOLED, seed=0, top=top).interval
        # differences 2 and 3: mean 2.5, standard deviation 0.527, t(9) = 2.2622
        assert ends(found) == pytest.approx((2.5 - 0.377, 2.5 + 0.377), abs=1e-3)
        assert found is not None and found.method is IntervalMethod.STUDENT


PARTS = st.builds(
    lambda share, weight, cluster: Part(share * weight, weight, cluster),
    st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 1.0]),
    st.integers(0, 5),
    st.sampled_from("abcdefgh"),
)


@given(st.lists(PARTS, max_size=20), st.sampled_from(Pooling), st.randoms(use_true_random=False))
def test_an_interval_of_shares_lies_within_them_whatever_the_order(
    parts: list[Part], pooling: Pooling, choice: random.Random
) -> None:
    found = interval(parts, pooling)
    assert (found is None) == (len({part.cluster for part in parts if part.weight}) < 2)
    assert found is None or -1e-9 <= found.low < found.high <= 1 + 1e-9
    mixed = choice.sample(parts, len(parts))
    assert (pool(mixed, pooling), interval(mixed, pooling)) == (pool(parts, pooling), found)


Side = dict[str, Part]
NO_WEIGHT = "no item carries weight, so the metric has no value"

ENDS = [
    (Pooling.POOLED, 0.95, 1, -0.5293709591, 0.7502681233),
    (Pooling.POOLED, 0.8, 1, -0.1189695310, 0.5129845736),
    (Pooling.POOLED, 0.95, math.inf, -0.1456312752, 0.5622979419),
    (Pooling.POOLED, 0.95, 2, -0.8898544161, 1.1856439903),
    (Pooling.PER_ITEM, 0.95, 1, -0.5501350162, 0.7823702730),
    (Pooling.PER_ITEM, 0.9, 2, -0.6338899822, 1.0344729860),
]


def column(values: Sequence[float], clusters: int | None = None) -> Side:
    return {str(n): Part(value, 1, f"{n % (clusters or len(values)):03}") for n, value in enumerate(values)}


def sides(differences: Sequence[float]) -> tuple[Side, Side]:
    """Return two systems with one item per cluster, and these differences between them."""
    return column(differences), column([0] * len(differences))


def outcomes(both: int, ours_only: int, theirs_only: int, neither: int) -> tuple[Side, Side]:
    table = [(1, 1)] * both + [(1, 0)] * ours_only + [(0, 1)] * theirs_only + [(0, 0)] * neither
    return column([one for one, _ in table]), column([other for _, other in table])


OURS = [1.0] * 14 + [0.0] * 6
THEIRS = [1.0] * 6 + [0.0] * 10 + [1.0] * 4  # 8 items ours alone, 4 theirs alone


def test_a_comparison_says_how_far_apart_and_how_sure() -> None:
    found = compare(column(OURS), column(THEIRS), POOLED, seed=5)
    assert (found.first.value, found.second.value) == (0.7, 0.5)
    assert found.difference == pytest.approx(0.2)
    # 2 P(X <= 4) for Binomial(12, 1/2): 2 (1 + 12 + 66 + 220 + 495) / 4096
    assert (found.test.p, found.test.method) == (2 * 794 / 4096, PairedMethod.MCNEMAR)
    # differences 1 (8 times), -1 (4 times), 0 (8 times): variance 12/20 - 0.04 = 0.56, standard error sqrt(0.56/20)
    assert found.interval is not None
    half = 1.96 * math.sqrt(0.56 / 20)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.2 - half, 0.2 + half), abs=0.05)
    assert (found.items, found.clusters, found.reason, found.interval.level) == (20, 20, None, 0.95)
    many = compare(column(OURS * 25), column(THEIRS * 25), POOLED, seed=5).interval
    half = 1.96 * math.sqrt(0.56 / 500)
    assert many is not None and (many.low, many.high) == pytest.approx((0.2 - half, 0.2 + half), abs=0.006)
    shared = compare(column(OURS, 5), column(THEIRS, 5), POOLED, seed=5)
    assert (shared.test.method, shared.clusters, shared.items) == (PairedMethod.EXACT_FLIPS, 5, 20)


def test_intervals_of_reference_differences_keep_their_ends() -> None:
    """Ends as they are computed today, to notice any change of a formula that the rules above allow."""
    weights = [(1, 0.5, 2, "a"), (3, 2, 3, "b"), (0, 0, 1, "c"), (2, 1.5, 5, "d"), (1, 0.5, 1, "b")]
    ours = {str(n): Part(one, weight, cluster) for n, (one, _, weight, cluster) in enumerate(weights)}
    theirs = {str(n): Part(other, weight, cluster) for n, (_, other, weight, cluster) in enumerate(weights)}
    for pooling, level, top, low, high in ENDS:
        found = compare(ours, theirs, pooling, seed=3, level=level, top=top).interval
        assert found is not None
        assert (found.low, found.high) == pytest.approx((low, high)), (pooling, level, top)


@pytest.mark.parametrize("pooling", Pooling)
def test_two_identical_systems_are_not_different_and_not_surely_the_same(pooling: Pooling) -> None:
    found = compare(column(OURS), column(OURS), pooling, seed=5)
    assert (found.difference, found.test.p, found.test.differs()) == (0, 1, False)
    unseen = 1 - 0.05 ** (1 / 20)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((-unseen, unseen))
    assert found.interval.method is IntervalMethod.CONSTANT
    reason = "all clusters differ alike, so nothing is known of their spread"
    assert (found.resolvable.value, found.resolvable.reason) == (None, reason)
    assert compare(column(OURS), column(OURS), pooling, seed=5, top=math.inf).interval is None


def test_without_a_value_or_a_second_cluster_there_is_less_to_say() -> None:
    weightless = {item: Part(0, 0, part.cluster) for item, part in column(OURS).items()}
    found = compare(column(OURS), weightless, POOLED, seed=5)
    assert (found.difference, found.interval, found.test.p, found.resolvable.value) == (None, None, None, None)
    assert found.reason == found.test.reason == found.resolvable.reason == NO_WEIGHT
    assert not found.test.differs()
    assert (found.test.clusters, found.test.differing) == (20, 20)
    nothing = compare({}, {}, Pooling.PER_ITEM, seed=5)
    assert (nothing.difference, nothing.interval, nothing.test.p, nothing.items) == (None, None, None, 0)
    assert nothing.test.method is PairedMethod.EXACT_FLIPS
    found = compare(column(OURS, 1), column(THEIRS, 1), POOLED, seed=5)
    assert found.difference == pytest.approx(0.2)
    assert (found.interval, found.test.p, found.resolvable.value) == (None, 1, None)
    heavy = {"a": Part(4e8, 1e9, "a"), "b": Part(1e-10, 1e-9, "b")}
    even = {"a": Part(1, 1, "a"), "b": Part(0, 1, "b")}
    assert compare(heavy, even, POOLED, seed=5).interval is None is compare(even, heavy, POOLED, seed=5).interval


def test_the_difference_is_that_of_the_two_values_where_only_one_side_weighs() -> None:
    ours = {"a": Part(1, 2, "a"), "b": Part(0, 0, "b"), "c": Part(3, 3, "c")}
    theirs = {"a": Part(1, 2, "a"), "b": Part(1, 4, "b"), "c": Part(1, 3, "c")}
    found = compare(ours, theirs, POOLED, seed=5)
    assert found.difference == pytest.approx(4 / 5 - 3 / 9)
    assert (found.items, found.first.items, found.second.items) == (3, 2, 3)
    assert found.interval is not None and found.interval.low < 4 / 5 - 3 / 9 < found.interval.high


def test_the_smallest_difference_follows_from_the_clustered_standard_error() -> None:
    # The standard error of the mean of 20 differences with sum of squares 12 and mean 0.2:
    # sqrt(20 / 19 * (12 - 20 * 0.04) / 20²); 1.95996 + 0.84162 = 2.80158
    error = math.sqrt(20 / 19 * 11.2 / 400)
    found = smallest_difference(column(OURS), column(THEIRS), POOLED)
    assert found.standard_error == pytest.approx(error)
    assert found.value == pytest.approx(2.80158 * error, rel=1e-5)
    assert (found.level, found.power, found.clusters, found.reason) == (0.95, 0.8, 20, None)
    # 1.64485 + 1.28155
    surer = smallest_difference(column(OURS), column(THEIRS), POOLED, level=0.9, power=0.9)
    assert surer.value == pytest.approx(2.92640 * error, rel=1e-5)
    # Doubling every item within its cluster tells nothing new.
    twice, theirs = ({f"{item}{n}": p for item, p in column(x).items() for n in "ab"} for x in (OURS, THEIRS))
    assert smallest_difference(twice, theirs, POOLED).standard_error == pytest.approx(error)


def test_the_smallest_difference_is_found_or_planned_for_enough_clusters() -> None:
    found = smallest_difference(column(OURS, 5), column(THEIRS, 5), POOLED)
    reason = "5 clusters are too few: even if all of them agreed, p would be 0.062"
    assert (found.value, found.reason) == (None, reason)
    assert smallest_difference(column(OURS, 6), column(THEIRS, 6), POOLED).value is not None
    assert smallest_difference(*sides([1, 0]), POOLED, level=0.5).value is not None
    for level, power in [(0, 0.8), (1, 0.8), (0.95, 0), (0.95, 1)]:
        with pytest.raises(UsageError, match=f"a level of {level} at a power of {power} was asked for"):
            smallest_difference(column(OURS), column(THEIRS), POOLED, level=level, power=power)
    # t(99) at 0.975 is 1.98422 and at 0.8 is 0.84527: d = 2.82949 sqrt((0.2 - d²) / 100); with a difference above a
    # fifth the share that disagree is the difference itself.
    planned = planned_difference([1] * 100)
    assert planned == pytest.approx(2.82949 * math.sqrt((0.2 - planned**2) / 100), rel=1e-5)
    expected = [0.1217582332, 0.1376854102, 0.5487811771, 0.4109733534, 0.1265587216, 1, 1]
    several = [*map(planned_difference, ([1] * 100, [5] * 20, [30, 1, 1, 1], [2] * 8))]
    several += [
        planned_difference([1] * 100, level=0.9, power=0.9),
        planned_difference([9]),
        planned_difference([]),
    ]
    assert several == pytest.approx(expected)


# Darwin's fifteen pairs of maize, crossed minus self-fertilised, in eighths of an inch. Fisher (The Design of
# Experiments, section 21) counted 863 of the 2**15 rearrangements with a sum of 314 or more: p = 2 * 863 / 32768.
DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)


def test_the_sign_flip_test_finds_what_fisher_counted_and_two_rearrangements_at_least() -> None:
    for values, clusters in ((DARWIN, 15), ([*DARWIN, 0, 0, 0], 18)):  # clusters that do not differ change nothing
        found = sign_flip(*sides(values), POOLED, seed=1)
        assert (found.p, found.method) == (2 * 863 / 2**15, PairedMethod.EXACT_FLIPS)
        assert (found.clusters, found.differing, found.rounds, found.seed) == (clusters, 15, None, None)
        assert not found.differs() and found.differs(0.06)
    for clusters in (1, 5, 6, EXACT_CLUSTERS):
        found = sign_flip(*sides([0.5] * clusters), POOLED, seed=1)
        assert (found.p, found.rounds) == (2 / 2**clusters, None), clusters
    assert sign_flip(*sides([0.5] * (EXACT_CLUSTERS + 1)), POOLED, seed=1, rounds=1).rounds == 1
    ours = {(c, n): Part(1, 1, str(c)) for c in range(4) for n in range(10)}
    theirs = {item: Part(0, 1, part.cluster) for item, part in ours.items()}
    assert sign_flip(ours, theirs, POOLED, seed=1).p == 2 / 2**4, "items of one cluster change sides together"


def test_drawn_rearrangements_come_near_all_of_them() -> None:
    # Four copies of Darwin's pairs: the sum of 60 signed values is nearly normal with variance 4 * sum of squares,
    # so p is about 2 (1 - Phi(4 * 314 / sqrt(4 * 26518))) = erfc(3.857 / sqrt(2)) = 0.0001; of ten copies of the
    # first pair and its negative p is 1.
    found = sign_flip(*sides(DARWIN * 4), POOLED, seed=1)
    assert (found.method, found.differing) == (PairedMethod.DRAWN_FLIPS, 60)
    assert (found.rounds, found.seed) == (10_000, 1)
    assert found.p is not None and 1 / 10_001 <= found.p < 0.0006
    assert sign_flip(*sides((49, -49) * 10), POOLED, seed=1).p == 1
    # 30 discordant items, 21 one way: 2 P(X <= 9) for Binomial(30, 1/2) = 0.0428
    exact = mcnemar(*outcomes(5, 21, 9, 5), POOLED)
    drawn = sign_flip(*outcomes(5, 21, 9, 5), POOLED, seed=4, rounds=20_000)
    assert exact.p == pytest.approx(0.0428, abs=5e-5)
    assert drawn.p == pytest.approx(exact.p, abs=0.006)  # four standard errors of a share of 20,000
    assert sign_flip(*sides([1.0] * 100), POOLED, seed=1, rounds=999).p == 1 / 1000, "never zero"


def test_unequal_weights_swap_with_their_sums_and_equal_values_never_differ() -> None:
    ours = {"a": Part(3, 4, "a"), "b": Part(1, 1, "b"), "c": Part(2, 5, "c")}
    theirs = {"a": Part(1, 2, "a"), "b": Part(0, 3, "b"), "c": Part(2, 2, "c")}
    distances = []
    for swapped in itertools.product((False, True), repeat=3):
        pairs = [(theirs[n], ours[n]) if swap else (ours[n], theirs[n]) for n, swap in zip("abc", swapped, strict=True)]
        values = [sum(p[k].sum for p in pairs) / sum(p[k].weight for p in pairs) for k in (0, 1)]
        distances.append(abs(values[0] - values[1]))
    expected = sum(distance >= distances[0] - 1e-9 for distance in distances) / 8
    assert sign_flip(ours, theirs, POOLED, seed=1).p == expected
    lone = {"a": Part(1, 1, "a"), "b": Part(0, 0, "b")}
    other = {"a": Part(0, 0, "a"), "b": Part(0, 1, "b")}
    assert sign_flip(lone, other, POOLED, seed=1).p == 1, "a side may be left without weight"
    for count in (3, 10, 40):
        ours, _ = sides([n / count for n in range(count)])
        found = sign_flip(ours, dict(ours), POOLED, seed=1)
        assert (found.p, found.differing, found.differs()) == (1, 0, False), count
    ours, theirs = column([0.1, 0.2], 1), column([0.3, 0.0], 1)  # 0.1 + 0.2 against 0.3: apart by rounding alone
    assert sign_flip(ours, theirs, POOLED, seed=1).p == 1


def test_mcnemars_test_counts_the_ways_of_the_discordant_items() -> None:
    for ours_only, theirs_only, p in [
        (0, 0, 1.0), (1, 0, 1), (0, 3, 2 / 8), (3, 3, 1), (6, 0, 2 / 64), (1, 6, 2 * (1 + 7) / 128),
        (9, 2, 2 * (1 + 11 + 55) / 2048),
    ]:  # fmt: skip
        systems = outcomes(4, ours_only, theirs_only, 2)
        found = mcnemar(*systems, POOLED)
        assert (found.p, sign_flip(*systems, POOLED, seed=1).p) == (p, p), (ours_only, theirs_only)
        assert (found.differing, found.clusters) == (ours_only + theirs_only, 6 + ours_only + theirs_only)
    heavy = {str(n): Part(2, 2, str(n)) for n in range(3)}
    assert mcnemar(heavy, {item: Part(0, 2, item) for item in heavy}, POOLED).p == 2 / 8
    assert mcnemar(*outcomes(0, 3000, 3000, 0), POOLED).p == 1
    assert mcnemar(*outcomes(0, 5000, 0, 0), POOLED).p == 0  # 2**-4999 is below any float


def test_paired_tests_refuse_what_they_cannot_compare() -> None:
    plain = {"a": Part(1, 1, "one"), "b": Part(0, 1, "two")}
    one_cluster = {"a": Part(1, 1, "one"), "b": Part(0, 1, "one")}
    for ours, theirs in [
        (one_cluster, one_cluster),
        ({"a": Part(0.5, 1, "one"), "b": Part(0, 1, "two")}, plain),
        (plain, {"a": Part(1, 1, "one"), "b": Part(0.5, 1, "two")}),
        ({"a": Part(1, 1, "one"), "b": Part(2, 2, "two")}, {"a": Part(1, 1, "one"), "b": Part(0, 2, "two")}),
        (plain, {"a": Part(1, 1, "one"), "b": Part(0, 2, "two")}),
        ({}, {}),
    ]:
        with pytest.raises(UsageError, match="one item per cluster"):
            mcnemar(ours, theirs, POOLED)
    ours, theirs = sides([1, 1, 1])
    with pytest.raises(UsageError, match="2 items are in one system only, as 1"):
        sign_flip(ours, {"0": theirs["0"]}, POOLED, seed=1)
    with pytest.raises(UsageError, match="1 items are in another cluster in the second system, as 2"):
        sign_flip(ours, theirs | {"2": Part(0, 1, "elsewhere")}, POOLED, seed=1)
    with pytest.raises(UsageError, match="0 rounds"):
        sign_flip(*sides([1]), POOLED, seed=1, rounds=0)


def test_holm_multiplies_by_how_many_are_left() -> None:
    # sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1 = 0.02, 0.03, 0.06, 0.04, the last raised to the one before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert (holm([0.6, 0.7, 0.8]), holm([0, 1]), holm([])) == ((1, 1, 1), (0, 1), ())
    for p in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="between 0 and 1"):
            holm([0.5, p])


@given(st.lists(st.tuples(PARTS, PARTS), max_size=12), st.sampled_from(Pooling), st.integers(0, 99))
def test_a_comparison_agrees_with_its_values_its_reverse_and_any_order(
    pairs: list[tuple[Part, Part]], pooling: Pooling, seed: int
) -> None:
    ours = {n: one for n, (one, _) in enumerate(pairs)}
    theirs = {n: Part(other.sum, other.weight, one.cluster) for n, (one, other) in enumerate(pairs)}
    found, turned = compare(ours, theirs, pooling, seed=1), compare(theirs, ours, pooling, seed=1)
    mine, other = pool(ours.values(), pooling).value, pool(theirs.values(), pooling).value
    assert found.difference == (None if mine is None or other is None else mine - other)
    assert (found.difference is None) == (found.test.p is None) == (found.reason is not None)
    assert found.test.p is None or 0 < found.test.p <= 1
    assert found.interval is None or -1 - 1e-9 <= found.interval.low < found.interval.high <= 1 + 1e-9
    assert found.test == turned.test
    assert found.resolvable.value == (turned.resolvable.value and pytest.approx(turned.resolvable.value))
    if found.interval and turned.interval:
        assert (found.interval.low, found.interval.high) == pytest.approx((-turned.interval.high, -turned.interval.low))
    mixed = {item: ours[item] for item in random.Random(seed).sample(list(ours), len(ours))}
    assert compare(mixed, theirs, pooling, seed=1) == found
    same = compare(ours, ours, pooling, seed=1)
    assert same.difference in (0, None) and same.test.p in (1, None) and not same.test.differs()


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_raises_each_p_value_and_keeps_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= raised <= 1 for p, raised in zip(p_values, adjusted, strict=True))
    by_p = sorted(zip(p_values, adjusted, strict=True))
    assert [raised for _, raised in by_p] == sorted(adjusted) == sorted(holm(p_values[::-1]))
