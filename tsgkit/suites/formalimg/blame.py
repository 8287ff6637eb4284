"""Which clauses of a formula a layout fails, and what they are about.

>>> from tsgkit.logic.parsing import parse
>>> cup = {"label": "cup", "color": "blue", "box_2d": [600, 0, 700, 90]}
>>> formula = parse("(exists ?x (and (Is ?x 'cup') (Has ?x 'red') (OnLeftSide ?x) (OnTopSide ?x)))")
>>> [clause.text for clause in clauses_held(formula, {"objects": [cup]}) if not clause.holds]
["(Has ?x 'red')", '(OnLeftSide ?x)']

A clause says nothing apart from the quantifiers above it. So clauses are taken up one after the other, classes first,
then what is said of one object, of two, and what follows from conditions; one that cannot hold together with those
taken up before fails, and is left out. Of a ``forall`` whose condition applies to nothing all clauses fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from tsgkit.logic.clauses import category
from tsgkit.logic.formula import And, Exists, Forall, Formula, Implies, Not, Or, Path, parts_of, with_parts
from tsgkit.logic.printing import text_of
from tsgkit.logic.renaming import apart
from tsgkit.logic.strict import verify_strict

ORDER = ("object", "attribute", "relation", "number", "condition", "style")
TRUE = And(())
WORK = 20_000
"""Steps for one attempt; what takes more counts as failed."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, what it is about, and whether it holds."""

    text: str
    category: str
    holds: bool


class Required(NamedTuple):
    """A part that has to hold, by its place, and what it is as a clause: with the conditions above it negated."""

    path: Path
    clause: Formula


def clauses_of(formula: Formula, *, hold: bool) -> tuple[Clause, ...]:
    """All clauses, of which all hold or none."""
    return tuple(Clause(text_of(one.clause), category(one.clause), hold) for one in required(apart(formula), (), ()))


def clauses_held(formula: Formula, scene: object, *, grounded: bool = False) -> tuple[Clause, ...]:
    """All clauses, as far as they hold together on a layout."""
    formula = apart(formula)
    every = tuple(required(formula, (), ()))
    in_order = sorted(every, key=lambda one: ORDER.index(category(one.clause)))
    kept: set[Path] = set()
    _take_up([one.path for one in in_order], kept, formula, scene, grounded)
    return tuple(Clause(text_of(one.clause), category(one.clause), one.path in kept) for one in every)


def required(formula: Formula, path: Path, conditions: tuple[Formula, ...]) -> Iterator[Required]:
    """The parts of a formula that have to hold."""
    match formula:
        case And(parts):
            for number, part in enumerate(parts):
                yield from required(part, (*path, number), conditions)
        case Exists(_, body) | Forall(_, body):
            yield from required(body, (*path, 0), conditions)
        case Implies(condition, consequent):
            yield from required(consequent, (*path, 1), (*conditions, *_conjuncts(condition)))
        case _:
            yield Required(path, Or((*map(Not, conditions), formula)) if conditions else formula)


def _conjuncts(formula: Formula) -> tuple[Formula, ...]:
    return formula.parts if isinstance(formula, And) else (formula,)


def _take_up(paths: Sequence[Path], kept: set[Path], formula: Formula, scene: object, grounded: bool) -> None:
    """Keep of these parts, in their order, what can hold together; halves are tried where all cannot."""
    if not paths:
        return
    tried = only(formula, kept.union(paths), ())
    if verify_strict(tried, scene, grounded=grounded, work=WORK, explain=False).truth:
        kept.update(paths)
    elif len(paths) > 1:
        middle = len(paths) // 2
        _take_up(paths[:middle], kept, formula, scene, grounded)
        _take_up(paths[middle:], kept, formula, scene, grounded)


def only(formula: Formula, kept: Set[Path], path: Path) -> Formula:
    """A formula with nothing but some of the parts that have to hold."""
    if path in kept:
        return formula
    if not any(one[: len(path)] == path for one in kept):
        return TRUE
    if isinstance(formula, Implies):
        return Implies(formula.antecedent, only(formula.consequent, kept, (*path, 1)))
    parts = [only(part, kept, (*path, number)) for number, part in enumerate(parts_of(formula))]
    return with_parts(formula, parts)
