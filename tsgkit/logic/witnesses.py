"""Witnesses: how many objects suffice to satisfy a formula, if any do.

>>> from tsgkit.logic.parser import parse
>>> formula = parse("(forall ?x (implies (Is ?x 'cup') (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))")
>>> [candidate.label for candidate in candidates_of(formula)]
['cup', 'pen']

From a layout that satisfies a formula (in the profile ``strict``), objects can be taken away as long as a witness is
left for everything that must exist: for each ``exists``, for each condition that must apply, for what is counted, and
for each ``forall`` that is denied. A witness depends on the objects that the universal variables around it stand for,
so there is one for each choice of them, of the classes of which something is demanded. Where such a count comes to an
end, that many objects suffice (:func:`is_enough`). Where it does not, as every pizza asks for another one, no number is
known to suffice; but universal variables may be restricted to the first objects, and what cannot be satisfied even then
cannot be satisfied at all (:meth:`Domain.rounds`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from tsgkit.errors import UsageError
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
    Literal,
    Not,
    Or,
    Variable,
    atoms_of,
    free_variables,
    parts_of,
)
from tsgkit.logic.variables import apart
from tsgkit.logic.vocabulary import KNOLLING

TRUE = And(())
MOST_CANDIDATES = 60
MOST_VISITS = 10_000
"""Conditions of conditions, and the sides of every iff, are looked at more than once each, and that adds up."""
FEWER = "count fewer objects, or bind fewer variables"
Classes = frozenset[str]


class TooMany(UsageError):
    """A formula that asks for too many objects."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object that may be in a layout: its class, the variable it is for, and whether it may be absent.

    One for a variable without a class may be of ``others`` instead. ``age`` is how many rounds of witnesses it took.
    """

    label: str
    variable: Variable | None = None
    optional: bool = False
    others: tuple[str, ...] = ()
    age: int = 0

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes it may be of."""
        return (self.label, *self.others)


@dataclass(frozen=True, eq=False, slots=True)
class Ranging:
    """What a witness is needed for each of: objects of some classes, or a fixed number."""

    labels: Classes
    many: int | None = None


Scope = Mapping[Variable, frozenset[Ranging]]
"""What the objects depend on that variables stand for."""


class Witness(NamedTuple):
    """What must exist: the variable that stands for it, its classes, and what there must be one for each of.

    ``sure`` where one must be there whatever else holds.
    """

    variable: Variable
    labels: tuple[str, ...]
    depends: frozenset[Ranging]
    sure: bool


class Bounds(NamedTuple):
    """How many objects must be counted at least, and may be at most; ``either`` of the two where true, else both."""

    counted: Count
    least: int | None
    most: int | None
    either: bool = False


def bounds_of(comparison: Comparison, *, truth: bool) -> Bounds | None:
    """Return what a comparison, or its denial, says of how many are counted; None unless it is of a count and a
    number."""
    name, left, right = comparison.name, comparison.left, comparison.right
    if isinstance(right, Count):
        name, left, right = MIRRORED.get(name, name), right, left
    if not isinstance(left, Count) or isinstance(right, Count):
        return None
    if not truth:
        name = DENIED[name]
    low, high = math.floor(right), math.ceil(right)
    match name:
        case "Equals":
            return Bounds(left, high, low)
        case "Unequal":
            return Bounds(left, low + 1, high - 1, either=True)
        case "GreaterThan":
            return Bounds(left, low + 1, None)
        case "GreaterThanOrEquals":
            return Bounds(left, high, None)
        case "LessThan":
            return Bounds(left, None, high - 1)
    return Bounds(left, None, low)


MIRRORED = {
    "GreaterThan": "LessThan",
    "LessThan": "GreaterThan",
    "GreaterThanOrEquals": "LessThanOrEquals",
    "LessThanOrEquals": "GreaterThanOrEquals",
}
DENIED = {
    "Equals": "Unequal",
    "Unequal": "Equals",
    "GreaterThan": "LessThanOrEquals",
    "LessThanOrEquals": "GreaterThan",
    "LessThan": "GreaterThanOrEquals",
    "GreaterThanOrEquals": "LessThan",
}


class Domain:
    """The witnesses of a formula, and how many objects they come to."""

    def __init__(self, formula: Formula) -> None:
        self.formula = apart(formula)
        named = dict.fromkeys(_named_classes(self.formula))
        other = next(label for label in (*KNOLLING.classes, "thing") if label not in named)
        self.classes = (*named, other)
        self.witnesses: list[Witness] = []
        self.compares_counts = False
        self._known: dict[tuple[Variable, int, bool], Classes] = {}
        self._quantified: dict[int, bool] = {}
        self._visits = 0
        self._visit(self.formula, True, {}, sure=True)

    def candidates(self, *, spare: int = 0) -> tuple[Candidate, ...]:
        """Return the objects for all witnesses where they come to an end, else some for each; and so many to spare."""
        counts = self._grown([0] * len(self.witnesses))
        while (more := self._grown(counts)) != counts:
            if all(counts) or sum(more) * (1 + spare) > MOST_CANDIDATES:
                break
            counts = more
        made = self._made([max(1, count) for count in counts], 1 + spare)
        labels = dict.fromkeys(candidate.labels for candidate in made)
        spares = [Candidate(one[0], None, True, one[1:]) for one in labels for _ in range(spare)]
        return (*made, *spares)

    def rounds(self, number: int) -> tuple[Candidate, ...]:
        """Witnesses, those of witnesses, and so on for so many rounds.

        Where universal variables are restricted to the objects of all rounds but the last, and a witness is at most one
        round later than the objects it depends on, these objects satisfy the formula if any layout does. ``TooMany``
        where there are too many of them.
        """
        counts = [[0] * len(self.witnesses)]
        for _ in range(number):
            counts.append(self._grown(counts[-1]))
        made = iter(self._made(counts[-1]))
        found = []
        for grown in zip(*counts, strict=True):
            for age, (before, after) in enumerate(pairwise(grown)):
                found += [replace(next(made), age=age) for _ in range(after - before)]
        return tuple(found)

    @property
    def last_round(self) -> int | None:
        """After how many rounds the witnesses come to an end, so that no layout needs more objects; None for never."""
        counts = [0] * len(self.witnesses)
        for rounds in range(len(counts) + 1):
            if (more := self._grown(counts)) == counts:
                return None if self.compares_counts else rounds
            if sum(more) > MOST_CANDIDATES:
                return None
            counts = more
        return None

    def _made(self, counts: Sequence[int], times: int = 1) -> tuple[Candidate, ...]:
        if (total := sum(counts) * times) > MOST_CANDIDATES:
            message = f"the formula asks for {total} objects, more than {MOST_CANDIDATES}"
            raise TooMany(message, hint=FEWER)
        many = {label: self._size(Ranging(frozenset({label})), counts) for label in self.classes}
        made: list[Candidate] = []
        for witness, count in zip(self.witnesses, counts, strict=True):
            first, *others = witness.labels
            alone = witness.sure and not others and many[first] == 1 and times == 1
            made += [Candidate(first, witness.variable, not alone, tuple(others))] * count
        return tuple(made)

    def _grown(self, counts: Sequence[int]) -> list[int]:
        """Return how many witnesses there are, given how many objects universal variables can stand for."""
        sizes = {one: self._size(one, counts) for witness in self.witnesses for one in witness.depends}
        return [math.prod(sizes[one] for one in witness.depends) for witness in self.witnesses]

    def _size(self, ranging: Ranging, counts: Sequence[int]) -> int:
        if ranging.many is not None:
            return ranging.many
        pairs = zip(self.witnesses, counts, strict=True)
        return sum(count for witness, count in pairs if not ranging.labels.isdisjoint(witness.labels))

    def _visit(self, formula: Formula, truth: bool, scope: Scope, *, sure: bool) -> None:
        """Add the witnesses that a formula needs to be true, or to be false."""
        if not self._has_quantifiers(formula):
            return
        self._visits += 1
        if self._visits > MOST_VISITS or len(self.witnesses) > MOST_CANDIDATES:
            raise TooMany(f"the formula asks for more than {MOST_CANDIDATES} objects", hint=FEWER)
        match formula:
            case And(parts) | Or(parts):
                all_needed = len(parts) == 1 or isinstance(formula, And) is truth
                for part in parts:
                    self._visit(part, truth, scope, sure=sure and all_needed)
            case Not(body):
                self._visit(body, not truth, scope, sure=sure)
            case Implies(left, right):
                self._visit(left, not truth, scope, sure=sure and not truth)
                self._visit(right, truth, scope, sure=sure and not truth)
            case Iff():
                for part in parts_of(formula):
                    self._visit(part, True, scope, sure=False)
                    self._visit(part, False, scope, sure=False)
            case Exists(variable, body):
                if truth:
                    self._some((variable,), body, True, scope, sure=sure)
                else:
                    self._every((variable,), body, False, scope)
            case Forall():
                self._visit_forall(formula, truth, scope, sure=sure)
            case Comparison():
                self._visit_comparison(formula, truth, scope)

    def _visit_forall(self, formula: Forall, truth: bool, scope: Scope, *, sure: bool) -> None:
        variables, body = peeled(formula)
        demands = [part.antecedent for part in conjuncts(body) if isinstance(part, Implies)]
        if not truth:
            self._some(variables, body, False, scope, sure=False)
            for demand in demands:
                self._every(variables, demand, False, scope)
            return
        for demand in demands or [TRUE]:
            self._some(variables, demand, True, scope, sure=sure)
        self._every(variables, body, True, scope, applies=sure)

    def _visit_comparison(self, formula: Comparison, truth: bool, scope: Scope) -> None:
        bounds = bounds_of(formula, truth=truth)
        if bounds is None:
            for side in (formula.left, formula.right):
                if isinstance(side, Count):
                    self.compares_counts = True
                    self._counted(side, 2, scope)
                    self._every((side.variable,), side.body, False, scope)
            return
        if bounds.least is not None and bounds.least > 0:
            self._counted(bounds.counted, bounds.least, scope)
        if bounds.most is not None and bounds.most >= 0:
            self._every((bounds.counted.variable,), bounds.counted.body, False, scope)

    def _counted(self, count: Count, many: int, scope: Scope) -> None:
        self._some((count.variable,), count.body, True, scope, sure=False, copies=Ranging(frozenset(), many))

    def _some(
        self,
        variables: Sequence[Variable],
        body: Formula,
        truth: bool,
        scope: Scope,
        *,
        sure: bool,
        copies: Ranging | None = None,
    ) -> None:
        """Add witnesses for variables, and what must exist for a body to be true, or false, of them."""
        free = free_variables(body)
        depends = frozenset[Ranging]().union(*(scope[one] for one in free if one in scope and one not in variables))
        depends |= {copies} if copies else frozenset()
        found = {one: self._possible(one, body, truth) for one in variables}
        if not all(found.values()):
            return
        for one in [one for one in variables if one in free] or variables[:1]:
            labels = tuple(label for label in self.classes if label in found[one])
            self.witnesses.append(Witness(one, labels, depends, sure))
        self._visit(body, truth, {**scope, **dict.fromkeys(variables, depends)}, sure=sure)

    def _every(
        self, variables: Sequence[Variable], body: Formula, truth: bool, scope: Scope, *, applies: bool = False
    ) -> None:
        """Add what must exist for a body to be true, or false, of all objects.

        ``applies`` where there are objects, and all conditions that the body may have apply to some.
        """
        found = {one: self._possible(one, body, not truth) for one in variables}
        if not all(found.values()):
            return
        scope = {**scope, **{one: frozenset({Ranging(labels)}) for one, labels in found.items()}}
        for part in conjuncts(body) if applies else [body]:
            if applies and isinstance(part, Implies):
                self._visit(part.antecedent, False, scope, sure=False)
                self._visit(part.consequent, True, scope, sure=True)
            else:
                self._visit(part, truth, scope, sure=applies)

    def _has_quantifiers(self, formula: Formula) -> bool:
        """Return whether anything in a formula, which lives as long as this, asks for witnesses."""
        if (known := self._quantified.get(id(formula))) is None:
            here = isinstance(formula, Exists | Forall | Comparison)
            known = self._quantified[id(formula)] = here or any(map(self._has_quantifiers, parts_of(formula)))
        return known

    def _possible(self, variable: Variable, formula: Formula, truth: bool) -> Classes:
        """Return the classes of an object for which a formula about it may be true, or may be false; looked up once."""
        key = variable, id(formula), truth
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._found_possible(variable, formula, truth)
        return known

    def _found_possible(self, variable: Variable, formula: Formula, truth: bool) -> Classes:
        everything = frozenset(self.classes)
        match formula:
            case Atom("Is", (first, Literal(text))) if first == variable:
                return frozenset({text}) if truth else everything - {text}
            case Not(body):
                return self._possible(variable, body, not truth)
            case And(parts) | Or(parts):
                found = [self._possible(variable, part, truth) for part in parts]
                if isinstance(formula, And) is truth:
                    return everything.intersection(*found)
                return frozenset[str]().union(*found)
            case Implies(left, right):
                one, other = self._possible(variable, left, not truth), self._possible(variable, right, truth)
                return one | other if truth else one & other
            case Iff(left, right):
                ways = ((True, truth), (False, not truth))
                return frozenset[str]().union(
                    *(self._possible(variable, left, a) & self._possible(variable, right, b) for a, b in ways)
                )
            case Exists(_, body):
                return self._possible(variable, body, truth)
            case Forall():
                return self._possible_for_all(variable, formula, truth)
        return everything

    def _possible_for_all(self, variable: Variable, formula: Forall, truth: bool) -> Classes:
        _, body = peeled(formula)
        found = self._possible(variable, body, truth)
        if truth:
            return found
        demands = [part.antecedent for part in conjuncts(body) if isinstance(part, Implies)]
        return found.union(*(self._possible(variable, demand, False) for demand in demands))


def candidates_of(formula: Formula, *, spare: int = 0) -> tuple[Candidate, ...]:
    """Return an object for every witness a formula asks for, as far as these come to an end, and so many to spare.

    One that is the only one of its class, and must be, is not optional.
    """
    return Domain(formula).candidates(spare=spare)


def is_enough(formula: Formula) -> bool:
    """Return whether, if any layout satisfies a formula, one of its candidates alone does.

    >>> from tsgkit.logic.parser import parse
    >>> chain = "(forall ?p (implies (Is ?p 'pizza') (exists ?q (and (Is ?q '{}') (RightOf ?q ?p)))))"
    >>> is_enough(parse(chain.format("pizza"))), is_enough(parse(chain.format("plate")))
    (False, True)
    """
    return Domain(formula).last_round is not None


def conjuncts(formula: Formula) -> list[Formula]:
    """Return the parts of a conjunction, and of conjunctions that are its parts."""
    return [one for part in formula.parts for one in conjuncts(part)] if isinstance(formula, And) else [formula]


def peeled(formula: Formula) -> tuple[list[Variable], Formula]:
    """Return the variables of directly nested foralls, and the body of the innermost."""
    variables = []
    while isinstance(formula, Forall):
        variables.append(formula.variable)
        formula = formula.body
    return variables, formula


def _named_classes(formula: Formula) -> Iterator[str]:
    for atom in atoms_of(formula):
        if atom.name == "Is":
            yield from (term.text for term in atom.args if isinstance(term, Literal))
