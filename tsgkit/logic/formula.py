"""First-order formulas about the objects of a layout, as values.

>>> x, cup = Variable("?x"), Literal("cup")
>>> formula = Exists(x, And((Atom("Is", (x, cup)), Not(Atom("OnLeftSide", (x,))))))
>>> [atom.name for atom in atoms_of(formula)], free_variables(formula), free_variables(formula.body)
(['Is', 'OnLeftSide'], frozenset(), frozenset({Variable(name='?x')}))
>>> formula == Exists(x, And((Atom("Is", (x, cup)), Not(Atom("OnLeftSide", (x,)))))), len({formula, formula})
(True, 1)

Equality is of structure: ``(and A B)`` and ``(and B A)`` are two formulas. ``And(())`` is true and ``Or(())`` false.
Parser, printer, verifier and solver refuse formulas nested deeper than :data:`MAX_DEPTH`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tsgkit.errors import UsageError

MAX_DEPTH = 100
"""The maximum nesting depth of a formula. The published instructions of ten objects stay below thirty."""
MOST = 1e300
"""The exclusive bound on the absolute value of numbers in a formula."""
VARIABLE_NAME = re.compile(r"""\?[^\s()'"]+""")
PREDICATE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
KEYWORDS = frozenset({"and", "or", "not", "implies", "iff", "exists", "forall", "Count"})
COMPARISONS = ("Equals", "GreaterThan", "LessThan", "GreaterThanOrEquals", "LessThanOrEquals")


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable bound by a quantifier. Its name begins with a question mark."""

    name: str

    def __post_init__(self) -> None:
        if not VARIABLE_NAME.fullmatch(self.name):
            raise UsageError(f"{self.name!r} is not a variable name", hint="names look like ?cup")


@dataclass(frozen=True, slots=True)
class Literal:
    """A value: the name of a class, a color or a style."""

    text: str


Term: TypeAlias = Variable | Literal


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate and its arguments."""

    name: str
    args: tuple[Term, ...]

    def __post_init__(self) -> None:
        if not PREDICATE_NAME.fullmatch(self.name) or self.name in KEYWORDS or self.name in COMPARISONS:
            raise UsageError(f"{self.name!r} is not a predicate name", hint="names look like LeftOf")


@dataclass(frozen=True, slots=True)
class Not:
    """A negation."""

    body: Formula


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction. Without parts it is true."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction. Without parts it is false."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    """An implication: false only if the antecedent is true and the consequent is false."""

    antecedent: Formula
    consequent: Formula


@dataclass(frozen=True, slots=True)
class Iff:
    """An equivalence: true if both sides are true or both are false."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Exists:
    """An existential quantifier: true if an object makes the body true."""

    variable: Variable
    body: Formula


@dataclass(frozen=True, slots=True)
class Forall:
    """A universal quantifier: true if every object makes the body true.

    The verification profiles define when a ``forall`` that applies to no object is false.
    """

    variable: Variable
    body: Formula


@dataclass(frozen=True, slots=True)
class Count:
    """The number of objects that make the body true. It is a number, not a formula."""

    variable: Variable
    body: Formula


Number: TypeAlias = int | float | Count


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of two numbers by one of :data:`COMPARISONS`."""

    name: str
    left: Number
    right: Number

    def __post_init__(self) -> None:
        if self.name not in COMPARISONS:
            raise UsageError(f"{self.name!r} is not a comparison", hint="one of: " + ", ".join(COMPARISONS))
        if any(not isinstance(side, Count) and not abs(side) < MOST for side in (self.left, self.right)):
            raise UsageError(f"{self.name} needs numbers smaller than {MOST:g}")


Formula: TypeAlias = Atom | Not | And | Or | Implies | Iff | Exists | Forall | Comparison
Path: TypeAlias = tuple[int, ...]
"""The path of a sub-formula: the index of the part at each level, () for the whole formula."""


def parts_of(formula: Formula) -> tuple[Formula, ...]:
    """Return the direct sub-formulas in written order; for a comparison, the bodies of its counts."""
    match formula:
        case And(parts) | Or(parts):
            return parts
        case Not(body) | Exists(_, body) | Forall(_, body):
            return (body,)
        case Implies(left, right) | Iff(left, right):
            return (left, right)
        case Comparison(_, left, right):
            return tuple(side.body for side in (left, right) if isinstance(side, Count))
    return ()


def with_parts(formula: Formula, parts: Sequence[Formula]) -> Formula:
    """Return the formula with its direct sub-formulas replaced by the same number of others.

    >>> with_parts(Not(And(())), [Or(())])
    Not(body=Or(parts=()))
    """
    match formula:
        case And() | Or():
            return type(formula)(tuple(parts))
        case Not() | Exists() | Forall():
            return replace(formula, body=parts[0])
        case Implies() | Iff():
            return type(formula)(*parts)
        case Comparison(name, left, right):
            bodies = iter(parts)
            sides = [replace(side, body=next(bodies)) if isinstance(side, Count) else side for side in (left, right)]
            return Comparison(name, *sides)
    return formula


def walk(formula: Formula) -> Iterator[tuple[Path, Formula]]:
    """Yield every sub-formula with its path, in written order, starting with the whole formula."""
    waiting: list[tuple[Path, Formula]] = [((), formula)]
    while waiting:
        path, one = waiting.pop()
        yield path, one
        parts = parts_of(one)
        waiting.extend(((*path, number), parts[number]) for number in reversed(range(len(parts))))


def atoms_of(formula: Formula) -> Iterator[Atom]:
    """Return an iterator over all atoms in written order, including repeats."""
    return (one for _, one in walk(formula) if isinstance(one, Atom))


def free_variables(formula: Formula) -> frozenset[Variable]:
    """Return the variables that no quantifier or count binds."""
    match formula:
        case Atom(_, args):
            return frozenset(arg for arg in args if isinstance(arg, Variable))
        case Exists(variable, body) | Forall(variable, body):
            return free_variables(body) - {variable}
        case Comparison(_, left, right):
            counts = [side for side in (left, right) if isinstance(side, Count)]
            return frozenset[Variable]().union(*(free_variables(one.body) - {one.variable} for one in counts))
    return frozenset[Variable]().union(*map(free_variables, parts_of(formula)))


def depth(formula: Formula) -> int:
    """Return the nesting depth of a formula: 1 for an atom."""
    deepest, waiting = 0, [(1, formula)]
    while waiting:
        level, one = waiting.pop()
        deepest = max(deepest, level)
        waiting.extend((level + 1, part) for part in parts_of(one))
    return deepest


def refuse_deep(formula: Formula) -> None:
    """Raise ``UsageError`` if the formula is nested deeper than :data:`MAX_DEPTH`."""
    if (levels := depth(formula)) > MAX_DEPTH:
        raise UsageError(
            f"the formula is nested {levels} levels deep, more than {MAX_DEPTH}",
            hint="conjunctions inside conjunctions can be written as one",
        )
