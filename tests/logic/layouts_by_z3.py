"""A second opinion on satisfiability: layouts of so many objects, found by z3 from the semantics written out plainly.

Everything here is written from what the profile ``strict`` says: boxes that share no area on a canvas of 1000 by 1000,
one class and one color each, and a formula expanded over all objects. Nothing of the toolkit decides anything. Edges
are real numbers, so that a layout is found too which whole numbers do not allow.
"""

# ruff: noqa: ANN401  (z3's expressions have no common type)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

import z3
from logic.naive import compared, comparisons, implications

from tsgkit.logic import formula as f

Env = Mapping[f.Variable, int]
OTHER = "something else"


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


class _Expansion:
    def __init__(self, formula: f.Formula, many: int) -> None:
        self.solver = z3.Solver()
        self.numbers = range(many)
        self.classes = [*self._values(formula, "Is"), OTHER]
        self.colors = [*self._values(formula, "Has"), OTHER]
        self.label = [self._choice(f"class_{one}", self.classes) for one in self.numbers]
        self.color = [self._choice(f"color_{one}", self.colors) for one in self.numbers]
        self.box = [[z3.Real(f"{edge}_{one}") for edge in ("x1", "y1", "x2", "y2")] for one in self.numbers]
        for x1, y1, x2, y2 in self.box:
            self.solver.add(x1 >= 0, x1 < x2, x2 <= 1000, y1 >= 0, y1 < y2, y2 <= 1000)
        for (ax1, ay1, ax2, ay2), (bx1, by1, bx2, by2) in combinations(self.box, 2):
            self.solver.add(z3.Or(ax2 <= bx1, bx2 <= ax1, ay2 <= by1, by2 <= ay1))
        self.solver.add(self.truth(formula, {}))

    @staticmethod
    def _values(formula: f.Formula, name: str) -> list[str]:
        found = [atom.args[-1] for atom in f.atoms_of(formula) if atom.name == name]
        return list(dict.fromkeys(one.text for one in found if isinstance(one, f.Literal)))

    def _choice(self, name: str, values: Sequence[str]) -> Any:
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
                    "label": self.classes[int(number(self.label[one]))],
                    "color": self.colors[int(number(self.color[one]))],
                    "box_2d": [number(edge) for edge in self.box[one]],
                }
                for one in self.numbers
            ]
        }

    def truth(self, formula: f.Formula, env: Env) -> Any:
        match formula:
            case f.Atom():
                return self.atom(formula, env)
            case f.And(parts):
                return z3.And([self.truth(one, env) for one in parts])
            case f.Or(parts):
                return z3.Or([self.truth(one, env) for one in parts])
            case f.Not(body):
                return z3.Not(self.truth(body, env))
            case f.Implies(left, right):
                return z3.Or(z3.Not(self.truth(left, env)), self.truth(right, env))
            case f.Iff(left, right):
                return self.truth(left, env) == self.truth(right, env)
            case f.Exists(variable, body):
                return z3.Or([self.truth(body, {**env, variable: one}) for one in self.numbers])
            case f.Forall():
                return self.every(formula, env)
            case f.Comparison(name, left, right):
                return compared(name, self.number(left, env), self.number(right, env))

    def every(self, formula: f.Forall, env: Env) -> Any:
        """Directly nested ones together: there are objects, all do, and each condition applies to some."""
        variables, body = [formula.variable], formula.body
        while isinstance(body, f.Forall):
            variables.append(body.variable)
            body = body.body
        choices = [
            {**env, **dict(zip(variables, chosen, strict=True))}
            for chosen in product(self.numbers, repeat=len(variables))
        ]
        everything = z3.And([self.truth(body, one) for one in choices])
        applied = [z3.Or([self.truth(one.antecedent, env) for env in choices]) for one in implications(body)]
        return z3.And(z3.BoolVal(bool(choices)), everything, *applied)

    def number(self, number: Any, env: Env) -> Any:
        if not isinstance(number, f.Count):
            return z3.RealVal(str(number))
        bodies = [self.truth(number.body, {**env, number.variable: one}) for one in self.numbers]
        return z3.Sum([z3.RealVal(0), *(z3.If(body, z3.RealVal(1), z3.RealVal(0)) for body in bodies)])

    def atom(self, atom: f.Atom, env: Env) -> Any:
        things = [env[arg] for arg in atom.args if isinstance(arg, f.Variable)]
        value = atom.args[-1]
        if isinstance(value, f.Literal) and atom.name == "Is":
            return self.label[things[0]] == self.classes.index(value.text)
        if isinstance(value, f.Literal):
            return self.color[things[0]] == self.colors.index(value.text)
        return z3.And(*comparisons(atom.name, self.box[things[0]], self.box[things[-1]]))
