"""Progress of work with a known number of parts: a line that changes in place on a terminal, a line now and then
elsewhere; work that is done at once shows nothing.

>>> import io
>>> stream = io.StringIO()
>>> countdown = Countdown("samples", stream, now=iter([0.0, 5.0, 11.0]).__next__)
>>> for done in (1, 2, 3):
...     countdown(done, 6)
>>> print(stream.getvalue(), end="")
3/6 samples, about 0:11 left
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from tsgkit.report.progress import EVERY_ELSEWHERE, EVERY_ON_A_TERMINAL, clock, columns_of

FIRST_ON_A_TERMINAL = 1.0
"""Seconds before the first line on a terminal."""


@dataclass
class Countdown:
    """The progress of one piece of work; called with the number of parts that are done, and of all."""

    noun: str
    stream: IO[str] = field(default_factory=lambda: sys.stderr)
    now: Callable[[], float] = time.monotonic
    _began: float | None = None
    _shown_at: float = 0.0
    _is_shown: bool = False

    def __call__(self, done: int, total: int) -> None:
        """Show the progress, if that is due."""
        now = self.now()
        if self._began is None:
            self._began = self._shown_at = now
            return
        if now - self._shown_at < self._every:
            return
        self._shown_at, self._is_shown = now, True
        left = clock((now - self._began) / done * (total - done))
        line = f"{done:,}/{total:,} {self.noun}, about {left} left"
        is_terminal = self.stream.isatty()
        self.stream.write(f"\r\x1b[2K{line[: columns_of(self.stream)]}" if is_terminal else f"{line}\n")
        self.stream.flush()

    def ended(self) -> None:
        """Remove the line from a terminal."""
        if self._is_shown and self.stream.isatty():
            self.stream.write("\r\x1b[2K")
            self.stream.flush()

    @property
    def _every(self) -> float:
        if not self.stream.isatty():
            return EVERY_ELSEWHERE
        return EVERY_ON_A_TERMINAL if self._is_shown else FIRST_ON_A_TERMINAL
