"""Differences in words, patches that undo them, and snapping to L."""

from __future__ import annotations

import pytest

from tsgkit.errors import EditError
from tsgkit.graph import ActionGraph, ChangeKind, Vocabulary, diff, patch, snap

FILL = ActionGraph.of(
    ("person", "verb", "fill"),
    ("fill", "dobj", "kettle"),
    ("fill", "under", "tap"),
    ("fill", "with", "hand1"),
)
L = Vocabulary(("kettle", "tap", "cup", "cups"), ("verb", "dobj", "under", "with"), ("fill", "pick-up", "hold"))


def spoilt(*replaced: tuple[str, str]) -> ActionGraph:
    text = " | ".join(map(str, FILL))
    for old, new in replaced:
        text = text.replace(old, new)
    return ActionGraph(line.split(" -> ") for line in text.split(" | ") if line)


ONE = {
    ChangeKind.MISSING: ("fill -> under -> tap | ", ""),
    ChangeKind.EXTRA: ("fill -> under -> tap", "fill -> under -> tap | lid -> of -> kettle"),
    ChangeKind.REVERSED: ("fill -> under -> tap", "tap -> under -> fill"),
    ChangeKind.MISMATCHED: ("fill -> under -> tap", "fill -> over -> tap"),
    ChangeKind.WRONG_HAND: ("hand1", "hand2"),
}


@pytest.mark.parametrize("kind", ONE)
def test_one_change_is_called_by_its_name(kind: ChangeKind) -> None:
    difference = diff(FILL, spoilt(ONE[kind]))
    assert [change.kind for change in difference.changes] == [kind]
    assert difference.of_kind(kind) == difference.changes


@pytest.mark.parametrize("kind", ONE)
def test_a_patch_undoes_the_change(kind: ChangeKind) -> None:
    candidate = spoilt(ONE[kind])
    assert patch(candidate, diff(FILL, candidate)) == FILL


@pytest.mark.parametrize("place", ["person", "verb", "kettle"])
def test_a_mismatch_is_one_element_in_any_place(place: str) -> None:
    lone = ActionGraph.of(("person", "verb", "kettle"))
    candidate = ActionGraph([[part if part != place else "x" for part in triplet] for triplet in lone])
    assert [change.kind for change in diff(lone, candidate).changes] == [ChangeKind.MISMATCHED]


def test_two_different_elements_are_a_missing_and_an_extra_triplet() -> None:
    changes = diff(ActionGraph.of(("a", "on", "b")), ActionGraph.of(("a", "in", "c"))).changes
    assert [change.kind for change in changes] == [ChangeKind.MISSING, ChangeKind.EXTRA]


def test_equal_graphs_have_no_difference_and_order_makes_none() -> None:
    difference = diff(FILL, ActionGraph(reversed(FILL.triplets)))
    assert not difference
    assert difference.matched == FILL.triplets


def test_an_element_out_of_l_is_said_beside_the_kind() -> None:
    [change] = diff(FILL, spoilt(("kettle", "vase")), L).changes
    assert (change.kind, change.outside) == (ChangeKind.MISMATCHED, ("vase",))
    assert str(change) == "mismatched: fill -> dobj -> vase, expected fill -> dobj -> kettle (out of L: vase)"


def test_a_pair_of_hands_exchanged_between_two_triplets_is_no_difference() -> None:
    both = ActionGraph.of(("hold", "with", "hand1"), ("hold", "with", "hand2"))
    assert not diff(both, ActionGraph(reversed(both.triplets)))


def test_a_patch_keeps_the_order_of_what_it_repairs() -> None:
    candidate = spoilt(("kettle", "vase"), ("hand1", "hand2"))
    assert patch(candidate, diff(FILL, candidate)).triplets == FILL.triplets


def test_a_patch_for_another_graph_is_refused() -> None:
    difference = diff(FILL, spoilt(("kettle", "vase")))
    with pytest.raises(EditError, match="has no triplet"):
        patch(ActionGraph.of(("a", "on", "b")), difference)


def test_a_large_difference_is_found_in_linear_steps() -> None:
    reference = ActionGraph(("hold", "with", f"a{number}") for number in range(20_000))
    candidate = ActionGraph(("hold", "with", f"b{number}") for number in range(20_000))
    assert len(diff(reference, candidate).changes) == 20_000


def test_snapping_moves_an_element_to_its_one_clear_neighbour() -> None:
    graph = ActionGraph.of(
        ("person", "verb", "picks up"), ("picks up", "dobj", "kettel"), ("picks up", "with", "hand1")
    )
    snapped, snaps = snap(graph, L)
    assert [str(triplet) for triplet in snapped] == [
        "person -> verb -> pick-up",
        "pick-up -> dobj -> kettle",
        "pick-up -> with -> hand1",
    ]
    assert {move.element: move.near.name for move in snaps} == {"picks up": "pick-up", "kettel": "kettle"}
    assert all(move.near.by for move in snaps)


def test_snapping_leaves_what_has_no_clear_neighbour() -> None:
    graph = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "piano"))
    assert snap(graph, L) == (graph, ())


def test_snapping_leaves_what_is_in_l_although_something_is_near() -> None:
    graph = ActionGraph.of(("person", "verb", "hold"), ("hold", "dobj", "cups"))
    assert snap(graph, L) == (graph, ())


def test_snapping_moves_edges_first_since_kinds_follow_from_them() -> None:
    graph = ActionGraph.of(("Person", "verbs", "fills"), ("fills", "dobj", "kettel"), ("fills", "with", "Hand1"))
    snapped, _ = snap(graph, L)
    assert [str(triplet) for triplet in snapped] == [
        "person -> verb -> fill",
        "fill -> dobj -> kettle",
        "fill -> with -> hand1",
    ]


def test_a_difference_is_explained_by_targets_before_edges() -> None:
    reference = ActionGraph.of(("a", "dobj", "x"), ("a", "on", "y"))
    candidate = ActionGraph.of(("a", "on", "x"), ("a", "dobj", "z"))
    assert [change.kind for change in diff(reference, candidate).changes] == [ChangeKind.MISMATCHED] * 2
