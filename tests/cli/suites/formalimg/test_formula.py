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

LONG = ("--seconds", "600")  # which a busy machine may need
Captured = pytest.CaptureFixture[str]
GOOD = "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"
LAYOUT = {"objects": [{"label": "cup", "box_2d": [0, 600, 90, 690]}, {"label": "pen", "box_2d": [200, 0, 290, 90]}]}
FORMULA = "(exists ?b (exists ?c (and (Is ?b 'book') (Is ?c 'cup') (Has ?b 'blue') (OnLeftSide ?b) (LeftOf ?c ?b))))"
CONTRADICTION = "(exists ?b (and (Is ?b 'book') (OnTopSide ?b) (OnLeftSide ?b) (OnRightSide ?b)))"
REFUSED = [
    (["show", "(exists ?x (Is ?x cup))"], "line 1, column 19: found cup, expected a variable or a value"),
    (["show", "@broken.txt"], "broken.txt: line 2, column 10: found cup"),
    (["show", "nothing.txt"], "nothing.txt: no such file\n  a formula begins with (; a file of one"),
    (["show", "  "], "no formula given"),
    (["verify", GOOD, "broken.txt"], "broken.txt: not JSON"),
    (["verify", GOOD, "deep.json"], "deep.json: nested too deeply"),
    (["verify", "(exists ?x (On ?x ?x))", "layout.json"], "On cannot be verified on a layout"),
    (["verify", GOOD, "layout.json", "--profile", "official", "--distinct"], "for the profile strict"),
    (["verify", GOOD, "layout.json", "--profile", "official", "--grounded"], "for the profile strict"),
    (["verify", GOOD, "layout.json", "--work", "0"], "not a number of steps"),
    (["repair", GOOD, "layout.json", "-o", "layout.json"], "layout.json"),
    (["solve", GOOD, "--draw", "layout.png"], "layout.png"),
    (["solve", GOOD, "-o", "-", "--json"], "--json"),
    *((["solve", GOOD, f"--seconds={time}"], "not a number of seconds") for time in ("0", "nan", "inf", "x")),
]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("formula.txt").write_text(GOOD + "\n")
    Path("broken.txt").write_text("(exists ?x\n  (Is ?x cup))")
    Path("layout.json").write_text(json.dumps(LAYOUT))
    Path("list.json").write_text(json.dumps(LAYOUT["objects"]))
    Path("deep.json").write_text("[" * 100_000)


def printed(capsys: Captured, *words: str, code: int = 0) -> str:
    assert main(["formula", *words]) == code, words
    captured = capsys.readouterr()
    return captured.err if code == 2 else captured.out


def value(capsys: Captured, *words: str, code: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(printed(capsys, *words, "--json", code=code))
    return found


def test_check_reports_findings_and_whether_the_published_validator_accepts(capsys: Captured) -> None:
    text, natural = "(exists ?x (and (Is ?x 'cups') (OnTopSide ?y)))", ("--scenario", "natural", *LONG)
    assert printed(capsys, "check", text, code=1) == (
        "error unknown-class: line 1, column 17: 'cups' is no class of knolling (cup?)\n"
        "error unbound-variable: line 1, column 32: nothing binds ?y (write a quantifier for it around this part)\n"
        "the published validator refuses it: ?y is not bound\n2 errors, 0 warnings\n"
    )
    cat = "(exists ?x (and (Is ?x 'cat') (HasState ?x 'sleeping')))"
    for words, scenario, satisfiable in (
        ([GOOD, *LONG], "knolling", "by a layout of 1 object"),
        ([cat, *natural], "natural", "in a world without contradictions"),
    ):
        assert printed(capsys, "check", *words) == (
            f"nothing to complain about ({scenario})\nthe published validator accepts it\n"
            f"satisfiable: yes, {satisfiable}\n0 errors, 0 warnings\n"
        )
    found = value(capsys, "check", text, code=1)
    finding = {"code": "unknown-class", "severity": "error", "place": {"line": 1, "column": 17}, "hint": "cup?"}
    assert found["findings"][0] == finding | {"message": "'cups' is no class of knolling"}
    rest = {"scenario": "knolling", "errors": 2, "warnings": 0, "published_fault": "?y is not bound"}
    assert found.items() >= rest.items()
    found = value(capsys, "check", "(exists ?x", code=1)
    assert (found["errors"], found["readers_differ"]) == (1, ["engine-refuses", "lifting-crashes"])
    text = "(exists ?c (exists ?t (and (Is ?c 'cup') (Is ?t 'table') (On ?c ?t) (In ?t ?c))))"
    told = printed(capsys, "check", text, *natural).splitlines()
    assert told[0] == "well written (natural)"
    assert told[2].startswith("satisfiable: no world with one object per variable was found")


def test_show_prints_the_parts_of_a_formula(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    for formula in (GOOD, "@formula.txt", "formula.txt", "-"):
        assert printed(capsys, "show", formula) == (
            f"There is a cup. The cup is on the top side.\n\nformula   {GOOD}\nlifted    {GOOD}\nK         1\n"
            "classes   cup\nclosures  ?x\ncomponent 1: exists ?x\n"
            "  object    (Is ?x 'cup')\n  attribute (OnTopSide ?x)\n"
        ), formula
    text = "(forall ?x (implies (Is ?x 'cup') (exists ?y (Is ?y 'pen'))))"
    clause = {"text": "(or (not (Is ?x 'cup')) (Is ?y 'pen'))", "category": "condition"}
    assert value(capsys, "show", text) == {
        "formula": text, "lifted": text, "reading": "For every cup: there is a pen.", "k": 2, "k_as_defined": 1,
        "classes": ["cup", "pen"], "closures": [["?x"], ["?y"]], "numbers": [], "published_form": None,
        "components": [{"prefix": ["forall ?x", "exists ?y"], "clauses": [clause]}], "warnings": [],
    }  # fmt: skip
    assert "K         2 (1 by its definition)" in printed(capsys, "show", text)
    lost = "(exists ?x (or (and (Is ?x 'cup') (OnTopSide ?x)) (and (Is ?x 'pen') (OnLeftSide ?x))))"
    text = f"(and {lost} (Equals (Count ?z (Is ?z 'pen')) 2) (LeftOf ?y ?y))"
    assert main(["formula", "show", text]) == 0
    told = capsys.readouterr()
    assert told.err == "tsgkit: warning: nothing binds ?y: no layout makes such a formula true or false\n"
    assert "  number    (Equals (Count ?z (Is ?z 'pen')) 2)\npublished clause form (it drops disjuncts): " in told.out


def test_verify_says_why_and_ends_with_zero(capsys: Captured) -> None:
    for layout in ("layout.json", "list.json"):
        assert printed(capsys, "verify", "formula.txt", layout).startswith(
            "false (strict): no cup is on the top side: its centre is at y = 645, the middle at 500\n✗ no cup fits\n"
        )
        assert printed(capsys, "verify", GOOD, layout, "--profile", "official").startswith(
            "false (official): Exists ?x failed\n✗ Exists ?x failed\n├── ✗ Candidate #0 failed\n"
        )
    assert printed(capsys, "verify", GOOD, "layout.json", "--work", "3") == (
        "not decided (strict, undecided): not decided in 3 steps\n"
    )
    assert printed(capsys, "verify", "(exists ?x", "layout.json", "--profile", "official") == (
        "not decided (official, uncounted): the text is not evaluated: the text ends inside an expression\n"
    )
    found = value(capsys, "verify", "(exists ?x (Is ?x 'pen'))", "layout.json")
    leaf = {"truth": True, "message": "the pen is a pen"}
    assert found.pop("trace") == {"truth": True, "message": "the pen is such a pen", "children": [leaf]}
    assert list(found) == ["truth", "profile", "status", "reason", "detail", "zero_triggers", "work"]
    assert list(found.values()) == [True, "strict", "decided", "", "", 0, 103]
    Path("thing.json").write_text('{"label": "cup", "box_2d": [0, 0, 100, 100]}')
    assert main(["formula", "verify", GOOD, "thing.json"]) == 0
    assert "thing.json: has no key objects, so it is read as an empty scene" in capsys.readouterr().err
    pair, near = "(exists ?x (exists ?y (AlignedHorizontally ?x ?y)))", [{"label": "cup", "box_2d": [0, 0, 9, 9]}]
    Path("one.json").write_text(json.dumps(near))
    assert [value(capsys, "verify", pair, "one.json", *more)["truth"] for more in ([], ["--distinct"])] == [True, False]
    Path("two.json").write_text(json.dumps([*near, {"label": "pen", "box_2d": [0, 6, 9, 20]}]))
    statuses = [value(capsys, "verify", pair, "two.json", *more)["status"] for more in ([], ["--grounded"])]
    assert statuses == ["rejected", "decided"]


def test_repair_says_what_it_changed_and_without_the_extra_solving_is_refused(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    for words, message in REFUSED:
        assert message in printed(capsys, *words, code=2), words
    assert json.loads(Path("layout.json").read_text()) == LAYOUT
    things = [("book", "red", [600, 0, 700, 100]), ("cup", "red", [100, 0, 200, 100])]
    Path("bad.json").write_text(json.dumps([{"label": a, "color": b, "box_2d": box} for a, b, box in things]))
    out = printed(capsys, "repair", FORMULA, "bad.json", "-o", "fixed.json", *LONG)
    assert ("moved the book 151 left" in out, "made the book blue (was red)" in out) == (True, True)
    assert "nothing to repair" in printed(capsys, "repair", FORMULA, "fixed.json", *LONG)
    monkeypatch.setitem(sys.modules, "ortools", None)
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    assert "tsgkit[logic]" in printed(capsys, "solve", FORMULA, code=2)
    assert "satisfiable: not tried" in printed(capsys, "check", FORMULA)


def test_solve_writes_and_draws_a_layout_or_names_the_conflict_or_decides_nothing_in_time(capsys: Captured) -> None:
    out = printed(capsys, "solve", FORMULA, "-o", "solved.json", "--draw", "solved.svg", *LONG)
    assert "satisfiable: a layout of 2 objects" in out
    assert printed(capsys, "verify", FORMULA, "solved.json", "--profile", "official").startswith("true (official)")
    assert "blue book" in "".join(ElementTree.parse("solved.svg").getroot().itertext())  # noqa: S314  (our own text)
    layout = json.loads(printed(capsys, "solve", FORMULA, "-o", "-", *LONG))
    assert value(capsys, "solve", FORMULA, *LONG)["layout"] == layout
    assert main(["formula", "solve", CONTRADICTION, "-o", "out.json", *LONG]) == 1
    captured = capsys.readouterr()
    assert "  - the book is on the left side\n  - the book is on the right side\n" in captured.out
    assert ("no layout to write" in captured.err, Path("out.json").exists()) == (True, False)
    assert value(capsys, "check", CONTRADICTION, *LONG)["satisfiable"].startswith("no: the book is on the left side")
    limit = ("--seconds", "0.000001")
    for words in (("solve", FORMULA), ("repair", FORMULA, "layout.json")):
        found = value(capsys, *words, *limit, "-o", "out.json", code=1)
        assert (found["status"], found["layout"], Path("out.json").exists()) == ("not decided", None, False), words
        assert printed(capsys, *words, *limit, code=1).startswith("not decided")
    assert value(capsys, "check", FORMULA, *limit)["satisfiable"].startswith("not decided")
    choices = " ".join(f"(and (Is ?x 'a{n}') (Is ?x 'b{n}'))" for n in range(12))
    text = f"(exists ?x (or {choices}))"
    assert "not decided in 1e-06 seconds: its clause form (--s" in printed(capsys, "show", text, *limit, code=1)
    found = value(capsys, "show", text, *limit, code=1)
    assert (found["status"], found["warnings"]) == ("not decided", [])
