"""Texts that were once read wrongly."""

from __future__ import annotations

import json

import pytest

from tsgkit.graph.reading import Reading, read


def test_an_object_inside_a_quoted_name_is_no_triplet_of_its_own() -> None:
    reading = read("""['{"source": "a", "edge": "b", "target": "c"}', 'x', 'y'],""")
    assert [str(triplet) for graph in reading.graphs for triplet in graph] == [
        '{"source": "a", "edge": "b", "target": "c"} -> x -> y'
    ]
    assert not reading.ignored


def test_other_bracket_content_is_noted_line_by_line() -> None:
    reading = read('[\n["person", "verb", "wash"],\n"some words\n"more", "words"\n["wash", "dobj", "cup"],\n"the end"')
    assert reading.lines == ((2, 5),)
    assert [(note.line, note.text) for note in reading.unread] == [
        (3, '"some words'),
        (4, '"more", "words"'),
        (6, '"the end"'),
    ]


@pytest.mark.parametrize(
    "graphs", ['[["person", "verb", "wash"]]', '[[{"from": "person", "label": "verb", "to": "wash"}]]']
)
def test_an_object_around_graphs_is_no_triplet(graphs: str) -> None:
    reading = read(f'{{"start": "00:01", "end": "00:05", "label": "washing up", "graphs": {graphs}}}')
    assert [str(triplet) for graph in reading.graphs for triplet in graph] == ["person -> verb -> wash"]
    assert [note.reason for note in reading.ignored] == ["3 JSON values that are no triplets"]


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
    "three arrow strings in a field": json.dumps({"graph_1": CUT, "graph_2": PUT}),
    "three arrow strings beside other fields": json.dumps(
        [{"action": "cut", "graph": CUT, "step": 1}, {"action": "put-down", "graph": PUT, "step": 2}]
    ),
    "three strings with other arrows": json.dumps([CUT, PUT], ensure_ascii=False).replace("->", "→"),
    "three strings with labelled arrows": json.dumps(
        [["(person)-[verb]->(cut)", "(cut)-[dobj]->(onion)", "(cut)-[with]->(knife)"], PUT]
    ),
    "three strings of triplets in brackets": json.dumps(
        {"a": ["(person, verb, cut)", "(cut, dobj, onion)", "[cut, with, knife]"], "b": PUT}
    ),
    "arrow strings beside times that look like ends": json.dumps(
        [{"start": "0:01", "label": "cutting", "end": "0:05", "graph": graph} for graph in (CUT, PUT)]
    ),
    "strings with line ends": json.dumps({"graph_1": "\n".join(CUT), "graph_2": "\n".join(PUT)}),
    "a string of two graphs": json.dumps({"result": "\n".join(CUT) + "\n\n" + "\n".join(PUT), "k": 2}),
    "a graph in each string": json.dumps([CUT_LINE, PUT_LINE]),
    "JSON in strings of JSON": json.dumps({"graph_1": json.dumps(CUT_LISTS), "graph_2": json.dumps(PUT_LISTS)}),
    "JSON strings of single triplets": json.dumps(
        [[json.dumps(one) for one in graph] for graph in (CUT_LISTS, PUT_LISTS)]
    ),
    "Python with arrow strings": str({"graph_1": CUT, "graph_2": PUT}),
    "arrow strings cut off": json.dumps({"graph_1": CUT, "graph_2": PUT})[:-2],
    "arrow strings cut off on lines": json.dumps({"graph_1": CUT, "graph_2": PUT}, indent=1)[:-4],
    "a heading and groups": f"Graph 1: {CUT_GROUPS}\nGraph 2: {PUT_GROUPS}",
    "a heading and lists without quotes": f"Graph 1: [{CUT_GROUPS}]\nGraph 2: [{PUT_GROUPS}]".translate(
        {ord("("): "[", ord(")"): "]"}
    ),
    "a bold heading and groups": f"**Graph 1:** {CUT_GROUPS}\n**Graph 2**: {PUT_GROUPS}.",
    "a heading with a title and groups": f"Action 1 (cut): {CUT_GROUPS}\nAction 2 (put-down): {PUT_GROUPS}",
    "a heading with a list of three in its title": f"Graph 1 (cut, chop, slice): {CUT_GROUPS}\n"
    f"Graph 2 (put, lay, drop): {PUT_GROUPS}",
    "a heading with a title and an arrow line": f"Action 1 (cut): {CUT_LINE}\nAction 2 - put it down: {PUT_LINE}",
    "a numbered field and arrow lines": f"graph_1: {CUT_LINE}\ngraph_2: {PUT_LINE}",
    "a numbered field and strings": f"graph-1 = {json.dumps(CUT)}\ngraph-2 = {json.dumps(PUT)}",
    "a heading in a list": f"- Graph 1: {CUT_LINE}\n- **Graph 2**: {PUT_LINE}",
    "a heading with marks": f"### Graph 1: {CUT_GROUPS}\n> Step 2: {PUT_GROUPS}",
    "a heading with a title and JSON": f"Action 1 (cut): {json.dumps(CUT_LISTS)}\n"
    f"**Action 2:** {json.dumps(PUT_LISTS)}",
    "a heading and quoted groups": f"**Graph 1:** {CUT_QUOTED}\n1. Graph 2 - {PUT_QUOTED}",
    "numbered groups": f"1. {CUT_GROUPS}\n2. {PUT_GROUPS}",
    "numbered arrow lines": f"1. {CUT_LINE}\n2) {PUT_LINE}",
    "groups in bold and code": f"**{CUT_GROUPS}**\n\nGraph 2: `{PUT_GROUPS}`",
    "numbered quoted groups": f"1. {CUT_QUOTED}\n2. {PUT_QUOTED}",
    "titles of one's own": f"**Cut the onion**: {CUT_LINE}\n**Put the knife down:** {PUT_GROUPS}",
    "numbered titles": f"1. Cutting: {CUT_GROUPS}\n2. Putting down: {PUT_LINE}",
    "nodes beside triplets on lines of their own": "Graph 1\nNodes: [person, cut, onion, knife]\n"
    f"Triplets: {CUT_GROUPS}\n"
    f'Graph 2:\nNodes: ["person", "put-down", "knife"]\n**Edges:** {PUT_LINE}',
}  # fmt: skip


def shown(reading: Reading) -> list[list[str]]:
    return [list(map(str, graph)) for graph in reading.graphs]


@pytest.mark.parametrize("k", [2, 3, None])
@pytest.mark.parametrize("form", SAME_TWO_GRAPHS)
def test_headings_and_nested_strings_cost_no_graph(form: str, k: int | None) -> None:
    reading = read(SAME_TWO_GRAPHS[form], k)
    assert shown(reading) == [CUT, PUT]
    assert not reading.unread


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


@pytest.mark.parametrize("form", NO_TRIPLETS)
def test_words_around_brackets_and_arrows_make_no_triplets(form: str) -> None:
    reading = read("\n".join([*CUT, "", NO_TRIPLETS[form]]), 2)
    assert shown(reading) == [CUT]
    assert {note.line for note in reading.notes} == {5}
    assert bool(reading.unread) == (form not in ONLY_NAMES)


def test_a_string_of_json_that_cannot_be_read_is_counted() -> None:
    reading = read(json.dumps({"graph_1": [*CUT, "cut -> onion"], "graph_2": PUT, "thoughts": "first it is cut"}))
    assert shown(reading) == [CUT, PUT]
    assert [note.reason for note in reading.unread] == ["1 JSON lists or strings that are no triplets"]
    assert [note.reason for note in reading.ignored] == ["1 JSON values that are no triplets"]


def test_fields_with_a_flat_list_of_three_are_triplets_only_where_they_name_an_edge() -> None:
    reading = read(
        '{"graph_1": ["person", "verb", "wash"], "graph_2": ["person", "verb", "dry"], "nodes": ["a", "b", "c"]}'
    )
    assert shown(reading) == [["person -> verb -> wash"], ["person -> verb -> dry"]]
    assert [note.reason for note in reading.ignored] == ["1 JSON values that are no triplets"]


def test_a_title_before_a_triplet_is_no_part_of_its_name() -> None:
    reading = read(
        "First the person cuts: person -> verb -> cut\nObject: cut -> dobj -> onion\nTool: cut -> with -> knife"
    )
    assert shown(reading) == [CUT]
    assert all("label" in note.reason for note in reading.repaired)


def test_a_colon_inside_a_name_is_no_label() -> None:
    assert shown(read("cup:1 -> on -> table:2\nstep-stool:1 -> on -> floor")) == [
        ["cup:1 -> on -> table:2", "step-stool:1 -> on -> floor"]
    ]


def test_numbered_triplets_stay_in_one_graph() -> None:
    assert shown(read("1. person -> verb -> cut\n2. cut -> dobj -> onion\n3. (cut, with, knife)")) == [CUT]


@pytest.mark.parametrize("title", ["Missing", "- **Missing**"])
def test_triplets_labelled_missing_are_not_read(title: str) -> None:
    reading = read(f"person -> verb -> lift\n{title}: lift -> with -> hand2")
    assert [str(triplet) for graph in reading.graphs for triplet in graph] == ["person -> verb -> lift"]
    assert len(reading.unread) == 1
