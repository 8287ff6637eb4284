"""Graphs as sets of triplets with a written order; their differences, patches, snapping to L, and seeded faults."""

from __future__ import annotations

import pickle
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refusal

from tsgkit.errors import EditError, NotationError
from tsgkit.graph import (
    ActionGraph,
    ChangeKind,
    Corruption,
    Description,
    EdgeKind,
    Kind,
    Narrative,
    Node,
    Triplet,
    Vocabulary,
    check_graph,
    corrupt,
    diff,
    from_networkx,
    patch,
    snap,
    to_networkx,
)
from tsgkit.graph.careless_texts import WRITINGS, careless_reading
from tsgkit.graph.slips import MOST, SLIPS, annotator_slip, published_error, slipped

WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
SCREW = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"))


def test_graphs_are_equal_whatever_the_order_and_repeats_they_were_written_with_and_nothing_changes_one() -> None:
    other = ActionGraph([*reversed(WASH.triplets), WASH.triplets[0]])
    assert (other == WASH, hash(other) == hash(WASH), len(other)) == (True, True, 3)
    triplets = [("b", "on", "a"), ("a", "on", "b"), ("b", "on", "a")]
    assert [tuple(triplet) for triplet in ActionGraph(triplets)] == triplets
    assert ActionGraph.of(("a", "on", "b")) not in (ActionGraph.of(("b", "on", "a")), ActionGraph.of(("A", "on", "b")))
    with pytest.raises(TypeError):
        ActionGraph([("person", "verb")])
    with pytest.raises(AttributeError):
        WASH.triplets = ()  # type: ignore[misc]


def test_kinds_of_nodes_and_edges_follow_from_roles_and_where_none_decides_from_l() -> None:
    assert SCREW.nodes() == (Node(Kind.PERSON, "person"), Node(Kind.ACTION, "screw"), Node(Kind.OBJECT, "screw"))
    assert Node(Kind.ACTION, "hand1") in ActionGraph.of(("person", "verb", "hand1")).nodes()
    assert Node(Kind.HAND, "hand1") in WASH.nodes()
    graph = ActionGraph.of(("pick-up", "dobj", "brush"))
    verbs = Vocabulary(objects=("brush",), relationships=("dobj",), verbs=("pick-up", "brush"))
    assert graph.nodes() == (Node(Kind.OBJECT, "pick-up"), Node(Kind.OBJECT, "brush"))
    assert graph.nodes(verbs) == (Node(Kind.ACTION, "pick-up"), Node(Kind.OBJECT, "brush"))
    kinds = [Triplet("a", label, "b").kind for label in ("verb", "dobj", "out-of")]
    assert kinds == [EdgeKind.VERB, EdgeKind.DOBJ, EdgeKind.PREPOSITION]


def test_the_vocabulary_allows_what_graphs_use_and_a_narrative_lists_the_graphs_of_all_descriptions() -> None:
    vocabulary = Vocabulary.of([WASH, SCREW])
    assert vocabulary.verbs == ("wash", "screw")
    assert all(vocabulary.allows_node(name) for name in ("cup", "screw", "hand1", "person"))
    assert not vocabulary.allows_node("with") and not vocabulary.allows_edge("under")
    empty = Vocabulary()
    assert all(empty.allows_node(name) for name in ("person", "hand1", "hand2"))
    assert empty.allows_edge("verb") and empty.allows_edge("dobj")
    assert Vocabulary(("cup", "screw"), (), ("screw", "wash")).nodes == ("cup", "screw", "wash")
    narrative = Narrative((Description("One.", (WASH,)), Description("Two."), Description(None, (SCREW, WASH))))
    assert narrative.graphs == (WASH, SCREW, WASH)
    for value in (WASH, Narrative.of([WASH], Vocabulary.of([WASH])), WASH.typed()):
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301  (our own bytes)


DRILL = ActionGraph.of(
    ("drill", "into", "wall"),
    ("person", "verb", "drill"),
    ("drill", "with", "drill"),
    ("drill", "beside", "wall"),
    ("drill", "into", "wall"),
)


NAMED = st.sampled_from(["person", "verb", "dobj", "with", "hand1", "pick-up", "screw"]) | st.text(max_size=8)


@given(st.lists(st.tuples(NAMED, NAMED, NAMED), max_size=6), st.lists(NAMED, max_size=3), st.lists(NAMED, max_size=3))
def test_the_networkx_view_has_an_edge_per_triplet_and_comes_back_whatever_l_says(
    triplets: list[tuple[str, str, str]], objects: list[str], verbs: list[str]
) -> None:
    view = to_networkx(ActionGraph(triplets), Vocabulary(tuple(objects), (), tuple(verbs)))
    assert from_networkx(view).triplets == ActionGraph(triplets).triplets
    view = to_networkx(DRILL)
    action, wall = Node(Kind.ACTION, "drill"), Node(Kind.OBJECT, "wall")
    assert set(view) == {action, wall, Node(Kind.PERSON, "person"), Node(Kind.OBJECT, "drill")}
    edges = [(edge["label"], edge["order"], edge["kind"]) for edge in view.get_edge_data(action, wall).values()]
    assert edges == [("into", 0, "preposition"), ("beside", 3, "preposition"), ("into", 4, "preposition")]


def test_a_graph_of_others_is_read_by_name_label_and_relation_or_refused() -> None:
    foreign: Any = nx.DiGraph()
    foreign.add_node(1, label="person")
    foreign.add_edge(1, "wash", relation="verb")
    assert from_networkx(foreign) == ActionGraph.of(("person", "verb", "wash"))
    with pytest.raises(NotationError, match="no label") as caught:
        from_networkx(nx.DiGraph([("person", "wash")]))
    assert "label, relation, edge" in caught.value.hint
    nameless: Any = nx.DiGraph()
    nameless.add_edge(1, 2, label="on")
    with pytest.raises(NotationError, match="not text"):
        from_networkx(nameless)


FILL = ActionGraph.of(
    ("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "under", "tap"), ("fill", "with", "hand1")
)
L = Vocabulary(("kettle", "tap", "cup", "cups"), ("verb", "dobj", "under", "with"), ("fill", "pick-up", "hold"))


def spoilt(old: str, new: str) -> ActionGraph:
    return ActionGraph(line.split(" -> ") for line in " | ".join(map(str, FILL)).replace(old, new).split(" | "))


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
        candidate = spoilt(old, new)
        difference = diff(FILL, candidate)
        assert [change.kind for change in difference.changes] == [kind], (kind, new)
        assert difference.of_kind(kind) == difference.changes, (kind, new)
        assert patch(candidate, difference) == FILL, (kind, new)


def test_differences_are_said_in_words_and_a_patch_keeps_the_order_of_what_it_repairs() -> None:
    reference = ActionGraph.of(("a", "dobj", "x"), ("a", "on", "y"), ("b", "on", "c"))
    candidate = ActionGraph.of(("a", "on", "x"), ("a", "dobj", "z"), ("e", "in", "d"))
    assert [str(change) for change in diff(reference, candidate).changes] == [
        "mismatched: a -> on -> x, expected a -> on -> y",
        "mismatched: a -> dobj -> z, expected a -> dobj -> x",
        "missing: b -> on -> c",
        "extra: e -> in -> d",
    ]
    [change] = diff(FILL, spoilt("kettle", "vase"), L).changes
    assert (change.kind, change.outside) == (ChangeKind.MISMATCHED, ("vase",))
    assert str(change) == "mismatched: fill -> dobj -> vase, expected fill -> dobj -> kettle (out of L: vase)"
    difference = diff(FILL, ActionGraph(reversed(FILL.triplets)))
    assert (bool(difference), difference.matched) == (False, FILL.triplets)
    candidate = spoilt("kettle | fill -> under", "vase | fill -> over")
    assert patch(candidate, diff(FILL, candidate)).triplets == FILL.triplets
    assert "has no triplet" in refusal(EditError, patch, ActionGraph.of(("a", "on", "b")), diff(FILL, candidate))
    reference, candidate = (ActionGraph(("hold", "with", f"{name}{n}") for n in range(20_000)) for name in "ab")
    assert len(diff(reference, candidate).changes) == 20_000, "a large difference is found in linear steps"


def test_snapping_moves_elements_to_their_one_clear_neighbour_and_leaves_others() -> None:
    graph = ActionGraph.of(
        ("Person", "verbs", "picks up"), ("picks up", "dobj", "kettel"), ("picks up", "with", "Hand1")
    )
    snapped, snaps = snap(graph, L)
    expected = ["person -> verb -> pick-up", "pick-up -> dobj -> kettle", "pick-up -> with -> hand1"]
    assert list(map(str, snapped)) == expected
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
        ([("cup", "on", "cup"), ("a", "on", "b"), ("b", "on", "a")], Corruption.REVERSED, WIDE),
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


def test_a_slip_changes_few_triplets_and_careless_texts_run_on_where_there_is_a_next_graph() -> None:
    for name in SLIPS:
        ways = [one for graph in SLIPS[name](PICK, POTS) if (one := slipped(PICK, graph, name))]
        assert ways and all(1 <= len(one.changes) <= MOST for one in ways), name
    nothing = Vocabulary((), (), ())
    assert published_error(ALONE, nothing, seed=0).changes
    with pytest.raises(EditError):
        careless_reading(ActionGraph(), seed=0)
    for draw in (published_error, annotator_slip):
        with pytest.raises(EditError):
            draw(ActionGraph(), nothing, seed=0)
    assert slipped(ALONE, ActionGraph(), "no-verb") is slipped(ALONE, ALONE, "nothing") is None
    alone = {careless_reading(PICK, seed=seed).name for seed in range(200)}
    beside = {careless_reading(PICK, (PICK, ALONE), seed=seed).name for seed in range(200)}
    assert (beside - alone, beside) == ({"run-on"}, set(WRITINGS))
