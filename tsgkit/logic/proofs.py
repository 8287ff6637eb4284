"""Proofs that no layout satisfies a formula, in the profile ``strict``, by exhaustive search.

>>> from tsgkit.logic.parser import parse
>>> proof_of(parse("(exists ?b (and (OnLeftSide ?b) (OnRightSide ?b)))"), SearchLimits()).status
'unsatisfiable'
>>> proof_of(parse("(exists ?b (not (Is ?b 'hat')))"), SearchLimits()).status
'satisfiable'

A formula is required to hold only for some objects, those of :meth:`tsgkit.logic.witnesses.Domain.rounds`, and for more
of them if that is satisfiable but gives no layout. Any layout that satisfies the formula, whatever its size, contains
such objects; if they cannot exist, no layout does. For a formula that requires ever more objects, axioms that hold for
every finite layout are added (:func:`extremes_of`), and ranks take the place of boxes (:class:`Ranking`). Edges are
whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tsgkit.logic import formula as fol
from tsgkit.logic.budget import Budget
from tsgkit.logic.formula import Formula, Variable, atoms_of, conjuncts, parts_of, peeled, walk, with_parts
from tsgkit.logic.grounding import Fact, Lit, TooLarge, ground
from tsgkit.logic.layouts import Layout
from tsgkit.logic.placement import BEYOND, CENTRES, EXACT, Edges, PlacementModel, PlacementResult, SearchLimits, Status
from tsgkit.logic.verification import verify
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


def proof_of(formula: Formula, effort: SearchLimits) -> Proof:
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
        if placed.layout is not None and verify(formula, placed.layout, explain=False).truth:
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


def is_refuted(formula: Formula, settings: ProofSettings, effort: SearchLimits) -> bool:
    """Return whether the same settings prove that no layout satisfies a formula."""
    try:
        placed, _ = _searched(formula, settings, effort)
    except (TooLarge, TooManyObjects):
        return False
    return placed.status == "unsatisfiable"


def _searched(
    formula: Formula, settings: ProofSettings, effort: SearchLimits
) -> tuple[PlacementResult, tuple[Candidate, ...]]:
    """Run one search and return its result and its candidates."""
    if settings.extremes:
        formula = fol.And((formula, *extremes_of(formula)))
    candidates = Domain(formula).rounds(settings.rounds)
    budget = effort.budget
    effort = replace(effort, seconds=min(effort.seconds, SECONDS))
    placing = Ranking(candidates, budget) if settings.extremes else PlacementModel(candidates, EXACT, budget)
    placing.require(ground(formula, candidates, "strict", rounds=settings.rounds, budget=budget))
    return placing.placed(effort), candidates


ORDERS = {
    "LeftOf": ("CentreLeftOf", "CentreRightOf"),
    "RightOf": ("CentreLeftOf", "CentreRightOf"),
    "Above": ("CentreAbove", "CentreBelow"),
    "Below": ("CentreAbove", "CentreBelow"),
    "LargerThan": ("LargerThan", "SmallerThan"),
    "SmallerThan": ("LargerThan", "SmallerThan"),
}
"""The orders that a predicate implies for two objects. The orders of centres are used only by solvers."""
KIND = Variable("?kind")


def extremes_of(formula: Formula) -> list[Formula]:
    """Return axioms about extreme objects, which hold in every layout because it has finitely many objects.

    Among the objects of each kind, there is a last one in each order the formula uses: one is leftmost, one the
    largest. A formula that requires another object beyond each of them is refuted with such an axiom. Without it, only
    infinite layouts would satisfy the formula, and no search could refute it.

    >>> from tsgkit.logic.formula import text_of
    >>> from tsgkit.logic.parser import parse
    >>> chain = parse("(forall ?p (implies (Is ?p 'pizza') (exists ?q (and (Is ?q 'pizza') (Above ?q ?p)))))")
    >>> text_of(extremes_of(chain)[0])  # doctest: +NORMALIZE_WHITESPACE
    "(or (not (exists ?some (and (Is ?some 'pizza'))))
         (exists ?last (and (Is ?last 'pizza')
                            (not (exists ?other (and (Is ?other 'pizza') (CentreAbove ?other ?last)))))))"
    """
    formula = fol.rename_apart(formula)
    orders = dict.fromkeys(order for atom in atoms_of(formula) for order in ORDERS.get(atom.name, ()))
    kinds = dict.fromkeys(kind for _, part in walk(formula) for kind in _kinds(part))
    any_object, last, beyond = Variable("?some"), Variable("?last"), Variable("?other")
    axioms: list[Formula] = []
    for kind in kinds:

        def exists(variable: Variable, *more: Formula, kind: tuple[Formula, ...] = kind) -> Formula:
            return fol.Exists(variable, fol.And((*(_about(variable, part) for part in kind), *more)))

        for order in orders:
            farther = exists(beyond, fol.Atom(order, (beyond, last)))
            axioms.append(fol.Or((fol.Not(exists(any_object)), exists(last, fol.Not(farther)))))
    return axioms


def _kinds(part: Formula) -> Iterator[tuple[Formula, ...]]:
    """Yield the atoms and negated atoms about ``?kind`` alone, for each variable quantified over in a part."""
    match part:
        case fol.Exists(variable, body):
            variables, demands = [variable], conjuncts(body)
        case fol.Forall():
            variables, body = peeled(part)
            demands = conjuncts(body.antecedent) if isinstance(body, fol.Implies) else []
        case _:
            return
    for variable in variables:
        alone = [part for part in demands if fol.free_variables(part) == {variable}]
        atoms = [part for part in alone if isinstance(part.body if isinstance(part, fol.Not) else part, fol.Atom)]
        yield tuple(_about(KIND, atom) for atom in atoms)


def _about(variable: Variable, part: Formula) -> Formula:
    """Return an atom about one variable, or its negation, with another variable."""
    if isinstance(part, fol.Atom):
        return fol.Atom(part.name, tuple(variable if isinstance(arg, Variable) else arg for arg in part.args))
    return with_parts(part, [_about(variable, inner) for inner in parts_of(part)])


SIZES = {"LargerThan": 1, "SmallerThan": -1}


class Ranking(PlacementModel):
    """A relaxed placement that gives each candidate ranks in place of a box: it only checks the orders of objects.

    An object has a rank from left to right, from top to bottom, and by its area. There are as many ranks as objects, in
    place of a thousand coordinates. Sides, alignment and overlap are ignored: a formula that is unsatisfiable here is
    unsatisfiable with boxes, but not the reverse.

    >>> from tsgkit.logic.grounding import All
    >>> ranking = Ranking([Candidate("cup"), Candidate("pen")])
    >>> ranking.require(All((Lit(Fact("LeftOf", (0, 1))), Lit(Fact("RightOf", (0, 1))))))
    >>> ranking.placed(SearchLimits()).status
    'unsatisfiable'
    """

    def __init__(self, candidates: Sequence[Candidate], budget: Budget | None = None) -> None:
        self.free: dict[Fact, Any] = {}
        super().__init__(candidates, EXACT, budget)

    def _edges(self, number: int) -> Edges:
        last = max(0, len(self.candidates) - 1)
        across, down, size = (self.model.new_int_var(0, last, f"{name}_{number}") for name in ("x", "y", "size"))
        self._classes_and_presence(number)
        return Edges(across, down, across, down, size, size)

    def _keep_apart(self) -> None:
        """Do nothing: ranks may be shared."""

    def _require_fact(self, fact: Fact, positive: bool, on: Any) -> None:  # noqa: ANN401
        literal = self._own_literal(Lit(fact, positive))
        difference = self._difference(fact)
        if literal is None and difference is None:
            free = self.free.setdefault(fact, self.model.new_bool_var(str(fact)))
            literal = free if positive else free.Not()
        if literal is not None:
            self._enforce(self.model.add_bool_or([literal]), on)
        elif positive:
            self._enforce(self.model.add(difference >= 1), on)
        elif fact.name not in BEYOND:  # an object not left of another one may still have its centre there
            self._enforce(self.model.add(difference <= 0), on)

    def _difference(self, fact: Fact) -> Any:  # noqa: ANN401
        """Return a term that is positive if and only if a fact about an order holds; None for other facts."""
        a, b = self.edges[fact.things[0]], self.edges[fact.things[-1]]
        if fact.name in SIZES:
            return SIZES[fact.name] * (a.w - b.w)
        if (order := (CENTRES | BEYOND).get(fact.name)) is None:
            return None
        axis, sign = order
        return sign * (a[axis] - b[axis])

    def _layout(self, solver: Any, numbers: Sequence[int]) -> None:  # noqa: ANN401
        """Return nothing: ranks are no layout."""
