"""Differences in words, patches that undo them, snapping to L, and seeded faults of several kinds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from tsgkit.errors import EditError
from tsgkit.graph import ActionGraph, ChangeKind, Corruption, Vocabulary, check_graph, corrupt, diff, patch, snap
from tsgkit.graph.careless_texts import WRITINGS, careless_reading
from tsgkit.graph.slips import MOST, SLIPS, annotator_slip, published_error, slipped

FILL = ActionGraph.of(
    ("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "under", "tap"), ("fill", "with", "hand1")
)
L = Vocabulary(("kettle", "tap", "cup", "cups"), ("verb", "dobj", "under", "with"), ("fill", "pick-up", "hold"))


def spoilt(*replaced: tuple[str, str]) -> ActionGraph:
    text = " | ".join(map(str, FILL))
    for old, new in replaced:
        text = text.replace(old, new)
    return ActionGraph(line.split(" -> ") for line in text.split(" | ") if line)


def test_one_change_is_called_by_its_name_and_undone_by_a_patch() -> None:
    for kind, old, new in [
        (ChangeKind.MISSING, "fill -> under -> tap | ", ""),
        (ChangeKind.EXTRA, "fill -> under -> tap", "fill -> under -> tap | lid -> of -> kettle"),
        (ChangeKind.REVERSED, "fill -> under -> tap", "tap -> under -> fill"),
        (ChangeKind.MISMATCHED, "fill -> under -> tap", "fill -> over -> tap"),
        (ChangeKind.MISMATCHED, "person -> verb", "cup -> verb"),
        (ChangeKind.MISMATCHED, "-> kettle", "-> lid"),
        (ChangeKind.WRONG_HAND, "hand1", "hand2"),
    ]:
        candidate = spoilt((old, new))
        difference = diff(FILL, candidate)
        assert [change.kind for change in difference.changes] == [kind], (kind, new)
        assert difference.of_kind(kind) == difference.changes, (kind, new)
        assert patch(candidate, difference) == FILL, (kind, new)


def test_differences_are_said_in_words_and_order_makes_none() -> None:
    reference = ActionGraph.of(("a", "dobj", "x"), ("a", "on", "y"), ("b", "on", "c"))
    candidate = ActionGraph.of(("a", "on", "x"), ("a", "dobj", "z"), ("e", "in", "d"))
    assert [str(change) for change in diff(reference, candidate).changes] == [
        "mismatched: a -> on -> x, expected a -> on -> y",
        "mismatched: a -> dobj -> z, expected a -> dobj -> x",
        "missing: b -> on -> c",
        "extra: e -> in -> d",
    ]
    [change] = diff(FILL, spoilt(("kettle", "vase")), L).changes
    assert (change.kind, change.outside) == (ChangeKind.MISMATCHED, ("vase",))
    assert str(change) == "mismatched: fill -> dobj -> vase, expected fill -> dobj -> kettle (out of L: vase)"
    difference = diff(FILL, ActionGraph(reversed(FILL.triplets)))
    assert (bool(difference), difference.matched) == (False, FILL.triplets)


def test_a_patch_keeps_the_order_of_what_it_repairs_and_refuses_another_graph() -> None:
    candidate = spoilt(("kettle", "vase"), ("hand1", "hand2"))
    assert patch(candidate, diff(FILL, candidate)).triplets == FILL.triplets
    assert "has no triplet" in refusal(EditError, patch, ActionGraph.of(("a", "on", "b")), diff(FILL, candidate))
    reference, candidate = (ActionGraph(("hold", "with", f"{name}{n}") for n in range(20_000)) for name in "ab")
    assert len(diff(reference, candidate).changes) == 20_000, "a large difference is found in linear steps"


def test_snapping_moves_elements_to_their_one_clear_neighbour_and_leaves_others() -> None:
    graph = ActionGraph.of(
        ("Person", "verbs", "picks up"), ("picks up", "dobj", "kettel"), ("picks up", "with", "Hand1")
    )
    snapped, snaps = snap(graph, L)
    assert snapped == ActionGraph.of(
        ("person", "verb", "pick-up"), ("pick-up", "dobj", "kettle"), ("pick-up", "with", "hand1")
    )
    moves = [("verbs", "verb"), ("Person", "person"), ("picks up", "pick-up"), ("kettel", "kettle"), ("Hand1", "hand1")]
    assert [(move.element, move.near.name) for move in snaps] == moves
    for verb, thing in (("fill", "piano"), ("hold", "cups")):
        graph = ActionGraph.of(("person", "verb", verb), (verb, "dobj", thing))
        assert snap(graph, L) == (graph, ()), thing


NAMES = st.sampled_from(["person", "hold", "take", "cup", "lid", "hand1", "hand2", "table"])
LABELS = st.sampled_from(["verb", "dobj", "with", "on", "from"])
GRAPHS = st.lists(st.tuples(NAMES, LABELS, NAMES), max_size=7).map(ActionGraph)
SMALL = Vocabulary(("cup", "lid", "table"), ("verb", "dobj", "with", "on", "from"), ("hold", "take"))


@given(reference=GRAPHS, candidate=GRAPHS)
def test_every_triplet_is_matched_or_in_one_change_and_a_patch_makes_the_reference(
    reference: ActionGraph, candidate: ActionGraph
) -> None:
    difference = diff(reference, candidate)
    ours = [change.reference for change in difference.changes if change.reference is not None]
    theirs = [change.candidate for change in difference.changes if change.candidate is not None]
    assert sorted([*difference.matched, *ours]) == sorted(set(reference.triplets))
    assert sorted([*difference.matched, *theirs]) == sorted(set(candidate.triplets))
    assert patch(candidate, difference) == reference
    assert all(change.kind is ChangeKind.MISSING for change in diff(reference, ActionGraph()).changes)
    assert snap(reference, SMALL) == (reference, ())


WIDE = Vocabulary(
    ("person", "hand1", "hand2", "kettle", "tap", "cup"), ("verb", "dobj", "under", "with", "manner"), ("fill", "hold")
)
KINDS = {
    Corruption.REDUNDANT: ChangeKind.EXTRA,
    Corruption.MISSING: ChangeKind.MISSING,
    Corruption.MISMATCHED: ChangeKind.MISMATCHED,
    Corruption.REVERSED: ChangeKind.REVERSED,
}


def test_a_corruption_is_the_change_it_reports_breaks_no_other_rule_and_is_the_same_for_its_seed() -> None:
    places = set()
    for kind in Corruption:
        found = [corrupt(FILL, kind, WIDE, seed=seed) for seed in range(40)]
        assert len({one.graph for one in found}) > 1, kind
        assert found[7] == corrupt(FILL, kind, WIDE, seed=7), kind
        for one in found:
            assert one.change.kind is KINDS[kind]
            assert diff(FILL, one.graph).changes == (one.change,), kind
            reference, candidate = one.change.reference, one.change.candidate
            if kind is Corruption.REDUNDANT:
                assert candidate not in FILL
                assert not [finding for finding in check_graph(one.graph, WIDE) if finding.severity == "error"]
            if kind is Corruption.MISMATCHED:
                assert candidate is not None and reference is not None
                [place] = [n for n in range(3) if candidate[n] != reference[n]]
                assert candidate[place] in (WIDE.relationships if place == 1 else WIDE.nodes)
                assert (candidate[place] in WIDE.verbs) == (reference[place] in WIDE.verbs)
                places.add(place)
    assert places == {0, 1, 2}


def test_a_corruption_that_is_not_possible_is_refused_with_the_reason() -> None:
    fill = ("person", "verb", "fill")
    rows: list[tuple[list[tuple[str, str, str]], Corruption, Vocabulary]] = [
        ([fill], Corruption.MISSING, WIDE),
        ([("cup", "on", "cup")], Corruption.REVERSED, WIDE),
        ([("a", "on", "b"), ("b", "on", "a")], Corruption.REVERSED, WIDE),
        ([fill], Corruption.MISMATCHED, Vocabulary((), (), ("fill",))),
        ([fill], Corruption.REDUNDANT, Vocabulary(("cup",), ("verb",), ())),
    ]
    for triplets, kind, vocabulary in rows:
        message = refusal(EditError, corrupt, ActionGraph(triplets), kind, vocabulary, seed=1)
        assert f"cannot be made {kind}: " in message
    twice = ActionGraph([*FILL.triplets, *FILL.triplets])
    assert len(corrupt(twice, Corruption.MISSING, WIDE, seed=1).graph) == 3, "a repeated triplet is taken out whole"


PICK = ActionGraph.of(
    *(("person", "verb", "pick-up"), ("pick-up", "dobj", "tea-pot"), ("pick-up", "from", "tray")),
    *(("pick-up", "with", "hand1"), ("pick-up", "with", "hand2")),
)
POTS = Vocabulary(("tea-pot", "tray", "cup"), ("verb", "dobj", "with", "from"), ("pick-up", "pour"))
ALONE = ActionGraph.of(("person", "verb", "wash"))


def test_a_slip_changes_few_triplets() -> None:
    for name in SLIPS:
        ways = [one for graph in SLIPS[name](PICK, POTS) if (one := slipped(PICK, graph, name))]
        assert ways and all(1 <= len(one.changes) <= MOST for one in ways), name


def test_a_graph_that_allows_no_fault_is_an_error() -> None:
    nothing = Vocabulary((), (), ())
    assert published_error(ALONE, nothing, seed=0).changes
    with pytest.raises(EditError):
        careless_reading(ActionGraph(), seed=0)
    for draw in (published_error, annotator_slip):
        with pytest.raises(EditError):
            draw(ActionGraph(), nothing, seed=0)
    assert slipped(ALONE, ActionGraph(), "no-verb") is slipped(ALONE, ALONE, "nothing") is None


def test_careless_texts_run_on_into_the_next_graph_only_where_there_is_one() -> None:
    alone = {careless_reading(PICK, seed=seed).name for seed in range(200)}
    beside = {careless_reading(PICK, (PICK, ALONE), seed=seed).name for seed in range(200)}
    assert (beside - alone, beside) == ({"run-on"}, set(WRITINGS))
