"""Graphs as sets of triplets with a written order, and kinds derived from roles."""

from __future__ import annotations

import pickle

import pytest

from tsgkit.graph import ActionGraph, Description, EdgeKind, Kind, Narrative, Node, Triplet, Vocabulary

WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
SCREW = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"))


def test_two_graphs_are_equal_whatever_the_order_and_repeats_of_their_triplets() -> None:
    other = ActionGraph([*reversed(WASH.triplets), WASH.triplets[0]])
    assert other == WASH
    assert hash(other) == hash(WASH)
    assert len(other) == 3


def test_a_graph_keeps_the_order_and_the_repeats_it_was_written_with() -> None:
    triplets = [("b", "on", "a"), ("a", "on", "b"), ("b", "on", "a")]
    assert [tuple(triplet) for triplet in ActionGraph(triplets)] == triplets


def test_direction_and_case_make_triplets_different() -> None:
    assert ActionGraph.of(("a", "on", "b")) != ActionGraph.of(("b", "on", "a"))
    assert ActionGraph.of(("a", "on", "b")) != ActionGraph.of(("A", "on", "b"))


def test_words_that_only_together_look_alike_are_different_triplets() -> None:
    assert ActionGraph.of(("a b", "c", "d")) != ActionGraph.of(("a", "b c", "d"))


def test_a_triplet_has_exactly_three_parts() -> None:
    with pytest.raises(TypeError):
        ActionGraph([("person", "verb")])


def test_a_graph_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        WASH.triplets = ()  # type: ignore[misc]


def test_an_action_and_an_object_of_one_name_are_two_nodes() -> None:
    assert SCREW.nodes() == (
        Node(Kind.PERSON, "person"),
        Node(Kind.ACTION, "screw"),
        Node(Kind.OBJECT, "screw"),
    )


def test_the_target_of_verb_is_an_action_whatever_it_is_called() -> None:
    graph = ActionGraph.of(("person", "verb", "hand1"))
    assert Node(Kind.ACTION, "hand1") in graph.nodes()


def test_a_name_no_role_decides_is_an_action_only_where_l_lists_it_as_nothing_but_a_verb() -> None:
    graph = ActionGraph.of(("pick-up", "dobj", "brush"))
    verbs = Vocabulary(objects=("brush",), relationships=("dobj",), verbs=("pick-up", "brush"))
    assert graph.nodes() == (Node(Kind.OBJECT, "pick-up"), Node(Kind.OBJECT, "brush"))
    assert graph.nodes(verbs) == (Node(Kind.ACTION, "pick-up"), Node(Kind.OBJECT, "brush"))


@pytest.mark.parametrize(
    ("label", "kind"), [("verb", EdgeKind.VERB), ("dobj", EdgeKind.DOBJ), ("out-of", EdgeKind.PREPOSITION)]
)
def test_an_edge_is_of_the_kind_its_label_says(label: str, kind: EdgeKind) -> None:
    assert Triplet("a", label, "b").kind is kind


def test_the_vocabulary_of_graphs_allows_exactly_what_they_use() -> None:
    vocabulary = Vocabulary.of([WASH, SCREW])
    assert vocabulary.verbs == ("wash", "screw")
    assert all(vocabulary.allows_node(name) for name in ("cup", "screw", "hand1", "person"))
    assert not vocabulary.allows_node("with")
    assert not vocabulary.allows_edge("under")


def test_person_hands_verb_and_dobj_are_allowed_where_l_forgets_them() -> None:
    empty = Vocabulary()
    assert all(empty.allows_node(name) for name in ("person", "hand1", "hand2"))
    assert empty.allows_edge("verb")
    assert empty.allows_edge("dobj")


def test_the_nodes_of_l_are_its_objects_before_its_verbs_without_repeats() -> None:
    assert Vocabulary(("cup", "screw"), (), ("screw", "wash")).nodes == ("cup", "screw", "wash")


def test_a_narrative_lists_the_graphs_of_all_descriptions_along_time() -> None:
    narrative = Narrative((Description("One.", (WASH,)), Description("Two."), Description(None, (SCREW, WASH))))
    assert narrative.graphs == (WASH, SCREW, WASH)


@pytest.mark.parametrize("value", [WASH, Narrative.of([WASH], Vocabulary.of([WASH])), WASH.typed()])
def test_values_survive_pickling(value: object) -> None:
    assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301  (our own bytes)
