"""Exact notations: what they write they read back, what they cannot carry they refuse by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refusal

from tsgkit.errors import CannotCarry, NotationError
from tsgkit.graph import ActionGraph, Description, Frames, Narrative, Vocabulary, read
from tsgkit.graph.notation import arrow, diagrams, easg, graphml, json_triplets, narratives, node_link

Write = Callable[[Sequence[ActionGraph]], str]
Parse = Callable[[str], tuple[ActionGraph, ...]]
WASH = ActionGraph.of(("wash", "dobj", "cup"), ("person", "verb", "wash"), ("wash", "with", "hand1"))
SCREW = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"), ("screw", "dobj", "screw"))
ODD = ActionGraph.of(('quo"te', "<b>&", "tasse à thé"), ("x y", "on", "{x}"), ("a-", "-b", "c>"))
EXACT: dict[str, tuple[Write, Parse]] = {
    "arrow": (arrow.write, arrow.parse),
    "json": (json_triplets.write, json_triplets.parse),
    "node-link": (node_link.write, node_link.parse),
    "graphml": (graphml.write, graphml.parse),
}
NAMES = st.one_of(
    st.sampled_from(["person", "verb", "dobj", "with", "hand1", "pick-up", "screw", "cup", "on", "tea-bag"]),
    st.text(max_size=8),
    st.text(alphabet=" ->\"'<>&[]{}\n\t\\#;|_:.", max_size=6),
)
GRAPHS = st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=6).map(ActionGraph)


@given(graphs=st.lists(GRAPHS, max_size=4))
@example(graphs=[WASH, SCREW, WASH, ODD])
@example(graphs=[ActionGraph.of(("place", "down", ""), ("", "", "cup"))])
def test_graphs_that_a_notation_accepts_are_restored_exactly(graphs: list[ActionGraph]) -> None:
    for name, (write, parse) in EXACT.items():
        try:
            again = parse(write(graphs))
        except CannotCarry:
            assert name in ("arrow", "graphml")
            continue
        assert [graph.triplets for graph in again] == [graph.triplets for graph in graphs], name


def test_writers_refuse_names_they_cannot_carry_and_arrow_text_says_which_graph() -> None:
    for bad, reason in [
        *(("", "empty"), (" cup", "white space"), ("cup ", "white space"), ("a -> b", "arrow"), ("a->b", "arrow")),
        *(("a\nb", "control character"), ("a\u2028b", "control character"), ("a\ud800b", "surrogate")),
    ]:
        with pytest.raises(CannotCarry, match=reason) as caught:
            arrow.write([WASH, ActionGraph.of(("hold", "dobj", bad))])
        assert caught.value.graph == 1, bad
    assert "without triplets" in refusal(CannotCarry, arrow.write, [ActionGraph()])
    for write in (graphml.write, diagrams.write_dot, diagrams.write_mermaid):
        assert "control character" in refusal(CannotCarry, write, [ActionGraph.of(("a\x00", "on", "b"))])
    for write, _ in EXACT.values():
        assert "surrogate" in refusal(CannotCarry, write, [ActionGraph.of(("a", "on", "\udfff"))])
    half = "half of a pair \ud83d"
    for narrative in [
        *(Narrative((Description(half),)), Narrative(id=half), Narrative(vocabulary=Vocabulary((half,)))),
        *(Narrative(summaries=(half,)), Narrative(facts=(("split", half),))),
    ]:
        assert "surrogate" in refusal(CannotCarry, narratives.write, narrative)


def test_arrow_text_knows_the_lines_of_its_triplets_and_of_what_is_not_exact() -> None:
    text = "\na -> on -> b\nb -> on -> c\n\n\nc -> on -> d\r\n"
    assert [lines for _, lines in arrow.parse_with_lines(text)] == [(2, 3), (6,)]
    for text, line in (("a -> b -> c\na -> b", 2), ("a -> b -> c\n\n- a -> b\n", 3), ("a ->  b -> c", 1), ("hello", 1)):
        with pytest.raises(NotationError) as caught:
            arrow.parse(text)
        assert caught.value.line == line, text


def test_json_that_is_no_list_of_graphs_is_refused_in_words() -> None:
    for text, message in [
        ("{}", "expected a list of graphs"),
        ('[[["a", "b"]]]', "expected three strings, found a list of 2"),
        ('[[["a", "b", 3]]]', "expected three strings"),
        ('["a"]', "expected a list of triplets, found a string"),
        ('[\n["a", "b", "c"]\n,', "line 3: broken JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[" + "9" * 10_000 + "]", "cannot be read"),
    ]:
        assert message in refusal(NotationError, json_triplets.parse, text)
    assert json_triplets.parse('[["person", "verb", "wash"]]') == (ActionGraph.of(("person", "verb", "wash")),)


def test_node_link_json_says_kinds_and_is_read_as_others_write_it() -> None:
    value = json.loads(node_link.write([SCREW]))[0]
    assert {node["id"] for node in value["nodes"]} == {"person:person", "action:screw", "object:screw"}
    assert {edge["kind"] for edge in value["edges"]} == {"verb", "dobj"}
    text = '{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b", "label": "on"}]}'
    assert node_link.parse(text) == (ActionGraph.of(("a", "on", "b")),)


def test_node_link_json_and_graphml_that_are_broken_or_dangerous_are_refused() -> None:
    for text in (
        *('{"nodes": []}', '{"nodes": [1], "edges": []}', '{"nodes": [{"id": "a"}], "edges": [{"source": "a"}]}'),
        *('{"nodes": [{"id": {}}], "edges": []}', "[3]"),
        '{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 1, "label": "on"}]}',
    ):
        assert refusal(NotationError, node_link.parse, text)
    form = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">{}</graph></graphml>'
    for text, message in [
        ("<graphml", "not well-formed XML"),
        ("<html></html>", "expected a <graphml>"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><graphml>&a;</graphml>', "entity definitions"),
        (form.format('<node id="a"/><edge source="a" target="a"/>'), "no label"),
    ]:
        assert message in refusal(NotationError, graphml.parse, text)
    assert len(graphml.write([WASH] * 200)) < 201 * len(graphml.write([WASH]))


def test_diagrams_encode_what_they_would_interpret() -> None:
    text = diagrams.write_dot([ActionGraph.of(('a"]; evil [x="', "on\\", "b"))])
    assert 'label="a\\"]; evil [x=\\""' in text and 'label="on\\\\"' in text
    text = diagrams.write_mermaid([ActionGraph.of(('a"]<script>', "on", "b#1"))])
    assert "<script>" not in text and "#34;" in text and "b#35;1" in text


TEA = Narrative(
    (Description("She fills it.", (WASH, SCREW), Frames(5, 1, 9)), Description("More."), Description(None, (WASH,))),
    Vocabulary(("cup",), ("verb", "dobj"), ("wash",)),
    "tea",
    ("Tea is made.",),
    (("domain", "kitchen"), ("split", "val")),
)
TEXTS = st.text(max_size=8)
NUMBERS = st.integers(0, 10**6)
FRAMES = st.none() | st.builds(Frames, NUMBERS, NUMBERS, NUMBERS)
DESCRIPTIONS = st.builds(Description, st.none() | TEXTS, st.lists(GRAPHS, max_size=2).map(tuple), FRAMES)
STRINGS = st.lists(TEXTS, max_size=3).map(tuple)
NARRATIVES = st.builds(
    Narrative,
    st.lists(DESCRIPTIONS, max_size=3).map(tuple),
    st.none() | st.builds(Vocabulary, STRINGS, STRINGS, STRINGS),
    TEXTS,
    STRINGS,
    st.dictionaries(TEXTS, TEXTS, max_size=2).map(lambda facts: tuple(facts.items())),
)


@given(narrative=NARRATIVES)
@example(narrative=TEA)
@example(narrative=Narrative(vocabulary=Vocabulary()))
def test_narratives_come_back_whole(narrative: Narrative) -> None:
    again = narratives.parse(narratives.write(narrative))
    assert (again, repr(again)) == (narrative, repr(narrative)), "in the order that was written"


SIMPLE = st.sampled_from(["cup", "lid", "table", "tea-bag", "hand1", "hand2", "screw"])
STEPS = st.builds(
    lambda action, edges: ActionGraph([("person", "verb", action), *((action, label, end) for label, end in edges)]),
    st.sampled_from(["wash", "pick-up", "screw"]),
    st.lists(st.tuples(st.sampled_from(["dobj", "with", "on"]), SIMPLE), max_size=5),
)


@given(graphs=st.lists(STEPS, max_size=5), k=st.none() | st.integers(1, 6), data=st.data())
def test_the_tolerant_reader_reads_exact_text_exactly_and_the_order_within_blocks_changes_nothing(
    graphs: list[ActionGraph], k: int | None, data: st.DataObject
) -> None:
    reading = read(arrow.write(graphs), k)
    assert [graph.triplets for graph in reading.graphs] == [graph.triplets for graph in graphs]
    assert reading.notes == ()
    shuffled = [ActionGraph(data.draw(st.permutations(graph.triplets))) for graph in graphs]
    assert read(arrow.write(shuffled), len(graphs)).graphs == tuple(graphs)


def test_a_narrative_with_a_wrong_field_is_refused_by_its_name() -> None:
    rows: list[tuple[object, str]] = [
        ([], "expected a narrative object"),
        ({"descriptions": {}}, "descriptions is an object, expected a list"),
        ({"descriptions": [3]}, "description 0: expected an object"),
        ({"descriptions": [{"txt": "x"}]}, "no such field as 'txt'"),
        ({"descriptions": [{"text": 3}]}, "text is a number"),
        ({"descriptions": [{"graphs": [[["a"]]]}]}, "description 0, graph 0, triplet 0"),
        ({"descriptions": [{"frames": [1, 2, True]}]}, "three numbers"),
        ({"descriptions": [], "vocabulary": {"object": []}}, "the list 'relationship' is missing"),
        ({"descriptions": [], "vocabulary": {"object": [1], "relationship": [], "verb": []}}, "strings only"),
        ({"descriptions": [], "summary": []}, "no field 'summary'"),
    ]
    for value, message in rows:
        assert message in refusal(NotationError, narratives.from_value, value)


def clip(*texts: str) -> Narrative:
    graphs = [[10 * n, 10 * n - 5, 10 * n + 5, [text, "verb", "thing"]] for n, text in enumerate(texts, 1)]
    return easg.parse(json.dumps({"uid": {"graphs": graphs, "split": "val", "summaries": ["#Summary x"]}}))[0].narrative


def test_easg_clips_keep_names_frames_summaries_and_where_they_come_from() -> None:
    wearer = "Camera wearer - verb - Put down"
    narrative = clip(f"{wearer}; Put down - direct object - book:1; put down - on - wooden_table:2")
    edges = (("put-down", "dobj", "book"), ("put-down", "on", "wooden-table"))
    graph = ActionGraph.of(("person", "verb", "put-down"), *edges)
    told, facts = (Description(None, (graph,), Frames(10, 5, 15)),), (("split", "val"),)
    assert narrative == Narrative(told, id="uid", summaries=("#Summary x",), facts=facts)


def test_easg_real_hands_become_slots_by_the_hand_rule() -> None:
    form = "Camera wearer - verb - {0}; {0} - direct object - {1}; {0} - with - {2}"
    rows: list[tuple[str, list[str]]] = [
        ("take cup right_hand, take lid left hand", ["hand1", "hand2"]),
        ("take cup left_hand, drop cup left_hand, take lid right_hand", ["hand1", "hand1", "hand1"]),
        ("take cup left_hand, open door right_hand, drop cup left_hand", ["hand1", "hand2", "hand1"]),
        ("open door right_hand, take cup left_hand", ["hand1", "hand1"]),
        ("take box both_hands, drop box both hands", ["hand1 hand2", "hand1 hand2"]),
    ]
    for steps, hands in rows:
        narrative = clip(*(form.format(*step.split(maxsplit=2)) for step in steps.split(", ")))
        slots = [" ".join(t.target for t in graph if t.target.startswith("hand")) for graph in narrative.graphs]
        assert slots == hands, steps


def test_easg_repeats_are_written_once_and_parts_that_are_no_triplets_are_reported() -> None:
    assert len(clip("Camera wearer - verb - cut; Camera wearer - verb - cut").graphs[0].triplets) == 1
    text = json.dumps({"uid": {"graphs": [[1, 0, 2, ["Camera wearer - verb - cut; cut wood", "cut", "wood"]]]}})
    assert easg.parse(text)[0].unread == ((0, "'cut wood' is not 'source - relation - target'"),)
    for value in ([], {"u": 3}, {"u": {"graphs": 3}}, {"u": {"graphs": [], "summaries": 3}}):
        assert refusal(NotationError, easg.from_value, value)
