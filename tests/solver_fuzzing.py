"""Put made-up formulas to the solver, and every answer to a second opinion.

python tests/solver_fuzzing.py --count 5000

A layout must satisfy its formula by the plain evaluators of ``logic.naive``. A formula that is called unsatisfiable
must have no layout of up to four objects by z3 (``logic.layouts_by_z3``), which knows nothing of the toolkit's solver.
What is not decided is counted, and so is what z3 does not know. Formulas are of all shapes: quantifiers anywhere,
variables without a class, denials, vacuous parts, choices, conditions, counts.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

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


def main(argv: Sequence[str] | None = None) -> int:
    """Run from the command line; the result is the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=500, help="how many formulas (500)")
    parser.add_argument("--seed", type=int, default=1, help="the seed they are made from (1)")
    chosen, tally = parser.parse_args(argv), Tally()
    for number in range(chosen.count):
        judge(made_up(chosen.seed, number), tally)
    print("\n".join([*(f"WRONG: {text}" for text in tally.wrong), *(f"open: {text}" for text in tally.undecided)]))
    print(", ".join(f"{count:,} {answer}" for answer, count in sorted(tally.counts.items())))
    print(f"{len(tally.wrong)} wrong, {len(tally.undecided)} not decided")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
