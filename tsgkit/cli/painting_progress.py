"""Shows how painting goes on: one line that changes in place on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO

from tsgkit.cli.progress import EVERY_ELSEWHERE, EVERY_ON_A_TERMINAL, WaitLines, clock, columns_of
from tsgkit.cli.terminal import count, inert
from tsgkit.runs.painting import PaintingWatch, PaintingWork


@dataclass
class PaintingProgress:
    """What is shown while pictures are made."""

    stream: IO[str] = field(default_factory=lambda: sys.stderr)
    work: PaintingWork | None = None
    _shown_at: float = 0.0
    _in_place: bool = False
    _waits: Sequence[str] = ()
    _wait_lines: WaitLines = field(default_factory=WaitLines)

    @property
    def watch(self) -> PaintingWatch:
        """How the work tells this what happens."""
        return PaintingWatch(self.begun, self.changed, self.ticked, self.stopping, self.finished)

    def begun(self, work: PaintingWork) -> None:
        """The work begins."""
        self.work, self._shown_at = work, time.monotonic()
        if work.todo.there or work.todo.blocked:
            self._print(f"going on: {work.todo.there:,} pictures are there already, {work.todo.blocked:,} were blocked")

    def changed(self) -> None:
        """A picture was made, or was not."""
        now = time.monotonic()
        if now - self._shown_at >= (EVERY_ON_A_TERMINAL if self.stream.isatty() else EVERY_ELSEWHERE):
            self._shown_at = now
            self._show()

    def ticked(self) -> None:
        """Say what is being waited for: at once and then now and again, or in place as long as it lasts."""
        before, self._waits = self._waits, self.work.waits if self.work else ()
        if self.stream.isatty():
            if self._waits or before:
                self._show()
        elif due := self._wait_lines.due(self._waits):
            self._print("\n".join(map(inert, due)))

    def stopping(self, busy: int) -> None:
        """The user wants to stop."""
        for why in self.work.waits if self.work else ():
            self._print(inert(why))
        self._print(f"stopping: waiting for {count(busy, 'picture')} in work; Ctrl-C again does not wait")

    def finished(self) -> None:
        """Nothing more happens."""
        if self._in_place:
            self._show()
            self._in_place = False

    def _show(self) -> None:
        if self.work is None:
            return
        line = line_of(self.work, time.monotonic())
        line = "; ".join([line, *map(inert, self._waits)])[: columns_of(self.stream)]
        if self.stream.isatty():
            up = "\x1b[1A" if self._in_place else ""
            self.stream.write(f"{up}\r\x1b[2K{line}\n")
            self._in_place = True
        else:
            self.stream.write(f"{line}\n")
        self.stream.flush()

    def _print(self, text: str) -> None:
        self.stream.write(f"{text}\n")
        self.stream.flush()
        self._in_place = False


def line_of(work: PaintingWork, now: float) -> str:
    """How far the work is: done, failed, blocked, cost, and how long it will still take."""
    todo, ended = work.todo, work.ended
    parts = [f"{inert(work.painter.settings.model)}: {todo.there + work.painted:,}/{todo.total:,}"]
    if work.failures:
        parts.append(f"{len(work.failures):,} failed")
    if blocked := todo.blocked + len(work.blocked):
        parts.append(f"{blocked:,} blocked")
    if spent := work.door.budget.used_cost:
        parts.append(f"at least ${spent:.4f}" if work.unpriced else f"${spent:.4f}")
    parts.append(f"{work.door.flow.active} of now at most {int(work.door.flow.limit)} requests in flight")
    if ended and ended < len(todo.left):
        parts.append(f"about {clock((now - work.began) / ended * (len(todo.left) - ended))} left")
    return ", ".join(parts)
