"""Replies are read as their authors meant them, by a table decided before any reader ran; to the place and reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsgkit.graph.reading import read
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.lexicon import fold
from tsgkit.replies import Part, Read, Unreadable, near_json
from tsgkit.replies.characters import without_hidden
from tsgkit.replies.choices import choice
from tsgkit.replies.lists import Listed, names
from tsgkit.replies.near_json import MOST_TOO_NESTED, FoundValue, agreed, values_in
from tsgkit.replies.numbered_answers import letters
from tsgkit.replies.reasoning import CHARACTERS_A_LINE, MOST_LINES, TOO_MANY_LINES, most_lines, spoken
from tsgkit.replies.sections import Section, answer_section
from tsgkit.replies.tuples import Tuples, tuples
from tsgkit.replies.words import word

Row = dict[str, Any]

ROWS: list[Row] = [
    json.loads(line) for line in (Path(__file__).parent / "replies.jsonl").read_text(encoding="utf-8").splitlines()
]
LETTERED = dict.fromkeys("ABCDE", "")
ENDLESS, TOO_LONG = Unreadable("the reasoning never ends"), Unreadable(TOO_MANY_LINES)


READERS: dict[str, Callable[[dict[str, Any], str], object]] = {
    "choice": lambda row, text: choice(text, row.get("options", LETTERED)),
    "word": lambda row, text: word(text, {name.casefold() for name in row.get("vocabulary", [])}),
    "names": lambda row, text: names(text),
    "letters": lambda row, text: letters(text, [row.get("options", LETTERED)] * 3),
    "tuples": lambda row, text: tuples(text),
    "values": lambda row, text: values_in(text),
    "sections": lambda row, text: (spoken(text), answer_section(text)),
}
DIGESTS = {
    "choice": "cea070c993f85420", "word": "46191a3077849f0d", "names": "2e70bcac9639f801",
    "letters": "aec74a2dfba230fb", "tuples": "4f9010b7bdcaf1bf", "values": "789c29dcfb4e4fc5",
    "sections": "fe05ae00917977d6",
}  # fmt: skip


def test_every_row_of_the_table_is_read_as_it_was_meant() -> None:
    assert len(ROWS) >= 300 and len({row["name"] for row in ROWS}) == len(ROWS)
    readers = {"letter": letter_of, "word": word_of, "json": json_of, "graph": graphs_of, "graphs": graphs_of}
    wrong = []
    for row in ROWS:
        found, meant = readers[row["kind"]](row), row["reading"]
        if found != (None if "unreadable" in meant else next(iter(meant.values()))):
            wrong.append((row["name"], found, meant, row["why"]))
    assert wrong == []


def test_no_reading_of_the_table_whole_or_cut_changes_unnoticed() -> None:
    """Where a change is meant, look at the new readings (the readers return them), then write the new digest."""
    digests = {name: sha256() for name in READERS}
    for row in ROWS:
        text = row["reply"]
        for name, reader in READERS.items():
            for cut in (text, text[: len(text) // 2], text[len(text) // 3 :]):
                digests[name].update(f"{reader(row, cut)}\n".encode(errors="backslashreplace"))
    assert {name: digest.hexdigest()[:16] for name, digest in digests.items()} == DIGESTS


def letter_of(row: Row) -> object:
    found = choice(row["reply"], row["options"])
    if isinstance(found, Unreadable):
        return None
    assert 0 <= found.start < found.end <= len(row["reply"]), row["name"]
    return found.value


def word_of(row: Row) -> object:
    """Return the name that was meant where the one that was read is another spelling of it."""
    found = word(row["reply"], {name.casefold() for name in row["vocabulary"]})
    if isinstance(found, Unreadable):
        return None
    meant = row["reading"].get("word", "")
    return meant if fold(found.value) == fold(meant) else found.value


def json_of(row: Row) -> object:
    """Return the value of the kind that is asked for, lists of bare words (which explain an order) apart."""
    section = answer_section(without_hidden(row["reply"])[0])
    values = values_in(section.part.text) if isinstance(section, Section) else []
    typed = [one for one in values if isinstance(one.value, {"object": dict, "list": list}[row["shape"]])]
    whole = [one for one in typed if not holds_only_words(one.value)] or typed
    if not whole or values[-1].is_cut or not isinstance(section, Section):
        return None
    found = agreed(whole, section.part.text)
    return found.value if isinstance(found, FoundValue) else None


def holds_only_words(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


def graphs_of(row: Row) -> object:
    found = read_graphs(row["reply"], row.get("k", 1))
    return [list(map(list, graph)) for graph in found.reading.graphs] if isinstance(found, GraphAnswer) else None


def test_span_of_what_is_read_is_where_it_stands_and_a_known_name_is_read_whatever_it_looks_like() -> None:
    for reply, letter in [
        ("[C]", "C"), ("so **C**.", "C"), ("答案：【Ｂ】", "Ｂ"), ("An\u200bswer: B", "B"), ("```\nB\n```", "B"),
    ]:  # fmt: skip
        found = choice(reply, LETTERED)
        assert isinstance(found, Read) and reply[found.start : found.end] == letter, reply
    reply = "The\u200b object is **the tea-bag**, since it is wet."
    found = word(reply)
    assert isinstance(found, Read) and reply[found.start : found.end] == found.value == "tea-bag"
    reply = "Final answer:\n1. **take** (it is taken)\n2. put-\u200bdown, wash."
    listed = names(reply)
    assert isinstance(listed, Listed)
    assert [reply[start:end] for start, end in listed.spans] == ["take", "put-\u200bdown", "wash"]
    for name in ["a a", "salt and pepper", "object", "no", "the end of the line", "n/a"]:
        for form in ("{}", "[{}]", "Final answer: {}.", '{{"answer": "{}"}}', "The answer is **{}**."):
            found = word(form.format(name), {name})
            assert isinstance(found, Read) and found.value == name, form.format(name)


def test_names_are_read_without_headings_and_explanations() -> None:
    rows: list[tuple[str, tuple[str, ...] | None]] = [
        ("1. take (first, with hand1)\n2. put-down - because it is full", ("take", "put-down")),
        ('Here: {"actions": ["take", "put-down"]}', ("take", "put-down")),
        ('```json\n{"nodes": ["take", "put-down"]}\n```\nThese are all nodes.', ("take", "put-down")),
        ('Final answer: ["take", "put-down"] (in order)', ("take", "put-down")),
        ("take\nput-down\n\nExplanation:\ncup\nlid", ("take", "put-down")),
        ("take\nput-down\n**Reasoning:** cup\n- lid", ("take", "put-down")),
        ("take, put-down\nNote: cup", ("take", "put-down")),
        ('["take", "put-down"]\nExplanation: [cup] first', ("take", "put-down")),
        ("Explanation: take comes first.\n\ntake\nput-down", ("take", "put-down")),
        ("Why:\n- cup\n- lid\n\nNodes:\n- pan", ("pan",)), ("Explanation:\n\ncup\nlid", None),
        ("Explanation: cup", None), ("Graph 1: take\nGraph 2: put-down", ("take", "put-down")),
        ("**Graph 1:** take\n**Graph 2:** put-down, wash", ("take", "put-down", "wash")),
        ("Graph 1 (washing): take\nGraph 2 (drying): put-down", ("take", "put-down")),
        ("Step 1: take\nStep 2 - put-down", ("take", "put-down")),
        ("Graph 1\ntake\nGraph 2\nput-down", ("take", "put-down")), ("Order: take, put-down", ("take", "put-down")),
        ("Graph 1: the person takes the cup here", None), ("Total: 2", None),
        ("take: first\nput-down: second", ("take", "put-down")),
    ]  # fmt: skip
    for reply, listed in rows:
        found = names(reply)
        if listed is None:
            assert isinstance(found, Unreadable), (reply, found)
        else:
            assert isinstance(found, Listed) and found.names == listed, reply
            in_json = "[" in reply
            assert in_json or tuple(reply[start:end] for start, end in found.spans) == listed, reply


def test_reasoning_is_not_spoken_and_unreadable_without_an_end() -> None:
    for reply, rest in [
        ("<think>a</think>b", "b"), ("a</think>b", "b"), ("b<think>a</think>", "b"), ("[THINK]a[/THINK]b", "b"),
        ("<thinking>\na\n</thinking>\nb", "b"),
        ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "b"),
        ("Write `<think>` first.", "Write `<think>` first."), ("<think>a\n## Final answer\nb", "## Final answer\nb"),
    ]:  # fmt: skip
        said = spoken(reply)
        assert isinstance(said, Part) and said.text.strip() == rest, reply
        assert reply[said.start : said.end].startswith(rest[:1]) or said.text[:1].isspace(), reply
    for reply in ["<think>a", "a</think>b<think>c", "<think>Answer: B", "Sure. <think>B"]:
        assert spoken(reply) == choice(reply, LETTERED) == word(reply) == ENDLESS, reply
        assert letters(reply, [LETTERED] * 2) == (ENDLESS,) * 2, reply


OPTIONS = {"A": "on the table", "B": "under the lamp", "C": "in the sink", "D": "behind the door", "E": "None"}
LETTERS = st.sampled_from("ABCDE")
FORMS = st.sampled_from(
    ["{}", "[{}]", "({})", "**{}**", "{}.", "Answer: {}", "**Final answer:** ({})", "The answer is {}.",
     '{{"answer": "{}"}}', "\\boxed{{{}}}", "Therefore, the answer is ({}).", "答案：{}", "Option {}",
     "<answer>{}</answer>"]
)  # fmt: skip
PROSE = st.sampled_from(
    ["", "Sure!", "Let me look at the image.", "The cup stands where it stood before.", "Here is what I found:"]
)
CLOSING = st.sampled_from(["", "Hope this helps!", "Let me know if you need more.", "I am fairly sure of it."])
TEXTS = st.text(st.sampled_from("ABCDE abc.,:;()[]{}*\"'`\n→->the answer is"), max_size=120)


@given(letter=LETTERS, form=FORMS, before=PROSE, after=CLOSING)
def test_prose_around_an_answer_keeps_it(letter: str, form: str, before: str, after: str) -> None:
    found = choice("\n\n".join(filter(None, [before, form.format(letter), after])), OPTIONS)
    assert isinstance(found, Read) and found.value == letter


@given(letter=LETTERS, form=FORMS, thought=TEXTS, fence=st.booleans())
def test_closed_reasoning_and_a_fence_keep_an_answer(letter: str, form: str, thought: str, fence: bool) -> None:
    said = f"```\n{form.format(letter)}\n```" if fence else form.format(letter)
    reply = f"<think>{thought}</think>\n{said}"
    found = choice(reply, OPTIONS)
    assert isinstance(found, Read) and found.value == letter
    assert found.start >= reply.index("</think>")


@given(text=TEXTS)
def test_every_text_is_read_or_unreadable_and_a_reading_lies_within_it(text: str) -> None:
    for found in (choice(text, OPTIONS), word(text)):
        assert found.reason if isinstance(found, Unreadable) else 0 <= found.start < found.end <= len(text)
    for one in letters(text, [OPTIONS] * 3):
        assert isinstance(one, Unreadable) or (one.value in OPTIONS and 0 <= one.start < one.end <= len(text))
    assert isinstance(names(text), Listed | Unreadable)
    said = spoken(text)
    assert isinstance(said, Unreadable) or (isinstance(said, Part) and said.end <= len(text))


@given(answers=st.lists(LETTERS, min_size=2, max_size=10), thought=TEXTS)
def test_numbered_answers_are_read_in_any_usual_form(answers: list[str], thought: str) -> None:
    questions = [OPTIONS] * len(answers)
    plain = "\n".join(answers)
    numbered = "\n".join(f"{number}. **{letter}**" for number, letter in enumerate(answers, 1))
    as_json = json.dumps({str(number): letter for number, letter in enumerate(answers, 1)})
    for said in (plain, numbered, as_json, f"```json\n{as_json}\n```", f"<think>{thought}</think>\n{numbered}"):
        found = letters(said, questions)
        assert [one.value for one in found if isinstance(one, Read)] == answers
        assert all(isinstance(one, Read) and one.value in said[one.start : one.end] for one in found)


THREE = dict(zip("ABC", ["left of it", "right", "The pan"], strict=True))
Place = tuple[str, int, int]


def shown(found: Read[str] | Unreadable) -> Place | str:
    return found.reason if isinstance(found, Unreadable) else (found.value, found.start, found.end)


def test_values_in_a_text_have_their_places_and_repairs() -> None:
    rows: list[tuple[str, list[tuple[object, int, int, bool]]]] = [
        ('x {"a": 1} y', [({"a": 1}, 2, 10, False)]), ('{"a" 1} [3]', [([3], 8, 11, False)]),
        ("{'a': [1, None, True]}", [({"a": [1, None, True]}, 0, 22, True)]),
        ('{a = 1, b: "x",}', [({"a": 1, "b": "x"}, 0, 16, True)]),
        ("[\"a\\u00e9\\n\", 'b']", [(["aé\n", "b"], 0, 18, True)]),
        ('{"a": [1.5, -2e3]} {"c": null}', [({"a": [1.5, -2000.0]}, 0, 18, False), ({"c": None}, 19, 30, False)]),
        ("[1] // no\n[2] # x", [([1], 0, 3, False), ([2], 10, 13, False)]),
        ('{"a": "x" "b": 2}', [({"a": "x", "b": 2}, 0, 17, True)]),
    ]  # fmt: skip
    for text, expected in rows:
        assert values_in(text) == [FoundValue(*one, is_cut=False) for one in expected], text
    for text, start in (("[1, 2", 0), ('"{"', 1), ('{"a": tr', 0)):
        assert values_in(text) == [FoundValue(None, start, len(text), repaired=False, is_cut=True)], text


def test_values_are_given_up_where_they_cost_too_much_or_are_nested_too_deeply(monkeypatch: pytest.MonkeyPatch) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")):
        deepest = 20 if "[{" in opening else 40
        for left_out in (-1, 0, 1, 10):
            (value,) = values_in(opening * (deepest + left_out) + "7" + closing * (deepest + left_out))
            read_levels = deepest + min(left_out, 0)
            assert value.start == max(left_out, 0) * len(opening), (opening, left_out)
            assert value.end == value.start + read_levels * len(opening + closing) + 1, (opening, left_out)
    brackets = MOST_TOO_NESTED + 40 + 1
    for count, is_given_up in ((brackets, False), (brackets + 1, True)):
        (value,) = values_in("[" * count)
        assert (value.start, value.is_cut, value.is_given_up) == (MOST_TOO_NESTED, True, is_given_up), count
    assert (near_json.MOST_WORK, near_json.WORK_A_CHARACTER, MOST_TOO_NESTED) == (500_000, 3, 100)
    monkeypatch.setattr(near_json, "MOST_WORK", 60)
    text = "[1] " + '["' * 40
    assert values_in(text) == [
        FoundValue([1], 0, 3, repaired=False, is_cut=False),
        FoundValue(None, values_in(text)[-1].start, len(text), repaired=False, is_cut=True, is_given_up=True),
    ]


def test_a_reply_of_too_many_lines_is_unreadable_and_one_of_graphs_is_read_up_to_them() -> None:
    assert [spoken("a\n" * count) for count in (MOST_LINES, MOST_LINES + 1)] == [("a\n" * MOST_LINES, 0), TOO_LONG]
    assert most_lines("x" * CHARACTERS_A_LINE * (MOST_LINES + 7)) == MOST_LINES + 7
    reading = read("a -> verb -> b\n" * (MOST_LINES + 9))
    assert (len(reading.graphs[0].triplets), reading.notes) == (MOST_LINES + 9, ())
    (note,) = read("so\n" * (MOST_LINES // 4) + "person -> verb -> lift\nno").notes[MOST_LINES // 4 :]
    assert str(note) == f"line {MOST_LINES // 4 + 2}: unread: {TOO_MANY_LINES}: 'no'"
    prose = "She takes the cup from the table.\n" * 9_000
    assert read_graphs(f"person -> verb -> lift\n\n{prose}", 1) == TOO_LONG
    assert [shown(choice(f"B\n{prose}{end}", LETTERED))[0] for end in ("", "C")] == ["B", "C"]


def test_choices_and_letters_of_two_questions_have_their_places_or_a_reason() -> None:
    rows: dict[str, Place | str] = {
        "b.": ("B", 0, 1), "(C)": ("C", 1, 2), "Answer: B": ("B", 8, 9), "right": ("B", 0, 5), "the pan": ("C", 0, 7),
        "A or B": "no answer", "A\nB": "two answers: A, B", "A, B": "two answers: A, B",
        '{"answer": ["B"]}': ("B", 0, 17), '{"answer": ["A","B"]}': "no answer",
        '{"result": {"choice": "C"}}': ("C", 0, 27), '{"a": {"b": {"c": {"answer": "A"}}}}': ("A", 0, 36),
        "✓ A\n✗ B": ("A", 2, 3), "A: left of it\nB: right": "two answers: A, B", "~~A~~ B": ("B", 6, 7),
        "Option C: The pan": ("C", 7, 8), "B - right\nB": ("B", 10, 11), "D": "D is none of the 3 options",
        "": "no answer", "I would choose B?": "no answer", "I would choose B.": ("B", 15, 16),
        "A\n\n### Question 2\nWhich?\n### Answer\nB": ("A", 0, 1), "- [ ] A\n- [x] B": ("B", 14, 15),
        "Option B turns it.\nQ: Does C?\nAnswer: C": ("C", 38, 39),
        'pick(option="B")': ("B", 13, 14), "Answer: A\n\nSo B is correct.": "two answers: A, B",
        "Answer: A... no, it turns. So it's B.": ("B", 35, 36), 'I\'d go with "the pan", say.': ("C", 13, 20),
        "Answer: A. No, B stands.": "the answer is one of several", "A | 2\nB | 3\n\n→ **B**": ("B", 17, 18),
        "**A: it**\nWrong.\n**B: it**\nCorrect ✔. It is so.": ("B", 19, 20),
        "Examples:\nAnswer: A\nFor this item:\nAnswer: B": ("B", 43, 44), "Answer: A - right": "two answers: A, B",
    }  # fmt: skip
    assert {reply: shown(choice(reply, THREE)) for reply in rows} == rows
    objects = '[{"question": 2, "answer": "B"}, {"question": 1, "answer": "C"}]'
    pairs: dict[str, list[Place | str]] = {
        objects: [("C", 0, 64), ("B", 0, 64)], '[{"id": "Question 2.", "letter": "B"}]': ["no answer", ("B", 0, 38)],
        '["B", null, "C"]': [("B", 0, 16), "no answer"], '["B", [[[[[[["C"]]]]]]]]': [("B", 0, 24), ("C", 0, 24)],
        '["B", [[[[[[[["C"]]]]]]]]]': [("B", 0, 26), "no answer"],
        '{"1": ' + '{"answer":' * 7 + '"C"' + "}" * 7 + ', "2": "B"}': [("C", 0, 97), ("B", 0, 97)],
        '{"1": ' + '{"answer":' * 8 + '"C"' + "}" * 8 + ', "2": "B"}': ["no answer", ("B", 0, 108)],
        '{"q1": "B", "Q2": {"answer": "A"}}': [("B", 0, 34), ("A", 0, 34)],
        '{"answers": [["A"], "C"]}': [("A", 0, 25), ("C", 0, 25)], "1. B\n2. C\n3. A": [("B", 3, 4), ("C", 8, 9)],
        "1: B, 2: C": [("B", 3, 4), ("C", 9, 10)], "B, C": [("B", 0, 1), ("C", 3, 4)],
        "Q1) B\nQ2) C": [("B", 4, 5), ("C", 10, 11)], "BC": ["no answer", "no answer"],
        "1. B": [("B", 3, 4), "no answer"], "1. B\n1. C\n2. A": ["two answers: B, C", ("A", 13, 14)],
    }  # fmt: skip
    assert {reply: [shown(one) for one in letters(reply, [THREE] * 2)] for reply in pairs} == pairs


def test_words_have_their_place_or_a_reason() -> None:
    none, two = "no one name", "two answers: cup, pan"
    known: dict[str, Place | str] = {
        "The cup.": ("cup", 4, 7), "a cup and a pan": two, "**cup**\nbecause": ("cup", 2, 5),
        'It is "cup".': ("cup", 7, 10), "1. cup\n2. pan": two, "cup\nlong words that follow here and go on\npan": two,
        "the object is cup": ("cup", 14, 17), '{"answer": ["cup"]}': ("cup", 0, 19), "'a' or 'b'": none,
        "no idea": none, "": "no answer", "It was the cup.\npan": two, "NONE": ("NONE", 0, 4),
        "Q: What fell?\nA: A cup.": ("cup", 19, 22), "cup\n\nQuestion: What broke?\nAnswer: pan": ("cup", 0, 3),
        "<p>It is in the <b>cup</b>.</p>": ("cup", 19, 22), "Answer: cup\n\nThus what fell is the pan.": two,
        "Watch **before** the fall.": none, "`pan` waits.\n\nHe holds the `cup`.": ("cup", 28, 31),
        "I cannot see which.\nHe holds the `cup`.": none,
        "- a -> b -> c\n- d -> e -> f\nIt is:\n\npan": ("pan", 36, 39), "- [x] cup\n- [ ] pan": ("cup", 6, 9),
        "Final answer: pan\nHmm, it is full.\nFinal answer: cup": ("cup", 49, 52), "take(name='cup')": ("cup", 11, 14),
        "tea\u2011cup": ("tea-cup", 0, 7),
    }  # fmt: skip
    assert {reply: shown(word(reply, {"cup", "pan", "none"})) for reply in known} == known
    rows: dict[str, Place | str] = {
        **dict.fromkeys(("none", "NONE", "None.", "12", "not cup"), none), "probably cup": ("cup", 9, 12),
        "cup, probably": ("cup", 0, 3), "perhaps: the cup": ("cup", 13, 16), "杯" * 10: ("杯" * 10, 0, 10),
        "杯" * 11: none, "杯是子": none, '["cup"]': ("cup", 0, 7), ' ["cup"]': ("cup", 1, 8), '["cup", "pan"]': two,
        '{"a": 1} ["cup"]': ("cup", 9, 16), "The object is wet.\ncup": "two answers: cup, wet",
        "The object is wet.\ncup pan": ("wet", 14, 17), "The object is cup\n\ncup": ("cup", 19, 22),
        "That is cup.": ("cup", 8, 11), "It is wet.": ("wet", 6, 9),
        "The thing that is wet is the cup.": ("cup", 29, 32), "What is washed is the cup.": ("cup", 22, 25),
        "She says it is wet and the object is the cup.": ("cup", 41, 44), "The lamp is on the table.": none,
        "The answer is cup. So, pan.": two, "The answer is cup. So, cup.": ("cup", 23, 26), "**cup** and **pan**": two,
        "look at **cup** now": ("cup", 10, 13), "cup, which is a long explanation of things": ("cup", 0, 3),
        "either cup or pan": two, "Answer:\n- cup\n- pan": two, "Answer: cup\nAnswer: pan": two,
        "Answer: cup\nFinal answer: pan": ("pan", 26, 29), "cup\nWait, no: pan": ("pan", 14, 17),
        "\\boxed{cup}": ("cup", 7, 10), "\\boxed{cup} \\boxed{pan}": two,
        f"<think>{'It was used. ' * 9}</think>Answer: cup. Wait, that is wrong.": "the answer is taken back",
        "The answer is a single word of the graphs.": "no one name",
    }  # fmt: skip
    assert {reply: shown(word(reply)) for reply in rows} == rows


def test_names_of_a_list_have_their_places_and_what_is_left_out_is_noted() -> None:
    rows: list[tuple[str, tuple[str, ...], tuple[str, ...], tuple[tuple[int, int], ...]]] = [
        ("take, wash and dry", ("take", "wash and dry"), (), ((0, 4), (6, 18))), ("a;b", ("a;b",), (), ((0, 3),)),
        ("1. take\n2. a b c d e f g", ("take",), ("left out: 2. a b c d e f g",), ((3, 7),)),
        ("-\ntake", ("take",), ("left out: -",), ((2, 6),)), ('["a", "a"]', ("a", "a"), (), ((0, 10), (0, 10))),
        ("take (x)\nwash", ("take", "wash"), ("only its names: take (x)",), ((0, 4), (9, 13))),
        ("take: it is\n", ("take",), ("only its names: take: it is",), ((0, 4),)),
    ]  # fmt: skip
    for reply, expected, notes, spans in rows:
        assert names(reply) == Listed(expected, notes, spans), reply
    assert names("[]") == Unreadable("no names listed")
    assert names('["a", 1]') == Unreadable("JSON, and no list of names in it")
    for length, shown_line in ((60, "b " * 29 + "bb"), (61, "b " * 29 + "bb...")):
        found = names("take\n" + ("b " * 29 + "bbb")[:length])
        assert isinstance(found, Listed) and found.notes == (f"left out: {shown_line}",), length


def test_tuples_are_read_in_the_forms_that_models_write_and_what_is_left_out_is_noted() -> None:
    for reply in [
        "( man , ride , horse ) , ( horse , brown )", "Facts: (man, ride, horse); ('horse', \"brown\").",
        "1. [man, ride, horse]\n2. [horse, brown]", "```\n(man, ride, horse)(horse, brown)\n```",
        "<think>(dog)</think>**(man, ride, horse)**\n(horse, brown)\nIs this (all right)?",
        '[["man", "ride", "horse"], ["horse", "brown"]]', '{"tuples": [["man", "ride", "horse"], ["horse", "brown"]]}',
        "(a, b)\n(man, ride, horse)\n(horse, brown)",
    ]:  # fmt: skip
        found = tuples(reply, forms={("a", "b")})
        assert not isinstance(found, Unreadable), reply
        assert found.tuples == (("man", "ride", "horse"), ("horse", "brown")), reply
    assert tuples("(A, B)\n(man)", forms={("a", "b")}) == Tuples((("man",),), ("left out: ( A , B )",))
    assert tuples("(man)\nThe man (tall, old) rides.") == Tuples((("man",),), ("left out: The man (tall, old) rides.",))
    assert tuples("(man)\n(a man on a horse)") == Tuples((("man",),), ("left out: ( a man on a horse )",))
    assert tuples("(man)\n(old and tired man, ride)") == Tuples((("man",), ("old and tired man", "ride")))
    assert tuples("(man, ride,)\n(the old man)") == Tuples((("man", "ride"), ("the old man",)))
    fields = '{"b": [["x", "y"]], "a": ["horse", ["man", 2]], "c": null}'
    assert tuples(fields, fields=("a", "b", "c")) == Tuples((("horse",), ("man", "2"), ("x", "y")))
    for reply, reason in [
        ("A man rides.", "no tuples"), ("( a , b , c , d )", "tuple 1 has 4 elements: ( a , b , c , d )"),
        ("( a )\n( b , , c )", "tuple 2 has an element without a name: ( b , , c )"),
        ('[["a"], [true]]', "tuple 2 has an element without a name: ( True )"),
        ("( a , b", "a tuple is not closed, or not one: ( a , b"), ('{"others": [["a"]]}', "JSON without tuples"),
        ('[["a"], ["b', "it ends in the middle"),
        ("( a )\nWait, that is wrong.", "tuples are taken back, and no others are given"),
        ("( a )\nWait, that is wrong.\n( b )", "tuples are taken back or offered as alternatives, and which"),
        ("Option A\n( a )\nOption B\n( b )", "tuples are taken back or offered as alternatives"),
    ]:  # fmt: skip
        refused = tuples(reply)
        assert isinstance(refused, Unreadable) and refused.reason.startswith(reason), (reply, refused)
