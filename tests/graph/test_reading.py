"""The tolerant reader: what models write becomes graphs, and everything else a note."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest
from amount import some

from tsgkit.graph import ActionGraph, Reading, read

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
    "headings": "Graph 1:\nperson -> verb -> wash\nwash -> dobj -> cup\nGraph 2:\nperson -> verb -> dry\ndry -> with -> cloth",
    "markdown headings": "### Graph 1\nperson -> verb -> wash\nwash -> dobj -> cup\n## Dry it\nperson -> verb -> dry\ndry -> with -> cloth",
    "bold headings": "**Washing**\nperson -> verb -> wash\nwash -> dobj -> cup\n**Drying:**\nperson -> verb -> dry\ndry -> with -> cloth",
    "numbered headings": "1. Washing the cup\n - person -> verb -> wash\n - wash -> dobj -> cup\n2. Drying\n - person -> verb -> dry\n - dry -> with -> cloth",
    "heading and triplet in one": "Graph 1: person -> verb -> wash\nwash -> dobj -> cup\n**Graph 2**: person -> verb -> dry\ndry -> with -> cloth",
    "labels": "Triplet 1: person -> verb -> wash\nTriplet 2: wash -> dobj -> cup\n\nedge: person -> verb -> dry\nTriple #2: dry -> with -> cloth",
    "labelled json": f"Graph 1: {json.dumps(LISTS[0])}\nGraph 2: {json.dumps(LISTS[1])}",
    "answer and json": f"Here you are: {json.dumps(LISTS)}",
    "bare lists": "[[person, verb, wash], [wash, dobj, cup]]\n\n(person, verb, dry), (dry, with, cloth)",
    "nodes beside triplets": json.dumps([{"nodes": ["person", "wash", "cup"], "triplets": graph} for graph in LISTS]),
    "python objects": "\n\n".join(
        "\n".join(str({"source": s, "edge": e, "target": t}) for s, e, t in graph) for graph in (WASH, DRY)
    ),
    "rules": "person -> verb -> wash\nwash -> dobj -> cup\n---\nperson -> verb -> dry\ndry -> with -> cloth",
    "fences": "```\nperson -> verb -> wash\nwash -> dobj -> cup\n```\n```text\nperson -> verb -> dry\ndry -> with -> cloth\n```",
    "several on a line": "person -> verb -> wash; wash -> dobj -> cup\n\nperson -> verb -> dry; dry -> with -> cloth;",
    "extra blank lines": "person -> verb -> wash\n\n\nwash -> dobj -> cup\n\n\n\nperson -> verb -> dry\n\ndry -> with -> cloth",
    "carriage returns": "person -> verb -> wash\r\nwash -> dobj -> cup\r\n\r\nperson -> verb -> dry\rdry -> with -> cloth\r",
    "hidden characters": "\ufeffperson -> verb -> wash\nwash -> dobj\u200b -> cup\n\nperson -> verb -> dry\ndry -> with -> cloth\u200d",
    "html": "person -&gt; verb -&gt; wash\nwash -&gt; dobj -&gt; cup\n\nperson -&gt; verb -&gt; dry\ndry -&gt; with -&gt; cloth",
    "table": "| source | edge | target |\n|---|:-:|---|\n| person | verb | wash |\n| wash | dobj | cup |\n\n"
    "| # | source | edge | target |\n| 1 | person | verb | dry |\n| 2 | dry | with | cloth |",
    "tuples": "(person, verb, wash)\n(wash, dobj, cup)\n\n- [person, verb, dry],\n- [dry, with, cloth]",
    "json": json.dumps(LISTS),
    "indented json": json.dumps(LISTS, indent=2),
    "fenced json": f"Here it is:\n```json\n{json.dumps(LISTS, indent=1)}\n```\nDone.",
    "json a line": "\n".join(json.dumps(graph) for graph in LISTS),
    "json triplets a line": "\n\n".join("\n".join(json.dumps(triplet) for triplet in graph) for graph in LISTS),
    "json with names": json.dumps({"graphs": [{"action": "x", "triplets": graph} for graph in LISTS]}),
    "json by number": json.dumps({"graph_1": LISTS[0], "graph_2": LISTS[1]}),
    "json objects": json.dumps(
        [[{"source": s, "relation": e, "target": t} for s, e, t in graph] for graph in (WASH, DRY)]
    ),
    "json arrow strings": json.dumps([[str(triplet) for triplet in graph] for graph in (WASH, DRY)]),
    "python lists": str(LISTS),
    "python tuples": str([[tuple(triplet) for triplet in graph] for graph in (WASH, DRY)]),
    "json cut off": json.dumps([*LISTS, [["person", "verb"]]], indent=2)[:-12],
    "json cut off on a line": json.dumps([*LISTS, [["person", "verb"]]])[:-3],
    "json objects cut off": json.dumps(
        [[{"subject": s, "predicate": e, "object": t} for s, e, t in graph] for graph in (WASH, DRY)], indent=1
    )[:-2],
}  # fmt: skip


@pytest.mark.parametrize("form", WILD)
def test_a_wild_form_is_read_as_the_graphs_it_means(form: str) -> None:
    assert shown(read(WILD[form], 2)) == shown(read(CLEAN))


@pytest.mark.parametrize("form", WILD)
def test_a_wild_form_leaves_a_note(form: str) -> None:
    assert read(WILD[form], 2).notes or form == "carriage returns"


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        ("I hope this helps!", "ignored", "no triplet"),
        ("person -> wash", "unread", "2 parts between arrows, not 3"),
        ("person -> verb -> wash -> dobj -> cup", "unread", "5 parts between arrows, not 3"),
        ("place -> down -> ", "unread", "an empty name between arrows"),
        ("Note:", "ignored", "a heading or lead-in"),
        ("| a | b |", "ignored", "a table row without three cells"),
        ('{"a": 1}', "unread", "brackets that hold no triplet"),
        ("[1]", "ignored", "no triplet"),
    ],
)
def test_a_line_that_is_no_triplet_is_noted_with_the_reason(line: str, kind: str, reason: str) -> None:
    reading = read(f"{CLEAN}\n{line}")
    assert reading.graphs == (WASH, DRY)
    assert [(note.line, note.kind, note.reason, note.text) for note in reading.notes] == [
        (7, kind, reason, line.strip())
    ]


def test_a_note_says_every_repair_of_its_line() -> None:
    reading = read("1. **person** → verb → wash.")
    assert [note.reason for note in reading.repaired] == ["numbering, decoration, arrow"]


def test_names_keep_brackets_that_belong_to_them_and_their_case() -> None:
    assert shown(read("Person -> dobj -> bolt (large)")) == [["Person -> dobj -> bolt (large)"]]


def test_hyphens_inside_names_are_no_arrows() -> None:
    assert shown(read("pick-up -> out-of -> tea-caddy")) == [["pick-up -> out-of -> tea-caddy"]]


@pytest.mark.parametrize("text", ["", "\n\n", "   \n\t"])
def test_empty_text_has_no_graphs(text: str) -> None:
    assert read(text) == Reading((), (), ())


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


MEGABYTES = {
    "arrows": "->" * 125_000,
    "dashes": "-" * 250_000,
    "open brackets": "[" * 250_000,
    "open bracket lines": "[\n" * 125_000,
    "cut triples": '["a",\n' * 40_000,
    "quotes": '["' * 125_000,
    "braces": '{"a":\n' * 40_000,
    "parts": " -> a" * 50_000,
    "stars": "* " * 125_000,
    "cells": "|" * 250_000,
    "small values": "[1,\n2]\n" * 35_000,
    "blocks": "a -> b -> c\n\n" * 20_000,
    "actions": "person -> verb -> a\na -> b -> c\n" * 8_000,
    "repeated action": "person -> verb -> a\n" * 8_000 + "x -> b -> c\n" * 8_000,
    "chains": "person -> verb -> a\nperson -> verb -> b\n" + "".join(f"n{n} -> on -> n{n + 1}\n" for n in range(8_000)),
    "hidden": "\u200b" * 250_000,
    "semicolons": "a -> b -> c;" * 20_000,
    "headings": "Graph " * 40_000,
    "titles": "abc (x): " * 25_000,
    "titled lists": "Objects: ('a', 'b', 'c')\n" * 10_000,
    "labelled lists": '"graph 1": ("a", "b", "c")\n' * 9_000,
    "arrow strings": '["a -> b -> c", ' * 15_000,
    "strings of brackets": json.dumps(["[[[\n[[["] * 20_000),
    "labelled chains": "A-->|x|" * 36_000,
    "labelled arrows": "lift -dobj-> " * 20_000,
    "entries": "- source: a\n  edge: dobj\n" * 10_000,
    "mappings": "a:\n  on: b\n" * 20_000,
    "flowcharts": "graph TD\nA[b] -->|x| c\n" * 10_000,
    "digraphs": "digraph { a -> b [label=c]; } " * 8_000,
    "tags": "<triplet><subj>a</subj>" * 10_000,
    "marked parts": "<triplet> a <subj> b <obj> c " * 8_000,
    "graphs in a paragraph": "Graph 1: a -> b -> c. " * 11_000,
    "headings in a sentence": "a Graph 1: " * 20_000,
    "commands": r"\text{a} \rightarrow " * 11_000,
    "open commands": r"\xrightarrow{" * 18_000,
    "struck out": "~~a " * 60_000,
    "strings in strings": json.dumps([json.dumps([json.dumps(["a", "b", "c"])] * 50)] * 100),
}  # fmt: skip


QUICK = ("parts", "labelled lists", "quotes", "commands", "struck out", "headings in a sentence")


@pytest.mark.parametrize("kind", some(MEGABYTES, *QUICK))
def test_a_long_hostile_text_is_read_to_its_end(kind: str) -> None:
    reading = read(MEGABYTES[kind], 5)
    assert reading.notes or kind == "parts"
    assert all(len(note.text) < 200 for note in reading.notes)


@pytest.mark.parametrize(
    "text",
    [
        "<think>\nperson -> verb -> grab\nso maybe not\n</think>\n" + CLEAN,
        "Thinking: person -> verb -> grab </think>" + CLEAN,
        "<think>one</think>\n<think>\nperson -> verb -> grab\n</think>\n\n" + CLEAN,
    ],
)
def test_reasoning_is_not_read(text: str) -> None:
    reading = read(text, 2)
    assert reading.graphs == (WASH, DRY)
    assert {note.reason for note in reading.notes} == {"reasoning"}


@pytest.mark.parametrize("steps", ["grab -> dobj -> cup", ["grab -> dobj -> cup"], ["first", "grab -> dobj -> cup"]])
def test_reasoning_fields_of_json_hold_no_triplets(steps: object) -> None:
    graphs = {"graphs": [[list(triplet) for triplet in graph] for graph in (WASH, DRY)]}
    for value in ({"answer": graphs, "reasoning": steps}, {"reasoning": steps, "answer": graphs}):
        assert read(json.dumps(value), 2).graphs == (WASH, DRY)


def test_a_sentence_between_arrows_is_no_name() -> None:
    reading = read("First I think that maybe the person -> verb -> grab, and then we go on to wash the cup")
    assert reading.graphs == ()
    assert [note.kind for note in reading.notes] == ["unread"]


@pytest.mark.parametrize(
    "line",
    ["wash -> dobj -> cup  # the blue one", "`wash -> dobj -> cup` (the blue one)", "- `wash -> dobj -> cup`  // blue"],
)
def test_remarks_after_a_triplet_are_not_part_of_its_name(line: str) -> None:
    reading = read(f"person -> verb -> wash\n{line}")
    assert reading.graphs == (WASH,)
    assert "comment" in reading.repaired[-1].reason


@pytest.mark.parametrize(
    "text",
    [
        f"Here you go {json.dumps(LISTS)}",
        f"The answer is {json.dumps(LISTS)} as requested.",
        "Graph 1: person -> verb -> wash, wash -> dobj -> cup\nGraph 2: person -> verb -> dry, dry -> with -> cloth",
        CLEAN.replace("->", "$\\rightarrow$"),
    ],
)
def test_graphs_are_read_out_of_a_sentence(text: str) -> None:
    assert read(text, 2).graphs == (WASH, DRY)


def test_a_list_among_triplets_that_is_none_is_unread_not_merely_ignored() -> None:
    reading = read(json.dumps([[["person", "verb", "wash"], ["wash", "dobj", 3]]]))
    assert [note.reason for note in reading.unread] == ["1 JSON lists or strings that are no triplets"]
