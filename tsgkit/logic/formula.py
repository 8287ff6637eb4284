"""First-order formulas about the objects of a layout, as values.

>>> x, cup = Variable("?x"), Literal("cup")
>>> formula = Exists(x, And((Atom("Is", (x, cup)), Not(Atom("OnLeftSide", (x,))))))
>>> [atom.name for atom in atoms_of(formula)], free_variables(formula), free_variables(formula.body)
(['Is', 'OnLeftSide'], frozenset(), frozenset({Variable(name='?x')}))
>>> formula == Exists(x, And((Atom("Is", (x, cup)), Not(Atom("OnLeftSide", (x,)))))), len({formula, formula})
(True, 1)

Equality is of structure: ``(and A B)`` and ``(and B A)`` are two formulas. ``And(())`` is true and ``Or(())`` false.
A formula nested deeper than :data:`MAX_DEPTH` is refused by everything that reads, writes or judges one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tsgkit.errors import UsageError

MAX_DEPTH = 100
"""How deeply formulas may be nested; the ten-object instructions that are published stay below thirty."""
MOST = 1e300
"""Numbers a formula compares are smaller."""
VARIABLE_NAME = re.compile(r"""\?[^\s()'"]+""")
PREDICATE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
KEYWORDS = frozenset({"and", "or", "not", "implies", "iff", "exists", "forall", "Count"})
COMPARISONS = ("Equals", "GreaterThan", "LessThan", "GreaterThanOrEquals", "LessThanOrEquals")


@dataclass(frozen=True, slots=True)
class Variable:
    """What a quantifier binds; its name begins with a question mark."""

    name: str

    def __post_init__(self) -> None:
        if not VARIABLE_NAME.fullmatch(self.name):
            raise UsageError(f"{self.name!r} is no name of a variable", hint="names look like ?cup")


@dataclass(frozen=True, slots=True)
class Literal:
    """A value: the name of a class, a color, a style."""

    text: str


Term: TypeAlias = Variable | Literal


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate and what it is said of."""

    name: str
    args: tuple[Term, ...]

    def __post_init__(self) -> None:
        if not PREDICATE_NAME.fullmatch(self.name) or self.name in KEYWORDS or self.name in COMPARISONS:
            raise UsageError(f"{self.name!r} is no name of a predicate", hint="names look like LeftOf")


@dataclass(frozen=True, slots=True)
class Not:
    """True where its body is false."""

    body: Formula


@dataclass(frozen=True, slots=True)
class And:
    """True where all parts are; without parts, true."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """True where a part is; without parts, false."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Implies:
    """False only where the antecedent is true and the consequent is not."""

    antecedent: Formula
    consequent: Formula


@dataclass(frozen=True, slots=True)
class Iff:
    """True where both sides are true or both are false."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Exists:
    """True where an object makes the body true."""

    variable: Variable
    body: Formula


@dataclass(frozen=True, slots=True)
class Forall:
    """True where every object makes the body true; profiles add when having no object to speak of is false."""

    variable: Variable
    body: Formula


@dataclass(frozen=True, slots=True)
class Count:
    """How many objects make the body true: a number, not a formula."""

    variable: Variable
    body: Formula


Number: TypeAlias = int | float | Count


@dataclass(frozen=True, slots=True)
class Comparison:
    """One of :data:`COMPARISONS` between two numbers."""

    name: str
    left: Number
    right: Number

    def __post_init__(self) -> None:
        if self.name not in COMPARISONS:
            raise UsageError(f"{self.name!r} compares no numbers", hint="one of: " + ", ".join(COMPARISONS))
        if any(not isinstance(side, Count) and not abs(side) < MOST for side in (self.left, self.right)):
            raise UsageError(f"{self.name} needs numbers smaller than {MOST:g}")


Formula: TypeAlias = Atom | Not | And | Or | Implies | Iff | Exists | Forall | Comparison
Path: TypeAlias = tuple[int, ...]
"""Which part of which part ...: the place of a sub-formula, () for the whole."""


def parts_of(formula: Formula) -> tuple[Formula, ...]:
    """Return the direct sub-formulas, in written order; of a comparison the bodies of what it counts."""
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
    """Return the same formula around other direct sub-formulas, as many as it has.

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
    """Yield every sub-formula with its place, the whole first, in written order."""
    waiting: list[tuple[Path, Formula]] = [((), formula)]
    while waiting:
        path, one = waiting.pop()
        yield path, one
        parts = parts_of(one)
        waiting.extend(((*path, number), parts[number]) for number in reversed(range(len(parts))))


def atoms_of(formula: Formula) -> Iterator[Atom]:
    """Return every atom, in written order, repeats included."""
    return (one for _, one in walk(formula) if isinstance(one, Atom))


def free_variables(formula: Formula) -> frozenset[Variable]:
    """Return the variables that no quantifier or count around them binds."""
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
    """Return how deeply a formula is nested: 1 for an atom."""
    deepest, waiting = 0, [(1, formula)]
    while waiting:
        level, one = waiting.pop()
        deepest = max(deepest, level)
        waiting.extend((level + 1, part) for part in parts_of(one))
    return deepest


def refuse_deep(formula: Formula) -> None:
    """Raise ``UsageError`` for a formula nested deeper than :data:`MAX_DEPTH`."""
    if (levels := depth(formula)) > MAX_DEPTH:
        raise UsageError(
            f"the formula is nested {levels} levels deep, more than {MAX_DEPTH}",
            hint="conjunctions inside conjunctions can be written as one",
        )
