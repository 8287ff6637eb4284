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
    assert [(note.line, note.text) for note in reading.ignored] == [
        (3, '"some words'),
        (4, '"more", "words"'),
        (6, '"the end"'),
    ]
