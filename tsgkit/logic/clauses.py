"""The clause form of a formula: components of clauses that share variables, K, and the categories of clauses.

>>> from tsgkit.logic.parser import parse
>>> form = clause_form(parse("(forall ?x (implies (Is ?x 'cup') (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))"))
>>> form.k, form.text
(2, "(forall ?x (exists ?y (and (or (not (Is ?x 'cup')) (Is ?y 'pen')) (or (not (Is ?x 'cup')) (LeftOf ?y ?x)))))")
>>> [category(clause) for clause in form.clauses]
['condition', 'condition']

K is the number of quantifiers of the longest component. With ``official`` the form is that of the published program,
including its defect: of several conjunctions inside one disjunction, it keeps only the last.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal as OneOf
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.logic import formula as fol
from tsgkit.logic.budget import Budget
from tsgkit.logic.formula import (
    Formula,
    Variable,
    atoms_of,
    free_variables,
    parts_of,
    rename_apart,
    text_of,
    with_parts,
)
from tsgkit.logic.vocabulary import NATURAL, STYLE

MOST_CLAUSES = 20_000
"""The maximum number of clauses. A clause form may be exponentially longer than its formula."""

MOST_QUANTIFIERS = 200
"""The maximum number of quantifiers. Published formulas have at most ten."""

Quantifier = type[fol.Exists] | type[fol.Forall]
Category = OneOf["object", "attribute", "relation", "condition", "style", "number"]


class PrefixQuantifier(NamedTuple):
    """A quantifier of a prefix."""

    quantifier: Quantifier
    variable: Variable


@dataclass(frozen=True, slots=True)
class Component:
    """Clauses that share variables, and the quantifiers in front of them."""

    prefix: tuple[PrefixQuantifier, ...]
    clauses: tuple[Formula, ...]

    @property
    def formula(self) -> Formula:
        """The component as a formula."""
        return _under(self.prefix, fol.conjunction(self.clauses))


@dataclass(frozen=True, slots=True)
class ClauseForm:
    """A formula in clause form: its components and its comparisons of numbers."""

    components: tuple[Component, ...]
    quantities: tuple[Formula, ...] = ()

    @property
    def formula(self) -> Formula:
        """The form as one formula."""
        return fol.conjunction((*(component.formula for component in self.components), *self.quantities))

    @property
    def text(self) -> str:
        """The form as text."""
        return text_of(self.formula)

    @property
    def k(self) -> int:
        """The length of the longest prefix: 0 without components."""
        return max((len(component.prefix) for component in self.components), default=0)

    @property
    def clauses(self) -> tuple[Formula, ...]:
        """All clauses of all components."""
        return tuple(clause for component in self.components for clause in component.clauses)

    @property
    def unordered(self) -> frozenset[object]:
        """A key that is equal for forms that differ only in the order of components, clauses and literals."""
        groups = [(component.prefix, frozenset(map(literals, component.clauses))) for component in self.components]
        return frozenset([*groups, *self.quantities])


@dataclass(frozen=True, slots=True)
class _Mode:
    official: bool
    budget: Budget


def clause_form(formula: Formula, *, official: bool = False, budget: Budget | None = None) -> ClauseForm:
    """Return the clause form of a formula.

    Raise ``UsageError`` if it would have more than :data:`MOST_CLAUSES` clauses, and ``OutOfBudget`` if the budget is
    used up. Without a budget the time is not limited.
    """
    mode = _Mode(official, budget or Budget(math.inf))
    fol.refuse_deep(formula)
    parts, quantifiers = _expanded(formula)
    if parts > MOST_CLAUSES or quantifiers > MOST_QUANTIFIERS:
        hint = f"at most {MOST_CLAUSES:,} parts and {MOST_QUANTIFIERS} quantifiers; every iff doubles what it holds"
        size = f"{parts:,} parts once iff is written out"
        raise UsageError(f"the formula is too large for a clause form: {size}", hint=hint)
    formula = rename_apart(formula) if official else rename_apart(_without_iff(formula))
    whole = _clausal(formula, mode)
    components: list[Component] = []
    quantities: list[Formula] = []
    for part in _conjuncts(whole):
        if isinstance(part, fol.Comparison):
            counted = [ClauseForm(tuple(_components(_clausal(body, mode), mode))).formula for body in parts_of(part)]
            quantities.append(with_parts(part, counted))
        else:
            components += _components(part, mode)
    return ClauseForm(tuple(components), tuple(quantities))


def form_of_text(cnf: Formula) -> ClauseForm:
    """Split a formula that is already in clause form into components, to compare it with a computed form."""
    parts = _conjuncts(cnf)
    components = []
    for matrix in [part for part in parts if not isinstance(part, fol.Comparison)]:
        prefix: list[PrefixQuantifier] = []
        clauses: Formula = matrix
        while isinstance(clauses, fol.Exists | fol.Forall):
            prefix.append(PrefixQuantifier(type(clauses), clauses.variable))
            clauses = clauses.body
        components.append(Component(tuple(prefix), _conjuncts(clauses)))
    return ClauseForm(tuple(components), tuple(part for part in parts if isinstance(part, fol.Comparison)))


def literals(clause: Formula) -> frozenset[Formula]:
    """Return the literals of a clause."""
    return frozenset(clause.parts if isinstance(clause, fol.Or) else (clause,))


def category(clause: Formula) -> Category:
    """Return the category of a clause.

    A clause of several literals is a condition. A negated literal has the category of its atom.

    >>> from tsgkit.logic.parser import parse
    >>> [category(parse(text)) for text in ("(Is ?x 'cup')", "(OnTopSide ?x)", "(not (On ?x ?y))", "(IsStyle 'photo')")]
    ['object', 'attribute', 'relation', 'style']
    """
    if isinstance(clause, fol.Not):
        return category(clause.body)
    if isinstance(clause, fol.Comparison):
        return "number"
    if not isinstance(clause, fol.Atom):
        return "condition"
    if clause.name == "Is":
        return "object"
    if NATURAL.predicates.get(clause.name) == (STYLE,):
        return "style"
    return "relation" if sum(isinstance(arg, Variable) for arg in clause.args) > 1 else "attribute"


def object_classes(formula: Formula) -> tuple[str, ...]:
    """Return the classes that a formula names in ``Is``, each once, in order of first mention."""
    terms = (atom.args[-1] for atom in atoms_of(formula) if atom.name == "Is" and len(atom.args) == 2)
    return tuple(dict.fromkeys(term.text for term in terms if not isinstance(term, Variable)))


def closures(formula: Formula) -> tuple[frozenset[Variable], ...]:
    """Group the quantified variables: atoms of several variables link them, directly or through others.

    >>> from tsgkit.logic.parser import parse
    >>> text = "(exists ?a (exists ?b (exists ?c (and (LeftOf ?a ?c) (Is ?b 'cup')))))"
    >>> [sorted(variable.name for variable in group) for group in closures(parse(text))]
    [['?a', '?c'], ['?b']]

    The size of the largest group is the defined K. An implication links variables only through atoms that mention both.
    """
    formula = rename_apart(formula)
    groups: list[set[Variable]] = [
        {part.variable} for _, part in fol.walk(formula) if isinstance(part, fol.Exists | fol.Forall)
    ]
    for atom in atoms_of(formula):
        linked = [group for group in groups if not group.isdisjoint(atom.args)]
        if len(linked) > 1:
            for group in linked[1:]:
                linked[0] |= group
                groups.remove(group)
    return tuple(map(frozenset, groups))


def k_as_defined(formula: Formula) -> int:
    """Return the number of variables in the largest closure: 0 without quantifiers."""
    return max(map(len, closures(formula)), default=0)


def _conjuncts(formula: Formula) -> tuple[Formula, ...]:
    return formula.parts if isinstance(formula, fol.And) else (formula,)


def _without_iff(formula: Formula) -> Formula:
    """Replace every ``iff`` by two implications, so that renaming gives the copies of a quantifier different names."""
    parts = [_without_iff(part) for part in parts_of(formula)]
    if isinstance(formula, fol.Iff):
        left, right = parts
        return fol.And((fol.Implies(left, right), fol.Implies(right, left)))
    return with_parts(formula, parts)


def _clausal(formula: Formula, mode: _Mode) -> Formula:
    """Return a formula with negations at its atoms and conjunctions outside of disjunctions."""
    mode.budget.step()
    match formula:
        case fol.And(parts):
            return fol.And(tuple(_flat(fol.And, (_clausal(part, mode) for part in parts))))
        case fol.Or(parts):
            return _disjunction([_clausal(part, mode) for part in parts], mode)
        case fol.Exists(variable, body) | fol.Forall(variable, body):
            return type(formula)(variable, _clausal(body, mode))
        case fol.Implies(left, right):
            equivalent: Formula = fol.Or((fol.Not(left), right))
        case fol.Iff(left, right):
            equivalent = fol.And((fol.Implies(left, right), fol.Implies(right, left)))
        case fol.Not(fol.Not(body)):
            equivalent = body
        case fol.Not(fol.And(parts)):
            equivalent = fol.Or(tuple(map(fol.Not, parts)))
        case fol.Not(fol.Or(parts)):
            equivalent = fol.And(tuple(map(fol.Not, parts)))
        case fol.Not(fol.Implies(left, right)):
            equivalent = fol.And((left, fol.Not(right)))
        case fol.Not(fol.Iff(left, right)):
            equivalent = fol.Or((fol.And((left, fol.Not(right))), fol.And((right, fol.Not(left)))))
        case fol.Not(fol.Exists(variable, body)):
            equivalent = fol.Forall(variable, fol.Not(body))
        case fol.Not(fol.Forall(variable, body)):
            equivalent = fol.Exists(variable, fol.Not(body))
        case _:
            return formula
    return _clausal(equivalent, mode)


def _flat(kind: type[fol.And] | type[fol.Or], parts: Iterable[Formula]) -> Iterator[Formula]:
    for part in parts:
        if isinstance(part, kind):
            yield from part.parts
        else:
            yield part


def _disjunction(parts: Sequence[Formula], mode: _Mode) -> Formula:
    """Convert a disjunction of clausal parts, moving its quantifiers out one by one."""
    mode.budget.step(len(parts))
    parts = tuple(_flat(fol.Or, parts))
    prefix: list[PrefixQuantifier] = []
    while len(parts) > 1:
        bound = next((part for part in parts if isinstance(part, fol.Exists | fol.Forall)), None)
        if bound is None:
            break
        prefix.append(PrefixQuantifier(type(bound), bound.variable))
        parts = tuple(_flat(fol.Or, (bound.body if part is bound else part for part in parts)))
    conjunctions = [part for part in parts if isinstance(part, fol.And)]
    if len(parts) == 1:
        return _under(prefix, parts[0])
    if not conjunctions:
        return _under(prefix, fol.Or(parts))
    if mode.official:
        others = [part for part in parts if not isinstance(part, fol.And)]
        clauses = (_disjunction([*others, part], mode) for part in conjunctions[-1].parts)
        return _under(prefix, fol.And(tuple(clauses)))
    choices = [_conjuncts(part) for part in parts]
    if math.prod(map(len, choices)) > MOST_CLAUSES:
        hint = "disjunctions of conjunctions multiply; only the clause form is affected"
        raise UsageError(f"the clause form would have more than {MOST_CLAUSES:,} clauses", hint=hint)
    distributed = (_disjunction(choice, mode) for choice in product(*choices))
    return _under(prefix, fol.And(tuple(_flat(fol.And, distributed))))


def _expanded(formula: Formula) -> tuple[int, int]:
    """Return the numbers of sub-formulas and of quantifiers after every ``iff`` is replaced by two implications."""
    sizes = [_expanded(part) for part in parts_of(formula)]
    times = 2 if isinstance(formula, fol.Iff) else 1
    parts, quantifiers = 1 + times * sum(size for size, _ in sizes), times * sum(many for _, many in sizes)
    return parts, quantifiers + isinstance(formula, fol.Exists | fol.Forall)


def _components(formula: Formula, mode: _Mode) -> Iterator[Component]:
    prefix: list[PrefixQuantifier] = []
    matrix = _pulled(formula, prefix, mode.budget)
    if not mode.official:
        matrix = _clausal(matrix, mode)
    clauses = _conjuncts(matrix)
    for group in _groups(clauses, mode.budget):
        chosen = tuple(clauses[number] for number in group)
        variables = frozenset[Variable]().union(*map(free_variables, chosen))
        yield Component(tuple(bound for bound in prefix if bound.variable in variables), chosen)


def _under(prefix: Sequence[PrefixQuantifier], formula: Formula) -> Formula:
    for quantifier, variable in reversed(prefix):
        formula = quantifier(variable, formula)
    return formula


def _pulled(formula: Formula, prefix: list[PrefixQuantifier], budget: Budget) -> Formula:
    """Return the matrix, and append all quantifiers in order of occurrence. None is negated at this point."""
    budget.step()
    if isinstance(formula, fol.Exists | fol.Forall):
        bound = PrefixQuantifier(type(formula), formula.variable)
        if bound not in prefix:  # distribution copies a part with its quantifiers; one quantifier binds all copies
            prefix.append(bound)
        return _pulled(formula.body, prefix, budget)
    if isinstance(formula, fol.And | fol.Or):
        return type(formula)(tuple(_flat(type(formula), [_pulled(part, prefix, budget) for part in formula.parts])))
    return formula


def _groups(clauses: Sequence[Formula], budget: Budget) -> Iterator[list[int]]:
    """Yield groups of clause numbers that share variables, breadth-first from the smallest number of each group."""
    neighbours: dict[int, set[int]] = {number: set() for number in range(len(clauses))}
    last: dict[Variable, int] = {}
    for number, clause in enumerate(clauses):
        budget.step()
        for variable in free_variables(clause):
            if variable in last:
                neighbours[last[variable]].add(number)
                neighbours[number].add(last[variable])
            last[variable] = number
    reached: set[int] = set()
    for start in neighbours:
        if start in reached:
            continue
        group, waiting = [], deque([start])
        reached.add(start)
        while waiting:
            group.append(number := waiting.popleft())
            new = sorted(neighbours[number] - reached)
            reached.update(new)
            waiting.extend(new)
        yield group
