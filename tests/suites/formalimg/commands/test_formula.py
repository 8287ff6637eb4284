"""``tsgkit formula`` as a person types it: check, show, verify, solve, repair, and what they refuse."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tsgkit.cli import main

Captured = pytest.CaptureFixture[str]
GOOD = "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"
LAYOUT = {"objects": [{"label": "cup", "box_2d": [0, 600, 90, 690]}, {"label": "pen", "box_2d": [200, 0, 290, 90]}]}
FORMULA = "(exists ?b (exists ?c (and (Is ?b 'book') (Is ?c 'cup') (Has ?b 'blue') (OnLeftSide ?b) (LeftOf ?c ?b))))"
CONTRADICTION = "(exists ?b (and (Is ?b 'book') (OnTopSide ?b) (OnLeftSide ?b) (OnRightSide ?b)))"
REFUSED = [
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
    (["repair", GOOD, "layout.json", "-o", "layout.json"], "layout.json"),
    (["solve", GOOD, "--draw", "layout.png"], "layout.png"),
    (["solve", GOOD, "-o", "-", "--json"], "--json"),
    *(
        (["solve", GOOD, f"--seconds={seconds}"], "not a number of seconds")
        for seconds in ("0", "-1", "nan", "inf", "x")
    ),
    ([], "VERB"),
]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("formula.txt").write_text(GOOD + "\n", encoding="utf-8")
    Path("broken.txt").write_text("(exists ?x\n  (Is ?x cup))", encoding="utf-8")
    Path("layout.json").write_text(json.dumps(LAYOUT), encoding="utf-8")
    Path("list.json").write_text(json.dumps(LAYOUT["objects"]), encoding="utf-8")
    Path("overlapping.json").write_text(json.dumps({"objects": LAYOUT["objects"] * 2}), encoding="utf-8")
    Path("no.json").write_text("{", encoding="utf-8")
    Path("deep.json").write_text("[" * 100_000, encoding="utf-8")


def printed(capsys: Captured, *words: str, code: int = 0) -> str:
    assert main(["formula", *words]) == code, words
    captured = capsys.readouterr()
    return captured.err if code == 2 else captured.out


def value(capsys: Captured, *words: str, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(capsys, *words, "--json", code=code))
    return found


def test_a_formula_is_given_as_text_or_in_a_file(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    for formula in (GOOD, "@formula.txt", "formula.txt", "-"):
        assert "There is a cup. The cup is on the top side." in printed(capsys, "show", formula), formula


def test_check_reports_findings_and_whether_the_published_validator_accepts(capsys: Captured) -> None:
    assert printed(capsys, "check", GOOD).splitlines() == [
        "nothing to complain about (knolling)",
        "the published validator accepts it",
        "satisfiable: yes, by a layout of 1 object",
        "0 errors, 0 warnings",
    ]
    text = "(exists ?x (and (Is ?x 'cups') (OnTopSide ?y)))"
    out = printed(capsys, "check", text, code=1)
    assert "error unknown-class: line 1, column 17: 'cups' is no class of knolling (cup?)" in out
    assert "the published validator refuses it: ?y is not bound" in out
    found = value(capsys, "check", text, code=1)
    assert [finding["code"] for finding in found["findings"]] == ["unknown-class", "unbound-variable"]
    assert found["findings"][0]["place"] == {"line": 1, "column": 17}
    assert (found["errors"], found["warnings"]) == (2, 0)
    found = value(capsys, "check", "(exists ?x", code=1)
    assert found["findings"][0]["code"] == "syntax"
    assert found["readers_differ"] == ["engine-refuses", "lifting-crashes"]


def test_check_knows_both_scenarios_and_searches_a_world_for_natural_formulas(capsys: Captured) -> None:
    text = "(exists ?x (and (Is ?x 'cat') (HasState ?x 'sleeping')))"
    assert "unknown-predicate" in printed(capsys, "check", text, code=1)
    assert "nothing to complain about (natural)" in printed(capsys, "check", text, "--scenario", "natural")
    for more, answer in {
        "": "yes, in a world without contradictions",
        " (In ?t ?c)": "no world with one object per variable was found",
    }.items():
        text = f"(exists ?c (exists ?t (and (Is ?c 'cup') (Is ?t 'table') (On ?c ?t){more})))"
        assert answer in printed(capsys, "check", text, "--scenario", "natural")


def test_show_prints_the_parts_of_a_formula(capsys: Captured) -> None:
    found = value(capsys, "show", "(forall ?x (implies (Is ?x 'cup') (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))")
    assert (found["k"], found["k_as_defined"], found["classes"]) == (2, 2, ["cup", "pen"])
    assert found["closures"] == [["?x", "?y"]]
    assert found["components"][0]["prefix"] == ["forall ?x", "exists ?y"]
    assert {clause["category"] for clause in found["components"][0]["clauses"]} == {"condition"}
    assert found["reading"] == "For every cup: there is a pen such that the pen is left of the cup."
    out = printed(capsys, "show", GOOD)
    assert "K         1" in out
    assert "  attribute (OnTopSide ?x)" in out
    assert "drops disjuncts" not in out
    text = "(exists ?x (or (and (Is ?x 'cup') (OnTopSide ?x)) (and (Is ?x 'pen') (OnLeftSide ?x))))"
    assert "drops disjuncts" in printed(capsys, "show", text)


def test_show_warns_of_unbound_variables(capsys: Captured) -> None:
    assert main(["formula", "show", "(exists ?x (LeftOf ?x ?y))"]) == 0
    assert "nothing binds ?y" in capsys.readouterr().err
    assert "nothing binds ?y" in value(capsys, "show", "(exists ?x (LeftOf ?x ?y))")["warnings"][0]
    assert value(capsys, "show", FORMULA)["warnings"] == []


def test_verify_says_why_and_ends_with_zero(capsys: Captured) -> None:
    for layout in ("layout.json", "list.json"):
        assert printed(capsys, "verify", "formula.txt", layout).startswith(
            "false (strict): no cup is on the top side: its centre is at y = 645, the middle at 500\n✗ "
        )
        assert printed(capsys, "verify", "formula.txt", layout, "--profile", "official").startswith(
            "false (official): Exists ?x failed\n✗ Exists ?x failed\n├── ✗ Candidate #0 failed\n"
        )
    Path("thing.json").write_text('{"label": "cup", "box_2d": [0, 0, 100, 100]}')
    assert main(["formula", "verify", GOOD, "thing.json"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("false (strict): there is no cup")
    assert "thing.json: has no key objects, so it is read as an empty scene" in captured.err


def test_verify_gives_the_verdict_as_json(capsys: Captured) -> None:
    found = value(capsys, "verify", "(exists ?x (Is ?x 'pen'))", "layout.json")
    assert (found["truth"], found["profile"], found["status"], found["reason"]) == (True, "strict", "decided", "")
    assert found["trace"]["message"] == "the pen is such a pen"
    rejected = value(capsys, "verify", GOOD, "overlapping.json")
    assert (rejected["truth"], rejected["status"], "overlap" in rejected["reason"]) == (False, "rejected", True)
    undecided = value(capsys, "verify", GOOD, "layout.json", "--work", "3")
    assert (undecided["truth"], undecided["status"]) == (None, "undecided")
    for text, word in (("(exists ?x", "uncounted"), ("(exists ?x (Foo ?x))", "Syntax Error")):
        assert word in printed(capsys, "verify", text, "layout.json", "--profile", "official")


def test_wrong_usage_is_refused_with_a_message(capsys: Captured) -> None:
    for words, message in REFUSED:
        assert message in printed(capsys, *words, code=2), words
    assert json.loads(Path("layout.json").read_text()) == LAYOUT


def test_without_the_extra_solving_is_refused_and_check_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setitem(sys.modules, "ortools", None)
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    assert "tsgkit[logic]" in printed(capsys, "solve", FORMULA, code=2)
    assert "satisfiable: not tried" in printed(capsys, "check", FORMULA)


def test_solve_writes_a_layout_that_verifies_and_draws_it(capsys: Captured) -> None:
    out = printed(capsys, "solve", FORMULA, "-o", "solved.json", "--draw", "solved.svg")
    assert "satisfiable: a layout of 2 objects" in out
    assert printed(capsys, "verify", FORMULA, "solved.json", "--profile", "official").startswith("true (official)")
    assert "blue book" in "".join(ElementTree.parse("solved.svg").getroot().itertext())  # noqa: S314  (our own text)
    layout = json.loads(printed(capsys, "solve", FORMULA, "-o", "-"))
    assert value(capsys, "solve", FORMULA)["layout"] == layout
    assert "satisfiable: yes, by a layout of 2 objects" in printed(capsys, "check", FORMULA)


def test_solve_and_check_name_conflicting_conjuncts(capsys: Captured) -> None:
    assert main(["formula", "solve", CONTRADICTION, "-o", "out.json"]) == 1
    captured = capsys.readouterr()
    assert "  - the book is on the left side\n  - the book is on the right side\n" in captured.out
    assert "no layout to write" in captured.err
    assert not Path("out.json").exists()
    out = printed(capsys, "check", CONTRADICTION)
    assert (out.startswith("well written (knolling)\n"), "nothing to complain about" in out) == (True, False)
    assert value(capsys, "check", CONTRADICTION)["satisfiable"].startswith("no: the book is on the left side")


def test_nothing_is_decided_beyond_the_time_limit(capsys: Captured) -> None:
    limit = ("--seconds", "0.000001")
    for words in (("solve", FORMULA), ("repair", FORMULA, "layout.json")):
        assert printed(capsys, *words, *limit, "-o", "out.json", code=1).startswith("not decided")
        assert not Path("out.json").exists()
        found = value(capsys, *words, *limit, code=1)
        assert (found["status"], found["layout"]) == ("not decided", None), words
    assert value(capsys, "check", FORMULA, *limit)["satisfiable"].startswith("not decided")
    things = [{"label": "cup", "box_2d": [20 * n, 0, 20 * n + 9, 9]} for n in range(50)]
    Path("row.json").write_text(json.dumps(things))
    three = "(SmallerThan ?a ?c) (AlignedHorizontally ?a ?b) (AlignedHorizontally ?b ?c)"
    for profile in ("strict", "official"):
        text = f"(exists ?a (exists ?b (exists ?c (and {three}))))"
        found = value(capsys, "verify", text, "row.json", "--profile", profile, *limit)
        assert (found["truth"], found["status"]) == (None, "undecided"), profile
        assert found["reason"].startswith("not decided in 1e-06 seconds"), profile
    choices = " ".join(f"(and (Is ?x 'a{n}') (Is ?x 'b{n}'))" for n in range(12))
    text = f"(exists ?x (or {choices}))"
    assert "not decided in 1e-06 seconds: its clause form" in printed(capsys, "show", text, *limit, code=1)
    assert value(capsys, "show", text, *limit, code=1)["status"] == "not decided"


def test_repair_says_what_it_changed_and_leaves_a_good_layout_alone(capsys: Captured) -> None:
    things = [("book", "red", [600, 0, 700, 100]), ("cup", "red", [100, 0, 200, 100])]
    Path("bad.json").write_text(json.dumps([{"label": a, "color": b, "box_2d": box} for a, b, box in things]))
    out = printed(capsys, "repair", FORMULA, "bad.json", "-o", "fixed.json")
    assert "moved the book 151 left" in out
    assert "made the book blue (was red)" in out
    assert "nothing to repair" in printed(capsys, "repair", FORMULA, "fixed.json")
