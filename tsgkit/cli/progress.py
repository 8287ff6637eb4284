"""Shows how a run goes on: lines that change in place on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import IO

from tsgkit.cli.terminal import count, inert
from tsgkit.llm.door import Door
from tsgkit.runs.evaluation import Running, Watch
from tsgkit.runs.state import RowState

EVERY_ON_A_TERMINAL = 0.2
EVERY_ELSEWHERE = 10.0
EVERY_WAIT_ELSEWHERE = 30.0
MOST_LINES = 12


@dataclass
class WaitLines:
    """Picks the moments to say in a line of its own what is being waited for: at once, and now and again."""

    _before: bool = False
    _said_at: float = 0.0

    def due(self, waits: Sequence[str]) -> Sequence[str]:
        """Return what is to be said now of these waits."""
        before, self._before, now = self._before, bool(waits), time.monotonic()
        if not waits or now - self._said_at < (EVERY_WAIT_ELSEWHERE if before else EVERY_ELSEWHERE):
            return ()
        self._said_at = now
        return waits


@dataclass
class Progress:
    """What is shown of one run."""

    stream: IO[str] = field(default_factory=lambda: sys.stderr)
    running: Running | None = None
    _shown_at: float = 0.0
    _lines: int = 0
    _waits: Sequence[str] = ()
    _wait_lines: WaitLines = field(default_factory=WaitLines)

    @property
    def watch(self) -> Watch:
        """How a run tells this what happens."""
        return Watch(self.begun, self.changed, self.ticked, self.stopping, self.ended)

    @property
    def _on_a_terminal(self) -> bool:
        return self.stream.isatty()

    def begun(self, running: Running) -> None:
        """A run begins."""
        self.running = running
        self._shown_at = time.monotonic()
        at_start = sum(state.at_start for state in running.states.values())
        if at_start:
            self._print(f"going on: {count(at_start, 'sample is', 'samples are')} there already")

    def changed(self) -> None:
        """A sample was finished."""
        now = time.monotonic()
        if now - self._shown_at < (EVERY_ON_A_TERMINAL if self._on_a_terminal else EVERY_ELSEWHERE):
            return
        self._shown_at = now
        self._show()

    def ticked(self) -> None:
        """Say what is being waited for: at once and then now and again, or in place as long as it lasts."""
        before, self._waits = self._waits, [] if self.running is None else self.running.waits
        if self._on_a_terminal:
            if self._waits or before:
                self._show()
        elif due := self._wait_lines.due(self._waits):
            self._print("\n".join(map(inert, due)))

    def stopping(self, busy: int) -> None:
        """The user wants to stop."""
        for why in [] if self.running is None else self.running.waits:
            self._print(inert(why))
        self._print(f"stopping: waiting for {count(busy, 'sample')} in work; Ctrl-C again does not wait")

    def ended(self) -> None:
        """Nothing more happens."""
        self._waits = ()
        if self.running is not None and self._lines:
            self._show()
            self._lines = 0

    def _show(self) -> None:
        width = columns_of(self.stream)
        groups = list(self._groups().items())[:MOST_LINES]
        first = {title[0]: title for title, _ in reversed(groups)}
        lines = [self._line(title, states, first[title[0]] == title)[:width] for title, states in groups]
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

    def _groups(self) -> dict[tuple[str, str], list[RowState]]:
        groups: dict[tuple[str, str], list[RowState]] = {}
        states = self.running.states if self.running else {}
        for cell, state in states.items():
            groups.setdefault((cell.subject, cell.task), []).append(state)
        return groups

    def _line(self, title: tuple[str, str], states: list[RowState], is_first: bool) -> str:
        subject, task = title
        done, total = sum(s.finished for s in states), sum(s.total for s in states)
        failed = sum(s.failed for s in states)
        parts = [f"{inert(subject)} {task}: {done:,}/{total:,}"]
        if failed:
            parts.append(f"{failed:,} failed")
        if spent := sum(s.spent for s in states):
            known = all(s.knows_cost for s in states)
            parts.append(f"${spent:.4f}" if known else f"at least ${spent:.4f}")
        if is_first and self.running and isinstance(door := self.running.subjects.get(subject), Door):
            parts.append(f"{door.flow.active} of now at most {int(door.flow.limit)} requests in flight")
        if (left := _seconds_left(states)) is not None and done < total:
            parts.append(f"about {clock(left)} left")
        return ", ".join(parts)


def _seconds_left(states: list[RowState]) -> float | None:
    done = sum(state.finished - state.at_start for state in states)
    left = sum(state.total - state.finished for state in states)
    passed = time.monotonic() - min(state.began for state in states)
    return passed / done * left if done else None


def columns_of(stream: IO[str]) -> int | None:
    """How long a line may be so that it stays one line of a terminal; None where that is not known."""
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
