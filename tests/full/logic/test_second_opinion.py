"""Answers about made-up formulas of all shapes, against plain evaluators and z3."""

from __future__ import annotations

import solver_fuzzing


def test_solver_agrees_with_z3_and_leaves_few_formulas_undecided() -> None:
    tally = solver_fuzzing.Tally()
    for number in range(200):
        solver_fuzzing.judge(solver_fuzzing.made_up(1, number), tally)
    assert not tally.wrong
    assert len(tally.undecided) <= 2, tally.undecided
    assert tally.counts["satisfiable"] > 80
    assert tally.counts["unsatisfiable"] > 30
