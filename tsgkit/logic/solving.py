"""Solving formulas: a neat layout that satisfies one, or what in it cannot be satisfied together.

>>> from tsgkit.logic.parsing import parse
>>> book = "(exists ?b (and (Is ?b 'book') (OnLeftSide ?b) {}))"
>>> solution = solve(parse(book.format("(OnTopSide ?b)")))
>>> solution.status, [thing.label for thing in solution.layout.objects]
('satisfiable', ['book'])
>>> solution = solve(parse(book.format("(OnTopSide ?b) (OnRightSide ?b)")))
>>> solution.status, solution.conflict
('unsatisfiable', ('the book is on the left side', 'the book is on the right side'))

A layout is returned only if both verifiers accept it. What is shown unsatisfiable is so for boxes with whole numbers
as edges, and for layouts with no more objects than were tried, unless :func:`tsgkit.logic.grounding.is_enough` says
that more would not help; ``Solution.outright`` tells. Colors are told from materials and shapes: no object is red and
blue. Needs the extra ``logic``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tsgkit.logic.evaluation import refuse_unjudgeable
from tsgkit.logic.formula import (
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Literal,
    Or,
    Path,
    Variable,
    free_variables,
    parts_of,
    refuse_deep,
    walk,
    with_parts,
)
from tsgkit.logic.grounding import TRUE, Candidate, TooLarge, all_of, candidates_of, demanded_class, ground, is_enough
from tsgkit.logic.layouts import Layout
from tsgkit.logic.official import verify_official
from tsgkit.logic.placing import EXACT, NEAT, ROOMY, SWITCH, Effort, Placed, Placing, Rules, Status, spread_out
from tsgkit.logic.reading import object_names, thing, words
from tsgkit.logic.renaming import apart
from tsgkit.logic.strict import verify_strict
from tsgkit.logic.verdicts import Profile

BOTH: tuple[Profile, ...] = ("strict", "official")
EFFORTS = ((NEAT, 0.3), (ROOMY, 2.0), (EXACT, 10.0))
"""How boxes are asked to be placed, one after the other, and the deterministic seconds spent on each."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What became of a formula.

    ``conflict`` says in words which of its conjuncts cannot hold together, none of which could be left out;
    ``conflicting`` are their places in the formula (with ``apart`` names). ``objects`` is the largest number of
    objects tried, ``outright`` whether more would not have helped. ``profiles`` are the verifiers the answer is about.
    """

    status: Status
    layout: Layout | None = None
    conflict: tuple[str, ...] = ()
    conflicting: tuple[Path, ...] = ()
    objects: int = 0
    outright: bool = False
    profiles: tuple[Profile, ...] = BOTH
    note: str = ""

    def value(self) -> dict[str, object]:
        """The solution as plain values."""
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
        """The solution in a sentence or two."""
        if self.status == "satisfiable":
            said = f"satisfiable: a layout of {self.objects} object{'s' * (self.objects != 1)} was found and verified"
        elif self.status == "unknown":
            said = "unknown: the search was given up"
        else:
            bounds = "" if self.outright else f" by a layout of up to {self.objects} objects (more were not tried)"
            said = f"unsatisfiable{bounds}: " + "; ".join(self.conflict or ("the formula is never true",))
        return said + (f" ({self.note})" if self.note else "")


class Leaf(NamedTuple):
    """A conjunct of a formula, by its place; ``under`` are the foralls around it."""

    path: Path
    formula: Formula
    under: tuple[Forall, ...] = ()


def solve(formula: Formula, *, seed: int = 0, spare: int = 0, effort: float = 10.0) -> Solution:
    """A layout for a formula, or why there is none; ``spare`` objects of each class are tried beside the needed ones.

    ``effort`` are deterministic seconds for the hardest search; beyond it the status is unknown. ``UsageError`` where
    the formula says what no layout can tell, or the extra is missing.
    """
    refuse_deep(formula)
    refuse_unjudgeable(formula)
    profiles, note = profiles_of(formula)
    try:
        return _solved(formula, profiles, note, spare, Effort(effort, seed))
    except TooLarge as problem:
        return Solution("unknown", profiles=profiles, note=problem.message)


def _solved(formula: Formula, profiles: tuple[Profile, ...], note: str, spare: int, effort: Effort) -> Solution:
    tried, placed = _searched(formula, profiles, spare, effort)
    enough = is_enough(formula)
    if placed.status == "unsatisfiable" and not enough and not spare:
        tried, placed = _searched(formula, profiles, 1, effort)
    if placed.status == "unsatisfiable":
        solution = Solution("unsatisfiable", None, (), (), len(tried), enough, profiles, note)
        return _with_conflict(solution, formula, effort, 0 if enough else spare or 1)
    if placed.layout is None:
        return Solution(placed.status, objects=len(tried), profiles=profiles, note=note)
    layout = verified(formula, placed.layout, profiles)
    return Solution("satisfiable", layout, (), (), len(layout.objects), True, profiles, note)


def profiles_of(formula: Formula) -> tuple[tuple[Profile, ...], str]:
    """The verifiers that can accept a formula, and why one cannot."""
    if any(isinstance(part, Iff) for _, part in walk(formula)):
        return ("strict",), "the published verifier knows no iff"
    return BOTH, ""


def verified(formula: Formula, layout: Layout, profiles: Sequence[Profile], *, truth: bool = True) -> Layout:
    """The layout, if each verifier gives the expected verdict; anything else is a bug here, and is raised."""
    for profile in profiles:
        is_strict = profile == "strict"
        verdict = verify_strict(formula, layout, explain=False) if is_strict else verify_official(formula, layout)
        if verdict.truth is not truth:
            raise VerdictMismatch(
                f"the solver says {truth}, the {profile} verifier {verdict.truth}"
                f" ({verdict.reason or verdict.status}): {layout.value}"
            )
    return layout


class VerdictMismatch(AssertionError):
    """The solver and a verifier disagree on a layout: a bug in one of the two."""


def _searched(
    formula: Formula, profiles: Sequence[Profile], spare: int, effort: Effort
) -> tuple[tuple[Candidate, ...], Placed]:
    """The first layout of the neatest kind there is, among so many candidates."""
    candidates = candidates_of(formula, spare=spare)
    shared = len({candidate.label for candidate in candidates}) < len(candidates)
    for own in (True, False) if shared else (False,):
        for rules, seconds in EFFORTS:
            limit = effort.seconds if rules is EXACT else min(effort.seconds, seconds)
            placed = search(formula, candidates, rules, profiles, Effort(limit, effort.seed), own=own)
            if placed.status == "satisfiable":
                return candidates, placed
    return candidates, placed


def search(
    formula: Formula,
    candidates: Sequence[Candidate],
    rules: Rules,
    profiles: Sequence[Profile],
    effort: Effort,
    *,
    own: bool = False,
) -> Placed:
    """One search under one set of rules; with ``own``, for each variable its own object."""
    placing = Placing(candidates, rules)
    placing.require(all_of(ground(formula, candidates, profile, own=own) for profile in profiles))
    if rules is not EXACT:
        placing.hint(spread_out(placing, effort.seed))
    return placing.placed(effort)


def leaves(formula: Formula) -> Iterator[Leaf]:
    """The conjuncts of a formula, in ``exists`` and in what follows from a condition of a ``forall`` too.

    What gives a variable its class is none of them, unless that is all that is said of the variable.
    """
    yield from _leaves(formula, (), ())


def _leaves(formula: Formula, path: Path, under: tuple[Forall, ...]) -> Iterator[Leaf]:
    match formula:
        case And(parts):
            for number, part in enumerate(parts):
                yield from _leaves(part, (*path, number), under)
        case Exists(variable, body):
            inner = [
                leaf for leaf in _leaves(body, (*path, 0), under) if not _gives_class(leaf.formula, variable, body)
            ]
            yield from inner or [Leaf(path, formula, under)]
        case Forall(_, Implies(_, consequent)):
            inner = list(_leaves(consequent, (*path, 0, 1), (*under, formula)))
            yield from inner if len(inner) > 1 else [Leaf(path, formula, under)]
        case _:
            yield Leaf(path, formula, under)


def _gives_class(part: Formula, variable: Variable, body: Formula) -> bool:
    return part == Atom("Is", (variable, Literal(demanded_class(variable, body) or "")))


def replaced(formula: Formula, path: Path, new: Formula) -> Formula:
    """The formula with another one in a place."""
    if not path:
        return new
    parts = list(parts_of(formula))
    parts[path[0]] = replaced(parts[path[0]], path[1:], new)
    return with_parts(formula, parts)


def without(formula: Formula, paths: Sequence[Path]) -> Formula:
    """The formula with nothing said in some places."""
    for path in paths:
        formula = replaced(formula, path, TRUE)
    return formula


def leaf_words(leaf: Leaf, formula: Formula) -> str:
    """A conjunct in words, as part of its formula, whose binders must have names of their own."""
    names = object_names(formula)
    heads = []
    for forall in leaf.under:
        condition = forall.body.antecedent if isinstance(forall.body, Implies) else TRUE
        heads.append(f"for every {thing(demanded_class(forall.variable, condition) or 'object')}, ")
    return "".join(heads) + words(leaf.formula, names)


def _with_conflict(solution: Solution, formula: Formula, effort: Effort, spare: int) -> Solution:
    formula = apart(formula)
    found = list(leaves(formula))
    core = _minimal(formula, _blamed(formula, found, solution.profiles, effort, spare), found, solution.profiles, spare)
    rest = without(formula, [leaf.path for leaf in found if leaf not in core])
    there = _existences(rest, core, solution.profiles, spare)
    said = [leaf_words(leaf, formula) for leaf in core] + [words(one, object_names(formula)) for one in there]
    note = solution.note
    if "official" in solution.profiles and _status(formula, ("strict",), spare) == "satisfiable":
        note = "the published verifier rejects every such layout; strict accepts some"
    return replace(solution, conflict=tuple(said), conflicting=tuple(leaf.path for leaf in core), note=note)


def _blamed(
    formula: Formula, found: Sequence[Leaf], profiles: Sequence[Profile], effort: Effort, spare: int
) -> list[Leaf]:
    """The conjuncts that a search over assumptions needs to find none; all of them where it comes to nothing."""
    candidates = candidates_of(formula, spare=spare)
    switched = formula
    for number, leaf in enumerate(found):
        off = Atom(SWITCH, (Literal(str(number)),))
        switched = replaced(switched, leaf.path, Or((off, leaf.formula)))
    placing = Placing(candidates, EXACT)
    placing.require(all_of(ground(switched, candidates, profile) for profile in profiles))
    placed = placing.placed(effort, assume=True)
    if placed.status != "unsatisfiable" or not placed.blamed:
        return list(found)
    return [leaf for number, leaf in enumerate(found) if str(number) in placed.blamed]


def _minimal(
    formula: Formula, start: Sequence[Leaf], found: Sequence[Leaf], profiles: Sequence[Profile], spare: int
) -> list[Leaf]:
    """Conjuncts that cannot hold together, none of which can be left out of that."""
    core = list(start)
    if len(core) < len(found) and not _unsatisfiable_with(formula, core, found, profiles, spare):
        core = list(found)  # switches change what a rule about conditions looks at; begin with everything
    for leaf in list(core):
        smaller = [one for one in core if one is not leaf]
        if _unsatisfiable_with(formula, smaller, found, profiles, spare):
            core = smaller
    return core


def _unsatisfiable_with(
    formula: Formula, kept: Sequence[Leaf], found: Sequence[Leaf], profiles: Sequence[Profile], spare: int
) -> bool:
    rest = without(formula, [leaf.path for leaf in found if leaf not in kept])
    return _status(rest, profiles, spare) == "unsatisfiable"


def _status(formula: Formula, profiles: Sequence[Profile], spare: int) -> Status:
    candidates = candidates_of(formula, spare=spare)
    return search(formula, candidates, EXACT, profiles, Effort(2.0)).status


def _existences(formula: Formula, core: Sequence[Leaf], profiles: Sequence[Profile], spare: int) -> list[Formula]:
    """What must be there for the conflict, of the objects that no conflicting conjunct speaks of."""
    spoken = frozenset[Variable]().union(*(free_variables(leaf.formula) for leaf in core))
    needed: list[Formula] = []
    for path, part in walk(formula):
        if (
            not isinstance(part, Exists)
            or part.variable in spoken
            or any(path[: len(leaf.path)] == leaf.path for leaf in core)
        ):
            continue
        given = [(*path, 0, *rest) for rest, one in walk(part.body) if _gives_class(one, part.variable, part.body)]
        label = demanded_class(part.variable, part.body)
        rest = without(formula, given)
        if label is None or _status(rest, profiles, spare) == "unsatisfiable":
            formula = rest
        else:
            needed.append(Exists(part.variable, Atom("Is", (part.variable, Literal(label)))))
    return needed
