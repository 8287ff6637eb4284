"""Witnesses: the number of objects that suffices to satisfy a formula, if it is satisfiable.

>>> from tsgkit.logic.parser import parse
>>> formula = parse("(forall ?x (implies (Is ?x 'cup') (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))")
>>> [candidate.label for candidate in Domain(formula).candidates()]
['cup', 'pen']
>>> pizzas = "(forall ?p (implies (Is ?p 'pizza') (exists ?q (and (Is ?q '{}') (RightOf ?q ?p)))))"
>>> Domain(parse(pizzas.format("plate"))).last_round, Domain(parse(pizzas.format("pizza"))).last_round
(2, None)

Objects can be removed from a layout that satisfies a formula (in the profile ``strict``) as long as a witness is left
for every object that must exist: for each ``exists``, each condition that must apply, each count, and each negated
``forall``. A witness depends on the objects that the universal variables around it stand for, so there is one for each
choice of them among the required classes. If this number is finite (:attr:`Domain.last_round`), that many objects
suffice. If it is not, because every pizza requires another one, no sufficient number is known. But universal variables
can be restricted to the first objects: a formula that is unsatisfiable even then is unsatisfiable
(:meth:`Domain.rounds`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.logic import formula as fol
from tsgkit.logic.clauses import object_classes
from tsgkit.logic.formula import Formula, Variable, conditions_of, conjuncts, free_variables, parts_of, peeled
from tsgkit.logic.vocabulary import KNOLLING

MOST_CANDIDATES = 60
MOST_VISITS = 10_000
"""The maximum number of visited parts. Nested conditions and the sides of every iff are visited several times."""
FEWER = "count fewer objects, or bind fewer variables"
Classes = frozenset[str]


class TooManyObjects(UsageError):
    """An error about a formula that needs too many objects."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object that may be in a layout: its class, the variable it is for, and whether it may be absent.

    A candidate for a variable without a class may be of a class in ``others`` instead. ``age`` is the round of
    witnesses in which it was added.
    """

    label: str
    variable: Variable | None = None
    optional: bool = False
    others: tuple[str, ...] = ()
    age: int = 0

    @property
    def labels(self) -> tuple[str, ...]:
        """All classes the candidate may have."""
        return (self.label, *self.others)


@dataclass(frozen=True, eq=False, slots=True)
class WitnessRange:
    """A range for which witnesses are needed: one per object of some classes, or a fixed number."""

    labels: Classes
    many: int | None = None


Scope = Mapping[Variable, frozenset[WitnessRange]]
"""The ranges that the object of each variable depends on."""


class Witness(NamedTuple):
    """An object that must exist: its variable, its possible classes, and the ranges it depends on.

    ``sure`` if one must exist in every layout that satisfies the formula.
    """

    variable: Variable
    labels: tuple[str, ...]
    depends: frozenset[WitnessRange]
    sure: bool


class CountBounds(NamedTuple):
    """The least and the greatest number of objects counted. With ``either``, one of the two bounds suffices; else
    both hold."""

    counted: fol.Count
    least: int | None
    most: int | None
    either: bool = False


def bounds_of(comparison: fol.Comparison, *, truth: bool) -> CountBounds | None:
    """Return the bounds that a comparison, or its negation, puts on a count.

    Return None unless a count is compared with a number.
    """
    name, left, right = comparison.name, comparison.left, comparison.right
    if isinstance(right, fol.Count):
        name, left, right = MIRRORED.get(name, name), right, left
    if not isinstance(left, fol.Count) or isinstance(right, fol.Count):
        return None
    if not truth:
        name = DENIED[name]
    low, high = math.floor(right), math.ceil(right)
    limits: Mapping[str, tuple[int | None, int | None]] = {
        "Equals": (high, low),
        "Unequal": (low + 1, high - 1),
        "GreaterThan": (low + 1, None),
        "GreaterThanOrEquals": (high, None),
        "LessThan": (None, high - 1),
        "LessThanOrEquals": (None, low),
    }
    return CountBounds(left, *limits[name], either=name == "Unequal")


MIRRORED = {"GreaterThan": "LessThan", "GreaterThanOrEquals": "LessThanOrEquals"}
DENIED = {"Equals": "Unequal", "GreaterThan": "LessThanOrEquals", "LessThan": "GreaterThanOrEquals"}
MIRRORED |= {value: key for key, value in MIRRORED.items()}
DENIED |= {value: key for key, value in DENIED.items()}


class Domain:
    """The witnesses of a formula and the number of objects they require."""

    def __init__(self, formula: Formula) -> None:
        self.formula = fol.rename_apart(formula)
        classes = object_classes(self.formula)
        unnamed = next(label for label in (*KNOLLING.classes, "thing") if label not in classes)
        self.classes = (*classes, unnamed)
        self.witnesses: list[Witness] = []
        self.compares_counts = False
        self._known: dict[tuple[Variable, int, bool], Classes] = {}
        self._quantified: dict[int, bool] = {}
        self._visits = 0
        self._visit(self.formula, True, {}, sure=True)

    def candidates(self, *, spare: int = 0) -> tuple[Candidate, ...]:
        """Return objects for all witnesses if their number is finite, else some for each, plus ``spare`` objects per
        class. The only object of its class is not optional if it must exist."""
        counts = self._grown([0] * len(self.witnesses))
        while (more := self._grown(counts)) != counts:
            if all(counts) or sum(more) * (1 + spare) > MOST_CANDIDATES:
                break
            counts = more
        needed = self._made([max(1, count) for count in counts], 1 + spare)
        labels = dict.fromkeys(candidate.labels for candidate in needed)
        spares = [Candidate(classes[0], None, True, classes[1:]) for classes in labels for _ in range(spare)]
        return (*needed, *spares)

    def rounds(self, number: int) -> tuple[Candidate, ...]:
        """Return witnesses, the witnesses of those, and so on for ``number`` rounds.

        Restrict the universal variables to the objects of all rounds but the last, and let a witness be at most one
        round later than the objects it depends on. Then these objects satisfy the formula if any layout does. Raise
        ``TooManyObjects`` if there are too many of them.
        """
        counts = [[0] * len(self.witnesses)]
        for _ in range(number):
            counts.append(self._grown(counts[-1]))
        candidates = iter(self._made(counts[-1]))
        aged = []
        for grown in zip(*counts, strict=True):
            for age, (before, after) in enumerate(pairwise(grown)):
                aged += [replace(next(candidates), age=age) for _ in range(after - before)]
        return tuple(aged)

    @property
    def last_round(self) -> int | None:
        """The number of rounds after which no witnesses are added, so that no layout needs more objects; None if it
        is infinite."""
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
            message = f"the formula needs {total} objects, more than {MOST_CANDIDATES}"
            raise TooManyObjects(message, hint=FEWER)
        many = {label: self._size(WitnessRange(frozenset({label})), counts) for label in self.classes}
        candidates: list[Candidate] = []
        for witness, count in zip(self.witnesses, counts, strict=True):
            first, *others = witness.labels
            alone = witness.sure and not others and many[first] == 1 and times == 1
            candidates += [Candidate(first, witness.variable, not alone, tuple(others))] * count
        return tuple(candidates)

    def _grown(self, counts: Sequence[int]) -> list[int]:
        """Return the number of witnesses needed, given the number of objects that universal variables range over."""
        sizes = {ranging: self._size(ranging, counts) for witness in self.witnesses for ranging in witness.depends}
        return [math.prod(sizes[ranging] for ranging in witness.depends) for witness in self.witnesses]

    def _size(self, ranging: WitnessRange, counts: Sequence[int]) -> int:
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
            raise TooManyObjects(f"the formula needs more than {MOST_CANDIDATES} objects", hint=FEWER)
        match formula:
            case fol.And(parts) | fol.Or(parts):
                all_needed = len(parts) == 1 or isinstance(formula, fol.And) is truth
                for part in parts:
                    self._visit(part, truth, scope, sure=sure and all_needed)
            case fol.Not(body):
                self._visit(body, not truth, scope, sure=sure)
            case fol.Implies(left, right):
                self._visit(left, not truth, scope, sure=sure and not truth)
                self._visit(right, truth, scope, sure=sure and not truth)
            case fol.Iff():
                for part in parts_of(formula):
                    self._visit(part, True, scope, sure=False)
                    self._visit(part, False, scope, sure=False)
            case fol.Exists(variable, body):
                if truth:
                    self._some((variable,), body, True, scope, sure=sure)
                else:
                    self._every((variable,), body, False, scope)
            case fol.Forall():
                variables, body = peeled(formula)
                demands = conditions_of(body)
                if truth:
                    for demand in demands or [fol.TRUE]:
                        self._some(variables, demand, True, scope, sure=sure)
                    self._every(variables, body, True, scope, applies=sure)
                else:
                    self._some(variables, body, False, scope, sure=False)
                    for demand in demands:
                        self._every(variables, demand, False, scope)
            case fol.Comparison():
                if bounds := bounds_of(formula, truth=truth):
                    limits = [(bounds.counted, bounds.least or 0, bounds.most is not None and bounds.most >= 0)]
                else:  # both sides count objects: no number of them is known to suffice
                    limits = [(count, 2, True) for count in formula.counts]
                    self.compares_counts = self.compares_counts or bool(limits)
                for counted, least, limited in limits:
                    if least > 0:
                        self._some((counted.variable,), counted.body, True, scope, sure=False, copies=least)
                    if limited:
                        self._every((counted.variable,), counted.body, False, scope)

    def _some(
        self,
        variables: Sequence[Variable],
        body: Formula,
        truth: bool,
        scope: Scope,
        *,
        sure: bool,
        copies: int | None = None,
    ) -> None:
        """Add witnesses for variables, and the objects needed to make a body true, or false, for them."""
        free = free_variables(body)
        depends = frozenset[WitnessRange]().union(
            *(scope[variable] for variable in free if variable in scope and variable not in variables)
        )
        depends |= {WitnessRange(frozenset(), copies)} if copies else frozenset()
        possible = {variable: self._possible(variable, body, truth) for variable in variables}
        if not all(possible.values()):
            return
        for variable in [variable for variable in variables if variable in free] or variables[:1]:
            labels = tuple(label for label in self.classes if label in possible[variable])
            self.witnesses.append(Witness(variable, labels, depends, sure))
        self._visit(body, truth, {**scope, **dict.fromkeys(variables, depends)}, sure=sure)

    def _every(
        self, variables: Sequence[Variable], body: Formula, truth: bool, scope: Scope, *, applies: bool = False
    ) -> None:
        """Add the objects needed to make a body true, or false, for all objects.

        ``applies`` if there are objects and every condition in the body applies to some.
        """
        possible = {variable: self._possible(variable, body, not truth) for variable in variables}
        if not all(possible.values()):
            return
        scope = {**scope, **{variable: frozenset({WitnessRange(labels)}) for variable, labels in possible.items()}}
        for part in conjuncts(body) if applies else [body]:
            if applies and isinstance(part, fol.Implies):
                self._visit(part.antecedent, False, scope, sure=False)
                self._visit(part.consequent, True, scope, sure=True)
            else:
                self._visit(part, truth, scope, sure=applies)

    def _has_quantifiers(self, formula: Formula) -> bool:
        """Return whether a formula needs witnesses. The cache is keyed by id; formulas outlive this domain."""
        if (known := self._quantified.get(id(formula))) is None:
            here = isinstance(formula, fol.Exists | fol.Forall | fol.Comparison)
            known = self._quantified[id(formula)] = here or any(map(self._has_quantifiers, parts_of(formula)))
        return known

    def _possible(self, variable: Variable, formula: Formula, truth: bool) -> Classes:
        """Return the classes of an object for which a formula about it may be true, or false. Cached."""
        key = variable, id(formula), truth
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._found_possible(variable, formula, truth)
        return known

    def _found_possible(self, variable: Variable, formula: Formula, truth: bool) -> Classes:
        everything = frozenset(self.classes)
        match formula:
            case fol.Atom("Is", (first, fol.Literal(text))) if first == variable:
                return frozenset({text}) if truth else everything - {text}
            case fol.Not(body):
                return self._possible(variable, body, not truth)
            case fol.And(parts) | fol.Or(parts):
                possible = [self._possible(variable, part, truth) for part in parts]
                if isinstance(formula, fol.And) is truth:
                    return everything.intersection(*possible)
                return frozenset[str]().union(*possible)
            case fol.Implies(left, right):
                sides = self._possible(variable, left, not truth), self._possible(variable, right, truth)
                return sides[0] | sides[1] if truth else sides[0] & sides[1]
            case fol.Iff(left, right):
                ways = ((True, truth), (False, not truth))
                return frozenset[str]().union(
                    *(self._possible(variable, left, a) & self._possible(variable, right, b) for a, b in ways)
                )
            case fol.Exists(_, body):
                return self._possible(variable, body, truth)
            case fol.Forall():
                _, body = peeled(formula)
                demands = [] if truth else conditions_of(body)
                possible = [self._possible(variable, demand, False) for demand in demands]
                return self._possible(variable, body, truth).union(*possible)
        return everything
