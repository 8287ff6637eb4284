"""Budgets: how much work an answer may take, in deterministic seconds or, where a clock is given, in real ones.

>>> budget = Budget(0.5)
>>> budget.spend(0.3)
>>> round(budget.left, 1), budget.allowing(10.0) == budget.left
(0.2, True)
>>> budget.spend(0.3)
Traceback (most recent call last):
...
tsgkit.logic.budget.OutOfBudget: 0.5 seconds

A budget is passed down and asked in every loop that may be long. This package reads no clock: without one, seconds are
those that CP-SAT counts by its work, and what is done in Python counts by its steps, so that results are the same on
every machine. The command line gives a clock, for one limit on a whole command.
"""

from __future__ import annotations

from collections.abc import Callable

SECONDS = 10.0
STEP = 1e-5
"""Deterministic seconds of one step of Python: to ground a part, or to add a constraint."""
STEPS = 500
"""After how many steps the clock is read."""


class OutOfWork(Exception):
    """The answer takes more work than it may; the text says how much that is."""


class OutOfBudget(OutOfWork):
    """The budget is used up."""


class Budget:
    """Seconds that may be spent, and those that are left."""

    def __init__(self, seconds: float = SECONDS, clock: Callable[[], float] | None = None) -> None:
        self.seconds = seconds
        self.clock = clock
        self.spent = 0.0
        self.steps = 0
        self.began = clock() if clock else 0.0

    @property
    def left(self) -> float:
        """Seconds left: below zero where more were used."""
        return self.seconds - (self.clock() - self.began if self.clock else self.spent)

    def allowing(self, seconds: float) -> float:
        """So many seconds, or those that are left."""
        return min(seconds, self.left)

    def check(self) -> None:
        """Raise ``OutOfBudget`` where nothing is left."""
        if self.left <= 0:
            raise OutOfBudget(f"{self.seconds:g} second{'s' * (self.seconds != 1)}")

    def spend(self, seconds: float) -> None:
        """Count deterministic seconds, and check."""
        self.spent += seconds
        self.check()

    def step(self, steps: int = 1) -> None:
        """Count steps of Python, and check after every :data:`STEPS`."""
        self.steps += steps
        if self.steps >= STEPS:
            done, self.steps = self.steps, 0
            self.spend(done * STEP)
