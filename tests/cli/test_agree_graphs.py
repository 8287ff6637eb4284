"""``tsgkit agree A B``: the agreement of two annotators in the terminal, and wrong ways to ask for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from two_annotators import ANN, BOB, FILL, WASH, tea, write

from tsgkit.cli import main

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("ann.jsonl", ANN)
    write("bob.jsonl", BOB)


def test_a_table_has_every_figure_with_its_interval_and_the_next_step(capsys: Captured) -> None:
    assert main(["agree", "ann.jsonl", "bob.jsonl"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("ann and bob: 1 item, 3 descriptions\n")
    assert "3 and 4 graphs; without a partner: 0 of ann, 1 of bob" in said
    assert "Krippendorff's alpha (MASI)" in said and "Cohen's kappa" in said
    assert "intervals: over 3 descriptions" in said
    assert "2 graphs differ; to settle: tsgkit view ann.jsonl bob.jsonl --edit -o settled.jsonl" in said


def test_what_does_not_fit_is_told(capsys: Captured) -> None:
    other = tea([WASH, FILL], vocabulary=None)
    other["descriptions"][0]["text"] = "She washes it."
    write("ann.jsonl", tea([WASH], [FILL]), tea([WASH], item="only"))
    write("bob.jsonl", other)
    assert main(["agree", "ann.jsonl", "bob.jsonl", "--by", "item"]) == 0
    said = capsys.readouterr().out
    assert "only in ann: 1 item, left out: only" in said
    assert "descriptions without a partner" in said and "1 item with L in one file alone: tea" in said
    assert "unpaired  disagreements  F1 of triplets" in said


def test_json_has_the_same_figures(capsys: Captured) -> None:
    assert main(["agree", "ann.jsonl", "bob.jsonl", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["clusters"] == {"of": "descriptions", "n": 3} and value["disagreements"] == 2
    assert {"on", "measure", "value", "low", "high", "n", "reason"} == value["measures"][0].keys()
    assert "by" not in value


def test_lines_that_are_not_read_are_told(capsys: Captured) -> None:
    Path("bob.jsonl").write_text(Path("bob.jsonl").read_text() + "{broken\n" + json.dumps(tea([FILL], item="x")) + "\n")
    assert main(["agree", "ann.jsonl", "bob.jsonl"]) == 0
    assert "bob.jsonl: 1 line or part not read" in capsys.readouterr().err


def test_an_l_of_a_file_is_for_items_without_one(capsys: Captured) -> None:
    for name in ("ann.jsonl", "bob.jsonl"):
        write(name, tea([WASH], [FILL], vocabulary=None))
    Path("L.json").write_text('{"object": ["cup"], "relationship": ["with"], "verb": ["wash"]}')
    assert main(["agree", "ann.jsonl", "bob.jsonl", "--vocabulary", "L.json"]) == 0
    assert "kappa leaves out 2 names outside L: fill, kettle" in capsys.readouterr().out
    assert main(["agree", "ann.jsonl", "bob.jsonl"]) == 0
    assert "1 item without L: all names that either annotator used" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("ann.jsonl", "one file has nothing to agree with"),
        ("ann.jsonl folder", "a folder beside a file"),
        ("folder other", "two runs are compared with --with"),
        ("ann.jsonl bob.jsonl ann.jsonl", "3 files or runs"),
        ("ann.jsonl ann.jsonl", "the first file again"),
        ("ann.jsonl missing.jsonl", "no such file"),
        ("ann.jsonl bob.jsonl --human people.jsonl", "--human does not go with two files of graphs"),
        ("ann.jsonl bob.jsonl --with runs/other", "--with does not go with two files of graphs"),
        ("ann.jsonl bob.jsonl --subject x", "--subject does not go with two files of graphs"),
        ("folder --by item", "--by does not go with one run"),
        ("ann.jsonl picture.png", "a PNG image"),
    ],
)
def test_wrong_use_is_an_error_with_a_hint(words: str, problem: str, capsys: Captured) -> None:
    for name in ("folder", "other"):
        Path(name).mkdir()
    Path("picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff")
    assert main(["agree", *words.split()]) == 2
    said = capsys.readouterr()
    assert problem in said.err and not said.out


def test_hostile_names_are_shown_as_escapes(capsys: Captured) -> None:
    hostile = tea([WASH], item="tea\x1b[31m")
    write("ann.jsonl", hostile, tea([WASH], item="x\x1b[2J"))
    write("bob.jsonl", hostile)
    assert main(["agree", "ann.jsonl", "bob.jsonl", "--by", "item"]) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said and "\\x1b[2J" in said


def test_a_file_without_readable_items_is_an_error(capsys: Captured) -> None:
    Path("bob.jsonl").write_text('{"descriptions": [')
    assert main(["agree", "ann.jsonl", "bob.jsonl"]) == 2
    assert "bob.jsonl: no item can be read" in capsys.readouterr().err
