"""Grounding: a formula over a fixed list of candidate objects, as a formula without quantifiers and with few parts.

>>> from tsgkit.logic.parser import parse
>>> formula = parse("(forall ?x (implies (Is ?x 'cup') (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))")
>>> ground(formula, [Candidate("cup"), Candidate("pen")], "strict")
Lit(fact=Fact(name='LeftOf', things=(1, 0), value=None), positive=True)

Tests of classes are decided here, where the class of a candidate is fixed; whatever they decide is never looked at
again, and the same part for the same objects is grounded once. Negations stand at facts only. The zero-trigger rules
are those of the two verifiers: ``official`` grounds the lifted formula with its flags of vacuity, ``strict`` demands
that each implication under directly nested foralls applies to something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

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
    Literal,
    Not,
    Number,
    Or,
    Variable,
    atoms_of,
    refuse_deep,
)
from tsgkit.logic.lifting import lifted
from tsgkit.logic.variables import apart
from tsgkit.logic.verdicts import Profile
from tsgkit.logic.witnesses import DENIED, TRUE, Candidate, bounds_of, conjuncts, peeled

SWITCH = "Switched"
"""The name of an atom that is false, unless a solver turns it on to see what holds without a part."""
PRESENT = "Present"
"""The name of the fact that an optional candidate is there."""
WORK = 20_000
"""How many parts grounding may look at."""


class TooLarge(UsageError):
    """A formula that has too many parts over its candidates."""


class Fact(NamedTuple):
    """A predicate said of candidates, by number; ``value`` is its literal, where it has one."""

    name: str
    things: tuple[int, ...]
    value: str | None = None


class Lit(NamedTuple):
    """A fact or its negation."""

    fact: Fact
    positive: bool = True


class _Joined:
    """Parts that are shared by many others, so that a hash is computed once."""

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
    """True where every part is."""

    __slots__ = ()


class Any(_Joined):
    """True where a part is."""

    __slots__ = ()


class Tally(NamedTuple):
    """A comparison of how many parts are true, minus how many others are, with a number: each part with its denial."""

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
    """Return the formula, or its denial, over the candidates; ``TooLarge`` where that has too many parts.

    With ``own`` it is made stronger: the witness of a variable is the candidate that is there for it. With
    ``rounds`` it is made weaker (for ``strict`` only): what holds of every object need not hold of those of the last
    of so many rounds, and a witness is at most one round later than what it depends on.
    """
    refuse_deep(formula)
    formula = apart(formula)
    grounder = (_Official if profile == "official" else _Strict)(candidates, own, rounds, budget or Budget())
    return grounder.of(lifted(formula) if profile == "official" else formula, {}, truth)


def all_of(parts: Iterable[Ground]) -> Ground:
    """Return the conjunction, without parts that are true; later parts are not looked at once one is false."""
    return _joined(parts, All, neutral=True)


def any_of(parts: Iterable[Ground]) -> Ground:
    """Return the disjunction, without parts that are false; later parts are not looked at once one is true."""
    return _joined(parts, Any, neutral=False)


def _joined(parts: Iterable[Ground], kind: type[All] | type[Any], *, neutral: bool) -> Ground:
    kept: dict[Ground, None] = {}
    for part in parts:
        if isinstance(part, bool):
            if part is not neutral:
                return not neutral
        elif isinstance(part, kind):
            kept |= dict.fromkeys(part.parts)
        else:
            kept[part] = None
    return neutral if not kept else next(iter(kept)) if len(kept) == 1 else kind(tuple(kept))


def holds(ground: Ground, facts: frozenset[Fact]) -> bool:
    """Return whether a ground formula is true where exactly these facts are.

    >>> cup_left = Fact("OnLeftSide", (0,))
    >>> holds(Any((Lit(cup_left), False)), frozenset({cup_left})), holds(Lit(cup_left), frozenset())
    (True, False)
    """
    match ground:
        case bool():
            return ground
        case Lit(fact, positive):
            return (fact in facts) is positive
        case All(parts):
            return all(holds(part, facts) for part in parts)
        case Any(parts):
            return any(holds(part, facts) for part in parts)
        case Tally(name, plus, minus, number):
            count = sum(holds(part, facts) for part, _ in plus) - sum(holds(part, facts) for part, _ in minus)
            return _compared(name, count, number)


def _compared(name: str, left: float, right: float) -> bool:
    return {
        "Equals": left == right,
        "GreaterThan": left > right,
        "LessThan": left < right,
        "GreaterThanOrEquals": left >= right,
        "LessThanOrEquals": left <= right,
        "Unequal": left != right,
    }[name]


class Standing(NamedTuple):
    """What a variable stands for: a candidate, and the greatest age of the objects that its choice depends on."""

    number: int
    reach: int


Values = Mapping[Variable, Standing]
NOWHERE = Standing(-1, -1)


class _Strict:
    """Classical truth over candidates, where implications under a forall must apply to something."""

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
            raise TooLarge(message, hint="fewer quantifiers over objects of one class need less")

    def every_number(self) -> list[int]:
        """Return the candidates of which all is true that is said of every object."""
        return self.numbers(None if self.rounds is None else self.rounds - 2)

    def numbers(self, oldest: int | None) -> list[int]:
        """Return the candidates up to an age; all where none is given."""
        return [number for number, one in enumerate(self.candidates) if oldest is None or one.age <= oldest]

    def witnesses(self, reach: int) -> list[int]:
        """Return the candidates that may be a witness of what reaches so far."""
        return self.numbers(None if self.rounds is None else reach + 1)

    def reach(self, body: Formula, values: Values) -> int:
        """Return the greatest age of the objects that a witness for a body depends on; -1 where it depends on none."""
        return max((values[one].reach for one in self.variables(body) if one in values), default=-1)

    def of(self, formula: Formula, values: Values, truth: bool) -> Ground:
        if isinstance(formula, Atom):
            return self.atom(formula, values, truth)
        key = (id(formula), truth, *(values.get(variable, NOWHERE) for variable in self.variables(formula)))
        if key not in self.known:
            self.known[key] = self.made(formula, values, truth)
        return self.known[key]

    def variables(self, formula: Formula) -> tuple[Variable, ...]:
        """Return the variables a formula mentions; it is kept, so that its id stays its own."""
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
                return joined(self.of(part, values, truth) for part in _cheap_first(parts))(truth)
            case Or(parts):
                return joined(self.of(part, values, truth) for part in _cheap_first(parts))(not truth)
            case Implies(left, right):
                sides = ((left, not truth), (right, truth))
                return joined(self.of(side, values, one) for side, one in sides)(not truth)
            case Iff(left, right):
                ways = ((True, truth), (False, not truth))
                return any_of(all_of((self.of(left, values, a), self.of(right, values, b))) for a, b in ways)
            case Exists():
                return joined(self.of_existence(part, values, truth) for part in self.spread(formula))(truth)
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

    def of_existence(self, part: Formula, values: Values, truth: bool) -> Ground:
        if isinstance(part, Exists):
            return self.chosen((part.variable,), part.body, values, truth, holding=True)
        return self.of(part, values, truth)

    def spread(self, formula: Exists) -> list[Formula]:
        """Return the conjuncts of an ``exists`` that do not depend on its variable, then it over the others."""
        if id(formula) not in self.spreads:
            inner = [one for part in conjuncts(formula.body) for one in self.opened(part)]
            staying = tuple(part for part in inner if formula.variable in self.variables(part))
            leaving = [part for part in inner if part not in staying]
            made: list[Formula] = [*leaving, Exists(formula.variable, And(staying))]
            self.spreads[id(formula)] = made
            self.spreads |= {id(part): [part] for part in made if isinstance(part, Exists)}
            self.variables(formula)
        return self.spreads[id(formula)]

    def opened(self, part: Formula) -> list[Formula]:
        return self.spread(part) if isinstance(part, Exists) else [part]

    def every(self, formula: Forall, values: Values, truth: bool) -> Ground:
        variables, body = peeled(formula)
        demands = [part.antecedent for part in conjuncts(body) if isinstance(part, Implies)]
        some = self.numbers(None) if demands else self.witnesses(self.reach(formula, values))
        there = some if truth else self.every_number()
        parts = [
            joined(self.there(number, truth, truth) for number in there)(not truth),
            self.chosen(variables, body, values, truth, holding=False),
            *(self.chosen(variables, demand, values, truth, holding=True) for demand in demands),
        ]
        return joined(parts)(truth)

    def chosen(
        self, variables: Sequence[Variable], body: Formula, values: Values, truth: bool, *, holding: bool
    ) -> Ground:
        """Return whether the body holds for some choice of objects (``holding``), or for every choice; or that
        denied."""
        if truth is holding:
            reach = self.reach(body, values)
            allowed = self.witnesses(reach)
        else:
            reach, allowed = None, self.every_number()
        ranges = [self.range(one, body, truth, allowed) if holding else allowed for one in variables]
        choices = (dict(zip(variables, choice, strict=True)) for choice in product(*ranges))
        parts = (self.choice(one, body, values, truth, truth is holding, reach) for one in choices)
        return joined(parts)(truth is not holding)

    def choice(
        self,
        chosen: Mapping[Variable, int],
        body: Formula,
        values: Values,
        truth: bool,
        member: bool,
        reach: int | None = None,
    ) -> Ground:
        """Return a body for chosen objects, which reach their own age unless it is given."""
        self.budget.step()
        ages = {number: self.candidates[number].age if reach is None else reach for number in chosen.values()}
        stand = {one: Standing(number, ages[number]) for one, number in chosen.items()}
        part = self.of(body, {**values, **stand}, truth)
        for number in dict.fromkeys(chosen.values()):
            part = self.there(number, part, member)
        return part

    def there(self, number: int, part: Ground, member: bool) -> Ground:
        """Return a part about a candidate: it must be there too (``member``), or need not hold where it is not."""
        if not self.candidates[number].optional:
            return part
        return joined((Lit(Fact(PRESENT, (number,)), member), part))(member)

    def range(self, variable: Variable, body: Formula, truth: bool, allowed: Sequence[int]) -> Sequence[int]:
        """Return the candidates, of those allowed, that can make a body true, as far as the class it demands says."""
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
        """Return what a comparison says of near objects: that some are counted, that others are not, or nothing."""
        bounds = bounds_of(formula, truth=truth)
        if bounds is None:
            sides = (formula.left, formula.right)
            counts = [side for side in sides if isinstance(side, Count)]
            return bool(counts) or _compared(formula.name, *sides) is truth  # type: ignore[arg-type]
        variable, body = bounds.counted.variable, bounds.counted.body
        ways: list[Ground] = []
        if bounds.least is not None:
            reach = self.reach(body, values)
            found = self.range(variable, body, True, self.witnesses(reach))
            parts = [self.choice({variable: one}, body, values, True, True, reach) for one in found]
            ways.append(_tally("GreaterThanOrEquals", [(part, True) for part in parts], bounds.least))
        if bounds.most is not None:
            found = self.range(variable, body, False, self.every_number())
            parts = [self.choice({variable: one}, body, values, False, False) for one in found]
            ways.append(_tally("LessThanOrEquals", [(True, part) for part in parts], bounds.most))
        return joined(ways)(not bounds.either)

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
    """The published reading: a forall is false where all that was met is implications that do not apply."""

    def spread(self, formula: Exists) -> list[Formula]:
        return [formula]

    def every(self, formula: Forall, values: Values, truth: bool) -> Ground:
        variables, body = (formula.variable,), formula.body
        demand = body.antecedent if isinstance(body, Implies) else TRUE
        held = self.chosen(variables, body, values, truth, holding=False)
        return joined((held, self.chosen(variables, demand, values, truth, holding=True)))(truth)


def joined(parts: Iterable[Ground]) -> Callable[[bool], Ground]:
    """Return the parts, to be joined by *and* where true is given, by *or* where false is."""
    return lambda conjunctive: (all_of if conjunctive else any_of)(parts)


def _cheap_first(parts: Sequence[Formula]) -> list[Formula]:
    return sorted(parts, key=lambda part: (not isinstance(part, Atom), not isinstance(part, Atom) or part.name != "Is"))


def demanded_class(variable: Variable, body: Formula) -> str | None:
    """Return the class without which a body cannot be true of a variable."""
    for part in conjuncts(body):
        match part:
            case Atom("Is", (first, Literal(text))) if first == variable:
                return text
            case Exists(bound, inner) if bound != variable and (found := demanded_class(variable, inner)) is not None:
                return found
    return None
