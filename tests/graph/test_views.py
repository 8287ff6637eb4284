"""The networkx view shows kinds, and comes back exactly."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest

from tsgkit.errors import NotationError
from tsgkit.graph import ActionGraph, Kind, Node, from_networkx, to_networkx

DRILL = ActionGraph.of(
    ("drill", "into", "wall"),
    ("person", "verb", "drill"),
    ("drill", "with", "drill"),
    ("drill", "beside", "wall"),
    ("drill", "into", "wall"),
)


def test_the_view_has_one_node_per_kind_and_name() -> None:
    view = to_networkx(DRILL)
    assert set(view) == {
        Node(Kind.ACTION, "drill"),
        Node(Kind.OBJECT, "wall"),
        Node(Kind.PERSON, "person"),
        Node(Kind.OBJECT, "drill"),
    }


def test_edges_carry_label_kind_and_place() -> None:
    view = to_networkx(DRILL)
    edges = view.get_edge_data(Node(Kind.ACTION, "drill"), Node(Kind.OBJECT, "wall"))
    assert [edge["label"] for edge in edges.values()] == ["into", "beside", "into"]
    assert [edge["order"] for edge in edges.values()] == [0, 3, 4]
    assert {edge["kind"] for edge in edges.values()} == {"preposition"}


def test_parallel_edges_repeats_and_order_come_back() -> None:
    assert from_networkx(to_networkx(DRILL)).triplets == DRILL.triplets


def test_a_graph_of_others_is_read_by_name_label_and_relation() -> None:
    foreign: Any = nx.DiGraph()
    foreign.add_node(1, label="person")
    foreign.add_edge(1, "wash", relation="verb")
    assert from_networkx(foreign) == ActionGraph.of(("person", "verb", "wash"))


def test_an_edge_without_a_label_is_refused_with_the_keys_that_would_do() -> None:
    foreign: Any = nx.DiGraph([("person", "wash")])
    with pytest.raises(NotationError, match="no label") as caught:
        from_networkx(foreign)
    assert "label, relation, edge" in caught.value.hint


def test_a_node_that_is_no_text_is_refused() -> None:
    foreign: Any = nx.DiGraph()
    foreign.add_edge(1, 2, label="on")
    with pytest.raises(NotationError, match="not text"):
        from_networkx(foreign)
