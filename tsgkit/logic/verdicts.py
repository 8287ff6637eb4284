"""Verdicts: true, false or undecided, with the reason in words and a trace that explains it.

>>> print(Trace(True, "both hold", (Trace(True, "the cup is red"), Trace(True, "nothing to say", vacuous=True))).text)
✓ both hold
├── ✓ the cup is red
└── ✓ nothing to say (Vacuously True)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Literal

from tsgkit.logic.budget import Budget, OutOfWork

Profile = Literal["official", "strict"]
Status = Literal["decided", "rejected", "crashed", "undecided", "uncounted"]
"""The status of a verdict.

decided: the formula was evaluated. rejected: false, because the layout is malformed (strict). crashed: false, because
the published verifier cannot evaluate it (official). undecided: the work limit was reached. uncounted: the published
program stops before it evaluates the item (official).
"""
WORK = 2_000_000
"""The maximum number of steps for a verdict. A step takes about a microsecond."""
MOST_LINES = 400


LOOK = 10_000
"""The number of steps between two checks of the budget."""


class Meter:
    """A counter of work done, with a limit and an optional time budget."""

    def __init__(self, most: int = WORK, budget: Budget | None = None) -> None:
        self.most = most
        self.budget = budget
        self.done = 0
        self.next_look = min(most, LOOK) if budget else most

    def step(self, steps: int = 1) -> None:
        """Count steps. Raise ``OutOfWork`` if the limit or the budget is exceeded."""
        self.done += steps
        if self.done > self.next_look:
            if self.done > self.most:
                raise OutOfWork(f"{self.most:,} steps")
            if self.budget:
                self.budget.check()
            self.next_look = min(self.most, self.done + LOOK)


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A part of a formula on a layout: its truth, a message, and the parts that explain it.

    ``vacuous`` marks an implication whose condition does not apply.
    """

    truth: bool
    message: str
    children: tuple[Trace, ...] = ()
    vacuous: bool = False

    @property
    def text(self) -> str:
        """The tree as text, at most :data:`MOST_LINES` lines."""
        lines: list[str] = []
        for line in self.lines():
            lines.append(line)
            if len(lines) == MOST_LINES:
                lines.append("... (more is left out)")
                break
        return "\n".join(lines)

    def lines(self) -> Iterator[str]:
        """Yield every line of the tree. Parts are shared, so there may be very many."""
        waiting = [(self, "", "")]
        while waiting:
            trace, before, below = waiting.pop()
            yield f"{before}{'✓' if trace.truth else '✗'} {trace.message}{' (Vacuously True)' * trace.vacuous}"
            last = len(trace.children) - 1
            waiting.extend(
                (child, below + ("└── " if number == last else "├── "), below + ("    " if number == last else "│   "))
                for number, child in reversed(list(enumerate(trace.children)))
            )

    def value(self, most: int = MOST_LINES) -> dict[str, object]:
        """Return the tree as plain values, cut after ``most`` parts."""
        left = most

        def plain(trace: Trace) -> dict[str, object]:
            nonlocal left
            left -= 1
            tree: dict[str, object] = {"truth": trace.truth, "message": trace.message}
            if trace.vacuous:
                tree["vacuous"] = True
            if trace.children:
                tree["children"] = [plain(child) for child in trace.children if left > 0]
            return tree

        return plain(self)


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """The result of checking a layout against a formula; ``truth`` is None if undecided.

    ``reason`` is the published reason in profile ``official``, and the smallest unsatisfied part in words in
    ``strict``. It is empty if the formula holds. ``detail`` adds to it if needed. ``zero_triggers`` counts the
    evaluated foralls that are false only because their condition applies to no object.
    """

    truth: bool | None
    profile: Profile
    status: Status = "decided"
    reason: str = ""
    detail: str = ""
    zero_triggers: int = 0
    work: int = 0
    trace: Trace | None = None

    def value(self) -> dict[str, object]:
        """Return the verdict as plain values."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        return plain | {"trace": self.trace.value() if self.trace else None}
