"""Replies in the forms that models use, with the graphs decided for each: the rows of ``graph/model_replies.txt``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

Graphs = list[list[str]]


class Row(NamedTuple):
    """A reply, how many graphs it was asked for, the graphs it says, and the lines that need a note."""

    reply: str
    k: int | None
    graphs: Graphs
    noted: frozenset[int]


def _rows() -> dict[str, Row]:
    text = (Path(__file__).parent / "graph" / "model_replies.txt").read_text("utf-8")
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
