"""Strict reading: the final answer wherever it stands, and a reason where there is none."""

from __future__ import annotations

import pytest

from tsgkit.replies import Read, Unreadable
from tsgkit.replies.sections import Section, answer_section
from tsgkit.suites.tsg import official, qa, selection


def letter(reply: str, candidates: int) -> str | Unreadable:
    found = selection.letter(reply, [""] * candidates)
    return found.value if isinstance(found, Read) else found


def word(reply: str) -> str | Unreadable:
    found = qa.word(reply)
    return found.value if isinstance(found, Read) else found


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("Final answer: [C]", " [C]"),
        ("reasons\n**Final Answer:** [C]", " [C]"),
        ("reasons\n### Final answer\n[C]", "\n[C]"),
        ("Answer: A\nno wait\nAnswer: B", " B"),
        ("The final answer is: [C]", " [C]"),
        ("Final graphs:\na -> b -> c", "\na -> b -> c"),
        ("<think>Answer: A</think>[B]", "[B]"),
        ("no label at all", "no label at all"),
        ("Graph 1:\na -> b -> c", "Graph 1:\na -> b -> c"),
        ("the answer: is in the middle", " is in the middle"),
    ],
)  # fmt: skip
def test_the_answer_section_follows_the_last_label(reply: str, text: str) -> None:
    section = answer_section(reply)
    assert isinstance(section, Section)
    assert section.part.text == text == official.answer_section(reply)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("[C]", "C"),
        ("[c]", "C"),
        ("Final answer: C", "C"),
        ("Final answer: (c).", "C"),
        ("**C**", "C"),
        ("C.", "C"),
        (" c \n", "C"),
        ("[ 'C' ]", "C"),
        ('{"answer": "C"}', "C"),
    ],
)
def test_a_letter_is_read_in_any_usual_form(reply: str, answer: str) -> None:
    assert letter(reply, 5) == answer


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("[F]", "F is none of the 5 options"),
        ("[A] or [B]", "two answers: A, B"),
        ("The third one", "no answer"),
        ("Final answer:", "no answer"),
        ("7", "no answer"),
    ],
)
def test_replies_without_a_letter_have_a_reason(reply: str, reason: str) -> None:
    assert letter(reply, 5) == Unreadable(reason)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("[cup]", "cup"),
        ("It is the cup", "cup"),
        ('["tea-bag".]', "tea-bag"),
        ("Final answer: tea-bag.", "tea-bag"),
        ("`cup`", "cup"),
        ("[the cup]", "cup"),
        ("hand1", "hand1"),
        ('{"reasoning": "[lid]", "answer": "Cup"}', "cup"),
    ],
)
def test_a_word_is_read_in_any_usual_form(reply: str, answer: str) -> None:
    assert word(reply) == answer


@pytest.mark.parametrize("reply", ["from [table] to [Cup]", "[]", "Answer: ", "[ . ]"])
def test_replies_without_a_word_are_unreadable(reply: str) -> None:
    assert isinstance(word(reply), Unreadable)


@pytest.mark.parametrize(
    "reply",
    [r"\boxed{C}", r"so $\boxed{\text{C}}$", r"\[C\]", "<answer>C</answer>", "[**C**]", "[C] because graph [1] matches",
     "[C]\nFinal answer:", "- **Answer:** C", "### Final Answer\r\nC\r\n", '```json\n{"Answer": "C"}\n```'],
)  # fmt: skip
def test_wrapped_letters_are_read(reply: str) -> None:
    assert letter(reply, 5) == "C"
    assert word(reply) == "c"
