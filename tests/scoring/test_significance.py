"""Paired tests, and the correction for several of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import pytest

from tsgkit.errors import UsageError
from tsgkit.scoring import PairedMethod, Part, Pooling, holm, mcnemar, sign_flip
from tsgkit.scoring.significance import EXACT_CLUSTERS

Side = dict[str, Part]


def sides(differences: Sequence[float]) -> tuple[Side, Side]:
    """Return two systems with one item per cluster, and these differences between them."""
    ours = {f"{n:05}": Part(difference, 1, f"{n:05}") for n, difference in enumerate(differences)}
    return ours, {item: Part(0, 1, item) for item in ours}


def outcomes(both: int, ours_only: int, theirs_only: int, neither: int) -> tuple[Side, Side]:
    table = [(1, 1)] * both + [(1, 0)] * ours_only + [(0, 1)] * theirs_only + [(0, 0)] * neither
    ours = {str(n): Part(one, 1, str(n)) for n, (one, _) in enumerate(table)}
    return ours, {str(n): Part(other, 1, str(n)) for n, (_, other) in enumerate(table)}


# Darwin's fifteen pairs of maize, crossed minus self-fertilised, in eighths of an inch. Fisher (The Design of
# Experiments, section 21) counted 863 of the 2**15 rearrangements with a sum of 314 or more: p = 2 * 863 / 32768.
DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)


def test_the_sign_flip_test_finds_what_fisher_counted_for_darwins_maize() -> None:
    found = sign_flip(*sides(DARWIN), Pooling.POOLED, seed=1)
    assert found.p == 2 * 863 / 2**15
    assert found.method is PairedMethod.EXACT_FLIPS
    assert (found.clusters, found.differing, found.rounds, found.seed) == (15, 15, None, None)


def test_drawn_rearrangements_come_near_all_of_them() -> None:
    # Four copies of Darwin's pairs: the sum of 60 signed values is nearly normal with variance 4 * sum of squares,
    # so p is about 2 (1 - Phi(4 * 314 / sqrt(4 * 26518))) = erfc(3.857 / sqrt(2)) = 0.0001; of ten copies of the
    # first pair and its negative p is 1.
    found = sign_flip(*sides(DARWIN * 4), Pooling.POOLED, seed=1)
    assert found.method is PairedMethod.DRAWN_FLIPS
    assert (found.differing, found.rounds, found.seed) == (60, 10_000, 1)
    assert found.p is not None
    assert 1 / 10_001 <= found.p < 0.0006
    assert sign_flip(*sides((49, -49) * 10), Pooling.POOLED, seed=1).p == 1


def test_a_drawn_p_value_agrees_with_the_binomial_one() -> None:
    # 30 discordant items, 21 one way: 2 P(X <= 9) for Binomial(30, 1/2) = 0.0428
    exact = mcnemar(*outcomes(5, 21, 9, 5), Pooling.POOLED)
    drawn = sign_flip(*outcomes(5, 21, 9, 5), Pooling.POOLED, seed=4, rounds=20_000)
    assert exact.p == pytest.approx(0.0428, abs=5e-5)
    assert drawn.p == pytest.approx(exact.p, abs=0.006)  # four standard errors of a share of 20,000


@pytest.mark.parametrize("clusters", [1, 5, 6, EXACT_CLUSTERS])
def test_the_smallest_p_value_is_two_rearrangements_of_all(clusters: int) -> None:
    assert sign_flip(*sides([0.5] * clusters), Pooling.POOLED, seed=1).p == 2 / 2**clusters


def test_a_drawn_p_value_is_never_zero() -> None:
    assert sign_flip(*sides([1.0] * 100), Pooling.POOLED, seed=1, rounds=999).p == 1 / 1000


def test_items_of_one_cluster_change_sides_together() -> None:
    ours = {(c, n): Part(1, 1, str(c)) for c in range(4) for n in range(10)}
    theirs = {item: Part(0, 1, part.cluster) for item, part in ours.items()}
    assert sign_flip(ours, theirs, Pooling.POOLED, seed=1).p == 2 / 2**4


def test_clusters_that_do_not_differ_change_nothing() -> None:
    with_ties = sign_flip(*sides([*DARWIN, 0, 0, 0]), Pooling.POOLED, seed=1)
    assert with_ties.p == 2 * 863 / 2**15
    assert (with_ties.clusters, with_ties.differing) == (18, 15)


def test_unequal_weights_swap_with_their_sums() -> None:
    ours = {"a": Part(3, 4, "a"), "b": Part(1, 1, "b"), "c": Part(2, 5, "c")}
    theirs = {"a": Part(1, 2, "a"), "b": Part(0, 3, "b"), "c": Part(2, 2, "c")}
    distances = []
    for swapped in itertools.product((False, True), repeat=3):
        pairs = [(theirs[n], ours[n]) if swap else (ours[n], theirs[n]) for n, swap in zip("abc", swapped, strict=True)]
        values = [sum(p[k].sum for p in pairs) / sum(p[k].weight for p in pairs) for k in (0, 1)]
        distances.append(abs(values[0] - values[1]))
    expected = sum(distance >= distances[0] - 1e-9 for distance in distances) / 8
    assert sign_flip(ours, theirs, Pooling.POOLED, seed=1).p == expected


@pytest.mark.parametrize("count", [3, 10, 40])
def test_two_identical_systems_are_never_different(count: int) -> None:
    ours, _ = sides([n / count for n in range(count)])
    found = sign_flip(ours, dict(ours), Pooling.POOLED, seed=1)
    assert (found.p, found.differing, found.differs()) == (1, 0, False)


def test_equal_values_by_other_sums_are_not_different() -> None:
    # 0.1 + 0.2 against 0.3: apart by rounding alone
    ours = {str(n): Part(value, 1, "one") for n, value in enumerate((0.1, 0.2))}
    theirs = {str(n): Part(value, 1, "one") for n, value in enumerate((0.3, 0.0))}
    assert sign_flip(ours, theirs, Pooling.POOLED, seed=1).p == 1


def test_a_system_without_a_value_has_no_p_value() -> None:
    ours, theirs = sides([0.5, 0.5])
    found = sign_flip(ours, {item: Part(0, 0, item) for item in theirs}, Pooling.POOLED, seed=1)
    assert found.p is None
    assert found.reason == "no item carries weight, so the metric has no value"
    assert not found.differs()


@pytest.mark.parametrize(
    ("ours_only", "theirs_only", "p"),
    [
        (0, 0, 1),
        (1, 0, 1),
        (3, 3, 1),
        (6, 0, 2 / 64),
        (1, 6, 2 * (1 + 7) / 128),
        (9, 2, 2 * (1 + 11 + 55) / 2048),
    ],
)
def test_mcnemars_test_counts_the_ways_of_the_discordant_items(ours_only: int, theirs_only: int, p: float) -> None:
    found = mcnemar(*outcomes(4, ours_only, theirs_only, 2), Pooling.POOLED)
    assert found.p == p
    assert (found.differing, found.clusters) == (ours_only + theirs_only, 6 + ours_only + theirs_only)


@pytest.mark.parametrize(("ours_only", "theirs_only"), [(0, 3), (5, 5), (9, 2), (11, 4)])
def test_sign_flip_equals_mcnemar_where_both_apply(ours_only: int, theirs_only: int) -> None:
    systems = outcomes(4, ours_only, theirs_only, 2)
    assert sign_flip(*systems, Pooling.POOLED, seed=1).p == mcnemar(*systems, Pooling.POOLED).p


def test_mcnemars_test_takes_thousands_of_items() -> None:
    found = mcnemar(*outcomes(0, 3000, 3000, 0), Pooling.POOLED)
    assert found.p == 1
    assert mcnemar(*outcomes(0, 5000, 0, 0), Pooling.POOLED).p == 0  # 2**-4999 is below any float


@pytest.mark.parametrize(
    "ours",
    [
        {"a": Part(1, 1, "one"), "b": Part(0, 1, "one")},
        {"a": Part(0.5, 1, "one"), "b": Part(0, 1, "two")},
        {"a": Part(1, 1, "one"), "b": Part(2, 2, "two")},
    ],
    ids=["two items in a cluster", "half right", "unequal weights"],
)
def test_mcnemars_test_refuses_what_is_not_one_plain_outcome_per_cluster(ours: Side) -> None:
    with pytest.raises(UsageError, match="one item per cluster"):
        mcnemar(ours, ours, Pooling.POOLED)


def test_systems_on_other_items_cannot_be_compared() -> None:
    ours, theirs = sides([1, 1, 1])
    with pytest.raises(UsageError, match="2 items are in one system only, as 00001"):
        sign_flip(ours, {"00000": theirs["00000"]}, Pooling.POOLED, seed=1)
    with pytest.raises(UsageError, match="1 items are in another cluster in the second system, as 00002"):
        sign_flip(ours, theirs | {"00002": Part(0, 1, "elsewhere")}, Pooling.POOLED, seed=1)


def test_a_test_of_no_rounds_is_refused() -> None:
    with pytest.raises(UsageError, match="0 rounds"):
        sign_flip(*sides([1]), Pooling.POOLED, seed=1, rounds=0)


def test_holm_multiplies_by_how_many_are_left() -> None:
    # sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1 = 0.02, 0.03, 0.06, 0.04, the last raised to the one before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_holm_never_goes_above_one() -> None:
    assert holm([0.6, 0.7, 0.8]) == (1, 1, 1)


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_holm_refuses_what_is_no_p_value(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, p])
