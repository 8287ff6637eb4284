"""The statistics of scores, for any columns."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

import random

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.scoring import (
    Part,
    Pooling,
    balanced_accuracy,
    cohens_kappa,
    compare,
    holm,
    interval,
    krippendorffs_alpha,
    pool,
)

CLUSTERS = st.sampled_from("abcdefgh")
POOLINGS = st.sampled_from(Pooling)
SHARES = st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 1.0])
PARTS = st.builds(
    lambda share, weight, cluster: Part(share * weight, weight, cluster), SHARES, st.integers(0, 5), CLUSTERS
)
COLUMNS = st.lists(PARTS, max_size=20)
PAIRS = st.lists(st.tuples(PARTS, PARTS), max_size=12)
RATINGS = st.dictionaries(st.integers(0, 9), st.sampled_from(["yes", "no", "perhaps", None]))


def systems(pairs: list[tuple[Part, Part]]) -> tuple[dict[int, Part], dict[int, Part]]:
    ours = {n: one for n, (one, _) in enumerate(pairs)}
    return ours, {n: Part(other.sum, other.weight, one.cluster) for n, (one, other) in enumerate(pairs)}


@given(parts=COLUMNS, pooling=POOLINGS)
def test_a_value_of_shares_is_a_share(parts: list[Part], pooling: Pooling) -> None:
    value = pool(parts, pooling).value
    assert (value is None) == (not any(part.weight for part in parts))
    assert value is None or 0 <= value <= 1


@given(parts=COLUMNS, pooling=POOLINGS, seed=st.integers(0, 99))
def test_the_order_of_items_changes_neither_value_nor_interval(parts: list[Part], pooling: Pooling, seed: int) -> None:
    mixed = random.Random(seed).sample(parts, len(parts))
    assert pool(mixed, pooling) == pool(parts, pooling)
    assert interval(mixed, pooling) == interval(parts, pooling)


@given(parts=COLUMNS, pooling=POOLINGS)
def test_an_interval_of_shares_lies_within_them_and_has_a_width(parts: list[Part], pooling: Pooling) -> None:
    found = interval(parts, pooling)
    clusters = {part.cluster for part in parts if part.weight}
    assert (found is None) == (len(clusters) < 2)
    assert found is None or -1e-9 <= found.low < found.high <= 1 + 1e-9


@given(parts=COLUMNS, pooling=POOLINGS)
def test_a_right_answer_left_out_never_gains(parts: list[Part], pooling: Pooling) -> None:
    answered = pool([*parts, Part(1, 1, "a")], pooling).value
    missing = pool([*parts, Part(0, 1, "a")], pooling).value
    assert answered is not None
    assert missing is not None
    assert missing < answered


@given(pairs=PAIRS, pooling=POOLINGS)
def test_a_comparison_agrees_with_the_two_values(pairs: list[tuple[Part, Part]], pooling: Pooling) -> None:
    ours, theirs = systems(pairs)
    found = compare(ours, theirs, pooling, seed=1)
    mine, other = pool(ours.values(), pooling).value, pool(theirs.values(), pooling).value
    assert found.difference == (None if mine is None or other is None else mine - other)
    assert (found.difference is None) == (found.test.p is None) == (found.reason is not None)
    assert found.test.p is None or 0 < found.test.p <= 1
    assert found.interval is None or -1 - 1e-9 <= found.interval.low < found.interval.high <= 1 + 1e-9


@given(pairs=PAIRS, pooling=POOLINGS)
def test_changing_sides_turns_a_comparison_round(pairs: list[tuple[Part, Part]], pooling: Pooling) -> None:
    ours, theirs = systems(pairs)
    one = compare(ours, theirs, pooling, seed=1)
    other = compare(theirs, ours, pooling, seed=1)
    assert one.test == other.test
    assert one.resolvable.value == (other.resolvable.value and pytest.approx(other.resolvable.value))
    assert one.difference is None or one.difference == -(other.difference or 0)
    if one.interval and other.interval:
        assert (one.interval.low, one.interval.high) == pytest.approx((-other.interval.high, -other.interval.low))


@given(pairs=PAIRS, pooling=POOLINGS, seed=st.integers(0, 99))
def test_the_order_of_items_changes_no_comparison(pairs: list[tuple[Part, Part]], pooling: Pooling, seed: int) -> None:
    ours, theirs = systems(pairs)
    mixed = {item: ours[item] for item in random.Random(seed).sample(list(ours), len(ours))}
    assert compare(mixed, theirs, pooling, seed=1) == compare(ours, theirs, pooling, seed=1)


@given(parts=COLUMNS, pooling=POOLINGS)
def test_no_system_differs_from_itself(parts: list[Part], pooling: Pooling) -> None:
    ours = dict(enumerate(parts))
    found = compare(ours, ours, pooling, seed=1)
    assert found.difference in (0, None)
    assert found.test.p in (1, None)
    assert not found.test.differs()


@given(p_values=st.lists(st.floats(0, 1), max_size=8))
def test_holm_raises_each_p_value_and_keeps_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= raised <= 1 for p, raised in zip(p_values, adjusted, strict=True))
    by_p = sorted(zip(p_values, adjusted, strict=True))
    assert [raised for _, raised in by_p] == sorted(adjusted)
    assert sorted(holm(p_values[::-1])) == sorted(adjusted)


@given(ours=RATINGS, theirs=RATINGS)
def test_agreement_is_the_same_both_ways_and_within_its_range(
    ours: dict[int, str | None], theirs: dict[int, str | None]
) -> None:
    kappa, alpha = cohens_kappa(ours, theirs), krippendorffs_alpha([ours, theirs])
    assert (kappa.value is None) == (kappa.reason is not None) == (alpha.value is None)
    assert kappa.value is None or -1 - 1e-9 <= kappa.value <= 1 + 1e-9
    assert alpha.value is None or alpha.value <= 1
    assert (cohens_kappa(theirs, ours).value or 0) == pytest.approx(kappa.value or 0)
    assert (krippendorffs_alpha([theirs, ours]).value or 0) == pytest.approx(alpha.value or 0)


@given(ours=RATINGS)
def test_everyone_agrees_with_themselves(ours: dict[int, str | None]) -> None:
    for found in (cohens_kappa(ours, ours), krippendorffs_alpha([ours, ours]), balanced_accuracy(ours, ours)):
        assert found.value == (None if len({label for label in ours.values() if label}) < 2 else pytest.approx(1))


@given(judge=RATINGS, reference=RATINGS)
def test_balanced_accuracy_never_gains_from_leaving_an_answer_out(
    judge: dict[int, str | None], reference: dict[int, str | None]
) -> None:
    full = balanced_accuracy(judge, reference).value
    for item in judge:
        less = balanced_accuracy({**judge, item: None}, reference).value
        assert (full is None) == (less is None)
        assert full is None or less is None or less <= full
