"""Overlaps of sets, sequences, soft matches, invented elements: known answers and the empty cases."""

from __future__ import annotations

import pytest

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.scoring.hallucination import hallucinations
from tsgkit.scoring.sequences import common_subsequence
from tsgkit.scoring.sets import Overlap, compare_graphs, edges_of, nodes_of, overlap
from tsgkit.scoring.soft import match, soft_overlap

WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))


@pytest.mark.parametrize(
    ("right", "said", "wanted", "precision", "recall", "f1"),
    [(2, 4, 3, 0.5, 2 / 3, 4 / 7), (0, 4, 3, 0, 0, 0), (0, 0, 3, 0, 0, 0), (0, 2, 0, 0, 0, 0), (0, 0, 0, 1, 1, 1)],
)
def test_precision_recall_and_f1(
    right: int, said: int, wanted: int, precision: float, recall: float, f1: float
) -> None:
    found = Overlap(right, said, wanted)
    assert (found.precision, found.recall, found.f1) == pytest.approx((precision, recall, f1))


def test_repeated_triplets_count_once_and_direction_matters() -> None:
    turned = ActionGraph.of(("wash", "verb", "person"), *WASH.triplets[1:], *WASH.triplets[1:])
    assert compare_graphs(WASH, turned) == Overlap(2, 3, 3)


def test_nodes_and_edges_are_sets_of_names() -> None:
    other = ActionGraph.of(("person", "verb", "wash"), ("wash", "on", "cup"))
    assert compare_graphs(WASH, other, nodes_of) == Overlap(3, 3, 4)
    assert compare_graphs(WASH, other, edges_of) == Overlap(1, 2, 3)
    assert overlap({1}, {1, 2}) == Overlap(1, 2, 1)


@pytest.mark.parametrize(
    ("reference", "candidate", "length"),
    [("abcde", "ace", 3), ("abc", "cba", 1), ("", "abc", 0), ("aab", "aba", 2), ("abc", "abc", 3)],
)
def test_the_longest_common_subsequence(reference: str, candidate: str, length: int) -> None:
    assert common_subsequence(list(reference), list(candidate)) == Overlap(length, len(candidate), len(reference))


def test_a_soft_match_uses_each_triplet_once() -> None:
    said = ActionGraph.of(("person", "verb", "washes"), ("person", "verb", "washed"), ("wash", "dobj", "cups"))
    assert soft_overlap(WASH, said) == Overlap(2, 3, 3)


def test_an_exact_match_is_not_taken_away_by_a_soft_one() -> None:
    wanted = ActionGraph.of(("wash", "dobj", "cup"), ("wash", "dobj", "cups"))
    said = ActionGraph.of(("wash", "dobj", "cups"), ("washes", "dobj", "cup"))
    assert soft_overlap(wanted, said) == Overlap(2, 2, 2)


def test_invented_elements_are_apart_by_whether_the_sentence_mentions_them() -> None:
    vocabulary = Vocabulary(("cup",), ("verb", "dobj"), ("wash",))
    graphs = [ActionGraph.of(("person", "verb", "scrub"), ("scrub", "dobj", "vase"), ("scrub", "under", "tap"))]
    found = hallucinations([*graphs, *graphs], vocabulary, "He scrubbed it under the taps.")
    assert set(found.described) == {"scrub", "under", "tap"}
    assert found.new == ("vase",)
    assert found.total == 4


def test_match_takes_equal_elements_first_and_uses_each_once() -> None:
    found = match(["Cup", "cup"], ["cup", "CUP", "cUp"], lambda a, b: a.lower() == b.lower())
    assert found.pairs == [("cup", "cup"), ("Cup", "CUP")]
    assert (found.missing, found.extra, found.overlap) == ([], ["cUp"], (2, 3, 2))
