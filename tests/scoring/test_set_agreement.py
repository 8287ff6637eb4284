"""Agreement beyond chance, checked by simulated annotators and against another implementation."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib import import_module
from statistics import fmean

import pytest

from tsgkit.scoring.intervals import IntervalMethod
from tsgkit.scoring.set_agreement import Presence, SetPair, masi_similarity, presence_kappa, sets_alpha

VERBS, OBJECTS = ("wash", "fill", "lift", "put"), ("cup", "lid", "jug", "pan", "tap")
LISTS = (frozenset("abcdefgh"), frozenset("abcxyz"))


def graph(rng: random.Random) -> frozenset[tuple[str, str, str]]:
    """Return triplets of which some are frequent and others rare."""
    verb = rng.choice(VERBS)
    parts = [(verb, rng.choice(("dobj", "from")), rng.choice(OBJECTS)) for _ in range(rng.randint(1, 2))]
    return frozenset([("person", "verb", verb), *parts, (verb, "with", rng.choice(("hand1", "hand2")))])


def pairs(rng: random.Random, number: int, agreed: float) -> list[SetPair]:
    """Return the graphs of two annotators: a share is the same, the others are drawn independently."""
    first = [graph(rng) for _ in range(number)]
    second = [one if rng.random() < agreed else graph(rng) for one in first]
    return [SetPair(*pair, str(place)) for place, pair in enumerate(zip(first, second, strict=True))]


def used(rng: random.Random, allowed: frozenset[str]) -> frozenset[str]:
    """Return elements of which one is nearly everywhere and the others are rare."""
    return frozenset(name for name in sorted(allowed) if rng.random() < (0.95 if name == "a" else 0.2))


def places(rng: random.Random, number: int, agreed: float) -> Iterator[Presence]:
    for place in range(number):
        allowed = LISTS[place % 2]
        first = used(rng, allowed)
        yield Presence(first, first if rng.random() < agreed else used(rng, allowed), allowed, str(place))


def test_alpha_of_independent_annotators_is_near_zero_and_its_interval_mostly_holds_it() -> None:
    rng = random.Random(3)
    found = [sets_alpha(pairs(rng, 40, 0.0)) for _ in range(100)]
    assert abs(fmean(one.value or 0.0 for one in found)) < 0.01
    assert sum(one.interval is not None and one.interval.low <= 0 <= one.interval.high for one in found) >= 90


def test_kappa_of_independent_annotators_is_near_zero_although_some_elements_are_everywhere() -> None:
    rng = random.Random(4)
    found = [presence_kappa(places(rng, 40, 0.0)) for _ in range(100)]
    assert abs(fmean(one.value or 0.0 for one in found)) < 0.01
    assert sum(one.interval is not None and one.interval.low <= 0 <= one.interval.high for one in found) >= 88


@pytest.mark.parametrize("agreed", [0.3, 0.8])
def test_both_figures_grow_with_the_share_that_is_the_same(agreed: float) -> None:
    rng = random.Random(5)
    alpha = fmean(sets_alpha(pairs(rng, 60, agreed)).value or 0.0 for _ in range(20))
    kappa = fmean(presence_kappa(places(rng, 60, agreed)).value or 0.0 for _ in range(20))
    assert alpha == pytest.approx(agreed, abs=0.06) and kappa == pytest.approx(agreed, abs=0.06)


def test_equal_annotators_have_one_with_an_interval_below_it() -> None:
    rng = random.Random(6)
    for found in (sets_alpha(pairs(rng, 20, 1.0)), presence_kappa(places(rng, 20, 1.0))):
        assert found.value == 1.0 and found.interval is not None
        assert found.interval.method is IntervalMethod.CONSTANT and found.interval.low < found.interval.high == 1.0


def test_alpha_is_that_of_another_implementation() -> None:
    task = import_module("nltk").AnnotationTask
    rng = random.Random(7)
    given = pairs(rng, 50, 0.5)
    rows = [(rater, place, one[rater]) for place, one in enumerate(given) for rater in (0, 1)]
    expected = task(rows, distance=lambda first, second: 1 - masi_similarity(first, second)).alpha()
    assert sets_alpha(given).value == pytest.approx(expected)


def test_similarity_is_that_of_another_implementation() -> None:
    distance = import_module("nltk").masi_distance
    for first, second in (("ab", "abcd"), ("ab", "bc"), ("ab", "ab"), ("a", "b")):
        assert 1 - masi_similarity({*first}, {*second}) == pytest.approx(distance({*first}, {*second}))
    assert masi_similarity(set(), set()) == 1.0 and masi_similarity(set(), {"a"}) == 0.0


def test_alpha_from_a_sample_is_close_to_the_exact_one_and_the_same_in_both_orders() -> None:
    given = pairs(random.Random(8), 400, 0.5)
    exact, sampled = sets_alpha(given), sets_alpha(given, most_shared=1000)
    assert sampled.value != exact.value and sampled.value == pytest.approx(exact.value, abs=0.01)
    turned = [SetPair(one.second, one.first, one.cluster) for one in given]
    assert sets_alpha(turned, most_shared=1000) == sampled


def test_chance_counts_each_element_by_itself() -> None:
    """One element in all places and one in none: no agreement beyond chance about the third."""
    allowed = frozenset({"always", "never", "sometimes"})
    both = [("sometimes", "sometimes"), ("sometimes", ""), ("", "sometimes"), ("", "")]
    sides = [[frozenset({"always", name} - {""}) for name in pair] for pair in both]
    given = [Presence(first, second, allowed, str(place)) for place, (first, second) in enumerate(sides)]
    assert presence_kappa(given).value == 0.0


def test_elements_that_a_place_does_not_allow_are_left_out() -> None:
    given = [
        Presence(frozenset("a"), frozenset("ax"), frozenset("ab"), "0"),
        Presence(frozenset("b"), frozenset("b"), frozenset("ab"), "1"),
    ]
    assert presence_kappa(given).value == 1.0


@pytest.mark.parametrize(
    ("given", "reason"),
    [([], "no graphs are paired"), ([SetPair(frozenset("a"), frozenset("a"), "0")] * 3, "chance alone would agree")],
)
def test_alpha_is_undefined_where_nothing_can_differ(given: list[SetPair], reason: str) -> None:
    found = sets_alpha(given)
    assert found.value is None and reason in (found.reason or "")


def test_kappa_is_undefined_where_every_element_is_everywhere() -> None:
    found = presence_kappa([Presence(frozenset("a"), frozenset("a"), frozenset("a"), "0")] * 2)
    assert found.value is None and "everywhere" in (found.reason or "")


def test_a_single_cluster_has_no_interval() -> None:
    rng = random.Random(9)
    assert sets_alpha(one._replace(cluster="tea") for one in pairs(rng, 20, 0.5)).interval is None
    assert presence_kappa(one._replace(cluster="tea") for one in places(rng, 20, 0.5)).interval is None


def test_intervals_over_clusters_are_wider_than_over_dependent_units() -> None:
    rng = random.Random(10)
    given = [one for one in pairs(rng, 15, 0.5) for _ in range(6)]
    alone = sets_alpha(one._replace(cluster=str(place)) for place, one in enumerate(given)).interval
    clustered = sets_alpha(given).interval
    assert alone is not None and clustered is not None
    assert clustered.high - clustered.low > 1.5 * (alone.high - alone.low)
