"""Tests of parsing and writing rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.suites.spatialgen.rows import Question, question_from, read_rows, row_from, row_of, rows_in, written

FOUR = {"A": "up", "B": "down", "C": "left", "D": "right", "E": "None"}


def value(**fields: object) -> dict[str, object]:
    return {
        "id": "000001",
        "scene": "Forest",
        "prompt": "Trees.",
        "question_type": ["Position"],
        "questions": ["Where?  Options: A: up, B: down, C: left, D: right, E: None"],
        "answers": ["B"],
        **fields,
    }


def test_options_are_split_at_letters_and_never_at_commas() -> None:
    question = question_from("What?  Options: A: A cup, a jug, B: Ham, C: A: b, D: 3, 4, and 5, E: None", "A")
    assert question.options == {"A": "A cup, a jug", "B": "Ham", "C": "A: b", "D": "3, 4, and 5", "E": "None"}


def test_letter_out_of_order_belongs_to_the_text() -> None:
    assert question_from("?  Options: A: plan, B: as in, A: above, E: None", "A").options == {
        "A": "plan",
        "B": "as in, A: above",
        "E": "None",
    }


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        ("A: Red. B: Tan. C: Pink. D: Blue. E: None", "Red|Tan|Pink|Blue|None"),
        ("A: Red. B: Tan. C: Pink. D: Blue., E: None", "Red|Tan|Pink|Blue.|None"),
        ("A: Red. B: Tan. C: Pink. D: Blue, E: None", "Red|Tan|Pink|Blue|None"),
        ("A: A cup, a jug. B: Two, or so. C: Tin. D: A pot, E: None", "A cup, a jug|Two, or so|Tin|A pot|None"),
        ("A: By J. B. Hill, B: By B. Cole, C: Fig. B, D: A. B, E: None", "By J. B. Hill|By B. Cole|Fig. B|A. B|None"),
        ("A: A sign: Go. C: now, B: Up, C: Left, D: Down, E: None", "A sign: Go. C: now|Up|Left|Down|None"),
        ("A: Go. B: now, B: Up, C: Left, D: Down, E: None", "Go. B: now|Up|Left|Down|None"),
        ("A: Go, B: now. B: Up. C: Left. D: Down, E: None", "Go, B: now|Up|Left|Down|None"),
        ("A: Up. E: None yet, B: Left, C: Right, D: Down, E: None", "Up. E: None yet|Left|Right|Down|None"),
    ],
)
def test_options_are_split_at_commas_or_periods_before_letters_in_order(options: str, texts: str) -> None:
    text = f"What colour is it?  Options: {options}"
    question = question_from(text, "B")
    assert "|".join(question.options.values()) == texts
    assert "".join(question.options) == "ABCDE"
    assert (question.refusal, question.choices) == ("E", tuple("ABCD"))
    assert question.written() == text


def test_four_options_separated_by_periods_stay_four() -> None:
    question = question_from("Which is taller?  Options: A: Oak. B: Fir. C: Same, E: None", "C")
    assert question.options == {"A": "Oak", "B": "Fir", "C": "Same", "E": "None"}


def test_options_separated_by_commas_are_equal_to_options_written_by_hand() -> None:
    assert question_from("Where?  Options: A: up, B: down, C: left, D: right, E: None", "A") == Question(
        "Where?", FOUR, "A"
    )


@pytest.mark.parametrize(
    ("text", "letters", "refusal", "gap"),
    [
        ("Where?  Options: A: up, B: down, C: left, D: right, E: None", "ABCDE", "E", "  "),
        ("Where?  Options: A: up, B: down, C: left, E: None", "ABCE", "E", "  "),
        ("Where? Options: A: up, B: down, C: left, D: right, E: None of the above", "ABCDE", "E", " "),
        ("Where?  Options: A: up, B: None, C: left, D: right, E: None", "ABCDE", "E", "  "),
        ("Where?  Options: A: up, B: down, C: left, D: Nonetheless right", "ABCD", None, "  "),
        ("Where?", "", None, ""),
    ],
)
def test_a_question_is_read_and_written_back(text: str, letters: str, refusal: str | None, gap: str) -> None:
    question = question_from(text, "A")
    assert "".join(question.options) == letters
    assert question.refusal == refusal
    assert question.gap == gap
    assert question.choices == tuple(letter for letter in letters if letter != refusal)
    assert question.written() == text


def test_word_options_in_a_stem_does_not_start_the_options() -> None:
    question = question_from("Which of these Options: is up?  Options: A: up, B: down, E: None", "A")
    assert question.stem == "Which of these Options: is up?"


def test_row_keeps_extra_fields() -> None:
    line = json.dumps(value(prompt="A café — “quiet”", note={"by": ["hand"]}), ensure_ascii=False)
    (row,) = read_rows([line.encode()], "x.jsonl")
    assert row.line == 1
    assert row.questions == (Question("Where?", FOUR, "B", "Position"),)
    assert written(row) == line


def test_row_with_unequal_columns_is_read_up_to_the_shortest() -> None:
    row = row_from(value(answers=["B", "C"], question_type=["Position", "Layout", "Motion"]))
    assert len(row.questions) == 1
    assert json.loads(written(row))["answers"] == ["B", "C"]


def test_a_row_made_of_questions_has_their_columns() -> None:
    row = row_of("000007", "Zoo", "Bears.", [Question("Where?", FOUR, "D", "Position")] * 2)
    assert (row.types, row.answers) == (("Position", "Position"), ("D", "D"))
    assert row.questions[1].options == FOUR


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b"[1]", "line 2: not a row but a list of 1"),
        (b"{", "line 2: broken JSON, column 2"),
        (json.dumps(value(answers=[1])).encode(), r"line 2: field answers\.0: Input should be a valid string"),
        (json.dumps(value(scene=None, prompt=3)).encode(), r"line 2: field scene: .* \(and 1 more\)"),
        (b'{"id": "000001"}', "line 2: field scene: Field required"),
        (b'{"id": "\xff"}', "line 2: not UTF-8 text"),
        (json.dumps(value(prompt="\ud800")).encode(), "line 2: field prompt: .*half a character"),
        (json.dumps(value(note="\ud800")).encode(), "line 2: field of its own: .*half a character"),
    ],
)
def test_a_broken_row_is_named_by_line_and_field(broken: bytes, message: str) -> None:
    lines = read_rows([json.dumps(value()).encode(), broken], "x.jsonl")
    next(lines)
    with pytest.raises(UsageError, match=f"^x.jsonl: {message}"):
        next(lines)


def test_non_object_is_refused_as_a_row() -> None:
    with pytest.raises(NotationError, match="not a row but null"):
        row_from(None)


def test_rows_are_read_lazily(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(value()).encode() + b"\n\nbroken\n")
    rows = rows_in(path)
    assert next(rows).id == "000001"
    with pytest.raises(UsageError, match="line 3"):
        next(rows)


def test_missing_file_and_folder_are_reported(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text("")
    with pytest.raises(FileProblem, match="no such file") as missing:
        next(rows_in(tmp_path / "question.jsonl"))
    assert "questions.jsonl" in missing.value.hint
    with pytest.raises(FileProblem, match="a folder"):
        next(rows_in(tmp_path))
