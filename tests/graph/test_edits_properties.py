"""Differences and corruptions, for any two graphs."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.errors import EditError
from tsgkit.graph import (
    ActionGraph,
    ChangeKind,
    Corruption,
    Narrative,
    Timeline,
    Vocabulary,
    check_narrative,
    corrupt,
    diff,
    patch,
    snap,
    trace,
)

NAMES = st.sampled_from(["person", "hold", "take", "cup", "lid", "hand1", "hand2", "table"])
LABELS = st.sampled_from(["verb", "dobj", "with", "on", "from"])
GRAPHS = st.lists(st.tuples(NAMES, LABELS, NAMES), max_size=7).map(ActionGraph)
L = Vocabulary(("cup", "lid", "table"), ("verb", "dobj", "with", "on", "from"), ("hold", "take"))


@given(reference=GRAPHS, candidate=GRAPHS)
def test_a_patch_makes_the_candidate_the_reference(reference: ActionGraph, candidate: ActionGraph) -> None:
    assert patch(candidate, diff(reference, candidate)) == reference


@given(reference=GRAPHS, candidate=GRAPHS)
def test_every_triplet_of_both_sides_is_matched_or_in_exactly_one_change(
    reference: ActionGraph, candidate: ActionGraph
) -> None:
    difference = diff(reference, candidate)
    ours = [change.reference for change in difference.changes if change.reference is not None]
    theirs = [change.candidate for change in difference.changes if change.candidate is not None]
    assert sorted([*difference.matched, *ours]) == sorted(set(reference.triplets))
    assert sorted([*difference.matched, *theirs]) == sorted(set(candidate.triplets))


@given(graph=GRAPHS)
def test_a_graph_does_not_differ_from_itself(graph: ActionGraph) -> None:
    assert not diff(graph, ActionGraph(reversed(graph.triplets)))


@given(reference=GRAPHS, candidate=GRAPHS)
def test_changing_sides_turns_missing_into_extra(reference: ActionGraph, candidate: ActionGraph) -> None:
    assert diff(reference, ActionGraph()).of_kind(ChangeKind.MISSING) == diff(reference, ActionGraph()).changes
    assert diff(ActionGraph(), candidate).of_kind(ChangeKind.EXTRA) == diff(ActionGraph(), candidate).changes


@given(graph=GRAPHS, kind=st.sampled_from(Corruption), seed=st.integers(0, 99))
def test_a_corruption_is_one_change_that_a_patch_undoes(graph: ActionGraph, kind: Corruption, seed: int) -> None:
    try:
        spoilt = corrupt(graph, kind, L, seed=seed)
    except EditError:
        return
    difference = diff(graph, spoilt.graph)
    assert spoilt.graph != graph
    assert len(difference.changes) == 1
    assert len(spoilt.graph) == len(graph) + {Corruption.REDUNDANT: 1, Corruption.MISSING: -1}.get(kind, 0)
    assert patch(spoilt.graph, difference) == graph


@given(graph=GRAPHS)
def test_snapping_a_graph_of_l_changes_nothing(graph: ActionGraph) -> None:
    assert snap(graph, L) == (graph, ())


@given(graphs=st.lists(GRAPHS, max_size=6))
def test_any_narrative_can_be_linted_followed_and_put_on_a_timeline(graphs: list[ActionGraph]) -> None:
    narrative = Narrative.of(graphs, L)
    steps = trace(narrative)
    assert len(steps) == len(graphs)
    assert all(earlier.after == later.before for earlier, later in itertools.pairwise(steps))
    assert all(0 <= (finding.place.graph or 0) < len(graphs) for finding in check_narrative(narrative))
    timeline = Timeline(narrative)
    assert timeline.graph.number_of_nodes() >= len(graphs)
