"""Configurations: the requirements of an instruction, from which its formula is built.

>>> from tsgkit.logic.formula import text_of
>>> left = Requirement((Statement("OnLeftSide", (0,)),))
>>> text_of(formula_of(Configuration("knolling", ("cup",), (left,))))
"(exists ?cup (and (Is ?cup 'cup') (OnLeftSide ?cup)))"
>>> text_of(formula_of(Configuration("knolling", ("cup",), (left,), every=0)))
"(forall ?cup (implies (Is ?cup 'cup') (OnLeftSide ?cup)))"
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import NamedTuple

from tsgkit.logic.formula import And, Atom, Exists, Forall, Formula, Implies, Literal, Not, Or, Variable

Scenario = OneOf["knolling", "natural"]
Twist = OneOf["", "or", "not"]


class Statement(NamedTuple):
    """A predicate applied to objects, by number, with an optional value."""

    name: str
    things: tuple[int, ...]
    value: str | None = None


class Requirement(NamedTuple):
    """A requirement: one statement, a choice of two, or the negation of a statement."""

    said: tuple[Statement, ...]
    denied: bool = False

    @property
    def things(self) -> frozenset[int]:
        """The numbers of the objects it mentions."""
        return frozenset(thing for one in self.said for thing in one.things)


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
    condition: tuple[Statement, ...] = ()
    style: str | None = None


def formula_of(configuration: Configuration) -> Formula:
    """Return the formula that expresses a configuration."""
    names = [Variable(f"?{label.replace(' ', '_')}") for label in configuration.classes]
    every = configuration.every
    outer = range(len(names) if every is None else every)
    parts = [_is(names, configuration, number) for number in outer]
    parts += [_formula(one, names) for one in configuration.requirements if one.things <= set(outer)]
    if every is not None:
        parts.append(_forall(configuration, names, every))
    made = _bound([names[number] for number in outer], parts)
    if configuration.style is None:
        return made
    return And((Atom("IsStyle", (Literal(configuration.style),)), made))


def _forall(configuration: Configuration, names: Sequence[Variable], every: int) -> Formula:
    conditions = [_is(names, configuration, every), *(_atom(one, names) for one in configuration.condition)]
    later = range(every + 1, len(names))
    parts = [_is(names, configuration, number) for number in later]
    parts += [_formula(one, names) for one in configuration.requirements if max(one.things) >= every]
    return Forall(names[every], Implies(_joined(conditions), _bound([names[number] for number in later], parts)))


def _is(names: Sequence[Variable], configuration: Configuration, number: int) -> Formula:
    return Atom("Is", (names[number], Literal(configuration.classes[number])))


def _joined(parts: Sequence[Formula]) -> Formula:
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def _bound(names: Sequence[Variable], parts: Sequence[Formula]) -> Formula:
    made = _joined(parts)
    for name in reversed(names):
        made = Exists(name, made)
    return made


def _formula(requirement: Requirement, names: Sequence[Variable]) -> Formula:
    atoms = tuple(_atom(one, names) for one in requirement.said)
    made: Formula = atoms[0] if len(atoms) == 1 else Or(atoms)
    return Not(made) if requirement.denied else made


def _atom(said: Statement, names: Sequence[Variable]) -> Atom:
    value = () if said.value is None else (Literal(said.value),)
    return Atom(said.name, (*(names[thing] for thing in said.things), *value))
