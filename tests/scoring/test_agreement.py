"""Agreement of raters, of a judge with a reference, and of annotators who give sets."""

from __future__ import annotations

import random
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsgkit.scoring import Agreement, Measure, balanced_accuracy, cohens_kappa, krippendorffs_alpha
from tsgkit.scoring.agreement import MOST_LABELS
from tsgkit.scoring.intervals import IntervalMethod
from tsgkit.scoring.set_agreement import BeyondChance, Presence, SetPair, masi_similarity, presence_kappa, sets_alpha

Ratings = dict[int, str | None]
RATINGS = st.dictionaries(st.integers(0, 9), st.sampled_from(["yes", "no", "perhaps", None]))
ONE_LABEL = "every rating is 'y', so chance alone would agree"


def ratings(text: str) -> Ratings:
    """Return one letter or digit for each item; a dot where the rater did not say."""
    return {item: None if label == "." else label for item, label in enumerate(text)}


def test_kappa_and_alpha_are_those_of_textbooks() -> None:
    # Krippendorff 2011, section D: four observers, twelve units, the last rated once; nominal alpha = 0.743.
    observers = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    found = krippendorffs_alpha([ratings(text) for text in observers])
    five = ("1", "2", "3", "4", "5")
    assert found == Agreement(pytest.approx(0.743, abs=5e-4), Measure.ALPHA, 11, 1, 4, five)  # type: ignore[arg-type]
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
        rest, raters = (n, left_out, 2, ("n", "y")), (ratings(first), ratings(second))
        assert cohens_kappa(*raters) == Agreement(pytest.approx(kappa), Measure.KAPPA, *rest), first  # type: ignore[arg-type]
        assert krippendorffs_alpha(raters) == Agreement(pytest.approx(alpha), Measure.ALPHA, *rest), first  # type: ignore[arg-type]
    assert krippendorffs_alpha([ratings("ab.."), ratings("a.b."), ratings(".bbb")]).value == 1


def test_agreement_that_cannot_be_measured_has_a_reason() -> None:
    none, rated_once = "no item was rated by two raters", ([ratings("yny")], [ratings("yny"), {}])
    assert cohens_kappa(ratings("yy"), ratings("yy")) == Agreement(None, Measure.KAPPA, 2, 0, 2, ("y",), ONE_LABEL)
    alpha = krippendorffs_alpha([ratings("yyn"), ratings("yy.")])
    assert alpha == Agreement(None, Measure.ALPHA, 2, 1, 2, ("y",), ONE_LABEL)
    assert krippendorffs_alpha([]) == Agreement(None, Measure.ALPHA, 0, 0, 0, (), none)
    for raters in (*rated_once, [ratings("yny"), ratings("...")]):
        assert krippendorffs_alpha(raters) == Agreement(None, Measure.ALPHA, 0, 3, len(raters), (), none)
    assert cohens_kappa(ratings("yny"), {}).reason == none
    many: Ratings = {n: str(n) for n in range(MOST_LABELS + 1)}
    reason = "1001 different labels are too many to measure agreement on (at most 1000)"
    assert (cohens_kappa(many, many).value, cohens_kappa(many, many).reason) == (None, reason)
    few = dict(list(many.items())[1:])
    assert (cohens_kappa(few, few).value, cohens_kappa(few, few).reason) == (1, None)


def test_items_and_labels_may_be_anything_that_can_be_named() -> None:
    items: list[tuple[str, int | None]] = [("a", 1), ("a", None), ("b", 2)]
    ours: dict[object, str | None] = dict(zip([*items, None], ["%s", "\x1b[31m", "", "ü"], strict=True))
    assert cohens_kappa(ours, ours).value == krippendorffs_alpha([ours, ours]).value == 1


def test_balanced_accuracy_counts_rare_labels_as_much_as_frequent_ones() -> None:
    for judge, reference, value, n, left_out, labels in (
        ("yyyyyynn" + "ny", "yyyyyyyy" + "nn", 0.625, 10, 0, "ny"),  # 6 of 8 yes, 1 of 2 no: (0.75 + 0.5) / 2
        ("aa", "ab", 1 / 2, 2, 0, "ab"),  # always one of k labels
        ("aaa", "abc", 1 / 3, 3, 0, "abc"),
        ("y.n", "yyn", 0.75, 3, 0, "ny"),  # what is not said is missed
        ("yxn", "yyn", 0.75, 3, 0, "ny"),
        ("", "yyn", 0, 3, 0, "ny"),
        ("ynyn.", "yn...", 1, 2, 2, "ny"),  # what has no reference is left out
    ):
        found = balanced_accuracy(ratings(judge), ratings(reference))
        rest = (Measure.BALANCED_ACCURACY, n, left_out, 2, tuple(labels))
        assert found == Agreement(pytest.approx(value), *rest), judge  # type: ignore[arg-type]
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


def test_alpha_of_sets_and_its_interval_are_those_of_a_worked_example() -> None:
    # Similarities 1, 2/4 * 2/3, 1/3 * 1/3, 0, 1 and 0: observed is their mean, 22/54.
    found = sets_alpha(UNITS)
    assert (found.n, found.observed, found.expected) == pytest.approx((6, 22 / 54, 0.183670034))
    assert found.value == pytest.approx((22 / 54 - 0.183670034) / (1 - 0.183670034))
    assert found.interval is not None
    assert (found.interval.clusters, found.interval.method) == (3, IntervalMethod.WILSON)
    assert ends(found) == pytest.approx((-0.1614583607, 0.8729290276))
    sampled = sets_alpha(UNITS, level=0.9, most_shared=10)  # drawn from a fixed seed
    assert (sampled.value, sampled.expected) == pytest.approx((0.3128355296, 0.1376262626))
    assert ends(sampled) == pytest.approx((-0.0605070831, 0.8086152054))
    many = [one._replace(cluster=str(place)) for place, one in enumerate(random_sets(random.Random(8), 300))]
    exact, sampled = sets_alpha(many), sets_alpha(many, most_shared=300)
    assert sampled.value != exact.value and sampled.value == pytest.approx(exact.value, abs=0.02)


def ends(found: BeyondChance) -> tuple[float, float]:
    assert found.interval is not None
    return found.interval.low, found.interval.high


def test_kappa_of_elements_and_its_interval_are_those_of_a_worked_example() -> None:
    # Used 7 and 6 times, 5 of them together; by chance together 3 * 3 / 4 + 2 * 1 / 4 + 2 * 2 / 4 = 3.75 times.
    found = presence_kappa(USES)
    assert (found.n, found.observed, found.expected) == pytest.approx((12, 10 / 13, 7.5 / 13))
    assert found.value == pytest.approx(2.5 / 5.5)
    assert ends(found) == pytest.approx((-0.8043012038, 0.9358442850))
    assert ends(presence_kappa(USES, level=0.8)) == pytest.approx((-0.1469269777, 0.7939979944))


def test_chance_counts_each_element_by_itself() -> None:
    """One element in all places and one in none: no agreement beyond chance about the third."""
    allowed = frozenset({"always", "never", "sometimes"})
    both = [("sometimes", "sometimes"), ("sometimes", ""), ("", "sometimes"), ("", "")]
    sides = [[frozenset({"always", name} - {""}) for name in pair] for pair in both]
    places = [Presence(first, second, allowed, str(place)) for place, (first, second) in enumerate(sides)]
    assert presence_kappa(places).value == 0.0


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


def test_intervals_of_sets_need_two_clusters_and_are_bounds_where_all_agree() -> None:
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
    apart = ends(sets_alpha(one._replace(cluster=f"{place}") for place, one in enumerate(pairs * 6)))
    together = ends(sets_alpha(pairs * 6))
    assert together[1] - together[0] > 1.5 * (apart[1] - apart[0])


def test_agreement_of_sets_is_undefined_where_nothing_can_differ() -> None:
    same, chance = frozenset("a"), "so chance alone would agree"
    for found, n, reason in [
        (sets_alpha([]), 0, "no graphs are paired"),
        (sets_alpha([SetPair(same, same, "0")] * 3), 3, f"all graphs are the same, {chance}"),
        (presence_kappa([]), 0, "no graphs are paired"),
        (presence_kappa([Presence(same, same, same, "0")] * 2), 2, f"every element is everywhere or nowhere, {chance}"),
    ]:
        assert found == BeyondChance(None, n, reason=reason)


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
