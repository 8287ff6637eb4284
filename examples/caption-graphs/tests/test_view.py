"""Panels of captions: differences of graphs by meaning, and answers that could not be read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tsgkit.library.cards import load_card
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judgement import Judged
from tsgkit.suites.panels import Shown, panels_of

from caption_graphs import SUITE
from caption_graphs.parsing import Caption, Parsing
from caption_graphs.tuples import CaptionGraph

GRAPH = CaptionGraph.of([("man", "young"), ("man", "ride", "horse"), ("horse", "brown"), ("river",)])
TASK = Parsing(load_card("captions/parse"))


def values(answer: object) -> tuple[dict[str, Any], list[list[str]]]:
    """Return the pair of graphs, and the rows of the table."""
    item = Caption("1", "A young man rides a brown horse.", GRAPH)
    graphs, table = panels_of(Shown(TASK, item, Judged(item, Outcome.ANSWERED, answer, {}), None, None))
    assert (graphs.kind, table.kind) == ("graphs", "table")
    json.dumps([dict(graphs.value), dict(table.value)])
    return graphs.value["pairs"][0], table.value["rows"]


def test_manifest_names_the_view() -> None:
    assert SUITE.view == "caption_graphs.view:view"


def test_what_means_the_same_is_matched_and_the_rest_is_missing_or_extra() -> None:
    pair, rows = values("( guy , young ) , ( guy , riding , horses ) , ( horse , black )")
    assert pair["matched"] == 2
    assert [(one["kind"], one["reference"] or one["candidate"]) for one in pair["changes"]] == [
        ("missing", ["horse", "is", "brown"]),
        ("extra", ["horse", "is", "black"]),
    ]
    assert ["-", "( river )"] in rows
    assert ["+", "( horse , black )"] in rows
    assert ["=", "( man , ride , horse )"] in rows


@pytest.mark.parametrize("answer", [None, "", "no tuples", 7, "( <script> , \u202e , \x00 )"])
def test_any_answer_has_panels(answer: object) -> None:
    pair, rows = values(answer)
    assert len(pair["reference"]) == 3
    assert {row[0] for row in rows} >= {"-"}
