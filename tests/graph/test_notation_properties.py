"""For every graph a notation can carry, parse(write(graph)) is the graph, order and repeats included."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.errors import CannotCarry
from tsgkit.graph import ActionGraph, Description, Frames, Narrative, Vocabulary, from_networkx, read, to_networkx
from tsgkit.graph.notation import arrow, graphml, json_triplets, narratives, node_link

WORDS = st.sampled_from(["person", "verb", "dobj", "with", "hand1", "pick-up", "screw", "cup", "on", "tea-bag"])
ANY_TEXT = st.text(max_size=8)
NAMES = st.one_of(WORDS, ANY_TEXT, st.text(alphabet=" ->\"'<>&[]{}\n\t\\#;|_:.", max_size=6))
GRAPHS = st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=6).map(ActionGraph)
FILES = st.lists(GRAPHS, max_size=4)
EXACT = {"arrow": arrow, "json": json_triplets, "node-link": node_link, "graphml": graphml}


@pytest.mark.parametrize("name", EXACT)
@given(graphs=FILES)
def test_accepted_graphs_are_restored_exactly(name: str, graphs: list[ActionGraph]) -> None:
    notation = EXACT[name]
    try:
        text = notation.write(graphs)
    except CannotCarry:
        return
    again = notation.parse(text)
    assert again == tuple(graphs)
    assert [graph.triplets for graph in again] == [graph.triplets for graph in graphs]


@given(graphs=FILES)
def test_json_refuses_nothing_that_is_text(graphs: list[ActionGraph]) -> None:
    assert json_triplets.parse(json_triplets.write(graphs)) == tuple(graphs)


@given(graph=GRAPHS, objects=st.lists(NAMES, max_size=3), verbs=st.lists(NAMES, max_size=3))
def test_the_networkx_view_comes_back_whatever_l_says(graph: ActionGraph, objects: list[str], verbs: list[str]) -> None:
    vocabulary = Vocabulary(tuple(objects), (), tuple(verbs))
    assert from_networkx(to_networkx(graph, vocabulary)).triplets == graph.triplets


NUMBERS = st.integers(0, 10**6)
FRAMES = st.none() | st.builds(Frames, NUMBERS, NUMBERS, NUMBERS)
DESCRIPTIONS = st.builds(Description, st.none() | ANY_TEXT, st.lists(GRAPHS, max_size=2).map(tuple), FRAMES)
STRINGS = st.lists(ANY_TEXT, max_size=3).map(tuple)
NARRATIVES = st.builds(
    Narrative,
    st.lists(DESCRIPTIONS, max_size=3).map(tuple),
    st.none() | st.builds(Vocabulary, STRINGS, STRINGS, STRINGS),
    ANY_TEXT,
    STRINGS,
    st.dictionaries(ANY_TEXT, ANY_TEXT, max_size=2).map(lambda facts: tuple(facts.items())),
)


@given(narrative=NARRATIVES)
def test_narratives_come_back_whole(narrative: Narrative) -> None:
    again = narratives.parse(narratives.write(narrative))
    assert again == narrative
    assert [graph.triplets for graph in again.graphs] == [graph.triplets for graph in narrative.graphs]


SIMPLE = st.sampled_from(["cup", "lid", "table", "tea-bag", "hand1", "hand2", "screw"])
STEPS = st.builds(
    lambda action, edges: ActionGraph([("person", "verb", action), *((action, label, end) for label, end in edges)]),
    st.sampled_from(["wash", "pick-up", "screw"]),
    st.lists(st.tuples(st.sampled_from(["dobj", "with", "on"]), SIMPLE), max_size=5),
)


@given(graphs=st.lists(STEPS, max_size=5), k=st.none() | st.integers(1, 6))
def test_the_tolerant_reader_reads_exact_text_exactly(graphs: list[ActionGraph], k: int | None) -> None:
    reading = read(arrow.write(graphs), k)
    assert [graph.triplets for graph in reading.graphs] == [graph.triplets for graph in graphs]
    assert reading.notes == ()


@given(graphs=st.lists(STEPS, min_size=1, max_size=4), data=st.data())
def test_the_order_of_triplets_within_blocks_changes_nothing(graphs: list[ActionGraph], data: st.DataObject) -> None:
    shuffled = [ActionGraph(data.draw(st.permutations(graph.triplets))) for graph in graphs]
    assert read(arrow.write(shuffled), len(graphs)).graphs == tuple(graphs)


@given(
    text=st.text(alphabet=st.sampled_from("abc ->→\n[](){}\",'*#`|:;1."), max_size=200), k=st.none() | st.integers(0, 4)
)
def test_no_text_makes_the_tolerant_reader_raise_and_no_line_is_dropped(text: str, k: int | None) -> None:
    reading = read(text, k)
    seen = {line for lines in reading.lines for line in lines} | {note.line for note in reading.notes}
    assert bool(seen) == bool(text.strip())
    assert all(1 <= line <= text.count("\n") + 1 for line in seen)
