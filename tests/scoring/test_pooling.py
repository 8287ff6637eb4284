"""Corpus values, tallies of samples, redrawn totals, and overlaps of sets and sequences."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsgkit import scoring
from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.scoring import Part, Pooled, Pooling, pool
from tsgkit.scoring.hallucination import hallucinations
from tsgkit.scoring.outcomes import COUNTS
from tsgkit.scoring.pooling import Totals, cluster_totals
from tsgkit.scoring.resampling import PLAIN_DRAWS, POISSON, SWAPS, Row, redrawn_totals, weighted_totals
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.scoring.sequences import common_subsequence
from tsgkit.scoring.sets import Overlap, compare_graphs, edges_of, nodes_of, overlap
from tsgkit.scoring.skew import chi_square_tail, skew
from tsgkit.scoring.soft import LONGEST_KEPT, match, soft_overlap
from tsgkit.scoring.tally import Tally

PARTS = [Part(3, 4, "a"), Part(1, 1, "a"), Part(0, 5, "b"), Part(0, 0, "c")]
ROUNDS = 50


def test_every_offered_name_exists_and_is_listed_once() -> None:
    assert all(hasattr(scoring, name) for name in scoring.__all__)
    assert len(set(scoring.__all__)) == len(scoring.__all__)


def test_a_pooled_value_is_the_total_sum_over_the_total_weight() -> None:
    # (3 + 1 + 0) / (4 + 1 + 5)
    assert pool(PARTS, Pooling.POOLED) == Pooled(0.4, Pooling.POOLED, weight=10, items=3, weightless=1, clusters=2)


def test_a_value_per_item_is_the_mean_of_the_items() -> None:
    # (3/4 + 1/1 + 0/5) / 3; the item without weight is no item of the mean
    assert pool(PARTS, Pooling.PER_ITEM).value == pytest.approx(1.75 / 3)
    assert Part(3, 4, "a").counted(Pooling.PER_ITEM) == Totals(0.75, 1.0)
    assert Part(3, 4, "a").counted(Pooling.POOLED) == Totals(3, 4)
    assert Part(0, 0, "a").counted(Pooling.PER_ITEM) == Totals(0, 0)


@pytest.mark.parametrize("pooling", Pooling)
def test_a_wrong_answer_counts_and_an_inapplicable_one_does_not(pooling: Pooling) -> None:
    right = [Part(1, 1, "a")]
    assert pool([*right, Part(0, 1, "b")], pooling).value == 0.5
    assert pool([*right, Part(0, 0, "b")], pooling).value == 1
    for parts in ([], [Part(0, 0, "a")]):
        found = pool(parts, pooling)
        assert (found.value, found.weightless, found.weight, found.clusters) == (None, len(parts), 0, 0)
        assert found.reason == "no item carries weight, so the metric has no value"


def test_a_part_that_is_no_sum_out_of_a_weight_is_refused() -> None:
    for total, weight in [(1, 0), (1, -1), (math.nan, 1), (math.inf, 1), (1, math.inf), (1, math.nan)]:
        with pytest.raises(ValueError, match=f"this one is {total} out of {weight}"):
            Part(total, weight, "a")


def test_clusters_come_in_order_of_name_and_those_without_weight_are_left_out() -> None:
    assert list(cluster_totals(reversed(PARTS), Pooling.POOLED).items()) == [("a", Totals(4, 5)), ("b", Totals(0, 5))]
    per_item = cluster_totals(reversed(PARTS), Pooling.PER_ITEM)
    assert list(per_item.items()) == [("a", Totals(1.75, 2)), ("b", Totals(0, 1))]


COLUMNS = st.lists(
    st.builds(
        lambda share, weight, cluster: Part(share * weight, weight, cluster),
        st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 1.0]),
        st.integers(0, 5),
        st.sampled_from("abcdefgh"),
    ),
    max_size=20,
)


@given(parts=COLUMNS, pooling=st.sampled_from(Pooling))
def test_a_value_of_shares_is_a_share_and_a_right_answer_left_out_never_gains(
    parts: list[Part], pooling: Pooling
) -> None:
    value = pool(parts, pooling).value
    assert (value is None) == (not any(part.weight for part in parts))
    assert value is None or 0 <= value <= 1
    answered, missing = (pool([*parts, Part(right, 1, "a")], pooling).value for right in (1, 0))
    assert answered is not None and missing is not None and missing < answered


def tally() -> Tally:
    return Tally({"strict": ["f1", "exact"], "official": ["f1"]})


def test_tally_keeps_parts_in_the_order_they_came_with_their_clusters() -> None:
    one = tally()
    for number, cluster in enumerate(("b", "a", "b")):
        one.add(cluster, {"strict": {"f1": Score(number, 2)}, "official": {"f1": Score(1, 1)}}, {"items": 1})
    parts = one.parts("strict", "f1")
    assert [*parts] == [Part(0, 2, "b"), Part(1, 2, "a"), Part(2, 2, "b")]
    assert (len(parts), parts[-1], parts[:1]) == (3, Part(2, 2, "b"), [Part(0, 2, "b")])
    with pytest.raises(IndexError):
        parts[3]
    assert [*one.parts("official", "f1")] == [Part(1, 1, "b"), Part(1, 1, "a"), Part(1, 1, "b")]
    assert one.n == 3


def test_tally_of_a_sample_without_a_score_has_no_weight_and_still_counts() -> None:
    one = tally()
    one.add("a", {"strict": {"f1": Score.missing("no graph"), "other": Score(1, 1)}}, {"items": 1, "empty": 1})
    one.add("a", {"strict": {"f1": Score.missing("another reason")}}, {"items": 1, "too_large": 2})
    one.add("a", {"strict": {"f1": Score(1, 1, "right"), "exact": Score.missing("")}}, {})
    assert [*one.parts("official", "f1")] == [Part(0, 0, "a")] * 3
    assert [*one.parts("strict", "f1")] == [Part(0, 0, "a")] * 2 + [Part(1, 1, "a")]
    assert one.reasons == {("strict", "f1"): "no graph"}, "the first reason met"
    assert list(one.counts) == [*COUNTS, "too_large"], "the shared counts first, in their order"
    assert {name: number for name, number in one.counts.items() if number} == {"items": 2, "empty": 1, "too_large": 2}


def test_tally_can_be_narrowed_to_some_of_its_metrics() -> None:
    one = tally().narrowed({"exact", "other"})
    one.add("a", {"strict": {"exact": Score(1, 1), "f1": Score(1, 1)}}, {})
    assert [*one.parts("strict", "exact")] == [Part(1, 1, "a")]
    for profile in ("strict", "official"):
        with pytest.raises(KeyError):
            one.parts(profile, "f1")


def test_scores_have_a_value_where_they_have_weight() -> None:
    assert [Score(1, 2).value, Score.missing("x").value, Score.missing("x").reason] == [0.5, None, "x"]
    assert [right_or_wrong(right, "r", 7) for right in (True, False)] == [(1, 1, "r", 7), (0, 1, "r", 7)]


def one_by_one(rows: list[Row], weights: bytes, seed: int) -> list[list[float]]:
    rng = random.Random(seed)
    times = [rng.randbytes(ROUNDS).translate(weights) for _ in rows]
    return [
        [sum(times[n][r] * row[column] for n, row in enumerate(rows)) for column in range(len(rows[0]))]
        for r in range(ROUNDS)
    ]


def test_all_rounds_at_once_give_what_they_give_one_by_one() -> None:
    for weights, size in ((POISSON, 1e-9), (POISSON, 1.0), (SWAPS, 1e9)):
        rng = random.Random(3)
        rows: list[Row] = [(rng.uniform(-size, size), float(rng.randint(0, 9)), 0.0) for _ in range(300)]
        together = weighted_totals(rows, weights, rounds=ROUNDS, rng=random.Random(8))
        for found, expected in zip(together, one_by_one(rows, weights, 8), strict=True):
            assert found[0] == pytest.approx(expected[0], abs=300 * size * 2**-29), size
            assert found[1:] == tuple(expected[1:]), size


def test_weights_of_bytes_have_the_moments_they_should() -> None:
    assert (len(POISSON), sum(POISSON), sum((weight - 1) ** 2 for weight in POISSON)) == (256, 256, 256)
    assert sum((weight - 1) ** 3 for weight in POISSON) == pytest.approx(256 * 0.96, abs=3)
    assert bytes([0, 1] * 128) == SWAPS


def test_few_clusters_are_drawn_exactly_and_many_about_as_often_as_there_are() -> None:
    few: list[Row] = [(1.0, float(n)) for n in range(PLAIN_DRAWS)]
    drawn = redrawn_totals(few, rounds=ROUNDS, rng=random.Random(1))
    assert {number for number, _ in drawn} == {PLAIN_DRAWS}
    assert len({total for _, total in drawn}) == ROUNDS
    plain = random.Random(1)
    assert drawn[0][1] == sum(plain.choices(range(PLAIN_DRAWS), k=PLAIN_DRAWS))
    just_more = [total for (total,) in redrawn_totals([(1.0,)] * (PLAIN_DRAWS + 1), rounds=9, rng=random.Random(1))]
    assert len(set(just_more)) > 1
    many = [total for (total,) in redrawn_totals([(1.0,)] * 10_000, rounds=ROUNDS, rng=random.Random(1))]
    assert all(abs(total - 10_000) < 500 for total in many)  # five standard deviations of Poisson(10,000)


WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))


def test_precision_recall_and_f1() -> None:
    for right, said, wanted, precision, recall, f1 in [
        (2, 4, 3, 0.5, 2 / 3, 4 / 7),
        (0, 4, 3, 0, 0, 0),
        (0, 0, 3, 0, 0, 0),
        (0, 2, 0, 0, 0, 0),
        (0, 0, 0, 1, 1, 1),
    ]:
        found = Overlap(right, said, wanted)
        assert (found.precision, found.recall, found.f1) == pytest.approx((precision, recall, f1)), found


def test_graphs_overlap_in_their_triplets_nodes_and_edges_as_sets() -> None:
    turned = ActionGraph.of(("wash", "verb", "person"), *WASH.triplets[1:], *WASH.triplets[1:])
    assert compare_graphs(WASH, turned) == Overlap(2, 3, 3)
    other = ActionGraph.of(("person", "verb", "wash"), ("wash", "on", "cup"))
    assert compare_graphs(WASH, other, nodes_of) == Overlap(3, 3, 4)
    assert compare_graphs(WASH, other, edges_of) == Overlap(1, 2, 3)
    assert overlap({1}, {1, 2}) == Overlap(1, 2, 1)


def test_the_longest_common_subsequence() -> None:
    for reference, candidate, length in [
        ("abcde", "ace", 3), ("abc", "cba", 1), ("", "abc", 0), ("aab", "aba", 2), ("abc", "abc", 3), ("ba", "ab", 1),
    ]:  # fmt: skip
        expected = Overlap(length, len(candidate), len(reference))
        assert common_subsequence(list(reference), list(candidate)) == expected, (reference, candidate)


def test_a_soft_match_uses_each_triplet_once_and_exact_ones_first() -> None:
    said = ActionGraph.of(("person", "verb", "washes"), ("person", "verb", "washed"), ("wash", "dobj", "cups"))
    assert soft_overlap(WASH, said) == Overlap(2, 3, 3)
    wanted = ActionGraph.of(("wash", "dobj", "cup"), ("wash", "dobj", "cups"))
    said = ActionGraph.of(("wash", "dobj", "cups"), ("washes", "dobj", "cup"))
    assert soft_overlap(wanted, said) == Overlap(2, 2, 2)
    long = "x" * LONGEST_KEPT
    for name in (long, long + "x"):
        one, other = ActionGraph.of(("wash", "dobj", name)), ActionGraph.of(("washed", "dobj", name + "s"))
        assert soft_overlap(one, other) == Overlap(0, 1, 1)
        assert soft_overlap(one, ActionGraph.of(("washed", "dobj", name))) == Overlap(1, 1, 1)
    one = ActionGraph.of(("a", "on", "b"))
    assert [soft_overlap(one, ActionGraph.of(t)).right for t in (("c", "on", "b"), ("a", "in", "b"))] == [0, 0]


def test_match_takes_equal_elements_first_and_uses_each_once() -> None:
    found = match(["Cup", "cup"], ["cup", "CUP", "cUp"], lambda a, b: a.lower() == b.lower())
    assert found.pairs == [("cup", "cup"), ("Cup", "CUP")]
    assert (found.missing, found.extra, found.overlap) == ([], ["cUp"], (2, 3, 2))


def test_invented_elements_are_apart_by_whether_the_sentence_mentions_them() -> None:
    vocabulary = Vocabulary(("cup",), ("verb", "dobj"), ("wash",))
    graphs = [ActionGraph.of(("person", "verb", "scrub"), ("scrub", "dobj", "vase"), ("scrub", "under", "tap"))]
    found = hallucinations([*graphs, *graphs], vocabulary, "He scrubbed it under the taps.")
    assert (set(found.described), found.new, found.total) == ({"scrub", "under", "tap"}, ("vase",), 4)


def test_skew_of_counts_agrees_with_printed_tables_of_chi_square() -> None:
    for statistic, freedom, p in [
        (3.841, 1, 0.05), (6.635, 1, 0.01), (5.991, 2, 0.05), (9.488, 4, 0.05), (0.711, 4, 0.95), (18.307, 10, 0.05),
        (124.342, 100, 0.05), (77.929, 100, 0.95),
    ]:  # fmt: skip
        assert chi_square_tail(statistic, freedom) == pytest.approx(p, abs=2e-4), statistic
    assert chi_square_tail(0, 3) == chi_square_tail(-1, 3) == 1
    found = skew([54, 60, 43, 46, 47], [50, 50, 50, 50, 50])
    assert (found.statistic, found.p) == pytest.approx((3.8, 0.4337), abs=1e-4)
    assert (found.most, found.is_rough) == (1, False)


def test_skew_leaves_out_what_is_not_expected_and_is_rough_below_five() -> None:
    found = skew([3, 0, 7], [5, 0, 5])
    assert found.statistic == pytest.approx(1.6) and (found.most, found.is_rough) == (2, False)
    assert found.p == pytest.approx(math.erfc(math.sqrt(0.8)))
    assert skew([4, 6], [4.9, 5.1]).is_rough
    assert (skew([5], [5]).p, skew([0, 5], [0, 5]).p) == (1, 1)
