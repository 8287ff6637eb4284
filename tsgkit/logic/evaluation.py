"""Formulas compiled for one layout into parts that evaluate themselves and cache their results.

>>> from tsgkit.logic.layouts import Box, Layout, Thing
>>> from tsgkit.logic.parser import parse
>>> layout = Layout((Thing("cup", Box(0, 0, 90, 90)), Thing("pen", Box(100, 0, 190, 90))))
>>> evaluator = Evaluator(layout)
>>> evaluator.prepare(parse("(exists ?x (exists ?y (and (Is ?x 'cup') (Is ?y 'pen') (LeftOf ?x ?y))))")).truth()
True

Conjuncts are moved out of quantifiers they do not depend on, nested ``exists`` are put in the cheapest order, and a
quantifier caches its truth per values of the variables it depends on. A compiled formula belongs to one layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from tsgkit.errors import UsageError
from tsgkit.logic import formula as fol
from tsgkit.logic.formula import Formula, Variable, demanded_class, free_variables, parts_of, peeled
from tsgkit.logic.layouts import RELATIONS, Layout
from tsgkit.logic.verdicts import Meter
from tsgkit.logic.vocabulary import KNOLLING, OBJECT

STEPS_TO_PREPARE = 50
"""The cost of compiling a sub-formula, in steps. Nested conditions are compiled twice each, which adds up."""
MOST_TOGETHER = 40
"""The maximum number of quantifiers searched together."""
MOST_ORDERED = 4_000
"""The maximum of quantifiers times parts for which the order is optimised. Above it, the written order is used."""


class CompiledPart:
    """A compiled sub-formula. Its truth depends on the variables in ``needs``."""

    def __init__(self, evaluator: Evaluator, formula: Formula, needs: Iterable[Variable]) -> None:
        self.evaluator = evaluator
        self.formula = formula
        self.needs = frozenset(needs)

    def truth(self) -> bool:
        """Return whether the part holds for the current values of its variables."""
        raise NotImplementedError


class AtomPart(CompiledPart):
    """An atom."""

    formula: fol.Atom

    def __init__(self, evaluator: Evaluator, atom: fol.Atom) -> None:
        self.variables = tuple(arg for arg in atom.args if isinstance(arg, Variable))
        super().__init__(evaluator, atom, self.variables)
        self.slots = tuple(map(evaluator.slot, self.variables))
        self.first, self.last = self.slots[0], self.slots[-1]
        self.known: dict[tuple[int, int], bool] = {}

    def truth(self) -> bool:
        """Return whether the atom holds, cached per combination of objects."""
        values = self.evaluator.values
        key = (values[self.first], values[self.last])
        if (known := self.known.get(key)) is None:
            things = [self.evaluator.layout.objects[values[slot]] for slot in self.slots]
            name, value = self.formula.name, self.formula.args[-1]
            if isinstance(value, fol.Literal):
                known = things[0].label == value.text if name == "Is" else things[0].has(value.text)
            else:
                known = RELATIONS[name](*[thing.box for thing in things])
            self.known[key] = known
        return known


def all_hold(parts: Iterable[CompiledPart]) -> bool:
    """Return whether all parts hold. Verdicts spend much of their time here: a loop is faster than a generator."""
    for part in parts:  # noqa: SIM110
        if not part.truth():
            return False
    return True


HOLDS: Mapping[type[Formula], Callable[[Sequence[CompiledPart]], bool]] = {
    fol.And: all_hold,
    fol.Or: lambda parts: any(part.truth() for part in parts),
    fol.Not: lambda parts: not parts[0].truth(),
    fol.Implies: lambda parts: not parts[0].truth() or parts[1].truth(),
    fol.Iff: lambda parts: parts[0].truth() == parts[1].truth(),
}


class Connective(CompiledPart):
    """A connective, of a kind in :data:`HOLDS`, and its parts. The formula of a conjunction may be an ``exists``."""

    def __init__(
        self, evaluator: Evaluator, kind: type[Formula], formula: Formula, parts: Iterable[CompiledPart]
    ) -> None:
        self.kind = kind
        self.holds = HOLDS[kind]
        self.parts = tuple(parts)
        super().__init__(evaluator, formula, chain.from_iterable(part.needs for part in self.parts))

    def truth(self) -> bool:
        """Return whether the parts hold as the connective requires."""
        return self.holds(self.parts)


class Quantifier(CompiledPart):
    """A quantifier or count: goes through the objects for its variable, except those already taken by ``others``."""

    def __init__(
        self,
        evaluator: Evaluator,
        formula: Formula,
        variable: Variable,
        others: frozenset[Variable],
        body: CompiledPart,
    ) -> None:
        super().__init__(evaluator, formula, (body.needs | others) - {variable})
        self.variable = variable
        self.others = others
        self.body = body
        self.slot = evaluator.slot(variable)
        self.slots = tuple(sorted(map(evaluator.slot, self.needs)))
        self.other_slots = tuple(map(evaluator.slot, others))
        self.known: dict[tuple[int, ...], int] = {}
        self.matches: list[int] | None = None
        self.rest: list[CompiledPart] = []

    def truth(self) -> bool:
        """Return whether the value is not 0."""
        return bool(self.value())

    def value(self) -> int:
        """Return the result of :meth:`compute`, cached per combination of the variables it depends on."""
        values = self.evaluator.values
        key = tuple([values[slot] for slot in self.slots])
        if (known := self.known.get(key)) is None:
            known = self.known[key] = self.compute()
        return known

    def compute(self) -> int:
        """Compute the truth or the count by going through the choices."""
        raise NotImplementedError

    def choices(self, among: Sequence[int] | None = None) -> Iterator[int]:
        """Assign one object after the other to the variable and yield its number."""
        values, step = self.evaluator.values, self.evaluator.meter.step
        excluded = {values[slot] for slot in self.other_slots}
        for number in range(len(self.evaluator.layout.objects)) if among is None else among:
            step()
            if number not in excluded:
                values[self.slot] = number
                yield number

    def matching(self, parts: Sequence[CompiledPart]) -> list[int]:
        """Return the objects that satisfy the conjuncts about this variable alone. They are computed once."""
        if self.matches is None:
            alone = [part for part in parts if isinstance(part, AtomPart) and part.needs == {self.variable}]
            self.rest = [part for part in parts if part not in alone]
            matches = []
            for number in range(len(self.evaluator.layout.objects)):
                self.evaluator.meter.step()
                self.evaluator.values[self.slot] = number
                if all_hold(alone):
                    matches.append(number)
            self.matches = matches
        return self.matches


class Existential(Quantifier):
    """An existential quantifier."""

    def compute(self) -> int:
        """Return whether a choice makes the body true."""
        matches = self.matching(conjoined(self.body))
        return any(all_hold(self.rest) for _ in self.choices(matches))


class Universal(Quantifier):
    """A universal quantifier: false if there is no object to choose.

    :class:`UniversalBlock` adds the rule about conditions that apply to no object.
    """

    def compute(self) -> int:
        """Return whether there is a choice and every choice makes the body true."""
        excluded = {self.evaluator.values[slot] for slot in self.other_slots}
        if len(excluded) == len(self.evaluator.layout.objects):
            return False
        condition = (
            conjoined(self.body.parts[0]) if isinstance(self.body, Connective) and self.body.kind is fol.Implies else ()
        )
        return all(self.body.truth() for _ in self.choices(self.matching(condition)))


class ObjectCount(Quantifier):
    """The number of objects that make a body true."""

    def compute(self) -> int:
        """Return the number of choices that make the body true."""
        return sum(self.body.truth() for _ in self.choices())


class UniversalBlock(CompiledPart):
    """Directly nested foralls: ``everything`` must hold for every choice; ``applied`` check that each condition applies
    to an object."""

    def __init__(
        self, evaluator: Evaluator, formula: fol.Forall, everything: CompiledPart, applied: Sequence[CompiledPart]
    ) -> None:
        super().__init__(evaluator, formula, chain.from_iterable(part.needs for part in (everything, *applied)))
        self.everything = everything
        self.applied = applied

    def truth(self) -> bool:
        """Return whether all choices satisfy the body and every condition applies to an object."""
        if not self.everything.truth():
            return False
        if all(part.truth() for part in self.applied):
            return True
        self.evaluator.zero_triggers += 1
        return False


class NumberComparison(CompiledPart):
    """A comparison of two numbers, each of them constant or counted."""

    formula: fol.Comparison

    def __init__(self, evaluator: Evaluator, formula: fol.Comparison, sides: Sequence[ObjectCount | float]) -> None:
        counted = [side.needs for side in sides if isinstance(side, ObjectCount)]
        super().__init__(evaluator, formula, chain.from_iterable(counted))
        self.sides = tuple(sides)

    def truth(self) -> bool:
        """Return whether the comparison holds."""
        left, right = self.numbers()
        return fol.COMPARE[self.formula.name](left, right)

    def numbers(self) -> tuple[float, float]:
        """Return the two numbers compared."""
        left, right = (side.value() if isinstance(side, ObjectCount) else side for side in self.sides)
        return left, right


class Search:
    """Nested ``exists`` quantifiers that are searched together and can be put in any order.

    The quantifier whose parts depend on the fewest other variables goes first; among equals, the innermost.
    """

    def __init__(self, scope: tuple[Variable, ...]) -> None:
        self.scope = scope
        self.waiting: dict[Variable, tuple[fol.Exists, tuple[Variable, ...]]] = {}  # with the variables around each
        self.parts: list[CompiledPart] = []

    def linked(self, variable: Variable, around: tuple[Variable, ...]) -> tuple[Variable, ...]:
        """Return the variables, bound around this one or inside it, that it must differ from if variables are
        distinct."""
        outer = [bound for bound in around if bound in self.waiting or bound in self.scope]
        return (*outer, *(bound for bound, (_, outside) in self.waiting.items() if variable in outside))

    def next_variable(
        self, parts: Sequence[CompiledPart], others: Callable[[Variable, tuple[Variable, ...]], frozenset[Variable]]
    ) -> Variable:
        """Return the variable whose quantifier is wrapped around its parts next."""
        variables = list(reversed(self.waiting))
        if len(variables) == 1 or len(parts) * len(variables) > MOST_ORDERED:
            return variables[0]

        def width(variable: Variable) -> int:
            needs = [part.needs for part in parts if variable in part.needs]
            return len(others(variable, self.linked(variable, self.waiting[variable][1])).union(*needs))

        return min(variables, key=width)


class Evaluator:
    """A layout and the objects currently assigned to the variables."""

    def __init__(self, layout: Layout, *, distinct: bool = False, meter: Meter | None = None) -> None:
        self.layout = layout
        self.distinct = distinct
        self.meter = meter or Meter()
        self.values: list[int] = []
        self.slots: dict[Variable, int] = {}
        self.classes: dict[Variable, str | None] = {}
        self.zero_triggers = 0

    def prepare(self, formula: Formula) -> CompiledPart:
        """Compile a formula. Raise ``UsageError`` if a layout cannot decide it."""
        refuse_unjudgeable(formula)
        return self.part(fol.rename_apart(formula), ())

    def slot(self, variable: Variable) -> int:
        """Return the index of a variable in ``values``."""
        if variable not in self.slots:
            self.slots[variable] = len(self.values)
            self.values.append(0)
        return self.slots[variable]

    def part(self, formula: Formula, scope: tuple[Variable, ...]) -> CompiledPart:
        """Compile a sub-formula; ``scope`` holds the variables bound around it."""
        self.meter.step(STEPS_TO_PREPARE)
        match formula:
            case fol.Atom():
                return AtomPart(self, formula)
            case fol.And() | fol.Exists():
                parts = self.conjuncts(formula, scope)
                return parts[0] if len(parts) == 1 else Connective(self, fol.And, formula, parts)
            case fol.Or() | fol.Not() | fol.Implies() | fol.Iff():
                parts = [self.part(inner, scope) for inner in parts_of(formula)]
                return Connective(self, type(formula), formula, parts)
            case fol.Comparison(_, left, right):
                return NumberComparison(self, formula, [self.number(left, scope), self.number(right, scope)])
            case fol.Forall():
                return self.universal(formula, scope)

    def conjuncts(self, formula: Formula, scope: tuple[Variable, ...]) -> list[CompiledPart]:
        """Compile a formula into parts that must all hold, moving parts out of each ``exists`` they do not depend
        on."""
        if isinstance(formula, fol.And):
            return cheap_first(conjunct for part in formula.parts for conjunct in self.conjuncts(part, scope))
        search = Search(scope)
        self.gather(formula, scope, search)
        parts = search.parts
        while search.waiting:
            variable = search.next_variable(parts, self.others)
            exists, around = search.waiting.pop(variable)
            others = self.others(variable, search.linked(variable, around))
            staying = cheap_first(part for part in parts if variable in part.needs)
            body = staying[0] if len(staying) == 1 else Connective(self, fol.And, exists.body, staying)
            leaving = [part for part in parts if variable not in part.needs]
            parts = [*leaving, Existential(self, exists, variable, others, body)]
        return cheap_first(parts)

    def gather(self, formula: Formula, around: tuple[Variable, ...], search: Search) -> None:
        """Collect nested ``exists`` quantifiers and conjunctions into a search."""
        if isinstance(formula, fol.And) and search.waiting:
            for part in formula.parts:
                self.gather(part, around, search)
        elif isinstance(formula, fol.Exists) and len(search.waiting) < MOST_TOGETHER:
            self.classes[formula.variable] = demanded_class(formula.variable, formula.body)
            search.waiting[formula.variable] = formula, around
            self.gather(formula.body, (*around, formula.variable), search)
        elif isinstance(formula, fol.Exists):
            search.parts += self.conjuncts(formula, around)
        else:
            search.parts.append(self.part(formula, around))

    def universal(self, formula: fol.Forall, scope: tuple[Variable, ...]) -> CompiledPart:
        """Compile directly nested foralls, with the conditions that must apply to an object."""
        variables, body = peeled(formula)
        inside = (*scope, *variables)
        condition = body.antecedent if isinstance(body, fol.Implies) else None
        for variable in variables:
            self.classes[variable] = demanded_class(variable, condition) if condition else None
        part = self.part(body, inside)
        for index in reversed(range(len(variables))):
            around = (*scope, *variables[:index])
            part = Universal(self, formula, variables[index], self.others(variables[index], around), part)
        applied = []  # whether each condition holds for some choice of the variables
        for demand in fol.conditions_of(body):
            for variable in reversed(variables):
                demand = fol.Exists(variable, demand)
            applied.append(self.part(demand, scope))
        return UniversalBlock(self, formula, part, applied)

    def number(self, number: fol.Number, scope: tuple[Variable, ...]) -> ObjectCount | float:
        """Return a constant number, or compile a count."""
        if not isinstance(number, fol.Count):
            return number
        variable = number.variable
        self.classes[variable] = demanded_class(variable, number.body)
        body = self.part(number.body, (*scope, variable))
        return ObjectCount(self, number.body, variable, self.others(variable, scope), body)

    def others(self, variable: Variable, scope: tuple[Variable, ...]) -> frozenset[Variable]:
        """Return the variables in scope that this one must differ from.

        Variables that must be of another class are left out: they differ anyway.
        """
        if not self.distinct:
            return frozenset()
        label = self.classes[variable]
        different = {bound for bound in scope if label and self.classes[bound] and label != self.classes[bound]}
        return frozenset(scope) - different


def conjoined(body: CompiledPart) -> tuple[CompiledPart, ...]:
    """Return the parts that must all hold for a body to hold."""
    return body.parts if isinstance(body, Connective) and body.kind is fol.And else (body,)


def cheap_first(parts: Iterable[CompiledPart]) -> list[CompiledPart]:
    """Sort parts by evaluation cost: atoms about one object, atoms about two, then everything else."""
    return sorted(parts, key=lambda part: (not isinstance(part, AtomPart), len(part.needs)))


def refuse_unjudgeable(formula: Formula) -> None:
    """Raise ``UsageError`` for unknown predicates, free variables, values in the wrong position and deep nesting."""
    fol.refuse_deep(formula)
    for atom in fol.atoms_of(formula):
        kinds = KNOLLING.predicates.get(atom.name)
        if kinds is None:
            raise UsageError(
                f"{atom.name} cannot be verified on a layout",
                hint="predicates that can: " + ", ".join(KNOLLING.predicates),
            )
        fits = [isinstance(arg, Variable) == (kind == OBJECT) for kind, arg in zip(kinds, atom.args, strict=False)]
        if len(kinds) != len(atom.args) or not all(fits):
            raise UsageError(f"{atom.name} has {len(atom.args)} arguments, expected: {', '.join(kinds)}")
    if free := sorted(variable.name for variable in free_variables(formula)):
        raise UsageError(f"nothing binds {', '.join(free)}", hint="write a quantifier around the formula")
