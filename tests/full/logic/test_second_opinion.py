"""Answers about made-up formulas of all shapes, against plain evaluators and z3."""

from __future__ import annotations

from random import Random

import pytest
import solver_fuzzing
from logic import layouts_by_z3, made_up_formulas, naive

from tsgkit.logic.formula import Formula
from tsgkit.logic.layouts import Layout
from tsgkit.logic.parser import parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.solver import Solution


def test_solver_agrees_with_z3_and_leaves_few_formulas_undecided() -> None:
    tally = solver_fuzzing.Tally()
    for number in range(200):
        solver_fuzzing.judge(solver_fuzzing.made_up(1, number), tally)
    assert not tally.wrong
    assert len(tally.undecided) <= 2, tally.undecided
    assert tally.counts["satisfiable"] > 80
    assert tally.counts["unsatisfiable"] > 30


def test_second_opinion_detects_wrong_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = parse("(and (exists ?x (OnLeftSide ?x)) (not (exists ?y (not (Is ?y 'hat')))))")
    for answer in (Solution("unsatisfiable"), Solution("satisfiable", Layout(()))):

        def wrong(formula: Formula, answer: Solution = answer) -> Solution:
            return answer

        monkeypatch.setattr(solver_fuzzing, "solve", wrong)
        tally = solver_fuzzing.Tally()
        solver_fuzzing.judge(formula, tally)
        assert len(tally.wrong) == 1


def test_layouts_of_the_second_opinion_satisfy_their_formulas() -> None:
    found = 0
    for number in range(60):
        formula = made_up_formulas.formula(Random(number), deepest=4)
        opinion = layouts_by_z3.opinion_on(formula, 2, milliseconds=200)
        if opinion.layout is not None:
            found += 1
            assert naive.strict(formula, opinion.layout), text_of(formula)
    assert found > 30


def test_second_opinion_command_reports_the_number_of_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert solver_fuzzing.main(["--count", "5"]) == 0
    assert "0 wrong, 0 not decided" in capsys.readouterr().out
