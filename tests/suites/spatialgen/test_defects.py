"""Tests of the defects of rows."""

from __future__ import annotations

from dataclasses import replace

from tsgkit.suites.spatialgen.defects import RULES, findings, question_findings, row_findings
from tsgkit.suites.spatialgen.rows import Question, Row, question_from, row_of
from tsgkit.suites.spatialgen.terms import SUB_DOMAINS

OPTIONS = {"A": "sun", "B": "fog", "C": "ice", "D": "mud", "E": "None"}
STEMS = "abcdefghij"


def clean(item: str = "000001", keys: str = "ABCDABCDAB") -> Row:
    questions = [
        Question(f"What {stem}{item}?", OPTIONS, key, name)
        for stem, key, name in zip(STEMS, keys, SUB_DOMAINS, strict=True)
    ]
    return row_of(item, "Forest", f"Trees {item}.", questions)


def codes(row: Row) -> list[str]:
    return [finding.code for finding in row_findings(row)]


def of(text: str, key: str = "A", *others: str) -> list[str]:
    """Return the codes of one question, given the stems of others."""
    beside = [Question(stem, OPTIONS, "A") for stem in others]
    row = row_of("000001", "Forest", "", [question_from(text, key), *beside])
    return [finding.code for finding in question_findings(row, 0)]


def test_clean_rows_have_no_findings() -> None:
    assert list(findings([clean("000001"), clean("000002", "BCDABCDABC")])) == []


def test_wrong_options_and_keys_are_found() -> None:
    for options, key, found in (
        ("A: sun, B: fog, C: ice, E: None", "A", ["missing-option"]),
        ("A: sun, B: fog, C: ice, E: None", "D", ["missing-option", "key-without-option"]),
        ("A: sun. B: fog. C: ice. D: mud, E: None", "D", []),
        ("A: sun. B: fog. C: ice, E: None", "D", ["missing-option", "key-without-option"]),
        ("A: sun, B: fog, C: ice, D: mud, E: None", "E", ["key-is-refusal"]),
        ("A: sun, B: fog, C: ice, D: None, E: None", "A", ["second-none"]),
        ("A: sun, B: fog, C: ice, D: Sun., E: None", "A", ["repeated-option"]),
        ("A: sun, B: fog, C: ice, D: mud", "A", ["no-refusal"]),
        ("A: sun, B: , C: ice, D: mud, E: None", "A", ["empty-option"]),
        ("A: sun, B: fog, C: ice, D: mud, E: None of the above", "A", ["refusal-form"]),
    ):
        assert of(f"Where?  Options: {options}", key) == found, (options, key)
    assert of("Where?") == ["no-options"]
    assert of("Where? Options: A: sun, B: fog, C: ice, D: mud, E: None") == ["refusal-form"]


def test_refusal_form_message_has_found_and_expected_text() -> None:
    for options, told in (
        ("Where?  Options: A: sun, B: fog, C: ice, D: mud, E: None of them", "is 'None of them', expected 'None'"),
        (
            "Where? Options: A: sun, B: fog, C: ice, D: mud, E: None",
            "' ' between the stem and its options, expected '  '",
        ),
    ):
        row = row_of("000001", "Park", "", [question_from(options, "A", "Object")])
        assert [told in one.message for one in question_findings(row, 0) if one.code == "refusal-form"] == [True]


def test_stems_that_speak_of_a_text_are_found() -> None:
    for stem, found in {
        "What is mentioned?": True,
        "What is the described colour?": True,
        "Which option can better describe it?": True,
        "According to the scene, what is up?": True,
        "What is the specified size?": True,
        "What colour is the cup in the scene?": False,
        "What is prompting her?": False,
        "Which state is it in?": False,
    }.items():
        text = f"{stem}  Options: A: sun, B: fog, C: ice, D: mud, E: None"
        assert of(text) == (["text-reference"] if found else []), stem


def test_stem_revealing_only_its_key_is_found() -> None:
    options = "Options: A: in a circle, B: in a row, C: in a heap, D: apart, E: None"
    assert of(f"How are the cups of the circle arranged?  {options}") == ["own-stem"]
    assert of(f"Is the circle or the row complete?  {options}") == []
    assert of(f"How are the cups of the circle arranged?  {options}", "B") == []


def test_answer_revealed_by_other_stems_is_found() -> None:
    text = "What is there?  Options: A: a cup and a cart, B: a dog and a cart, C: a hat, D: a bed, E: None"
    assert of(text, "A", "Where is the cup?", "Who pushes the carts?") == ["other-stems"]
    assert of(text, "A", "Where is the cup?") == []
    assert of(text, "A", "Where is the cup?", "Who pushes the dog in the cart?") == []


def test_rows_of_another_shape_are_found() -> None:
    row = clean()
    assert codes(replace(row, answers=row.answers[:9])) == ["row-shape"]
    assert codes(replace(row, types=(row.types[1], row.types[0], *row.types[2:]))) == ["row-shape"]
    assert codes(replace(row, scene="forest")) == ["unknown-scene"]
    assert codes(replace(row, id="1")) == ["id-form"]
    assert codes(replace(row, prompt="red " * 77)) == []
    assert codes(replace(row, prompt="red " * 77 + ".")) == ["long-prompt"]


def test_repeats_are_found_with_the_first_place() -> None:
    again = replace(clean(), line=7)
    found = list(findings([replace(clean(), line=2), again]))
    assert [finding.code for finding in found] == ["repeated-id", "repeated-prompt", *["repeated-question"] * 10]
    assert found[0].message == "as in 000001 (line 2)"
    assert (found[-1].question, found[-1].line) == (9, 7)


def test_skewed_keys_are_found_per_file_and_sub_domain() -> None:
    rows = [clean(f"{number:06d}", "C" * 10) for number in range(1, 13)]
    found = [finding for finding in findings(rows) if finding.code == "skewed-keys"]
    assert len(found) == 11
    assert found[0].message == "all questions: C is the key too often (C 120)"
    assert {finding.item for finding in found} == {None}


def test_a_longest_option_that_is_mostly_the_key_is_found() -> None:
    long = {**OPTIONS, "A": "a long answer"}
    rows = [
        replace(row, texts=tuple(Question(f"What {row.id}{n}?", long, "A").written() for n in range(10)))
        for row in (clean(f"{number:06d}", "AAAABAAAAC") for number in range(1, 13))
    ]
    messages = [finding.message for finding in findings(rows) if finding.code == "longest-is-key"]
    assert messages[0] == "all questions: the key is the longest option in 96 of 120"


def test_every_finding_has_a_rule_and_a_severity() -> None:
    (finding,) = row_findings(replace(clean(), scene="Moon"))
    assert finding.severity == "error" == RULES[finding.code].severity
