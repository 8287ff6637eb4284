"""Configurations: what an instruction requires, before it is a formula or a text.

>>> from tsgkit.logic.printer import text_of
>>> left = Requirement((Said("OnLeftSide", (0,)),))
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


class Said(NamedTuple):
    """A predicate of things, by number, with a value or without."""

    name: str
    things: tuple[int, ...]
    value: str | None = None


class Requirement(NamedTuple):
    """What is required: that something is said, or one of two, or not what is said."""

    said: tuple[Said, ...]
    denied: bool = False

    @property
    def things(self) -> frozenset[int]:
        """The things it is about."""
        return frozenset(thing for one in self.said for thing in one.things)


@dataclass(frozen=True, slots=True)
class Configuration:
    """Things by class, in the order they are bound; ``every`` is the one that stands for all of its class.

    Things after ``every`` are there for each of these. ``condition`` says which of the class are meant, ``style`` is
    the style of a natural scene.
    """

    scenario: Scenario
    classes: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    every: int | None = None
    condition: tuple[Said, ...] = ()
    style: str | None = None


def formula_of(configuration: Configuration) -> Formula:
    """Return the formula that requires a configuration."""
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


def _atom(said: Said, names: Sequence[Variable]) -> Atom:
    value = () if said.value is None else (Literal(said.value),)
    return Atom(said.name, (*(names[thing] for thing in said.things), *value))
