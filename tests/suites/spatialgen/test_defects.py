"""Tests of the defects of rows, and of importing the published questions from a copy."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.errors import FileProblem
from tsgkit.library.cards import load_card
from tsgkit.library.catalogue import known
from tsgkit.library.datasets import dataset
from tsgkit.suites.importers import import_dataset
from tsgkit.suites.spatialgen.defects import RULES, findings, inspect, question_findings, row_findings
from tsgkit.suites.spatialgen.questions import SpatialGenTask
from tsgkit.suites.spatialgen.rows import Question, Row, question_from, row_of
from tsgkit.suites.spatialgen.terms import SUB_DOMAINS

OPTIONS = {"A": "sun", "B": "fog", "C": "ice", "D": "mud", "E": "None"}
LISTED = "A: sun, B: fog, C: ice, D: mud, E: None"


def clean(item: str = "000001", keys: str = "ABCDABCDAB") -> Row:
    rows = zip("abcdefghij", keys, SUB_DOMAINS, strict=True)
    questions = [Question(f"What {stem}{item}?", OPTIONS, key, name) for stem, key, name in rows]
    return row_of(item, "Forest", f"Trees {item}.", questions)


def of(text: str, key: str = "A", *others: str) -> list[str]:
    """Return the codes of one question, given the stems of others."""
    beside = [Question(stem, OPTIONS, "A") for stem in others]
    row = row_of("000001", "Forest", "", [question_from(text, key), *beside])
    return [finding.code for finding in question_findings(row, 0)]


def test_wrong_options_and_keys_are_found() -> None:
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
    for text, told in (
        (f"Where?  Options: {LISTED} of them", "is 'None of them', expected 'None'"),
        (f"Where? Options: {LISTED}", "' ' between the stem and its options, expected '  '"),
    ):
        [one] = question_findings(row_of("000001", "Park", "", [question_from(text, "A", "Object")]), 0)
        assert one.code == "refusal-form" and told in one.message, text


def test_stems_that_speak_of_a_text_are_found() -> None:
    for stem, found in {
        "What is mentioned?": ["text-reference"],
        "What is the described colour?": ["text-reference"],
        "Which option can better describe it?": ["text-reference"],
        "According to the scene, what is up?": ["text-reference"],
        "What is the specified size?": ["text-reference"],
        "What colour is the cup in the scene?": [],
        "What is prompting her?": [],
        "Which state is it in?": [],
    }.items():
        assert of(f"{stem}  Options: {LISTED}") == found, stem


def test_a_stem_or_other_stems_that_reveal_only_the_key_are_found() -> None:
    options = "Options: A: in a circle, B: in a row, C: in a heap, D: apart, E: None"
    assert of(f"How are the cups of the circle arranged?  {options}") == ["own-stem"]
    assert of(f"Is the circle or the row complete?  {options}") == []
    assert of(f"How are the cups of the circle arranged?  {options}", "B") == []
    text = "What is there?  Options: A: a cup and a cart, B: a dog and a cart, C: a hat, D: a bed, E: None"
    assert of(text, "A", "Where is the cup?", "Who pushes the carts?") == ["other-stems"]
    assert of(text, "A", "Where is the cup?") == []
    assert of(text, "A", "Where is the cup?", "Who pushes the dog in the cart?") == []


def test_rows_of_another_shape_are_found() -> None:
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


def test_repeats_are_found_with_the_first_place() -> None:
    assert list(findings([clean("000001"), clean("000002", "BCDABCDABC")])) == []
    found = list(findings([replace(clean(), line=2), replace(clean(), line=7)]))
    assert [finding.code for finding in found] == ["repeated-id", "repeated-prompt", *["repeated-question"] * 10]
    assert found[0].message == "as in 000001 (line 2)"
    assert (found[-1].question, found[-1].line) == (9, 7)


def test_skewed_keys_and_a_longest_option_that_is_mostly_the_key_are_found() -> None:
    rows = [clean(f"{number:06d}", "C" * 10) for number in range(1, 13)]
    found = [finding for finding in findings(rows) if finding.code == "skewed-keys"]
    assert (len(found), {finding.item for finding in found}) == (11, {None})
    assert found[0].message == "all questions: C is the key too often (C 120)"
    long = {**OPTIONS, "A": "a long answer"}
    rows = [
        replace(row, texts=tuple(Question(f"What {row.id}{n}?", long, "A").written() for n in range(10)))
        for row in (clean(f"{number:06d}", "AAAABAAAAC") for number in range(1, 13))
    ]
    messages = [finding.message for finding in findings(rows) if finding.code == "longest-is-key"]
    assert messages[0] == "all questions: the key is the longest option in 96 of 120"


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
    for data, message in (
        (json.dumps(nine).encode(), "line 1: item 000001: 9 questions, not one of each"),
        (rows[:300], "line 1"),
    ):
        Path("broken.jsonl").write_bytes(data)
        with pytest.raises(FileProblem, match=message):
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
