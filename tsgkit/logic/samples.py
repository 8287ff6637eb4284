"""Configurations, the requirements of instructions, made up at random from a seed, and their formulas.

>>> from tsgkit.logic.clauses import clause_form
>>> from tsgkit.logic.formula import text_of
>>> text_of(formula_of(configuration(1, "knolling", seed=1, universal=True)))  # doctest: +ELLIPSIS
"(forall ?... (implies (Is ?..."
>>> chosen = configuration(5, "natural", seed=1)
>>> clause_form(formula_of(chosen)).k, len(set(chosen.classes)), chosen == configuration(5, "natural", seed=1)
(5, 5, True)

A configuration has K objects of K classes in one closure, as the published instructions do. A knolling configuration is
derived from objects placed on a grid, so it is satisfiable. A natural one grows from its first object by plausible
relations (:mod:`tsgkit.logic.plausibility`). With ``universal``, one object stands for every object of its class, and
objects that depend on it come after it. ``twist`` replaces one requirement by a choice of two, or by the negation of
its opposite.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.logic.formula import And, Atom, Exists, Forall, Formula, Implies, Literal, Not, Or, Variable, conjunction
from tsgkit.logic.plausibility import (
    BULKY,
    CLOTHES,
    LOOKS,
    PEOPLE,
    PLACES,
    UPRIGHT,
    RelationStep,
    clash,
    looks_of,
    steps_from,
)
from tsgkit.logic.vocabulary import KNOLLING, NATURAL, color_of, size_of

Scenario = OneOf["knolling", "natural"]
Twist = OneOf["", "or", "not"]


class AppliedPredicate(NamedTuple):
    """A predicate applied to objects, by number, with an optional value."""

    name: str
    things: tuple[int, ...]
    value: str | None = None


class Requirement(NamedTuple):
    """A requirement: one statement, a choice of two, or the negation of a statement."""

    statements: tuple[AppliedPredicate, ...]
    denied: bool = False

    @property
    def things(self) -> frozenset[int]:
        """The numbers of the objects it mentions."""
        return frozenset(thing for statement in self.statements for thing in statement.things)


@dataclass(frozen=True, slots=True)
class Configuration:
    """The requirements of an instruction: objects by class, in the order they are bound, and statements about them.

    ``every`` is the object that stands for all of its class; objects after it exist for each of these. ``condition``
    restricts the class. ``style`` is the style of a natural scene.
    """

    scenario: Scenario
    classes: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    every: int | None = None
    condition: tuple[AppliedPredicate, ...] = ()
    style: str | None = None


def formula_of(configuration: Configuration) -> Formula:
    """Return the formula that expresses a configuration.

    >>> from tsgkit.logic.formula import text_of
    >>> left = Requirement((AppliedPredicate("OnLeftSide", (0,)),))
    >>> text_of(formula_of(Configuration("knolling", ("cup",), (left,))))
    "(exists ?cup (and (Is ?cup 'cup') (OnLeftSide ?cup)))"
    >>> text_of(formula_of(Configuration("knolling", ("cup",), (left,), every=0)))
    "(forall ?cup (implies (Is ?cup 'cup') (OnLeftSide ?cup)))"
    """
    names = [Variable(f"?{label.replace(' ', '_')}") for label in configuration.classes]

    def atom(statement: AppliedPredicate) -> Atom:
        value = () if statement.value is None else (Literal(statement.value),)
        return Atom(statement.name, (*(names[thing] for thing in statement.things), *value))

    def required(requirement: Requirement) -> Formula:
        atoms = tuple(map(atom, requirement.statements))
        either: Formula = atoms[0] if len(atoms) == 1 else Or(atoms)
        return Not(either) if requirement.denied else either

    def existing(numbers: Sequence[int], parts: Sequence[Formula]) -> Formula:
        formula = conjunction(parts)
        for number in reversed(numbers):
            formula = Exists(names[number], formula)
        return formula

    every, requirements = configuration.every, configuration.requirements
    kinds = [Atom("Is", (name, Literal(label))) for name, label in zip(names, configuration.classes, strict=True)]
    outer = range(len(names) if every is None else every)
    parts = [*kinds[: len(outer)], *(required(part) for part in requirements if part.things <= set(outer))]
    if every is not None:
        condition = conjunction([kinds[every], *map(atom, configuration.condition)])
        inner = [*kinds[every + 1 :], *(required(part) for part in requirements if max(part.things) >= every)]
        parts.append(Forall(names[every], Implies(condition, existing(range(every + 1, len(names)), inner))))
    whole = existing(outer, parts)
    return whole if configuration.style is None else And((Atom("IsStyle", (Literal(configuration.style),)), whole))


MOST = 20
"""The maximum number of objects in a configuration."""


def configuration(
    k: int, scenario: Scenario = "knolling", seed: int = 0, *, universal: bool = False, twist: Twist = ""
) -> Configuration:
    """Make up a configuration of K objects."""
    if not 1 <= k <= MOST:
        raise UsageError(f"K is {k}, expected 1 to {MOST}")
    if scenario not in ("knolling", "natural"):
        raise UsageError(f"there is no scenario {scenario}", hint="knolling or natural")
    rng = random.Random(f"{scenario} {k} {seed} {universal} {twist}")
    untwisted = (_knolling if scenario == "knolling" else _natural)(k, rng, universal)
    return _twisted(untwisted, twist, rng) if twist else untwisted


# Knolling: objects on a grid, and relations that hold between them.


def _knolling(k: int, rng: random.Random, universal: bool) -> Configuration:
    classes = tuple(rng.sample(KNOLLING.classes, k))
    columns = rng.randint(2, max(2, min(k, 5)))
    rows = max(2, -(-k // columns) + rng.randint(0, 1))
    cells = rng.sample([(column, row) for column in range(columns) for row in range(rows)], k)
    areas = [width * height for width, height in map(size_of, classes)]
    statements = []
    for number in sorted(rng.sample(range(k), max(1, k // 3))):  # the halves of some; always one of an object alone
        column, row = cells[number]
        halves = []
        if across := 2 * column + 1 - columns:
            halves.append("OnLeftSide" if across < 0 else "OnRightSide")
        if down := 2 * row + 1 - rows:
            halves.append("OnTopSide" if down < 0 else "OnBottomSide")
        if halves or k == 1:
            statements.append(AppliedPredicate(rng.choice(halves or ["OnLeftSide", "OnTopSide"]), (number,)))
    for number in range(1, k):  # one to three relations that hold between two objects
        neighbour = rng.randrange(max(0, number - 3), number)
        (column, row), (other_column, other_row) = cells[number], cells[neighbour]
        across_name = "LeftOf" if column < other_column else "RightOf"
        down_name = "Above" if row < other_row else "Below"
        names = (
            "AlignedVertically" if column == other_column else across_name,
            "AlignedHorizontally" if row == other_row else down_name,
        )
        statements += [AppliedPredicate(name, (number, neighbour)) for name in rng.sample(names, rng.choice((1, 1, 2)))]
        area, other_area = areas[number], areas[neighbour]
        if not 2 * area > other_area > area / 2 and rng.random() < 0.3:
            name = "LargerThan" if area > other_area else "SmallerThan"
            statements.append(AppliedPredicate(name, (number, neighbour)))
    for number in sorted(rng.sample(range(k), rng.randint(0, (k + 1) // 2))):
        usual = color_of(classes[number])
        color = usual if usual and rng.random() < 0.4 else rng.choice(KNOLLING.values["color"])
        statements.append(AppliedPredicate("Has", (number,), color))
    every = rng.randrange(k) if universal else None
    condition: tuple[AppliedPredicate, ...] = ()
    if every is not None:  # its color becomes a condition, if any other requirement mentions it or later objects
        colors = [statement for statement in statements if statement.name == "Has" and statement.things == (every,)]
        others = [statement for statement in statements if statement not in colors]
        if colors and any(max(statement.things) >= every for statement in others):
            statements, condition = others, (colors[0],)
    requirements = tuple(Requirement((statement,)) for statement in statements)
    return Configuration("knolling", classes, requirements, every, condition)


# Natural: objects added one by one by plausible relations.


class _Grown(NamedTuple):
    """An object, the earlier one it is attached to, and the relation between them."""

    label: str
    near: int
    step: RelationStep | None

    @property
    def is_placed(self) -> bool:
        """True if the object is on, in or held by another one, and so has no place of its own."""
        return self.step is not None and self.step.name in CARRIED


CARRIED = ("On", "In", "Holding")


def _natural(k: int, rng: random.Random, universal: bool) -> Configuration:
    while True:
        things = _grown(k, rng)
        every = _general(things, rng) if universal else None
        if every is None and universal:
            continue
        looks = list(_looks(things, rng))
        if k > 1 or looks:
            break
    later: list[int] = []  # objects that depend on the universal one come last
    for number, thing in enumerate(things[1:], 1):
        if number != every and every is not None and (thing.near == every or thing.near in later):
            later.append(number)
    order = [number for number in range(k) if number not in later and number != every]
    order += [*([] if every is None else [every]), *later]
    for number, thing in enumerate(things):
        if thing.step:
            pair = (thing.near, number) if thing.step.first else (number, thing.near)
            looks.append(AppliedPredicate(thing.step.name, pair))
    statements = [look._replace(things=tuple(order.index(thing) for thing in look.things)) for look in looks]
    statements.sort(key=lambda statement: (max(statement.things), statement.things))
    style = rng.choice((None, *NATURAL.values["style"]))
    return Configuration(
        "natural",
        tuple(things[number].label for number in order),
        tuple(Requirement((statement,)) for statement in statements),
        None if every is None else order.index(every),
        style=style,
    )


def _grown(k: int, rng: random.Random) -> list[_Grown]:
    setting = rng.choice(PLACES)
    things = [_Grown(rng.choice(sorted(setting) if k > 1 else NATURAL.classes), 0, None)]
    for _ in range(60 * k):
        if len(things) == k:
            return things
        near = rng.randrange(len(things))
        used = {thing.label for thing in things}
        steps = [step for step in steps_from(things[near].label) if step.label not in used]
        steps = [step for step in steps if _may_grow(things, near, step) and not clash(step.label, used)]
        steps = [
            step for step in steps if step.label in setting or step.label not in BULKY or step.name in ("On", "In")
        ]
        if steps:
            names = sorted({step.name for step in steps})
            name = rng.choice([name for name in names for _ in range(2 if name in CARRIED else 1)])
            step = rng.choice([step for step in steps if step.name == name])
            things.append(_Grown(step.label, near, step))
    return _grown(k, rng)


ROOM = {"table": 4, "desk": 4, "bookshelf": 4, "bed": 2, "sofa": 2, "bench": 2, "refrigerator": 3, "basket": 3} | {
    "wardrobe": 3,
    "backpack": 2,
    "bowl": 2,
    "plate": 2,
    "boat": 2,
}
"""The maximum number of objects on or in an object; 1 for classes not listed."""


def _may_grow(things: Sequence[_Grown], near: int, step: RelationStep) -> bool:
    names = [thing.step.name for thing in things[1:] if thing.near == near and thing.step]
    if step.name in ("LeftOf", "RightOf", "NextTo"):
        first = things[near].step  # on the side of the object's own neighbour there is no room
        free = first is None or step.name == "NextTo" or {first.name, step.name} != {"LeftOf", "RightOf"}
        return not things[near].is_placed and step.name not in names and free
    if things[near].label in PEOPLE:
        return names.count(step.name) < (1 if step.name == "Holding" else 2)
    carried = [name for name in names if name in CARRIED]
    return len(carried) < ROOM.get(things[near].label, 1) and all(name == step.name for name in carried)


def _general(things: Sequence[_Grown], rng: random.Random) -> int | None:
    """Choose an object that can represent all of its class; not one that is worn or held."""
    if len(things) == 1:
        return 0
    fitting: list[int | None] = []
    for number, thing in enumerate(things[1:], 1):
        near = things[thing.near].label
        worn = thing.label in CLOTHES and near in PEOPLE
        narrow = thing.is_placed and near not in ROOM
        if not worn and not narrow and thing.step is not None and thing.step.name != "Holding":
            fitting.append(number)
    return rng.choice(fitting or [None])


def _looks(things: Sequence[_Grown], rng: random.Random) -> Iterator[AppliedPredicate]:
    """Yield attributes for about half of the objects; always some for an object alone."""
    for number, thing in enumerate(things):
        kinds = [kind for kind in LOOKS if _fitting(thing, kind)]
        if kinds and (len(things) == 1 or rng.random() < 0.55):
            many = min(len(kinds), rng.choice((1, 1, 2) if len(things) > 1 else (1, 2, 2)))
            for kind in sorted(rng.sample(kinds, many)):
                yield AppliedPredicate(f"Has{kind.title()}", (number,), rng.choice(_fitting(thing, kind)))


def _fitting(thing: _Grown, kind: str) -> list[str]:
    return [value for value in looks_of(thing.label, kind) if not (thing.is_placed and value in UPRIGHT)]


# Choices and negations.

OPPOSITE = {
    "LeftOf": "RightOf",
    "Above": "Below",
    "OnLeftSide": "OnRightSide",
    "OnTopSide": "OnBottomSide",
    "LargerThan": "SmallerThan",
}
OPPOSITE |= {value: key for key, value in OPPOSITE.items()}
OTHER = {
    "LeftOf": "Above",
    "RightOf": "Below",
    "OnLeftSide": "OnTopSide",
    "OnRightSide": "OnBottomSide",
    "AlignedVertically": "AlignedHorizontally",
    "LargerThan": "LeftOf",
    "SmallerThan": "RightOf",
}
OTHER |= {value: key for key, value in OTHER.items() if key not in ("LargerThan", "SmallerThan")}


def _twisted(configuration: Configuration, twist: Twist, rng: random.Random) -> Configuration:
    """Turn one requirement into a choice of two or a negated opposite; return the configuration as it is if none
    fits."""
    requirements = list(configuration.requirements)
    fitting = [
        (number, alternative)
        for number, requirement in enumerate(requirements)
        for alternative in _alternatives(configuration, requirement.statements[0], twist)
    ]
    if not fitting:
        return configuration
    number, alternative = rng.choice(fitting)
    statement, denial = requirements[number].statements[0], Requirement((alternative,), denied=True)
    if statement.name == "NextTo":
        return replace(configuration, requirements=(*requirements, denial))
    requirements[number] = denial if twist == "not" else Requirement((statement, alternative))
    return replace(configuration, requirements=tuple(requirements))


def _alternatives(
    configuration: Configuration, statement: AppliedPredicate, twist: Twist
) -> Iterator[AppliedPredicate]:
    """Yield the alternatives to a requirement: values or relations that can be denied, or required in its place."""
    name, value = statement.name, statement.value
    if value is not None:
        label = configuration.classes[statement.things[0]]
        colors = KNOLLING.values["color"] if name == "Has" else looks_of(label, "color")
        if name in ("Has", "HasColor"):
            yield from (statement._replace(value=color) for color in colors if color != value)
        return
    if configuration.scenario == "natural" and twist == "not":
        names = {"NextTo": "LeftOf"}
    else:
        names = OPPOSITE if twist == "not" or configuration.scenario == "natural" else OTHER
    if name in names:
        yield statement._replace(name=names[name])
