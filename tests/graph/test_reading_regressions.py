"""Texts that were once read wrongly."""

from __future__ import annotations

import pytest

from tsgkit.graph.reading import read


def test_an_object_inside_a_quoted_name_is_no_triplet_of_its_own() -> None:
    reading = read("""['{"source": "a", "edge": "b", "target": "c"}', 'x', 'y'],""")
    assert [str(triplet) for graph in reading.graphs for triplet in graph] == [
        '{"source": "a", "edge": "b", "target": "c"} -> x -> y'
    ]
    assert not reading.ignored


def test_what_brackets_hold_beside_triplets_is_noted_line_by_line() -> None:
    reading = read('[\n["person", "verb", "wash"],\n"some words\n"more", "words"\n["wash", "dobj", "cup"],\n"the end"')
    assert reading.lines == ((2, 5),)
    assert [(note.line, note.text) for note in reading.unread] == [
        (3, '"some words'),
        (4, '"more", "words"'),
        (6, '"the end"'),
    ]


@pytest.mark.parametrize(
    "graphs", ['[["person", "verb", "wash"]]', '[[{"from": "person", "label": "verb", "to": "wash"}]]']
)
def test_an_object_around_graphs_is_no_triplet(graphs: str) -> None:
    reading = read(f'{{"start": "00:01", "end": "00:05", "label": "washing up", "graphs": {graphs}}}')
    assert [str(triplet) for graph in reading.graphs for triplet in graph] == ["person -> verb -> wash"]
    assert [note.reason for note in reading.ignored] == ["3 JSON values that are no triplets"]


def test_an_object_with_a_list_of_something_else_is_a_triplet() -> None:
    reading = read(
        '{"source": "wash", "edge": "dobj", "target": "cup", "box": [[1, 2], [3, 4]], "tags": ["x", "y", "z"]}'
    )
    assert [str(triplet) for graph in reading.graphs for triplet in graph] == ["wash -> dobj -> cup"]
