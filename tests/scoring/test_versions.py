"""Pairs of graphs of two versions of a narrative."""

from __future__ import annotations

import pytest

from tsgkit.graph.model import ActionGraph, Description, Narrative
from tsgkit.scoring import versions
from tsgkit.scoring.versions import paired

FILL = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"))
LIFT = ActionGraph.of(("person", "verb", "lift"), ("lift", "dobj", "lid"))
HEAVY = ActionGraph.of(("person", "verb", "lift"), ("lift", "dobj", "pot"))
POUR = ActionGraph.of(("person", "verb", "pour"), ("pour", "dobj", "tea"))


def numbers(first: Narrative, second: Narrative) -> list[tuple[int | None, int | None]]:
    return [pair.graphs for pair in paired(first, second)]


def test_equal_narratives_are_paired_without_a_difference() -> None:
    story = Narrative.of([FILL, LIFT, POUR])
    assert numbers(story, story) == [(0, 0), (1, 1), (2, 2)]
    assert not any(pair.differs for pair in paired(story, story))


def test_a_forgotten_graph_does_not_shift_the_others() -> None:
    assert numbers(Narrative.of([FILL, LIFT, POUR]), Narrative.of([LIFT, POUR])) == [(0, None), (1, 0), (2, 1)]
    assert numbers(Narrative.of([LIFT, POUR]), Narrative.of([FILL, LIFT, POUR])) == [(None, 0), (0, 1), (1, 2)]


def test_graphs_that_share_triplets_are_paired_rather_than_those_at_the_same_place() -> None:
    assert numbers(Narrative.of([FILL, LIFT]), Narrative.of([HEAVY])) == [(0, None), (1, 0)]


def test_graphs_without_anything_in_common_are_paired_where_as_many_are_left() -> None:
    assert numbers(Narrative.of([FILL, POUR]), Narrative.of([LIFT, POUR])) == [(0, 0), (1, 1)]


def test_repeated_actions_are_paired_in_step_although_some_differ() -> None:
    hand = ("pour", "with", "hand1")
    press, fold = ActionGraph([*POUR, hand]), ActionGraph([*LIFT, ("lift", "with", "hand1")])
    changed = [ActionGraph([*POUR, ("pour", "with", "wall")]), ActionGraph([*LIFT, ("lift", "with", "jug")])]
    first = Narrative.of([press, fold] * 3)
    second = Narrative.of([changed[0], fold, press, changed[1], press, fold])
    assert numbers(first, second) == [(place, place) for place in range(6)]


def test_repeated_graphs_are_paired_once_each() -> None:
    assert numbers(Narrative.of([FILL, FILL, FILL]), Narrative.of([FILL, FILL])) == [(0, 0), (1, 1), (2, None)]


def test_descriptions_are_matched_by_position_where_there_are_as_many() -> None:
    first = Narrative((Description("one", (FILL,)), Description("two", (LIFT,))))
    second = Narrative((Description("other words", ()), Description("two", (FILL, LIFT))))
    assert [(pair.descriptions, pair.graphs) for pair in paired(first, second)] == [
        ((0, 0), (0, None)),
        ((1, 1), (None, 0)),
        ((1, 1), (1, 1)),
    ]


def test_a_description_that_was_added_is_matched_to_none() -> None:
    first = Narrative((Description("one", (FILL,)), Description("two", (LIFT,))))
    second = Narrative((Description("one", (FILL,)), Description("new", (POUR,)), Description("two", (LIFT,))))
    assert [(pair.descriptions, pair.graphs) for pair in paired(first, second)] == [
        ((0, 0), (0, 0)),
        ((None, 1), (None, 1)),
        ((1, 2), (1, 2)),
    ]


def test_very_long_gaps_are_paired_by_position(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Narrative.of([POUR, LIFT]), Narrative.of([HEAVY, FILL, FILL])
    assert numbers(first, second) == [(0, None), (1, 0), (None, 1), (None, 2)]
    monkeypatch.setattr(versions, "MOST_COMPARED", 3)
    assert numbers(first, second) == [(0, 0), (1, 1), (None, 2)]
