"""Which clauses of a formula a layout fails, and what they are about.

>>> from tsgkit.logic.parsing import parse
>>> cup = {"label": "cup", "color": "blue", "box_2d": [600, 0, 700, 90]}
>>> formula = parse("(exists ?x (and (Is ?x 'cup') (Has ?x 'red') (OnLeftSide ?x) (OnTopSide ?x)))")
>>> blamed = clauses_held(formula, {"objects": [cup]})
>>> [clause.text for clause in blamed if not clause.holds]
["(Has ?x 'red')", '(OnLeftSide ?x)']

A clause says nothing apart from the quantifiers above it. So the clauses of a component are taken up one after the
other, classes first, then what is said of one object, of two, and conditions; a clause that cannot hold together with
those taken up before fails, and is left out. A formula that is false although all clauses hold (its conditions apply to
nothing) fails by its conditions.
"""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.errors import UsageError
from tsgkit.logic.clauses import Component, category, clause_form
from tsgkit.logic.formula import Formula
from tsgkit.logic.printing import text_of
from tsgkit.logic.strict import verify_strict

ORDER = ("style", "object", "attribute", "relation", "condition", "number")
WORK = 200_000
"""Steps for one clause; beyond, a clause counts as failed."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, what it is about, and whether it holds."""

    text: str
    category: str
    holds: bool


def clauses_of(formula: Formula, *, hold: bool) -> tuple[Clause, ...]:
    """All clauses, of which all hold or none; nothing for a formula whose clause form is too long."""
    try:
        form = clause_form(formula)
    except UsageError:
        return ()
    every = (*form.clauses, *form.quantities)
    return tuple(Clause(text_of(one), category(one), hold) for one in every)


def clauses_held(formula: Formula, scene: object, *, grounded: bool = False) -> tuple[Clause, ...]:
    """All clauses, as far as they hold together on a layout that does not satisfy the formula."""
    try:
        form = clause_form(formula)
    except UsageError:
        return ()
    found = [clause for part in form.components for clause in _component(part, scene, grounded)]
    found += [Clause(text_of(one), category(one), _holds(one, scene, grounded)) for one in form.quantities]
    if all(clause.holds for clause in found):
        found = [Clause(one.text, one.category, one.category != "condition") for one in found]
    return tuple(found)


def _component(part: Component, scene: object, grounded: bool) -> list[Clause]:
    if _holds(part.formula, scene, grounded):
        return [Clause(text_of(one), category(one), holds=True) for one in part.clauses]
    kept: list[Formula] = []
    held: dict[int, bool] = {}
    for number in sorted(range(len(part.clauses)), key=lambda place: ORDER.index(category(part.clauses[place]))):
        tried = Component(part.prefix, (*kept, part.clauses[number]))
        held[number] = _holds(tried.formula, scene, grounded)
        if held[number]:
            kept.append(part.clauses[number])
    return [Clause(text_of(one), category(one), held[place]) for place, one in enumerate(part.clauses)]


def _holds(formula: Formula, scene: object, grounded: bool) -> bool:
    return verify_strict(formula, scene, grounded=grounded, work=WORK, explain=False).truth is True
