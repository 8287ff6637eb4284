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
    best = "Then the bolts were tightened with a wrench."
    assert chosen(TIGHTEN, "A wrench was dropped.", best, "He tightened his belt.") == best


def test_a_synonym_tells_the_action() -> None:
    assert chosen(LIFT, "She kicks the crate.", "She picks the crate up.") == "She picks the crate up."


def test_the_opposite_of_the_action_speaks_against_a_sentence() -> None:
    assert chosen(TIGHTEN, "The bolt is loosened.", "The bolt is made firm.") == "The bolt is made firm."


def test_negated_actions_lower_a_sentences_score() -> None:
    done, left = "The wrench turns the bolt.", "The wrench never turns the bolt."
    assert chosen(TIGHTEN, left, done) == done


def test_both_hands_in_text_and_graph_have_to_agree() -> None:
    one, both = "She raises the crate.", "She raises the crate with both hands."
    assert chosen(LIFT, one, both) == both
    one_hand = ActionGraph(triplet for triplet in LIFT if triplet.target != "hand2")
    assert chosen(one_hand, both, one) == one


def test_the_order_of_the_candidates_changes_nothing_even_where_they_are_equal() -> None:
    texts = ("It rains.", "It snows.", "It thunders.", "It clears.")
    for item_id in ("0", "1", "2"):
        assert len({chosen(LIFT, *order, item_id=item_id) for order in permutations(texts)}) == 1


def test_equal_candidates_are_not_always_the_same_one() -> None:
    texts = ("It rains.", "It snows.", "It thunders.", "It clears.")
    assert len({chosen(LIFT, *texts, item_id=str(number)) for number in range(40)}) == 4
