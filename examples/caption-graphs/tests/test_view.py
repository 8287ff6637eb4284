"""Panels of captions: differences of graphs by meaning, and answers that could not be read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tsgkit.library.cards import load_card
from tsgkit.suites.panels import SampleView, panels_of
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.solvers.scorers import judge_reply

from caption_graphs import SUITE
from caption_graphs.parsing import Caption, graph_of, parsing

GRAPH = graph_of([("man", "young"), ("man", "ride", "horse"), ("horse", "brown"), ("river",)])
TASK = parsing(load_card("captions/parse"))


def values(reply: str | None) -> tuple[dict[str, Any], list[list[str]]]:
    """Return the pair of graphs, and the rows of the table."""
    item = Caption(item_id="1", caption="A young man rides a brown horse.", graph=GRAPH)
    judged = judge_reply(TASK, item, None if reply is None else CollectedReply(reply), "zero-shot")
    table, graphs = panels_of(SampleView(TASK, item, judged, None, None))
    assert (table.kind, graphs.kind) == ("table", "graphs")
    json.dumps([dict(graphs.value), dict(table.value)])
    return graphs.value["pairs"][0], table.value["rows"]


def test_manifest_names_the_view() -> None:
    assert SUITE.view == "caption_graphs.parsing:view"


def test_what_means_the_same_is_matched_and_the_rest_is_missing_or_extra() -> None:
    pair, rows = values("( guy , young ) , ( guy , riding , horses ) , ( horse , black )")
    assert pair["matched"] == 2
    [change] = pair["changes"]
    assert (change["reference"], change["candidate"]) == (["horse", "is", "brown"], ["horse", "is", "black"])
    assert change["outside"] == [], "any name is allowed"
    assert ["-", "( river )"] in rows
    assert ["+", "( horse , black )"] in rows
    assert ["=", "( man , ride , horse )"] in rows


@pytest.mark.parametrize("reply", [None, "", "no tuples", "( <script> , \u202e , \x00 )", "( <script> , \u202ea , b )"])
def test_any_reply_has_panels(reply: str | None) -> None:
    pair, rows = values(reply)
    assert len(pair["reference"]) == 3
    assert {row[0] for row in rows} >= {"-"}
