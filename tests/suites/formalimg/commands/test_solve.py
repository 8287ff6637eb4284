"""tsgkit formula solve and repair, and what check says about solving."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tsgkit.cli import main

FORMULA = "(exists ?b (exists ?c (and (Is ?b 'book') (Is ?c 'cup') (Has ?b 'blue') (OnLeftSide ?b) (LeftOf ?c ?b))))"
CONTRADICTION = "(exists ?b (and (Is ?b 'book') (OnTopSide ?b) (OnLeftSide ?b) (OnRightSide ?b)))"


def test_without_the_extra_solving_is_refused_and_check_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ortools", None)
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    assert main(["formula", "solve", FORMULA]) == 2
    assert "tsgkit[logic]" in capsys.readouterr().err
    assert main(["formula", "check", FORMULA]) == 0
    assert "satisfiable: not tried" in capsys.readouterr().out


def test_solve_writes_a_layout_that_verifies_and_draws_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ortools", reason="solving formulas needs the extra logic")
    layout, image = tmp_path / "layout.json", tmp_path / "layout.svg"
    assert main(["formula", "solve", FORMULA, "-o", str(layout), "--draw", str(image)]) == 0
    assert "satisfiable: a layout of 2 objects" in capsys.readouterr().out
    assert main(["formula", "verify", FORMULA, str(layout), "--profile", "official"]) == 0
    assert capsys.readouterr().out.startswith("true (official)")
    assert "blue book" in "".join(ElementTree.parse(image).getroot().itertext())  # noqa: S314  (our own text)


def test_solve_prints_one_layout_or_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ortools", reason="solving formulas needs the extra logic")
    assert main(["formula", "solve", FORMULA, "-o", "-"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert main(["formula", "solve", FORMULA, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["layout"] == printed


def test_solve_names_conflicting_conjuncts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ortools", reason="solving formulas needs the extra logic")
    out = tmp_path / "layout.json"
    assert main(["formula", "solve", CONTRADICTION]) == 1
    capsys.readouterr()
    assert main(["formula", "solve", CONTRADICTION, "-o", str(out)]) == 1
    said = capsys.readouterr()
    assert "  - the book is on the left side\n  - the book is on the right side\n" in said.out
    assert "no layout to write" in said.err
    assert not out.exists()


def test_check_says_whether_a_formula_can_be_satisfied(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ortools", reason="solving formulas needs the extra logic")
    assert main(["formula", "check", FORMULA]) == 0
    assert "satisfiable: yes, by a layout of 2 objects" in capsys.readouterr().out
    assert main(["formula", "check", CONTRADICTION]) == 0
    said = capsys.readouterr().out
    assert said.startswith("well written (knolling)\n")
    assert "nothing to complain about" not in said
    assert main(["formula", "check", CONTRADICTION, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["satisfiable"].startswith("no: the book is on the left side")


@pytest.mark.parametrize("verb", ["solve", "repair"])
def test_solve_is_not_decided_beyond_the_time_limit(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ortools", reason="solving formulas needs the extra logic")
    layout, out = tmp_path / "layout.json", tmp_path / "out.json"
    layout.write_text('{"objects": []}')
    given = [FORMULA, str(layout)] if verb == "repair" else [FORMULA]
    assert main(["formula", verb, *given, "--seconds", "0.000001", "-o", str(out)]) == 1
    assert capsys.readouterr().out.startswith("not decided")
    assert not out.exists()
    assert main(["formula", verb, *given, "--seconds", "0.000001", "--json"]) == 1
    value = json.loads(capsys.readouterr().out)
    assert (value["status"], value["layout"]) == ("not decided", None)


def test_check_and_verify_report_what_was_not_decided_in_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ortools", reason="solving formulas needs the extra logic")
    assert main(["formula", "check", FORMULA, "--seconds", "0.000001", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["satisfiable"].startswith("not decided")
    layout = tmp_path / "layout.json"
    things = [{"label": "cup", "box_2d": [20 * (n % 50), 40 * (n // 50), 20 * (n % 50) + 9, 9]} for n in range(50)]
    layout.write_text(json.dumps(things))
    three = "(SmallerThan ?a ?c) (AlignedHorizontally ?a ?b) (AlignedHorizontally ?b ?c)"
    slow = f"(exists ?a (exists ?b (exists ?c (and {three}))))"
    for profile in ("strict", "official"):
        arguments = ["formula", "verify", slow, str(layout), "--profile", profile, "--seconds", "0.000001"]
        assert main([*arguments, "--json"]) == 0
        value = json.loads(capsys.readouterr().out)
        assert (value["truth"], value["status"]) == (None, "undecided")
        assert value["reason"].startswith("not decided in 1e-06 seconds")


def test_a_clause_form_that_takes_too_long_is_not_decided(capsys: pytest.CaptureFixture[str]) -> None:
    choices = " ".join(f"(and (Is ?x 'a{n}') (Is ?x 'b{n}'))" for n in range(12))
    text = f"(exists ?x (or {choices}))"
    assert main(["formula", "show", text, "--seconds", "0.000001"]) == 1
    assert "not decided in 1e-06 seconds: its clause form" in capsys.readouterr().out
    assert main(["formula", "show", text, "--seconds", "0.000001", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["status"] == "not decided"


def test_show_warns_of_unbound_variables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formula", "show", "(exists ?x (LeftOf ?x ?y))"]) == 0
    assert "nothing binds ?y" in capsys.readouterr().err
    assert main(["formula", "show", "(exists ?x (LeftOf ?x ?y))", "--json"]) == 0
    assert "nothing binds ?y" in json.loads(capsys.readouterr().out)["warnings"][0]
    assert main(["formula", "show", FORMULA, "--json"]) == 0
    said = capsys.readouterr()
    assert (json.loads(said.out)["warnings"], said.err) == ([], "")


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_seconds_are_a_number_above_zero(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formula", "solve", FORMULA, f"--seconds={seconds}"]) == 2
    assert "is not a number of seconds" in capsys.readouterr().err


def test_repair_says_what_it_changed_and_leaves_a_good_layout_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ortools", reason="repairing layouts needs the extra logic")
    bad, fixed = tmp_path / "bad.json", tmp_path / "fixed.json"
    things = [("book", "red", [600, 0, 700, 100]), ("cup", "red", [100, 0, 200, 100])]
    bad.write_text(json.dumps([{"label": one, "color": two, "box_2d": box} for one, two, box in things]))
    assert main(["formula", "repair", FORMULA, str(bad), "-o", str(fixed)]) == 0
    said = capsys.readouterr().out
    assert "moved the book 151 left" in said
    assert "made the book blue (was red)" in said
    assert main(["formula", "repair", FORMULA, str(fixed)]) == 0
    assert "nothing to repair" in capsys.readouterr().out


def test_files_that_are_read_are_not_overwritten_and_images_are_svg(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = tmp_path / "layout.json"
    layout.write_text('{"objects": []}')
    assert main(["formula", "repair", FORMULA, str(layout), "-o", str(layout)]) == 2
    assert main(["formula", "solve", FORMULA, "--draw", "layout.png"]) == 2
    assert main(["formula", "solve", FORMULA, "-o", "-", "--json"]) == 2
    assert layout.read_text() == '{"objects": []}'


@pytest.mark.parametrize(
    ("more", "answer"),
    [
        ("", "yes, in a world without contradictions"),
        (" (In ?t ?c)", "no world with one object per variable was found"),
    ],
)
def test_check_searches_a_world_for_a_natural_formula(
    more: str, answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ortools", reason="worlds are found by the extra logic")
    text = f"(exists ?c (exists ?t (and (Is ?c 'cup') (Is ?t 'table') (On ?c ?t){more})))"
    assert main(["formula", "check", text, "--scenario", "natural"]) == 0
    assert answer in capsys.readouterr().out
