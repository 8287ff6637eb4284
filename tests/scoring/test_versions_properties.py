"""Pairs of graphs of any two versions."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need Hypothesis")

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.graph.model import ActionGraph, Description, Narrative
from tsgkit.scoring.versions import paired

graphs = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(("verb", "on")), st.sampled_from("abc")), max_size=3
).map(ActionGraph)
descriptions = st.builds(Description, st.sampled_from(("x", "y", "z")), st.lists(graphs, max_size=4).map(tuple))
narratives = st.lists(descriptions, max_size=4).map(lambda parts: Narrative(tuple(parts)))


@given(narratives, narratives)
def test_every_graph_is_in_one_pair_in_its_order(first: Narrative, second: Narrative) -> None:
    pairs = paired(first, second)
    assert [pair.graphs[0] for pair in pairs if pair.graphs[0] is not None] == list(range(len(first.graphs)))
    assert [pair.graphs[1] for pair in pairs if pair.graphs[1] is not None] == list(range(len(second.graphs)))
    assert all(pair.first == first.graphs[pair.graphs[0]] for pair in pairs if pair.graphs[0] is not None)
    assert all(pair.second == second.graphs[pair.graphs[1]] for pair in pairs if pair.graphs[1] is not None)


@given(narratives)
def test_a_narrative_is_paired_with_itself(story: Narrative) -> None:
    assert all(pair.graphs[0] == pair.graphs[1] and not pair.differs for pair in paired(story, story))
