"""Panels of graphs of any names."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.graph.model import ActionGraph, Triplet, Vocabulary
from tsgkit.suites.panels import differences_panel, graphs_panel
from tsgkit.suites.task import Graphs

names = st.text(max_size=8)
graphs = st.lists(st.builds(Triplet, names, names, names), max_size=6).map(ActionGraph)


@given(st.lists(graphs, max_size=3), st.lists(graphs, max_size=3))
def test_graphs_of_any_names_make_json(references: list[ActionGraph], answers: list[ActionGraph]) -> None:
    value = differences_panel("x", Graphs(tuple(references), tuple(answers), Vocabulary())).value
    assert json.loads(json.dumps(value)) == value
    assert len(value["pairs"]) == max(len(references), len(answers))
    for pair in value["pairs"]:
        told = {tuple(one["reference"]) for one in pair["changes"] if one["reference"]}
        if pair["candidate"] is not None and pair["reference"] is not None:
            assert len(told) + pair["matched"] == len({tuple(one) for one in pair["reference"]})
    assert json.dumps(graphs_panel("x", references).value)
