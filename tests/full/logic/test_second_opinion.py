"""Answers about made-up formulas, each put to a second opinion; ``TSGKIT_FUZZ`` times as many with that variable.

A layout must satisfy its formula by the plain evaluators of ``logic.naive``. A formula that is called unsatisfiable
must have no layout of up to four objects by z3, which is told what the profile ``strict`` says and nothing of the
toolkit: boxes that share no area on a canvas of 1000 by 1000, one class and one color each. Edges are real numbers, so
that a layout is found too which whole numbers do not allow. Formulas are of all shapes: quantifiers anywhere, variables
without a class, denials, vacuous parts, choices, conditions, counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

import z3
from fuzzing import TIMES
from logic import made_up_formulas, naive
from logic.naive import Env, Strict, comparisons

from tsgkit.errors import UsageError
from tsgkit.logic import formula as f
from tsgkit.logic.formula import And, Formula, Not, text_of
from tsgkit.logic.solver import solve

# ruff: noqa: ANN401  (z3's expressions have no common type)

OTHER = f.Literal("something else")


class Opinion(NamedTuple):
    """Whether so many objects can satisfy a formula, and a layout where they can; None where z3 does not know."""

    satisfiable: bool | None
    layout: dict[str, Any] | None = None


def opinion_on(formula: f.Formula, most: int, *, milliseconds: int) -> Opinion:
    """Return the first layout of up to so many objects."""
    known = True
    for many in range(most + 1):
        expansion = _Expansion(formula, many)
        expansion.solver.set("timeout", milliseconds)
        answer = str(expansion.solver.check())
        if answer == "sat":
            return Opinion(True, expansion.layout())
        known &= answer == "unsat"
    return Opinion(False if known else None)


class _Expansion(Strict):
    both = staticmethod(lambda parts: z3.And(list(parts)))
    either = staticmethod(lambda parts: z3.Or(list(parts)))
    denied = staticmethod(z3.Not)

    def __init__(self, formula: f.Formula, many: int) -> None:
        super().__init__(list(range(many)))
        self.solver = z3.Solver()
        values: list[Any] = [
            [*dict.fromkeys(atom.args[-1] for atom in f.atoms_of(formula) if atom.name == name), OTHER]
            for name in ("Is", "Has")
        ]
        self.classes, self.colors = values
        self.label = [self._choice(f"class_{one}", self.classes) for one in self.objects]
        self.color = [self._choice(f"color_{one}", self.colors) for one in self.objects]
        self.box = [[z3.Real(f"{edge}_{one}") for edge in ("x1", "y1", "x2", "y2")] for one in self.objects]
        for x1, y1, x2, y2 in self.box:
            self.solver.add(x1 >= 0, x1 < x2, x2 <= 1000, y1 >= 0, y1 < y2, y2 <= 1000)
        for (ax1, ay1, ax2, ay2), (bx1, by1, bx2, by2) in combinations(self.box, 2):
            self.solver.add(z3.Or(ax2 <= bx1, bx2 <= ax1, ay2 <= by1, by2 <= ay1))
        self.solver.add(self.truth(formula, {}, ()))

    def _choice(self, name: str, values: Sequence[Any]) -> Any:
        made = z3.Int(name)
        self.solver.add(made >= 0, made < len(values))
        return made

    def layout(self) -> dict[str, Any]:
        """Return what z3 found, as a layout is written in files."""
        model = self.solver.model()

        def number(expression: Any) -> float:
            value = model.eval(expression, model_completion=True)
            if z3.is_algebraic_value(value):
                value = value.approx(30)
            return float(value.as_fraction()) if z3.is_rational_value(value) else float(value.as_long())

        return {
            "objects": [
                {
                    "label": self.classes[int(number(self.label[one]))].text,
                    "color": self.colors[int(number(self.color[one]))].text,
                    "box_2d": [number(edge) for edge in self.box[one]],
                }
                for one in self.objects
            ]
        }

    def number(self, number: float | f.Count, env: Env, around: tuple[int, ...]) -> Any:
        if not isinstance(number, f.Count):
            return z3.RealVal(str(number))
        bodies = self.inner(number.variable, number.body, env, around)
        return z3.Sum([z3.RealVal(0), *(z3.If(body, z3.RealVal(1), z3.RealVal(0)) for body in bodies)])

    def atom(self, atom: f.Atom, env: Env) -> Any:
        things = [env[arg] for arg in atom.args if isinstance(arg, f.Variable)]
        if atom.name == "Is":
            return self.label[things[0]] == self.classes.index(atom.args[-1])
        if atom.name == "Has":
            return self.color[things[0]] == self.colors.index(atom.args[-1])
        return z3.And(comparisons(atom.name, self.box[things[0]], self.box[things[-1]]))


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
        opinion = opinion_on(formula, OBJECTS, milliseconds=MILLISECONDS)
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
