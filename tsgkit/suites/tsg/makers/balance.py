"""A choice among surplus items, so that no shortcut beats chance over those that are chosen.

>>> balance = Balance()
>>> easy, hard = Option("easy", (1.0,), 0.2), Option("hard", (0.0,), 0.2)
>>> "".join(balance.choose([easy, hard]).value[0] for _ in range(10))
'hhhehhhheh'
>>> balance.excess[""]
(0.0,)

A shortcut gets a credit for each item: 1 where it answers it, a share where it cannot decide. Over all chosen items,
and over those of each group, the sum of credits is kept at the sum of chances. Items are chosen one after the other, so
that only sums are kept.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")
BELOW = 0.3
"""The weight of a sum that is below chance: a shortcut that is too often wrong tells something as well."""


@dataclass(frozen=True)
class Option(Generic[T]):
    """An item that may be chosen."""

    value: T
    credits: tuple[float, ...]
    """The credit of each shortcut; all options have the same shortcuts in the same order."""
    chance: float
    """The credit of guessing."""
    group: str = ""
    """The kind of item; sums are kept at chance within each kind."""
    cost: float = 0.0
    """A reason against this option, comparable with one unit of squared excess."""


@dataclass
class Balance:
    """The credits of the chosen items above chance, in total and by group."""

    _sums: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    @property
    def excess(self) -> dict[str, tuple[float, ...]]:
        """The sum of credits minus chances of each shortcut, by group; the empty group is the total."""
        return {group: tuple(round(one, 9) + 0.0 for one in sums) for group, sums in self._sums.items()}

    def choose(self, options: Sequence[Option[T]]) -> Option[T]:
        """Choose the option that keeps the sums nearest to chance, the first of equal ones, and count it."""
        best = min(options, key=self._penalty)
        self.count(best)
        return best

    def count(self, option: Option[T], sign: int = 1) -> None:
        """Count a chosen item; with ``sign`` -1, count it no longer."""
        for group in {"", option.group}:
            sums = self._sums[group]
            sums.extend([0.0] * (len(option.credits) - len(sums)))
            for place, credit in enumerate(option.credits):
                sums[place] += sign * (credit - option.chance)

    def _penalty(self, option: Option[T]) -> float:
        penalty = option.cost
        for group in {"", option.group}:
            sums = self._sums[group] or [0.0] * len(option.credits)
            penalty += math.fsum(
                (1 if (excess := total + credit - option.chance) > 0 else BELOW) * excess * excess
                for total, credit in zip(sums, option.credits, strict=True)
            )
        return penalty
