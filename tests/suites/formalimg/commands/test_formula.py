"""``tsgkit formula`` as a person types it: check, show, verify, and what they refuse."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tsgkit.cli import main

GOOD = "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"
LAYOUT = {"objects": [{"label": "cup", "box_2d": [0, 600, 90, 690]}, {"label": "pen", "box_2d": [200, 0, 290, 90]}]}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("formula.txt").write_text(GOOD + "\n", encoding="utf-8")
    Path("broken.txt").write_text("(exists ?x\n  (Is ?x cup))", encoding="utf-8")
    Path("layout.json").write_text(json.dumps(LAYOUT), encoding="utf-8")
    Path("list.json").write_text(json.dumps(LAYOUT["objects"]), encoding="utf-8")
    Path("overlapping.json").write_text(json.dumps({"objects": LAYOUT["objects"] * 2}), encoding="utf-8")
    Path("no.json").write_text("{", encoding="utf-8")
    Path("deep.json").write_text("[" * 100_000, encoding="utf-8")


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(["formula", *words]) == code
    captured = capsys.readouterr()
    return captured.err if code == 2 else captured.out


def value(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(capsys, *words, "--json", code=code))
    return found


@pytest.mark.parametrize("given", [GOOD, "@formula.txt", "formula.txt", "-"])
def test_a_formula_is_given_as_text_or_in_a_file(
    given: str, files: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    assert "There is a cup. The cup is on the top side." in said(capsys, "show", given)


def test_check_finds_nothing_in_a_good_formula(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "check", GOOD).splitlines()
    assert [line for line in lines if not line.startswith("satisfiable: ")] == [
        "nothing to complain about (knolling)",
        "the published validator accepts it",
        "0 errors, 0 warnings",
    ]


def test_check_says_what_is_wrong_where_and_ends_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    text = "(exists ?x (and (Is ?x 'cups') (OnTopSide ?y)))"
    out = said(capsys, "check", text, code=1)
    assert "error unknown-class: line 1, column 17: 'cups' is no class of knolling (cup?)" in out
    assert "the published validator refuses it: ?y is not bound" in out
    found = value(capsys, "check", text, code=1)
    assert [finding["code"] for finding in found["findings"]] == ["unknown-class", "unbound-variable"]
    assert found["findings"][0]["place"] == {"line": 1, "column": 17}
    assert (found["errors"], found["warnings"]) == (2, 0)


def test_check_supports_both_scenarios(capsys: pytest.CaptureFixture[str]) -> None:
    text = "(exists ?x (and (Is ?x 'cat') (HasState ?x 'sleeping')))"
    assert "unknown-predicate" in said(capsys, "check", text, code=1)
    assert "nothing to complain about (natural)" in said(capsys, "check", text, "--scenario", "natural")


def test_check_reports_a_broken_text_as_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    found = value(capsys, "check", "(exists ?x", code=1)
    assert found["findings"][0]["code"] == "syntax"
    assert found["readers_differ"] == ["engine-refuses", "lifting-crashes"]


def test_show_prints_the_parts_of_a_formula(capsys: pytest.CaptureFixture[str]) -> None:
    found = value(capsys, "show", "(forall ?x (implies (Is ?x 'cup') (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))")
    assert (found["k"], found["k_as_defined"], found["classes"]) == (2, 2, ["cup", "pen"])
    assert found["closures"] == [["?x", "?y"]]
    assert found["components"][0]["prefix"] == ["forall ?x", "exists ?y"]
    assert {clause["category"] for clause in found["components"][0]["clauses"]} == {"condition"}
    assert found["reading"] == "For every cup: there is a pen such that the pen is left of the cup."
    out = said(capsys, "show", GOOD)
    assert "K         1" in out
    assert "  attribute (OnTopSide ?x)" in out


def test_show_reports_disjuncts_dropped_by_the_published_form(capsys: pytest.CaptureFixture[str]) -> None:
    text = "(exists ?x (or (and (Is ?x 'cup') (OnTopSide ?x)) (and (Is ?x 'pen') (OnLeftSide ?x))))"
    assert "drops disjuncts" in said(capsys, "show", text)
    assert "drops disjuncts" not in said(capsys, "show", GOOD)


@pytest.mark.parametrize("layout", ["layout.json", "list.json"])
def test_verify_says_why_and_ends_with_zero(layout: str, files: None, capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "verify", "formula.txt", layout)
    assert out.startswith("false (strict): no cup is on the top side: its centre is at y = 645, the middle at 500\n✗ ")
    assert said(capsys, "verify", "formula.txt", layout, "--profile", "official").startswith(
        "false (official): Exists ?x failed\n✗ Exists ?x failed\n├── ✗ Candidate #0 failed\n"
    )


def test_verify_warns_of_a_layout_without_the_key_objects(
    files: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("thing.json").write_text('{"label": "cup", "box_2d": [0, 0, 100, 100]}')
    assert main(["formula", "verify", GOOD, "thing.json"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("false (strict): there is no cup")
    assert "thing.json: has no key objects, so it is read as an empty scene" in captured.err


def test_verify_gives_the_verdict_as_json(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    found = value(capsys, "verify", "(exists ?x (Is ?x 'pen'))", "layout.json")
    assert (found["truth"], found["profile"], found["status"], found["reason"]) == (True, "strict", "decided", "")
    assert found["trace"]["message"] == "the pen is such a pen"
    rejected = value(capsys, "verify", GOOD, "overlapping.json")
    assert (rejected["truth"], rejected["status"]) == (False, "rejected")
    assert "overlap" in rejected["reason"]
    undecided = value(capsys, "verify", GOOD, "layout.json", "--work", "3")
    assert (undecided["truth"], undecided["status"]) == (None, "undecided")


def test_verify_official_takes_texts_as_published(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert "uncounted" in said(capsys, "verify", "(exists ?x", "layout.json", "--profile", "official")
    assert "Syntax Error" in said(capsys, "verify", "(exists ?x (Foo ?x))", "layout.json", "--profile", "official")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "(exists ?x (Is ?x cup))"], "line 1, column 19: found cup, expected a variable or a value"),
        (["show", "@broken.txt"], "broken.txt: line 2, column 10: found cup"),
        (["show", "nothing.txt"], "nothing.txt: no such file"),
        (["show", "@nothing.txt"], "nothing.txt: no such file"),
        (["show", "  "], "no formula given"),
        (["verify", GOOD, "no.json"], "no.json: not JSON"),
        (["verify", GOOD, "deep.json"], "deep.json: nested too deeply"),
        (["verify", GOOD, "missing.json"], "missing.json: no such file"),
        (["verify", "(exists ?x", "layout.json"], "found the end of the text"),
        (["verify", "(exists ?x (On ?x ?x))", "layout.json"], "On cannot be verified on a layout"),
        (["verify", GOOD, "layout.json", "--profile", "official", "--distinct"], "for the profile strict"),
        (["verify", GOOD, "layout.json", "--work", "0"], "not a number of steps"),
        (["check", GOOD, "--scenario", "indoors"], "--scenario: there is no indoors"),
        ([], "VERB"),
    ],
)
def test_wrong_usage_is_refused_with_a_message(
    words: list[str], message: str, files: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in said(capsys, *words, code=2)
