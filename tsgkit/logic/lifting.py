"""Lifting: moving conjuncts out of each ``exists`` whose variable they do not mention, so that a search becomes a tree.

>>> from tsgkit.logic.parser import parse
>>> from tsgkit.logic.printer import text_of
>>> text_of(lifted(parse("(exists ?x (exists ?y (and (Is ?x 'cup') (Is ?y 'pen'))))")))
"(and (exists ?y (Is ?y 'pen')) (exists ?x (Is ?x 'cup')))"

It works bottom-up, without flattening or renaming; a ``forall`` is moved only as a conjunct. The rule is exactly the
published one: on a layout without objects, the lifted formula may differ in truth from the original.
"""

from __future__ import annotations

from tsgkit.logic.formula import (
    And,
    Atom,
    Comparison,
    Count,
    Exists,
    Forall,
    Formula,
    Variable,
    parts_of,
    walk,
    with_parts,
)


def lifted(formula: Formula) -> Formula:
    """Return the lifted form of a formula."""
    formula = with_parts(formula, [lifted(part) for part in parts_of(formula)])
    if not isinstance(formula, Exists) or not isinstance(formula.body, And):
        return formula
    variable, parts = formula.variable, formula.body.parts
    staying = tuple(part for part in parts if mentions(part, variable))
    leaving = tuple(part for part in parts if not mentions(part, variable))
    if staying or not leaving:
        leaving = (*leaving, Exists(variable, staying[0] if len(staying) == 1 else And(staying)))
    return leaving[0] if len(leaving) == 1 else And(leaving)


def mentions(formula: Formula, variable: Variable) -> bool:
    """Return whether a variable occurs in a formula, including as the variable of a quantifier."""
    return any(_mentions_itself(part, variable) for _, part in walk(formula))


def _mentions_itself(formula: Formula, variable: Variable) -> bool:
    match formula:
        case Atom(_, args):
            return variable in args
        case Exists(bound, _) | Forall(bound, _):
            return bound == variable
        case Comparison(_, left, right):
            return any(isinstance(side, Count) and side.variable == variable for side in (left, right))
    return False
