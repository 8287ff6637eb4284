"""Tests of parsing and writing rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.suites.spatialgen.rows import (
    LETTERS,
    Question,
    question_from,
    read_rows,
    row_from,
    row_of,
    rows_in,
    written,
)

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


def test_options_are_split_at_letters_in_order_and_never_at_commas() -> None:
    for text, options in {
        "A: A cup, a jug, B: Ham, C: A: b, D: 3, 4, and 5, E: None": "A cup, a jug|Ham|A: b|3, 4, and 5|None",
        "A: plan, B: as in, A: above, E: None": "plan|as in, A: above|None",
        "A: Oak. B: Fir. C: Same, E: None": "Oak|Fir|Same|None",
    }.items():
        assert "|".join(question_from(f"What?  Options: {text}", "A").options.values()) == options
    question = question_from("Which of these Options: is up?  Options: A: up, B: down, E: None", "A")
    assert question.stem == "Which of these Options: is up?"
    (row,) = read_rows([json.dumps(value()).encode()], "x.jsonl")
    assert row.questions == (Question("Where?", FOUR, "B", "Position"),)


SPLIT = {
    "A: Red. B: Tan. C: Pink. D: Blue. E: None": "Red|Tan|Pink|Blue|None",
    "A: Red. B: Tan. C: Pink. D: Blue., E: None": "Red|Tan|Pink|Blue.|None",
    "A: Red. B: Tan. C: Pink. D: Blue, E: None": "Red|Tan|Pink|Blue|None",
    "A: A cup, a jug. B: Two, or so. C: Tin. D: A pot, E: None": "A cup, a jug|Two, or so|Tin|A pot|None",
    "A: By J. B. Hill, B: By B. Cole, C: Fig. B, D: A. B, E: None": "By J. B. Hill|By B. Cole|Fig. B|A. B|None",
    "A: A sign: Go. C: now, B: Up, C: Left, D: Down, E: None": "A sign: Go. C: now|Up|Left|Down|None",
    "A: Go. B: now, B: Up, C: Left, D: Down, E: None": "Go. B: now|Up|Left|Down|None",
    "A: Go, B: now. B: Up. C: Left. D: Down, E: None": "Go, B: now|Up|Left|Down|None",
    "A: Up. E: None yet, B: Left, C: Right, D: Down, E: None": "Up. E: None yet|Left|Right|Down|None",
}


def test_options_are_split_at_commas_or_periods_before_letters_in_order() -> None:
    for options, texts in SPLIT.items():
        text = f"What colour is it?  Options: {options}"
        question = question_from(text, "B")
        assert "|".join(question.options.values()) == texts
        assert "".join(question.options) == "ABCDE", options
        assert (question.refusal, question.choices) == ("E", tuple("ABCD")), options
        assert question.written() == text


def test_a_question_is_read_and_written_back() -> None:
    for text, letters, refusal, gap in (
        ("Where?  Options: A: up, B: down, C: left, D: right, E: None", "ABCDE", "E", "  "),
        ("Where?  Options: A: up, B: down, C: left, E: None", "ABCE", "E", "  "),
        ("Where? Options: A: up, B: down, C: left, D: right, E: None of the above", "ABCDE", "E", " "),
        ("Where?  Options: A: up, B: None, C: left, D: right, E: None", "ABCDE", "E", "  "),
        ("Where?  Options: A: up, B: down, C: left, D: Nonetheless right", "ABCD", None, "  "),
        ("Where?", "", None, ""),
    ):
        question = question_from(text, "A")
        assert ("".join(question.options), question.refusal, question.gap) == (letters, refusal, gap), text
        assert question.choices == tuple(letter for letter in letters if letter != refusal), text
        assert question.written() == text


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


def test_a_broken_row_is_named_by_line_and_field() -> None:
    for broken, message in {
        b"[1]": "line 2: not a row but a list of 1",
        b"{": "line 2: broken JSON, column 2",
        json.dumps(value(answers=[1])).encode(): r"line 2: field answers\.0: Input should be a valid string",
        json.dumps(value(scene=None, prompt=3)).encode(): r"line 2: field scene: .* \(and 1 more\)",
        b'{"id": "000001"}': "line 2: field scene: Field required",
        b'{"id": "\xff"}': "line 2: not UTF-8 text",
        json.dumps(value(prompt="\ud800")).encode(): "line 2: field prompt: .*half a character",
        json.dumps(value(note="\ud800")).encode(): "line 2: field of its own: .*half a character",
    }.items():
        lines = read_rows([json.dumps(value()).encode(), broken], "x.jsonl")
        next(lines)
        with pytest.raises(UsageError, match=f"^x.jsonl: {message}"):
            next(lines)
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


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PIECES = st.sampled_from(["Options: ", "  ", ", ", ". ", "A: ", "B: ", "C: ", "D: ", "E: ", "E: None", "cup", ",", ":"])
TEXTS = st.lists(PIECES | WORDS, max_size=14).map("".join)
COLUMN = st.lists(TEXTS, max_size=11)
FIVE = st.tuples(*[WORDS.filter(lambda text: ":" not in text)] * len(LETTERS))


@given(TEXTS, FIVE, st.tuples(*[st.sampled_from([", ", ". "])] * (len(LETTERS) - 1)))
@settings(max_examples=50)
def test_any_question_comes_back_to_the_byte(text: str, texts: tuple[str, ...], separators: tuple[str, ...]) -> None:
    question = question_from(text, "A")
    assert question.written() == text
    assert list(question.options) == sorted(question.options)
    options = dict(zip(LETTERS, texts, strict=True))
    parts = zip(("", *separators), options.items(), strict=True)
    joined = "".join(f"{before}{letter}: {text}" for before, (letter, text) in parts)
    assert question_from(f"Where?  Options: {joined}", "A").options == options


@given(WORDS, WORDS, TEXTS, COLUMN, COLUMN, COLUMN, st.dictionaries(WORDS, st.none() | WORDS, max_size=2))
@settings(max_examples=40)
def test_any_row_comes_back_to_the_byte(
    item: str, scene: str, prompt: str, types: list[str], texts: list[str], answers: list[str], more: dict[str, object]
) -> None:
    fields = {"id": item, "scene": scene, "prompt": prompt, "question_type": types}
    columns = {"questions": texts, "answers": answers}
    others = {name: part for name, part in more.items() if name not in {*fields, *columns}}
    line = json.dumps({**fields, **columns, **others}, ensure_ascii=False)
    (row,) = read_rows([line.encode()], "x")
    assert written(row) == line
    assert len(row.questions) == min(len(types), len(texts), len(answers))
