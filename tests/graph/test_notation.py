"""Exact notations: what they write they read back, what they cannot carry they refuse by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import pytest

from tsgkit.errors import CannotCarry, NotationError
from tsgkit.graph import ActionGraph, Description, Frames, Narrative, Vocabulary
from tsgkit.graph.notation import arrow, diagrams, easg, graphml, json_triplets, narratives, node_link

WASH = ActionGraph.of(("wash", "dobj", "cup"), ("person", "verb", "wash"), ("wash", "with", "hand1"))
SCREW = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"), ("screw", "dobj", "screw"))
ODD = ActionGraph.of(('quo"te', "<b>&", "tasse à thé"), ("x y", "on", "{x}"), ("a-", "-b", "c>"))
Write = Callable[[Sequence[ActionGraph]], str]
Parse = Callable[[str], tuple[ActionGraph, ...]]
EXACT: dict[str, tuple[Write, Parse]] = {
    "arrow": (arrow.write, arrow.parse),
    "json": (json_triplets.write, json_triplets.parse),
    "node-link": (node_link.write, node_link.parse),
    "graphml": (graphml.write, graphml.parse),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("graphs", [(WASH,), (WASH, SCREW, WASH), (ODD,), ()], ids=["one", "several", "odd", "none"])
def test_exact_notations_restore_order_and_repeats(name: str, graphs: tuple[ActionGraph, ...]) -> None:
    write, parse = EXACT[name]
    assert [graph.triplets for graph in parse(write(graphs))] == [graph.triplets for graph in graphs]


@pytest.mark.parametrize("name", ["json", "node-link", "graphml"])
def test_empty_names_are_carried(name: str) -> None:
    write, parse = EXACT[name]
    graph = ActionGraph.of(("place", "down", ""), ("", "", "cup"))
    assert parse(write([graph]))[0].triplets == graph.triplets


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("", "empty"),
        (" cup", "white space"),
        ("cup ", "white space"),
        ("a -> b", "arrow"),
        ("a->b", "arrow"),
        ("a\nb", "control character"),
        ("a\u2028b", "control character"),
        ("a\ud800b", "surrogate"),
    ],
)
def test_arrow_text_refuses_names_it_cannot_carry_and_says_which_graph(bad: str, reason: str) -> None:
    with pytest.raises(CannotCarry, match=reason) as caught:
        arrow.write([WASH, ActionGraph.of(("hold", "dobj", bad))])
    assert caught.value.graph == 1


def test_arrow_text_refuses_a_graph_without_triplets() -> None:
    with pytest.raises(CannotCarry, match="without triplets"):
        arrow.write([ActionGraph()])


@pytest.mark.parametrize("write", [graphml.write, diagrams.write_dot, diagrams.write_mermaid])
def test_formats_without_control_characters_refuse_them(write: Write) -> None:
    with pytest.raises(CannotCarry, match="control character"):
        write([ActionGraph.of(("a\x00", "on", "b"))])


@pytest.mark.parametrize("name", EXACT)
def test_half_a_surrogate_pair_is_refused_everywhere(name: str) -> None:
    with pytest.raises(CannotCarry, match="surrogate"):
        EXACT[name][0]([ActionGraph.of(("a", "on", "\udfff"))])


@pytest.mark.parametrize(
    ("text", "line"),
    [("a -> b -> c\na -> b", 2), ("a -> b -> c\n\n- a -> b\n", 3), ("a ->  b -> c", 1), ("hello", 1)],
)
def test_arrow_text_that_is_not_exact_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(NotationError) as caught:
        arrow.parse(text)
    assert caught.value.line == line


def test_arrow_text_knows_the_line_of_every_triplet() -> None:
    text = "\na -> on -> b\nb -> on -> c\n\n\nc -> on -> d\r\n"
    assert [lines for _, lines in arrow.parse_with_lines(text)] == [(2, 3), (6,)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "expected a list of graphs"),
        ('[[["a", "b"]]]', "expected three strings, found a list of 2"),
        ('[[["a", "b", 3]]]', "expected three strings"),
        ('["a"]', "expected a list of triplets, found a string"),
        ('[\n["a", "b", "c"]\n,', "line 3: broken JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[" + "9" * 10_000 + "]", "cannot be read"),
    ],
)
def test_json_that_is_no_list_of_graphs_is_refused_in_words(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        json_triplets.parse(text)


def test_a_lone_json_graph_is_a_list_of_one() -> None:
    assert json_triplets.parse('[["person", "verb", "wash"]]') == (ActionGraph.of(("person", "verb", "wash")),)


def test_node_link_json_says_kinds_and_joins_homonyms_to_nothing() -> None:
    value = json.loads(node_link.write([SCREW]))[0]
    assert {node["id"] for node in value["nodes"]} == {"person:person", "action:screw", "object:screw"}
    assert {edge["kind"] for edge in value["edges"]} == {"verb", "dobj"}


def test_node_link_json_of_others_is_read_with_links_and_ids_as_names() -> None:
    text = '{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b", "label": "on"}]}'
    assert node_link.parse(text) == (ActionGraph.of(("a", "on", "b")),)


@pytest.mark.parametrize(
    "text",
    [
        '{"nodes": []}',
        '{"nodes": [1], "edges": []}',
        '{"nodes": [{"id": "a"}], "edges": [{"source": "a"}]}',
        '{"nodes": [{"id": {}}], "edges": []}',
        '{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 1, "label": "on"}]}',
        "[3]",
    ],
)
def test_node_link_json_that_is_broken_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        node_link.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<graphml", "not well-formed XML"),
        ("<html></html>", "expected a <graphml>"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><graphml>&a;</graphml>', "entity definitions"),
        (
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed"><node id="a"/>'
            '<edge source="a" target="a"/></graph></graphml>',
            "no label",
        ),
    ],
)
def test_graphml_that_is_broken_or_dangerous_is_refused(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        graphml.parse(text)


def test_graphml_of_many_graphs_does_not_grow_faster_than_their_number() -> None:
    assert len(graphml.write([WASH] * 200)) < 201 * len(graphml.write([WASH]))


def test_dot_quotes_what_would_end_a_string() -> None:
    text = diagrams.write_dot([ActionGraph.of(('a"]; evil [x="', "on\\", "b"))])
    assert 'label="a\\"]; evil [x=\\""' in text
    assert 'label="on\\\\"' in text


def test_mermaid_encodes_what_it_would_interpret() -> None:
    text = diagrams.write_mermaid([ActionGraph.of(('a"]<script>', "on", "b#1"))])
    assert "<script>" not in text
    assert "#34;" in text
    assert "b#35;1" in text


TEA = Narrative(
    (
        Description("She fills it.", (WASH, SCREW), Frames(5, 1, 9)),
        Description("Something else happens."),
        Description(None, (WASH,)),
    ),
    Vocabulary(("cup",), ("verb", "dobj"), ("wash",)),
    "tea",
    ("Tea is made.",),
    (("domain", "kitchen"), ("split", "val")),
)


@pytest.mark.parametrize("narrative", [TEA, Narrative(), Narrative.of([SCREW]), Narrative(vocabulary=Vocabulary())])
def test_narratives_read_back_whole(narrative: Narrative) -> None:
    again = narratives.parse(narratives.write(narrative))
    assert again == narrative
    assert [graph.triplets for graph in again.graphs] == [graph.triplets for graph in narrative.graphs]


@pytest.mark.parametrize(
    ("value", "message"),
    [
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
    ],
)
def test_a_narrative_with_a_wrong_field_is_refused_by_its_name(value: object, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        narratives.from_value(value)


def clip(*texts: str) -> Narrative:
    graphs = [[10 * n, 10 * n - 5, 10 * n + 5, [text, "verb", "thing"]] for n, text in enumerate(texts, 1)]
    return easg.parse(json.dumps({"uid": {"graphs": graphs, "split": "val", "summaries": ["#Summary x"]}}))[0].narrative


def hands_of(narrative: Narrative) -> list[list[str]]:
    return [[t.target for t in graph if t.target.startswith("hand")] for graph in narrative.graphs]


def test_easg_names_are_lower_case_hyphenated_and_without_instances() -> None:
    narrative = clip(
        "Camera wearer - verb - Put down; Put down - direct object - book:1; put down - on - wooden_table:2"
    )
    assert [str(triplet) for triplet in narrative.graphs[0]] == [
        "person -> verb -> put-down",
        "put-down -> dobj -> book",
        "put-down -> on -> wooden-table",
    ]


def test_easg_clips_keep_frames_summaries_and_where_they_come_from() -> None:
    narrative = clip("Camera wearer - verb - walk")
    assert narrative.id == "uid"
    assert narrative.descriptions[0].frames == Frames(10, 5, 15)
    assert narrative.summaries == ("#Summary x",)
    assert dict(narrative.facts) == {"split": "val"}


def test_easg_repeated_relations_are_written_once() -> None:
    assert len(clip("Camera wearer - verb - cut; Camera wearer - verb - cut").graphs[0].triplets) == 1


TAKE = "Camera wearer - verb - take; take - direct object - {}; take - with - {}"
DROP = "Camera wearer - verb - drop; drop - direct object - {}; drop - with - {}"
OPEN = "Camera wearer - verb - open; open - direct object - door; open - with - {}"


@pytest.mark.parametrize(
    ("texts", "hands"),
    [
        ([TAKE.format("cup", "right_hand"), TAKE.format("lid", "left hand")], [["hand1"], ["hand2"]]),
        ([TAKE.format("cup", "left_hand"), DROP.format("cup", "left_hand"), TAKE.format("lid", "right_hand")],
         [["hand1"], ["hand1"], ["hand1"]]),
        ([TAKE.format("cup", "left_hand"), OPEN.format("right_hand"), DROP.format("cup", "left_hand")],
         [["hand1"], ["hand2"], ["hand1"]]),
        ([OPEN.format("right_hand"), TAKE.format("cup", "left_hand")], [["hand1"], ["hand1"]]),
        ([TAKE.format("box", "both_hands"), DROP.format("box", "both hands")],
         [["hand1", "hand2"], ["hand1", "hand2"]]),
    ],
    ids=["second grasp", "starts again", "other work", "work holds nothing", "both"],
)  # fmt: skip
def test_easg_real_hands_become_slots_by_the_hand_rule(texts: list[str], hands: list[list[str]]) -> None:
    assert hands_of(clip(*texts)) == hands


def test_easg_parts_that_are_no_triplets_are_reported_not_dropped() -> None:
    text = json.dumps({"uid": {"graphs": [[1, 0, 2, ["Camera wearer - verb - cut; cut wood", "cut", "wood"]]]}})
    assert easg.parse(text)[0].unread == ((0, "'cut wood' is not 'source - relation - target'"),)


@pytest.mark.parametrize(
    "value",
    [[], {"u": 3}, {"u": {"graphs": 3}}, {"u": {"graphs": [], "summaries": 3}}],
)
def test_easg_that_is_broken_is_refused(value: object) -> None:
    with pytest.raises(NotationError):
        easg.from_value(value)
