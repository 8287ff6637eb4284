"""Grounding: a formula over a fixed list of candidate objects, as a formula without quantifiers and with few parts.

>>> from tsgkit.logic.parsing import parse
>>> formula = parse("(forall ?x (implies (Is ?x 'cup') (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))")
>>> [candidate.label for candidate in candidates_of(formula)]
['cup', 'pen']
>>> ground(formula, candidates_of(formula), "strict")
Lit(fact=Fact(name='LeftOf', things=(1, 0), value=None), positive=True)

Tests of classes are decided here, for the class of a candidate is fixed; whatever they decide is never looked at again,
and the same part for the same objects is grounded once. Negations stand at facts only. The zero-trigger rules are those
of the two verifiers: ``official`` grounds the lifted formula with its flags of vacuity, ``strict`` demands that each
implication under directly nested foralls applies to something.

One object for every quantified variable suffices for formulas of the published shape: from a layout that satisfies
one, all objects but a witness for every variable can be taken away. :func:`is_enough` says whether that argument
holds; it fails where what must be there for every object of a class may be of that class itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple, TypeAlias

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
    Number,
    Or,
    Variable,
    atoms_of,
    parts_of,
    refuse_deep,
    walk,
)
from tsgkit.logic.lifting import lifted
from tsgkit.logic.renaming import apart
from tsgkit.logic.verdicts import Meter, OutOfWork, Profile
from tsgkit.logic.vocabulary import KNOLLING

SWITCH = "Switched"
"""The name of an atom that is false, unless a solver turns it on to see what holds without a part."""
PRESENT = "Present"
"""The name of the fact that an optional candidate is there."""
TRUE = And(())
MOST_CANDIDATES = 60
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


@dataclass(frozen=True, slots=True)
class Candidate:
    """An object that may be in a layout: its class, the variable it is for, and whether it may be absent."""

    label: str
    variable: Variable | None = None
    optional: bool = False


def ground(
    formula: Formula, candidates: Sequence[Candidate], profile: Profile, *, truth: bool = True, own: bool = False
) -> Ground:
    """The formula, or its denial, over the candidates; ``TooLarge`` where that has too many parts.

    With ``own`` it is made stronger: the witness of a variable is the candidate that is there for it.
    """
    refuse_deep(formula)
    formula = apart(formula)
    grounder = (_Official if profile == "official" else _Strict)(candidates, own=own)
    try:
        return grounder.of(lifted(formula) if profile == "official" else formula, {}, truth)
    except OutOfWork:
        hint = "fewer quantifiers over objects of one class need less"
        raise TooLarge(f"the formula has more than {WORK:,} parts for {len(candidates)} objects", hint=hint) from None


def all_of(parts: Iterable[Ground]) -> Ground:
    """The conjunction, without parts that are true; later parts are not looked at once one is false."""
    return _joined(parts, All, neutral=True)


def any_of(parts: Iterable[Ground]) -> Ground:
    """The disjunction, without parts that are false; later parts are not looked at once one is true."""
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
    """Whether a ground formula is true where exactly these facts are.

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


DENIED = {
    "Equals": "Unequal",
    "Unequal": "Equals",
    "GreaterThan": "LessThanOrEquals",
    "LessThanOrEquals": "GreaterThan",
    "LessThan": "GreaterThanOrEquals",
    "GreaterThanOrEquals": "LessThan",
}
Values = Mapping[Variable, int]


class _Strict:
    """Classical truth over candidates, where implications under a forall must apply to something."""

    def __init__(self, candidates: Sequence[Candidate], *, own: bool = False) -> None:
        self.candidates = candidates
        self.own = {one.variable: number for number, one in enumerate(candidates) if own and one.variable}
        many = Counter(one.variable for one in candidates)
        self.own = {variable: number for variable, number in self.own.items() if many[variable] == 1}
        self.by_label: dict[str, list[int]] = {}
        for number, candidate in enumerate(candidates):
            self.by_label.setdefault(candidate.label, []).append(number)
        self.meter = Meter(WORK)
        self.known: dict[tuple[object, ...], Ground] = {}
        self.mentioned: dict[int, tuple[Formula, tuple[Variable, ...]]] = {}
        self.spreads: dict[int, list[Formula]] = {}

    def of(self, formula: Formula, values: Values, truth: bool) -> Ground:
        if isinstance(formula, Atom):
            return self.atom(formula, values, truth)
        key = (id(formula), truth, *(values.get(variable, -1) for variable in self.variables(formula)))
        if key not in self.known:
            self.known[key] = self.made(formula, values, truth)
        return self.known[key]

    def variables(self, formula: Formula) -> tuple[Variable, ...]:
        """The variables a formula mentions; it is kept, so that its id stays its own."""
        if id(formula) not in self.mentioned:
            terms = dict.fromkeys(term for atom in atoms_of(formula) for term in atom.args)
            self.mentioned[id(formula)] = formula, tuple(term for term in terms if isinstance(term, Variable))
        return self.mentioned[id(formula)][1]

    def made(self, formula: Formula, values: Values, truth: bool) -> Ground:
        self.meter.step()
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
        self.meter.step()
        things = tuple(values[arg] for arg in atom.args if isinstance(arg, Variable))
        value = next((arg.text for arg in atom.args if isinstance(arg, Literal)), None)
        if atom.name == "Is" and len(things) == 1:
            return (self.candidates[things[0]].label == value) is truth
        return Lit(Fact(atom.name, things, value), truth)

    def of_existence(self, part: Formula, values: Values, truth: bool) -> Ground:
        if isinstance(part, Exists):
            return self.chosen((part.variable,), part.body, values, truth, holding=True)
        return self.of(part, values, truth)

    def spread(self, formula: Exists) -> list[Formula]:
        """The conjuncts of an ``exists`` that do not depend on its variable, then it over the others."""
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
        variables, body = _peeled(formula)
        demands = [part.antecedent for part in conjuncts(body) if isinstance(part, Implies)]
        parts = [
            joined(self.there(number, truth, truth) for number in range(len(self.candidates)))(not truth),
            self.chosen(variables, body, values, truth, holding=False),
            *(self.chosen(variables, demand, values, truth, holding=True) for demand in demands),
        ]
        return joined(parts)(truth)

    def chosen(
        self, variables: Sequence[Variable], body: Formula, values: Values, truth: bool, *, holding: bool
    ) -> Ground:
        """Whether the body holds for some choice of objects (``holding``), or for every choice; or that denied."""
        ranges = [self.range(one, body, truth) if holding else range(len(self.candidates)) for one in variables]
        choices = (dict(zip(variables, choice, strict=True)) for choice in product(*ranges))
        return joined(self.choice(one, body, values, truth, truth is holding) for one in choices)(truth is not holding)

    def choice(self, chosen: Values, body: Formula, values: Values, truth: bool, member: bool) -> Ground:
        part = self.of(body, {**values, **chosen}, truth)
        for number in dict.fromkeys(chosen.values()):
            part = self.there(number, part, member)
        return part

    def there(self, number: int, part: Ground, member: bool) -> Ground:
        """A part about a candidate: it must be there too (``member``), or need not hold where it is not."""
        if not self.candidates[number].optional:
            return part
        return joined((Lit(Fact(PRESENT, (number,)), member), part))(member)

    def range(self, variable: Variable, body: Formula, truth: bool = False) -> Iterable[int]:
        """The candidates that can make a body true, as far as the class it demands says."""
        if truth and variable in self.own:
            return (self.own[variable],)
        label = demanded_class(variable, body)
        return range(len(self.candidates)) if label is None else self.by_label.get(label, ())

    def comparison(self, formula: Comparison, values: Values, truth: bool) -> Ground:
        plus, left = self.number(formula.left, values)
        minus, right = self.number(formula.right, values)
        name = formula.name if truth else DENIED[formula.name]
        return Tally(name, plus, minus, right - left) if plus or minus else _compared(name, left, right)

    def number(self, number: Number, values: Values) -> tuple[tuple[tuple[Ground, Ground], ...], float]:
        if not isinstance(number, Count):
            return (), number
        parts = []
        for one in self.range(number.variable, number.body):
            chosen = {number.variable: one}
            yes, no = (self.choice(chosen, number.body, values, truth, truth) for truth in (True, False))
            if yes is not False:
                parts.append((yes, no))
        return tuple(parts), 0


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
    """The parts, to be joined by *and* where true is given, by *or* where false is."""
    return lambda conjunctive: (all_of if conjunctive else any_of)(parts)


def _cheap_first(parts: Sequence[Formula]) -> list[Formula]:
    return sorted(parts, key=lambda part: (not isinstance(part, Atom), not isinstance(part, Atom) or part.name != "Is"))


def conjuncts(formula: Formula) -> list[Formula]:
    """The parts of a conjunction, and of conjunctions that are its parts."""
    return [one for part in formula.parts for one in conjuncts(part)] if isinstance(formula, And) else [formula]


def _peeled(formula: Formula) -> tuple[list[Variable], Formula]:
    variables = []
    while isinstance(formula, Forall):
        variables.append(formula.variable)
        formula = formula.body
    return variables, formula


def demanded_class(variable: Variable, body: Formula) -> str | None:
    """The class without which a body cannot be true of a variable."""
    for part in conjuncts(body):
        match part:
            case Atom("Is", (first, Literal(text))) if first == variable:
                return text
            case Exists(bound, inner) if bound != variable and (found := demanded_class(variable, inner)) is not None:
                return found
    return None


class Role(NamedTuple):
    """What a quantified variable asks for: a witness that must be, or what is said of every object, or both."""

    variable: Variable
    label: str | None
    body: Formula
    witness: bool
    universal: bool
    needed: bool
    many: int = 1


def roles(formula: Formula) -> Iterator[Role]:
    """The roles of the variables of a formula whose binders have names of their own."""
    return _roles(formula, True, False, True)


def _roles(formula: Formula, true: bool, false: bool, needed: bool) -> Iterator[Role]:
    """Roles where the formula may have to be true, may have to be false, and surely has to be true."""
    match formula:
        case Exists(variable, body):
            yield Role(variable, demanded_class(variable, body), body, true, false, needed and true)
            yield from _roles(body, true, false, needed)
        case Forall(variable, body):
            applies = _peeled(formula)[1]
            label = demanded_class(variable, applies.antecedent if isinstance(applies, Implies) else TRUE)
            yield Role(variable, label, body, True, True, needed and true)
            yield from _roles_of_every(body, true, false, needed)
        case Not(body):
            yield from _roles(body, false, true, False)
        case Implies(left, right):
            yield from _roles(left, false, true, False)
            yield from _roles(right, true, false, False)
        case Comparison():
            yield from _counted_roles(formula)
        case _:
            both = isinstance(formula, Iff)
            for part in parts_of(formula):
                yield from _roles(part, true or both, false or both, needed and isinstance(formula, And))


def _roles_of_every(body: Formula, true: bool, false: bool, needed: bool) -> Iterator[Role]:
    """Conditions have to apply to something, and are denied of everything else."""
    for part in conjuncts(body):
        if isinstance(part, Implies):
            yield from _roles(part.antecedent, True, True, needed)
            yield from _roles(part.consequent, true, false, needed)
        else:
            yield from _roles(part, true, false, needed)


def _counted_roles(formula: Comparison) -> Iterator[Role]:
    sides = (formula.left, formula.right)
    numbers = [side for side in sides if not isinstance(side, Count)]
    many = max(1, math.floor(numbers[0]) + 1) if numbers else 2
    for side in sides:
        if isinstance(side, Count):
            label = demanded_class(side.variable, side.body)
            yield Role(side.variable, label, side.body, True, True, False, many)
            yield from _roles(side.body, True, True, False)


def candidates_of(formula: Formula, *, spare: int = 0) -> tuple[Candidate, ...]:
    """An object for every variable that may need a witness, and for each class so many to spare.

    One that is the only one of its class, and must be, is not optional.
    """
    formula = apart(formula)
    found = [role for role in roles(formula) if role.witness]
    named = dict.fromkeys(_named_classes(formula))
    other = next(label for label in (*KNOLLING.classes, "thing") if label not in named)
    asked = [(role, label) for role in found for label in _labels(formula, role, other) for _ in range(role.many)]
    if len(asked) * (1 + spare) > MOST_CANDIDATES:
        message = f"the formula asks for {len(asked) * (1 + spare)} objects, more than {MOST_CANDIDATES}"
        raise UsageError(message, hint="count fewer objects, or bind fewer variables")
    many = Counter(label for _, label in asked)
    sure = {id(role) for role in found if role.needed and role.label and many[role.label] == 1 and not spare}
    made = [Candidate(label, role.variable, id(role) not in sure) for role, label in asked]
    return (*made, *(Candidate(label, None, True) for label in many for _ in range(spare)))


def _labels(formula: Formula, role: Role, other: str) -> list[str]:
    """The classes that matter for a variable: the one it must have, or all it is asked about and another."""
    if role.label is not None:
        return [role.label]
    asked = (atom.args[1] for atom in atoms_of(formula) if atom.name == "Is" and role.variable in atom.args[:1])
    return [*dict.fromkeys(term.text for term in asked if isinstance(term, Literal)), other]


def _named_classes(formula: Formula) -> Iterator[str]:
    for atom in atoms_of(formula):
        if atom.name == "Is":
            yield from (term.text for term in atom.args if isinstance(term, Literal))


def is_enough(formula: Formula) -> bool:
    """Whether, if any layout satisfies a formula, one of its candidates alone does.

    >>> from tsgkit.logic.parsing import parse
    >>> chain = "(forall ?p (implies (Is ?p 'pizza') (exists ?q (and (Is ?q '{}') (RightOf ?q ?p)))))"
    >>> is_enough(parse(chain.format("pizza"))), is_enough(parse(chain.format("plate")))
    (False, True)
    """
    formula = apart(formula)
    if any(isinstance(part, Comparison) for _, part in walk(formula)):
        return False
    found = list(roles(formula))
    witnesses = [role for role in found if role.witness]
    for role in (role for role in found if role.universal):
        inner = {part.variable for _, part in walk(role.body) if isinstance(part, Exists | Forall)}
        others = [one for one in witnesses if one.variable != role.variable]
        asks = any(one.variable in inner for one in others)
        if asks and any(role.label is None or one.label in (None, role.label) for one in others):
            return False
    return True
