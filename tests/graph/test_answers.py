"""Graphs of an answer: those of its last section, with names folded as scores compare them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

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


def test_folding_trims_and_lowers_and_keeps_spaces_and_hyphens() -> None:
    rows: list[tuple[str, str]] = [(' "Cup." ', "cup"), ("'Tea Bag'", "tea bag"), ("a.b", "a.b"), ("", "")]
    for name, folded in rows:
        assert fold(name) == folded, name
        assert fold(folded) == folded, name


FIELDS = """<think>lift -> dobj -> lid</think>
```json
{"reasoning": "person verb lift",
 "graphs": [[["person", "verb", "lift"], ["lift", "dobj",
   "pot"]], [{"source": "person", "target": "place", "edge": "verb"}]]}
```"""


def test_every_triplet_knows_where_the_reply_says_it() -> None:
    rows: list[tuple[str, list[str]]] = [
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
    ]
    for reply, places in rows:
        answer = read_graphs(reply, 2)
        assert isinstance(answer, GraphAnswer), reply
        assert [reply[start:end] for start, end in answer.spans] == places, reply


def test_a_reply_of_very_many_triplets_has_its_lines_as_places() -> None:
    reply = "; ".join(["person -> verb -> lift", *(f"lift -> with -> hand{number}" for number in range(6_000))])
    answer = read_graphs(reply, 1)
    assert isinstance(answer, GraphAnswer)
    assert answer.spans == ((0, len(reply)),)


PIECES = st.sampled_from(
    ["person", "verb", "lift", " -> ", ", ", "\r\n", "\n", "[", "]", '"', ": ", "(", ")", "|", "é"]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_places_lie_in_the_reply_in_order_and_hold_something(reply: str) -> None:
    answer = read_graphs(reply, 2)
    spans = answer.spans if isinstance(answer, GraphAnswer) else ()
    assert isinstance(answer, Unreadable) or spans
    assert all(0 <= start < end <= len(reply) and reply[start:end].strip() for start, end in spans)
    assert list(spans) == sorted(set(spans))
