"""Tests of rows: parsing, writing, shuffled options, defects, and importing the published questions."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.library.cards import load_card
from tsgkit.library.catalogue import known
from tsgkit.library.datasets import dataset
from tsgkit.suites.importers import import_dataset
from tsgkit.suites.spatialgen import rows as row_files
from tsgkit.suites.spatialgen.defects import RULES, findings, inspect, question_findings, row_findings
from tsgkit.suites.spatialgen.judge_requests import permutation, recorded, unshuffled
from tsgkit.suites.spatialgen.questions import SpatialGenTask
from tsgkit.suites.spatialgen.terms import SUB_DOMAINS

FIVE = row_files.Question("Where?", {"A": "up", "B": "down", "C": "left", "D": "right", "E": "None"}, "B", "Position")
FOUR = row_files.Question("?", {"A": "up", "B": "down", "C": "left", "E": "None"}, "D")
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PIECES = st.sampled_from(["Options: ", "  ", ", ", ". ", "A: ", "B: ", "C: ", "D: ", "E: ", "E: None", "cup", ",", ":"])
TEXTS = st.lists(PIECES | WORDS, max_size=14).map("".join)
COLUMN = st.lists(TEXTS, max_size=11)
OPTIONS = {"A": "sun", "B": "fog", "C": "ice", "D": "mud", "E": "None"}
LISTED = "A: sun, B: fog, C: ice, D: mud, E: None"


def value(**fields: object) -> dict[str, object]:
    told = {"id": "000001", "scene": "Forest", "prompt": "Trees.", "question_type": ["Position"]}
    return {**told, "questions": [FIVE.written()], "answers": ["B"], **fields}


def test_questions_are_split_into_options_and_written_back() -> None:
    for options, texts in {
        "A: A cup, a jug, B: Ham, C: A: b, D: 3, 4, and 5, E: None": "A cup, a jug|Ham|A: b|3, 4, and 5|None",
        "A: Red. B: Tan. C: Pink. D: Blue., E: None": "Red|Tan|Pink|Blue.|None",
        "A: Red. B: Tan. C: Pink. D: Blue, E: None": "Red|Tan|Pink|Blue|None",
        "A: A cup, a jug. B: Two, or so. C: Tin. D: A pot, E: None": "A cup, a jug|Two, or so|Tin|A pot|None",
        "A: By J. B. Hill, B: By B. Cole, C: Fig. B, D: A. B, E: None": "By J. B. Hill|By B. Cole|Fig. B|A. B|None",
        "A: A sign: Go. C: now, B: Up, C: Left, D: Down, E: None": "A sign: Go. C: now|Up|Left|Down|None",
        "A: Go, B: now. B: Up. C: Left. D: Down, E: None": "Go, B: now|Up|Left|Down|None",
        "A: Up. E: None yet, B: Left, C: Right, D: Down, E: None": "Up. E: None yet|Left|Right|Down|None",
    }.items():
        text = f"What colour is it?  Options: {options}"
        question = row_files.question_from(text, "B")
        assert question.options == dict(zip("ABCDE", texts.split("|"), strict=True)), options
        assert (question.refusal, question.choices, question.written()) == ("E", tuple("ABCD"), text), options
    skipped = row_files.question_from("What?  Options: A: plan, B: as in, A: above, E: None", "A")
    assert skipped.options == {"A": "plan", "B": "as in, A: above", "E": "None"}
    assert (
        row_files.question_from("Which Options: is up?  Options: A: up, E: None", "A").stem == "Which Options: is up?"
    )
    for text, letters, refusal, gap in (
        ("Where?  Options: A: up, B: down, C: left, E: None", "ABCE", "E", "  "),
        ("Where? Options: A: up, B: down, C: left, D: right, E: None of the above", "ABCDE", "E", " "),
        ("Where?  Options: A: up, B: None, C: left, D: right, E: None", "ABCDE", "E", "  "),
        ("Where?  Options: A: up, B: down, C: left, D: Nonetheless right", "ABCD", None, "  "),
        ("Where?", "", None, ""),
    ):
        question = row_files.question_from(text, "A")
        assert ("".join(question.options), question.refusal, question.gap) == (letters, refusal, gap), text
        assert question.choices == tuple(letter for letter in letters if letter != refusal), text
        assert question.written() == text


def test_rows_are_read_lazily_and_a_broken_one_is_named_by_line_and_field(tmp_path: Path) -> None:
    for broken, message in {
        b"{": "line 2: broken JSON, column 2",
        json.dumps(value(answers=[1])).encode(): r"line 2: field answers\.0: Input should be a valid string",
        json.dumps(value(scene=None, prompt=3)).encode(): r"line 2: field scene: .* \(and 1 more\)",
        b'{"id": "000001"}': "line 2: field scene: Field required",
        b'{"id": "\xff"}': "line 2: not UTF-8 text",
        json.dumps(value(prompt="\ud800")).encode(): "line 2: field prompt: .*half a character",
        json.dumps(value(note="\ud800")).encode(): "line 2: field of its own: .*half a character",
    }.items():
        lines = row_files.read_rows([json.dumps(value()).encode(), broken], "x.jsonl")
        next(lines)
        with pytest.raises(UsageError, match=f"^x.jsonl: {message}"):
            next(lines)
    with pytest.raises(NotationError, match="not a row but null"):
        row_files.row_from(None)
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(value()).encode() + b"\n\nbroken\n")
    rows = row_files.rows_in(path)
    assert next(rows).id == "000001"
    with pytest.raises(UsageError, match="line 3"):
        next(rows)
    with pytest.raises(FileProblem, match="no such file") as missing:
        next(row_files.rows_in(tmp_path / "row.jsonl"))
    assert "rows.jsonl" in missing.value.hint
    with pytest.raises(FileProblem, match="a folder"):
        next(row_files.rows_in(tmp_path))


FIVE_TEXTS = st.tuples(*[WORDS.filter(lambda text: ":" not in text)] * len(row_files.LETTERS))


@given(TEXTS, FIVE_TEXTS, st.tuples(*[st.sampled_from([", ", ". "])] * (len(row_files.LETTERS) - 1)))
@settings(max_examples=50)
def test_any_question_comes_back_to_the_byte(text: str, texts: tuple[str, ...], separators: tuple[str, ...]) -> None:
    question = row_files.question_from(text, "A")
    assert question.written() == text
    assert list(question.options) == sorted(question.options)
    options = dict(zip(row_files.LETTERS, texts, strict=True))
    parts = zip(("", *separators), options.items(), strict=True)
    joined = "".join(f"{before}{letter}: {text}" for before, (letter, text) in parts)
    assert row_files.question_from(f"Where?  Options: {joined}", "A").options == options


@given(WORDS, TEXTS, COLUMN, COLUMN, COLUMN, st.dictionaries(WORDS, st.none() | WORDS, max_size=2))
@settings(max_examples=40)
def test_any_row_comes_back_to_the_byte(
    item: str, prompt: str, types: list[str], texts: list[str], answers: list[str], more: dict[str, object]
) -> None:
    fields = value(id=item, prompt=prompt, question_type=types, questions=texts, answers=answers)
    line = json.dumps({**fields, **{name: part for name, part in more.items() if name not in fields}})
    line = json.dumps(json.loads(line), ensure_ascii=False)
    (row,) = row_files.read_rows([line.encode()], "x")
    assert row_files.written(row) == line
    assert len(row.questions) == min(len(types), len(texts), len(answers))


def test_an_order_depends_on_its_place_and_undo_maps_shown_letters_to_data_letters() -> None:
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
    places = [(0, "1", 0, 0), (1, "1", 0, 0), (0, "2", 0, 0), (0, "1", 1, 0), (0, "1", 0, 1)]
    records = [permutation(FIVE, seed=s, item=i, number=n, round=r).record for s, i, n, r in places]
    assert records == [permutation(FIVE, seed=s, item=i, number=n, round=r).record for s, i, n, r in places]
    assert len(set(records)) > 1
    turns = product(range(400), range(5))
    said = [permutation(FIVE, seed=0, item=str(item), number=0, round=turn).undo("B") for item, turn in turns]
    assert 0.22 < said.count(FIVE.key) / len(said) < 0.28, "and 100 % without shuffling"


def test_options_separated_by_periods_are_shuffled_and_old_records_of_fewer_options_are_read() -> None:
    """Old runs recorded one option where periods separate four; those were shown in the order of the data."""
    question = row_files.question_from("Hair?  Options: A: Red. B: Tan. C: Pink. D: Blue, E: None", "B")
    order = permutation(question, seed=1, item="000001", number=2, round=0)
    shown = order.shown(question)
    assert (order.record, order.undo(shown.key)) == ("CDBA", "B")
    assert shown.written() == "Hair?  Options: A: Pink. B: Blue. C: Tan. D: Red, E: None"
    for record, letters in (("A", "ABCDE"), ("CA", "CBADE")):
        assert "".join(recorded(question, record).undo(letter) for letter in "ABCDE") == letters, record
    for record in ("ABCE", "AA"):
        with pytest.raises(UsageError, match=f"{record} is none of the options ABCD"):
            recorded(question, record)


def clean(item: str = "000001", keys: str = "ABCDABCDAB") -> row_files.Row:
    rows = zip("abcdefghij", keys, SUB_DOMAINS, strict=True)
    questions = [row_files.Question(f"What {stem}{item}?", OPTIONS, key, name) for stem, key, name in rows]
    return row_files.row_of(item, "Forest", f"Trees {item}.", questions)


def of(text: str, key: str = "A", *others: str) -> list[str]:
    """Return the codes of one question, given the stems of others."""
    beside = [row_files.Question(stem, OPTIONS, "A") for stem in others]
    row = row_files.row_of("000001", "Forest", "", [row_files.question_from(text, key), *beside])
    return [finding.code for finding in question_findings(row, 0)]


def test_wrong_options_and_keys_and_stems_that_speak_of_a_text_are_found() -> None:
    for options, key, found in (
        ("A: sun, B: fog, C: ice, E: None", "A", ["missing-option"]),
        ("A: sun, B: fog, C: ice, E: None", "D", ["missing-option", "key-without-option"]),
        ("A: sun. B: fog. C: ice. D: mud, E: None", "D", []),
        ("A: sun. B: fog. C: ice, E: None", "D", ["missing-option", "key-without-option"]),
        (LISTED, "E", ["key-is-refusal"]),
        ("A: sun, B: fog, C: ice, D: None, E: None", "A", ["second-none"]),
        ("A: sun, B: fog, C: ice, D: Sun., E: None", "A", ["repeated-option"]),
        ("A: sun, B: fog, C: ice, D: mud", "A", ["no-refusal"]),
        ("A: sun, B: , C: ice, D: mud, E: None", "A", ["empty-option"]),
    ):
        assert of(f"Where?  Options: {options}", key) == found, (options, key)
    assert of("Where?") == ["no-options"]
    for stem, speaks in (
        ("What is mentioned?", True),
        ("Which option can better describe it?", True),
        ("According to the scene, what is up?", True),
        ("What colour is the cup in the scene?", False),
        ("Which state is it in?", False),
    ):
        assert of(f"{stem}  Options: {LISTED}") == ["text-reference"] * speaks, stem
    for text, told in (
        (f"Where?  Options: {LISTED} of them", "is 'None of them', expected 'None'"),
        (f"Where? Options: {LISTED}", "' ' between the stem and its options, expected '  '"),
    ):
        [one] = question_findings(
            row_files.row_of("000001", "Park", "", [row_files.question_from(text, "A", "Object")]), 0
        )
        assert one.code == "refusal-form" and told in one.message, text


def test_stems_that_reveal_only_the_key_and_skewed_keys_are_found() -> None:
    options = "Options: A: in a circle, B: in a row, C: in a heap, D: apart, E: None"
    assert of(f"How are the cups of the circle arranged?  {options}") == ["own-stem"]
    assert of(f"Is the circle or the row complete?  {options}") == []
    assert of(f"How are the cups of the circle arranged?  {options}", "B") == []
    text = "What is there?  Options: A: a cup and a cart, B: a dog and a cart, C: a hat, D: a bed, E: None"
    assert of(text, "A", "Where is the cup?", "Who pushes the carts?") == ["other-stems"]
    assert of(text, "A", "Where is the cup?") == []
    assert of(text, "A", "Where is the cup?", "Who pushes the dog in the cart?") == []
    rows = [clean(f"{number:06d}", "C" * 10) for number in range(1, 13)]
    found = [finding for finding in findings(rows) if finding.code == "skewed-keys"]
    assert (len(found), {finding.item for finding in found}) == (11, {None})
    assert found[0].message == "all questions: C is the key too often (C 120)"
    long = {**OPTIONS, "A": "a long answer"}
    rows = [
        replace(row, texts=tuple(row_files.Question(f"What {row.id}{n}?", long, "A").written() for n in range(10)))
        for row in (clean(f"{number:06d}", "AAAABAAAAC") for number in range(1, 13))
    ]
    messages = [finding.message for finding in findings(rows) if finding.code == "longest-is-key"]
    assert messages[0] == "all questions: the key is the longest option in 96 of 120"


def test_rows_of_another_shape_and_repeats_are_found() -> None:
    row = clean()
    for changed, found in (
        (replace(row, answers=row.answers[:9]), ["row-shape"]),
        (replace(row, types=(row.types[1], row.types[0], *row.types[2:])), ["row-shape"]),
        (replace(row, scene="forest"), ["unknown-scene"]),
        (replace(row, id="1"), ["id-form"]),
        (replace(row, prompt="red " * 77), []),
        (replace(row, prompt="red " * 77 + "."), ["long-prompt"]),
    ):
        assert [one.code for one in row_findings(changed)] == found, changed
    (finding,) = row_findings(replace(row, scene="Moon"))
    assert finding.severity == "error" == RULES[finding.code].severity
    assert list(findings([clean("000001"), clean("000002", "BCDABCDABC")])) == []
    repeated = list(findings([replace(clean(), line=2), replace(clean(), line=7)]))
    assert [finding.code for finding in repeated] == ["repeated-id", "repeated-prompt", *["repeated-question"] * 10]
    assert repeated[0].message == "as in 000001 (line 2)"
    assert (repeated[-1].question, repeated[-1].line) == (9, 7)


def test_a_published_file_is_imported_unless_its_rows_cannot_be_evaluated_and_its_defects_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    name, place = "spatialgeneval", "eval/SpatialGenEval_T2I_Prompts.jsonl"
    rows = (TASKS / "spatialgen" / "data" / "questions.jsonl").read_bytes()
    [file] = known(name).files
    assert (file.rows, known(name).repository) == (1230, "AMAP-ML/SpatialGenEval")
    assert known(name).url(file).endswith(f"8b294b5fd0bca204fcfbf2cd74b75d9c359e40f6/{place}")
    nine = json.loads(rows.splitlines()[0])
    nine["answers"].pop()
    Path("broken.jsonl").write_text(json.dumps(nine))
    with pytest.raises(FileProblem, match="line 1: item 000001: 9 questions, not one of each"):
        import_dataset(name, "broken.jsonl")
    assert not dataset(name).files
    Path("checkout/eval").mkdir(parents=True)
    Path("checkout", place).write_bytes(rows)
    [arrival] = import_dataset(name, "checkout").arrivals
    assert (arrival.stored.rows, arrival.stored.official, arrival.stored.findings) == (25, False, {})
    assert len(SpatialGenTask(load_card("spatialgen/questions")).dataset(name)) == 25
    skewed = rows.replace(b"Which way is the ranger turned?", b"Which way is the ranger mentioned turned?")
    [finding] = inspect(skewed, "rows.jsonl").findings
    assert (finding.code, finding.place.line) == ("text-reference", 1)
    Path("mine.jsonl").write_bytes(skewed)
    assert main(["audit", "mine.jsonl", "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["audits"]
    told = {check["code"]: [one["item_id"] for one in check["found"]] for check in found["checks"] if check["found"]}
    assert told == {"text-reference": ["000001/3"]}
