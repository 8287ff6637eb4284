"""Solver for formulas: a neat layout that satisfies one, the conjuncts that conflict, or layouts that just fail.

>>> from tsgkit.logic.parser import parse
>>> book = "(exists ?b (and (Is ?b 'book') (OnLeftSide ?b) {}))"
>>> solution = solve(parse(book.format("(OnTopSide ?b)")))
>>> solution.status, [thing.label for thing in solution.layout.objects]
('satisfiable', ['book'])
>>> solution = solve(parse(book.format("(OnTopSide ?b) (OnRightSide ?b)")))
>>> solution.status, solution.conflict
('unsatisfiable', ('the book is on the left side', 'the book is on the right side'))

A layout is returned only if both verifiers accept it, or ``strict`` alone if none was found that both accept.
Unsatisfiable means: in ``strict``, for layouts of any number of objects, with whole numbers as edges. A formula that is
neither satisfied nor refuted within the budget is not decided. Colors are distinguished from materials and shapes: no
object is both red and blue. Needs the extra ``logic``.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from tsgkit.logic.budget import SECONDS, Budget, OutOfBudget
from tsgkit.logic.conflicts import conflict_of, leaf_words, leaves, without
from tsgkit.logic.evaluation import refuse_unjudgeable
from tsgkit.logic.formula import And, Formula, Iff, Not, Path, rename_apart, walk
from tsgkit.logic.grounding import TooLarge, all_of, ground
from tsgkit.logic.layouts import Layout
from tsgkit.logic.placement import EXACT, NEAT, ROOMY, Effort, Placed, PlacementModel, Rules, Status, spread_out
from tsgkit.logic.proofs import Proof, proof_of
from tsgkit.logic.verdicts import Profile
from tsgkit.logic.verification import verify
from tsgkit.logic.witnesses import Domain, TooManyObjects

BOTH: tuple[Profile, ...] = ("strict", "official")
STRICT: tuple[Profile, ...] = ("strict",)
ONLY_STRICT = "no layout was found that the published verifier also accepts"
Efforts = Sequence[tuple[Rules, float]]
NEATLY: Efforts = ((NEAT, 0.3),)
SOMEHOW: Efforts = ((ROOMY, 1.0), (EXACT, 2.0))
"""The placement rules to try in order, and the deterministic seconds for each."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of solving a formula.

    ``conflict`` holds the conjuncts that cannot hold together, in words; ``conflicting`` holds their paths in the
    formula (with names as by ``rename_apart``). ``objects`` is the number of objects in the layout, or the largest
    number tried. ``profiles`` are the verifiers the answer applies to.
    """

    status: Status
    layout: Layout | None = None
    conflict: tuple[str, ...] = ()
    conflicting: tuple[Path, ...] = ()
    objects: int = 0
    profiles: tuple[Profile, ...] = BOTH
    note: str = ""

    @property
    def outright(self) -> bool:
        """True if the answer holds for layouts of any number of objects."""
        return self.status != "not decided"

    def value(self) -> dict[str, object]:
        """Return the solution as plain values."""
        return {
            "status": self.status,
            "layout": self.layout.value if self.layout else None,
            "conflict": list(self.conflict),
            "objects": self.objects,
            "outright": self.outright,
            "profiles": list(self.profiles),
            "note": self.note,
        }

    @property
    def text(self) -> str:
        """The solution in one or two sentences."""
        said: str = self.status
        if self.status == "satisfiable":
            said = f"satisfiable: a layout of {self.objects} object{'s' * (self.objects != 1)} was found and verified"
        elif self.status == "unsatisfiable":
            said = "unsatisfiable: " + "; ".join(self.conflict or ("the formula is never true",))
        return said + (f" ({self.note})" if self.note else "")


class SearchResult(NamedTuple):
    """The result of a search for a layout: the largest number of objects tried, or the reason there was no search."""

    placed: Placed
    objects: int = 0
    why: str = ""


def solve(
    formula: Formula, *, seed: int = 0, spare: int = 0, effort: float = SECONDS, budget: Budget | None = None
) -> Solution:
    """Return a layout for a formula, or the reason there is none.

    ``spare`` objects of each class are tried in addition to the needed ones. ``effort`` is the limit in deterministic
    seconds for all searches together, unless a ``budget`` is given; beyond it the formula is not decided. Raise
    ``UsageError`` if a layout cannot decide the formula, or if the extra is missing.
    """
    refuse_unjudgeable(formula)
    budget = budget or Budget(effort)
    profiles, note = profiles_of(formula)
    solver = _Solver(formula, profiles, note, Effort(budget.seconds, seed, budget))
    try:
        found = solver.solution(spare)
    except OutOfBudget as out:
        found = Solution("not decided", profiles=profiles, note=f"the search was given up after {out}")
    if found.outright:
        return found
    # A formula that needs too many objects to be searched may hold of none.
    empty = tuple(one for one in profiles if verify(formula, Layout(()), one, explain=False).truth)
    return solver.satisfied(Layout(()), empty) if "strict" in empty else found


class _Solver:
    """The searches for one formula: a neat layout, a proof of unsatisfiability, a larger layout."""

    def __init__(self, formula: Formula, profiles: tuple[Profile, ...], note: str, effort: Effort) -> None:
        self.formula = formula
        self.profiles = profiles
        self.note = note
        self.effort = effort

    def solution(self, spare: int) -> Solution:
        neat = self.found(self.profiles, spare, NEATLY)
        if neat.placed.layout is not None:
            return self.satisfied(neat.placed.layout, self.profiles)
        proof = proof_of(self.formula, self.effort)
        if proof.status == "unsatisfiable":
            return self.refuted(proof)
        searches = [(self.profiles, spare, SOMEHOW)]
        if not neat.why:
            searches.append((self.profiles, spare + 1, (*NEATLY, *SOMEHOW)))
        if self.profiles == BOTH and not neat.why:
            searches += [(STRICT, more, (*NEATLY, *SOMEHOW)) for more in (spare, spare + 1)]
        tried, why = max(neat.objects, proof.objects), neat.why or proof.why
        for profiles, more, efforts in searches:
            found = self.found(profiles, more, efforts)
            if found.placed.layout is not None:
                return self.satisfied(found.placed.layout, profiles)
            tried = max(tried, found.objects)
        if proof.layout is not None:
            return self.satisfied(proof.layout, STRICT)
        why = why or f"no layout of up to {tried} objects was found, and larger ones were not ruled out"
        return Solution("not decided", objects=tried, profiles=self.profiles, note=why)

    def satisfied(self, layout: Layout, profiles: tuple[Profile, ...]) -> Solution:
        layout = verified(self.formula, layout, profiles)
        note = self.note if profiles == self.profiles else ONLY_STRICT
        return Solution("satisfiable", layout, objects=len(layout.objects), profiles=profiles, note=note)

    def refuted(self, proof: Proof) -> Solution:
        conflict = conflict_of(self.formula, proof.settings, self.effort)
        hurried = "" if conflict.smallest else "the conflict may not be minimal: the budget was used up"
        note = "; ".join(filter(None, (proof.why, hurried, self.note)))
        return Solution("unsatisfiable", None, conflict.words, conflict.places, proof.objects, STRICT, note)

    def found(self, profiles: Sequence[Profile], spare: int, efforts: Efforts) -> SearchResult:
        """Search for the neatest layout possible with the candidates, under each set of rules; first with an object of
        its own for each variable, if some share a class."""
        seed, budget, objects = self.effort.seed, self.effort.budget, 0
        try:
            candidates = Domain(self.formula).candidates(spare=spare)
            objects = len(candidates)
            shared = len({candidate.label for candidate in candidates}) < objects
            for own in (True, False) if shared else (False,):
                for rules, seconds in efforts:
                    placing = PlacementModel(candidates, rules, budget)
                    grounds = (ground(self.formula, candidates, one, own=own, budget=budget) for one in profiles)
                    placing.require(all_of(grounds))
                    if rules is not EXACT:
                        placing.hint(spread_out(placing, seed))
                    placed = placing.placed(Effort(min(self.effort.seconds, seconds), seed, budget))
                    if placed.status == "satisfiable":
                        return SearchResult(placed, objects)
        except (TooManyObjects, TooLarge) as problem:
            return SearchResult(Placed("not decided"), objects, problem.message)
        return SearchResult(placed, objects)


def profiles_of(formula: Formula) -> tuple[tuple[Profile, ...], str]:
    """Return the verifiers that can evaluate a formula, and a note if one cannot."""
    if any(isinstance(part, Iff) for _, part in walk(formula)):
        return STRICT, "the published verifier does not support iff"
    return BOTH, ""


def verified(formula: Formula, layout: Layout, profiles: Sequence[Profile], *, truth: bool = True) -> Layout:
    """Return the layout if each verifier gives the expected verdict.

    Raise ``VerdictMismatch`` otherwise: it is a bug in this package.
    """
    for profile in profiles:
        verdict = verify(formula, layout, profile, explain=False)
        if verdict.truth is not truth:
            raise VerdictMismatch(
                f"the solver says {truth}, the {profile} verifier {verdict.truth}"
                f" ({verdict.reason or verdict.status}): {layout.value}"
            )
    return layout


class VerdictMismatch(AssertionError):
    """A disagreement between the solver and a verifier about a layout: a bug in one of the two."""


ROUNDS = 3
"""The number of attempts per conjunct."""


class NearMiss(NamedTuple):
    """A layout and the one conjunct it fails, in words and by path."""

    layout: Layout
    conjunct: str
    path: Path


def near_misses(formula: Formula, n: int, seed: int = 0, *, budget: Budget | None = None) -> list[NearMiss]:
    """Return up to ``n`` layouts that fail exactly one conjunct of a formula, of different conjuncts first.

    They test verifiers and judges: one that accepts a near miss is wrong about a known conjunct. A near miss satisfies
    the formula without that conjunct, for both verifiers, but not the whole formula. A conjunct implied by others has
    no near miss. There are fewer if no more are found within the budget (:data:`SECONDS` deterministic seconds for
    each).

    >>> from tsgkit.logic.parser import parse
    >>> misses = near_misses(parse("(exists ?b (and (Is ?b 'book') (OnLeftSide ?b) (Has ?b 'red')))"), 2)
    >>> sorted(miss.conjunct for miss in misses)
    ['the book is on the left side', 'the book is red']
    >>> [miss.layout.objects[0].has("red") for miss in misses if miss.conjunct == "the book is on the left side"]
    [True]
    """
    refuse_unjudgeable(formula)
    formula, budget, rng = rename_apart(formula), budget or Budget(n * SECONDS), random.Random(seed)
    profiles, _ = profiles_of(formula)
    order = list(leaves(formula))
    rng.shuffle(order)
    misses: dict[Layout, NearMiss] = {}
    with suppress(OutOfBudget):
        for leaf in order * ROUNDS:
            if len(misses) >= n:
                break
            layout_seed = rng.randrange(2**31)
            rest = without(formula, [leaf.path])
            candidates = Domain(And((rest, Not(leaf.formula)))).candidates()
            grounds = [ground(rest, candidates, profile, budget=budget) for profile in profiles]
            grounds += [ground(formula, candidates, profile, truth=False, budget=budget) for profile in profiles]
            for rules in (NEAT, ROOMY, EXACT):
                placing = PlacementModel(candidates, rules, budget)
                placing.require(all_of(grounds))
                placing.hint(spread_out(placing, layout_seed))
                placed = placing.placed(Effort(1.0, layout_seed, budget))
                if placed.layout is not None:
                    layout = verified(rest, verified(formula, placed.layout, profiles, truth=False), profiles)
                    misses.setdefault(layout, NearMiss(layout, leaf_words(leaf, formula), leaf.path))
                    break
    return list(misses.values())
