"""Graphs of an answer: those of its last section, with names folded as scores compare them."""

from __future__ import annotations

import pytest

from tsgkit.graph.folding import fold
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.replies import Unreadable


def test_graphs_are_read_from_the_answer_section_and_folded() -> None:
    answer = read_graphs("draft -> is -> wrong\nFinal graphs:\nPerson -> verb -> Wash", 1)
    assert isinstance(answer, GraphAnswer)
    assert [str(graph) for graph in answer.graphs] == ["person -> verb -> wash"]


def test_a_reply_without_triplets_is_unreadable() -> None:
    assert read_graphs("I am sorry.", 2) == Unreadable("no triplet found")


def test_of_a_json_object_only_the_graphs_are_read() -> None:
    reply = '{"reasoning": "x -> y -> z", "graphs": [[["person", "verb", "wash"]]]}'
    answer = read_graphs(reply, 1)
    assert isinstance(answer, GraphAnswer)
    assert [str(graph) for graph in answer.graphs] == ["person -> verb -> wash"]


@pytest.mark.parametrize(("name", "folded"), [(' "Cup." ', "cup"), ("'Tea Bag'", "tea bag"), ("a.b", "a.b"), ("", "")])
def test_folding_trims_and_lowers_and_keeps_spaces_and_hyphens(name: str, folded: str) -> None:
    assert fold(name) == folded
    assert fold(folded) == folded
