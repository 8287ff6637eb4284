"""A relaxed placement with ranks in place of boxes: it only checks the orders of objects.

>>> from tsgkit.logic.grounding import All, Fact, Lit
>>> from tsgkit.logic.witnesses import Candidate
>>> ranking = Ranking([Candidate("cup"), Candidate("pen")])
>>> ranking.require(All((Lit(Fact("LeftOf", (0, 1))), Lit(Fact("RightOf", (0, 1))))))
>>> ranking.placed(Effort()).status
'unsatisfiable'

An object has a rank from left to right, from top to bottom, and by its area. There are as many ranks as objects, in
place of a thousand coordinates. Sides, alignment and overlap are ignored: a formula that is unsatisfiable here is
unsatisfiable with boxes, but not the reverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tsgkit.logic.budget import Budget
from tsgkit.logic.grounding import Fact, Lit
from tsgkit.logic.layouts import Layout
from tsgkit.logic.placement import BEYOND, CENTRES, EXACT, Edges, Effort, Placed, PlacementModel
from tsgkit.logic.witnesses import Candidate

SIZES = {"LargerThan": 1, "SmallerThan": -1}


class Ranking(PlacementModel):
    """A model that gives each candidate ranks in place of a box."""

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
        own = self._own_literal(Lit(fact, positive))
        difference = self._difference(fact)
        if own is None and difference is None:
            free = self.free.setdefault(fact, self.model.new_bool_var(str(fact)))
            own = free if positive else free.Not()
        if own is not None:
            self._enforce(self.model.add_bool_or([own]), on)
        elif positive:
            self._enforce(self.model.add(difference >= 1), on)
        elif fact.name not in BEYOND:  # an object not left of another one may still have its centre there
            self._enforce(self.model.add(difference <= 0), on)

    def _difference(self, fact: Fact) -> Any:  # noqa: ANN401
        """Return a term that is positive if and only if a fact about an order holds; None for other facts."""
        a, b = self.edges[fact.things[0]], self.edges[fact.things[-1]]
        if fact.name in SIZES:
            return SIZES[fact.name] * (a.w - b.w)
        if fact.name not in BEYOND and fact.name not in CENTRES:
            return None
        axis, sign = (CENTRES | BEYOND)[fact.name]
        return sign * (a[axis] - b[axis])

    def placed(self, effort: Effort, *, assume: bool = False) -> Placed:
        """Search. The result has no layout."""
        placed = super().placed(effort, assume=assume)
        return placed._replace(layout=None) if placed.layout else placed

    def _layout(self, solver: Any, numbers: Sequence[int]) -> Layout:  # noqa: ANN401
        return Layout(())
