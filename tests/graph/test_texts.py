"""Texts of graphs: exact notations read back what they write; the tolerant reader reads models, and notes the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from made_up_texts import ROWS
from refusals import refusal

from tsgkit.errors import CannotCarry, NotationError
from tsgkit.graph import ActionGraph, Description, Frames, Narrative, Reading, Vocabulary, read
from tsgkit.graph.folding import fold
from tsgkit.graph.notation import arrow, diagrams, easg, graphml, json_triplets, narratives, node_link
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.graph.reading.lines import nearly_clean, understand
from tsgkit.replies import Unreadable

Write = Callable[[Sequence[ActionGraph]], str]
Parse = Callable[[str], tuple[ActionGraph, ...]]
RINSE = ActionGraph.of(("wash", "dobj", "cup"), ("person", "verb", "wash"), ("wash", "with", "hand1"))
SCREW = ActionGraph.of(("person", "verb", "screw"), ("screw", "dobj", "screw"), ("screw", "dobj", "screw"))
ODD = ActionGraph.of(('quo"te', "<b>&", "tasse à thé"), ("x y", "on", "{x}"), ("a-", "-b", "c>"))
EXACT: dict[str, tuple[Write, Parse]] = {
    "arrow": (arrow.write, arrow.parse), "json": (json_triplets.write, json_triplets.parse),
    "node-link": (node_link.write, node_link.parse), "graphml": (graphml.write, graphml.parse),
}  # fmt: skip
NAMES = st.one_of(
    st.sampled_from(["person", "verb", "dobj", "with", "hand1", "pick-up", "screw", "cup", "on", "tea-bag"]),
    st.text(max_size=8),
    st.text(alphabet=" ->\"'<>&[]{}\n\t\\#;|_:.", max_size=6),
)
GRAPHS = st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=6).map(ActionGraph)


@given(graphs=st.lists(GRAPHS, max_size=4))
@example(graphs=[RINSE, SCREW, RINSE, ODD])
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
            arrow.write([RINSE, ActionGraph.of(("hold", "dobj", bad))])
        assert caught.value.graph == 1, bad
    assert "without triplets" in refusal(CannotCarry, arrow.write, [ActionGraph()])
    for writes in (graphml.write, diagrams.write_dot, diagrams.write_mermaid):
        assert "control character" in refusal(CannotCarry, writes, [ActionGraph.of(("a\x00", "on", "b"))])
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
        ("{}", "expected a list of graphs"), ('[[["a", "b"]]]', "expected three strings, found a list of 2"),
        ('[[["a", "b", 3]]]', "expected three strings"), ('["a"]', "expected a list of triplets, found a string"),
        ('[\n["a", "b", "c"]\n,', "line 3: broken JSON"), ("[" * 100_000, "nested too deeply"),
        ("[" + "9" * 10_000 + "]", "cannot be read"),
    ]:  # fmt: skip
        assert message in refusal(NotationError, json_triplets.parse, text)
    assert json_triplets.parse('[["person", "verb", "wash"]]') == (ActionGraph.of(("person", "verb", "wash")),)


def test_node_link_json_says_kinds_and_is_read_as_others_write_it() -> None:
    value = json.loads(node_link.write([SCREW]))[0]
    assert '"café"' in node_link.write([ActionGraph.of(("take", "dobj", "café"))])
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
        ("<graphml", "not well-formed XML"), ("<html></html>", "expected a <graphml>"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><graphml>&a;</graphml>', "entity definitions"),
        (form.format('<node id="a"/><edge source="a" target="a"/>'), "no label"),
    ]:  # fmt: skip
        assert message in refusal(NotationError, graphml.parse, text)
    untyped = form.replace("<graph ", '<key id="k" for="node" attr.name="note"/><graph ').format('<node id="a"/>')
    assert graphml.parse(untyped) == (ActionGraph(()),), "and no warning of a key without a type"
    assert len(graphml.write([RINSE] * 200)) < 201 * len(graphml.write([RINSE]))


def test_diagrams_encode_what_they_would_interpret() -> None:
    text = diagrams.write_dot([ActionGraph.of(('a"]; evil [x="', "on\\", "b"))])
    assert 'label="a\\"]; evil [x=\\""' in text and 'label="on\\\\"' in text
    text = diagrams.write_mermaid([ActionGraph.of(('a"]<script>', "on", "b#1"))])
    assert "<script>" not in text and "#34;" in text and "b#35;1" in text


TEA = Narrative(
    (Description("She fills it.", (RINSE, SCREW), Frames(5, 1, 9)), Description("More."), Description(None, (RINSE,))),
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
    assert narratives.to_value(TEA)["domain"] == "kitchen", "where published narratives have it"


SIMPLE = st.sampled_from(["cup", "lid", "tea-bag", "hand1", "hand2", "screw", "чашка", "茶碗", "Cup", "x2", "triplets"])
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
        ({"descriptions": [3]}, "description 1: expected an object"),
        ({"descriptions": [{"txt": "x"}]}, "no such field as 'txt'"),
        ({"descriptions": [{"text": 3}]}, "text is a number"),
        ({"descriptions": [{"graphs": [[["a"]]]}]}, "description 1, graph 1, triplet 1"),
        ({"descriptions": [{"frames": [1, 2, True]}]}, "three numbers"),
        ({"descriptions": [], "vocabulary": {"object": []}}, "the list 'relationship' is missing"),
        ({"descriptions": [], "vocabulary": {"object": [1], "relationship": [], "verb": []}}, "strings only"),
        ({"descriptions": [], "summary": []}, "no field 'summary'"),
        ({"descriptions": [], "domain": "x", "facts": {"domain": "y"}}, "two domains"),
    ]
    for value, message in rows:
        assert message in refusal(NotationError, narratives.from_value, value)


def clip(*texts: str) -> Narrative:
    graphs = [[10 * n, 10 * n - 5, 10 * n + 5, [text, "verb", "thing"]] for n, text in enumerate(texts, 1)]
    return easg.parse(json.dumps({"uid": {"graphs": graphs, "split": "val", "summaries": ["#Summary x"]}}))[0].narrative


def test_easg_clips_are_read_with_hands_as_slots_and_repeats_and_parts_that_are_no_triplets_reported() -> None:
    wearer = "Camera wearer - verb - Put down"
    narrative = clip(f"{wearer}; Put down - direct object - book:1; put down - on - wooden_table:2")
    edges = (("put-down", "dobj", "book"), ("put-down", "on", "wooden-table"))
    graph = ActionGraph.of(("person", "verb", "put-down"), *edges)
    told, facts = (Description(None, (graph,), Frames(10, 5, 15)),), (("split", "val"),)
    assert narrative == Narrative(told, id="uid", summaries=("#Summary x",), facts=facts)
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
    assert len(clip("Camera wearer - verb - cut; Camera wearer - verb - cut").graphs[0].triplets) == 1
    text = json.dumps({"uid": {"graphs": [[1, 0, 2, ["Camera wearer - verb - cut; cut wood", "cut", "wood"]]]}})
    assert easg.parse(text)[0].unread == ((0, "'cut wood' is not 'source - relation - target'"),)
    value: object
    for value in ([], {"u": 3}, {"u": {"graphs": 3}}, {"u": {"graphs": [], "summaries": 3}}):
        assert refusal(NotationError, easg.from_value, value)


WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"))
DRY = ActionGraph.of(("person", "verb", "dry"), ("dry", "with", "cloth"))
LISTS = [[list(triplet) for triplet in graph] for graph in (WASH, DRY)]
CLEAN = "person -> verb -> wash\nwash -> dobj -> cup\n\nperson -> verb -> dry\ndry -> with -> cloth\n"
BEFORE = "Here are the graphs you asked for:\n\n"
BEHIND = "\n\nLet me know if anything should be changed, for example one of the verbs."


def shown(reading: Reading) -> list[list[str]]:
    return [[str(triplet) for triplet in graph] for graph in reading.graphs]


def notes_of(reading: Reading) -> list[tuple[int, str, str, str]]:
    return [(note.line, note.kind, note.reason, note.text) for note in reading.notes]


def test_model_replies_are_read_as_the_graphs_they_say_and_a_cut_one_says_no_new_triplet() -> None:
    for name, row in ROWS.items():
        reading = read(row.reply, row.k)
        assert shown(reading) == row.graphs, name
        assert row.noted <= {note.line for note in reading.notes}, name
        assert shown(read(f"{BEFORE}{row.reply}{BEHIND}", row.k)) == row.graphs, name
        if "```" not in row.reply:
            assert shown(read(f"{BEFORE}```\n{row.reply}\n```{BEHIND}", row.k)) == row.graphs, name
    for name, row in ROWS.items():
        lines = row.reply.split("\n")
        said = {triplet for graph in row.graphs for triplet in graph}
        if name.startswith("corrections"):
            said |= {line for line in lines if re.fullmatch(r"\S+ -> \S+ -> \S+", line)}
        for end in range(len(lines)):
            graphs = shown(read("\n".join(lines[:end]), row.k))
            assert {triplet for graph in graphs for triplet in graph} <= said, (name, end)


def test_clean_text_has_no_note_and_a_line_that_is_no_triplet_one_with_the_reason() -> None:
    for end in ("\n", "\r\n", "\r"):
        assert read(CLEAN.replace("\n", end)) == Reading((WASH, DRY), ((1, 2), (4, 5)), ()), end
        assert read(f" {end}\t{end}") == read("") == Reading((), (), ()), end
    rows: list[tuple[str, str, str]] = [
        ("I hope this helps!", "ignored", "no triplet"),
        ("person -> wash", "unread", "2 parts between arrows, not 3"),
        ("person -> verb -> wash -> dobj -> cup", "unread", "5 parts between arrows, not 3"),
        ("place -> down -> ", "unread", "an empty name between arrows"),
        ("Note:", "ignored", "a heading or lead-in"),
        ("| a | b |", "ignored", "a table row without three cells"),
        ('{"a": 1}', "unread", "brackets that hold no triplet"),
        ("[1]", "ignored", "no triplet"),
    ]
    for line, kind, reason in rows:
        reading = read(f"{CLEAN}\n{line}")
        assert reading.graphs == (WASH, DRY), line
        assert notes_of(reading) == [(7, kind, reason, line.strip())], line
    for line in ("Person -> dobj -> bolt (large)", "pick-up -> out-of -> tea-caddy"):
        assert shown(read(line)) == [[line]]
    line = "1. **person** → verb → wash."
    assert notes_of(read(line)) == [(1, "repaired", "numbering, decoration, arrow", line)]


def test_blocks_are_joined_and_split_by_their_actions_and_triplets_of_a_fused_one_follow_theirs() -> None:
    wash, dry, stack = (f"person -> verb -> {verb}" for verb in ("wash", "dry", "stack"))
    cup, cloth = "wash -> dobj -> cup", "dry -> with -> cloth"
    both = [[wash, cup], [dry, cloth]]
    rows: list[tuple[str, int | None, list[list[str]]]] = [
        *((f"{wash}\n{cup}\n{dry}", k, [[wash, cup, dry]]) for k in (1, None)),
        *((f"{wash}\n\n{cup}\n\n{dry}\n\n{cloth}", 2, both), (f"{cup}\n\n{wash}", 1, [[cup, wash]])),
        (f"hold -> dobj -> cup\n\n{wash}", 2, [["hold -> dobj -> cup"], [wash]]),
        *((f"{cup}\n\n{cloth}", k, graphs) for k, graphs in ((2, [[cup], [cloth]]), (3, [[cup, cloth]]))),
        *((CLEAN.replace("\n\n", "\n"), 2, both), (f"{cloth}\n{wash}\n{dry}\n{cup}", 2, [[wash, cup], [cloth, dry]])),
        *((f"{wash}\n{dry}\n\n{stack}", k, [*one, [stack]]) for k, one in ((2, [[wash, dry]]), (3, [[wash], [dry]]))),
    ]
    for text, k, graphs in rows:
        assert shown(read(text, k)) == graphs, (text, k)
    listed = json.dumps({"graphs": [[wash.split(" -> ")], [cloth.split(" -> ")]]})
    for k, graphs in ((2, [[wash], [cloth]]), (3, [[wash, cloth]])):  # as many lists as were asked for are graphs
        answer = read_graphs(listed, k)
        assert isinstance(answer, GraphAnswer) and shown(answer.reading) == graphs
    assert [note.reason for note in read(CLEAN.replace("\n\n", "\n"), 2).repaired] == [
        "a block with 2 person-verb triplets split into as many graphs"
    ]
    assert [note.line for note in read(f"{wash}\n\n{cup}\n\n{dry}\n\n{cloth}", 2).notes] == [3, 7]
    verbs = ["person -> verb -> wash", "person -> verb -> dry"]
    edges = ["wash -> dobj -> cup", "sugar -> in -> tea", "dry -> with -> cloth", "moon -> over -> sea"]
    assert shown(read("\n".join(["tea -> in -> cup", *verbs, *edges]), 2)) == [
        ["tea -> in -> cup", verbs[0], *edges[:2]],
        [verbs[1], *edges[2:]],
    ]
    step = "person -> verb -> wipe\nwipe -> dobj -> {}\n"
    reading = read(step.format("table") + step.format("shelf") + step.format("table"), 3)
    assert [graph.triplets[1].target for graph in reading.graphs] == ["table", "shelf", "table"]


def test_reasoning_is_not_read_in_text_or_in_fields_of_json() -> None:
    thought = "<think>\nperson -> verb -> grab\n</think>\n"
    before = "Thinking: person -> verb -> grab </think>", f"<think>one</think>\n{thought}\n"
    for reply in (*(start + CLEAN for start in before), CLEAN + thought):
        reading = read(reply, 2)
        assert reading.graphs == (WASH, DRY), reply
        assert {note.reason for note in reading.notes} == {"reasoning"}, reply
    rows: list[object] = ["grab -> dobj -> cup", ["grab -> dobj -> cup"], ["first", "grab -> dobj -> cup"]]
    for steps in rows:
        for value in ({"answer": LISTS, "reasoning": steps}, {"reasoning": steps, "answer": LISTS}):
            assert read(json.dumps(value), 2).graphs == (WASH, DRY), steps


def test_words_and_objects_around_graphs_are_counted_and_make_no_triplets() -> None:
    person = "person -> verb -> wash"
    around = '{"start": "00:01", "end": "00:05", "label": "washing up", "graphs": %s}'
    fields = {"graph_1": [person, "cut -> onion"], "thoughts": "first it is cut", "nodes": ["a", "b", "c"]}
    no_lists = ("unread", "1 JSON lists or strings that are no triplets")
    no_values = [("ignored", f"{number} JSON values that are no triplets") for number in (2, 3)]
    denied = ("unread", "a triplet that the words before it deny or give as an example")
    box = '{"source": "wash", "edge": "dobj", "target": "cup", "box": [[1, 2], [3, 4]], "tags": ["x", "y", "z"]}'
    quoted = """['{"source": "a", "edge": "b", "target": "c"}', 'x', 'y'],"""
    sentence = "First I think that maybe the person -> verb -> grab, and then we go on to wash the cup"
    rows: list[tuple[str, list[list[str]], list[tuple[str, str]]]] = [
        (around % '[["person", "verb", "wash"]]', [[person]], no_values[1:]),
        (around % '[[{"from": "person", "label": "verb", "to": "wash"}]]', [[person]], no_values[1:]),
        (json.dumps(fields), [[person]], [no_lists, no_values[0]]),
        ('[[["person", "verb", "wash"], ["wash", "dobj", 3]]]', [[person]], [no_lists]),
        (box, [["wash -> dobj -> cup"]], []),
        (quoted, [['{"source": "a", "edge": "b", "target": "c"} -> x -> y']], []),
        (sentence, [], [("unread", "several statements on a line, not all of them triplets")]),
        (f"{person}\nMissing: wash -> with -> hand2", [[person]], [denied]),
        (f"{person}\n- **Missing**: wash -> with -> hand2", [[person]], [denied]),
    ]
    for text, graphs, notes in rows:
        reading = read(text)
        assert shown(reading) == graphs, text
        assert [(note.kind, note.reason) for note in reading.notes if note.kind != "repaired"] == notes, text
    for text in (f"The answer is {json.dumps(LISTS)} as requested.", CLEAN.replace("->", "$\\rightarrow$")):
        assert read(text, 2).graphs == (WASH, DRY), text


@given(st.text(alphabet=st.sampled_from("abc ->→\n[](){}\",'*#`|:;1."), max_size=200), st.none() | st.integers(0, 4))
def test_no_text_makes_the_reader_raise_and_no_line_is_dropped(text: str, k: int | None) -> None:
    reading = read(text, k)
    for line in text.split("\n"):
        assert (clean := nearly_clean(line)) is None or clean == understand(line)
    seen = {line for lines in reading.lines for line in lines} | {note.line for note in reading.notes}
    assert bool(seen) == bool(text.strip())
    assert all(1 <= line <= text.count("\n") + 1 for line in seen)


FIELDS = """<think>lift -> dobj -> lid</think>
```json
{"draft": [["person", "verb", "lift"]],
 "graphs": [[["person", "verb", "lift"], ["lift", "dobj",
   "pot"]], [{"source": "person", "target": "place", "edge": "verb"}]]}
```"""


def test_an_answer_has_the_graphs_of_its_last_section_folded_and_their_places_in_the_reply() -> None:
    many = "; ".join(["person -> verb -> lift", *(f"lift -> with -> hand{number}" for number in range(6_000))])
    rows: list[tuple[str, list[str]]] = [
        ("draft -> is -> wrong\nFinal graphs:\nPerson -> verb -> Wash", ["Person -> verb -> Wash"]),
        (FIELDS, ['person", "verb", "lift', 'lift", "dobj",\n   "pot', 'person", "target": "place", "edge": "verb']),
        ("lift: lift -> dobj -> pot; lift -> with -> hand1", ["lift -> dobj -> pot", "lift -> with -> hand1"]),
        ("lift -> dobj -> pot\n\nlift -> dobj -> pot", ["lift -> dobj -> pot"] * 2),
        ("wash:\n  dobj: cup\n  with: hand1", ["dobj: cup", "with: hand1"]),
        ("| Source | Target | Edge |\n|---|---|---|\n| lift | pot | dobj |", ["lift | pot | dobj"]),
        ("**person** -> _verb_ -> take\r\ndobj(take, lid)", ["person** -> _verb_ -> take", "dobj(take, lid"]),
        ('[["person", "verb", "l\\u00f6sen"]]', ['person", "verb", "l\\u00f6sen']),
        (many, [many]),
    ]
    for reply, places in rows:
        answer = read_graphs(reply, 2)
        assert isinstance(answer, GraphAnswer), reply
        assert [reply[start:end] for start, end in answer.spans] == places, reply
    answer = read_graphs(rows[0][0], 1)
    assert isinstance(answer, GraphAnswer)
    assert answer.graphs == (ActionGraph.of(("person", "verb", "wash")),)
    assert read_graphs("I am sorry.", 2) == Unreadable("no triplet found")
    for name, folded in ((' "Cup." ', "cup"), ("'Tea Bag'", "tea bag"), ("a.b", "a.b"), ("", "")):
        assert (fold(name), fold(folded)) == (folded, folded), name


PIECES = st.sampled_from(
    ["person", "verb", "lift", " -> ", ", ", "\r\n", "\n", "[", "]", '"', ": ", "(", ")", "|", "é"]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_places_lie_in_the_reply_in_order_and_hold_something(reply: str) -> None:
    answer = read_graphs(reply, 2)
    spans = answer.spans if isinstance(answer, GraphAnswer) else ()
    assert isinstance(answer, Unreadable) or spans
    assert all(0 <= start < end <= len(reply) and reply[start:end].strip() for start, end in spans)
    assert list(spans) == sorted(set(spans))
