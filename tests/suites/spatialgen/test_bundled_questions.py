"""Baselines answer without images; the bundled questions have no known defect and cannot be answered that way."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from hashlib import sha256
from statistics import fmean

import pytest
from shipped import TASKS

from tsgkit.errors import UsageError
from tsgkit.suites.spatialgen.baselines import NAMES, accuracies, baseline
from tsgkit.suites.spatialgen.defects import findings
from tsgkit.suites.spatialgen.rows import Question, Row, row_of, rows_in, written
from tsgkit.suites.spatialgen.terms import SCENES, SUB_DOMAINS, tokens

FILE = TASKS / "spatialgen" / "data" / "questions.jsonl"
ROWS = list(rows_in(FILE))


def question(stem: str, *options: str, key: str = "A", sub_domain: str = "Object") -> Question:
    return Question(stem, {**dict(zip("ABCD", options, strict=False)), "E": "None"}, key, sub_domain)


LAMP = question("Which things are there?", "A red lamp", "A cart and bottles", "A dog", "Two red lamps here")
CART = question("Where does the cart stand?", "up", "down", "left", "right", key="D", sub_domain="Position")
BOTTLE = question("How many bottles are on it?", "one", "two", "three", "thirteen", key="B", sub_domain="Comparison")
ROW = row_of("000001", "Forest", "", [LAMP, CART, BOTTLE])


def rows_with(keys: str) -> list[Row]:
    return [row_of(f"{number:06d}", "Zoo", "", [replace(LAMP, key=key)]) for number, key in enumerate(keys, 1)]


def test_each_rule_picks_the_option_that_it_is_named_after() -> None:
    assert baseline("overlap")(ROW)[0] == "B", "mentioned in other stems"
    assert baseline("overlap")(row_of("000001", "Forest", "", [LAMP]))[0] in "ABCD", "no stem, so by lot"
    assert baseline("longest")(ROW) == ("B", "D", "D"), "characters are counted"
    assert baseline("most-like-others")(ROW)[0] in "AD", "words are counted"
    assert baseline("constant:E")(ROW) == ("E", "E", "E")


def test_majority_uses_keys_of_other_folds() -> None:
    rows = rows_with("CCCCCCCCCA")
    assert accuracies(rows, baseline("majority-per-type", rows)) == {"Object": 0.9}
    lonely = rows_with("B")
    assert baseline("majority-per-type", lonely)(lonely[0]) == ("A",), "its own key is not known"
    assert baseline("majority-per-type", lonely)(row_of("000002", "Zoo", "", [LAMP])) == ("B",)


def test_random_picks_every_option_including_refusal() -> None:
    said = Counter(letter for row in rows_with("A" * 500) for letter in baseline("random", seed=2)(row))
    assert set(said) == set("ABCDE")
    assert all(70 < times < 130 for times in said.values())


def test_baselines_guess_without_options_and_an_unknown_one_is_refused() -> None:
    bare = row_of("000001", "Zoo", "", [Question("Where?", {}, "A", "Position", "")])
    for name in NAMES:
        assert len(baseline(name, [bare])(bare)) == 1, name
    for name in ("constant", "constant:", "constant:F", "longer", ""):
        with pytest.raises(UsageError, match="there is no baseline") as found:
            baseline(name)
        assert "majority-per-type" in found.value.hint
    odd = row_of("000002", "Zoo", "", [replace(LAMP, sub_domain="Mood"), BOTTLE, CART])
    assert list(accuracies([odd], baseline("constant:A")).items()) == [("Position", 0), ("Comparison", 0), ("Mood", 1)]


def test_baselines_give_the_same_letters_in_every_version() -> None:
    """Digests of the letters for all bundled questions, seed 3, and the letters of the first row."""
    for name, letters, digest in (
        ("random", "DBBBCCADCE", "0d56477b7ba5"),
        ("majority-per-type", "DBDCACADAC", "f1b39943e6ff"),
        ("overlap", "DBBBCCADCC", "7da8f7bcffa6"),
        ("longest", "CABDBDBBDD", "2a5623d324e4"),
        ("most-like-others", "DBBCCDADCC", "52b4a6e5a711"),
    ):
        answers = ["".join(baseline(name, ROWS, 3)(row)) for row in ROWS]
        assert (answers[0], sha256("".join(answers).encode()).hexdigest()[:12]) == (letters, digest), name


def test_no_baseline_is_much_better_than_chance_on_bundled_questions() -> None:
    for name in NAMES:
        found = [accuracies(ROWS, baseline(name, ROWS, seed)) for seed in range(10)]
        by_type = {sub_domain: fmean(one[sub_domain] for one in found) for sub_domain in SUB_DOMAINS}
        assert max(by_type.values()) <= 0.35 and fmean(by_type.values()) <= 0.27, (name, by_type)


def test_bundled_rows_pass_all_checks_in_the_published_form() -> None:
    assert tuple(row.scene for row in ROWS) == SCENES
    assert [row.id for row in ROWS] == [f"{number:06d}" for number in range(1, 26)]
    assert list(findings(ROWS)) == []
    assert FILE.read_text(encoding="utf-8") == "".join(f"{written(row)}\n" for row in ROWS)
    assert all(50 <= len(row.prompt.split()) <= 70 and tokens(row.prompt) <= 75 for row in ROWS)
    questions = [question for row in ROWS for question in row.questions]
    for name in SUB_DOMAINS:
        keys = Counter(question.key for question in questions if question.sub_domain == name)
        assert sorted(keys.values()) == [6, 6, 6, 7], name
    for question in questions:
        lengths = [len(question.options[letter].split()) for letter in question.choices]
        assert (question.refusal, len(lengths), max(lengths) - min(lengths) <= 4) == ("E", 4, True), question
