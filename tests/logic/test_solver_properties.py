"""Whatever the formula: a solution verifies, a repair verifies and keeps what is right, a near miss fails as named."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("ortools", reason="solving formulas needs the extra logic")

from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.logic.configurations import Twist
from tsgkit.logic.conjuncts import without
from tsgkit.logic.formula import And, Atom, Exists, Forall, Formula, Implies, Literal, Not, Or, Variable
from tsgkit.logic.layouts import RELATIONS, Layout, layout_of
from tsgkit.logic.near_misses import near_misses
from tsgkit.logic.repairs import repair
from tsgkit.logic.samples import configuration, formula_of
from tsgkit.logic.solver import solve
from tsgkit.logic.verdicts import Profile
from tsgkit.logic.verification import verify

CLASSES = ("cup", "pen", "hat")
UNARY = ("OnLeftSide", "OnTopSide", "OnRightSide", "InCenter")
BINARY = tuple(name for name in RELATIONS if not name.startswith(("On", "In")))
PROFILES: tuple[Profile, ...] = ("strict", "official")


@st.composite
def formulas(draw: st.DrawFn) -> Formula:
    """Closed formulas over few classes, quantifiers, connectives and denials in any places."""
    return _part(draw, (), 4)


def _part(draw: st.DrawFn, bound: tuple[Variable, ...], depth: int) -> Formula:
    kinds = ["exists", "forall"] if not bound else ["atom", "atom", "not", "and", "or", "exists", "forall"]
    kind = draw(st.sampled_from(kinds if depth else ["atom"]))
    if kind == "atom":
        return _atom(draw, bound)
    if kind in ("exists", "forall"):
        variable = Variable(f"?v{len(bound)}")
        label = Atom("Is", (variable, Literal(draw(st.sampled_from(CLASSES)))))
        body = _part(draw, (*bound, variable), depth - 1)
        return Exists(variable, And((label, body))) if kind == "exists" else Forall(variable, Implies(label, body))
    if kind == "not":
        return Not(_part(draw, bound, depth - 1))
    parts = tuple(_part(draw, bound, depth - 1) for _ in range(2))
    return And(parts) if kind == "and" else Or(parts)


def _atom(draw: st.DrawFn, bound: tuple[Variable, ...]) -> Formula:
    name = draw(st.sampled_from(("Has", *UNARY, *BINARY)))
    first = draw(st.sampled_from(bound))
    if name == "Has":
        return Atom(name, (first, Literal(draw(st.sampled_from(("red", "blue"))))))
    return Atom(name, (first,) if name in UNARY else (first, draw(st.sampled_from(bound))))


@st.composite
def samples(draw: st.DrawFn) -> Formula:
    """Formulas of the published shape."""
    twists: tuple[Twist, ...] = ("", "or", "not")
    twist = draw(st.sampled_from(twists))
    k, seed = draw(st.integers(1, 6)), draw(st.integers(0, 10**6))
    return formula_of(configuration(k, "knolling", seed, universal=draw(st.booleans()), twist=twist))


@settings(max_examples=60, deadline=None)
@given(formulas())
def test_a_solution_of_any_formula_verifies(formula: Formula) -> None:
    solution = solve(formula, effort=2.0)
    if solution.layout is None:
        assert solution.conflict or solution.status == "not decided"
        return
    layout_of(solution.layout.value)
    assert all(verify(formula, solution.layout, profile).truth for profile in solution.profiles)


@settings(max_examples=60, deadline=None)
@given(formulas(), st.integers(0, 10**6))
def test_unsatisfiable_formulas_are_false_on_random_layouts(formula: Formula, seed: int) -> None:
    solution = solve(formula, effort=2.0)
    if solution.status != "unsatisfiable":
        return
    other = solve(formula_of(configuration(3, "knolling", seed))).layout
    assert other is not None
    rng = random.Random(seed)
    things = [thing.__class__(rng.choice(CLASSES), thing.box, "red") for thing in other.objects]
    layout = Layout(tuple(things[: solution.objects]))
    assert not all(verify(formula, layout, profile).truth for profile in solution.profiles)


@settings(max_examples=25, deadline=None)
@given(samples())
def test_sampled_formulas_are_satisfiable_and_their_solutions_need_no_repair(formula: Formula) -> None:
    layout = solve(formula).layout
    assert layout is not None
    repaired = repair(formula, layout)
    assert repaired.layout == layout
    assert repaired.changes == ()


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(samples(), st.integers(0, 10**6))
def test_a_shaken_layout_is_repaired_to_one_that_verifies(formula: Formula, seed: int) -> None:
    layout = solve(formula, seed=seed).layout
    assert layout is not None
    boxes = [thing.box for thing in layout.objects]
    random.Random(seed).shuffle(boxes)
    things = (thing.__class__(thing.label, box, "pink") for thing, box in zip(layout.objects, boxes, strict=True))
    shaken = Layout(tuple(things))
    repaired = repair(formula, shaken, effort=1.0)
    if repaired.layout is None:
        assert repaired.status == "not decided"
        return
    assert all(verify(formula, repaired.layout, profile).truth for profile in PROFILES)
    assert bool(repaired.changes) is (repaired.layout != shaken)


@settings(max_examples=15, deadline=None)
@given(samples(), st.integers(0, 10**6))
def test_a_near_miss_fails_the_named_conjunct_and_no_other(formula: Formula, seed: int) -> None:
    for miss in near_misses(formula, 2, seed):
        for profile in PROFILES:
            assert verify(formula, miss.layout, profile).truth is False
            assert verify(without(formula, [miss.path]), miss.layout, profile).truth is True


@settings(max_examples=15, deadline=None)
@given(samples(), st.integers(0, 10**6))
def test_the_same_seed_gives_the_same_solution(formula: Formula, seed: int) -> None:
    assert solve(formula, seed=seed) == solve(formula, seed=seed)
