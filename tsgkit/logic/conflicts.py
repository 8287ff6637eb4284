"""Conflicts: minimal sets of conjuncts of a formula that cannot hold together.

>>> from tsgkit.logic.parser import parse
>>> book = "(exists ?b (and (Is ?b 'book') (OnTopSide ?b) (OnLeftSide ?b) (OnRightSide ?b)))"
>>> conflict_of(parse(book), ProofSettings(2), Effort()).words
('the book is on the left side', 'the book is on the right side')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tsgkit.logic.budget import OutOfBudget
from tsgkit.logic.conjuncts import Leaf, gives_class, leaves, pruned, replaced, sayings, without
from tsgkit.logic.english import object_names
from tsgkit.logic.formula import (
    TRUE,
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    Implies,
    Literal,
    Or,
    Path,
    free_variables,
    rename_apart,
    walk,
)
from tsgkit.logic.grounding import SWITCH, TooLarge, ground
from tsgkit.logic.placement import EXACT, Effort, PlacementModel
from tsgkit.logic.proofs import ProofSettings, is_refuted
from tsgkit.logic.witnesses import Domain


@dataclass(frozen=True, slots=True)
class Conflict:
    """Conjuncts that cannot hold together, in words and by path; ``smallest`` if none can be left out."""

    words: tuple[str, ...]
    places: tuple[Path, ...]
    smallest: bool


def conflict_of(formula: Formula, settings: ProofSettings, effort: Effort) -> Conflict:
    """Return the conflict in a formula that ``settings`` refute."""
    formula = rename_apart(formula)
    search = _ConflictSearch(formula, settings, effort)
    try:
        search.leave_out_conjuncts()
        search.leave_out_existences()
    except OutOfBudget:
        return search.conflict(smallest=False)
    return search.conflict(smallest=True)


class _ConflictSearch:
    """An unsatisfiable formula that is weakened step by step as long as it stays unsatisfiable."""

    def __init__(self, formula: Formula, settings: ProofSettings, effort: Effort) -> None:
        self.formula = formula
        self.settings = settings
        self.effort = effort
        self.leaves = tuple(leaves(formula))
        self.core = list(self.leaves)
        self.rest = formula

    def conflict(self, *, smallest: bool) -> Conflict:
        said = sayings(self.rest, object_names(self.formula))
        return Conflict(tuple(said), tuple(leaf.path for leaf in self.core), smallest)

    def leave_out_conjuncts(self) -> None:
        """Keep only the conjuncts in the solver's unsatisfiable core, then try to remove each of them."""
        blamed = self._blamed()
        if len(blamed) < len(self.core):
            self._keep(blamed)
        for leaf in list(self.core):
            self._keep([one for one in self.core if one is not leaf])

    def _keep(self, core: Sequence[Leaf]) -> None:
        rest = without(self.formula, [leaf.path for leaf in self.leaves if leaf not in core])
        if is_refuted(rest, self.settings, self.effort):
            self.core, self.rest = list(core), rest

    def _blamed(self) -> list[Leaf]:
        """Return the conjuncts in the solver's unsatisfiable core, or all of them if the solver finds none."""
        if self.settings.extremes:
            return self.core
        switched = self.formula
        for number, leaf in enumerate(self.leaves):
            off = Atom(SWITCH, (Literal(str(number)),))
            switched = replaced(switched, leaf.path, Or((off, leaf.formula)))
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
            if part is None or any(path[: len(one)] == one for one in inside):
                continue
            if isinstance(part, Exists) and part.variable not in spoken:
                if part.variable not in free_variables(body := _without_class(part)):
                    self._drop(path, And((body,)))
            elif isinstance(part, Forall) and isinstance(part.body, Implies) and pruned(part.body.consequent) == TRUE:
                self._drop(path, TRUE)

    def _drop(self, path: Path, instead: Formula) -> None:
        rest = replaced(self.rest, path, instead)
        if is_refuted(rest, self.settings, self.effort):
            self.rest = rest


def _without_class(part: Exists) -> Formula:
    """Return the body of an ``exists`` without the atom that gives its variable a class."""
    given = [path for path, one in walk(part.body) if gives_class(one, part.variable, part.body)]
    return without(part.body, given)
