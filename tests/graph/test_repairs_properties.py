"""Exact repairs, for any graph: fewer findings, none of another kind, and no name touched that no finding names."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

import re
from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from seeded_faults import bundled

from tsgkit.errors import EditError
from tsgkit.graph import ActionGraph, Corruption, Narrative, Vocabulary, check_graph, corrupt
from tsgkit.graph.repairs import EXACT, mend, mend_graph

NODES = "person brush bush wood cloth clock kettel kettle Kettle cup:1 cup fill filled pour hand1 hand_2 wood_piece"
NAMES = st.sampled_from([*NODES.split(), "remaining-dust", "sweep", ""])
LABELS = st.sampled_from(["verb", "verbs", "dobj", "direct object", "with", "on", "With"])
MADE_UP = st.lists(st.tuples(NAMES, LABELS, NAMES), max_size=7).map(ActionGraph)
L = Vocabulary(
    ("kettle", "cup", "brush", "wood", "clock", "remaining-dust", "wood-piece"),
    ("verb", "dobj", "with", "on"),
    ("fill", "pour", "brush", "sweep"),
)
NARRATIVES = bundled()


@st.composite
def spoilt(draw: st.DrawFn) -> tuple[ActionGraph, Vocabulary]:
    """Return a bundled graph spoilt one to three times."""
    narrative = draw(st.sampled_from(NARRATIVES))
    assert narrative.vocabulary is not None
    graph = draw(st.sampled_from(narrative.graphs))
    for seed in draw(st.lists(st.integers(0, 999), min_size=1, max_size=3)):
        try:
            graph = corrupt(graph, draw(st.sampled_from(Corruption)), narrative.vocabulary, seed=seed).graph
        except EditError:
            continue
    return graph, narrative.vocabulary


def mended_as_promised(graph: ActionGraph, vocabulary: Vocabulary | None) -> ActionGraph:
    """Mend one graph, and hold the repairs to what exact repairs promise."""
    mended, changes = mend_graph(graph, vocabulary)
    before, after = check_graph(graph, vocabulary), check_graph(mended, vocabulary)
    if not changes:
        assert mended.triplets == graph.triplets
        return mended
    assert {change.by for change in changes} == {EXACT}
    assert len(after) < len(before)
    assert not Counter(one.code for one in after) - Counter(one.code for one in before)
    named = {name for finding in before for name in finding.elements}
    named |= {
        name for change in changes for name in change.before or () if name in re.findall(r"[^\s,:;]+", change.reason)
    }
    gone = {*graph.elements} - {*mended.elements}
    assert gone <= named, f"{gone - named} vanished, and no finding names them, then or at an earlier step"
    for change in changes:
        if change.before is not None and change.after not in (None, change.before.reversed):
            assert change.after is not None
            replaced = {old for old, new in zip(change.before, change.after, strict=True) if old != new}
            assert all(name in change.reason for name in replaced), f"{change}: {change.reason}"
    return mended


@given(graph=MADE_UP, vocabulary=st.sampled_from([None, L]))
def test_repairs_of_made_up_graphs_keep_what_exact_repairs_promise(
    graph: ActionGraph, vocabulary: Vocabulary | None
) -> None:
    assert mend_graph(mended_as_promised(graph, vocabulary), vocabulary)[1] == []


@given(case=spoilt(), with_vocabulary=st.booleans())
def test_repairs_of_spoilt_bundled_graphs_keep_what_exact_repairs_promise(
    case: tuple[ActionGraph, Vocabulary], with_vocabulary: bool
) -> None:
    graph, vocabulary = case
    known = vocabulary if with_vocabulary else None
    assert mend_graph(mended_as_promised(graph, known), known)[1] == []


@given(case=spoilt())
def test_exact_repairs_keep_every_object_that_l_lists(case: tuple[ActionGraph, Vocabulary]) -> None:
    graph, vocabulary = case
    mended, _ = mend_graph(graph, vocabulary)
    things = {*vocabulary.objects} - {*vocabulary.verbs, "person"}
    assert things & {*graph.elements} == things & {*mended.elements}


def test_a_name_found_only_after_the_first_repair_may_be_replaced() -> None:
    spoilt = ActionGraph.of(
        ("stove", "through", "pole"), ("place", "dobj", "pot"), ("hammer", "on", "stove"), ("place", "with", "hand1")
    )
    things, edges = ("stove", "pole", "pot", "hand1"), ("verb", "dobj", "with", "on", "through")
    vocabulary = Vocabulary(things, edges, ("place", "hammer"))
    mended_as_promised(spoilt, vocabulary)
    _, changes = mend_graph(spoilt, vocabulary)
    assert [change.code for change in changes] == ["no-action", "disconnected"]
    assert "hammer" not in changes[0].reason and "hammer" in changes[1].reason


@given(seed=st.integers(0, 999))
def test_exact_repairs_touch_no_hand_along_a_narrative(seed: int) -> None:
    choice = Random(seed)
    narrative = choice.choice(NARRATIVES)
    graphs = [
        graph if choice.random() < 0.7 else ActionGraph(one for one in graph if one.target not in ("hand1", "hand2"))
        for graph in narrative.graphs
    ]
    handless = Narrative.of(graphs, narrative.vocabulary)
    assert not any("hand" in change.code for change in mend(handless).changes)
