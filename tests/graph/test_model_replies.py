"""Replies in the forms that models use, each read as the graphs decided for it in ``model_replies.txt``."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from model_replies import ROWS, Graphs

from tsgkit.graph import ActionGraph
from tsgkit.graph.notation.diagrams import write_dot, write_mermaid
from tsgkit.graph.reading import Reading, read
from tsgkit.graph.reading.lines import nearly_clean, understand

BEFORE = "Here are the graphs you asked for:\n\n"
BEHIND = "\n\nLet me know if anything should be changed, for example one of the verbs."


WITHOUT_FENCE = [name for name, row in ROWS.items() if "```" not in row.reply]


def shown(reading: Reading) -> Graphs:
    return [list(map(str, graph)) for graph in reading.graphs]


def triplets(reading: Reading) -> set[str]:
    return {str(triplet) for graph in reading.graphs for triplet in graph}


@pytest.mark.parametrize("name", ROWS)
def test_reply_is_read_as_the_graphs_it_says(name: str) -> None:
    row = ROWS[name]
    reading = read(row.reply, row.k)
    assert shown(reading) == row.graphs
    assert row.noted <= {note.line for note in reading.notes}


@pytest.mark.parametrize("write", [write_dot, write_mermaid])
def test_diagrams_that_are_written_are_read_again(write: Callable[[list[ActionGraph]], str]) -> None:
    graphs = [
        ActionGraph.of(("person", "verb", "pick-up"), ("pick-up", "dobj", "oil-can"), ("oil-can", "on", "table")),
        ActionGraph.of(("person", "verb", "place"), ("place", "dobj", "oil-can"), ("place", "with", "hand1")),
    ]
    reading = read(write(graphs), 2)
    assert list(reading.graphs) == graphs
    assert not reading.unread


@pytest.mark.parametrize("name", ROWS)
def test_prose_around_a_reply_changes_no_graph(name: str) -> None:
    row = ROWS[name]
    assert shown(read(f"{BEFORE}{row.reply}{BEHIND}", row.k)) == row.graphs


@pytest.mark.parametrize("name", WITHOUT_FENCE)
def test_fence_around_a_reply_changes_no_graph(name: str) -> None:
    row = ROWS[name]
    assert shown(read(f"{BEFORE}```\n{row.reply}\n```{BEHIND}", row.k)) == row.graphs


@pytest.mark.parametrize("name", ROWS)
def test_reply_cut_at_a_line_end_says_no_new_triplet(name: str) -> None:
    row = ROWS[name]
    lines = row.reply.split("\n")
    said = {triplet for graph in row.graphs for triplet in graph}
    if name.startswith("corrections"):
        said |= {line for line in lines if re.fullmatch(r"\S+ -> \S+ -> \S+", line)}
    for end in range(len(lines)):
        assert triplets(read("\n".join(lines[:end]), row.k)) <= said


@pytest.mark.parametrize("arrow", ["->", "→", "⟶"])
@pytest.mark.parametrize("bullet", ["", "- ", "* ", "• "])
def test_nearly_clean_line_is_read_as_any_other(bullet: str, arrow: str) -> None:
    line = f"{bullet}pick-up {arrow} dobj {arrow} hand1"
    assert nearly_clean(line) == understand(line)
