"""The tolerant reader: what models write becomes graphs, and everything else a note."""

from __future__ import annotations

import json
import re
from textwrap import dedent

from hostile_texts import hostile_texts
from hypothesis import given
from hypothesis import strategies as st
from model_replies import ROWS

from tsgkit.graph import ActionGraph, Reading, read
from tsgkit.graph.notation.diagrams import write_dot, write_mermaid
from tsgkit.graph.reading.lines import nearly_clean, understand

WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"))
DRY = ActionGraph.of(("person", "verb", "dry"), ("dry", "with", "cloth"))
LISTS = [[list(triplet) for triplet in graph] for graph in (WASH, DRY)]
CLEAN = "person -> verb -> wash\nwash -> dobj -> cup\n\nperson -> verb -> dry\ndry -> with -> cloth\n"


def shown(reading: Reading) -> list[list[str]]:
    return [[str(triplet) for triplet in graph] for graph in reading.graphs]


def test_clean_text_is_read_without_a_note() -> None:
    reading = read(CLEAN)
    assert reading.graphs == (WASH, DRY)
    assert reading.lines == ((1, 2), (4, 5))
    assert reading.notes == ()


WILD = {
    "unicode arrows": "person → verb → wash\nwash ⟶ dobj ⇒ cup\n\nperson ➜ verb ➔ dry\ndry → with → cloth",
    "long arrows": "person --> verb --> wash\nwash ---> dobj -> cup\n\nperson => verb ==> dry\ndry —> with –> cloth",
    "no spaces": "person->verb->wash\nwash->dobj->cup\n\nperson->verb->dry\ndry->with->cloth",
    "bullets": "- person -> verb -> wash\n* wash -> dobj -> cup\n\n• person -> verb -> dry\n+ dry -> with -> cloth",
    "numbering": "1. person -> verb -> wash\n2) wash -> dobj -> cup\n\n(1) person -> verb -> dry\n(b) dry -> with -> cloth",
    "bold": "**person** -> **verb** -> **wash**\n**wash -> dobj -> cup**\n\n__person__ -> verb -> *dry*\n`dry -> with -> cloth`",
    "quotes": '"person" -> "verb" -> "wash"\n"wash -> dobj -> cup"\n\n“person” -> verb -> dry\n\'dry\' -> with -> \'cloth\'',
    "brackets": "(person -> verb -> wash)\n[wash -> dobj -> cup]\n\n<person> -> {verb} -> (dry)\n(dry) -> with -> cloth)",
    "final marks": "person -> verb -> wash,\nwash -> dobj -> cup;\n\nperson -> verb -> dry.\ndry -> with -> cloth .",
    "labelled arrows": "person -verb-> wash\n(wash)-[dobj]->(cup)\n\nperson --verb--> dry\ndry -[:with]-> cloth",
    "labels": "Triplet 1: person -> verb -> wash\nTriplet 2: wash -> dobj -> cup\n\nedge: person -> verb -> dry\nTriple #2: dry -> with -> cloth",
    "nodes beside triplets": json.dumps([{"nodes": ["person", "wash", "cup"], "triplets": graph} for graph in LISTS]),
    "carriage returns": "person -> verb -> wash\r\nwash -> dobj -> cup\r\n\r\nperson -> verb -> dry\rdry -> with -> cloth\r",
    "hidden characters": "\ufeffperson -> verb -> wash\nwash -> dobj\u200b -> cup\n\nperson -> verb -> dry\ndry -> with -> cloth\u200d",
    "html": "person -&gt; verb -&gt; wash\nwash -&gt; dobj -&gt; cup\n\nperson -&gt; verb -&gt; dry\ndry -&gt; with -&gt; cloth",
    "table": "| source | edge | target |\n|---|:-:|---|\n| person | verb | wash |\n| wash | dobj | cup |\n\n"
    "| # | source | edge | target |\n| 1 | person | verb | dry |\n| 2 | dry | with | cloth |",
    "json cut off": json.dumps([*LISTS, [["person", "verb"]]], indent=2)[:-12],
}  # fmt: skip


def test_a_wild_form_is_read_as_the_graphs_it_means_and_leaves_a_note() -> None:
    for form, text in WILD.items():
        reading = read(text, 2)
        assert shown(reading) == shown(read(CLEAN)), form
        assert reading.notes or form == "carriage returns", form


def test_a_line_that_is_no_triplet_is_noted_with_the_reason() -> None:
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
        assert [(note.line, note.kind, note.reason, note.text) for note in reading.notes] == [
            (7, kind, reason, line.strip())
        ], line


def test_a_note_says_every_repair_of_its_line() -> None:
    reading = read("1. **person** → verb → wash.")
    assert [note.reason for note in reading.repaired] == ["numbering, decoration, arrow"]


def test_names_keep_brackets_that_belong_to_them_and_their_case() -> None:
    assert shown(read("Person -> dobj -> bolt (large)")) == [["Person -> dobj -> bolt (large)"]]


def test_hyphens_inside_names_are_no_arrows() -> None:
    assert shown(read("pick-up -> out-of -> tea-caddy")) == [["pick-up -> out-of -> tea-caddy"]]


def test_empty_text_has_no_graphs() -> None:
    rows: list[str] = ["", "\n\n", "   \n\t"]
    for text in rows:
        assert read(text) == Reading((), (), ()), text


def test_a_single_graph_is_never_split() -> None:
    text = "person -> verb -> wash\nwash -> dobj -> cup\nperson -> verb -> dry"
    assert len(read(text, 1).graphs) == 1
    assert len(read(text).graphs) == 1


def test_a_block_without_a_person_verb_triplet_joins_the_one_before() -> None:
    reading = read("person -> verb -> wash\n\nwash -> dobj -> cup\n\nperson -> verb -> dry\n\ndry -> with -> cloth", 2)
    assert reading.graphs == (WASH, DRY)
    assert [note.line for note in reading.notes] == [3, 7]


def test_a_first_block_without_a_person_verb_triplet_joins_the_next_if_that_is_its_action() -> None:
    assert read("wash -> dobj -> cup\n\nperson -> verb -> wash", 1).graphs == (WASH,)
    assert len(read("hold -> dobj -> cup\n\nperson -> verb -> wash", 2).graphs) == 2


def test_a_fused_block_is_split_when_graphs_are_missing() -> None:
    text = CLEAN.replace("\n\n", "\n")
    reading = read(text, 2)
    assert reading.graphs == (WASH, DRY)
    assert [note.reason for note in reading.repaired] == [
        "a block with 2 person-verb triplets split into as many graphs"
    ]


def test_a_fused_block_is_not_split_when_enough_graphs_were_found() -> None:
    text = "person -> verb -> wash\nperson -> verb -> dry\n\nperson -> verb -> stack"
    assert len(read(text, 2).graphs) == 2
    assert len(read(text, 3).graphs) == 3


def test_the_order_of_triplets_in_a_fused_block_does_not_matter() -> None:
    text = "dry -> with -> cloth\nperson -> verb -> wash\nperson -> verb -> dry\nwash -> dobj -> cup"
    assert read(text, 2).graphs == (WASH, DRY)


def test_a_triplet_between_objects_follows_the_action_its_object_belongs_to() -> None:
    text = dedent("""\
        tea -> in -> cup
        person -> verb -> wash
        person -> verb -> dry
        wash -> dobj -> cup
        sugar -> in -> tea
        dry -> with -> cloth
        moon -> over -> sea""")
    assert shown(read(text, 2)) == [
        ["tea -> in -> cup", "person -> verb -> wash", "wash -> dobj -> cup", "sugar -> in -> tea"],
        ["person -> verb -> dry", "dry -> with -> cloth", "moon -> over -> sea"],
    ]


def test_equal_actions_in_a_fused_block_keep_the_triplets_written_after_each() -> None:
    step = "person -> verb -> wipe\nwipe -> dobj -> {}\n"
    reading = read(step.format("table") + step.format("shelf") + step.format("table"), 3)
    assert [graph.triplets[1].target for graph in reading.graphs] == ["table", "shelf", "table"]


def test_a_hostile_text_is_read_to_its_end() -> None:
    for kind, text in hostile_texts(1_000).items():
        reading = read(text, 5)
        assert reading.notes or kind == "parts", kind
        assert all(len(note.text) < 200 for note in reading.notes), kind


def test_reasoning_is_not_read() -> None:
    rows: list[str] = [
        "<think>\nperson -> verb -> grab\nso maybe not\n</think>\n" + CLEAN,
        "Thinking: person -> verb -> grab </think>" + CLEAN,
        "<think>one</think>\n<think>\nperson -> verb -> grab\n</think>\n\n" + CLEAN,
    ]
    for text in rows:
        reading = read(text, 2)
        assert reading.graphs == (WASH, DRY), text
        assert {note.reason for note in reading.notes} == {"reasoning"}, text


def test_reasoning_fields_of_json_hold_no_triplets() -> None:
    rows: list[object] = ["grab -> dobj -> cup", ["grab -> dobj -> cup"], ["first", "grab -> dobj -> cup"]]
    for steps in rows:
        graphs = {"graphs": [[list(triplet) for triplet in graph] for graph in (WASH, DRY)]}
        for value in ({"answer": graphs, "reasoning": steps}, {"reasoning": steps, "answer": graphs}):
            assert read(json.dumps(value), 2).graphs == (WASH, DRY), steps


def test_a_sentence_between_arrows_is_no_name() -> None:
    reading = read("First I think that maybe the person -> verb -> grab, and then we go on to wash the cup")
    assert reading.graphs == ()
    assert [note.kind for note in reading.notes] == ["unread"]


def test_an_object_inside_a_quoted_name_is_no_triplet_of_its_own() -> None:
    reading = read("""['{"source": "a", "edge": "b", "target": "c"}', 'x', 'y'],""")
    assert [str(triplet) for graph in reading.graphs for triplet in graph] == [
        '{"source": "a", "edge": "b", "target": "c"} -> x -> y'
    ]
    assert not reading.ignored


def test_an_object_around_graphs_is_no_triplet() -> None:
    rows: list[str] = ['[["person", "verb", "wash"]]', '[[{"from": "person", "label": "verb", "to": "wash"}]]']
    for graphs in rows:
        reading = read(f'{{"start": "00:01", "end": "00:05", "label": "washing up", "graphs": {graphs}}}')
        assert [str(triplet) for graph in reading.graphs for triplet in graph] == ["person -> verb -> wash"], graphs
        assert [note.reason for note in reading.ignored] == ["3 JSON values that are no triplets"], graphs


def test_an_object_with_a_list_of_something_else_is_a_triplet() -> None:
    reading = read(
        '{"source": "wash", "edge": "dobj", "target": "cup", "box": [[1, 2], [3, 4]], "tags": ["x", "y", "z"]}'
    )
    assert [str(triplet) for graph in reading.graphs for triplet in graph] == ["wash -> dobj -> cup"]


CUT = ["person -> verb -> cut", "cut -> dobj -> onion", "cut -> with -> knife"]
PUT = ["person -> verb -> put-down", "put-down -> dobj -> knife"]
CUT_GROUPS = ", ".join(f"({line.replace(' -> ', ', ')})" for line in CUT)
PUT_GROUPS = ", ".join(f"({line.replace(' -> ', ', ')})" for line in PUT)
CUT_LISTS, PUT_LISTS = [[line.split(" -> ") for line in graph] for graph in (CUT, PUT)]
CUT_LINE, PUT_LINE = "; ".join(CUT), ", ".join(PUT)
CUT_QUOTED, PUT_QUOTED = [str([tuple(one) for one in graph])[1:-1] for graph in (CUT_LISTS, PUT_LISTS)]

SAME_TWO_GRAPHS = {
    "three strings with labelled arrows": json.dumps(
        [["(person)-[verb]->(cut)", "(cut)-[dobj]->(onion)", "(cut)-[with]->(knife)"], PUT]
    ),
    "arrow strings beside times that look like ends": json.dumps(
        [{"start": "0:01", "label": "cutting", "end": "0:05", "graph": graph} for graph in (CUT, PUT)]
    ),
    "a graph in each string": json.dumps([CUT_LINE, PUT_LINE]),
    "JSON in strings of JSON": json.dumps({"graph_1": json.dumps(CUT_LISTS), "graph_2": json.dumps(PUT_LISTS)}),
    "Python with arrow strings": str({"graph_1": CUT, "graph_2": PUT}),
    "a heading with a list of three in its title": f"Graph 1 (cut, chop, slice): {CUT_GROUPS}\n"
    f"Graph 2 (put, lay, drop): {PUT_GROUPS}",
    "a heading and quoted groups": f"**Graph 1:** {CUT_QUOTED}\n1. Graph 2 - {PUT_QUOTED}",
    "numbered titles": f"1. Cutting: {CUT_GROUPS}\n2. Putting down: {PUT_LINE}",
    "nodes beside triplets on lines of their own": "Graph 1\nNodes: [person, cut, onion, knife]\n"
    f"Triplets: {CUT_GROUPS}\n"
    f'Graph 2:\nNodes: ["person", "put-down", "knife"]\n**Edges:** {PUT_LINE}',
}  # fmt: skip


def test_headings_and_nested_strings_cost_no_graph() -> None:
    for form, text in SAME_TWO_GRAPHS.items():
        for k in (2, 3, None):
            reading = read(text, k)
            assert (shown(reading), reading.unread) == ([CUT, PUT], ()), (form, k)


NO_TRIPLETS = {
    "a title with a list in brackets": "Graph 1: cut the onions (red, white, yellow)",
    "a heading with a list in brackets": "Graph 1 (red, white, yellow)",
    "a list of nodes under a title": "Nodes: [person, cut, onion]",
    "a quoted list of nodes under a title": 'Objects: ["knife", "board", "onion"]',
    "quoted words in Python under a title": "Objects: ('knife', 'board', 'onion')",
    "a title of a list in a list": "- Ingredients: (onion, garlic, salt)",
    "a heading over a list of nodes": "Graph 2: (knife, board, onion)",
    "a numbered sentence": "1. Cut the vegetables (onion, garlic, leek) finely",
    "what is said to be wrong": "Incorrect: person -> verb -> grab",
    "what is said not to be": "Do not write: (person, verb, grab), (grab, dobj, cup)",
    "a format": "Format: source -> edge -> target",
    "groups in a sentence": "I read (person, verb, grab) from the text, and (grab, dobj, cup).",
    "groups behind a heading and a sentence": "Step 1: the person grabs. (person, verb, grab), (grab, dobj, cup)",
    "a title with other brackets": "Action 1 [grab it]: person -> verb -> grab",
    "a group that is no triplet among groups": "Graph 2: (person, verb, grab), (grab, dobj)",
    "names with commas in JSON": '["knife, board, onion", "pan, pot, lid", "salt, sugar, tea"]',
    "a field of nodes cut off": '{"nodes": ["knife", "board", "onion"], "edges": [["knife"',
}
ONLY_NAMES = {
    "a title with a list in brackets",
    "a heading with a list in brackets",
    "a list of nodes under a title",
    "a quoted list of nodes under a title",
    "quoted words in Python under a title",
    "a title of a list in a list",
    "a numbered sentence",
}


def test_words_around_brackets_and_arrows_make_no_triplets() -> None:
    for form in NO_TRIPLETS:
        reading = read("\n".join([*CUT, "", NO_TRIPLETS[form]]), 2)
        assert shown(reading) == [CUT], form
        assert {note.line for note in reading.notes} == {5}, form
        assert bool(reading.unread) == (form not in ONLY_NAMES), form


def test_graphs_are_read_out_of_a_sentence() -> None:
    for text in [
        f"Here you go {json.dumps(LISTS)}",
        f"The answer is {json.dumps(LISTS)} as requested.",
        CLEAN.replace("->", "$\\rightarrow$"),
    ]:
        assert read(text, 2).graphs == (WASH, DRY), text


def test_json_that_is_no_triplet_is_counted_as_unread_or_ignored() -> None:
    fields = {
        "graph_1": [*CUT, "cut -> onion"],
        "graph_2": PUT,
        "thoughts": "first it is cut",
        "nodes": ["a", "b", "c"],
    }
    reading = read(json.dumps(fields))
    assert shown(reading) == [CUT, PUT]
    assert [note.reason for note in reading.unread] == ["1 JSON lists or strings that are no triplets"]
    assert [note.reason for note in reading.ignored] == ["2 JSON values that are no triplets"]
    reading = read(json.dumps([[["person", "verb", "wash"], ["wash", "dobj", 3]]]))
    assert [note.reason for note in reading.unread] == ["1 JSON lists or strings that are no triplets"]


def test_a_title_before_a_triplet_is_no_part_of_its_name() -> None:
    reading = read(
        "First the person cuts: person -> verb -> cut\nObject: cut -> dobj -> onion\nTool: cut -> with -> knife"
    )
    assert shown(reading) == [CUT]
    assert all("label" in note.reason for note in reading.repaired)


def test_triplets_labelled_missing_are_not_read() -> None:
    rows: list[str] = ["Missing", "- **Missing**"]
    for title in rows:
        reading = read(f"person -> verb -> lift\n{title}: lift -> with -> hand2")
        assert [str(triplet) for graph in reading.graphs for triplet in graph] == ["person -> verb -> lift"], title
        assert len(reading.unread) == 1, title


BEFORE = "Here are the graphs you asked for:\n\n"
BEHIND = "\n\nLet me know if anything should be changed, for example one of the verbs."


def triplets(reading: Reading) -> set[str]:
    return {str(triplet) for graph in reading.graphs for triplet in graph}


def test_model_replies_are_read_as_the_graphs_they_say_whatever_stands_around_them() -> None:
    for name, row in ROWS.items():
        reading = read(row.reply, row.k)
        assert shown(reading) == row.graphs, name
        assert row.noted <= {note.line for note in reading.notes}, name
        assert shown(read(f"{BEFORE}{row.reply}{BEHIND}", row.k)) == row.graphs, name
        if "```" not in row.reply:
            assert shown(read(f"{BEFORE}```\n{row.reply}\n```{BEHIND}", row.k)) == row.graphs, name


def test_model_reply_cut_at_a_line_end_says_no_new_triplet() -> None:
    for name, row in ROWS.items():
        lines = row.reply.split("\n")
        said = {triplet for graph in row.graphs for triplet in graph}
        if name.startswith("corrections"):
            said |= {line for line in lines if re.fullmatch(r"\S+ -> \S+ -> \S+", line)}
        for end in range(len(lines)):
            assert triplets(read("\n".join(lines[:end]), row.k)) <= said, (name, end)


def test_diagrams_that_are_written_are_read_again() -> None:
    graphs = [
        ActionGraph.of(("person", "verb", "pick-up"), ("pick-up", "dobj", "oil-can"), ("oil-can", "on", "table")),
        ActionGraph.of(("person", "verb", "place"), ("place", "dobj", "oil-can"), ("place", "with", "hand1")),
    ]
    for write in (write_dot, write_mermaid):
        reading = read(write(graphs), 2)
        assert (list(reading.graphs), reading.unread) == (graphs, ())


def test_nearly_clean_line_is_read_as_any_other() -> None:
    for bullet in ("", "- ", "* ", "• "):
        for arrow in ("->", "→", "⟶"):
            line = f"{bullet}pick-up {arrow} dobj {arrow} hand1"
            assert nearly_clean(line) == understand(line), line


@given(st.text(alphabet=st.sampled_from("abc ->→\n[](){}\",'*#`|:;1."), max_size=200), st.none() | st.integers(0, 4))
def test_no_text_makes_the_reader_raise_and_no_line_is_dropped(text: str, k: int | None) -> None:
    reading = read(text, k)
    seen = {line for lines in reading.lines for line in lines} | {note.line for note in reading.notes}
    assert bool(seen) == bool(text.strip())
    assert all(1 <= line <= text.count("\n") + 1 for line in seen)
