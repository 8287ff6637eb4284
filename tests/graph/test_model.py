"""Graphs as sets of triplets with a written order, kinds derived from roles, and the networkx view."""

from __future__ import annotations

import pickle
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsgkit.errors import NotationError
from tsgkit.graph import (
    ActionGraph,
    Description,
    EdgeKind,
    Kind,
    Narrative,
    Node,
    Triplet,
    Vocabulary,
    from_networkx,
    to_networkx,
)

WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
SCREW = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"))


def test_graphs_are_equal_whatever_the_order_and_repeats_they_were_written_with() -> None:
    other = ActionGraph([*reversed(WASH.triplets), WASH.triplets[0]])
    assert (other == WASH, hash(other) == hash(WASH), len(other)) == (True, True, 3)
    triplets = [("b", "on", "a"), ("a", "on", "b"), ("b", "on", "a")]
    assert [tuple(triplet) for triplet in ActionGraph(triplets)] == triplets


def test_direction_case_and_borders_of_words_make_triplets_different_and_nothing_changes_a_graph() -> None:
    one = ActionGraph.of(("a", "on", "b"))
    assert one not in (ActionGraph.of(("b", "on", "a")), ActionGraph.of(("A", "on", "b")))
    assert ActionGraph.of(("a b", "c", "d")) != ActionGraph.of(("a", "b c", "d"))
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


def test_the_vocabulary_allows_what_graphs_use_and_always_person_hands_verb_and_dobj() -> None:
    vocabulary = Vocabulary.of([WASH, SCREW])
    assert vocabulary.verbs == ("wash", "screw")
    assert all(vocabulary.allows_node(name) for name in ("cup", "screw", "hand1", "person"))
    assert not vocabulary.allows_node("with") and not vocabulary.allows_edge("under")
    empty = Vocabulary()
    assert all(empty.allows_node(name) for name in ("person", "hand1", "hand2"))
    assert empty.allows_edge("verb") and empty.allows_edge("dobj")
    assert Vocabulary(("cup", "screw"), (), ("screw", "wash")).nodes == ("cup", "screw", "wash")


def test_a_narrative_lists_the_graphs_of_all_descriptions_along_time_and_values_survive_pickling() -> None:
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


NAMES = st.sampled_from(["person", "verb", "dobj", "with", "hand1", "pick-up", "screw"]) | st.text(max_size=8)


@given(st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=6), st.lists(NAMES, max_size=3), st.lists(NAMES, max_size=3))
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
