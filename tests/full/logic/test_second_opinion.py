"""Answers about made-up formulas, each put to a second opinion; ``TSGKIT_FUZZ`` times as many with that variable.

A layout must satisfy its formula by the plain evaluators of ``logic.naive``. A formula that is called unsatisfiable
must have no layout of up to four objects by z3 (``logic.layouts_by_z3``), which knows nothing of the toolkit's solver.
Formulas are of all shapes: quantifiers anywhere, variables without a class, denials, vacuous parts, choices,
conditions, counts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from fuzzing import TIMES
from logic import layouts_by_z3, made_up_formulas, naive

from tsgkit.errors import UsageError
from tsgkit.logic.formula import And, Formula, Not
from tsgkit.logic.printer import text_of
from tsgkit.logic.solver import solve

OBJECTS = 4
MILLISECONDS = 500
"""How long z3 may think about each number of objects."""


@dataclass
class Tally:
    """Answers by what became of them, and the wrong ones with their formulas."""

    counts: Counter[str] = field(default_factory=Counter)
    undecided: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def made_up(seed: int, number: int) -> Formula:
    """Return the formula of this number."""
    random = Random(f"{seed}/{number}")

    def part(*depths: int) -> Formula:
        return made_up_formulas.formula(random, deepest=random.choice(depths))

    one, kind = part(3, 4, 5), random.random()
    if kind < 0.35:
        return And((one, part(3, 4)))
    if kind < 0.5:
        return And((one, part(3), part(3)))
    return Not(one) if kind < 0.65 else one


def judge(formula: Formula, tally: Tally) -> None:
    """Solve a formula, and have the answer looked at."""
    try:
        solution = solve(formula)
    except UsageError as problem:
        tally.counts["refused"] += 1
        tally.undecided.append(f"{problem.message}: {text_of(formula)}")
        return
    tally.counts[solution.status] += 1
    fault = ""
    if solution.status == "not decided":
        tally.undecided.append(f"{solution.note}: {text_of(formula)}")
    elif solution.layout is not None:
        value = solution.layout.value
        if not naive.strict(formula, value):
            fault = f"{value} does not satisfy it (strict)"
        elif "official" in solution.profiles and not naive.official(naive.lift(naive.tree(formula)), value):
            fault = f"{value} does not satisfy it (official)"
    else:
        opinion = layouts_by_z3.opinion_on(formula, OBJECTS, milliseconds=MILLISECONDS)
        tally.counts["unsatisfiable, z3 does not know"] += opinion.satisfiable is None
        fault = f"{opinion.layout} satisfies it" if opinion.satisfiable else ""
    if fault:
        tally.wrong.append(f"{solution.status}, but {fault}: {text_of(formula)}")


def test_solver_agrees_with_z3_and_leaves_few_formulas_undecided() -> None:
    tally = Tally()
    for number in range(200 * TIMES):
        judge(made_up(TIMES, number), tally)
    assert not tally.wrong
    assert len(tally.undecided) <= 2 * TIMES, tally.undecided
    assert tally.counts["satisfiable"] > 80 * TIMES
    assert tally.counts["unsatisfiable"] > 30 * TIMES
