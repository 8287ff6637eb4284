"""Property tests of the readers of letters: they never fail, and read all usual forms."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.replies import Unreadable
from tsgkit.suites.spatialgen.official import asked, result_row, table
from tsgkit.suites.spatialgen.rows import Question, row_of
from tsgkit.suites.spatialgen.strict import letters

OPTIONS = {"A": "up", "B": "down", "C": "left", "D": "right", "E": "None"}
QUESTIONS = [Question("?", OPTIONS, "A")] * 10
LETTERS = st.lists(st.sampled_from("ABCDE"), min_size=10, max_size=10)
PIECES = st.sampled_from(["A", "b", "E", "F", "1.", "2)", "\n", "**", ": ", "Answer", " is ", "[", "]", "{", '"', ", "])
REPLIES = st.text(max_size=80) | st.lists(PIECES | st.text(max_size=4), max_size=40).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["answers", "1", "q2", "answer", "question", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)
FORMS = (
    lambda said: "\n".join(said),
    lambda said: "\n".join(f"{number}. **{letter}**: so" for number, letter in enumerate(said, 1)),
    lambda said: "\n\n".join(f"Answer: ({letter})" for letter in said),
    lambda said: json.dumps({str(number): letter for number, letter in enumerate(said, 1)}),
    lambda said: json.dumps([{"question": number, "answer": letter} for number, letter in enumerate(said, 1)]),
    lambda said: " ".join(f"{number}) {letter}" for number, letter in enumerate(said, 1)),
)


@given(REPLIES | JSON.map(json.dumps), st.integers(1, 10))
def test_reader_gives_a_letter_or_reason_for_every_question(reply: str, questions: int) -> None:
    found = letters(reply, QUESTIONS[:questions])
    assert len(found) == questions
    assert all(one.reason if isinstance(one, Unreadable) else one in OPTIONS for one in found)


@given(LETTERS, st.sampled_from(FORMS))
def test_letters_round_trip(said: list[str], form: object) -> None:
    assert callable(form)
    assert letters(form(said), QUESTIONS) == tuple(said)


@given(st.lists(st.none() | REPLIES | LETTERS.map("\n".join), max_size=30))
def test_the_published_scoring_takes_any_replies(replies: list[str | None]) -> None:
    found = asked(replies)
    assert found.requests <= 25
    row = row_of("000001", "Forest", "", QUESTIONS)
    result = result_row(row, found, "x.png")
    assert (result is None) == found.dropped
    made = table([result] if result else [])
    assert made is None or 0 <= made.overall <= 1
