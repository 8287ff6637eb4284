"""Proofs that no layout satisfies a formula, in the profile ``strict``: searches that leave nothing out.

>>> from tsgkit.logic.parser import parse
>>> proof_of(parse("(exists ?b (and (OnLeftSide ?b) (OnRightSide ?b)))"), Effort()).status
'unsatisfiable'
>>> proof_of(parse("(exists ?b (not (Is ?b 'hat')))"), Effort()).status
'satisfiable'

A formula is asked to hold of some objects only, as :meth:`tsgkit.logic.witnesses.Domain.rounds` has them, and of more
where that can be satisfied without a layout coming of it. Any layout that satisfies the formula, however many objects
it has, would contain such objects, so that there is none where they do not exist. Where it asks for ever more objects,
it is tried with what is true of every layout as it has an end (:mod:`tsgkit.logic.extremes`). Edges are whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from tsgkit.logic.extremes import extremes_of
from tsgkit.logic.formula import And, Formula
from tsgkit.logic.grounding import TooLarge, ground
from tsgkit.logic.layouts import Layout
from tsgkit.logic.placement import EXACT, Effort, Placed, Placing, Status
from tsgkit.logic.ranks import Ranking
from tsgkit.logic.strict import verify_strict
from tsgkit.logic.witnesses import Candidate, Domain, TooMany

SECONDS = 2.0
"""Deterministic seconds that one search may take."""
ENDLESS = "it would take objects without end"


class Means(NamedTuple):
    """What a proof is made with: so many rounds of witnesses, and whether some objects are the last of their kind."""

    rounds: int
    extremes: bool = False


MEANS = (Means(2), Means(3, extremes=True), Means(3), Means(4, extremes=True), Means(4))
"""What proofs are tried with, one after the other."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was proved, and with what; with a layout where there is one, else why nothing was."""

    status: Status
    means: Means
    layout: Layout | None = None
    objects: int = 0
    why: str = ""


def proof_of(formula: Formula, effort: Effort) -> Proof:
    """Prove that no layout satisfies a formula, or find one."""
    objects, why, means = 0, "", MEANS[0]
    for means in _means_for(formula):
        try:
            placed, candidates = _searched(formula, means, effort)
        except (TooLarge, TooMany) as problem:
            why = why or problem.message
            if means == MEANS[0]:
                break
            continue
        objects = max(objects, len(candidates))
        if placed.status == "unsatisfiable":
            return Proof("unsatisfiable", means, None, objects, ENDLESS if means.extremes else "")
        if placed.layout is not None and verify_strict(formula, placed.layout, explain=False).truth:
            return Proof("satisfiable", means, placed.layout, objects)
    return Proof("not decided", means, None, objects, why)


def _means_for(formula: Formula) -> Iterator[Means]:
    """Yield the means that are worth a try: where some rounds have all objects that suffice, these and the first."""
    try:
        last = Domain(formula).last_round
    except TooMany:
        last = None
    if last is None:
        yield from MEANS
        return
    yield MEANS[0]
    if last >= MEANS[0].rounds:
        yield Means(last + 1)


def is_refuted(formula: Formula, means: Means, effort: Effort) -> bool:
    """Return whether there is a proof, with the same means, that no layout satisfies a formula."""
    try:
        placed, _ = _searched(formula, means, effort)
    except (TooLarge, TooMany):
        return False
    return placed.status == "unsatisfiable"


def _searched(formula: Formula, means: Means, effort: Effort) -> tuple[Placed, tuple[Candidate, ...]]:
    """Return a search for the objects that a proof is about, and what these may be."""
    if means.extremes:
        formula = And((formula, *extremes_of(formula)))
    candidates = Domain(formula).rounds(means.rounds)
    budget = effort.budget
    effort = replace(effort, seconds=min(effort.seconds, SECONDS))
    placing = Ranking(candidates, budget) if means.extremes else Placing(candidates, EXACT, budget)
    placing.require(ground(formula, candidates, "strict", rounds=means.rounds, budget=budget))
    return placing.placed(effort), candidates
