"""Budgets: limits on work, in deterministic seconds or, if a clock is given, in real seconds.

>>> budget = Budget(0.5)
>>> budget.spend(0.3)
>>> round(budget.left, 1)
0.2
>>> budget.spend(0.3)
Traceback (most recent call last):
...
tsgkit.logic.budget.OutOfBudget: 0.5 seconds

A budget is passed down and checked in every loop that may be long. This package reads no clock. Without one, seconds
are the deterministic seconds that CP-SAT reports, and work in Python counts by steps, so that results are the same on
every machine. The command line passes a clock, for one limit on a whole command.
"""

from __future__ import annotations

from collections.abc import Callable

SECONDS = 10.0
STEP = 1e-5
"""The deterministic seconds of one step of Python: grounding a part, or adding a constraint."""
STEPS = 500
"""The number of steps between two readings of the clock."""


class OutOfWork(Exception):
    """The work limit was exceeded; the text states the limit."""


class OutOfBudget(OutOfWork):
    """The budget is used up."""


class Budget:
    """A number of seconds that may be spent."""

    def __init__(self, seconds: float = SECONDS, clock: Callable[[], float] | None = None) -> None:
        self.seconds = seconds
        self.clock = clock
        self.spent = 0.0
        self.steps = 0
        self.began = clock() if clock else 0.0

    @property
    def left(self) -> float:
        """The seconds left: negative if more were used."""
        return self.seconds - (self.clock() - self.began if self.clock else self.spent)

    def check(self) -> None:
        """Raise ``OutOfBudget`` if nothing is left."""
        if self.left <= 0:
            raise OutOfBudget(f"{self.seconds:g} second{'s' * (self.seconds != 1)}")

    def spend(self, seconds: float) -> None:
        """Record deterministic seconds as spent, and check."""
        self.spent += seconds
        self.check()

    def step(self, steps: int = 1) -> None:
        """Count steps of Python, and check the budget every :data:`STEPS`."""
        self.steps += steps
        if self.steps >= STEPS:
            done, self.steps = self.steps, 0
            self.spend(done * STEP)
