"""First-order formulas about the objects of a layout: values, their text, renaming and lifting.

>>> x, cup = Variable("?x"), Literal("cup")
>>> formula = Exists(x, And((Atom("Is", (x, cup)), Not(Atom("OnLeftSide", (x,))))))
>>> [atom.name for atom in atoms_of(formula)], free_variables(formula), free_variables(formula.body)
(['Is', 'OnLeftSide'], frozenset(), frozenset({Variable(name='?x')}))
>>> formula == Exists(x, And((Atom("Is", (x, cup)), Not(Atom("OnLeftSide", (x,)))))), len({formula, formula})
(True, 1)

>>> text_of(formula)
"(exists ?x (and (Is ?x 'cup') (not (OnLeftSide ?x))))"

Equality is of structure: ``(and A B)`` and ``(and B A)`` are two formulas. ``And(())`` is true and ``Or(())`` false.
Parser, printer, verifier and solver refuse formulas nested deeper than :data:`MAX_DEPTH`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, TypeAlias

from tsgkit.errors import UsageError

MAX_DEPTH = 100
"""The maximum nesting depth of a formula. The published instructions of ten objects stay below thirty."""
MOST = 1e300
"""The exclusive bound on the absolute value of numbers in a formula."""
VARIABLE_NAME = re.compile(r"""\?[^\s()'"]+""")
PREDICATE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
KEYWORDS = frozenset({"and", "or", "not", "implies", "iff", "exists", "forall", "Count"})
COMPARE: Mapping[str, Callable[..., bool]] = {
    "Equals": operator.eq,
    "GreaterThan": operator.gt,
    "LessThan": operator.lt,
    "GreaterThanOrEquals": operator.ge,
    "LessThanOrEquals": operator.le,
}
COMPARISONS = tuple(COMPARE)


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

    @property
    def counts(self) -> tuple[Count, ...]:
        """The sides that count objects."""
        return tuple(side for side in (self.left, self.right) if isinstance(side, Count))


Formula: TypeAlias = Atom | Not | And | Or | Implies | Iff | Exists | Forall | Comparison
TRUE = And(())
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
        case Comparison():
            return tuple(count.body for count in formula.counts)
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
        path, part = waiting.pop()
        yield path, part
        parts = parts_of(part)
        waiting.extend(((*path, number), parts[number]) for number in reversed(range(len(parts))))


def atoms_of(formula: Formula) -> Iterator[Atom]:
    """Return an iterator over all atoms in written order, including repeats."""
    return (part for _, part in walk(formula) if isinstance(part, Atom))


def free_variables(formula: Formula) -> frozenset[Variable]:
    """Return the variables that no quantifier or count binds."""
    match formula:
        case Atom(_, args):
            return frozenset(arg for arg in args if isinstance(arg, Variable))
        case Exists(variable, body) | Forall(variable, body):
            return free_variables(body) - {variable}
        case Comparison():
            return frozenset[Variable]().union(
                *(free_variables(side.body) - {side.variable} for side in formula.counts)
            )
    return frozenset[Variable]().union(*map(free_variables, parts_of(formula)))


def depth(formula: Formula) -> int:
    """Return the nesting depth of a formula: 1 for an atom."""
    return 1 + max(len(path) for path, _ in walk(formula))


def refuse_deep(formula: Formula) -> None:
    """Raise ``UsageError`` if the formula is nested deeper than :data:`MAX_DEPTH`."""
    if (levels := depth(formula)) > MAX_DEPTH:
        raise UsageError(
            f"the formula is nested {levels} levels deep, more than {MAX_DEPTH}",
            hint="conjunctions inside conjunctions can be written as one",
        )


def conjuncts(formula: Formula) -> list[Formula]:
    """Return the parts of a conjunction, flattening nested conjunctions."""
    return [inner for part in formula.parts for inner in conjuncts(part)] if isinstance(formula, And) else [formula]


def conjunction(parts: Sequence[Formula]) -> Formula:
    """Return the conjunction of some parts: a single part as it is."""
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def peeled(formula: Formula) -> tuple[list[Variable], Formula]:
    """Return the variables of directly nested foralls and the body of the innermost."""
    variables = []
    while isinstance(formula, Forall):
        variables.append(formula.variable)
        formula = formula.body
    return variables, formula


def conditions_of(body: Formula) -> list[Formula]:
    """Return the antecedents of a conjunction of implications: under a ``forall``, each must apply to an object."""
    return [part.antecedent for part in conjuncts(body) if isinstance(part, Implies)]


def demanded_class(variable: Variable, body: Formula) -> str | None:
    """Return the class that a body requires of a variable, or None."""
    match body:
        case Atom("Is", (first, Literal(text))) if first == variable:
            return text
        case And(parts):
            classes = (demanded_class(variable, part) for part in parts)
            return next((label for label in classes if label is not None), None)
        case Exists(bound, inner) if bound != variable:
            return demanded_class(variable, inner)
    return None


def rename_apart(formula: Formula) -> Formula:
    """Return the formula with a unique name for each binder.

    Binders are renamed from left to right: the first one keeps its name, later ones get _1, _2, ...

    >>> cup, pen = (Exists(x := Variable("?x"), Atom("Is", (x, Literal(label)))) for label in ("cup", "pen"))
    >>> text_of(rename_apart(And((cup, pen))))
    "(and (exists ?x (Is ?x 'cup')) (exists ?x_1 (Is ?x_1 'pen')))"
    """
    used = {variable.name for variable in free_variables(formula)}

    def fresh(variable: Variable) -> Variable:
        name, number = variable.name, 0
        while name in used:
            number += 1
            name = f"{variable.name}_{number}"
        used.add(name)
        return Variable(name)

    def renamed(part: Formula, names: Mapping[Variable, Variable]) -> Formula:
        match part:
            case Atom(name, args):
                return Atom(name, tuple(names.get(arg, arg) if isinstance(arg, Variable) else arg for arg in args))
            case Exists(variable, body) | Forall(variable, body):
                new = fresh(variable)
                return type(part)(new, renamed(body, {**names, variable: new}))
            case Comparison(name, left, right):
                return Comparison(name, counted(left, names), counted(right, names))
        return with_parts(part, [renamed(inner, names) for inner in parts_of(part)])

    def counted(number: Number, names: Mapping[Variable, Variable]) -> Number:
        if not isinstance(number, Count):
            return number
        new = fresh(number.variable)
        return Count(new, renamed(number.body, {**names, number.variable: new}))

    return renamed(formula, {})


def lifted(formula: Formula) -> Formula:
    """Move conjuncts out of each ``exists`` whose variable they do not mention, so that a search becomes a tree.

    It works bottom-up, without flattening or renaming; a ``forall`` is moved only as a conjunct. The rule is exactly
    the published one: on a layout without objects, the lifted formula may differ in truth from the original.

    >>> x, y = Variable("?x"), Variable("?y")
    >>> both = And((Atom("Is", (x, Literal("cup"))), Atom("Is", (y, Literal("pen")))))
    >>> text_of(lifted(Exists(x, Exists(y, both))))
    "(and (exists ?y (Is ?y 'pen')) (exists ?x (Is ?x 'cup')))"
    """
    formula = with_parts(formula, [lifted(part) for part in parts_of(formula)])
    if not isinstance(formula, Exists) or not isinstance(formula.body, And):
        return formula
    variable, parts = formula.variable, formula.body.parts
    staying = [part for part in parts if mentions(part, variable)]
    leaving = [part for part in parts if not mentions(part, variable)]
    if staying or not leaving:
        leaving.append(Exists(variable, conjunction(staying)))
    return conjunction(leaving)


def mentions(formula: Formula, variable: Variable) -> bool:
    """Return whether a variable occurs in a formula, including as the variable of a quantifier."""
    for _, part in walk(formula):
        match part:
            case Atom(_, args) if variable in args:
                return True
            case Exists(bound, _) | Forall(bound, _) if bound == variable:
                return True
            case Comparison() if any(count.variable == variable for count in part.counts):
                return True
    return False


def text_of(formula: Formula) -> str:
    """Return a formula as an s-expression with single blanks, which parses back to the same formula.

    It is one line unless a value contains a line break.

    >>> text_of(Exists(Variable("?x"), Atom("Is", (Variable("?x"), Literal("it's")))))
    "(exists ?x (Is ?x 'it\\\\'s'))"
    """
    refuse_deep(formula)
    return _text(formula)


def _text(part: Formula | Number | Term) -> str:
    match part:
        case Variable(name):
            return name
        case Literal(text):
            return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
        case int() | float():
            return repr(part)
        case Atom(name, args):
            words = [name, *map(_text, args)]
        case Comparison(name, left, right):
            words = [name, _text(left), _text(right)]
        case Count(variable, body):
            words = ["Count", variable.name, _text(body)]
        case Exists(variable, body) | Forall(variable, body):
            words = [type(part).__name__.lower(), variable.name, _text(body)]
        case _:
            words = [type(part).__name__.lower(), *map(_text, parts_of(part))]
    return f"({' '.join(words)})"


_KINDS: tuple[Any, ...] = (Atom, Not, And, Or, Implies, Iff, Exists, Forall, Comparison)
for _kind in _KINDS:  # shown by notebooks
    _kind._repr_html_ = lambda formula: f"<pre>{escape(text_of(formula))}</pre>"
