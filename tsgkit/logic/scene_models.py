"""Worlds: relations and attributes that make a formula about a natural scene true, found by CP-SAT.

>>> from tsgkit.logic.parser import parse
>>> tables = "(exists ?c (exists ?t (and (Is ?c 'cup') (Is ?t 'table') (On ?c ?t){})))"
>>> sorted(world_of(parse(tables.format(""))))
[Fact(name='On', things=(0, 1), value=None)]
>>> world_of(parse(tables.format(" (In ?t ?c)"))) is None
True

A world is plausible as far as :func:`faults` checks: left of, right of and the carrying relations have no cycles, left
of and right of mirror each other, next to is symmetric, an object has one color, material and shape and no two states
that exclude each other, and the image has one style. It is not checked whether a real scene looks like it. Needs the
extra ``logic``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.logic import grounding
from tsgkit.logic.budget import Budget, OutOfBudget
from tsgkit.logic.formula import Formula
from tsgkit.logic.grounding import PRESENT, Fact, Ground, Lit, Tally, ground
from tsgkit.logic.placement import SearchLimits, solved, solver_module
from tsgkit.logic.witnesses import Domain

CARRYING = ("On", "In")
ONE_OF = {"Is": "class", "HasColor": "color", "HasMaterial": "material", "HasShape": "shape", "IsStyle": "style"}
EXCLUDING = (
    {"open", "closed"},
    {"on", "off"},
    {"empty", "full"},
    {"blooming", "withered"},
    {"standing", "sitting", "lying", "kneeling"},
    {"smiling", "crying"},
)


def world_of(formula: Formula, *, budget: Budget | None = None) -> frozenset[Fact] | None:
    """Return the facts of a world that makes a formula true, with one object per variable; None if there is none.

    Objects are numbered as the candidates of its ``Domain``. Raise ``OutOfBudget`` if the search runs out of budget.
    """
    budget = budget or Budget()
    candidates = Domain(formula).candidates()
    grounded = ground(formula, candidates, "strict", budget=budget)
    module = solver_module()
    model = module.CpModel()
    relevant = [fact for stated in _facts(grounded) for fact in (stated, *_implied(stated))]
    relevant += [Fact(PRESENT, (number,)) for number, candidate in enumerate(candidates) if candidate.optional]
    facts = {fact: model.new_bool_var(str(fact)) for fact in dict.fromkeys(relevant)}
    model.add_bool_or([_literal(model, facts, grounded)])
    for fact, excluded in _excluding(facts):
        model.add_bool_or([facts[fact].Not(), facts[excluded].Not()])
    numbers = range(len(candidates))  # left-of and carrying relations have no cycles
    across = [model.new_int_var(0, len(candidates), f"across_{number}") for number in numbers]
    height = [model.new_int_var(0, len(candidates), f"height_{number}") for number in numbers]
    for fact, variable in facts.items():
        if fact.name in ("LeftOf", "RightOf", *CARRYING, "Holding", "NextTo"):
            first, second = fact.things if fact.name != "RightOf" else fact.things[::-1]
            if first == second:
                model.add(variable == 0)
            elif fact.name in ("LeftOf", "RightOf"):
                model.add(across[first] < across[second]).only_enforce_if(variable)
            elif fact.name in CARRYING:
                model.add(height[first] > height[second]).only_enforce_if(variable)
    for fact in facts:
        for implied in _implied(fact):
            model.add_implication(facts[fact], facts[implied])
    model.minimize(sum(facts.values()))
    solver, status = solved(model, SearchLimits(EFFORT, budget=budget))
    if status == module.UNKNOWN:
        raise OutOfBudget(f"{min(EFFORT, budget.seconds):g} seconds")
    if status not in (module.OPTIMAL, module.FEASIBLE):
        return None
    world = frozenset(fact for fact, variable in facts.items() if solver.value(variable))
    assert not faults(world)  # noqa: S101  (guaranteed by the model)
    return world


def faults(world: Iterable[Fact]) -> list[str]:
    """Return descriptions of the implausible facts in a world."""
    facts = sorted(world, key=str)
    problems = [f"{first} and {second}" for first, second in _excluding(facts)]
    problems += [f"{fact} without {implied}" for fact in facts for implied in _implied(fact) if implied not in facts]
    loose = [fact for fact in facts if len(fact.things) == 2 and fact.things[0] == fact.things[1]]
    problems += [f"{fact} of itself" for fact in loose]
    for names in ({"LeftOf"}, set(CARRYING)):
        pairs = {fact.things for fact in facts if fact.name in names}
        problems += [f"a circle of {' and '.join(sorted(names))}"] if _is_circular(pairs) else []
    return problems


def _is_circular(pairs: set[tuple[int, ...]]) -> bool:
    left = set(pairs)
    while left:
        ends = {second for _, second in left}
        ready = {pair for pair in left if pair[0] not in ends}
        if not ready:
            return True
        left -= ready
    return False


def _facts(grounded: Ground) -> Iterator[Fact]:
    match grounded:
        case Lit(fact, _):
            yield fact
        case grounding.All(parts) | grounding.Any(parts):
            for part in parts:
                yield from _facts(part)
        case Tally():
            raise UsageError("formulas with counts have no world", hint="counts are supported on layouts only")


EFFORT = 5.0
"""The limit for the search, in deterministic seconds."""
MIRRORED = {"LeftOf": "RightOf", "RightOf": "LeftOf", "NextTo": "NextTo"}


def _implied(fact: Fact) -> Iterator[Fact]:
    if fact.name in MIRRORED:
        yield Fact(MIRRORED[fact.name], fact.things[::-1])


def _excluding(facts: Iterable[Fact]) -> Iterator[tuple[Fact, Fact]]:
    """Yield pairs of facts that exclude each other."""
    for first, second in combinations(facts, 2):
        if first.things == second.things and first.name == second.name:
            states = {first.value, second.value}
            if first.name in ONE_OF or any(states <= group for group in EXCLUDING):
                yield first, second
        elif ({first.name, second.name} == set(CARRYING) and first.things == second.things) or (
            first.name == second.name == "Holding" and first.things[1:] == second.things[1:]
        ):
            yield first, second


def _literal(model: Any, facts: Mapping[Fact, Any], grounded: Ground) -> Any:  # noqa: ANN401
    """Return a variable that is true only if the ground formula is."""
    if isinstance(grounded, Lit):
        return facts[grounded.fact] if grounded.positive else facts[grounded.fact].Not()
    variable = model.new_bool_var("part")
    match grounded:
        case False:
            model.add(variable == 0)
        case grounding.All(parts):
            for part in parts:
                model.add_implication(variable, _literal(model, facts, part))
        case grounding.Any(parts):
            model.add_bool_or([_literal(model, facts, part) for part in parts]).only_enforce_if(variable)
    return variable
