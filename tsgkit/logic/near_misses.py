"""Near misses: layouts that fail exactly one conjunct of a formula.

>>> from tsgkit.logic.parser import parse
>>> misses = near_misses(parse("(exists ?b (and (Is ?b 'book') (OnLeftSide ?b) (Has ?b 'red')))"), 2)
>>> sorted(miss.conjunct for miss in misses)
['the book is on the left side', 'the book is red']
>>> [miss.layout.objects[0].has("red") for miss in misses if miss.conjunct == "the book is on the left side"]
[True]

They test verifiers and judges: one that accepts a near miss is wrong about a known conjunct. A near miss satisfies the
formula without that conjunct, for both verifiers, but not the whole formula. A conjunct implied by others has no near
miss. Needs the extra ``logic``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from tsgkit.logic.budget import SECONDS, Budget, OutOfBudget
from tsgkit.logic.conjuncts import Leaf, leaf_words, leaves, without
from tsgkit.logic.evaluation import refuse_unjudgeable
from tsgkit.logic.formula import And, Formula, Not, Path, refuse_deep, rename_apart
from tsgkit.logic.grounding import all_of, ground
from tsgkit.logic.layouts import Layout
from tsgkit.logic.placement import EXACT, NEAT, ROOMY, Effort, PlacementModel, spread_out
from tsgkit.logic.solver import profiles_of, verified
from tsgkit.logic.witnesses import candidates_of

ROUNDS = 3
"""The number of attempts per conjunct."""


class NearMiss(NamedTuple):
    """A layout and the one conjunct it fails, in words and by path."""

    layout: Layout
    conjunct: str
    path: Path


def near_misses(formula: Formula, n: int, seed: int = 0, *, budget: Budget | None = None) -> list[NearMiss]:
    """Return up to ``n`` near misses, of different conjuncts first.

    There are fewer if no more are found within the budget (:data:`SECONDS` deterministic seconds for each).
    """
    refuse_deep(formula)
    refuse_unjudgeable(formula)
    found: dict[Layout, NearMiss] = {}
    with suppress(OutOfBudget):
        for miss in _misses(rename_apart(formula), seed, budget or Budget(n * SECONDS)):
            if len(found) >= n:
                break
            found.setdefault(miss.layout, miss)
    return list(found.values())


def _misses(formula: Formula, seed: int, budget: Budget) -> Iterator[NearMiss]:
    rng = random.Random(seed)
    order = list(leaves(formula))
    rng.shuffle(order)
    for _ in range(ROUNDS):
        for leaf in order:
            layout = _missing(formula, leaf, rng.randrange(2**31), budget)
            if layout is not None:
                yield NearMiss(layout, leaf_words(leaf, formula), leaf.path)


def _missing(formula: Formula, leaf: Leaf, seed: int, budget: Budget) -> Layout | None:
    """Search for the neatest layout that fails one conjunct."""
    rest = without(formula, [leaf.path])
    candidates = candidates_of(And((rest, Not(leaf.formula))))
    profiles, _ = profiles_of(formula)
    grounds = [ground(rest, candidates, profile, budget=budget) for profile in profiles]
    grounds += [ground(formula, candidates, profile, truth=False, budget=budget) for profile in profiles]
    for rules in (NEAT, ROOMY, EXACT):
        placing = PlacementModel(candidates, rules, budget)
        placing.require(all_of(grounds))
        placing.hint(spread_out(placing, seed))
        placed = placing.placed(Effort(1.0, seed, budget))
        if placed.layout is not None:
            return verified(rest, verified(formula, placed.layout, profiles, truth=False), profiles)
    return None
