"""Checks of a narrative that is being edited: those of the linter, exact repairs one by one, and bounded caches."""

from __future__ import annotations

from typing import Any

from edited_files import STORY, L

from tsgkit.graph.hands import trace
from tsgkit.graph.model import HANDS, ActionGraph, Description, Narrative, Vocabulary
from tsgkit.graph.repairs import mend_graph
from tsgkit.graph.rules import check_narrative
from tsgkit.serve import story_checks
from tsgkit.serve.story_checks import checks

SLIPS = ActionGraph([("wash", "verb", "person"), ("wash", "direct_object", "Cup"), ("wash", "with", "hand1")])


def graph_of(value: list[list[str]]) -> ActionGraph:
    return ActionGraph(value)


def repairs(graph: ActionGraph, vocabulary: Vocabulary | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = checks(Narrative.of([graph], vocabulary))["graphs"][0]["repairs"]
    return found


def test_findings_and_hands_are_those_of_the_linter() -> None:
    take = ActionGraph([("person", "verb", "take"), ("take", "dobj", "cup"), ("take", "with", "hand2")])
    story = Narrative(
        (Description("a", (take, take)), Description("b"), Description("c", (SLIPS, ActionGraph(), take))), L
    )
    found = checks(story)
    expected = check_narrative(story)
    told = [
        (one["code"], one["severity"], one["message"], one["hint"], number, one["triplet"], tuple(one["elements"]))
        for number, graph in enumerate(found["graphs"])
        for one in graph["findings"]
    ]
    assert sorted(told, key=str) == sorted(
        (
            (one.code, one.severity, one.message, one.hint, one.place.graph, one.place.triplet, one.elements)
            for one in expected
        ),
        key=str,
    )
    for step, graph in zip(trace(story), found["graphs"], strict=True):
        for when, state in (("before", step.before), ("after", step.after)):
            assert graph["hands"][when] == {
                hand: None if state.of(hand) is None else list(state.of(hand) or ()) for hand in HANDS
            }


def test_repairs_are_offered_one_by_one() -> None:
    found = repairs(SLIPS)
    assert [one["code"] for one in found] == ["verb-source", "edge-misspelt"], "Cup comes after its edge"
    for one in found:
        changed = set(map(tuple, one["graph"])) ^ set(SLIPS.triplets)
        assert changed == {tuple(one["before"]), tuple(one["after"])}
        assert one["reason"]


def test_all_repairs_one_after_the_other_lead_to_the_mended_graph() -> None:
    graph = SLIPS
    for _ in range(10):
        found = repairs(graph)
        if not found:
            break
        graph = graph_of(found[0]["graph"])
    assert graph == mend_graph(SLIPS)[0]
    assert not [one for one in checks(Narrative.of([graph]))["graphs"][0]["findings"] if one["severity"] == "error"]


def test_name_is_respelt_in_all_its_triplets_at_once() -> None:
    graph = ActionGraph([("person", "verb", "Wash"), ("Wash", "dobj", "cup")])
    found = repairs(graph)
    assert [one["before"] for one in found] == [["person", "verb", "Wash"], ["Wash", "dobj", "cup"]]
    assert all(one["graph"] == [["person", "verb", "wash"], ["wash", "dobj", "cup"]] for one in found)


def test_of_a_triplet_written_twice_the_second_goes() -> None:
    graph = ActionGraph([("person", "verb", "wash"), ("wash", "dobj", "cup"), ("person", "verb", "wash")])
    (one,) = repairs(graph)
    assert (one["before"], one["after"], one["code"]) == (["person", "verb", "wash"], None, "duplicate")
    assert one["graph"] == [["person", "verb", "wash"], ["wash", "dobj", "cup"]]


def test_graph_without_findings_has_no_repairs() -> None:
    found = checks(STORY)
    assert not any(one["repairs"] for one in found["graphs"])
    assert found["mentioned"] == [["wash", "cup"], ["dry", "with", "towel"]], "in the order of the text"


def test_mentions_follow_a_change_of_the_vocabulary() -> None:
    text = Description("She took off the lid of the kettle and put it on the shelf.")
    for objects in (("lid",), ("lid", "kettle"), ("kettle",), (), ("shelf", "lid")):
        found = checks(Narrative((text,), Vocabulary(objects, (), ("take-off",))))["mentioned"][0]
        assert found == [name for name in ("take-off", "lid", "kettle", "shelf") if name in (*objects, "take-off")]
    assert checks(Narrative((text, Description()), None))["mentioned"] == [[], []]


def test_edit_of_one_graph_checks_that_graph_alone() -> None:
    graphs = [ActionGraph([("person", "verb", "wash"), ("wash", "dobj", f"cup-{n}")]) for n in range(300)]
    story = Narrative.of(graphs, L)
    checks(story)
    before = story_checks._graph_checks.cache_info().misses
    graphs[7] = ActionGraph([*graphs[7].triplets, ("wash", "with", "hand1")])
    checks(Narrative.of(graphs, L))
    assert story_checks._graph_checks.cache_info().misses == before + 1
