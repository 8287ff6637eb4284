"""Budgets: whatever a formula takes, it ends."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from tsgkit.logic.budget import Budget, OutOfBudget
from tsgkit.logic.clauses import clause_form
from tsgkit.logic.parser import parse
from tsgkit.logic.verification import verify

NESTED = "(forall ?a (exists ?b (forall ?c (exists ?d (and (LargerThan ?b ?a) (LeftOf ?c ?d) (or (Above ?a ?d) {}))))))"


def ticking(step: float = 1.0) -> Callable[[], float]:
    """Return a clock that goes on by a step whenever it is read."""
    numbers = count()
    return lambda: next(numbers) * step


def test_a_budget_ends_by_its_clock_or_by_the_work_that_is_counted() -> None:
    by_clock, by_work = Budget(2.5, ticking()), Budget(2.5)
    by_clock.check()
    by_clock.check()
    with pytest.raises(OutOfBudget, match=r"2\.5 seconds"):
        by_clock.check()
    by_work.spend(2.0)
    with pytest.raises(OutOfBudget):
        by_work.step(100_000)


@pytest.mark.parametrize("ticks", [1, 2, 3, 5, 8, 13, 21, 34, 55])
def test_solving_ends_wherever_the_time_runs_out(ticks: int) -> None:
    pytest.importorskip("ortools", reason="solving formulas needs the extra logic")
    from tsgkit.logic.near_misses import near_misses
    from tsgkit.logic.repairs import repair
    from tsgkit.logic.solver import solve

    for text in (NESTED.format("(InCenter ?d)"), "(exists ?x (and (OnLeftSide ?x) (OnRightSide ?x) (OnTopSide ?x)))"):
        solution = solve(parse(text), budget=Budget(ticks, ticking()))
        assert solution.status in ("not decided", "unsatisfiable")
        if solution.status == "not decided":
            assert f"after {ticks} second" in solution.note
        else:
            assert len(solution.conflict) in (2, 3)
        repaired = repair(parse(text), {"objects": []}, budget=Budget(ticks, ticking()))
        assert repaired.layout is None
        near_misses(parse(text), 2, budget=Budget(ticks, ticking()))


def test_solution_notes_that_a_conflict_may_not_be_minimal() -> None:
    pytest.importorskip("ortools", reason="solving formulas needs the extra logic")
    from tsgkit.logic.solver import solve

    formula = parse("(exists ?x (and (OnLeftSide ?x) (OnTopSide ?x) (Has ?x 'red') (OnRightSide ?x)))")
    notes = {solve(formula, budget=Budget(ticks, ticking())).note for ticks in range(1, 40)}
    assert any("may not be minimal" in note for note in notes)


def test_verdicts_and_clause_forms_end_with_their_budget() -> None:
    things = [{"label": "cup", "box_2d": [20 * number, 0, 20 * number + 10, 10]} for number in range(50)]
    row = "(exists ?a (exists ?b (exists ?c (and (AlignedHorizontally ?a ?b) (AlignedHorizontally ?b ?c) {}))))"
    for profile in ("strict", "official"):
        verdict = verify(row.format("(SmallerThan ?a ?c)"), {"objects": things}, profile, budget=Budget(1.0, ticking()))
        assert (verdict.truth, verdict.reason) == (None, "not decided in 1 second")
    choices = " ".join(f"(and (Is ?x 'a{number}') (Is ?x 'b{number}'))" for number in range(12))
    with pytest.raises(OutOfBudget):
        clause_form(parse(f"(exists ?x (or {choices}))"), budget=Budget(1.0, ticking()))
