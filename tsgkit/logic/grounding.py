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
from tsgkit.logic.budget import Budget
from tsgkit.logic.formula import (
    COMPARE,
    TRUE,
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
    Number,
    Or,
    Variable,
    atoms_of,
    conditions_of,
    conjuncts,
    demanded_class,
    lifted,
    peeled,
    refuse_deep,
    rename_apart,
)
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
    refuse_deep(formula)
    formula = rename_apart(formula)
    grounder = (_Official if profile == "official" else _Strict)(candidates, own, rounds, budget or Budget())
    return grounder.of(lifted(formula) if profile == "official" else formula, {}, truth)


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
    return left != right if name == "Unequal" else COMPARE[name](left, right)


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
        self.own = {one.variable: number for number, one in enumerate(candidates) if own and one.variable}
        many = Counter(one.variable for one in candidates)
        self.own = {variable: number for variable, number in self.own.items() if many[variable] == 1}
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
        return [number for number, one in enumerate(self.candidates) if self.rounds is None or one.age <= oldest]

    def reach(self, body: Formula, values: Values) -> int:
        """Return the greatest age of the objects that a witness for a body depends on; -1 if there are none."""
        return max((values[one].reach for one in self.variables(body) if one in values), default=-1)

    def of(self, formula: Formula, values: Values, truth: bool) -> Ground:
        if isinstance(formula, Atom):
            return self.atom(formula, values, truth)
        key = (id(formula), truth, *(values.get(variable, NOWHERE) for variable in self.variables(formula)))
        if key not in self.known:
            self.known[key] = self.made(formula, values, truth)
        return self.known[key]

    def variables(self, formula: Formula) -> tuple[Variable, ...]:
        """Return the variables of a formula. The formula is kept alive, so that its id stays unique."""
        if id(formula) not in self.mentioned:
            terms = dict.fromkeys(term for atom in atoms_of(formula) for term in atom.args)
            self.mentioned[id(formula)] = formula, tuple(term for term in terms if isinstance(term, Variable))
        return self.mentioned[id(formula)][1]

    def made(self, formula: Formula, values: Values, truth: bool) -> Ground:
        self.step()
        match formula:
            case Not(body):
                return self.of(body, values, not truth)
            case And(parts):
                return joined((self.of(part, values, truth) for part in _cheap_first(parts)), conjunctive=truth)
            case Or(parts):
                return joined((self.of(part, values, truth) for part in _cheap_first(parts)), conjunctive=not truth)
            case Implies(left, right):
                sides = ((left, not truth), (right, truth))
                return joined((self.of(side, values, one) for side, one in sides), conjunctive=not truth)
            case Iff(left, right):
                ways = ((True, truth), (False, not truth))
                both = (all_of((self.of(left, values, a), self.of(right, values, b))) for a, b in ways)
                return joined(both, conjunctive=False)
            case Exists():
                spread = (
                    self.chosen((part.variable,), part.body, values, truth, holding=True)
                    if isinstance(part, Exists)
                    else self.of(part, values, truth)
                    for part in self.spread(formula)
                )
                return joined(spread, conjunctive=truth)
            case Forall():
                return self.every(formula, values, truth)
            case Comparison():
                return self.comparison(formula, values, truth)
        return self.atom(formula, values, truth)

    def atom(self, atom: Atom, values: Values, truth: bool) -> Ground:
        self.step()
        things = tuple(values[arg].number for arg in atom.args if isinstance(arg, Variable))
        value = next((arg.text for arg in atom.args if isinstance(arg, Literal)), None)
        if atom.name == "Is" and len(things) == 1:
            labels = self.candidates[things[0]].labels
            if len(labels) == 1 or value not in labels:
                return (value in labels) is truth
        return Lit(Fact(atom.name, things, value), truth)

    def spread(self, formula: Exists) -> list[Formula]:
        """Return the conjuncts of an ``exists`` that do not depend on its variable, then the ``exists`` over the
        others."""
        if id(formula) not in self.spreads:
            inner: list[Formula] = []
            for part in conjuncts(formula.body):
                inner += self.spread(part) if isinstance(part, Exists) else [part]
            staying = tuple(part for part in inner if formula.variable in self.variables(part))
            leaving = [part for part in inner if part not in staying]
            made: list[Formula] = [*leaving, Exists(formula.variable, And(staying))]
            self.spreads[id(formula)] = made
            self.spreads |= {id(part): [part] for part in made if isinstance(part, Exists)}
            self.variables(formula)
        return self.spreads[id(formula)]

    def every(self, formula: Forall, values: Values, truth: bool) -> Ground:
        variables, body = peeled(formula)
        demands = conditions_of(body)
        some = list(range(len(self.candidates))) if demands else self.numbers(self.reach(formula, values) + 1)
        there = some if truth else self.every_number()
        parts = [
            joined((self.there(number, truth, truth) for number in there), conjunctive=not truth),
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
        ranges = [self.range(one, body, truth, allowed) if holding else allowed for one in variables]
        choices = (dict(zip(variables, choice, strict=True)) for choice in product(*ranges))
        parts = (self.choice(one, body, values, truth, truth is holding, reach) for one in choices)
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
        stand = {one: Standing(number, ages[number]) for one, number in chosen.items()}
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
        return allowed if label is None else [one for one in self.by_label.get(label, ()) if one in allowed]

    def comparison(self, formula: Comparison, values: Values, truth: bool) -> Ground:
        if self.rounds is not None:
            return self.bounded(formula, values, truth)
        plus, left = self.number(formula.left, values)
        minus, right = self.number(formula.right, values)
        name = formula.name if truth else DENIED[formula.name]
        return Tally(name, plus, minus, right - left) if plus or minus else _compared(name, left, right)

    def bounded(self, formula: Comparison, values: Values, truth: bool) -> Ground:
        """Ground a comparison over nearby objects: some are counted, others are not, or true if nothing is known."""
        bounds = bounds_of(formula, truth=truth)
        if bounds is None:
            sides = (formula.left, formula.right)
            return bool(formula.counts) or _compared(formula.name, *sides) is truth  # type: ignore[arg-type]
        variable, body = bounds.counted.variable, bounds.counted.body
        ways: list[Ground] = []
        if bounds.least is not None:
            reach = self.reach(body, values)
            found = self.range(variable, body, True, self.numbers(reach + 1))
            parts = [self.choice({variable: one}, body, values, True, True, reach) for one in found]
            ways.append(_tally("GreaterThanOrEquals", [(part, True) for part in parts], bounds.least))
        if bounds.most is not None:
            found = self.range(variable, body, False, self.every_number())
            parts = [self.choice({variable: one}, body, values, False, False) for one in found]
            ways.append(_tally("LessThanOrEquals", [(True, part) for part in parts], bounds.most))
        return joined(ways, conjunctive=not bounds.either)

    def number(self, number: Number, values: Values) -> tuple[tuple[tuple[Ground, Ground], ...], float]:
        if not isinstance(number, Count):
            return (), number
        parts = []
        for one in self.range(number.variable, number.body, False, range(len(self.candidates))):
            chosen = {number.variable: one}
            yes, no = (self.choice(chosen, number.body, values, truth, truth) for truth in (True, False))
            if yes is not False:
                parts.append((yes, no))
        return tuple(parts), 0


def _tally(name: str, pairs: Sequence[tuple[Ground, Ground]], number: int) -> Ground:
    return Tally(name, tuple(pairs), (), number) if pairs else _compared(name, 0, number)


class _Official(_Strict):
    """Grounding as published: a forall is false if all its choices are implications that do not apply."""

    def spread(self, formula: Exists) -> list[Formula]:
        return [formula]

    def every(self, formula: Forall, values: Values, truth: bool) -> Ground:
        variables, body = (formula.variable,), formula.body
        demand = body.antecedent if isinstance(body, Implies) else TRUE
        held = self.chosen(variables, body, values, truth, holding=False)
        return joined((held, self.chosen(variables, demand, values, truth, holding=True)), conjunctive=truth)


def _cheap_first(parts: Sequence[Formula]) -> list[Formula]:
    return sorted(parts, key=lambda part: (not isinstance(part, Atom), not isinstance(part, Atom) or part.name != "Is"))
