"""Formulas made ready for one layout: parts that evaluate themselves and remember what they found.

>>> from tsgkit.logic.layouts import Box, Layout, Thing
>>> from tsgkit.logic.parser import parse
>>> layout = Layout((Thing("cup", Box(0, 0, 90, 90)), Thing("pen", Box(100, 0, 190, 90))))
>>> board = Board(layout)
>>> board.prepare(parse("(exists ?x (exists ?y (and (Is ?x 'cup') (Is ?y 'pen') (LeftOf ?x ?y))))")).truth()
True

Conjuncts leave the quantifiers they do not depend on, nested ``exists`` are put in the order that is cheapest, and a
quantifier remembers its truth for the values of the variables that it depends on. All that belongs to one layout.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
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
    Number,
    Or,
    Variable,
    atoms_of,
    free_variables,
    refuse_deep,
)
from tsgkit.logic.layouts import RELATIONS, Layout
from tsgkit.logic.variables import apart
from tsgkit.logic.verdicts import Meter
from tsgkit.logic.vocabulary import KNOLLING, OBJECT

NUMBERS: Mapping[str, Callable[[float, float], bool]] = {
    "Equals": operator.eq,
    "GreaterThan": operator.gt,
    "LessThan": operator.lt,
    "GreaterThanOrEquals": operator.ge,
    "LessThanOrEquals": operator.le,
}
STEPS_TO_PREPARE = 50
"""What making a sub-formula ready counts as: conditions in conditions are made ready twice each, and that adds up."""
MOST_TOGETHER = 40
"""How many quantifiers are searched through together at most."""
MOST_ORDERED = 4_000
"""Quantifiers times parts up to which their order is chosen; beyond, it is the written one."""


class Part:
    """A sub-formula on a board; ``needs`` are the variables its truth depends on."""

    def __init__(self, board: Board, formula: Formula, needs: Iterable[Variable]) -> None:
        self.board = board
        self.formula = formula
        self.needs = frozenset(needs)

    def truth(self) -> bool:
        """Return whether this holds for the values the board has for its variables."""
        raise NotImplementedError


class Said(Part):
    """An atom."""

    formula: Atom

    def __init__(self, board: Board, atom: Atom) -> None:
        self.variables = tuple(arg for arg in atom.args if isinstance(arg, Variable))
        super().__init__(board, atom, self.variables)
        self.slots = tuple(map(board.slot, self.variables))
        self.first, self.last = self.slots[0], self.slots[-1]
        self.known: dict[tuple[int, int], bool] = {}

    def truth(self) -> bool:
        """Return whether it is so, looked up once for the same objects."""
        values = self.board.values
        key = (values[self.first], values[self.last])
        if (known := self.known.get(key)) is None:
            known = self.known[key] = self.looked_up()
        return known

    def looked_up(self) -> bool:
        """Return whether it is so by labels, attributes and boxes."""
        things = [self.board.layout.objects[self.board.values[slot]] for slot in self.slots]
        value = self.formula.args[-1]
        if isinstance(value, Literal):
            return things[0].label == value.text if self.formula.name == "Is" else things[0].has(value.text)
        return RELATIONS[self.formula.name](*(thing.box for thing in things))


class Joined(Part):
    """Several parts under one connective."""

    def __init__(self, board: Board, formula: Formula, parts: Iterable[Part]) -> None:
        self.parts = tuple(parts)
        super().__init__(board, formula, chain.from_iterable(part.needs for part in self.parts))


class All(Joined):
    """A conjunction."""

    def truth(self) -> bool:
        """Return whether all parts hold."""
        return all(part.truth() for part in self.parts)


class Some(Joined):
    """A disjunction."""

    def truth(self) -> bool:
        """Return whether a part holds."""
        return any(part.truth() for part in self.parts)


class Denied(Joined):
    """A negation."""

    def truth(self) -> bool:
        """Return whether its part does not hold."""
        return not self.parts[0].truth()


class Condition(Joined):
    """An implication."""

    def truth(self) -> bool:
        """Return whether the condition does not hold, or what follows does."""
        return not self.parts[0].truth() or self.parts[1].truth()


class Alike(Joined):
    """Both sides true, or both false."""

    def truth(self) -> bool:
        """Return whether both parts hold or neither does."""
        return self.parts[0].truth() == self.parts[1].truth()


class Choosing(Part):
    """What chooses objects for a variable: not those that variables it must differ from stand for."""

    def __init__(
        self, board: Board, formula: Formula, variable: Variable, others: frozenset[Variable], body: Part
    ) -> None:
        super().__init__(board, formula, (body.needs | others) - {variable})
        self.variable = variable
        self.others = others
        self.body = body
        self.slot = board.slot(variable)
        self.slots = tuple(sorted(map(board.slot, self.needs)))
        self.other_slots = tuple(map(board.slot, others))
        self.known: dict[tuple[int, ...], int] = {}
        self.sieved: list[int] | None = None
        self.rest: list[Part] = []

    def truth(self) -> bool:
        """Return whether there is something to be found."""
        return bool(self.found())

    def found(self) -> int:
        """Return what :meth:`look` says, looked for once for the same values."""
        values = self.board.values
        key = tuple([values[slot] for slot in self.slots])
        if (known := self.known.get(key)) is None:
            known = self.known[key] = self.look()
        return known

    def look(self) -> int:
        """Return how many, or whether, by going through the choices."""
        raise NotImplementedError

    def choices(self, among: Sequence[int] | None = None) -> Iterator[int]:
        """Put one object after the other in the variable's place."""
        values, step = self.board.values, self.board.meter.step
        taken = {values[slot] for slot in self.other_slots}
        for number in range(len(self.board.layout.objects)) if among is None else among:
            step()
            if number not in taken:
                values[self.slot] = number
                yield number

    def sieve(self, conjuncts: Sequence[Part]) -> list[int]:
        """Return the objects of which all is true that conjuncts say of the variable alone: looked up once for all."""
        if self.sieved is None:
            alone = [part for part in conjuncts if isinstance(part, Said) and part.needs == {self.variable}]
            self.rest = [part for part in conjuncts if part not in alone]
            sieved = []
            for number in range(len(self.board.layout.objects)):
                self.board.meter.step()
                self.board.values[self.slot] = number
                if all(part.truth() for part in alone):
                    sieved.append(number)
            self.sieved = sieved
        return self.sieved


class Found(Choosing):
    """An ``exists`` over what depends on its variable."""

    def look(self) -> int:
        """Return whether a choice makes the body true."""
        sieved = self.sieve(conjuncts(self.body))
        return any(all(part.truth() for part in self.rest) for _ in self.choices(sieved))


class Every(Choosing):
    """A ``forall`` without the rule about conditions that never apply: false where there is nothing to choose."""

    def look(self) -> int:
        """Return whether every choice does, and there is one."""
        taken = {self.board.values[slot] for slot in self.other_slots}
        if len(taken) == len(self.board.layout.objects):
            return False
        condition = conjuncts(self.body.parts[0]) if isinstance(self.body, Condition) else ()
        return all(self.body.truth() for _ in self.choices(self.sieve(condition)))


class Counted(Choosing):
    """How many objects make a body true."""

    def look(self) -> int:
        """Return how many choices do."""
        return sum(self.body.truth() for _ in self.choices())


class General(Joined):
    """Directly nested foralls: the first part holds for every choice, each other one is a condition that applies."""

    def __init__(self, board: Board, formula: Forall, variables: Sequence[Variable], parts: Sequence[Part]) -> None:
        super().__init__(board, formula, parts)
        self.variables = tuple(variables)

    def truth(self) -> bool:
        """Return whether all choices do, and every condition applies to one."""
        everything, *applied = self.parts
        if not everything.truth():
            return False
        if all(part.truth() for part in applied):
            return True
        self.board.zero_triggers += 1
        return False


class Compared(Part):
    """Two numbers, each fixed or counted."""

    formula: Comparison

    def __init__(self, board: Board, formula: Comparison, sides: Sequence[Counted | float]) -> None:
        counted = [side.needs for side in sides if isinstance(side, Counted)]
        super().__init__(board, formula, chain.from_iterable(counted))
        self.sides = tuple(sides)

    def truth(self) -> bool:
        """Return whether the numbers compare as is said."""
        left, right = self.numbers()
        return NUMBERS[self.formula.name](left, right)

    def numbers(self) -> tuple[float, float]:
        """Return the numbers that are compared."""
        left, right = (side.found() if isinstance(side, Counted) else side for side in self.sides)
        return left, right


class Sought(NamedTuple):
    """An ``exists``, and the variables that are bound around it."""

    formula: Exists
    around: tuple[Variable, ...]


class Search:
    """Quantifiers that are searched through together, as all are ``exists`` and must hold at once.

    Their order is free: the one goes first whose parts depend on the fewest other variables, the innermost among such.
    """

    def __init__(self, scope: tuple[Variable, ...]) -> None:
        self.scope = scope
        self.waiting: dict[Variable, Sought] = {}
        self.parts: list[Part] = []

    def linked(self, variable: Variable, sought: Sought) -> tuple[Variable, ...]:
        """Return the variables that one must differ from where variables are distinct: around it, or inside it."""
        around = [one for one in sought.around if one in self.waiting or one in self.scope]
        return (*around, *(one for one, other in self.waiting.items() if variable in other.around))

    def next_out(
        self, parts: Sequence[Part], others: Callable[[Variable, tuple[Variable, ...]], frozenset[Variable]]
    ) -> Variable:
        """Return the variable whose quantifier is put around its parts next."""
        variables = list(reversed(self.waiting))
        if len(variables) == 1 or len(parts) * len(variables) > MOST_ORDERED:
            return variables[0]

        def width(variable: Variable) -> int:
            needs = [part.needs for part in parts if variable in part.needs]
            return len(others(variable, self.linked(variable, self.waiting[variable])).union(*needs))

        return min(variables, key=width)


class Board:
    """One layout, and the objects that variables stand for at the moment."""

    def __init__(self, layout: Layout, *, distinct: bool = False, meter: Meter | None = None) -> None:
        self.layout = layout
        self.distinct = distinct
        self.meter = meter or Meter()
        self.values: list[int] = []
        self.slots: dict[Variable, int] = {}
        self.classes: dict[Variable, str | None] = {}
        self.zero_triggers = 0

    def prepare(self, formula: Formula) -> Part:
        """Return the formula made ready; ``UsageError`` where it says what no layout can tell."""
        refuse_deep(formula)
        refuse_unjudgeable(formula)
        return self.part(apart(formula), ())

    def slot(self, variable: Variable) -> int:
        """Return where among the values the object is that a variable stands for."""
        if variable not in self.slots:
            self.slots[variable] = len(self.values)
            self.values.append(0)
        return self.slots[variable]

    def part(self, formula: Formula, scope: tuple[Variable, ...]) -> Part:
        """Return a sub-formula made ready; ``scope`` are the variables bound around it."""
        self.meter.step(STEPS_TO_PREPARE)
        match formula:
            case Atom():
                return Said(self, formula)
            case And() | Exists():
                conjuncts = self.conjuncts(formula, scope)
                return conjuncts[0] if len(conjuncts) == 1 else All(self, formula, conjuncts)
            case Or(parts):
                return Some(self, formula, [self.part(part, scope) for part in parts])
            case Not(body):
                return Denied(self, formula, [self.part(body, scope)])
            case Implies(left, right):
                return Condition(self, formula, [self.part(left, scope), self.part(right, scope)])
            case Iff(left, right):
                return Alike(self, formula, [self.part(left, scope), self.part(right, scope)])
            case Comparison(_, left, right):
                return Compared(self, formula, [self.number(left, scope), self.number(right, scope)])
            case Forall():
                return self.general(formula, scope)

    def conjuncts(self, formula: Formula, scope: tuple[Variable, ...]) -> list[Part]:
        """Return the parts that must all hold: those of conjunctions in it, and what is left of each ``exists``."""
        if isinstance(formula, And):
            return cheap_first(one for part in formula.parts for one in self.conjuncts(part, scope))
        search = Search(scope)
        self.gather(formula, scope, search)
        parts = search.parts
        while search.waiting:
            variable = search.next_out(parts, self.others)
            found = search.waiting.pop(variable)
            others = self.others(variable, search.linked(variable, found))
            staying = cheap_first(part for part in parts if variable in part.needs)
            body = staying[0] if len(staying) == 1 else All(self, found.formula.body, staying)
            leaving = [part for part in parts if variable not in part.needs]
            parts = [*leaving, Found(self, found.formula, variable, others, body)]
        return cheap_first(parts)

    def gather(self, formula: Formula, around: tuple[Variable, ...], search: Search) -> None:
        """Take a search apart: quantifiers and conjunctions inside each other, in whatever order."""
        if isinstance(formula, And) and search.waiting:
            for part in formula.parts:
                self.gather(part, around, search)
        elif isinstance(formula, Exists) and len(search.waiting) < MOST_TOGETHER:
            self.classes[formula.variable] = demanded(formula.variable, formula.body)
            search.waiting[formula.variable] = Sought(formula, around)
            self.gather(formula.body, (*around, formula.variable), search)
        elif isinstance(formula, Exists):
            search.parts += self.conjuncts(formula, around)
        else:
            search.parts.append(self.part(formula, around))

    def general(self, formula: Forall, scope: tuple[Variable, ...]) -> Part:
        """Directly nested foralls as one, with the conditions that must apply to something."""
        variables, body = block(formula)
        inside = (*scope, *variables)
        condition = body.antecedent if isinstance(body, Implies) else None
        for variable in variables:
            self.classes[variable] = demanded(variable, condition) if condition else None
        part = self.part(body, inside)
        for place in reversed(range(len(variables))):
            around = (*scope, *variables[:place])
            part = Every(self, formula, variables[place], self.others(variables[place], around), part)
        applied = [self.applied(variables, one.antecedent, scope) for one in conditions(body)]
        return General(self, formula, variables, [part, *applied])

    def applied(self, variables: Sequence[Variable], condition: Formula, scope: tuple[Variable, ...]) -> Part:
        """Return that a condition is true for some choice of the variables of its ``forall``."""
        for variable in reversed(variables):
            condition = Exists(variable, condition)
        return self.part(condition, scope)

    def number(self, number: Number, scope: tuple[Variable, ...]) -> Counted | float:
        """Return a number, or the part that counts it."""
        if not isinstance(number, Count):
            return number
        variable = number.variable
        self.classes[variable] = demanded(variable, number.body)
        body = self.part(number.body, (*scope, variable))
        return Counted(self, number.body, variable, self.others(variable, scope), body)

    def others(self, variable: Variable, scope: tuple[Variable, ...]) -> frozenset[Variable]:
        """Return the variables around that this one must differ from: one that must be of another class does so
        anyway."""
        if not self.distinct:
            return frozenset()
        own = self.classes[variable]
        different = {one for one in scope if own and self.classes[one] and own != self.classes[one]}
        return frozenset(scope) - different


def conjuncts(body: Part) -> tuple[Part, ...]:
    """Return the parts that must all hold for a body to hold."""
    return body.parts if isinstance(body, All) else (body,)


def cheap_first(parts: Iterable[Part]) -> list[Part]:
    """Parts in the order in which they are tried: what is said of one object, of two, then what is searched for."""
    return sorted(parts, key=lambda part: (not isinstance(part, Said), len(part.needs)))


def block(formula: Forall) -> tuple[list[Variable], Formula]:
    """Return the variables of directly nested foralls, and the body of the innermost."""
    variables, body = [formula.variable], formula.body
    while isinstance(body, Forall):
        variables.append(body.variable)
        body = body.body
    return variables, body


def conditions(body: Formula) -> list[Implies]:
    """Return the implications that a body is, or is a conjunction of."""
    if isinstance(body, And):
        return [one for part in body.parts for one in conditions(part)]
    return [body] if isinstance(body, Implies) else []


def demanded(variable: Variable, formula: Formula) -> str | None:
    """Return the class without which a formula is false, whatever else holds."""
    match formula:
        case Atom("Is", (first, Literal(text))) if first == variable:
            return text
        case And(parts):
            return next(filter(None, (demanded(variable, part) for part in parts)), None)
        case Exists(_, body):
            return demanded(variable, body)
    return None


def refuse_unjudgeable(formula: Formula) -> None:
    """``UsageError`` for what no layout can tell: unknown predicates, free variables, values in the wrong place."""
    for atom in atoms_of(formula):
        kinds = KNOLLING.predicates.get(atom.name)
        if kinds is None:
            raise UsageError(
                f"no layout tells whether {atom.name} holds",
                hint="what boxes, labels and colours tell: " + ", ".join(KNOLLING.predicates),
            )
        fits = [isinstance(arg, Variable) == (kind == OBJECT) for kind, arg in zip(kinds, atom.args, strict=False)]
        if len(kinds) != len(atom.args) or not all(fits):
            raise UsageError(f"{atom.name} is said of {len(atom.args)}, expected: {', '.join(kinds)}")
    if free := sorted(variable.name for variable in free_variables(formula)):
        raise UsageError(f"nothing binds {', '.join(free)}", hint="write a quantifier around the formula")
