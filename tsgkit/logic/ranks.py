"""Ranks in place of boxes: whether a ground formula can hold as far as orders of objects tell.

>>> from tsgkit.logic.grounding import All, Fact, Lit
>>> from tsgkit.logic.witnesses import Candidate
>>> ranking = Ranking([Candidate("cup"), Candidate("pen")])
>>> ranking.require(All((Lit(Fact("LeftOf", (0, 1))), Lit(Fact("RightOf", (0, 1))))))
>>> ranking.placed(Effort()).status
'unsatisfiable'

An object has a rank from left to right, from above to below, and by its area: as many as there are objects, in place of
a thousand places. Sides, alignment and overlap are left out, so that only what is unsatisfiable here is so with boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tsgkit.logic.budget import Budget
from tsgkit.logic.grounding import Fact, Lit
from tsgkit.logic.layouts import Layout
from tsgkit.logic.placement import BEYOND, CENTRES, EXACT, Edges, Effort, Placed, Placing
from tsgkit.logic.witnesses import Candidate

SIZES = {"LargerThan": 1, "SmallerThan": -1}


class Ranking(Placing):
    """A model of candidates with ranks."""

    def __init__(self, candidates: Sequence[Candidate], budget: Budget | None = None) -> None:
        self.free: dict[Fact, Any] = {}
        super().__init__(candidates, EXACT, budget)

    def _edges(self, number: int) -> Edges:
        last = max(0, len(self.candidates) - 1)
        across, down, size = (self.model.new_int_var(0, last, f"{name}_{number}") for name in ("x", "y", "size"))
        self._classes_and_presence(number)
        return Edges(across, down, across, down, size, size)

    def _keep_apart(self) -> None:
        """Ranks may be shared."""

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
        """Return what is above zero where a fact of an order holds."""
        a, b = self.edges[fact.things[0]], self.edges[fact.things[-1]]
        if fact.name in SIZES:
            return SIZES[fact.name] * (a.w - b.w)
        if fact.name not in BEYOND and fact.name not in CENTRES:
            return None
        axis, sign = (CENTRES | BEYOND)[fact.name]
        return sign * (a[axis] - b[axis])

    def placed(self, effort: Effort, *, assume: bool = False) -> Placed:
        """Search; ranks that are found are no layout."""
        placed = super().placed(effort, assume=assume)
        return placed._replace(layout=None) if placed.layout else placed

    def _layout(self, solver: Any, numbers: Sequence[int]) -> Layout:  # noqa: ANN401
        return Layout(())
