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


FIELDS = """<think>lift -> dobj -> lid</think>
```json
{"reasoning": "person verb lift",
 "graphs": [[["person", "verb", "lift"], ["lift", "dobj",
   "pot"]], [{"source": "person", "target": "place", "edge": "verb"}]]}
```"""


@pytest.mark.parametrize(
    ("reply", "places"),
    [
        (FIELDS, ['person", "verb", "lift', 'lift", "dobj",\n   "pot', 'person", "target": "place", "edge": "verb']),
        ("lift: lift -> dobj -> pot; lift -> with -> hand1", ["lift -> dobj -> pot", "lift -> with -> hand1"]),
        ("lift -> dobj -> pot\n\nlift -> dobj -> pot", ["lift -> dobj -> pot"] * 2),
        ("wash:\n  dobj: cup\n  with: hand1", ["dobj: cup", "with: hand1"]),
        ("| Source | Target | Edge |\n|---|---|---|\n| lift | pot | dobj |", ["lift | pot | dobj"]),
        (
            "**person** -> _verb_ -> take off\r\ndobj(take off, lid)",
            ["person** -> _verb_ -> take off", "dobj(take off, lid"],
        ),
        ('[["person", "verb", "l\\u00f6sen"]]', ['person", "verb", "l\\u00f6sen']),
    ],
)
def test_every_triplet_knows_where_the_reply_says_it(reply: str, places: list[str]) -> None:
    answer = read_graphs(reply, 2)
    assert isinstance(answer, GraphAnswer)
    assert [reply[start:end] for start, end in answer.spans] == places


def test_a_reply_of_very_many_triplets_has_its_lines_as_places() -> None:
    reply = "; ".join(["person -> verb -> lift", *(f"lift -> with -> hand{number}" for number in range(6_000))])
    answer = read_graphs(reply, 1)
    assert isinstance(answer, GraphAnswer)
    assert answer.spans == ((0, len(reply)),)
