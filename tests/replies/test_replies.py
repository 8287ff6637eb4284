"""Replies are read as their authors meant them: a table whose readings were decided before any reader ran."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.lexicon import fold
from tsgkit.replies import Read, Unreadable
from tsgkit.replies.characters import without_hidden
from tsgkit.replies.choices import choice
from tsgkit.replies.lists import Listed, names
from tsgkit.replies.near_json import FoundValue, agreed, values_in
from tsgkit.replies.numbered_answers import letters
from tsgkit.replies.reasoning import spoken
from tsgkit.replies.sections import Section, answer_section
from tsgkit.replies.spans import Part
from tsgkit.replies.words import word

ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "replies.jsonl").read_text(encoding="utf-8").splitlines()
]


def of_kind(kind: str) -> list[Any]:
    return [pytest.param(row, id=row["name"]) for row in ROWS if row["kind"] == kind]


def test_table_holds_many_families_languages_and_reasoning_models() -> None:
    assert len(ROWS) >= 300 and len({row["name"] for row in ROWS}) == len(ROWS)
    assert len({row["family"] for row in ROWS}) >= 8 and len({row["language"] for row in ROWS}) >= 3
    assert Counter(row["reasoning"] for row in ROWS)[True] >= 40


@pytest.mark.parametrize("row", of_kind("letter"))
def test_letter_is_the_one_that_was_meant(row: dict[str, Any]) -> None:
    found = choice(row["reply"], row["options"])
    if "unreadable" in row["reading"]:
        assert isinstance(found, Unreadable), row["why"]
    else:
        assert isinstance(found, Read) and found.value == row["reading"]["letter"], (found, row["why"])
        assert 0 <= found.start < found.end <= len(row["reply"])


@pytest.mark.parametrize("row", of_kind("word"))
def test_name_is_the_one_that_was_meant(row: dict[str, Any]) -> None:
    found = word(row["reply"], {name.casefold() for name in row["vocabulary"]})
    if "unreadable" in row["reading"]:
        assert isinstance(found, Unreadable), row["why"]
    else:
        assert isinstance(found, Read), (found, row["why"])
        assert fold(found.value) == fold(row["reading"]["word"]), row["why"]


@pytest.mark.parametrize(
    ("reply", "letter"),
    [("[C]", "C"), ("so **C**.", "C"), ("答案：【Ｂ】", "Ｂ"), ("An\u200bswer: B", "B"), ("```\nB\n```", "B")],
)
def test_span_of_a_letter_is_where_it_stands(reply: str, letter: str) -> None:
    found = choice(reply, dict.fromkeys("ABCDE", ""))
    assert isinstance(found, Read)
    assert reply[found.start : found.end] == letter


def test_span_of_a_name_is_where_it_stands() -> None:
    reply = "The\u200b object is **the tea-bag**, since it is wet."
    found = word(reply)
    assert isinstance(found, Read)
    assert reply[found.start : found.end] == found.value == "tea-bag"


@pytest.mark.parametrize("name", ["a a", "salt and pepper", "object", "no", "the end of the line", "n/a"])
def test_known_name_is_read_whatever_it_looks_like(name: str) -> None:
    for reply in (name, f"[{name}]", f"Final answer: {name}.", f'{{"answer": "{name}"}}', f"The answer is **{name}**."):
        found = word(reply, {name})
        assert isinstance(found, Read) and found.value == name, reply


def test_spans_of_names_in_a_list_are_where_they_stand() -> None:
    reply = "Final answer:\n1. **take** (it is taken)\n2. put-\u200bdown, wash."
    found = names(reply)
    assert isinstance(found, Listed)
    assert [reply[start:end] for start, end in found.spans] == ["take", "put-\u200bdown", "wash"]


LETTERED = dict.fromkeys("ABCDE", "")
LISTED_OPTIONS = "\nA. left\nB. right\nC. above\nAnswer: "


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (f"1. Where is it?{LISTED_OPTIONS}B\n2. And the cup?{LISTED_OPTIONS}C", "BC"),
        ("1. Where is it?\nA. left\nB. right\n2. C", "-C"),
        ('{"1": "B", "2": "C"}\nNote: [A] was close in 1.', "BC"),
        ("Steps:\n1. Look at the lamp\n2. See where it stands\n\nAnswers:\nB\nC", "BC"),
        ("1. A at first sight\n2. A\n\nFinal answers:\n1. B\n2. C", "BC"),
        ("1. A: wrong\n2. C", "-C"),
        ("1. B or A\n2. C", "-C"),
        ("1. B - not A\n2. C", "BC"),
        ("1. B\n2. C\nCorrection: 1. D", "-C"),
        ("1. \u200bB\n2. C", "BC"),
    ],
)
def test_letters_of_numbered_questions_are_those_that_were_meant(reply: str, said: str) -> None:
    found = letters(reply, [LETTERED] * 2)
    assert "".join(one.value if isinstance(one, Read) else "-" for one in found) == said
    assert all(one.value in reply[one.start : one.end] for one in found if isinstance(one, Read))


@pytest.mark.parametrize(
    "reply",
    [
        "1. take (first, with hand1)\n2. put-down - because it is full",
        'Here: {"actions": ["take", "put-down"]}',
        '```json\n{"nodes": ["take", "put-down"]}\n```\nThese are all nodes.',
        'Final answer: ["take", "put-down"] (in order)',
    ],
)
def test_names_are_read_without_what_explains_them(reply: str) -> None:
    found = names(reply)
    assert isinstance(found, Listed) and found.names == ("take", "put-down")


@pytest.mark.parametrize(
    ("reply", "listed"),
    [
        ("take\nput-down\n\nExplanation:\ncup\nlid", ("take", "put-down")),
        ("take\nput-down\n**Reasoning:** cup\n- lid", ("take", "put-down")),
        ("take, put-down\nNote: cup", ("take", "put-down")),
        ('["take", "put-down"]\nExplanation: [cup] first', ("take", "put-down")),
        ("Explanation: take comes first.\n\ntake\nput-down", ("take", "put-down")),
        ("Why:\n- cup\n- lid\n\nNodes:\n- pan", ("pan",)),
        ("Explanation:\n\ncup\nlid", None),
        ("Explanation: cup", None),
        ("Graph 1: take\nGraph 2: put-down", ("take", "put-down")),
        ("**Graph 1:** take\n**Graph 2:** put-down, wash", ("take", "put-down", "wash")),
        ("Graph 1 (washing): take\nGraph 2 (drying): put-down", ("take", "put-down")),
        ("Step 1: take\nStep 2 - put-down", ("take", "put-down")),
        ("Graph 1\ntake\nGraph 2\nput-down", ("take", "put-down")),
        ("Order: take, put-down", ("take", "put-down")),
        ("Graph 1: the person takes the cup here", None),
        ("Total: 2", None),
        ("take: first\nput-down: second", ("take", "put-down")),
    ],
)
def test_headings_and_explanations_are_no_names(reply: str, listed: tuple[str, ...] | None) -> None:
    found = names(reply)
    if listed is None:
        assert isinstance(found, Unreadable), found
    else:
        assert isinstance(found, Listed) and found.names == listed
        assert tuple(reply[start:end] for start, end in found.spans) == listed or reply.startswith("[")


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("b<think>a</think>", "b"),
        ("[THINK]a[/THINK]b", "b"),
        ("<thinking>\na\n</thinking>\nb", "b"),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "b"),
        ("Write `<think>` first.", "Write `<think>` first."),
        ("<think>a\n## Final answer\nb", "## Final answer\nb"),
    ],
)
def test_reasoning_is_not_spoken(reply: str, rest: str) -> None:
    said = spoken(reply)
    assert isinstance(said, Part) and said.text.strip() == rest
    assert reply[said.start : said.end].startswith(said.text.strip()[:1]) or said.text[:1].isspace()


@pytest.mark.parametrize("reply", ["<think>a", "a</think>b<think>c", "<think>Answer: B", "Sure. <think>B"])
def test_reasoning_without_an_end_is_unreadable(reply: str) -> None:
    assert spoken(reply) == Unreadable("the reasoning never ends")
    assert choice(reply, dict.fromkeys("ABC", "")) == word(reply) == Unreadable("the reasoning never ends")
    assert letters(reply, [dict.fromkeys("ABC", "")] * 2) == (Unreadable("the reasoning never ends"),) * 2


@pytest.mark.parametrize("row", of_kind("json"))
def test_json_is_the_value_that_was_meant(row: dict[str, Any]) -> None:
    section = answer_section(without_hidden(row["reply"])[0])
    kind = {"object": dict, "list": list}[row["shape"]]
    values = [] if isinstance(section, Unreadable) else values_in(section.part.text)
    typed = [one for one in values if isinstance(one.value, kind)]
    whole = [one for one in typed if not holds_only_words(one.value)] or typed
    is_cut = bool(values) and values[-1].is_cut
    if "unreadable" in row["reading"]:
        assert (
            isinstance(section, Unreadable)
            or is_cut
            or not whole
            or isinstance(agreed(whole, section.part.text), Unreadable)
        ), row["why"]
    else:
        assert isinstance(section, Section) and not is_cut
        found = agreed(whole, section.part.text)
        assert isinstance(found, FoundValue) and found.value == row["reading"]["value"], row["why"]


def holds_only_words(value: object) -> bool:
    """Return whether a value is a list of bare words, such as one that explains an order."""
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


@pytest.mark.parametrize("row", [*of_kind("graph"), *of_kind("graphs")])
def test_graphs_are_those_that_were_meant(row: dict[str, Any]) -> None:
    found = read_graphs(row["reply"], row.get("k", 1))
    if "unreadable" in row["reading"]:
        assert isinstance(found, Unreadable), row["why"]
    else:
        assert isinstance(found, GraphAnswer), (found, row["why"])
        assert [[list(triplet) for triplet in graph] for graph in found.reading.graphs] == row["reading"]["graphs"]
