from __future__ import annotations

from random import Random

from made_up_stories import made_up_story

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.suites.tsg.makers.wrong_steps import WrongStep, wrong_steps

OPEN = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "drawer"), ("open", "with", "hand1"))
PUT = ActionGraph.of(
    ("person", "verb", "put"), ("put", "dobj", "cup"), ("put", "into", "drawer"), ("put", "with", "hand1")
)


def wrong(*graphs: ActionGraph, index: int = -1) -> tuple[WrongStep, ...]:
    return wrong_steps(Narrative.of(graphs), index % len(graphs), Random(0), most=1000)[0]


def kinds_of(*graphs: ActionGraph) -> dict[str, list[ActionGraph]]:
    found: dict[str, list[ActionGraph]] = {}
    for one in wrong(*graphs):
        found.setdefault(one.kind, []).append(one.graph)
    return found


def test_two_things_change_places() -> None:
    [swapped] = kinds_of(OPEN, PUT)["order"]
    assert ("put", "dobj", "drawer") in swapped
    assert ("put", "into", "cup") in swapped


def test_the_other_hand_and_both_are_tried() -> None:
    hands = {frozenset(t.target for t in graph if "hand" in t.target) for graph in kinds_of(OPEN, PUT)["hand"]}
    assert hands == {frozenset({"hand2"}), frozenset({"hand1", "hand2"})}


def test_hands_that_something_passes_between_change_places() -> None:
    passed = ActionGraph.of(
        ("person", "verb", "pass"), ("pass", "dobj", "cup"), ("pass", "from", "hand1"), ("pass", "to", "hand2")
    )
    [turned] = kinds_of(OPEN, passed)["hand"]
    assert ("pass", "from", "hand2") in turned


def test_an_opposite_action_is_tried() -> None:
    actions = {graph.actions[0] for graph in kinds_of(PUT, OPEN)["action"]}
    assert "close" in actions


def test_a_graph_of_a_later_step_is_a_moment() -> None:
    assert [one.graph for one in wrong(OPEN, PUT, index=0) if one.kind == "moment"] == [PUT]


def test_what_happened_before_is_never_wrong() -> None:
    earlier = ActionGraph.of(("person", "verb", "put"), ("put", "dobj", "cup"), ("put", "out-of", "drawer"))
    tried = [graph for graph in kinds_of(OPEN, PUT)["preposition"] if ("put", "from", "drawer") in graph]
    assert tried
    assert not any(("put", "from", "drawer") in graph for graph in kinds_of(earlier, PUT).get("preposition", []))


def test_things_that_stand_next_to_each_other_do_not_change_places() -> None:
    beside = ActionGraph.of(("person", "verb", "put"), ("put", "dobj", "cup"), ("put", "next-to", "jar"))
    assert "order" not in kinds_of(OPEN, beside)


def test_things_that_are_fastened_to_each_other_do_not_change_places() -> None:
    screwed = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "cover"), ("screw", "to", "case"))
    assert "order" not in kinds_of(OPEN, screwed)


def test_a_homonym_is_changed_as_a_thing_only() -> None:
    brush = ActionGraph.of(("person", "verb", "brush"), ("brush", "dobj", "dough"), ("brush", "with", "brush"))
    for one in wrong(OPEN, PUT, brush):
        if one.kind == "action":
            assert ("person", "verb", "brush") not in one.graph
            assert any(triplet.target == "brush" for triplet in one.graph)


def test_wrong_graphs_of_made_up_stories_break_no_rule() -> None:
    story = made_up_story(3)
    for index in range(len(story.graphs)):
        for one in wrong_steps(story, index, Random(index))[0]:
            assert [finding for finding in check_graph(one.graph) if finding.severity == ERROR] == []


def test_reasons_are_counted() -> None:
    other = ActionGraph.of(("person", "verb", "put"), ("put", "dobj", "cup"), ("put", "out-of", "drawer"))
    _, dropped = wrong_steps(Narrative.of([other, PUT]), 1, Random(0))
    assert dropped["may be true of an earlier step"]
