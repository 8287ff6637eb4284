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
from tsgkit.graph.folding import fold
from tsgkit.graph.notation.diagrams import write_dot, write_mermaid
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.graph.reading.lines import nearly_clean, understand
from tsgkit.replies import Unreadable

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


def test_model_replies_are_read_as_the_graphs_they_say_whatever_stands_around_them() -> None:
    for name, row in ROWS.items():
        reading = read(row.reply, row.k)
        assert shown(reading) == row.graphs, name
        assert row.noted <= {note.line for note in reading.notes}, name
        assert shown(read(f"{BEFORE}{row.reply}{BEHIND}", row.k)) == row.graphs, name
        if "```" not in row.reply:
            assert shown(read(f"{BEFORE}```\n{row.reply}\n```{BEHIND}", row.k)) == row.graphs, name


def test_a_model_reply_cut_at_a_line_end_says_no_new_triplet() -> None:
    for name, row in ROWS.items():
        lines = row.reply.split("\n")
        said = {triplet for graph in row.graphs for triplet in graph}
        if name.startswith("corrections"):
            said |= {line for line in lines if re.fullmatch(r"\S+ -> \S+ -> \S+", line)}
        for end in range(len(lines)):
            graphs = shown(read("\n".join(lines[:end]), row.k))
            assert {triplet for graph in graphs for triplet in graph} <= said, (name, end)


def test_clean_text_is_read_without_a_note_and_empty_text_without_a_graph() -> None:
    for text in (CLEAN, CLEAN.replace("\n", "\r\n"), CLEAN.replace("\n", "\r")):
        assert read(text) == Reading((WASH, DRY), ((1, 2), (4, 5)), ()), text
    for text in ("", "\n\n", "   \n\t"):
        assert read(text) == Reading((), (), ()), text


def test_a_line_that_is_no_triplet_is_noted_with_the_reason_and_a_repair_with_all_it_took() -> None:
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


def test_blocks_are_joined_and_split_by_their_actions_where_graphs_are_asked_for() -> None:
    wash, dry, stack = (f"person -> verb -> {verb}" for verb in ("wash", "dry", "stack"))
    cup, cloth = "wash -> dobj -> cup", "dry -> with -> cloth"
    both = [[wash, cup], [dry, cloth]]
    rows: list[tuple[str, int | None, list[list[str]]]] = [
        (f"{wash}\n{cup}\n{dry}", 1, [[wash, cup, dry]]),
        (f"{wash}\n{cup}\n{dry}", None, [[wash, cup, dry]]),
        (f"{wash}\n\n{cup}\n\n{dry}\n\n{cloth}", 2, both),
        (f"{cup}\n\n{wash}", 1, [[cup, wash]]),
        (f"hold -> dobj -> cup\n\n{wash}", 2, [["hold -> dobj -> cup"], [wash]]),
        (CLEAN.replace("\n\n", "\n"), 2, both),
        (f"{cloth}\n{wash}\n{dry}\n{cup}", 2, [[wash, cup], [cloth, dry]]),
        (f"{wash}\n{dry}\n\n{stack}", 2, [[wash, dry], [stack]]),
        (f"{wash}\n{dry}\n\n{stack}", 3, [[wash], [dry], [stack]]),
    ]
    for text, k, graphs in rows:
        assert shown(read(text, k)) == graphs, (text, k)
    assert [note.reason for note in read(CLEAN.replace("\n\n", "\n"), 2).repaired] == [
        "a block with 2 person-verb triplets split into as many graphs"
    ]
    assert [note.line for note in read(f"{wash}\n\n{cup}\n\n{dry}\n\n{cloth}", 2).notes] == [3, 7]


def test_a_triplet_of_a_fused_block_follows_the_action_its_object_belongs_to_or_that_stands_before_it() -> None:
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
    step = "person -> verb -> wipe\nwipe -> dobj -> {}\n"
    reading = read(step.format("table") + step.format("shelf") + step.format("table"), 3)
    assert [graph.triplets[1].target for graph in reading.graphs] == ["table", "shelf", "table"]


def test_a_hostile_text_is_read_to_its_end() -> None:
    for kind, text in hostile_texts(1_000).items():
        reading = read(text, 5)
        assert reading.notes or kind == "parts", kind
        assert all(len(note.text) < 200 for note in reading.notes), kind


def test_reasoning_is_not_read_in_text_or_in_fields_of_json() -> None:
    for thought in (
        "Thinking: person -> verb -> grab </think>",
        "<think>one</think>\n<think>\nperson -> verb -> grab\n</think>\n\n",
    ):
        reading = read(thought + CLEAN, 2)
        assert reading.graphs == (WASH, DRY), thought
        assert {note.reason for note in reading.notes} == {"reasoning"}, thought
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
        ('[[["person", "verb", "wash"], ["wash", "dobj", 3]]]', [[person]], [no_lists, no_values[1]]),
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


def test_diagrams_that_are_written_are_read_again() -> None:
    graphs = [
        ActionGraph.of(("person", "verb", "pick-up"), ("pick-up", "dobj", "oil-can"), ("oil-can", "on", "table")),
        ActionGraph.of(("person", "verb", "place"), ("place", "dobj", "oil-can"), ("place", "with", "hand1")),
    ]
    for write in (write_dot, write_mermaid):
        reading = read(write(graphs), 2)
        assert (list(reading.graphs), reading.unread) == (graphs, ())


@given(st.text(alphabet=st.sampled_from("abc ->→\n[](){}\",'*#`|:;1."), max_size=200), st.none() | st.integers(0, 4))
def test_no_text_makes_the_reader_raise_and_no_line_is_dropped(text: str, k: int | None) -> None:
    reading = read(text, k)
    for line in text.split("\n"):
        assert (clean := nearly_clean(line)) is None or clean == understand(line)
    seen = {line for lines in reading.lines for line in lines} | {note.line for note in reading.notes}
    assert bool(seen) == bool(text.strip())
    assert all(1 <= line <= text.count("\n") + 1 for line in seen)


# ---- graphs of an answer ----

FIELDS = """<think>lift -> dobj -> lid</think>
```json
{"reasoning": "person verb lift",
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


def test_folding_trims_and_lowers_and_keeps_spaces_and_hyphens() -> None:
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
