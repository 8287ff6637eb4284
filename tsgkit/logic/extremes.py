"""Axioms about extreme objects, which hold in every layout because it has finitely many objects.

>>> from tsgkit.logic.parser import parse
>>> from tsgkit.logic.formula import text_of
>>> chain = parse("(forall ?p (implies (Is ?p 'pizza') (exists ?q (and (Is ?q 'pizza') (Above ?q ?p)))))")
>>> text_of(extremes_of(chain)[0])  # doctest: +NORMALIZE_WHITESPACE
"(or (not (exists ?some (and (Is ?some 'pizza'))))
     (exists ?last (and (Is ?last 'pizza')
                        (not (exists ?other (and (Is ?other 'pizza') (CentreAbove ?other ?last)))))))"

Among the objects of a kind, one is leftmost, one rightmost, one topmost and one bottommost, one is the largest and one
the smallest. A formula that requires another object beyond each of them is refuted with such an axiom. Without the
axiom, only infinite layouts would satisfy it, and no search could refute it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tsgkit.logic.formula import (
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    Implies,
    Not,
    Or,
    Variable,
    atoms_of,
    conjuncts,
    free_variables,
    peeled,
    rename_apart,
    walk,
)

BEYOND = {
    "LeftOf": ("CentreLeftOf", "CentreRightOf"),
    "RightOf": ("CentreLeftOf", "CentreRightOf"),
    "Above": ("CentreAbove", "CentreBelow"),
    "Below": ("CentreAbove", "CentreBelow"),
    "LargerThan": ("LargerThan", "SmallerThan"),
    "SmallerThan": ("LargerThan", "SmallerThan"),
}
"""The orders that a predicate implies for two objects. The orders of centres are used only by solvers."""


def extremes_of(formula: Formula) -> list[Formula]:
    """Return formulas saying that, for each kind of object and each order the formula uses, there is an extreme
    object."""
    formula = rename_apart(formula)
    orders = dict.fromkeys(order for atom in atoms_of(formula) for order in BEYOND.get(atom.name, ()))
    kinds = dict.fromkeys(kind for _, part in walk(formula) for kind in _kinds(part))
    return [_extreme(kind, order) for kind in kinds for order in orders]


def _extreme(kind: tuple[Formula, ...], order: str) -> Formula:
    some, last, other = Variable("?some"), Variable("?last"), Variable("?other")
    beyond = Exists(other, And((*_said_of(kind, other), Atom(order, (other, last)))))
    return Or((Not(Exists(some, And(_said_of(kind, some)))), Exists(last, And((*_said_of(kind, last), Not(beyond))))))


def _kinds(part: Formula) -> Iterator[tuple[Formula, ...]]:
    """Yield the atoms about a quantified variable alone, for each variable quantified over in a part."""
    match part:
        case Exists(variable, body):
            yield _alone(variable, conjuncts(body))
        case Forall():
            variables, body = peeled(part)
            for variable in variables:
                yield _alone(variable, conjuncts(body.antecedent) if isinstance(body, Implies) else [])


def _alone(variable: Variable, parts: list[Formula]) -> tuple[Formula, ...]:
    """Return the atoms and negated atoms about one variable alone, with the variable replaced by ``?kind``."""
    found = [part for part in parts if free_variables(part) == {variable}]
    return tuple(_renamed(part, KIND) for part in found if isinstance(part, Atom) or _is_denied_atom(part))


KIND = Variable("?kind")


def _is_denied_atom(part: Formula) -> bool:
    return isinstance(part, Not) and isinstance(part.body, Atom)


def _said_of(kind: tuple[Formula, ...], variable: Variable) -> tuple[Formula, ...]:
    return tuple(_renamed(part, variable) for part in kind)


def _renamed(part: Formula, variable: Variable) -> Formula:
    if isinstance(part, Not):
        return Not(_renamed(part.body, variable))
    assert isinstance(part, Atom)  # noqa: S101  (kinds contain only atoms and their negations)
    return Atom(part.name, tuple(variable if isinstance(arg, Variable) else arg for arg in part.args))
