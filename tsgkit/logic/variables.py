"""Renaming of variables that gives each binder a unique name.

>>> from tsgkit.logic.parser import parse
>>> from tsgkit.logic.printer import text_of
>>> text_of(rename_apart(parse("(and (exists ?x (Is ?x 'cup')) (exists ?x (Is ?x 'pen')))")))
"(and (exists ?x (Is ?x 'cup')) (exists ?x_1 (Is ?x_1 'pen')))"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tsgkit.logic.formula import (
    Atom,
    Comparison,
    Count,
    Exists,
    Forall,
    Formula,
    Number,
    Variable,
    free_variables,
    parts_of,
    with_parts,
)


def rename_apart(formula: Formula) -> Formula:
    """Return the formula with a unique name for each binder.

    Binders are renamed from left to right: the first one keeps its name, later ones get _1, _2, ...
    """
    return _Names({variable.name for variable in free_variables(formula)}).renamed(formula, {})


class _Names:
    def __init__(self, taken: set[str]) -> None:
        self.taken = taken

    def fresh(self, variable: Variable) -> Variable:
        name, number = variable.name, 0
        while name in self.taken:
            number += 1
            name = f"{variable.name}_{number}"
        self.taken.add(name)
        return Variable(name)

    def renamed(self, formula: Formula, names: Mapping[Variable, Variable]) -> Formula:
        match formula:
            case Atom(name, args):
                return Atom(name, tuple(names.get(arg, arg) if isinstance(arg, Variable) else arg for arg in args))
            case Exists(variable, body) | Forall(variable, body):
                new = self.fresh(variable)
                return type(formula)(new, self.renamed(body, {**names, variable: new}))
            case Comparison(name, left, right):
                return Comparison(name, self.number(left, names), self.number(right, names))
        return with_parts(formula, [self.renamed(part, names) for part in parts_of(formula)])

    def number(self, number: Number, names: Mapping[Variable, Variable]) -> Number:
        if not isinstance(number, Count):
            return number
        new = self.fresh(number.variable)
        return replace(number, variable=new, body=self.renamed(number.body, {**names, number.variable: new}))
