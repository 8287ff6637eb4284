from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tsgkit.graph.model import ActionGraph
from tsgkit.suites.tsg.makers.claims import may_be_same_action, may_be_same_thing, may_be_true


def graph(action: str, *edges: str) -> ActionGraph:
    """Return a graph from texts like ``dobj cup`` or ``bolt on brake``."""
    rows = [edge.split() for edge in edges]
    return ActionGraph([("person", "verb", action), *((action, *row) if len(row) == 2 else row for row in rows)])


TAKE = graph("take", "dobj towel", "off bowl", "with hand1")
CUT = graph("cut", "dobj bread", "on board", "with knife", "with hand1", "with hand2")
PUT = graph("put", "dobj cup", "under table", "with hand2")
BARE = graph("put-down", "dobj bolts", "behind crate")
LOOSEN = graph("loosen", "dobj bolt", "bolt on brake", "with hex-key", "with hand1")

TRUE = [
    (TAKE, TAKE),
    (graph("take", "dobj towel"), TAKE),
    (graph("take", "off bowl"), TAKE),
    (graph("take", "with hand1"), TAKE),
    (graph("take", "dobj towel", "from bowl"), TAKE),
    (graph("pick-up", "dobj towel", "off bowl"), TAKE),
    (graph("grab", "dobj towels"), TAKE),
    (graph("lift", "dobj towel"), TAKE),
    (graph("take", "dobj dish-towel"), TAKE),
    (graph("move", "dobj towel"), TAKE),
    (graph("cut", "dobj bread", "with knife"), CUT),
    (graph("slice", "dobj bread", "on board"), CUT),
    (graph("cut", "dobj bread", "on bread-board"), CUT),
    (graph("cut", "dobj bread", "with hand2"), CUT),
    (graph("cut", "dobj bread", "upon board"), CUT),
    (graph("put", "dobj cup", "below table"), PUT),
    (graph("place", "dobj cup", "beneath table", "with hand2"), PUT),
    (graph("set-down", "dobj cup"), PUT),
    (graph("put-down", "dobj bolt", "behind crate", "with hand1"), BARE),
    (graph("put-down", "dobj bolts", "with hand1", "with hand2"), BARE),
    (graph("lay", "dobj bolts", "behind crate"), BARE),
    (graph("loosen", "dobj bolt", "with hex-key"), LOOSEN),
    (graph("unscrew", "dobj bolt"), LOOSEN),
    (graph("loosen", "dobj bolt", "bolt on brake"), LOOSEN),
    (graph("loosen", "dobj bolt", "with key"), LOOSEN),
    (graph("take", "dobj hubcap", "off wheel"), graph("prise", "dobj hubcap", "off wheel", "with wrench")),
    (graph("put", "dobj poster", "on wall"), graph("hang", "dobj poster", "on wall", "with hand1")),
    (graph("drop", "dobj twine", "over bucket"), graph("drop", "dobj twine", "into bucket")),
]
FALSE = [
    (graph("take", "dobj bowl", "off towel"), TAKE),
    (graph("take", "dobj towel", "onto bowl"), TAKE),
    (graph("take", "dobj towel", "off bowl", "with hand2"), TAKE),
    (graph("take", "dobj towel", "off bowl", "with hand1", "with hand2"), TAKE),
    (graph("take", "dobj cup", "off bowl"), TAKE),
    (graph("take", "dobj towel", "off table"), TAKE),
    (graph("put", "dobj towel", "off bowl"), TAKE),
    (graph("take", "dobj towel", "off bowl", "with spoon"), TAKE),
    (graph("cut", "dobj knife", "with bread"), CUT),
    (graph("cut", "dobj bread", "with board"), CUT),
    (graph("put", "dobj cup", "over table"), PUT),
    (graph("put", "dobj table", "under cup"), PUT),
    (graph("take", "dobj cup", "under table"), PUT),
    (graph("tighten", "dobj bolt", "bolt on brake"), LOOSEN),
    (graph("loosen", "dobj brake", "brake on bolt"), LOOSEN),
]


@pytest.mark.parametrize(("claimed", "step"), TRUE)
def test_a_claim_that_may_hold_counts_as_true(claimed: ActionGraph, step: ActionGraph) -> None:
    assert may_be_true(claimed, step)


@pytest.mark.parametrize(("claimed", "step"), FALSE)
def test_a_claim_that_surely_does_not_hold_is_false(claimed: ActionGraph, step: ActionGraph) -> None:
    assert not may_be_true(claimed, step)


def test_a_counted_hand_is_not_both() -> None:
    one = graph("cut", "dobj bread", "with hand1")
    assert may_be_true(one, CUT)
    assert not may_be_true(one, CUT, counted=True)
    assert may_be_true(graph("take", "dobj towel", "with hand2"), TAKE, counted=True)


def test_a_sentence_without_hands_claims_none() -> None:
    assert may_be_true(graph("take", "dobj towel", "with hand2"), TAKE, hands=False)


def test_opposites_are_never_the_same_action() -> None:
    assert not may_be_same_action("open", "close")
    assert not may_be_same_action("fasten", "unfasten")
    assert may_be_same_action("pick", "pick-up")


def test_hands_are_two_things() -> None:
    assert not may_be_same_thing("hand1", "hand2")


def test_claims_by_somebody_else_are_never_false_where_they_hold_and_mostly_false_where_they_do_not() -> None:
    """Whoever wrote these cases had not seen the code; denials and the number of hands are no claims of triplets."""
    lines = (Path(__file__).parent / "hard_claims.jsonl").read_text(encoding="utf-8").splitlines()
    judged = Counter((case["verdict"], _verdict(case)) for case in map(json.loads, lines))
    assert judged["true-of-target", "true-of-target"] == 24 and judged["true-of-earlier", "true-of-earlier"] == 19
    assert judged["false", "false"] >= 35 and len(lines) == 88


def _verdict(case: dict[str, Any]) -> str:
    claimed, target, *context = (
        ActionGraph.of(*map(tuple, one)) for one in (case["claims"], case["target"], *case["context"])
    )
    if may_be_true(claimed, target):
        return "true-of-target"
    return "true-of-earlier" if any(may_be_true(claimed, step) for step in context) else "false"
