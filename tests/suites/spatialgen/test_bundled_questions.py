"""The bundled questions have no known defect, and cannot be answered without an image."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from statistics import fmean

from shipped import TASKS

from tsgkit.suites.spatialgen.baselines import NAMES, accuracies, baseline
from tsgkit.suites.spatialgen.defects import findings
from tsgkit.suites.spatialgen.rows import Row, rows_in, written
from tsgkit.suites.spatialgen.terms import SCENES, SUB_DOMAINS, content_words, tokens

FILE = TASKS / "spatialgen" / "data" / "questions.jsonl"
ROWS = list(rows_in(FILE))
CHANCE = 0.25
QUESTIONS = [question for row in ROWS for question in row.questions]


def test_bundled_rows_pass_all_checks_in_the_published_form() -> None:
    assert tuple(row.scene for row in ROWS) == SCENES
    assert [row.id for row in ROWS] == [f"{number:06d}" for number in range(1, 26)]
    assert {row.types for row in ROWS} == {SUB_DOMAINS}
    assert list(findings(ROWS)) == []
    assert FILE.read_text(encoding="utf-8") == "".join(f"{written(row)}\n" for row in ROWS)
    for row in ROWS:
        assert 50 <= len(row.prompt.split()) <= 70, row.id
        assert tokens(row.prompt) <= 75, "and two marks around it make 77"


def test_keys_are_balanced_in_the_file_and_in_every_sub_domain() -> None:
    assert sorted(Counter(question.key for question in QUESTIONS).values()) == [62, 62, 63, 63]
    for name in SUB_DOMAINS:
        keys = Counter(question.key for question in QUESTIONS if question.sub_domain == name)
        assert sorted(keys.values()) == [6, 6, 6, 7], name


def test_every_question_offers_four_different_answers_of_like_length_and_none() -> None:
    for question in QUESTIONS:
        assert ("".join(question.options), question.refusal) == ("ABCDE", "E"), question
        assert len({question.options[letter].lower() for letter in question.choices}) == 4, question
        assert "," not in question.stem, question
        lengths = [len(question.options[letter].split()) for letter in question.choices]
        assert max(lengths) - min(lengths) <= 4, question


def test_no_baseline_is_much_better_than_chance() -> None:
    for name in NAMES:
        found = [accuracies(ROWS, baseline(name, ROWS, seed)) for seed in range(10)]
        by_type = {sub_domain: fmean(one[sub_domain] for one in found) for sub_domain in SUB_DOMAINS}
        assert max(by_type.values()) <= CHANCE + 0.10, (name, by_type)
        assert fmean(by_type.values()) <= CHANCE + 0.02, name


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


def test_other_questions_do_not_reveal_answers() -> None:
    """An answer that other questions mention more often than the wrong ones would be a hint."""
    right: list[float] = []
    for row in ROWS:
        for number, question in enumerate(row.questions):
            said = {letter: spoken_of(row, number, question.options[letter]) for letter in question.choices}
            best = [letter for letter, times in said.items() if times == max(said.values())]
            right.append((question.key in best) / len(best))
    assert fmean(right) <= CHANCE + 0.02


def spoken_of(row: Row, number: int, option: str) -> int:
    others = [other for place, other in enumerate(row.questions) if place != number]
    texts = [text for other in others for text in (other.stem, *other.options.values())]
    return sum(word in content_words(text) for word in content_words(option) for text in texts)


def test_prompts_contain_nearly_all_answers() -> None:
    """Otherwise a question would ask for something that an image of the prompt need not show."""
    right = 0
    for row in ROWS:
        told = content_words(row.prompt)
        for question in row.questions:
            fits = {letter: len(words & told) - 2 * len(words - told) for letter, words in options_of(question.options)}
            right += fits[question.key] == max(fits.values())
    assert right / len(QUESTIONS) > 0.95


def options_of(options: object) -> list[tuple[str, frozenset[str]]]:
    assert isinstance(options, dict)
    return [(letter, content_words(text)) for letter, text in options.items() if letter != "E"]
