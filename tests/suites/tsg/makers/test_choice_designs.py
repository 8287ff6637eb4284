from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from made_up_stories import made_up_story

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.suites.tsg.makers.choice_designs import MIXED, ONE_ELEMENT, TAGS, Design, Drawing, designs
from tsgkit.suites.tsg.makers.claims import hands_of, may_be_true
from tsgkit.suites.tsg.makers.wrong_steps import StoryView


def all_designs(tag: str, stories: int = 6) -> list[tuple[StoryView, int, Design]]:
    views = [StoryView(made_up_story(number)) for number in range(stories)]
    drawing = Drawing(Random(4), ("imperative", "present"))
    return [
        (view, index, design)
        for view in views
        for index in range(1, len(view.graphs))
        for design in designs(view, index, tag, drawing)
    ]


@pytest.mark.parametrize("tag", TAGS)
def test_no_wrong_candidate_may_be_true_of_what_has_happened(tag: str) -> None:
    for view, index, design in all_designs(tag):
        hands = design.manner.hands
        for variant in design.wrong:
            if variant.graph is not None:
                for step in view.graphs[: index + 1]:
                    is_said, is_counted = hands != "unsaid", hands == "counted"
                    assert not may_be_true(variant.graph, step, hands=is_said, counted=is_counted)


def test_candidates_of_one_element_differ_at_one_place_each_from_each() -> None:
    for _, _, design in all_designs(ONE_ELEMENT):
        graphs = [variant.graph for variant in (design.right, *design.wrong) if variant.graph is not None]
        for one, other in combinations(graphs, 2):
            assert len(set(one.triplets) ^ set(other.triplets)) == 2


def test_changed_hands_are_said() -> None:
    for _, _, design in all_designs(MIXED):
        for variant in design.wrong:
            if "hand" in variant.kind.split("+") and variant.graph is not None:
                assert design.manner.hands != "unsaid"
                count = len(hands_of(variant.graph))
                is_same = count == len(hands_of(design.right.worded))
                assert design.manner.hands == ("named" if is_same else "counted")


def test_contrasts_affirm_each_preposition_once() -> None:
    found = [design for _, _, design in all_designs(ONE_ELEMENT) if design.right.contrast]
    assert found
    for design in found:
        affirmed = [variant.contrast[0] for variant in (design.right, *design.wrong) if variant.contrast]
        assert len(set(affirmed)) == len(affirmed) == len(design.wrong) + 1


def test_a_right_candidate_may_say_a_preposition_in_another_word() -> None:
    said = [design.right for _, _, design in all_designs(ONE_ELEMENT)]
    assert any(right.worded != right.graph for right in said)
    assert any(right.worded == right.graph for right in said)
    for right in said:
        assert right.graph is not None
        assert may_be_true(right.worded, right.graph)


def test_what_other_things_hang_on_is_never_left_unsaid() -> None:
    spread = ActionGraph.of(
        ("person", "verb", "spread"),
        ("spread", "dobj", "paste"),
        ("spread", "along", "spine"),
        ("spine", "of", "cover"),
        ("spread", "with", "brush"),
        ("spread", "with", "hand1"),
    )
    take = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "awl"), ("take", "from", "jar"))
    view = StoryView(Narrative.of([take, spread, take]))
    for seed in range(20):
        for design in designs(view, 1, MIXED, Drawing(Random(seed), ("imperative",))):
            assert ("spread", "along", "spine") in design.right.worded
