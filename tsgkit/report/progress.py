"""Progress displays: of a job with its parts, waits and interrupts, and of work with a known number of parts.

Lines change in place on a terminal; elsewhere a plain line is printed now and then. Work that is done at once shows
nothing.

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
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from tsgkit.report.plain_text import count, inert

if TYPE_CHECKING:
    from tsgkit.runs.jobs import Engine, JobPart, JobWatch

FIRST_ON_A_TERMINAL, EVERY_ON_A_TERMINAL, EVERY_ELSEWHERE = 1.0, 0.2, 10.0
"""Seconds before the first line on a terminal, and between two lines."""
EVERY_WAIT_ELSEWHERE = 30.0
MOST_LINES = 12


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
        on_terminal = EVERY_ON_A_TERMINAL if self._is_shown else FIRST_ON_A_TERMINAL
        if now - self._shown_at < (on_terminal if self.stream.isatty() else EVERY_ELSEWHERE):
            return
        self._shown_at, self._is_shown = now, True
        left = clock((now - self._began) / done * (total - done))
        line = f"{done:,}/{total:,} {self.noun}, about {left} left"
        self._write(f"\r\x1b[2K{line[: columns_of(self.stream)]}" if self.stream.isatty() else f"{line}\n")

    def ended(self) -> None:
        """Remove the line from a terminal."""
        if self._is_shown and self.stream.isatty():
            self._write("\r\x1b[2K")
        self._is_shown = False

    def _write(self, text: str) -> None:
        with suppress(OSError):  # the work goes on where nobody sees it
            self.stream.write(text)
            self.stream.flush()


@dataclass
class Progress:
    """The progress display of one job."""

    stream: IO[str] = field(default_factory=lambda: sys.stderr)
    engine: Engine | None = None
    in_lines: bool = False
    """True to print lines on a terminal too, where others print beside it."""
    _shown_at: float = 0.0
    _lines: int = 0
    _waits: Sequence[str] = ()
    _wait_said_at: float = 0.0

    @property
    def watch(self) -> JobWatch:
        """The callbacks for the job."""
        from tsgkit.runs.jobs import JobWatch

        return JobWatch(self.begun, self.changed, self.ticked, self.stopping, self.ended)

    @property
    def _on_a_terminal(self) -> bool:
        return self.stream.isatty() and not self.in_lines

    def begun(self, engine: Engine) -> None:
        """A job begins."""
        self.engine, self._shown_at = engine, time.monotonic()
        if engine.there:
            self._print(f"going on: {engine.there}")

    def changed(self) -> None:
        """A unit was done."""
        now = time.monotonic()
        if now - self._shown_at >= (EVERY_ON_A_TERMINAL if self._on_a_terminal else EVERY_ELSEWHERE):
            self._shown_at = now
            self._show()

    def ticked(self) -> None:
        """Show the reason for waiting: in place on a terminal, else at once and then at intervals."""
        before, self._waits = self._waits, [] if self.engine is None else self.engine.waits
        if self._on_a_terminal:
            if self._waits or before:
                self._show()
            return
        now, every = time.monotonic(), EVERY_WAIT_ELSEWHERE if before else EVERY_ELSEWHERE
        if self._waits and now - self._wait_said_at >= every:
            self._wait_said_at = now
            self._print("\n".join(map(inert, self._waits)))

    def stopping(self) -> None:
        """The user wants to stop."""
        if self.engine is None:
            return
        for why in self.engine.trouble:
            self._print(inert(why))
        in_work = count(self.engine.busy, self.engine.noun)
        self._print(f"stopping: waiting for {in_work} in work; Ctrl-C again does not wait")

    def ended(self) -> None:
        """Nothing more happens."""
        self._waits = ()
        if self._lines:
            self._show()
            self._lines = 0

    def _show(self) -> None:
        width = columns_of(self.stream)
        parts = [] if self.engine is None else self.engine.parts()
        lines = [line_of(part)[:width] for part in parts[:MOST_LINES]]
        if self._on_a_terminal:
            lines += [inert(why)[:width] for why in self._waits]
            lines += [""] * (self._lines - len(lines))
            up = f"\x1b[{self._lines}A" if self._lines else ""
            self.stream.write(up + "".join(f"\r\x1b[2K{line}\n" for line in lines))
            self._lines = len(lines)
        else:
            self.stream.write("".join(f"{line}\n" for line in lines))
        self.stream.flush()

    def _print(self, text: str) -> None:
        self.stream.write(f"{text}\n")
        self.stream.flush()
        self._lines = 0


def line_of(part: JobPart) -> str:
    """Return how far a part of a job is: done, failed, blocked, cost, and how long it will still take."""
    words = [f"{inert(part.title)}: {part.done:,}/{part.total:,}"]
    if part.score is not None:
        words.append(f"{part.metric} {100 * part.score:.1f}" + (" so far" if part.left else ""))
    if part.failed:
        words.append(f"{part.failed:,} failed")
    if part.blocked:
        words.append(f"{part.blocked:,} blocked")
    if part.spent:
        words.append(f"${part.spent:.4f}" if part.knows_cost else f"at least ${part.spent:.4f}")
    if part.door is not None:
        flow = part.door.flow
        if part.door.failed:
            words.append(f"{count(part.door.failed, 'request')} failed")
        if not part.door.provider.defers:
            words.append(f"{flow.active} of at most {int(flow.limit)} in flight")
    if (left := part.seconds_left) is not None:
        words.append(f"about {clock(left)} left")
    return ", ".join(words)


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
