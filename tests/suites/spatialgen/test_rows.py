"""Tests of rows: parsing, writing, and shuffled options."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.suites.spatialgen.judge_requests import permutation, recorded, unshuffled
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

FIVE = Question("Where?", {"A": "up", "B": "down", "C": "left", "D": "right", "E": "None"}, "B", "Position")
FOUR = Question("?", {"A": "up", "B": "down", "C": "left", "E": "None"}, "D")


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


def test_options_are_split_at_commas_or_periods_before_letters_in_order() -> None:
    for options, texts in {
        "A: A cup, a jug, B: Ham, C: A: b, D: 3, 4, and 5, E: None": "A cup, a jug|Ham|A: b|3, 4, and 5|None",
        "A: Red. B: Tan. C: Pink. D: Blue. E: None": "Red|Tan|Pink|Blue|None",
        "A: Red. B: Tan. C: Pink. D: Blue., E: None": "Red|Tan|Pink|Blue.|None",
        "A: Red. B: Tan. C: Pink. D: Blue, E: None": "Red|Tan|Pink|Blue|None",
        "A: A cup, a jug. B: Two, or so. C: Tin. D: A pot, E: None": "A cup, a jug|Two, or so|Tin|A pot|None",
        "A: By J. B. Hill, B: By B. Cole, C: Fig. B, D: A. B, E: None": "By J. B. Hill|By B. Cole|Fig. B|A. B|None",
        "A: A sign: Go. C: now, B: Up, C: Left, D: Down, E: None": "A sign: Go. C: now|Up|Left|Down|None",
        "A: Go. B: now, B: Up, C: Left, D: Down, E: None": "Go. B: now|Up|Left|Down|None",
        "A: Go, B: now. B: Up. C: Left. D: Down, E: None": "Go, B: now|Up|Left|Down|None",
        "A: Up. E: None yet, B: Left, C: Right, D: Down, E: None": "Up. E: None yet|Left|Right|Down|None",
    }.items():
        text = f"What colour is it?  Options: {options}"
        question = question_from(text, "B")
        assert question.options == dict(zip("ABCDE", texts.split("|"), strict=True)), options
        assert (question.refusal, question.choices, question.written()) == ("E", tuple("ABCD"), text), options
    skipped = question_from("What?  Options: A: plan, B: as in, A: above, E: None", "A")
    assert skipped.options == {"A": "plan", "B": "as in, A: above", "E": "None"}
    assert question_from("Which Options: is up?  Options: A: up, E: None", "A").stem == "Which Options: is up?"


def test_a_question_is_read_and_written_back() -> None:
    for text, letters, refusal, gap in (
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


def test_a_row_keeps_extra_fields_and_is_read_up_to_its_shortest_column() -> None:
    line = json.dumps(value(prompt="A café — “quiet”", note={"by": ["hand"]}), ensure_ascii=False)
    (row,) = read_rows([line.encode()], "x.jsonl")
    assert (row.line, row.questions, written(row)) == (1, (FIVE,), line)
    row = row_from(value(answers=["B", "C"], question_type=["Position", "Layout", "Motion"]))
    assert len(row.questions) == 1
    assert json.loads(written(row))["answers"] == ["B", "C"]
    made = row_of("000007", "Zoo", "Bears.", [FIVE, FIVE])
    assert (made.types, made.answers, made.questions) == (("Position",) * 2, ("B", "B"), (FIVE, FIVE))


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


def test_rows_are_read_lazily_and_a_missing_file_or_a_folder_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(value()).encode() + b"\n\nbroken\n")
    rows = rows_in(path)
    assert next(rows).id == "000001"
    with pytest.raises(UsageError, match="line 3"):
        next(rows)
    with pytest.raises(FileProblem, match="no such file") as missing:
        next(rows_in(tmp_path / "row.jsonl"))
    assert "rows.jsonl" in missing.value.hint
    with pytest.raises(FileProblem, match="a folder"):
        next(rows_in(tmp_path))


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PIECES = st.sampled_from(["Options: ", "  ", ", ", ". ", "A: ", "B: ", "C: ", "D: ", "E: ", "E: None", "cup", ",", ":"])
TEXTS = st.lists(PIECES | WORDS, max_size=14).map("".join)
COLUMN = st.lists(TEXTS, max_size=11)
OPTIONS = st.tuples(*[WORDS.filter(lambda text: ":" not in text)] * len(LETTERS))


@given(TEXTS, OPTIONS, st.tuples(*[st.sampled_from([", ", ". "])] * (len(LETTERS) - 1)))
@settings(max_examples=50)
def test_any_question_comes_back_to_the_byte(text: str, texts: tuple[str, ...], separators: tuple[str, ...]) -> None:
    question = question_from(text, "A")
    assert question.written() == text
    assert list(question.options) == sorted(question.options)
    options = dict(zip(LETTERS, texts, strict=True))
    parts = zip(("", *separators), options.items(), strict=True)
    joined = "".join(f"{before}{letter}: {text}" for before, (letter, text) in parts)
    assert question_from(f"Where?  Options: {joined}", "A").options == options


@given(WORDS, TEXTS, COLUMN, COLUMN, COLUMN, st.dictionaries(WORDS, st.none() | WORDS, max_size=2))
@settings(max_examples=40)
def test_any_row_comes_back_to_the_byte(
    item: str, prompt: str, types: list[str], texts: list[str], answers: list[str], more: dict[str, object]
) -> None:
    fields = value(id=item, prompt=prompt, question_type=types, questions=texts, answers=answers)
    line = json.dumps({**fields, **{name: part for name, part in more.items() if name not in fields}})
    line = json.dumps(json.loads(line), ensure_ascii=False)
    (row,) = read_rows([line.encode()], "x")
    assert written(row) == line
    assert len(row.questions) == min(len(types), len(texts), len(answers))


def test_undo_maps_shown_letters_to_data_letters() -> None:
    for question, turn in product((FIVE, FOUR), range(8)):
        order = permutation(question, seed=3, item="000001", number=0, round=turn)
        shown = order.shown(question)
        assert (shown.options["E"], list(shown.options)) == ("None", list(question.options)), (question, turn)
        for letter, text in shown.options.items():
            assert question.options[order.undo(letter)] == text, (question, turn)
        assert order.undo(shown.key) == question.key
        assert (order.undo("E"), order.undo("F")) == ("E", "F")
        assert recorded(question, order.record) == order
    (order,) = unshuffled([FIVE])
    assert (order.shown(FIVE), order.record) == (FIVE, "ABCD")


def test_the_order_depends_on_seed_item_question_and_round_and_hides_a_constant_letter() -> None:
    places = [(0, "1", 0, 0), (1, "1", 0, 0), (0, "2", 0, 0), (0, "1", 1, 0), (0, "1", 0, 1)]
    records = [permutation(FIVE, seed=s, item=i, number=n, round=r).record for s, i, n, r in places]
    assert records == [permutation(FIVE, seed=s, item=i, number=n, round=r).record for s, i, n, r in places]
    assert len(set(records)) > 1
    turns = product(range(400), range(5))
    said = [permutation(FIVE, seed=0, item=str(item), number=0, round=turn).undo("B") for item, turn in turns]
    assert 0.22 < said.count(FIVE.key) / len(said) < 0.28, "and 100 % without shuffling"


def test_options_separated_by_periods_are_shuffled_and_old_records_of_fewer_options_are_read() -> None:
    """Old runs recorded one option where periods separate four; those were shown in the order of the data."""
    question = question_from("Hair?  Options: A: Red. B: Tan. C: Pink. D: Blue, E: None", "B")
    order = permutation(question, seed=1, item="000001", number=2, round=0)
    shown = order.shown(question)
    assert (order.record, order.undo(shown.key)) == ("CDBA", "B")
    assert shown.written() == "Hair?  Options: A: Pink. B: Blue. C: Tan. D: Red, E: None"
    for record, letters in (("A", "ABCDE"), ("CA", "CBADE")):
        assert "".join(recorded(question, record).undo(letter) for letter in "ABCDE") == letters, record
    for record in ("ABCE", "AA"):
        with pytest.raises(UsageError, match=f"{record} is none of the options ABCD"):
            recorded(question, record)
