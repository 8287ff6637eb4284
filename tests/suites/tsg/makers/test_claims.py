"""Claims of triplets about steps: true where they may hold, false where they surely do not."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tsgkit.graph.model import ActionGraph
from tsgkit.suites.tsg.makers.claims import may_be_same_action, may_be_same_thing, may_be_true


def graph(text: str) -> ActionGraph:
    """Return a graph from a text like ``loosen: dobj bolt, bolt on brake``."""
    action, _, edges = text.partition(": ")
    rows = [edge.split() for edge in edges.split(", ")]
    return ActionGraph([("person", "verb", action), *((action, *row) if len(row) == 2 else row for row in rows)])


TAKE = "take: dobj towel, off bowl, with hand1"
CUT = "cut: dobj bread, on board, with knife, with hand1, with hand2"
PUT = "put: dobj cup, under table, with hand2"
BARE = "put-down: dobj bolts, behind crate"
LOOSEN = "loosen: dobj bolt, bolt on brake, with hex-key, with hand1"
TRUE = {
    TAKE: f"""{TAKE} | take: dobj towel | take: off bowl | take: with hand1 | take: dobj towel, from bowl
        pick-up: dobj towel, off bowl | grab: dobj towels | lift: dobj towel | take: dobj dish-towel
        move: dobj towel""",
    CUT: """cut: dobj bread, with knife | slice: dobj bread, on board | cut: dobj bread, on bread-board
        cut: dobj bread, with hand2 | cut: dobj bread, upon board""",
    PUT: "put: dobj cup, below table | place: dobj cup, beneath table, with hand2 | set-down: dobj cup",
    BARE: """put-down: dobj bolt, behind crate, with hand1 | put-down: dobj bolts, with hand1, with hand2
        lay: dobj bolts, behind crate""",
    LOOSEN: """loosen: dobj bolt, with hex-key | unscrew: dobj bolt | loosen: dobj bolt, bolt on brake
        loosen: dobj bolt, with key""",
    "prise: dobj hubcap, off wheel, with wrench": "take: dobj hubcap, off wheel",
    "hang: dobj poster, on wall, with hand1": "put: dobj poster, on wall",
    "drop: dobj twine, into bucket": "drop: dobj twine, over bucket",
}
FALSE = {
    TAKE: """take: dobj bowl, off towel | take: dobj towel, onto bowl | take: dobj towel, off bowl, with hand2
        take: dobj towel, off bowl, with hand1, with hand2 | take: dobj cup, off bowl | take: dobj towel, off table
        put: dobj towel, off bowl | take: dobj towel, off bowl, with spoon""",
    CUT: "cut: dobj knife, with bread | cut: dobj bread, with board",
    PUT: "put: dobj cup, over table | put: dobj table, under cup | take: dobj cup, under table",
    LOOSEN: "tighten: dobj bolt, bolt on brake | loosen: dobj brake, brake on bolt",
}


def test_a_claim_that_may_hold_is_true_and_one_that_surely_does_not_is_false() -> None:
    for cases, is_true in ((TRUE, True), (FALSE, False)):
        for step, texts in cases.items():
            for claim in texts.replace("\n", "|").split("|"):
                assert may_be_true(graph(claim.strip()), graph(step)) is is_true, f"{claim} of {step}"


def test_hands_are_two_things_that_a_claim_may_count_or_leave_unsaid() -> None:
    assert not may_be_same_thing("hand1", "hand2")
    actions = (("open", "close"), ("fasten", "unfasten"), ("pick", "pick-up"))
    assert [may_be_same_action(*pair) for pair in actions] == [False, False, True]
    one = graph("cut: dobj bread, with hand1")
    assert may_be_true(one, graph(CUT))
    assert not may_be_true(one, graph(CUT), counted=True), "one hand is not both"
    other = graph("take: dobj towel, with hand2")
    assert may_be_true(other, graph(TAKE), counted=True)
    assert may_be_true(other, graph(TAKE), hands=False)


def test_claims_by_somebody_else_are_never_false_where_they_hold_and_mostly_false_where_they_do_not() -> None:
    """Whoever wrote these cases had not seen the code; denials and the number of hands are no claims of triplets."""
    lines = (Path(__file__).parent / "hard_claims.jsonl").read_text(encoding="utf-8").splitlines()
    assert Counter((case["verdict"], _verdict(case)) for case in map(json.loads, lines)) == {
        ("true-of-target", "true-of-target"): 24,
        ("true-of-earlier", "true-of-earlier"): 19,
        ("false", "false"): 35,
        ("false", "true-of-target"): 6,
        ("false", "true-of-earlier"): 4,
    }


def _verdict(case: dict[str, Any]) -> str:
    claimed, target, *context = (
        ActionGraph.of(*map(tuple, one)) for one in (case["claims"], case["target"], *case["context"])
    )
    if may_be_true(claimed, target):
        return "true-of-target"
    return "true-of-earlier" if any(may_be_true(claimed, step) for step in context) else "false"
