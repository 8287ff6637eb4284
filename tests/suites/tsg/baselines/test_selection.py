"""Choosing a sentence by words, hands and negations."""

from __future__ import annotations

from itertools import permutations

from tsgkit.graph import ActionGraph
from tsgkit.suites.tsg.baselines.selection import select
from tsgkit.suites.tsg.items import SelectionSample

TIGHTEN = ActionGraph.of(
    ("person", "verb", "tighten"),
    ("tighten", "dobj", "bolt"),
    ("tighten", "with", "wrench"),
    ("tighten", "with", "hand1"),
)
LIFT = ActionGraph.of(
    ("person", "verb", "lift"), ("lift", "dobj", "crate"), ("lift", "with", "hand1"), ("lift", "with", "hand2")
)


def chosen(graph: ActionGraph, *candidates: str, item_id: str = "0") -> str:
    sample = SelectionSample(item_id=item_id, cluster="", context=(), graph=graph, candidates=candidates, position=0)
    return candidates["ABCDE".index(select(sample))]


def test_the_sentence_that_tells_more_of_the_graph_is_chosen() -> None:
    one_hand = ActionGraph(triplet for triplet in LIFT if triplet.target != "hand2")
    for graph, best, *others in (
        (TIGHTEN, "Then the bolts were tightened with a wrench.", "A wrench was dropped.", "He tightened his belt."),
        (LIFT, "She picks the crate up.", "She kicks the crate."),
        (TIGHTEN, "The bolt is made firm.", "The bolt is loosened."),
        (TIGHTEN, "The wrench turns the bolt.", "The wrench never turns the bolt."),
        (LIFT, "She raises the crate with both hands.", "She raises the crate."),
        (one_hand, "She raises the crate.", "She raises the crate with both hands."),
    ):
        assert chosen(graph, *others, best) == best == chosen(graph, best, *others)


def test_the_order_of_equal_candidates_changes_nothing_and_no_place_is_preferred() -> None:
    texts = ("It rains.", "It snows.", "It thunders.", "It clears.")
    for item_id in ("0", "1", "2"):
        assert len({chosen(LIFT, *order, item_id=item_id) for order in permutations(texts)}) == 1
    assert len({chosen(LIFT, *texts, item_id=str(number)) for number in range(40)}) == 4
