"""Grounding: converting a formula to a quantifier-free one over a fixed list of candidate objects.

>>> from tsgkit.logic.parser import parse
>>> formula = parse("(forall ?x (implies (Is ?x 'cup') (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))")
>>> ground(formula, [Candidate("cup"), Candidate("pen")], "strict")
Lit(fact=Fact(name='LeftOf', things=(1, 0), value=None), positive=True)

Class tests are decided here if the class of a candidate is fixed, and the parts they decide are dropped. The same part
for the same objects is grounded once. Only facts are negated. The zero-trigger rules are those of the two verifiers:
``official`` grounds the lifted formula with its vacuity flags, ``strict`` requires that each implication under directly
nested foralls applies to an object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

from tsgkit.errors import UsageError
from tsgkit.logic import formula as fol
from tsgkit.logic.budget import Budget
from tsgkit.logic.formula import Formula, Variable, conditions_of, conjuncts, demanded_class, peeled
from tsgkit.logic.verdicts import Profile
from tsgkit.logic.witnesses import DENIED, Candidate, bounds_of

SWITCH = "Switched"
"""The name of an atom that is false unless a solver turns it on to test the formula without a part."""
PRESENT = "Present"
"""The name of the fact that an optional candidate is present."""
WORK = 20_000
"""The maximum number of parts that grounding processes."""


class TooLarge(UsageError):
    """An error about a formula that has too many parts over its candidates."""


class Fact(NamedTuple):
    """A predicate applied to candidates, by number; ``value`` is its literal argument, if any."""

    name: str
    things: tuple[int, ...]
    value: str | None = None


class Lit(NamedTuple):
    """A fact or its negation."""

    fact: Fact
    positive: bool = True


class _Joined:
    """A connective over shared parts. The hash is computed once."""

    __match_args__ = ("parts",)
    __slots__ = ("_hash", "parts")

    def __init__(self, parts: tuple[Ground, ...]) -> None:
        self.parts = parts
        self._hash = hash((type(self).__name__, parts))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, _Joined) and (type(self), self._hash, self.parts) == (
            type(other),
            other._hash,
            other.parts,
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.parts!r})"


class All(_Joined):
    """A conjunction."""

    __slots__ = ()


class Any(_Joined):
    """A disjunction."""

    __slots__ = ()


class Tally(NamedTuple):
    """A comparison of a number with the count of true ``plus`` parts minus the count of true ``minus`` parts.

    Each part comes with its negation.
    """

    name: str
    plus: tuple[tuple[Ground, Ground], ...]
    minus: tuple[tuple[Ground, Ground], ...]
    number: float


Ground: TypeAlias = bool | Lit | All | Any | Tally


def ground(
    formula: Formula,
    candidates: Sequence[Candidate],
    profile: Profile,
    *,
    truth: bool = True,
    own: bool = False,
    rounds: int | None = None,
    budget: Budget | None = None,
) -> Ground:
    """Return the formula, or its negation, over the candidates. Raise ``TooLarge`` if it has too many parts.

    With ``own`` the result is stronger: the witness of a variable must be the candidate made for it. With ``rounds``
    (for ``strict`` only) it is weaker: universal statements need not hold for candidates of the last round, and a
    witness is at most one round later than the objects it depends on.
    """
    fol.refuse_deep(formula)
    formula = fol.rename_apart(formula)
    grounder = (_Official if profile == "official" else _Strict)(candidates, own, rounds, budget or Budget())
    return grounder.of(fol.lifted(formula) if profile == "official" else formula, {}, truth)


def all_of(parts: Iterable[Ground]) -> Ground:
    """Return the conjunction without true parts; stop at the first false part."""
    return joined(parts, conjunctive=True)


def joined(parts: Iterable[Ground], *, conjunctive: bool) -> Ground:
    """Return the conjunction or the disjunction of some parts, up to the first part that decides it."""
    kind = All if conjunctive else Any
    kept: dict[Ground, None] = {}
    for part in parts:
        if isinstance(part, bool):
            if part is not conjunctive:
                return part
        elif isinstance(part, kind):
            kept |= dict.fromkeys(part.parts)
        else:
            kept[part] = None
    return conjunctive if not kept else next(iter(kept)) if len(kept) == 1 else kind(tuple(kept))


def _compared(name: str, left: float, right: float) -> bool:
    return left != right if name == "Unequal" else fol.COMPARE[name](left, right)


class Standing(NamedTuple):
    """The value of a variable: a candidate, and the greatest age of the objects its choice depends on."""

    number: int
    reach: int


Values = Mapping[Variable, Standing]
NOWHERE = Standing(-1, -1)


class _Strict:
    """Classical grounding, in which implications under a forall must apply to an object."""

    def __init__(self, candidates: Sequence[Candidate], own: bool, rounds: int | None, budget: Budget) -> None:
        self.candidates = candidates
        self.rounds = rounds
        variables = [candidate.variable for candidate in candidates]
        many = Counter(variables)
        owned = enumerate(variables if own else [])
        self.own = {variable: number for number, variable in owned if variable and many[variable] == 1}
        self.by_label: dict[str, list[int]] = {}
        for number, candidate in enumerate(candidates):
            for label in candidate.labels:
                self.by_label.setdefault(label, []).append(number)
        self.budget = budget
        self.steps = 0
        self.known: dict[tuple[object, ...], Ground] = {}
        self.mentioned: dict[int, tuple[Formula, tuple[Variable, ...]]] = {}
        self.spreads: dict[int, list[Formula]] = {}

    def step(self) -> None:
        self.steps += 1
        self.budget.step()
        if self.steps > WORK:
            message = f"the formula has more than {WORK:,} parts for {len(self.candidates)} objects"
            raise TooLarge(message, hint="use fewer quantifiers over objects of one class")

    def every_number(self) -> list[int]:
        """Return the candidates over which universal statements range."""
        return self.numbers(0 if self.rounds is None else self.rounds - 2)

    def numbers(self, oldest: int) -> list[int]:
        """Return the candidates up to an age; without rounds, all."""
        ages = [candidate.age for candidate in self.candidates]
        return [number for number, age in enumerate(ages) if self.rounds is None or age <= oldest]

    def reach(self, body: Formula, values: Values) -> int:
        """Return the greatest age of the objects that a witness for a body depends on; -1 if there are none."""
        return max((values[variable].reach for variable in self.variables(body) if variable in values), default=-1)

    def of(self, formula: Formula, values: Values, truth: bool) -> Ground:
        if isinstance(formula, fol.Atom):
            return self.atom(formula, values, truth)
        key = (id(formula), truth, *(values.get(variable, NOWHERE) for variable in self.variables(formula)))
        if key not in self.known:
            self.known[key] = self.made(formula, values, truth)
        return self.known[key]

    def variables(self, formula: Formula) -> tuple[Variable, ...]:
        """Return the variables of a formula. The formula is kept alive, so that its id stays unique."""
        if id(formula) not in self.mentioned:
            terms = dict.fromkeys(term for atom in fol.atoms_of(formula) for term in atom.args)
            self.mentioned[id(formula)] = formula, tuple(term for term in terms if isinstance(term, Variable))
        return self.mentioned[id(formula)][1]

    def made(self, formula: Formula, values: Values, truth: bool) -> Ground:
        self.step()
        match formula:
            case fol.Not(body):
                return self.of(body, values, not truth)
            case fol.And(parts):
                return joined((self.of(part, values, truth) for part in _cheap_first(parts)), conjunctive=truth)
            case fol.Or(parts):
                return joined((self.of(part, values, truth) for part in _cheap_first(parts)), conjunctive=not truth)
            case fol.Implies(left, right):
                sides = ((left, not truth), (right, truth))
                return joined((self.of(side, values, required) for side, required in sides), conjunctive=not truth)
            case fol.Iff(left, right):
                ways = ((True, truth), (False, not truth))
                both = (all_of((self.of(left, values, a), self.of(right, values, b))) for a, b in ways)
                return joined(both, conjunctive=False)
            case fol.Exists():
                spread = (
                    self.chosen((part.variable,), part.body, values, truth, holding=True)
                    if isinstance(part, fol.Exists)
                    else self.of(part, values, truth)
                    for part in self.spread(formula)
                )
                return joined(spread, conjunctive=truth)
            case fol.Forall():
                return self.every(formula, values, truth)
            case fol.Comparison():
                return self.comparison(formula, values, truth)
        return self.atom(formula, values, truth)

    def atom(self, atom: fol.Atom, values: Values, truth: bool) -> Ground:
        self.step()
        things = tuple(values[arg].number for arg in atom.args if isinstance(arg, Variable))
        value = next((arg.text for arg in atom.args if isinstance(arg, fol.Literal)), None)
        if atom.name == "Is" and len(things) == 1:
            labels = self.candidates[things[0]].labels
            if len(labels) == 1 or value not in labels:
                return (value in labels) is truth
        return Lit(Fact(atom.name, things, value), truth)

    def spread(self, formula: fol.Exists) -> list[Formula]:
        """Return the conjuncts of an ``exists`` that do not depend on its variable, then the ``exists`` over the
        others."""
        if id(formula) not in self.spreads:
            inner: list[Formula] = []
            for part in conjuncts(formula.body):
                inner += self.spread(part) if isinstance(part, fol.Exists) else [part]
            staying = tuple(part for part in inner if formula.variable in self.variables(part))
            leaving = [part for part in inner if part not in staying]
            parts: list[Formula] = [*leaving, fol.Exists(formula.variable, fol.And(staying))]
            self.spreads[id(formula)] = parts
            self.spreads |= {id(part): [part] for part in parts if isinstance(part, fol.Exists)}
            self.variables(formula)
        return self.spreads[id(formula)]

    def every(self, formula: fol.Forall, values: Values, truth: bool) -> Ground:
        variables, body = peeled(formula)
        demands = conditions_of(body)
        if not truth:
            numbers = self.every_number()
        elif demands:
            numbers = list(range(len(self.candidates)))
        else:
            numbers = self.numbers(self.reach(formula, values) + 1)
        parts = [
            joined((self.there(number, truth, truth) for number in numbers), conjunctive=not truth),
            self.chosen(variables, body, values, truth, holding=False),
            *(self.chosen(variables, demand, values, truth, holding=True) for demand in demands),
        ]
        return joined(parts, conjunctive=truth)

    def chosen(
        self, variables: Sequence[Variable], body: Formula, values: Values, truth: bool, *, holding: bool
    ) -> Ground:
        """Ground a body for some choice of objects (``holding``) or for every choice; negate it if ``truth`` is
        false."""
        if truth is holding:
            reach = self.reach(body, values)
            allowed = self.numbers(reach + 1)
        else:
            reach, allowed = None, self.every_number()
        ranges = [self.range(variable, body, truth, allowed) if holding else allowed for variable in variables]
        choices = (dict(zip(variables, choice, strict=True)) for choice in product(*ranges))
        parts = (self.choice(choice, body, values, truth, truth is holding, reach) for choice in choices)
        return joined(parts, conjunctive=truth is not holding)

    def choice(
        self,
        chosen: Mapping[Variable, int],
        body: Formula,
        values: Values,
        truth: bool,
        member: bool,
        reach: int | None = None,
    ) -> Ground:
        """Ground a body for chosen objects, whose reach is their own age unless given."""
        self.budget.step()
        ages = {number: self.candidates[number].age if reach is None else reach for number in chosen.values()}
        stand = {variable: Standing(number, ages[number]) for variable, number in chosen.items()}
        part = self.of(body, {**values, **stand}, truth)
        for number in dict.fromkeys(chosen.values()):
            part = self.there(number, part, member)
        return part

    def there(self, number: int, part: Ground, member: bool) -> Ground:
        """Combine a part about a candidate with its presence: both (``member``), or the part only if it is present."""
        if not self.candidates[number].optional:
            return part
        return joined((Lit(Fact(PRESENT, (number,)), member), part), conjunctive=member)

    def range(self, variable: Variable, body: Formula, truth: bool, allowed: Sequence[int]) -> Sequence[int]:
        """Return the allowed candidates that can make a body true, judging by the class it requires."""
        if truth and variable in self.own:
            return (self.own[variable],)
        label = demanded_class(variable, body)
        return allowed if label is None else [number for number in self.by_label.get(label, ()) if number in allowed]

    def comparison(self, formula: fol.Comparison, values: Values, truth: bool) -> Ground:
        if self.rounds is not None:
            return self.bounded(formula, values, truth)
        plus, left = self.number(formula.left, values)
        minus, right = self.number(formula.right, values)
        name = formula.name if truth else DENIED[formula.name]
        return Tally(name, plus, minus, right - left) if plus or minus else _compared(name, left, right)

    def bounded(self, formula: fol.Comparison, values: Values, truth: bool) -> Ground:
        """Ground a comparison over nearby objects: some are counted, others are not, or true if nothing is known."""
        bounds = bounds_of(formula, truth=truth)
        if bounds is None:
            sides = (formula.left, formula.right)
            return bool(formula.counts) or _compared(formula.name, *sides) is truth  # type: ignore[arg-type]
        variable, body = bounds.counted.variable, bounds.counted.body
        ways: list[Ground] = []
        if bounds.least is not None:
            reach = self.reach(body, values)
            fitting = self.range(variable, body, True, self.numbers(reach + 1))
            parts = [self.choice({variable: candidate}, body, values, True, True, reach) for candidate in fitting]
            ways.append(_tally("GreaterThanOrEquals", [(part, True) for part in parts], bounds.least))
        if bounds.most is not None:
            fitting = self.range(variable, body, False, self.every_number())
            parts = [self.choice({variable: candidate}, body, values, False, False) for candidate in fitting]
            ways.append(_tally("LessThanOrEquals", [(True, part) for part in parts], bounds.most))
        return joined(ways, conjunctive=not bounds.either)

    def number(self, number: fol.Number, values: Values) -> tuple[tuple[tuple[Ground, Ground], ...], float]:
        if not isinstance(number, fol.Count):
            return (), number
        parts = []
        for candidate in self.range(number.variable, number.body, False, range(len(self.candidates))):
            chosen = {number.variable: candidate}
            yes, no = (self.choice(chosen, number.body, values, truth, truth) for truth in (True, False))
            if yes is not False:
                parts.append((yes, no))
        return tuple(parts), 0


def _tally(name: str, pairs: Sequence[tuple[Ground, Ground]], number: int) -> Ground:
    return Tally(name, tuple(pairs), (), number) if pairs else _compared(name, 0, number)


class _Official(_Strict):
    """Grounding as published: a forall is false if all its choices are implications that do not apply."""

    def spread(self, formula: fol.Exists) -> list[Formula]:
        return [formula]

    def every(self, formula: fol.Forall, values: Values, truth: bool) -> Ground:
        variables, body = (formula.variable,), formula.body
        demand = body.antecedent if isinstance(body, fol.Implies) else fol.TRUE
        general = self.chosen(variables, body, values, truth, holding=False)
        return joined((general, self.chosen(variables, demand, values, truth, holding=True)), conjunctive=truth)


def _cheap_first(parts: Sequence[Formula]) -> list[Formula]:
    return sorted(
        parts, key=lambda part: (not isinstance(part, fol.Atom), not isinstance(part, fol.Atom) or part.name != "Is")
    )
