"""Verdicts: true, false or undecided, with the reason in words and a tree that shows how it came about.

>>> print(Trace(True, "both hold", (Trace(True, "the cup is red"), Trace(True, "nothing to say", vacuous=True))).text)
✓ both hold
├── ✓ the cup is red
└── ✓ nothing to say (Vacuously True)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tsgkit.logic.budget import Budget, OutOfWork

Profile = Literal["official", "strict"]
Status = Literal["decided", "rejected", "crashed", "undecided", "uncounted"]
"""How a verdict came about.

decided: the formula was evaluated. rejected: false, for the layout is malformed (strict). crashed: false, for the
published verifier cannot evaluate it (official). undecided: the work cap was reached. uncounted: the published program
stops before it judges the item (official).
"""
WORK = 2_000_000
"""How many steps a verdict may take; a step is about a microsecond."""
MOST_LINES = 400


LOOK = 10_000
"""After how many steps a budget is asked."""


class Meter:
    """Work done, the most that may be done, and a budget it must stay within."""

    def __init__(self, most: int = WORK, budget: Budget | None = None) -> None:
        self.most = most
        self.budget = budget
        self.done = 0
        self.next_look = min(most, LOOK) if budget else most

    def step(self, steps: int = 1) -> None:
        """Count some steps; ``OutOfWork`` where they are too many, or the budget is used up."""
        self.done += steps
        if self.done > self.next_look:
            self._look()

    def _look(self) -> None:
        if self.done > self.most:
            raise OutOfWork(f"{self.most:,} steps")
        if self.budget:
            self.budget.check()
        self.next_look = min(self.most, self.done + LOOK)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One part of a formula on a layout: whether it holds, what is said of it, and the parts that show why.

    ``vacuous`` marks an implication whose condition does not apply.
    """

    truth: bool
    message: str
    children: tuple[Trace, ...] = ()
    vacuous: bool = False

    @property
    def text(self) -> str:
        """The tree as lines, at most :data:`MOST_LINES`."""
        lines: list[str] = []
        for line in self.lines():
            lines.append(line)
            if len(lines) == MOST_LINES:
                lines.append("... (more is left out)")
                break
        return "\n".join(lines)

    def lines(self) -> Iterator[str]:
        """Yield every line of the tree: as parts are shared, there may be very many."""
        waiting = [(self, "", "")]
        while waiting:
            one, before, below = waiting.pop()
            yield f"{before}{'✓' if one.truth else '✗'} {one.message}{' (Vacuously True)' * one.vacuous}"
            last = len(one.children) - 1
            waiting.extend(
                (child, below + ("└── " if number == last else "├── "), below + ("    " if number == last else "│   "))
                for number, child in reversed(list(enumerate(one.children)))
            )

    def value(self, most: int = MOST_LINES) -> dict[str, object]:
        """Return the tree as plain values, cut after so many parts."""
        return _value(self, [most])


def _value(trace: Trace, left: list[int]) -> dict[str, object]:
    left[0] -= 1
    made: dict[str, object] = {"truth": trace.truth, "message": trace.message}
    if trace.vacuous:
        made["vacuous"] = True
    if trace.children:
        made["children"] = [_value(child, left) for child in trace.children if left[0] > 0]
    return made


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Whether a layout satisfies a formula; ``truth`` is None where that is not decided.

    ``reason`` is the published one in the profile ``official``, and the smallest unsatisfied part in words in
    ``strict``; it is empty where the formula holds. ``detail`` says more where there is more to say. ``zero_triggers``
    counts the foralls met that are false only since their condition applies to nothing.
    """

    truth: bool | None
    profile: Profile
    status: Status = "decided"
    reason: str = ""
    detail: str = ""
    trace: Trace | None = None
    zero_triggers: int = 0
    work: int = 0

    def value(self) -> dict[str, object]:
        """Return the verdict as plain values."""
        return {
            "truth": self.truth,
            "profile": self.profile,
            "status": self.status,
            "reason": self.reason,
            "detail": self.detail,
            "zero_triggers": self.zero_triggers,
            "work": self.work,
            "trace": self.trace.value() if self.trace else None,
        }
