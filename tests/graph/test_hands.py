"""The hand rule: free hands first, one thing at a time, and nothing is known after what nobody wrote down."""

from __future__ import annotations

import pytest

from tsgkit.graph import ActionGraph, Description, HandRule, Narrative, trace
from tsgkit.graph.hands import held


def act(words: str) -> ActionGraph:
    """``take cup with hand1``: action, direct objects, then pairs of a preposition and a name."""
    action, *rest = words.split()
    objects = []
    while rest and rest[0] not in ("with", "from", "to", "in", "into", "on"):
        objects.append((action, "dobj", rest.pop(0)))
    pairs = [(action, edge, name) for edge, name in zip(rest[::2], rest[1::2], strict=True)]
    return ActionGraph.of(("person", "verb", action), *objects, *pairs)


def story(*lines: str) -> Narrative:
    return Narrative.of(act(line) for line in lines)


def breaches(*lines: str) -> list[tuple[int, str]]:
    return [(step.index, breach.code) for step in trace(story(*lines)) for breach in step.breaches]


KEPT = {
    "one thing": ["take cup with hand1", "put-down cup with hand1"],
    "a second thing": ["take cup with hand1", "take lid with hand2", "put-down lid with hand2"],
    "starts again": ["take cup with hand1", "place cup on table with hand1", "take lid with hand1"],
    "both hands": ["lift box with hand1 with hand2", "put-down box with hand1 with hand2", "take cup with hand1"],
    "a tool": ["take knife with hand1", "hold bread with hand2", "cut bread with knife with hand1"],
    "held again": ["take cup with hand1", "hold cup with hand1"],
    "the other hand helps": ["take jar with hand1", "hold jar with hand1 with hand2", "put-down jar with hand1"],
    "a free hand works": ["take cup with hand1", "open door with hand2"],
    "passed on": ["take cup with hand1", "pass cup from hand1 to hand2", "take lid with hand1"],
    "passed without saying where": ["take cup with hand1", "switch cup", "take lid with hand1"],
    "released by the hand alone": ["take cup with hand1", "release with hand1", "take lid with hand1"],
    "released from a hand": ["take cup with hand1", "release cup from hand1", "take lid with hand1"],
    "one thing in each hand": ["pick-up fork knife with hand1 with hand2", "put-down knife with hand2"],
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_the_rule_is_kept(name: str) -> None:
    assert breaches(*KEPT[name]) == []


BROKEN = {
    "hand2-first": ["take cup with hand2"],
    "hand-occupied": ["take cup with hand1", "take lid with hand1"],
    "hands-full": ["take cup with hand1", "take lid with hand2", "take jug with hand1"],
    "hand-busy": ["take sponge with hand1", "open tap with hand1"],
    "hand-unstated": ["take cup"],
    "wrong-hand": ["take cup with hand1", "put-down cup with hand2"],
    "not-held": ["put-down cup with hand1"],
}


@pytest.mark.parametrize("code", BROKEN)
def test_a_breach_is_found_where_it_happens(code: str) -> None:
    assert breaches(*BROKEN[code]) == [(len(BROKEN[code]) - 1, code)]


def test_a_tool_in_the_other_hand_is_the_wrong_hand() -> None:
    assert breaches("take cup with hand1", "take knife with hand2", "cut bread with knife with hand1") == [
        (2, "hand-busy"),
        (2, "wrong-hand"),
    ]


def test_passing_into_a_full_hand_is_a_breach() -> None:
    lines = ["take cup with hand1", "take lid with hand2", "pass cup to hand2"]
    assert breaches(*lines) == [(2, "hand-occupied")]


def test_passing_from_the_wrong_hand_is_a_breach() -> None:
    assert breaches("take cup with hand1", "pass cup from hand2 to hand1") == [(1, "wrong-hand")]


def test_the_trace_reads_like_a_log() -> None:
    steps = trace(story("take cup with hand1", "open lid with hand1"))
    assert str(steps[1]) == (
        "1 open lid: hand1 cup, hand2 free => hand1 cup, hand2 free\n  hand-busy: open uses hand1, which holds cup"
    )


def test_after_something_nobody_wrote_down_nothing_is_known_of_the_hands() -> None:
    narrative = Narrative((Description("Things happen."), Description(None, (act("put-down cup with hand2"),))))
    steps = trace(narrative)
    assert not steps[0].breaches
    assert str(steps[0]).startswith("0 put-down cup: hand1 unknown, hand2 unknown => hand1 unknown, hand2 free")


def test_a_known_hand_is_judged_although_the_other_is_not() -> None:
    graphs = (act("release with hand1"), act("take cup with hand1"), act("take lid with hand1"))
    narrative = Narrative((Description("Things happen."), Description(None, graphs)))
    assert [breach.code for step in trace(narrative) for breach in step.breaches] == []
    assert held(trace(narrative)[-1].after) == {"hand1": ("lid",)}


def test_hand_rule_verbs_can_be_configured() -> None:
    rule = HandRule(grasps=frozenset({"nab"}), releases=frozenset({"dump"}))
    steps = trace(story("nab cup with hand1", "take lid with hand2", "dump cup with hand1"), rule)
    assert [held(step.after) for step in steps] == [{"hand1": ("cup",)}, {"hand1": ("cup",)}, {}]


def test_a_graph_without_an_action_leaves_the_hands_as_they_are() -> None:
    narrative = Narrative.of([act("take cup with hand1"), ActionGraph.of(("cup", "on", "table")), ActionGraph()])
    assert held(trace(narrative)[-1].after) == {"hand1": ("cup",)}


@pytest.mark.parametrize(
    "lines",
    [
        [
            "take spoon with hand1",
            "transfer rice from pot into bowl with spoon with hand1",
            "put-down spoon with hand1",
        ],
        ["switch lamp with hand1", "take cup with hand1"],
        ["take rope with hand1", "pass rope to post with hand1", "put-down rope with hand1"],
    ],
)
def test_only_what_a_hand_holds_passes_from_hand_to_hand(lines: list[str]) -> None:
    graphs = [act(line.replace(" with spoon", "")) if "rice" in line else act(line) for line in lines]
    rice = ActionGraph([*graphs[1].triplets, ("transfer", "with", "spoon")]) if "rice" in lines[1] else graphs[1]
    steps = trace(Narrative.of([graphs[0], rice, *graphs[2:]]))
    assert [breach.code for step in steps for breach in step.breaches] == []


def test_a_hand_may_stand_at_either_end_of_with() -> None:
    graph = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup"), ("hand1", "with", "take"))
    [step] = trace(Narrative.of([graph]))
    assert held(step.after) == {"hand1": ("cup",)}
    assert not step.breaches


def test_steps_are_values_that_nobody_can_change_for_others() -> None:
    steps = trace(story("take cup with hand1"))
    assert hash(steps[0]) == hash(trace(story("take cup with hand1"))[0])
    with pytest.raises(TypeError):
        steps[0].before[0] = ("ghost",)  # type: ignore[index]


def test_a_hand_nobody_can_name_makes_no_further_breach() -> None:
    steps = trace(story("take cup with hand1", "take jug with hand3", "take lid with left_hand"))
    assert [breach.code for step in steps for breach in step.breaches] == []
    assert str(steps[1].after) == "hand1 unknown, hand2 unknown"
