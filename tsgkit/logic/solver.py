"""Solver for formulas: a neat layout that satisfies one, the conjuncts that conflict, or layouts that just fail.

>>> from tsgkit.logic.parser import parse
>>> book = "(exists ?b (and (Is ?b 'book') (OnLeftSide ?b) {}))"
>>> solution = solve(parse(book.format("(OnTopSide ?b)")))
>>> solution.status, [thing.label for thing in solution.layout.objects]
('satisfiable', ['book'])
>>> solution = solve(parse(book.format("(OnTopSide ?b) (OnRightSide ?b)")))
>>> solution.status, solution.conflict
('unsatisfiable', ('the book is on the left side', 'the book is on the right side'))
>>> formula = parse(book.format("(Has ?b 'red')"))
>>> [leaf_words(leaf, formula) for leaf in leaves(formula)]
['the book is on the left side', 'the book is red']

A layout is returned only if both verifiers accept it, or ``strict`` alone if none was found that both accept.
Unsatisfiable means: in ``strict``, for layouts of any number of objects, with whole numbers as edges. A formula that is
neither satisfied nor refuted within the budget is not decided. Colors are distinguished from materials and shapes: no
object is both red and blue. Needs the extra ``logic``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from tsgkit.logic import formula as fol
from tsgkit.logic.budget import SECONDS, Budget, OutOfBudget
from tsgkit.logic.english import Names, object_names, words
from tsgkit.logic.evaluation import refuse_unjudgeable
from tsgkit.logic.formula import Formula, Path, demanded_class, free_variables, parts_of, rename_apart, walk, with_parts
from tsgkit.logic.grounding import SWITCH, TooLarge, all_of, ground
from tsgkit.logic.layouts import Layout
from tsgkit.logic.placement import (
    EXACT,
    NEAT,
    ROOMY,
    PlacementModel,
    PlacementResult,
    PlacementRules,
    SearchLimits,
    Status,
    spread_out,
)
from tsgkit.logic.proofs import Proof, ProofSettings, is_refuted, proof_of
from tsgkit.logic.verdicts import Profile
from tsgkit.logic.verification import verify
from tsgkit.logic.witnesses import Domain, TooManyObjects

BOTH: tuple[Profile, ...] = ("strict", "official")
STRICT: tuple[Profile, ...] = ("strict",)
ONLY_STRICT = "no layout was found that the published verifier also accepts"
Efforts = Sequence[tuple[PlacementRules, float]]
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
        text: str = self.status
        if self.status == "satisfiable":
            text = f"satisfiable: a layout of {self.objects} object{'s' * (self.objects != 1)} was found and verified"
        elif self.status == "unsatisfiable":
            text = "unsatisfiable: " + "; ".join(self.conflict or ("the formula is never true",))
        return text + (f" ({self.note})" if self.note else "")


class SearchResult(NamedTuple):
    """The result of a search for a layout: the largest number of objects tried, or the reason there was no search."""

    placed: PlacementResult
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
    solver = _Solver(formula, profiles, note, SearchLimits(budget.seconds, seed, budget))
    try:
        solution = solver.solution(spare)
    except OutOfBudget as out:
        solution = Solution("not decided", profiles=profiles, note=f"the search was given up after {out}")
    if solution.outright:
        return solution
    # A formula that needs too many objects to be searched may hold of none.
    empty = tuple(profile for profile in profiles if verify(formula, Layout(()), profile, explain=False).truth)
    return solver.satisfied(Layout(()), empty) if "strict" in empty else solution


class _Solver:
    """The searches for one formula: a neat layout, a proof of unsatisfiability, a larger layout."""

    def __init__(self, formula: Formula, profiles: tuple[Profile, ...], note: str, effort: SearchLimits) -> None:
        self.formula = formula
        self.profiles = profiles
        self.note = note
        self.effort = effort

    def solution(self, spare: int) -> Solution:
        neat = self.search(self.profiles, spare, NEATLY)
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
            result = self.search(profiles, more, efforts)
            if result.placed.layout is not None:
                return self.satisfied(result.placed.layout, profiles)
            tried = max(tried, result.objects)
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

    def search(self, profiles: Sequence[Profile], spare: int, efforts: Efforts) -> SearchResult:
        """Search for the neatest layout possible with the candidates, under each set of rules; first with an object of
        its own for each variable, if some share a class."""
        seed, budget, objects = self.effort.seed, self.effort.budget, 0
        try:
            candidates = Domain(self.formula).candidates(spare=spare)
            objects = len(candidates)
            shared = len({candidate.label for candidate in candidates}) < objects
            for is_own in (True, False) if shared else (False,):
                for rules, seconds in efforts:
                    placing = PlacementModel(candidates, rules, budget)
                    grounds = (ground(self.formula, candidates, name, own=is_own, budget=budget) for name in profiles)
                    placing.require(all_of(grounds))
                    if rules is not EXACT:
                        placing.hint(spread_out(placing, seed))
                    placed = placing.placed(SearchLimits(min(self.effort.seconds, seconds), seed, budget))
                    if placed.status == "satisfiable":
                        return SearchResult(placed, objects)
        except (TooManyObjects, TooLarge) as problem:
            return SearchResult(PlacementResult("not decided"), objects, problem.message)
        return SearchResult(placed, objects)


def profiles_of(formula: Formula) -> tuple[tuple[Profile, ...], str]:
    """Return the verifiers that can evaluate a formula, and a note if one cannot."""
    if any(isinstance(part, fol.Iff) for _, part in walk(formula)):
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


# The conjuncts of a formula, by path and in words, and those that cannot hold together.


class Leaf(NamedTuple):
    """A conjunct of a formula and its path; ``general`` is the path of the outermost ``forall`` around it."""

    path: Path
    formula: Formula
    general: Path | None = None


def leaves(formula: Formula, path: Path = (), general: Path | None = None) -> Iterator[Leaf]:
    """Yield the conjuncts of a formula, also inside ``exists`` and in the consequent of a conditional ``forall``.

    The atom that gives a variable its class is left out, unless nothing else mentions the variable. The formula may be
    the part at a path of a larger one.
    """
    match formula:
        case fol.And(parts):
            for number, part in enumerate(parts):
                yield from leaves(part, (*path, number), general)
        case fol.Exists(variable, body):
            inner = [
                leaf for leaf in leaves(body, (*path, 0), general) if not gives_class(leaf.formula, variable, body)
            ]
            yield from inner or [Leaf(path, formula, general)]
        case fol.Forall(_, fol.Implies(_, consequent)):
            inner = list(leaves(consequent, (*path, 0, 1), path if general is None else general))
            yield from inner if len(inner) > 1 else [Leaf(path, formula, general)]
        case _:
            yield Leaf(path, formula, general)


def gives_class(part: Formula, variable: fol.Variable, body: Formula) -> bool:
    """Return whether a part of a body is the atom that gives a variable its required class."""
    return part == fol.Atom("Is", (variable, fol.Literal(demanded_class(variable, body) or "")))


def replaced(formula: Formula, path: Path, new: Formula) -> Formula:
    """Return the formula with the part at a path replaced."""
    if not path:
        return new
    parts = list(parts_of(formula))
    parts[path[0]] = replaced(parts[path[0]], path[1:], new)
    return with_parts(formula, parts)


def without(formula: Formula, paths: Sequence[Path]) -> Formula:
    """Return the formula with the parts at some paths replaced by true."""
    for path in paths:
        formula = replaced(formula, path, fol.TRUE)
    return formula


def leaf_words(leaf: Leaf, formula: Formula) -> str:
    """Verbalise a conjunct with all its conditions. Each binder of the formula must have a unique name."""
    if leaf.general is None:
        return words(leaf.formula, object_names(formula))
    alone = without(formula, [path for path, _, _ in leaves(formula) if path != leaf.path])
    for number in leaf.general:
        alone = parts_of(alone)[number]
    return words(pruned(alone), object_names(formula))


def pruned(formula: Formula) -> Formula:
    """Return the formula without conjuncts that are the constant true."""
    if isinstance(formula, fol.And):
        return fol.conjunction([kept for part in formula.parts if (kept := pruned(part)) != fol.TRUE])
    if isinstance(formula, fol.Exists | fol.Forall | fol.Implies):
        return with_parts(formula, [pruned(part) for part in parts_of(formula)])
    return formula


def sayings(formula: Formula, names: Names) -> list[str]:
    """Verbalise each conjunct of a formula with its conditions, then the objects that must exist besides."""
    conjuncts, existences = _stated(pruned(formula), frozenset())
    return [words(part, names) for part in (*conjuncts, *existences)]


def _stated(formula: Formula, implied: frozenset[Formula]) -> tuple[list[Formula], list[Formula]]:
    """Return the conjuncts, and the existence of objects they do not mention.

    ``implied`` holds the class atoms that the objects' names already express.
    """
    match formula:
        case fol.And(parts):
            stated = [_stated(part, implied) for part in parts]
            return [part for pair in stated for part in pair[0]], [part for pair in stated for part in pair[1]]
        case fol.Exists(variable, body):
            label = demanded_class(variable, body)
            classes = (fol.Atom("Is", (variable, fol.Literal(label))),) if label else ()
            inner, existences = _stated(body, implied.union(classes))
            if not any(variable in free_variables(part) for part in inner):
                existences.append(fol.Exists(variable, fol.And(classes)))
            return inner, existences
        case fol.Forall(variable, fol.Implies(condition, fol.And(()))):
            return [], [fol.Exists(variable, condition)]
    return [] if formula in implied else [formula], []


@dataclass(frozen=True, slots=True)
class Conflict:
    """Conjuncts that cannot hold together, in words and by path; ``smallest`` if none can be left out."""

    words: tuple[str, ...]
    places: tuple[Path, ...]
    smallest: bool


def conflict_of(formula: Formula, settings: ProofSettings, effort: SearchLimits) -> Conflict:
    """Return the conflict in a formula that ``settings`` refute."""
    search = _ConflictSearch(rename_apart(formula), settings, effort)
    try:
        search.leave_out_conjuncts()
        search.leave_out_existences()
        smallest = True
    except OutOfBudget:
        smallest = False
    clauses = sayings(search.rest, object_names(search.formula))
    return Conflict(tuple(clauses), tuple(leaf.path for leaf in search.core), smallest)


class _ConflictSearch:
    """An unsatisfiable formula that is weakened step by step as long as it stays unsatisfiable."""

    def __init__(self, formula: Formula, settings: ProofSettings, effort: SearchLimits) -> None:
        self.formula = formula
        self.settings = settings
        self.effort = effort
        self.leaves = tuple(leaves(formula))
        self.core = list(self.leaves)
        self.rest = formula

    def leave_out_conjuncts(self) -> None:
        """Keep only the conjuncts in the solver's unsatisfiable core, then try to remove each of them."""
        blamed = self._blamed()
        if len(blamed) < len(self.core):
            self._keep(blamed)
        for leaf in list(self.core):
            self._keep([kept for kept in self.core if kept is not leaf])

    def _keep(self, core: Sequence[Leaf]) -> None:
        if self._weaken(without(self.formula, [leaf.path for leaf in self.leaves if leaf not in core])):
            self.core = list(core)

    def _weaken(self, rest: Formula) -> bool:
        """Go on with a weaker formula if it is still unsatisfiable."""
        refuted = is_refuted(rest, self.settings, self.effort)
        self.rest = rest if refuted else self.rest
        return refuted

    def _blamed(self) -> list[Leaf]:
        """Return the conjuncts in the solver's unsatisfiable core, or all of them if the solver finds none."""
        if self.settings.extremes:
            return self.core
        switched = self.formula
        for number, leaf in enumerate(self.leaves):
            off = fol.Atom(SWITCH, (fol.Literal(str(number)),))
            switched = replaced(switched, leaf.path, fol.Or((off, leaf.formula)))
        candidates = Domain(self.formula).rounds(self.settings.rounds)
        placing = PlacementModel(candidates, EXACT, self.effort.budget)
        try:
            placing.require(
                ground(switched, candidates, "strict", rounds=self.settings.rounds, budget=self.effort.budget)
            )
        except TooLarge:
            return self.core
        placed = placing.placed(self.effort, assume=True)
        if placed.status != "unsatisfiable" or not placed.blamed:
            return self.core
        return [leaf for number, leaf in enumerate(self.leaves) if str(number) in placed.blamed]

    def leave_out_existences(self) -> None:
        """Remove objects, and conditions that must apply, that the conflicting conjuncts do not mention."""
        spoken = {variable for leaf in self.core for variable in free_variables(leaf.formula)}
        inside = [leaf.path for leaf in self.core]
        for path, _ in list(walk(self.rest)):
            part = dict(walk(self.rest)).get(path)
            if part is None or any(path[: len(outer)] == outer for outer in inside):
                continue
            if isinstance(part, fol.Exists) and part.variable not in spoken:
                class_paths = [
                    below for below, inner in walk(part.body) if gives_class(inner, part.variable, part.body)
                ]
                if part.variable not in free_variables(body := without(part.body, class_paths)):
                    self._weaken(replaced(self.rest, path, fol.And((body,))))
            elif (
                isinstance(part, fol.Forall)
                and isinstance(part.body, fol.Implies)
                and pruned(part.body.consequent) == fol.TRUE
            ):
                self._weaken(replaced(self.rest, path, fol.TRUE))


# Layouts that just fail.

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
            candidates = Domain(fol.And((rest, fol.Not(leaf.formula)))).candidates()
            grounds = [ground(rest, candidates, profile, budget=budget) for profile in profiles]
            grounds += [ground(formula, candidates, profile, truth=False, budget=budget) for profile in profiles]
            for rules in (NEAT, ROOMY, EXACT):
                placing = PlacementModel(candidates, rules, budget)
                placing.require(all_of(grounds))
                placing.hint(spread_out(placing, layout_seed))
                placed = placing.placed(SearchLimits(1.0, layout_seed, budget))
                if placed.layout is not None:
                    layout = verified(rest, verified(formula, placed.layout, profiles, truth=False), profiles)
                    misses.setdefault(layout, NearMiss(layout, leaf_words(leaf, formula), leaf.path))
                    break
    return list(misses.values())
