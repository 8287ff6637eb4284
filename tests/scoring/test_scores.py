"""Corpus values, tallies, redrawn totals, overlaps of sets and sequences, and pairings of graphs."""

from __future__ import annotations

import math
import random
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring.test_statistics import PARTS as ANY_PART

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.graph.model import Description, Narrative
from tsgkit.scoring import Part, Pooled, Pooling, pool, versions
from tsgkit.scoring.alignment import assignment, best, by_place, in_order, too_large
from tsgkit.scoring.intervals import PLAIN_DRAWS, POISSON, SWAPS, Row, redrawn_totals, weighted_totals
from tsgkit.scoring.pooling import COUNTS, Score, Tally, Totals, cluster_totals, right_or_wrong
from tsgkit.scoring.set_scores import (
    LONGEST_KEPT,
    Overlap,
    common_subsequence,
    compare_graphs,
    edges_of,
    hallucinations,
    match,
    nodes_of,
    overlap,
    soft_overlap,
)
from tsgkit.scoring.significance import chi_square_tail, skew
from tsgkit.scoring.versions import paired

PARTS = [Part(3, 4, "a"), Part(1, 1, "a"), Part(0, 5, "b"), Part(0, 0, "c")]
ROUNDS = 50
WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
COLUMNS = st.lists(ANY_PART, max_size=20)
FOUND = {"strict": ["f1", "exact"], "official": ["f1"]}
FILL = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"))
LIFT = ActionGraph.of(("person", "verb", "lift"), ("lift", "dobj", "lid"))
HEAVY = ActionGraph.of(("person", "verb", "lift"), ("lift", "dobj", "pot"))
POUR = ActionGraph.of(("person", "verb", "pour"), ("pour", "dobj", "tea"))
Numbers = list[tuple[int | None, int | None]]
graphs = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(("verb", "on")), st.sampled_from("abc")), max_size=3
).map(ActionGraph)
descriptions = st.builds(Description, st.sampled_from(("x", "y", "z")), st.lists(graphs, max_size=4).map(tuple))
narratives = st.lists(descriptions, max_size=4).map(lambda parts: Narrative(tuple(parts)))


def test_a_value_is_the_total_sum_over_the_total_weight_or_the_mean_of_the_items() -> None:
    # (3 + 1 + 0) / (4 + 1 + 5)
    assert pool(PARTS, Pooling.POOLED) == Pooled(0.4, Pooling.POOLED, weight=10, items=3, weightless=1, clusters=2)
    # (3/4 + 1/1 + 0/5) / 3; the item without weight is no item of the mean
    assert pool(PARTS, Pooling.PER_ITEM).value == pytest.approx(1.75 / 3)
    counted = [Part(3, 4, "a").counted(Pooling.PER_ITEM), Part(3, 4, "a").counted(Pooling.POOLED)]
    assert [*counted, Part(0, 0, "a").counted(Pooling.PER_ITEM)] == [Totals(0.75, 1.0), Totals(3, 4), Totals(0, 0)]
    assert list(cluster_totals(reversed(PARTS), Pooling.POOLED).items()) == [("a", Totals(4, 5)), ("b", Totals(0, 5))]
    per_item = cluster_totals(reversed(PARTS), Pooling.PER_ITEM)
    assert list(per_item.items()) == [("a", Totals(1.75, 2)), ("b", Totals(0, 1))]
    for total, weight in [(1, 0), (1, -1), (math.nan, 1), (math.inf, 1), (1, math.inf), (1, math.nan)]:
        with pytest.raises(ValueError, match=f"this one is {total} out of {weight}"):
            Part(total, weight, "a")
    assert [Score(1, 2).value, Score.missing("x").value, Score.missing("x").reason] == [0.5, None, "x"]
    assert [right_or_wrong(right, "r", 7) for right in (True, False)] == [(1, 1, "r", 7), (0, 1, "r", 7)]


@pytest.mark.parametrize("pooling", Pooling)
def test_a_wrong_answer_counts_and_an_inapplicable_one_does_not(pooling: Pooling) -> None:
    assert [pool([Part(1, 1, "a"), Part(0, weight, "b")], pooling).value for weight in (1, 0)] == [0.5, 1]
    for parts in ([], [Part(0, 0, "a")]):
        found = pool(parts, pooling)
        assert (found.value, found.weightless, found.weight, found.clusters) == (None, len(parts), 0, 0)
        assert found.reason == "no item carries weight, so the metric has no value"


@given(parts=COLUMNS, pooling=st.sampled_from(Pooling))
def test_a_value_of_shares_is_a_share_and_a_right_answer_left_out_never_gains(
    parts: list[Part], pooling: Pooling
) -> None:
    value = pool(parts, pooling).value
    assert (value is None) == (not any(part.weight for part in parts))
    assert value is None or 0 <= value <= 1
    answered, missing = (pool([*parts, Part(right, 1, "a")], pooling).value for right in (1, 0))
    assert answered is not None and missing is not None and missing < answered


def test_tally_keeps_parts_in_their_order_and_without_a_score_they_have_no_weight() -> None:
    one = Tally(FOUND)
    for number, cluster in enumerate(("b", "a", "b")):
        one.add(cluster, {"strict": {"f1": Score(number, 2)}, "official": {"f1": Score(1, 1)}}, {"items": 1})
    parts = one.parts("strict", "f1")
    assert [*parts] == [Part(0, 2, "b"), Part(1, 2, "a"), Part(2, 2, "b")]
    assert (len(parts), parts[-1], parts[:1]) == (3, Part(2, 2, "b"), [Part(0, 2, "b")])
    with pytest.raises(IndexError):
        parts[3]
    assert [*one.parts("official", "f1")] == [Part(1, 1, cluster) for cluster in "bab"]
    assert one.n == 3
    one = Tally(FOUND)
    one.add("a", {"strict": {"f1": Score.missing("no graph"), "other": Score(1, 1)}}, {"items": 1, "empty": 1})
    one.add("a", {"strict": {"f1": Score.missing("another reason")}}, {"items": 1, "too_large": 2})
    one.add("a", {"strict": {"f1": Score(1, 1, "right"), "exact": Score.missing("")}}, {})
    assert [*one.parts("official", "f1")] == [Part(0, 0, "a")] * 3
    assert [*one.parts("strict", "f1")] == [Part(0, 0, "a")] * 2 + [Part(1, 1, "a")]
    assert one.reasons == {("strict", "f1"): "no graph"}, "the first reason met"
    assert list(one.counts) == [*COUNTS, "too_large"], "the shared counts first, in their order"
    assert {name: number for name, number in one.counts.items() if number} == {"items": 2, "empty": 1, "too_large": 2}
    one = Tally(FOUND).narrowed({"exact", "other"})
    one.add("a", {"strict": {"exact": Score(1, 1), "f1": Score(1, 1)}}, {})
    assert [*one.parts("strict", "exact")] == [Part(1, 1, "a")]
    for profile in ("strict", "official"):
        with pytest.raises(KeyError):
            one.parts(profile, "f1")


def test_few_clusters_are_drawn_exactly_and_all_rounds_at_once_as_one_by_one() -> None:
    for weights, size in ((POISSON, 1e-9), (POISSON, 1.0), (SWAPS, 1e9)):
        rng = random.Random(3)
        rows: list[Row] = [(rng.uniform(-size, size), float(rng.randint(0, 9)), 0.0) for _ in range(300)]
        together = weighted_totals(rows, weights, rounds=ROUNDS, rng=random.Random(8))
        rng = random.Random(8)
        times = zip(*(rng.randbytes(ROUNDS).translate(weights) for _ in rows), strict=True)
        for found, drawn in zip(together, times, strict=True):
            first, *rest = (sum(map(math.prod, zip(drawn, column, strict=True))) for column in zip(*rows, strict=True))
            assert found[0] == pytest.approx(first, abs=300 * size * 2**-29), size
            assert found[1:] == tuple(rest), size
    assert (len(POISSON), sum(POISSON), sum((weight - 1) ** 2 for weight in POISSON)) == (256, 256, 256)
    assert sum((weight - 1) ** 3 for weight in POISSON) == pytest.approx(256 * 0.96, abs=3)
    assert bytes([0, 1] * 128) == SWAPS
    few: list[Row] = [(1.0, float(n)) for n in range(PLAIN_DRAWS)]
    plain = random.Random(1)
    drawn_singly = [(PLAIN_DRAWS, sum(plain.choices(range(PLAIN_DRAWS), k=PLAIN_DRAWS))) for _ in range(ROUNDS)]
    assert [*map(tuple, redrawn_totals(few, rounds=ROUNDS, rng=random.Random(1)))] == drawn_singly
    just_more = [total for (total,) in redrawn_totals([(1.0,)] * (PLAIN_DRAWS + 1), rounds=9, rng=random.Random(1))]
    assert len(set(just_more)) > 1
    many = [total for (total,) in redrawn_totals([(1.0,)] * 10_000, rounds=ROUNDS, rng=random.Random(1))]
    assert all(abs(total - 10_000) < 500 for total in many)  # five standard deviations of Poisson(10,000)


def test_overlaps_of_sets_and_sequences_have_precision_recall_and_f1() -> None:
    for right, said, wanted, precision, recall, f1 in [
        (2, 4, 3, 0.5, 2 / 3, 4 / 7),
        *((0, said, wanted, 0, 0, 0) for said, wanted in ((4, 3), (0, 3), (2, 0))),
        (0, 0, 0, 1, 1, 1),
    ]:
        found = Overlap(right, said, wanted)
        assert (found.precision, found.recall, found.f1) == pytest.approx((precision, recall, f1)), found
    turned = ActionGraph.of(("wash", "verb", "person"), *WASH.triplets[1:], *WASH.triplets[1:])
    assert compare_graphs(WASH, turned) == Overlap(2, 3, 3)
    other = ActionGraph.of(("person", "verb", "wash"), ("wash", "on", "cup"))
    assert compare_graphs(WASH, other, nodes_of) == Overlap(3, 3, 4)
    assert compare_graphs(WASH, other, edges_of) == Overlap(1, 2, 3)
    assert overlap({1}, {1, 2}) == Overlap(1, 2, 1)
    for reference, candidate, length in [
        ("abcde", "ace", 3), ("abc", "cba", 1), ("", "abc", 0), ("aab", "aba", 2), ("abc", "abc", 3), ("ba", "ab", 1),
    ]:  # fmt: skip
        expected = Overlap(length, len(candidate), len(reference))
        assert common_subsequence(list(reference), list(candidate)) == expected, (reference, candidate)


def test_a_soft_match_uses_each_element_once_and_exact_ones_first() -> None:
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
    found = match(["Cup", "cup"], ["cup", "CUP", "cUp"], lambda a, b: a.lower() == b.lower())
    assert found.pairs == [("cup", "cup"), ("Cup", "CUP")]
    assert (found.missing, found.extra, found.overlap) == ([], ["cUp"], (2, 3, 2))


def test_invented_elements_are_apart_by_whether_the_sentence_mentions_them() -> None:
    vocabulary = Vocabulary(("cup",), ("verb", "dobj"), ("wash",))
    graphs = [ActionGraph.of(("person", "verb", "scrub"), ("scrub", "dobj", "vase"), ("scrub", "under", "tap"))]
    found = hallucinations([*graphs, *graphs], vocabulary, "He scrubbed it under the taps.")
    assert (set(found.described), found.new, found.total) == ({"scrub", "under", "tap"}, ("vase",), 4)


def test_skew_of_counts_is_by_printed_tables_of_chi_square_and_rough_below_five() -> None:
    for statistic, freedom, p in [(3.841, 1, 0.05), (6.635, 1, 0.01), (0.711, 4, 0.95), (124.342, 100, 0.05)]:
        assert chi_square_tail(statistic, freedom) == pytest.approx(p, abs=2e-4), statistic
    assert chi_square_tail(0, 3) == chi_square_tail(-1, 3) == 1
    found = skew([54, 60, 43, 46, 47], [50, 50, 50, 50, 50])
    assert (found.statistic, found.p) == pytest.approx((3.8, 0.4337), abs=1e-4)
    assert (found.most, found.is_rough) == (1, False)
    assert skew([10, 9], [10, 5]).most == 1, "by what was expected there"
    found = skew([3, 0, 7], [5, 0, 5])
    assert (found.statistic, found.p) == pytest.approx((1.6, math.erfc(math.sqrt(0.8))))
    assert (found.most, found.is_rough) == (2, False)
    assert skew([4, 6], [4.9, 5.1]).is_rough
    assert (skew([5], [5]).p, skew([0, 5], [0, 5]).p) == (1, 1)


def brute_force(gains: list[list[float]], *, ordered: bool) -> float:
    rows, columns = range(len(gains)), range(len(gains[0]))
    return max(
        sum(gains[row][column] for row, column in zip(some, others, strict=True))
        for size in range(min(len(rows), len(columns)) + 1)
        for some in combinations(rows, size)
        for others in (combinations(columns, size) if ordered else permutations(columns, size))
    )


def test_pairings_are_the_best_there_are_and_ties_go_to_the_smaller_numbers() -> None:
    for seed in range(60):
        choice = Random(seed)
        rows, columns = choice.randint(1, 4), choice.randint(1, 5)
        gains = [[choice.choice([0.0, 0.25, 0.5, 1.0]) for _ in range(columns)] for _ in range(rows)]
        assert in_order(gains).total == brute_force(gains, ordered=True), seed
        assert best(gains).total == assignment(gains).total == brute_force(gains, ordered=False), seed
        for pairing in (by_place(gains), in_order(gains), best(gains), assignment(gains)):
            assert len(dict(pairing.pairs)) == len({column for _, column in pairing.pairs}) == len(pairing.pairs), seed
            assert pairing.total == sum(gains[row][column] for row, column in pairing.pairs), seed
            assert list(pairing.pairs) == sorted(pairing.pairs), seed
        crossing = [column for _, column in in_order(gains).pairs]
        assert crossing == sorted(crossing), seed
    for seed in range(10):
        choice = Random(seed)
        rows, columns = choice.randint(5, 9), choice.randint(5, 9)
        gains = [[choice.choice([0.0, choice.random()]) for _ in range(columns)] for _ in range(rows)]
        assert assignment(gains).total == pytest.approx(best(gains).total), seed
    turned = [[float(row + column == 59) for column in range(60)] for row in range(50)]
    assert assignment(turned).pairs == tuple((row, 59 - row) for row in range(50))
    assert assignment([[1.0, 1.0]] * 2).pairs == ((0, 0), (1, 1))
    for pair_up in (in_order, best):
        pairs = [pair_up(gains).pairs for gains in ([[1.0, 1.0]] * 2, [[1.0, 1.0, 1.0]], [[1.0], [1.0]])]
        assert pairs == [((0, 0), (1, 1)), ((0, 0),), ((0, 0),)]
    gains = [[0.0, 1.0], [1.0, 0.0]]
    assert (by_place(gains).total, in_order(gains).total, best(gains).total) == (0.0, 1.0, 2.0)
    assert by_place([[0.5, 1.0], [1.0, 0.0], [1.0, 1.0]]) == (((0, 0),), 0.5)
    assert by_place([]).pairs == in_order([]).pairs == best([]).pairs == assignment([]).pairs == ()
    sizes = [(4, 32), (4, 33), (1, 20), (1, 21), (11, 1), (10, 1)]
    assert [too_large(*size) for size in sizes] == [False, True, False, True, True, False]


def numbers(first: list[ActionGraph], second: list[ActionGraph]) -> Numbers:
    return [pair.graphs for pair in paired(Narrative.of(first), Narrative.of(second))]


def test_graphs_of_two_versions_are_paired_by_what_they_share_and_descriptions_by_position_or_text() -> None:
    pour = ActionGraph([*POUR, ("pour", "with", "hand1")])
    lift = ActionGraph([*LIFT, ("lift", "with", "hand1")])
    other_pour = ActionGraph([*POUR, ("pour", "with", "wall")])
    other_lift = ActionGraph([*LIFT, ("lift", "with", "jug")])
    rows: list[tuple[str, list[ActionGraph], list[ActionGraph], Numbers]] = [
        ("one forgotten", [FILL, LIFT, POUR], [LIFT, POUR], [(0, None), (1, 0), (2, 1)]),
        ("one more", [LIFT, POUR], [FILL, LIFT, POUR], [(None, 0), (0, 1), (1, 2)]),
        ("sharing triplets at another place", [FILL, LIFT], [HEAVY], [(0, None), (1, 0)]),
        ("sharing nothing, as many left", [FILL, POUR], [LIFT, POUR], [(0, 0), (1, 1)]),
        ("more after an equal beginning", [FILL, LIFT], [FILL, HEAVY, POUR], [(0, 0), (1, 1), (None, 2)]),
        ("repeated", [FILL, FILL, FILL], [FILL, FILL], [(0, 0), (1, 1), (2, None)]),
    ]
    changed = [other_pour, lift, pour, other_lift, pour, lift]
    rows.append(("repeated, some changed", [pour, lift] * 3, changed, [(place, place) for place in range(6)]))
    for name, first, second, expected in rows:
        assert numbers(first, second) == expected, name
    told = Narrative((Description("one", (FILL,)), Description("two", (LIFT,))))
    retold = Narrative((Description("other words", ()), Description("two", (FILL, LIFT))))
    assert [(pair.descriptions, pair.graphs, pair.differs) for pair in paired(told, retold)] == [
        ((0, 0), (0, None), True),
        ((1, 1), (None, 0), True),
        ((1, 1), (1, 1), False),
    ]
    longer = Narrative((Description("one", (FILL,)), Description("new", (POUR,)), Description("two", (LIFT,))))
    assert [(pair.descriptions, pair.graphs, pair.first, pair.second) for pair in paired(told, longer)] == [
        ((0, 0), (0, 0), FILL, FILL),
        ((None, 1), (None, 1), None, POUR),
        ((1, 2), (1, 2), LIFT, LIFT),
    ]


def test_very_many_graphs_are_paired_by_equality_and_very_long_gaps_by_position(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, crossed = ([POUR, LIFT], [HEAVY, FILL, FILL]), ([HEAVY, HEAVY, HEAVY, POUR], [POUR, LIFT, LIFT, LIFT])
    for compared, weighed, (first, second), pairs in (
        (6, 16, few, [(0, None), (1, 0), (None, 1), (None, 2)]),
        (5, 16, few, [(0, 0), (1, 1), (None, 2)]),
        (16, 16, crossed, [(None, 0), (0, 1), (1, 2), (2, 3), (3, None)]),
        (16, 15, crossed, [(0, None), (1, None), (2, None), (3, 0), (None, 1), (None, 2), (None, 3)]),
    ):
        monkeypatch.setattr(versions, "MOST_COMPARED", compared)
        monkeypatch.setattr(versions, "MOST_WEIGHED", weighed)
        assert numbers(first, second) == pairs, (compared, weighed)


@given(narratives, narratives)
def test_every_graph_is_in_one_pair_in_its_order(first: Narrative, second: Narrative) -> None:
    pairs = paired(first, second)
    ours = [(pair.graphs[0], pair.first) for pair in pairs if pair.graphs[0] is not None]
    theirs = [(pair.graphs[1], pair.second) for pair in pairs if pair.graphs[1] is not None]
    assert (ours, theirs) == ([*enumerate(first.graphs)], [*enumerate(second.graphs)])
    assert all(pair.graphs[0] == pair.graphs[1] and not pair.differs for pair in paired(first, first))
