"""Panels of samples of tsg: graphs with their differences, candidates, names; odd names and answers included."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_items import document, graph, row
from stored_samples import of_kind, panels
from tsg_tasks import samples_of, task

from tsgkit.graph.model import ActionGraph, Triplet, Vocabulary
from tsgkit.suites.panels import Panel, Shown, differences_panel, graphs_panel, table_panel, text_panel
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.protocols import AsAsked
from tsgkit.suites.task import Graphs
from tsgkit.suites.tsg import view as tsg_view

ROWS = {"sgqa": "sgqa", "sgds": "sgds", "sa-sgg": "sa-sgg", "nodes-sa": "sa-sgg", "edges-sa": "sa-sgg"}
ANSWER = "person -> verb -> wash\ncup -> dobj -> wash\nwash -> with -> hand2\nwash -> on -> moon"


def shown(kind: str, text: str | None, word: str = "cup") -> list[Panel]:
    """Return the panels of a reply to the first item of a row."""
    own, reply = task(kind), None if text is None else Reply(text)
    item = samples_of(document(row(ROWS.get(kind, "ma-sgg"), "a", word)), kind)[0]
    judged = own.score(item, own.read(item, reply), AsAsked(reply, "zero-shot"))
    return panels(Shown(own, item, judged, None, None))


def test_differences_are_in_panels_beside_what_was_right_and_a_view_that_fails_is_a_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    [value] = of_kind(shown("sa-sgg", ANSWER), "graphs")
    [pair] = value["pairs"]
    assert (pair["reference"], pair["matched"]) == (graph("wash"), 1)
    assert [one["kind"] for one in pair["changes"]] == ["reversed", "wrong hand", "extra"]
    assert pair["changes"][2]["outside"] == ["moon", "on"]
    right = "\n".join(" -> ".join(one) for one in graph("wash"))
    [missing] = of_kind(shown("ma-sgg", right), "graphs")
    assert [pair["candidate"] is None for pair in missing["pairs"]] == [False, True]
    [surplus] = of_kind(shown("ma-sgg", "\n\n".join([right] * 3)), "graphs")
    assert [(pair["reference"] is None, pair["matched"]) for pair in surplus["pairs"]] == [
        (False, 3), (False, 0), (True, 0),
    ]  # fmt: skip
    found = shown("sgds", "[D]")
    [value] = of_kind(found, "choices")
    assert [(one["label"], one["is_key"], one["is_answer"]) for one in value["options"]][1:4] == [
        ("B", True, False), ("C", False, False), ("D", False, True),
    ]  # fmt: skip
    described, before = of_kind(found, "graphs")
    assert described["pairs"] == [{"reference": None, "candidate": graph("wash"), "matched": None, "changes": []}]
    assert [pair["candidate"] for pair in before["pairs"]] == [graph("dry")]
    [graphs] = of_kind(shown("sgqa", "[hand1]"), "graphs")
    assert [pair["candidate"] for pair in graphs["pairs"]] == [graph("wash"), graph("dry")]
    for kind, text, rows in (
        ("sgqa", "[hand1]", [["~", "cup", "hand1"]]),
        ("sgqa", None, [["-", "cup", None]]),
        ("sgqa", "[cup]", [["=", "cup", "cup"]]),
        ("nodes-sa", "cup\nperson\nmoon", [["=", "cup"], ["=", "person"], ["-", "hand1"], ["+", "moon"]]),
        ("actions", "dry", [["-", "wash", ""], ["=", "dry", "dry"]]),
    ):
        [table] = of_kind(shown(kind, text), "table")
        assert sorted(table["rows"]) == sorted(rows), (kind, text)
    given_graph, answer = of_kind(shown("refine", None), "graphs")
    assert given_graph["pairs"][0]["changes"]
    assert answer["pairs"][0]["candidate"] is None

    def failing(shown: Shown) -> Iterator[Panel]:
        yield text_panel("first", "what was made before the failure stays")
        raise RuntimeError("a key")

    monkeypatch.setattr(tsg_view, "view", failing)
    first, last = shown("sgqa", "[cup]")
    assert (first.title, last.kind) == ("first", "text")
    assert "RuntimeError" in last.value["text"] and "a key" not in last.value["text"]


NAMES = st.text(max_size=8)
DRAWN = st.lists(st.lists(st.builds(Triplet, NAMES, NAMES, NAMES), max_size=6).map(ActionGraph), max_size=3)


@given(DRAWN, DRAWN)
def test_graphs_of_any_names_make_json(references: list[ActionGraph], answers: list[ActionGraph]) -> None:
    value = differences_panel("x", Graphs(tuple(references), tuple(answers), Vocabulary())).value
    assert json.loads(json.dumps(value)) == value
    assert len(value["pairs"]) == max(len(references), len(answers))
    for pair in value["pairs"]:
        told = {tuple(one["reference"]) for one in pair["changes"] if one["reference"]}
        if pair["candidate"] is not None and pair["reference"] is not None:
            assert len(told) + pair["matched"] == len({tuple(one) for one in pair["reference"]})
    assert json.dumps(graphs_panel("x", references).value)
    cells = table_panel("x", ["a"], [[1], [None], [True], [float("nan")], [("b",)]]).value["rows"]
    assert cells == [[1], [None], [True], ["nan"], ["('b',)"]]
