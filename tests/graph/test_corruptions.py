"""The four seeded corruptions: real changes, of the kind they say, the same for the same seed."""

from __future__ import annotations

import pytest

from tsgkit.errors import EditError
from tsgkit.graph import ActionGraph, ChangeKind, Corruption, Vocabulary, check_graph, corrupt, diff, patch

FILL = ActionGraph.of(
    ("person", "verb", "fill"),
    ("fill", "dobj", "kettle"),
    ("fill", "under", "tap"),
    ("fill", "with", "hand1"),
)
L = Vocabulary(
    ("person", "hand1", "hand2", "kettle", "tap", "cup"), ("verb", "dobj", "under", "with", "manner"), ("fill", "hold")
)
SEEDS = range(40)
KINDS = {
    Corruption.REDUNDANT: ChangeKind.EXTRA,
    Corruption.MISSING: ChangeKind.MISSING,
    Corruption.MISMATCHED: ChangeKind.MISMATCHED,
    Corruption.REVERSED: ChangeKind.REVERSED,
}


@pytest.mark.parametrize("kind", Corruption)
def test_the_same_seed_spoils_in_the_same_way_and_seeds_differ(kind: Corruption) -> None:
    assert corrupt(FILL, kind, L, seed=7) == corrupt(FILL, kind, L, seed=7)
    assert len({corrupt(FILL, kind, L, seed=seed).graph for seed in SEEDS}) > 1


@pytest.mark.parametrize("kind", Corruption)
def test_a_corruption_is_exactly_the_one_change_it_reports(kind: Corruption) -> None:
    for seed in SEEDS:
        spoilt = corrupt(FILL, kind, L, seed=seed)
        difference = diff(FILL, spoilt.graph)
        assert difference.changes == (spoilt.change,)
        assert spoilt.change.kind is KINDS[kind]
        assert patch(spoilt.graph, difference) == FILL


def test_a_redundant_triplet_is_absent_and_breaks_no_rule() -> None:
    for seed in SEEDS:
        spoilt = corrupt(FILL, Corruption.REDUNDANT, L, seed=seed)
        assert spoilt.change.candidate not in FILL
        assert not [finding for finding in check_graph(spoilt.graph, L) if finding.severity == "error"]


def test_a_substitute_comes_from_l_and_is_of_the_same_kind() -> None:
    places = set()
    for seed in SEEDS:
        change = corrupt(FILL, Corruption.MISMATCHED, L, seed=seed).change
        assert change.candidate is not None
        assert change.reference is not None
        [place] = [n for n in range(3) if change.candidate[n] != change.reference[n]]
        allowed = (L.nodes, L.relationships, L.nodes)[place]
        assert change.candidate[place] in allowed
        assert (change.candidate[place] in L.verbs) == (change.reference[place] in L.verbs)
        places.add(place)
    assert places == {0, 1, 2}


def test_a_self_loop_is_never_reversed() -> None:
    graph = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"))
    assert {str(corrupt(graph, Corruption.REVERSED, L, seed=seed).change.reference) for seed in SEEDS} == {
        "person -> verb -> screw"
    }


@pytest.mark.parametrize(
    ("graph", "kind", "vocabulary"),
    [
        (ActionGraph.of(("person", "verb", "fill")), Corruption.MISSING, L),
        (ActionGraph.of(("cup", "on", "cup")), Corruption.REVERSED, L),
        (ActionGraph.of(("a", "on", "b"), ("b", "on", "a")), Corruption.REVERSED, L),
        (ActionGraph.of(("person", "verb", "fill")), Corruption.MISMATCHED, Vocabulary((), (), ("fill",))),
        (ActionGraph.of(("person", "verb", "fill")), Corruption.REDUNDANT, Vocabulary(("cup",), ("verb",), ())),
    ],
)
def test_a_corruption_that_is_not_possible_is_refused_with_the_reason(
    graph: ActionGraph, kind: Corruption, vocabulary: Vocabulary
) -> None:
    with pytest.raises(EditError, match=f"cannot be made {kind}: "):
        corrupt(graph, kind, vocabulary, seed=1)


def test_a_repeated_triplet_is_taken_out_whole() -> None:
    graph = ActionGraph([*FILL.triplets, *FILL.triplets])
    assert len(corrupt(graph, Corruption.MISSING, L, seed=1).graph) == 3


def test_one_seed_spoils_different_graphs_in_different_places() -> None:
    places = set()
    for number in range(30):
        graph = ActionGraph([*FILL.triplets, ("fill", "from", f"tap-{number}")])
        reference = corrupt(graph, Corruption.MISSING, L, seed=7).change.reference
        places.add(None if reference is None else graph.triplets.index(reference))
    assert len(places) == 5
