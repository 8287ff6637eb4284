"""Properties of the readers: text around an answer does not change it, and a cut reply gives no other answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.replies import Part, Read, Unreadable
from tsgkit.replies.choices import choice
from tsgkit.replies.lists import Listed, names
from tsgkit.replies.numbered_answers import letters
from tsgkit.replies.reasoning import spoken
from tsgkit.replies.words import word

OPTIONS = {"A": "on the table", "B": "under the lamp", "C": "in the sink", "D": "behind the door", "E": "None"}
ROWS: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parent / "replies.jsonl").read_text(encoding="utf-8").splitlines()
]
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


@given(row=st.sampled_from([row for row in ROWS if row["kind"] in ("letter", "word")]), cut=st.integers(0, 30))
def test_a_reply_cut_at_the_end_of_a_line_is_read_the_same_or_not_or_by_what_it_says_until_then(
    row: dict[str, Any], cut: int
) -> None:
    lines = row["reply"].splitlines()
    kept = "\n".join(lines[: max(len(lines) - cut, 0)])
    found = (
        choice(kept, row["options"])
        if row["kind"] == "letter"
        else word(kept, {name.casefold() for name in row["vocabulary"]})
    )
    if isinstance(found, Read):
        assert kept[found.start : found.end].strip(), "what is read stands in what is left"
        assert not isinstance(spoken(kept), Unreadable)


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
