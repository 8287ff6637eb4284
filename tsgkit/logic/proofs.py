"""Proofs that no layout satisfies a formula, in the profile ``strict``, by exhaustive search.

>>> from tsgkit.logic.parser import parse
>>> proof_of(parse("(exists ?b (and (OnLeftSide ?b) (OnRightSide ?b)))"), Effort()).status
'unsatisfiable'
>>> proof_of(parse("(exists ?b (not (Is ?b 'hat')))"), Effort()).status
'satisfiable'

A formula is required to hold only for some objects, those of :meth:`tsgkit.logic.witnesses.Domain.rounds`, and for more
of them if that is satisfiable but gives no layout. Any layout that satisfies the formula, whatever its size, contains
such objects; if they cannot exist, no layout does. For a formula that requires ever more objects, axioms that hold for
every finite layout are added (:mod:`tsgkit.logic.extremes`). Edges are whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from tsgkit.logic.extremes import extremes_of
from tsgkit.logic.formula import And, Formula
from tsgkit.logic.grounding import TooLarge, ground
from tsgkit.logic.layouts import Layout
from tsgkit.logic.placement import EXACT, Effort, Placed, PlacementModel, Status
from tsgkit.logic.ranks import Ranking
from tsgkit.logic.strict import verify_strict
from tsgkit.logic.witnesses import Candidate, Domain, TooManyObjects

SECONDS = 2.0
"""The limit for one search, in deterministic seconds."""
ENDLESS = "it would need infinitely many objects"


class ProofSettings(NamedTuple):
    """The settings of a proof search: the rounds of witnesses, and whether axioms about extreme objects are added."""

    rounds: int
    extremes: bool = False


SETTINGS = (
    ProofSettings(2),
    ProofSettings(3, extremes=True),
    ProofSettings(3),
    ProofSettings(4, extremes=True),
    ProofSettings(4),
)
"""The settings to try in order."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of a proof search, with its settings; ``layout`` if one was found, else ``why`` if nothing was
    proven."""

    status: Status
    settings: ProofSettings
    layout: Layout | None = None
    objects: int = 0
    why: str = ""


def proof_of(formula: Formula, effort: Effort) -> Proof:
    """Prove that no layout satisfies a formula, or find one."""
    objects, why, settings = 0, "", SETTINGS[0]
    for settings in _settings_for(formula):
        try:
            placed, candidates = _searched(formula, settings, effort)
        except (TooLarge, TooManyObjects) as problem:
            why = why or problem.message
            if settings == SETTINGS[0]:
                break
            continue
        objects = max(objects, len(candidates))
        if placed.status == "unsatisfiable":
            return Proof("unsatisfiable", settings, None, objects, ENDLESS if settings.extremes else "")
        if placed.layout is not None and verify_strict(formula, placed.layout, explain=False).truth:
            return Proof("satisfiable", settings, placed.layout, objects)
    return Proof("not decided", settings, None, objects, why)


def _settings_for(formula: Formula) -> Iterator[ProofSettings]:
    """Yield the settings worth trying: if a finite number of rounds suffices, that number and the first settings."""
    try:
        last = Domain(formula).last_round
    except TooManyObjects:
        last = None
    if last is None:
        yield from SETTINGS
        return
    yield SETTINGS[0]
    if last >= SETTINGS[0].rounds:
        yield ProofSettings(last + 1)


def is_refuted(formula: Formula, settings: ProofSettings, effort: Effort) -> bool:
    """Return whether the same settings prove that no layout satisfies a formula."""
    try:
        placed, _ = _searched(formula, settings, effort)
    except (TooLarge, TooManyObjects):
        return False
    return placed.status == "unsatisfiable"


def _searched(formula: Formula, settings: ProofSettings, effort: Effort) -> tuple[Placed, tuple[Candidate, ...]]:
    """Run one search and return its result and its candidates."""
    if settings.extremes:
        formula = And((formula, *extremes_of(formula)))
    candidates = Domain(formula).rounds(settings.rounds)
    budget = effort.budget
    effort = replace(effort, seconds=min(effort.seconds, SECONDS))
    placing = Ranking(candidates, budget) if settings.extremes else PlacementModel(candidates, EXACT, budget)
    placing.require(ground(formula, candidates, "strict", rounds=settings.rounds, budget=budget))
    return placing.placed(effort), candidates
