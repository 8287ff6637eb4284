"""Confidence intervals over clusters, two systems side by side, and agreement of raters, judges and annotators."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.scoring import Agreement, Measure, balanced_accuracy, cohens_kappa, krippendorffs_alpha
from tsgkit.scoring.agreement import MOST_LABELS, Presence, SetPair, masi_similarity, presence_kappa, sets_alpha
from tsgkit.scoring.combination import Combination, combine, combined_interval, mean_of_all
from tsgkit.scoring.comparison import compare, planned_difference, smallest_difference
from tsgkit.scoring.intervals import (
    Interval,
    IntervalMethod,
    effective_number,
    incomplete_beta,
    interval,
    student_quantile,
)
from tsgkit.scoring.pooling import Part, Pooling, pool
from tsgkit.scoring.significance import EXACT_CLUSTERS, PairedMethod, holm, mcnemar, sign_flip

POOLED = Pooling.POOLED
SHARES = [Part(1, 2, "a"), Part(3, 3, "b"), Part(0, 1, "c"), Part(2, 5, "d"), Part(1, 1, "b")]
THIRDS = [Part(float(n % 3 == 0), 1, str(n)) for n in range(40)]
PARTS = st.builds(
    lambda share, weight, cluster: Part(share * weight, weight, cluster),
    st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 1.0]),
    st.integers(0, 5),
    st.sampled_from("abcdefgh"),
)
Side = dict[str, Part]
NO_WEIGHT = "no item carries weight, so the metric has no value"
OURS = [1.0] * 14 + [0.0] * 6
THEIRS = [1.0] * 6 + [0.0] * 10 + [1.0] * 4  # 8 items ours alone, 4 theirs alone
# Darwin's fifteen pairs of maize, crossed minus self-fertilised, in eighths of an inch. Fisher (The Design of
# Experiments, section 21) counted 863 of the 2**15 rearrangements with a sum of 314 or more: p = 2 * 863 / 32768.
DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)
Ratings = dict[int, str | None]
RATINGS = st.dictionaries(st.integers(0, 9), st.sampled_from(["yes", "no", "perhaps", None]))
ONE_LABEL = "every rating is 'y', so chance alone would agree"
SETS = st.frozensets(st.sampled_from("abcd"), max_size=4)
PAIRS = st.lists(st.builds(SetPair, SETS, SETS, st.sampled_from("xyz")), max_size=12)
PLACES = st.lists(st.builds(Presence, SETS, SETS, SETS, st.sampled_from("xyz")), max_size=12)
ABC = frozenset("abc")
UNITS = [
    SetPair(frozenset(one), frozenset(other), cluster)
    for one, other, cluster in [
        ("ab", "ab", "x"), ("ab", "abcd", "x"), ("bc", "ab", "y"), ("d", "ae", "y"), ("", "", "z"), ("e", "", "z"),
    ]
]  # fmt: skip
USES = [
    Presence(frozenset(one), frozenset(other), ABC, cluster)
    for one, other, cluster in (("ab", "ab", "x"), ("a", "ac", "x"), ("bc", "c", "y"), ("ac", "ax", "z"))
]


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


def test_an_interval_is_about_wilsons_and_keeps_its_ends() -> None:
    # Wilson's interval of 10 out of 20 with t(19) = 2.0930 and 19 instead of 20: half of it is 0.2204.
    # Twenty clusters of ten equal items know no more than twenty items.
    for found in (interval(marks(10, 10), POOLED), interval(marks(10, 10) * 10, POOLED)):
        assert ends(found) == pytest.approx((0.5 - 0.2204, 0.5 + 0.2204), abs=0.005)
        assert found is not None
        assert (found.level, found.clusters, found.method) == (0.95, 20, IntervalMethod.WILSON)
    assert ends(interval(marks(1, 1), POOLED)) == pytest.approx((0, 1), abs=0.01)
    for parts in ([], [Part(0, 0, "a"), Part(1, 1, "b")], [Part(1, 1, "a"), Part(0, 1, "a")]):
        assert interval(parts, POOLED) is None, parts
    for share in (0.1, 0.5, 0.9):  # the standard error of a share p of n is sqrt(p (1 - p) / n)
        half = 1.96 * math.sqrt(share * (1 - share) / 1000)
        found = interval(marks(round(1000 * share), round(1000 - 1000 * share)), POOLED)
        assert ends(found) == pytest.approx((share - half, share + half), abs=0.003), share
    # Ends as they are computed today, to notice any change of a formula that the rules above allow.
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


def test_clusters_of_one_value_get_the_rule_of_three_and_counts_the_interval_of_a_rate() -> None:
    for clusters, unseen in [(2, 1 - math.sqrt(0.05)), (10, 0.2589), (100, 0.0295), (1000, 0.003)]:
        right, wrong = interval(marks(clusters, 0), POOLED), interval(marks(0, clusters), POOLED)
        assert ends(right) == pytest.approx((1 - unseen, 1), abs=1e-4), clusters  # 1 - 0.05 ** (1 / n): about 3 / n
        assert ends(wrong) == pytest.approx((0, unseen), abs=1e-4), clusters
        assert right is not None and right.method is IntervalMethod.CONSTANT
        assert right.clusters == clusters
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
    low, high = ends(interval([Part(float(n == 0), 1, str(n)) for n in range(20)], POOLED, top=math.inf))
    assert 0 < low < 0.05 < high
    found = interval([Part(1 + n / 10, 1, str(n)) for n in range(10)], POOLED)
    # mean 1.45, standard deviation 0.3028, t(9) = 2.2622
    assert ends(found) == pytest.approx((1.45 - 0.2166, 1.45 + 0.2166), abs=1e-4)
    assert found is not None and found.method is IntervalMethod.STUDENT
    for level in (0, 1, -1, 95, math.nan):
        with pytest.raises(UsageError, match=f"the level of an interval is {level}"):
            interval(marks(1, 1), POOLED, level=level)


def test_the_interval_of_a_mean_is_that_of_a_corpus_value_and_of_others_a_bootstrap() -> None:
    parts = marks(12, 8)
    apart = [Part(part.sum, part.weight, f"other {part.cluster}") for part in parts]
    low, high = ends(interval(parts, POOLED))
    assert ends(combined_interval([parts, parts], POOLED, mean_of_all, seed=0)) == pytest.approx((low, high))
    surer = ends(combined_interval([parts, apart], POOLED, mean_of_all, seed=0))
    assert (surer[1] - surer[0]) / (high - low) == pytest.approx(math.sqrt(0.5), abs=0.05)
    others = [Part(part.weight - part.sum, part.weight, part.cluster) for part in SHARES[1:]]
    found = combined_interval([SHARES, others], POOLED, mean_of_all, seed=1)
    assert ends(found) == pytest.approx((0.2343079493, 0.7535193029))
    for columns in ([marks(3, 2), [Part(1, 2, "a")]], [parts, []], [[Part(1, 1, "a")]] * 2):
        assert combined_interval(columns, POOLED, mean_of_all, seed=0) is None
    two = [Part(1, 2, "a"), Part(2, 2, "b")]
    alone = ends(interval(two, POOLED))
    assert ends(combined_interval([two, two], POOLED, mean_of_all, seed=0)) == pytest.approx(alone)
    assert (mean_of_all([1, 0.5]), mean_of_all([1, None]), mean_of_all([])) == (0.75, None, None)
    assert combine([parts, SHARES], POOLED, mean_of_all) == pytest.approx((0.6 + 7 / 12) / 2)
    largest: Combination = lambda values: max(value or 0.0 for value in values)  # noqa: E731
    others = [Part(part.weight - part.sum, part.weight, part.cluster) for part in THIRDS[1:]]
    for seed, level, low, high in ((1, 0.95, 0.525, 0.8205128205), (2, 0.8, 0.575, 0.7631578947)):
        found = combined_interval([THIRDS, others], POOLED, largest, seed=seed, level=level)
        assert ends(found) == pytest.approx((low, high))
        assert found is not None and (found.clusters, found.method) == (40, IntervalMethod.PERCENTILE)
    assert combined_interval([THIRDS, others], POOLED, lambda _: 0.5, seed=1) is None, "all rounds alike"
    assert combined_interval([THIRDS, others], POOLED, lambda _: None, seed=1) is None
    bound = combined_interval([marks(10, 0)] * 2, POOLED, largest, seed=1)
    assert ends(bound) == pytest.approx((0.05**0.1, 1))
    held = combined_interval([marks(10, 0)] * 2, POOLED, lambda values: float((values[0] or 0) > 0.5), seed=1)
    assert held is None, "equal ends"


def test_the_interval_of_a_difference_follows_wins_and_losses_and_keeps_its_ends() -> None:
    # 6 clusters of 20 won, none lost: p = 2 / 2**6 = 0.031; losses may have been missed, so it is wider than a share's.
    wins = column([1] * 6 + [0] * 14)
    found, share = compare(wins, column([0] * 20), POOLED, seed=0).interval, interval(marks(6, 14), POOLED)
    assert found is not None and found.method is IntervalMethod.PAIRED
    assert 0 < found.low < ends(share)[0]
    assert found.high == pytest.approx(ends(share)[1], abs=0.01)
    for top in (math.inf, 1):  # or beyond the range of shares
        found = compare(column([3, 4] * 5), column([1] * 10), POOLED, seed=0, top=top).interval
        # differences 2 and 3: mean 2.5, standard deviation 0.527, t(9) = 2.2622
        assert ends(found) == pytest.approx((2.5 - 0.377, 2.5 + 0.377), abs=1e-3)
        assert found is not None and found.method is IntervalMethod.STUDENT
    # Ends as they are computed today, to notice any change of a formula that the rules above allow.
    weights = [(1, 0.5, 2, "a"), (3, 2, 3, "b"), (0, 0, 1, "c"), (2, 1.5, 5, "d"), (1, 0.5, 1, "b")]
    ours = {str(n): Part(one, weight, cluster) for n, (one, _, weight, cluster) in enumerate(weights)}
    theirs = {str(n): Part(other, weight, cluster) for n, (_, other, weight, cluster) in enumerate(weights)}
    for pooling, level, top, low, high in (
        (Pooling.POOLED, 0.95, 1, -0.5293709591, 0.7502681233),
        (Pooling.POOLED, 0.8, 1, -0.1189695310, 0.5129845736),
        (Pooling.POOLED, 0.95, math.inf, -0.1456312752, 0.5622979419),
        (Pooling.POOLED, 0.95, 2, -0.8898544161, 1.1856439903),
        (Pooling.PER_ITEM, 0.95, 1, -0.5501350162, 0.7823702730),
        (Pooling.PER_ITEM, 0.9, 2, -0.6338899822, 1.0344729860),
    ):
        found = compare(ours, theirs, pooling, seed=3, level=level, top=top).interval
        assert ends(found) == pytest.approx((low, high)), (pooling, level, top)


@given(st.lists(PARTS, max_size=20), st.sampled_from(Pooling), st.randoms(use_true_random=False))
def test_an_interval_of_shares_lies_within_them_whatever_the_order(
    parts: list[Part], pooling: Pooling, choice: random.Random
) -> None:
    found = interval(parts, pooling)
    assert (found is None) == (len({part.cluster for part in parts if part.weight}) < 2)
    assert found is None or -1e-9 <= found.low < found.high <= 1 + 1e-9
    mixed = choice.sample(parts, len(parts))
    assert (pool(mixed, pooling), interval(mixed, pooling)) == (pool(parts, pooling), found)


def column(values: Sequence[float], clusters: int | None = None) -> Side:
    return {str(n): Part(value, 1, f"{n % (clusters or len(values)):03}") for n, value in enumerate(values)}


def sides(differences: Sequence[float]) -> tuple[Side, Side]:
    """Return two systems with one item per cluster, and these differences between them."""
    return column(differences), column([0] * len(differences))


def outcomes(both: int, ours_only: int, theirs_only: int, neither: int) -> tuple[Side, Side]:
    table = [(1, 1)] * both + [(1, 0)] * ours_only + [(0, 1)] * theirs_only + [(0, 0)] * neither
    return column([one for one, _ in table]), column([other for _, other in table])


def test_a_comparison_says_how_far_apart_and_how_sure_also_where_one_side_weighs() -> None:
    found = compare(column(OURS), column(THEIRS), POOLED, seed=5)
    assert (found.first.value, found.second.value) == (0.7, 0.5)
    assert found.difference == pytest.approx(0.2)
    # 2 P(X <= 4) for Binomial(12, 1/2): 2 (1 + 12 + 66 + 220 + 495) / 4096
    assert (found.test.p, found.test.method) == (2 * 794 / 4096, PairedMethod.MCNEMAR)
    # differences 1 (8 times), -1 (4 times), 0 (8 times): variance 12/20 - 0.04 = 0.56, standard error sqrt(0.56/20)
    assert (found.items, found.clusters, found.reason) == (20, 20, None)
    for times, within in ((1, 0.05), (25, 0.006)):
        found = compare(column(OURS * times), column(THEIRS * times), POOLED, seed=5)
        half = 1.96 * math.sqrt(0.56 / 20 / times)
        assert ends(found.interval) == pytest.approx((0.2 - half, 0.2 + half), abs=within)
        assert found.interval is not None and found.interval.level == 0.95
    shared = compare(column(OURS, 5), column(THEIRS, 5), POOLED, seed=5)
    assert (shared.test.method, shared.clusters, shared.items) == (PairedMethod.EXACT_FLIPS, 5, 20)
    ours = {"a": Part(1, 2, "a"), "b": Part(0, 0, "b"), "c": Part(3, 3, "c")}
    theirs = {"a": Part(1, 2, "a"), "b": Part(1, 4, "b"), "c": Part(1, 3, "c")}
    found = compare(ours, theirs, POOLED, seed=5)
    assert found.difference == pytest.approx(4 / 5 - 3 / 9)
    assert (found.items, found.first.items, found.second.items) == (3, 2, 3)


@pytest.mark.parametrize("pooling", Pooling)
def test_two_identical_systems_are_not_different_and_not_surely_the_same(pooling: Pooling) -> None:
    found = compare(column(OURS), column(OURS), pooling, seed=5)
    assert (found.difference, found.test.p, found.test.differs()) == (0, 1, False)
    unseen = 1 - 0.05 ** (1 / 20)
    assert ends(found.interval) == pytest.approx((-unseen, unseen))
    assert found.interval is not None and found.interval.method is IntervalMethod.CONSTANT
    reason = "all clusters differ alike, so nothing is known of their spread"
    assert (found.resolvable.value, found.resolvable.reason) == (None, reason)
    assert compare(column(OURS), column(OURS), pooling, seed=5, top=math.inf).interval is None


def test_without_a_value_or_a_second_cluster_there_is_less_to_say() -> None:
    weightless = {item: Part(0, 0, part.cluster) for item, part in column(OURS).items()}
    for found, clusters, method in (
        (compare(column(OURS), weightless, POOLED, seed=5), 20, PairedMethod.DRAWN_FLIPS),
        (compare({}, {}, Pooling.PER_ITEM, seed=5), 0, PairedMethod.EXACT_FLIPS),
    ):
        assert (found.difference, found.interval, found.test.p, found.resolvable.value) == (None, None, None, None)
        assert found.reason == found.test.reason == found.resolvable.reason == NO_WEIGHT
        assert (found.items, found.test.clusters, found.test.differing) == (clusters, clusters, clusters)
        assert (found.test.method, found.test.differs()) == (method, False)
    found = compare(column(OURS, 1), column(THEIRS, 1), POOLED, seed=5)
    assert found.difference == pytest.approx(0.2)
    assert (found.interval, found.test.p, found.resolvable.value) == (None, 1, None)
    heavy = {"a": Part(4e8, 1e9, "a"), "b": Part(1e-10, 1e-9, "b")}
    even = {"a": Part(1, 1, "a"), "b": Part(0, 1, "b")}
    assert compare(heavy, even, POOLED, seed=5).interval is None is compare(even, heavy, POOLED, seed=5).interval


def test_the_smallest_difference_follows_from_the_standard_error_of_enough_clusters() -> None:
    # The standard error of the mean of 20 differences with sum of squares 12 and mean 0.2:
    # sqrt(20 / 19 * (12 - 20 * 0.04) / 20²); 1.95996 + 0.84162 = 2.80158
    error = math.sqrt(20 / 19 * 11.2 / 400)
    for level, power, factor in ((0.95, 0.8, 2.80158), (0.9, 0.9, 1.64485 + 1.28155)):
        found = smallest_difference(column(OURS), column(THEIRS), POOLED, level=level, power=power)
        assert (found.standard_error, found.value) == pytest.approx((error, factor * error), rel=1e-5)
        assert (found.level, found.power, found.clusters, found.reason) == (level, power, 20, None)
    # Doubling every item within its cluster tells nothing new.
    twice, theirs = ({f"{item}{n}": p for item, p in column(x).items() for n in "ab"} for x in (OURS, THEIRS))
    assert smallest_difference(twice, theirs, POOLED).standard_error == pytest.approx(error)
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
    several = [*map(planned_difference, ([1] * 100, [5] * 20, [30, 1, 1, 1], [2] * 8, [9], []))]
    assert several == pytest.approx([0.1217582332, 0.1376854102, 0.5487811771, 0.4109733534, 1, 1])
    assert planned_difference([1] * 100, level=0.9, power=0.9) == pytest.approx(0.1265587216)


def test_the_sign_flip_test_finds_what_fisher_counted_and_draws_come_near() -> None:
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


def test_mcnemars_test_counts_discordant_items_and_refuses_what_it_cannot_compare() -> None:
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
    plain, one_cluster = column([1, 0]), column([1, 0], 1)
    heavier = plain | {"1": Part(2, 2, "001")}
    for ours, theirs in [
        (one_cluster, one_cluster),
        (column([0.5, 0]), plain),
        (plain, column([1, 0.5])),
        (heavier, plain | {"1": Part(0, 2, "001")}),
        (plain, plain | {"1": Part(0, 2, "001")}),
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
    if turned.interval:
        assert ends(found.interval) == pytest.approx((-turned.interval.high, -turned.interval.low))
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


def ratings(text: str) -> Ratings:
    """Return one letter or digit for each item; a dot where the rater did not say."""
    return {item: None if label == "." else label for item, label in enumerate(text)}


def test_kappa_and_alpha_are_those_of_textbooks() -> None:
    # Krippendorff 2011, section D: four observers, twelve units, the last rated once; nominal alpha = 0.743.
    observers = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    found = krippendorffs_alpha([ratings(text) for text in observers])
    assert found == Agreement(pytest.approx(0.743, abs=5e-4), Measure.ALPHA, 11, 1, 4)  # type: ignore[arg-type]
    for first, second, kappa, alpha, n, left_out in [
        # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: Ao = 35/50, Ae = 0.5 * 0.6 + 0.5 * 0.4 = 0.5, kappa = 0.2 / 0.5
        ("y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15, 0.4, 1 - 99 * 15 / (55 * 45), 50, 0),
        # Of the four complete pairs three agree: Ao = 0.75, Ae = 0.5 * 0.25 + 0.5 * 0.75 = 0.5
        ("yynn.y", "ynnny.", 0.5, 1 - 7 * 1 / 15, 4, 2),
        ("yyyy", "yynn", 0, 1 - 7 * 2 / 12, 4, 0),
        # Do = 1; De of two labels, four times each: 2 * 4 * 4 / (8 * 7) = 4/7; 1 - 7/4
        ("ynyn", "nyny", -1, -0.75, 4, 0),
        # Krippendorff, section A: ten units, four disagreements, 14 zeros and 6 ones: 1 - 19 * 4 / (14 * 6) = 0.095
        ("nynnnnnnyn", "yyynnynnnn", 0.0909090909, 1 - 19 * 4 / 84, 10, 0),
    ]:
        rest, raters = (n, left_out), (ratings(first), ratings(second))
        assert cohens_kappa(*raters) == Agreement(pytest.approx(kappa), Measure.KAPPA, *rest), first  # type: ignore[arg-type]
        assert krippendorffs_alpha(raters) == Agreement(pytest.approx(alpha), Measure.ALPHA, *rest), first  # type: ignore[arg-type]
    assert krippendorffs_alpha([ratings("ab.."), ratings("a.b."), ratings(".bbb")]).value == 1
    anything: dict[object, str | None] = {("a", None): "%s", ("b", 2): "\x1b[31m", None: "", 0.5: "ü"}
    assert cohens_kappa(anything, anything).value == krippendorffs_alpha([anything, anything]).value == 1


def test_rare_labels_count_as_much_as_frequent_ones_and_what_cannot_be_measured_has_a_reason() -> None:
    none, rated_once = "no item was rated by two raters", ([ratings("yny")], [ratings("yny"), {}])
    assert cohens_kappa(ratings("yy"), ratings("yy")) == Agreement(None, Measure.KAPPA, 2, 0, 2, ONE_LABEL)
    alpha = krippendorffs_alpha([ratings("yyn"), ratings("yy.")])
    assert alpha == Agreement(None, Measure.ALPHA, 2, 1, 2, ONE_LABEL)
    assert krippendorffs_alpha([]) == Agreement(None, Measure.ALPHA, 0, 0, 0, none)
    for raters in (*rated_once, [ratings("yny"), ratings("...")]):
        assert krippendorffs_alpha(raters) == Agreement(None, Measure.ALPHA, 0, 3, len(raters), none)
    assert cohens_kappa(ratings("yny"), {}).reason == none
    reason = "1001 different labels are too many to measure agreement on (at most 1000)"
    for number, told in ((MOST_LABELS + 1, (None, reason)), (MOST_LABELS, (1, None))):
        many: Ratings = {n: str(n) for n in range(number)}
        assert (cohens_kappa(many, many).value, cohens_kappa(many, many).reason) == told
    for judge, reference, value, n, left_out in (
        ("yyyyyynn" + "ny", "yyyyyyyy" + "nn", 0.625, 10, 0),  # 6 of 8 yes, 1 of 2 no: (0.75 + 0.5) / 2
        ("aa", "ab", 1 / 2, 2, 0),  # always one of k labels
        ("aaa", "abc", 1 / 3, 3, 0),
        ("y.n", "yyn", 0.75, 3, 0),  # what is not said is missed
        ("yxn", "yyn", 0.75, 3, 0),
        ("", "yyn", 0, 3, 0),
        ("ynyn.", "yn...", 1, 2, 2),  # what has no reference is left out
    ):
        found = balanced_accuracy(ratings(judge), ratings(reference))
        assert found == Agreement(pytest.approx(value), Measure.BALANCED_ACCURACY, n, left_out), judge  # type: ignore[arg-type]
    for reference, n, reason in (("..", 0, "the reference rates nothing"), ("yy", 2, ONE_LABEL)):
        found = balanced_accuracy(ratings("yn"), ratings(reference))
        assert (found.value, found.n, found.reason) == (None, n, reason), reference


@given(ours=RATINGS, theirs=RATINGS)
def test_agreement_is_the_same_both_ways_and_within_its_range(ours: Ratings, theirs: Ratings) -> None:
    kappa, alpha = cohens_kappa(ours, theirs), krippendorffs_alpha([ours, theirs])
    assert (kappa.value is None) == (kappa.reason is not None) == (alpha.value is None)
    assert kappa.value is None or -1 - 1e-9 <= kappa.value <= 1 + 1e-9
    assert alpha.value is None or alpha.value <= 1
    assert (cohens_kappa(theirs, ours).value or 0) == pytest.approx(kappa.value or 0)
    assert (krippendorffs_alpha([theirs, ours]).value or 0) == pytest.approx(alpha.value or 0)
    for found in (cohens_kappa(ours, ours), krippendorffs_alpha([ours, ours]), balanced_accuracy(ours, ours)):
        assert found.value == (None if len({label for label in ours.values() if label}) < 2 else pytest.approx(1))
    full = balanced_accuracy(ours, theirs).value
    for item in ours:  # leaving an answer out gains nothing
        less = balanced_accuracy({**ours, item: None}, theirs).value
        assert (full is None) == (less is None) and (full or 0) >= (less or 0)


def test_alpha_of_sets_and_kappa_of_elements_are_those_of_worked_examples() -> None:
    # Similarities 1, 2/4 * 2/3, 1/3 * 1/3, 0, 1 and 0: observed is their mean, 22/54.
    found = sets_alpha(UNITS)
    assert (found.n, found.observed, found.expected) == pytest.approx((6, 22 / 54, 0.183670034))
    assert found.value == pytest.approx((22 / 54 - 0.183670034) / (1 - 0.183670034))
    assert found.interval is not None
    assert (found.interval.clusters, found.interval.method) == (3, IntervalMethod.WILSON)
    assert ends(found.interval) == pytest.approx((-0.1614583607, 0.8729290276))
    sampled = sets_alpha(UNITS, level=0.9, most_shared=10)  # drawn from a fixed seed
    assert (sampled.value, sampled.expected) == pytest.approx((0.3128355296, 0.1376262626))
    assert ends(sampled.interval) == pytest.approx((-0.0605070831, 0.8086152054))
    many = [one._replace(cluster=str(place)) for place, one in enumerate(random_sets(random.Random(8), 300))]
    exact, sampled = sets_alpha(many), sets_alpha(many, most_shared=300)
    assert sampled.value != exact.value and sampled.value == pytest.approx(exact.value, abs=0.02)
    found = presence_kappa(USES)
    assert (found.n, found.observed, found.expected) == pytest.approx((12, 10 / 13, 7.5 / 13))
    assert found.value == pytest.approx(2.5 / 5.5)
    assert ends(found.interval) == pytest.approx((-0.8043012038, 0.9358442850))
    # One element in all places and one in none: no agreement beyond chance about the third.
    pairs = [("ac", "ac"), ("ac", "a"), ("a", "ac"), ("a", "a")]
    assert presence_kappa(Presence(frozenset(one), frozenset(other), ABC, "x") for one, other in pairs).value == 0.0
    assert ends(presence_kappa(USES, level=0.8).interval) == pytest.approx((-0.1469269777, 0.7939979944))


def random_sets(rng: random.Random, number: int) -> list[SetPair]:
    drawn = [[frozenset(rng.sample("abcdef", rng.randint(1, 3))) for _ in range(2)] for _ in range(number)]
    return [SetPair(one, other if rng.random() < 0.5 else one, str(place)) for place, (one, other) in enumerate(drawn)]


def test_alpha_and_similarity_are_those_of_another_implementation() -> None:
    nltk = import_module("nltk")
    pairs = random_sets(random.Random(7), 50)
    rows = [(rater, place, one[rater]) for place, one in enumerate(pairs) for rater in (0, 1)]
    expected = nltk.AnnotationTask(rows, distance=lambda first, second: 1 - masi_similarity(first, second)).alpha()
    assert sets_alpha(pairs).value == pytest.approx(expected)
    for first, second in (("ab", "abcd"), ("ab", "bc"), ("ab", "ab"), ("a", "b")):
        expected = 1 - nltk.masi_distance({*first}, {*second})
        assert masi_similarity({*first}, {*second}) == pytest.approx(expected), first
    assert masi_similarity(set(), set()) == 1.0 and masi_similarity(set(), {"a"}) == 0.0


def test_agreement_of_sets_needs_what_can_differ_and_intervals_two_clusters() -> None:
    alpha = sets_alpha(one._replace(second=one.first) for one in random_sets(random.Random(6), 20))
    kappa = presence_kappa(one._replace(second=one.first) for one in USES)
    for found, clusters in ((alpha, 20), (kappa, 3)):
        assert found.value == 1.0 and found.interval is not None
        assert (found.interval.method, found.interval.clusters) == (IntervalMethod.CONSTANT, clusters)
        assert found.interval.low < found.interval.high == 1.0
    pairs = random_sets(random.Random(9), 20)
    for names, has_interval in ((["tea"] * 20, False), (["tea"] * 19 + ["jam"], True)):
        named = [one._replace(cluster=name) for one, name in zip(pairs, names, strict=True)]
        used = [one._replace(cluster=name) for one, name in zip(USES, names[-4:], strict=True)]
        assert (sets_alpha(named).interval is not None) == (presence_kappa(used).interval is not None) == has_interval
    same, chance = frozenset("a"), "so chance alone would agree"
    for found, n, reason in [
        (sets_alpha([]), 0, "no graphs are paired"),
        (sets_alpha([SetPair(same, same, "0")] * 3), 3, f"all graphs are the same, {chance}"),
        (presence_kappa([]), 0, "no graphs are paired"),
        (presence_kappa([Presence(same, same, same, "0")] * 2), 2, f"every element is everywhere or nowhere, {chance}"),
    ]:
        assert (found.value, found.n, found.reason) == (None, n, reason)


@given(SETS, SETS)
def test_similarity_is_symmetric_and_one_for_equal_sets_alone(first: frozenset[str], second: frozenset[str]) -> None:
    assert masi_similarity(first, second) == masi_similarity(second, first)
    assert (masi_similarity(first, second) == 1.0) == (first == second)
    assert (masi_similarity(first, second) == 0.0) == (first != second and not first & second)


@given(PAIRS, PLACES)
def test_agreement_of_sets_is_symmetric_and_within_its_bounds_and_interval(
    pairs: list[SetPair], places: list[Presence]
) -> None:
    alpha, kappa = sets_alpha(pairs), presence_kappa(places)
    assert sets_alpha(SetPair(one.second, one.first, one.cluster) for one in pairs) == alpha
    assert presence_kappa(one._replace(first=one.second, second=one.first) for one in places) == kappa
    for found in (alpha, kappa):
        assert found.value is None or -1 - 1e-9 <= found.value <= 1 + 1e-9
        if found.interval is not None:
            assert found.value is not None and found.interval.low - 1e-9 <= found.value <= found.interval.high + 1e-9
    assert sets_alpha(one._replace(second=one.first) for one in pairs).value in (1.0, None)
    same = presence_kappa(one._replace(second=one.first) for one in places).value
    assert same is None or same == pytest.approx(1.0)
