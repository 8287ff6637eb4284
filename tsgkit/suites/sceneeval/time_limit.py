"""How long the work on one scene may take, waiting for replies not counted.

>>> limit = TimeLimit(0.5, clock=iter([0.0, 0.25, 1.0, 1.0]).__next__)
>>> with limit.working():
...     limit.check()
...     limit.check()
Traceback (most recent call last):
tsgkit.suites.sceneeval.time_limit.TooLong: measuring it takes longer than 0.5 seconds
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class TooLong(Exception):
    """A scene is given up: the work on it takes too long."""


class TimeLimit:
    """The seconds that are left for a scene; ``check`` is called between steps, and raises when they are spent."""

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._spent = 0.0
        self._since: float | None = None

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count the time until this ends; within itself it counts once."""
        if self._since is not None:
            yield
            return
        self._since = self._clock()
        try:
            yield
        finally:
            self._spent += self._clock() - self._since
            self._since = None

    def check(self) -> None:
        """Raise ``TooLong`` where nothing is left."""
        running = 0.0 if self._since is None else self._clock() - self._since
        if self._seconds is not None and self._spent + running > self._seconds:
            raise TooLong(f"measuring it takes longer than {self._seconds:g} seconds")
