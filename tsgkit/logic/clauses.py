"""The clause form of a formula: components of clauses that share variables, K, and what a clause is about.

>>> from tsgkit.logic.parser import parse
>>> form = clause_form(parse("(forall ?x (implies (Is ?x 'cup') (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))"))
>>> form.k, form.text
(2, "(forall ?x (exists ?y (and (or (not (Is ?x 'cup')) (Is ?y 'pen')) (or (not (Is ?x 'cup')) (LeftOf ?y ?x)))))")
>>> [category(clause) for clause in form.clauses]
['condition', 'condition']

K is the number of quantifiers of the longest component. With ``official`` the form is that of the published program,
with its defect: of several conjunctions inside one disjunction only the last is kept.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal as OneOf
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.logic.budget import Budget
from tsgkit.logic.formula import (
    And,
    Atom,
    Comparison,
    Count,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Variable,
    atoms_of,
    free_variables,
    parts_of,
    refuse_deep,
    walk,
    with_parts,
)
from tsgkit.logic.printer import text_of
from tsgkit.logic.variables import apart
from tsgkit.logic.vocabulary import NATURAL, STYLE

MOST_CLAUSES = 20_000
"""A clause form may be exponentially longer than its formula; one with more clauses is refused."""

MOST_QUANTIFIERS = 200
"""A formula with more quantifiers has no clause form here; published ones have ten."""

Quantifier = type[Exists] | type[Forall]
Category = OneOf["object", "attribute", "relation", "condition", "style", "number"]


class Bound(NamedTuple):
    """One quantifier of a prefix."""

    quantifier: Quantifier
    variable: Variable


@dataclass(frozen=True, slots=True)
class Component:
    """Clauses that share variables, and the quantifiers they stand under."""

    prefix: tuple[Bound, ...]
    clauses: tuple[Formula, ...]

    @property
    def formula(self) -> Formula:
        """The component as a formula."""
        return _under(self.prefix, self.clauses[0] if len(self.clauses) == 1 else And(self.clauses))


@dataclass(frozen=True, slots=True)
class ClauseForm:
    """A formula as components, and the comparisons of numbers beside them."""

    components: tuple[Component, ...]
    quantities: tuple[Comparison, ...] = ()

    @property
    def formula(self) -> Formula:
        """The form as one formula."""
        parts = (*(component.formula for component in self.components), *self.quantities)
        return parts[0] if len(parts) == 1 else And(parts)

    @property
    def text(self) -> str:
        """The form as text."""
        return text_of(self.formula)

    @property
    def k(self) -> int:
        """The longest prefix: 0 without components."""
        return max((len(component.prefix) for component in self.components), default=0)

    @property
    def clauses(self) -> tuple[Formula, ...]:
        """All clauses of all components."""
        return tuple(clause for component in self.components for clause in component.clauses)

    @property
    def unordered(self) -> frozenset[object]:
        """What is the same for two forms that differ in the order of components, clauses and literals only."""
        groups = [(one.prefix, frozenset(map(literals, one.clauses))) for one in self.components]
        return frozenset([*groups, *self.quantities])


@dataclass(frozen=True, slots=True)
class _Way:
    """How a form is made: with the published defect or without, and within which budget."""

    official: bool
    budget: Budget


def clause_form(formula: Formula, *, official: bool = False, budget: Budget | None = None) -> ClauseForm:
    """Return the clause form; ``UsageError`` where it would have more than :data:`MOST_CLAUSES` clauses.

    ``OutOfBudget`` where it takes longer than it may: without a budget, it may take any time.
    """
    way = _Way(official, budget or Budget(math.inf))
    refuse_deep(formula)
    _refuse_large(formula)
    formula = apart(formula) if official else apart(_without_iff(formula))
    whole = _clausal(formula, way)
    components: list[Component] = []
    quantities: list[Comparison] = []
    for part in _conjuncts(whole):
        if isinstance(part, Comparison):
            quantities.append(_quantity(part, way))
        else:
            components += _components(part, way)
    return ClauseForm(tuple(components), tuple(quantities))


def form_of_text(cnf: Formula) -> ClauseForm:
    """Return a formula that is in clause form already, taken apart: for comparing a stored one."""
    parts = _conjuncts(cnf)
    components = []
    for part in (one for one in parts if not isinstance(one, Comparison)):
        prefix, matrix = _peeled(part)
        components.append(Component(prefix, _conjuncts(matrix)))
    return ClauseForm(tuple(components), tuple(one for one in parts if isinstance(one, Comparison)))


def literals(clause: Formula) -> frozenset[Formula]:
    """Return the disjuncts of a clause."""
    return frozenset(clause.parts if isinstance(clause, Or) else (clause,))


def category(clause: Formula) -> Category:
    """Return what a clause is about; a clause of several literals is a condition, a negated one counts as what it
    negates.

    >>> from tsgkit.logic.parser import parse
    >>> [category(parse(text)) for text in ("(Is ?x 'cup')", "(OnTopSide ?x)", "(not (On ?x ?y))", "(IsStyle 'photo')")]
    ['object', 'attribute', 'relation', 'style']
    """
    if isinstance(clause, Not):
        return category(clause.body)
    if isinstance(clause, Comparison):
        return "number"
    if not isinstance(clause, Atom):
        return "condition"
    if clause.name == "Is":
        return "object"
    if NATURAL.predicates.get(clause.name) == (STYLE,):
        return "style"
    return "relation" if sum(isinstance(arg, Variable) for arg in clause.args) > 1 else "attribute"


def object_classes(formula: Formula) -> tuple[str, ...]:
    """Return the classes a formula names by ``Is``, each once, in the order they are named."""
    named = (atom.args[-1] for atom in atoms_of(formula) if atom.name == "Is" and len(atom.args) == 2)
    return tuple(dict.fromkeys(term.text for term in named if not isinstance(term, Variable)))


def closures(formula: Formula) -> tuple[frozenset[Variable], ...]:
    """Return the quantified variables in groups: those that atoms of several variables link, directly or through
    others.

    >>> from tsgkit.logic.parser import parse
    >>> text = "(exists ?a (exists ?b (exists ?c (and (LeftOf ?a ?c) (Is ?b 'cup')))))"
    >>> [sorted(variable.name for variable in group) for group in closures(parse(text))]
    [['?a', '?c'], ['?b']]

    The largest group is K as it is defined; variables of an implication are linked only by what it says of both.
    """
    formula = apart(formula)
    groups: list[set[Variable]] = [{part.variable} for _, part in walk(formula) if isinstance(part, Exists | Forall)]
    for atom in atoms_of(formula):
        linked = [group for group in groups if group & _variables(atom)]
        if len(linked) > 1:
            for group in linked[1:]:
                linked[0] |= group
                groups.remove(group)
    return tuple(map(frozenset, groups))


def k_as_defined(formula: Formula) -> int:
    """Return the number of variables of the largest closure: 0 without quantifiers."""
    return max(map(len, closures(formula)), default=0)


def _variables(atom: Atom) -> set[Variable]:
    return {arg for arg in atom.args if isinstance(arg, Variable)}


def _conjuncts(formula: Formula) -> tuple[Formula, ...]:
    return formula.parts if isinstance(formula, And) else (formula,)


def _without_iff(formula: Formula) -> Formula:
    """Return both implications for every ``iff``, so that renaming tells the copies of a quantifier apart."""
    parts = [_without_iff(part) for part in parts_of(formula)]
    if isinstance(formula, Iff):
        left, right = parts
        return And((Implies(left, right), Implies(right, left)))
    return with_parts(formula, parts)


def _clausal(formula: Formula, way: _Way) -> Formula:
    way.budget.step()
    match formula:
        case Implies(left, right):
            return _clausal(Or((Not(left), right)), way)
        case Iff(left, right):
            return _clausal(And((Implies(left, right), Implies(right, left))), way)
        case Not(body):
            return _negated(formula, body, way)
        case Exists(variable, body) | Forall(variable, body):
            return type(formula)(variable, _clausal(body, way))
        case And(parts):
            return And(tuple(_flat(And, (_clausal(part, way) for part in parts))))
        case Or(parts):
            return _disjunction([_clausal(part, way) for part in parts], way)
    return formula


def _negated(formula: Formula, body: Formula, way: _Way) -> Formula:
    match body:
        case Not(inner):
            return _clausal(inner, way)
        case And(parts):
            return _clausal(Or(tuple(map(Not, parts))), way)
        case Or(parts):
            return _clausal(And(tuple(map(Not, parts))), way)
        case Implies(left, right):
            return _clausal(And((left, Not(right))), way)
        case Iff(left, right):
            return _clausal(Or((And((left, Not(right))), And((right, Not(left))))), way)
        case Exists(variable, inner):
            return _clausal(Forall(variable, Not(inner)), way)
        case Forall(variable, inner):
            return _clausal(Exists(variable, Not(inner)), way)
    return formula


def _flat(kind: type[And] | type[Or], parts: Iterable[Formula]) -> Iterator[Formula]:
    for part in parts:
        if isinstance(part, kind):
            yield from part.parts
        else:
            yield part


def _disjunction(parts: Sequence[Formula], way: _Way) -> Formula:
    """Return a disjunction of clausal parts, made clausal: the first quantifier goes out, until there is none."""
    way.budget.step(len(parts))
    parts = tuple(_flat(Or, parts))
    prefix: list[Bound] = []
    while len(parts) > 1 and (found := next((one for one in parts if isinstance(one, Exists | Forall)), None)):
        prefix.append(Bound(type(found), found.variable))
        parts = tuple(_flat(Or, (found.body if one is found else one for one in parts)))
    made = parts[0] if len(parts) == 1 else _distributed(parts, way)
    return _under(prefix, made)


def _distributed(parts: tuple[Formula, ...], way: _Way) -> Formula:
    conjunctions = [part for part in parts if isinstance(part, And)]
    if not conjunctions:
        return Or(parts)
    if way.official:
        others = [part for part in parts if not isinstance(part, And)]
        return And(tuple(_disjunction([*others, part], replace(way, official=True)) for part in conjunctions[-1].parts))
    choices = [_conjuncts(part) for part in parts]
    _refuse_many(choices)
    return And(tuple(_flat(And, (_disjunction(choice, replace(way, official=False)) for choice in product(*choices)))))


def _refuse_many(choices: Sequence[Sequence[Formula]]) -> None:
    many = 1
    for choice in choices:
        many *= len(choice)
    if many > MOST_CLAUSES:
        hint = "disjunctions of conjunctions multiply; nothing but the clause form needs it"
        raise UsageError(f"the clause form would have more than {MOST_CLAUSES:,} clauses", hint=hint)


def _refuse_large(formula: Formula) -> None:
    """Refuse what no instruction looks like and recursion or memory would not bear."""
    parts, quantifiers = _expanded(formula)
    if parts > MOST_CLAUSES or quantifiers > MOST_QUANTIFIERS:
        hint = f"at most {MOST_CLAUSES:,} parts and {MOST_QUANTIFIERS} quantifiers; every iff doubles what it holds"
        raise UsageError(
            f"the formula is too large for a clause form: {parts:,} parts once iff is written out", hint=hint
        )


def _expanded(formula: Formula) -> tuple[int, int]:
    """Return how many sub-formulas, and quantifiers among them, there are once every ``iff`` is two implications."""
    sizes = [_expanded(part) for part in parts_of(formula)]
    times = 2 if isinstance(formula, Iff) else 1
    parts, quantifiers = 1 + times * sum(size for size, _ in sizes), times * sum(many for _, many in sizes)
    return parts, quantifiers + isinstance(formula, Exists | Forall)


def _quantity(comparison: Comparison, way: _Way) -> Comparison:
    """Return a comparison whose counted bodies are separated into components."""
    bodies = []
    for side in (comparison.left, comparison.right):
        if isinstance(side, Count):
            components = _components(_clausal(side.body, way), way)
            bodies.append(ClauseForm(tuple(components)).formula)
    made = with_parts(comparison, bodies)
    assert isinstance(made, Comparison)  # noqa: S101  (with_parts keeps the kind)
    return made


def _components(formula: Formula, way: _Way) -> Iterator[Component]:
    prefix, matrix = _peeled(_prenex(formula, way))
    if not way.official:
        matrix = _clausal(matrix, replace(way, official=False))
    clauses = _conjuncts(matrix)
    for group in _groups(clauses, way.budget):
        chosen = tuple(clauses[number] for number in group)
        variables = frozenset[Variable]().union(*map(free_variables, chosen))
        yield Component(tuple(bound for bound in prefix if bound.variable in variables), chosen)


def _peeled(formula: Formula) -> tuple[tuple[Bound, ...], Formula]:
    prefix = []
    while isinstance(formula, Exists | Forall):
        prefix.append(Bound(type(formula), formula.variable))
        formula = formula.body
    return tuple(prefix), formula


def _prenex(formula: Formula, way: _Way) -> Formula:
    """Return all quantifiers in front, in the order they are met: none stands in a ``not`` any more."""
    prefix: list[Bound] = []
    matrix = _pulled(formula, prefix, way.budget)
    return _under(prefix, matrix)


def _under(prefix: Sequence[Bound], formula: Formula) -> Formula:
    for quantifier, variable in reversed(prefix):
        formula = quantifier(variable, formula)
    return formula


def _pulled(formula: Formula, prefix: list[Bound], budget: Budget) -> Formula:
    budget.step()
    if isinstance(formula, Exists | Forall):
        bound = Bound(type(formula), formula.variable)
        if bound not in prefix:  # distributing copies a part with its quantifiers: one binds all copies
            prefix.append(bound)
        return _pulled(formula.body, prefix, budget)
    if isinstance(formula, And | Or):
        return type(formula)(tuple(_flat(type(formula), [_pulled(part, prefix, budget) for part in formula.parts])))
    return formula


def _groups(clauses: Sequence[Formula], budget: Budget) -> Iterator[list[int]]:
    """Yield the numbers of clauses that share variables, breadth-first from the smallest of each group."""
    neighbours: dict[int, set[int]] = {number: set() for number in range(len(clauses))}
    last: dict[Variable, int] = {}
    for number, clause in enumerate(clauses):
        budget.step()
        for variable in free_variables(clause):
            if variable in last:
                neighbours[last[variable]].add(number)
                neighbours[number].add(last[variable])
            last[variable] = number
    seen: set[int] = set()
    for start in neighbours:
        if start in seen:
            continue
        group, waiting = [], deque([start])
        seen.add(start)
        while waiting:
            group.append(number := waiting.popleft())
            new = sorted(neighbours[number] - seen)
            seen.update(new)
            waiting.extend(new)
        yield group
