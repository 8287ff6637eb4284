"""Tests of the strict reader of letters."""

from __future__ import annotations

import json
from hashlib import sha256
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.replies import Unreadable
from tsgkit.suites.spatialgen.rows import Question
from tsgkit.suites.spatialgen.strict import letters

OPTIONS = {"A": "up", "B": "down", "C": "left", "D": "right", "E": "None"}
QUESTIONS = [Question("?", OPTIONS, "A")] * 10
BCA = (
    "B\nC\nA",
    "b\nc\na",
    "b:down\nc:left\na:up",
    "B\r\nC\r\nA\r\n",
    "**B**\n(C)\n[A]",
    "- B: it stands below\n* C. it\n• A) the top",
    "1. B\n2. C\n3. A",
    "1) **B**\n2) **C**\n3) **A**",
    "Q1: B\nQuestion 2 - C\nq3. A",
    "1 B\n2 C\n3 A",
    "3. A\n1. B\n2. C",
    "Here are my answers:\n\n1. B\n2. C\n3. A\n\nI hope this helps!",
    "B: down, because it falls\nC\nA\n\nA closing remark follows.",
    "Answer: B\nAnswer: C\nAnswer: A",
    "Option B\nOption (C)\nThe answer is A.",
    "**Question 1**\nThe man stands.\nAnswer: B\n**Question 2**: C\n### 3\nOption A",
    "1\nB\n2\nC\n3\nA",
    "1. \\boxed{B}\n2. $C$\n3. `A`",
    "1. B - down\n2. C – left\n3. A (up)",
    "| Question | Answer | Why |\n|---|---|---|\n| 1 | B | it stands |\n| 2 | C | so |\n| 3 | A | up |",
    "B, C, A",
    "Answers: B C A",
    "[B, C, A]",
    "1. B 2. C 3. A",
    "1: B, 2: C, 3: A",
    '["B", "C", "A"]',
    '```json\n{"1": "B", "2": "C", "3": "A"}\n```',
    '{"0": "B", "1": "C", "2": "A"}',
    '{"question_1": "B: down", "question_2": "(C)", "question_3": "Option A"}',
    '{"answers": ["B", "C", "A"]}',
    '{"answers": "1. B\\n2. C\\n3. A"}',
    '{"Answers": {"1": {"answer": "B", "confidence": 0.9}, "2": {"answer": "C"}, "3": {"letter": "a"}}}',
    '[{"question": 3, "answer": "A"}, {"question": 1, "answer": "B"}, {"question": "Q2", "answer": "C"}]',
    "<think>A\nA\nA</think>\nB\nC\nA",
)
B = (
    *("B", "**B**", "Answer: B", '"B"', "7. B", "B because it is down", "B\n\nB"),
    "The image shows a man. The answer is B.",
    "A: up?\nNo.\nFinal answer: (B)",
    '{"answer": "B", "reason": "it is down"}',
)
NO_LETTER = (
    *("A man stands there", "Based on the image, no", "E.g. a cup", "C-shaped", "I cannot say", "", "{}", "A, B"),
    "Answer: A\nNo.\nAnswer: B",
    '{"answers": ' * 50 + '"B"' + "}" * 50,
    "[" * 100_000,
)


def read(reply: str, questions: int = 3) -> list[str | None]:
    return [one if isinstance(one, str) else None for one in letters(reply, QUESTIONS[:questions])]


def test_letters_are_read_from_usual_forms() -> None:
    for reply in BCA:
        assert read(reply) == ["B", "C", "A"], reply
    for reply in B:
        assert read(reply, 1) == ["B"], reply


def test_words_double_letters_and_deep_nesting_are_unreadable() -> None:
    for reply in NO_LETTER:
        assert read(reply, 1) == [None], reply[:40]


def test_unnumbered_answers_are_read_only_if_complete() -> None:
    three = QUESTIONS[:3]
    assert letters("B\nC", three) == (Unreadable("2 answers without numbers to 3 questions"),) * 3
    assert letters("B\nC\nA\nD", three)[0] == Unreadable("4 answers without numbers to 3 questions")
    assert letters("I cannot tell.", three) == (Unreadable("no answer"),) * 3


def test_numbered_answers_keep_their_positions() -> None:
    for reply in ("1. B\n3. A", '["B", null, "A"]', "1. B\n2. The ball is red\n3. A"):
        assert read(reply) == ["B", None, "A"], reply
    assert read("11. B\n12. C") == [None, None, None]


def test_contradictory_answers_are_unreadable() -> None:
    assert letters("1. B\n1. C\n2. A", QUESTIONS[:3])[0] == Unreadable("two answers: B, C")
    assert read("1. B\n1. B\n2. A") == ["B", "A", None]


def test_invalid_letter_is_unreadable_and_refusal_is_an_answer() -> None:
    three = Question("?", {"A": "up", "B": "down", "C": "left", "E": "None"}, "A")
    assert letters("D", [three]) == (Unreadable("D is none of the 4 options"),)
    assert letters("E: None", [three]) == ("E",)
    assert letters("F\nB\nE", QUESTIONS[:3]) == (Unreadable("F is none of the 5 options"), "B", "E")


PIECES = (
    *"AbEF[]{}\"'\n",
    *("**C**", "(D)", "1. ", "2) ", "3: ", "Q2 ", "\n\n", ", ", " is ", "Answer: ", "Option ", "because"),
    *('"1": "B"', '"answer": "C"', "answers", "<think>", "</think>", "```", "| 1 | B |\n"),
)


def test_strange_replies_are_read_the_same_in_every_version() -> None:
    readings, random = sha256(), Random(7)
    for number in range(2_000):
        text = "".join(random.choices(PIECES, k=random.randrange(1, 14)))
        readings.update(repr(letters(text, QUESTIONS[: 1 + number % 4])).encode())
    assert readings.hexdigest()[:16] == "3d7098e423429b38", "see that the change is meant, and write it down"


TEN = st.lists(st.sampled_from("ABCDE"), min_size=10, max_size=10)
FORMS = (
    "\n".join,
    lambda said: "\n".join(f"{number}. **{letter}**: so" for number, letter in enumerate(said, 1)),
    lambda said: "\n\n".join(f"Answer: ({letter})" for letter in said),
    lambda said: json.dumps({str(number): letter for number, letter in enumerate(said, 1)}),
    lambda said: json.dumps([{"question": number, "answer": letter} for number, letter in enumerate(said, 1)]),
    lambda said: " ".join(f"{number}) {letter}" for number, letter in enumerate(said, 1)),
)


@given(TEN)
@settings(max_examples=20)
def test_ten_letters_round_trip_in_every_form(ten: list[str]) -> None:
    for form in FORMS:
        assert letters(form(ten), QUESTIONS) == tuple(ten)
