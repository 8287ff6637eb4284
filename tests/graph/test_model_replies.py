"""Replies in the forms that models use, each read as the graphs decided for it in ``model_replies.txt``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tsgkit.graph.reading import Reading, read

Graphs = list[list[str]]
BEFORE = "Here are the graphs you asked for:\n\n"
BEHIND = "\n\nLet me know if anything should be changed, for example one of the verbs."


class Row(NamedTuple):
    """A reply, how many graphs it was asked for, the graphs it says, and the lines that need a note."""

    reply: str
    k: int | None
    graphs: Graphs
    noted: frozenset[int]


def _rows() -> dict[str, Row]:
    text = (Path(__file__).parent / "model_replies.txt").read_text("utf-8")
    rows: dict[str, Row] = {}
    for part in text.split("\n#### ")[1:]:
        head, _, rest = part.partition("\n")
        reply, _, expected = rest.partition("\n====")
        name, *settings = head.split(" | ")
        k = next((int(one.removeprefix("k=")) for one in settings if one.startswith("k=")), None)
        noted = next((one.split()[1:] for one in settings if one.startswith("noted ")), [])
        graphs = [[_arrows(triplet) for triplet in line.split(";")] for line in expected.split("\n") if line.strip()]
        assert name not in rows
        rows[name] = Row(reply, k, graphs, frozenset(map(int, noted)))
    return rows


def _arrows(triplet: str) -> str:
    return " -> ".join(triplet.split(maxsplit=2))


ROWS = _rows()
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
