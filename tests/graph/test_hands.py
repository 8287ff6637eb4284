"""The hand rule: free hands first, one thing at a time, and nothing is known after what nobody wrote down."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsgkit.graph import ActionGraph, Description, HandRule, Narrative, Timeline, Vocabulary, check_narrative, trace
from tsgkit.graph.hands import held


def act(words: str) -> ActionGraph:
    """``take cup with hand1``: action, direct objects, then pairs of a preposition and a name."""
    action, *rest = words.split()
    objects = []
    while rest and rest[0] not in ("with", "from", "to", "in", "into", "on"):
        objects.append((action, "dobj", rest.pop(0)))
    pairs = [(action, edge, name) for edge, name in zip(rest[::2], rest[1::2], strict=True)]
    return ActionGraph.of(("person", "verb", action), *objects, *pairs)


def breaches(lines: str) -> list[tuple[int, str]]:
    steps = trace(Narrative.of(act(line) for line in lines.split("; ")))
    return [(step.index, breach.code) for step in steps for breach in step.breaches]


KEPT = {
    "one thing": "take cup with hand1; put-down cup with hand1",
    "a second thing": "take cup with hand1; take lid with hand2; put-down lid with hand2",
    "starts again": "take cup with hand1; place cup on table with hand1; take lid with hand1",
    "both hands": "lift box with hand1 with hand2; put-down box with hand1 with hand2; take cup with hand1",
    "a tool": "take knife with hand1; hold bread with hand2; cut bread with knife with hand1",
    "held again": "take cup with hand1; hold cup with hand1",
    "the other hand helps": "take jar with hand1; hold jar with hand1 with hand2; put-down jar with hand1",
    "a free hand works": "take cup with hand1; open door with hand2",
    "passed on": "take cup with hand1; pass cup from hand1 to hand2; take lid with hand1",
    "passed without saying where": "take cup with hand1; switch cup; take lid with hand1",
    "released by the hand alone": "take cup with hand1; release with hand1; take lid with hand1",
    "released from a hand": "take cup with hand1; release cup from hand1; take lid with hand1",
    "one thing in each hand": "pick-up fork knife with hand1 with hand2; put-down knife with hand2",
    "a spoon passes no rice": "take spoon with hand1; transfer rice from pot into bowl with spoon with hand1; "
    "put-down spoon with hand1",
    "a lamp is switched": "switch lamp with hand1; take cup with hand1",
    "a rope passes to a post": "take rope with hand1; pass rope to post with hand1; put-down rope with hand1",
    "a hand nobody can name": "take cup with hand1; take jug with hand3; take lid with left_hand",
}
BROKEN = {
    "hand2-first": "take cup with hand2",
    "hand-occupied": "take cup with hand1; take lid with hand1",
    "hands-full": "take cup with hand1; take lid with hand2; take jug with hand1",
    "hand-busy": "take sponge with hand1; open tap with hand1",
    "hand-unstated": "take cup",
    "wrong-hand": "take cup with hand1; put-down cup with hand2",
    "not-held": "put-down cup with hand1",
}


def test_the_rule_is_kept_and_a_breach_is_found_where_it_happens() -> None:
    assert {name: found for name, lines in KEPT.items() if (found := breaches(lines))} == {}
    for code, lines in BROKEN.items():
        assert breaches(lines) == [(lines.count("; "), code)], code
    for lines, expected in {
        "take cup with hand1; take knife with hand2; cut bread with knife with hand1": [
            (2, "hand-busy"),
            (2, "wrong-hand"),
        ],
        "take cup with hand1; take lid with hand2; pass cup to hand2": [(2, "hand-occupied")],
        "take cup with hand1; pass cup from hand2 to hand1": [(1, "wrong-hand")],
    }.items():
        assert breaches(lines) == expected, lines


def test_the_trace_reads_like_a_log() -> None:
    steps = trace(Narrative.of([act("take cup with hand1"), act("open lid with hand1")]))
    assert str(steps[1]) == (
        "1 open lid: hand1 cup, hand2 free => hand1 cup, hand2 free\n  hand-busy: open uses hand1, which holds cup"
    )


def test_after_something_nobody_wrote_down_nothing_is_known_of_the_hands() -> None:
    graphs = (act("put-down cup with hand2"), act("take cup with hand1"), act("take lid with hand1"))
    steps = trace(Narrative((Description("Things happen."), Description(None, graphs))))
    assert str(steps[0]).startswith("0 put-down cup: hand1 unknown, hand2 unknown => hand1 unknown, hand2 free")
    assert [(step.index, breach.code) for step in steps for breach in step.breaches] == [(2, "hand-occupied")]
    released = (act("release with hand1"), *graphs[1:2])
    steps = trace(Narrative((Description("Things happen."), Description(None, released))))
    assert held(steps[-1].after) == {"hand1": ("cup",)} and not steps[-1].breaches


def test_the_rule_follows_its_verbs_either_end_of_with_and_graphs_without_an_action() -> None:
    rule = HandRule(grasps=frozenset({"nab"}), releases=frozenset({"dump"}))
    graphs = map(act, ("nab cup with hand1", "take lid with hand2", "dump cup with hand1"))
    assert [held(step.after) for step in trace(Narrative.of(graphs), rule)] == [{"hand1": ("cup",)}] * 2 + [{}]
    narrative = Narrative.of([act("take cup with hand1"), ActionGraph.of(("cup", "on", "table")), ActionGraph()])
    assert held(trace(narrative)[-1].after) == {"hand1": ("cup",)}
    graph = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup"), ("hand1", "with", "take"))
    steps = trace(Narrative.of([graph, act("take jug with hand3")]))
    assert held(steps[0].after) == {"hand1": ("cup",)} and not steps[0].breaches
    assert str(steps[1].after) == "hand1 unknown, hand2 unknown"


def test_steps_are_values_that_nobody_can_change_for_others() -> None:
    steps, again = (trace(Narrative.of([act("take cup with hand1")])) for _ in range(2))
    assert hash(steps[0]) == hash(again[0])
    with pytest.raises(TypeError):
        steps[0].before[0] = ("ghost",)  # type: ignore[index]


NAMES = st.sampled_from(["person", "hold", "take", "cup", "lid", "hand1", "hand2", "table"])
LABELS = st.sampled_from(["verb", "dobj", "with", "on", "from"])
GRAPHS = st.lists(st.tuples(NAMES, LABELS, NAMES), max_size=7).map(ActionGraph)
L = Vocabulary(("cup", "lid", "table"), ("verb", "dobj", "with", "on", "from"), ("hold", "take"))


@given(graphs=st.lists(GRAPHS, max_size=6))
def test_any_narrative_can_be_linted_followed_and_put_on_a_timeline(graphs: list[ActionGraph]) -> None:
    narrative = Narrative.of(graphs, L)
    steps = trace(narrative)
    assert len(steps) == len(graphs)
    assert all(earlier.after == later.before for earlier, later in itertools.pairwise(steps))
    assert all(0 <= (finding.place.graph or 0) < len(graphs) for finding in check_narrative(narrative))
    assert Timeline(narrative).graph.number_of_nodes() >= len(graphs)
