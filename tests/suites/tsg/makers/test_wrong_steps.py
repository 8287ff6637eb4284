"""Wrong steps: one element of a step exchanged, unless what comes out may have happened."""

from __future__ import annotations

from random import Random

from made_up_stories import made_up_story

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.suites.tsg.makers.wrong_steps import wrong_steps


def step(action: str, *edges: str) -> ActionGraph:
    return ActionGraph([("person", "verb", action), *((action, *edge.split()) for edge in edges)])


OPEN = step("open", "dobj drawer", "with hand1")
PUT = step("put", "dobj cup", "into drawer", "with hand1")
TAKEN_OUT = step("put", "dobj cup", "out-of drawer")


def kinds_of(*graphs: ActionGraph, index: int = -1) -> dict[str, list[ActionGraph]]:
    """Return the wrong graphs of one step of a story by their kinds."""
    found: dict[str, list[ActionGraph]] = {}
    for one in wrong_steps(Narrative.of(graphs), index % len(graphs), Random(0), most=1000)[0]:
        found.setdefault(one.kind, []).append(one.graph)
    return found


def test_two_things_change_places_but_not_where_they_stand_or_are_fastened_to_each_other() -> None:
    [swapped] = kinds_of(OPEN, PUT)["order"]
    assert ("put", "dobj", "drawer") in swapped and ("put", "into", "cup") in swapped
    assert "order" not in kinds_of(OPEN, step("put", "dobj cup", "next-to jar"))
    assert "order" not in kinds_of(OPEN, step("screw", "dobj cover", "to case"))


def test_the_other_hand_and_both_are_tried_and_hands_of_a_passing_change_places() -> None:
    hands = {frozenset(t.target for t in graph if "hand" in t.target) for graph in kinds_of(OPEN, PUT)["hand"]}
    assert hands == {frozenset({"hand2"}), frozenset({"hand1", "hand2"})}
    [turned] = kinds_of(OPEN, step("pass", "dobj cup", "from hand1", "to hand2"))["hand"]
    assert ("pass", "from", "hand2") in turned


def test_an_opposite_action_and_a_later_moment_are_tried() -> None:
    assert "close" in {graph.actions[0] for graph in kinds_of(PUT, OPEN)["action"]}
    assert kinds_of(OPEN, PUT, index=0)["moment"] == [PUT]


def test_what_happened_before_is_never_wrong_and_the_reason_is_counted() -> None:
    assert [graph for graph in kinds_of(OPEN, PUT)["preposition"] if ("put", "from", "drawer") in graph]
    found = kinds_of(TAKEN_OUT, PUT).get("preposition", [])
    assert not any(("put", "from", "drawer") in graph for graph in found)
    _, dropped = wrong_steps(Narrative.of([TAKEN_OUT, PUT]), 1, Random(0))
    assert dropped["may be true of an earlier step"]


def test_an_action_that_is_a_homonym_is_exchanged_but_not_the_thing_of_its_name() -> None:
    found = kinds_of(step("cut", "dobj dough", "with hand1"), step("brush", "dobj dough", "with brush"))["action"]
    assert step("cut", "dobj dough", "with brush") in found
    assert all(graph.actions != ("brush",) and ("brush" in {t.target for t in graph}) for graph in found)


def test_wrong_graphs_of_made_up_stories_break_no_rule() -> None:
    story = made_up_story(3)
    for index in range(len(story.graphs)):
        for one in wrong_steps(story, index, Random(index))[0]:
            assert [finding for finding in check_graph(one.graph) if finding.severity == ERROR] == []
