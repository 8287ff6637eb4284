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

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

FIRST_ON_A_TERMINAL, EVERY_ON_A_TERMINAL, EVERY_ELSEWHERE = 1.0, 0.2, 10.0
"""Seconds before the first line on a terminal, and between two lines."""


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
        """Show the progress, if that is due; nothing any more when all is done."""
        if done >= total:
            self.ended()
            return
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
        self._write(f"\r\x1b[2K{line[: columns_of(self.stream)]}" if is_terminal else f"{line}\n")

    def ended(self) -> None:
        """Remove the line from a terminal."""
        if self._is_shown and self.stream.isatty():
            self._write("\r\x1b[2K")
        self._is_shown = False

    def _write(self, text: str) -> None:
        with suppress(OSError):  # the work goes on where nobody sees it
            self.stream.write(text)
            self.stream.flush()

    @property
    def _every(self) -> float:
        if not self.stream.isatty():
            return EVERY_ELSEWHERE
        return EVERY_ON_A_TERMINAL if self._is_shown else FIRST_ON_A_TERMINAL


def columns_of(stream: IO[str]) -> int | None:
    """Return how long a line may be so that it stays one line of a terminal; None where that is not known."""
    try:
        columns = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return None
    return columns - 1 if columns > 1 else None


def clock(seconds: float) -> str:
    """Seconds as people write them.

    >>> clock(75), clock(3675)
    ('1:15', '1:01:15')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
