"""Progress bar of a job, in a notebook or on a terminal; elsewhere nothing is shown."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from tsgkit.llm.event_loop import run_in_background
from tsgkit.report.plain_text import inert
from tsgkit.runs.jobs import Engine, JobWatch

EVERY = 0.2
Result = TypeVar("Result")


def watch_of(*, quiet: bool | None = False) -> JobWatch:
    """Return the callbacks of a progress bar, or callbacks that do nothing."""
    if quiet or not ("ipykernel" in sys.modules or sys.stderr.isatty()):
        return JobWatch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # widgets that are not installed: then the bar is one of text
        from tqdm.auto import tqdm
    bar = ProgressBar(tqdm)
    return JobWatch(bar.begun, bar.changed, bar.show, bar.stopping, bar.ended)


def waited_job(make: Callable[[JobWatch], Coroutine[Any, Any, Result]], *, quiet: bool | None = False) -> Result:
    """Run a job with a progress bar and return its result. Ctrl-C stops it, the next Ctrl-C abandons it."""
    watch, engines = watch_of(quiet=quiet), list[Engine]()

    def begun(engine: Engine) -> None:
        engines.append(engine)
        watch.begun(engine)

    def stop() -> None:
        for engine in engines:
            engine.stop()
            watch.stopping()

    def abandon() -> None:
        for engine in engines:
            engine.abandon()

    return run_in_background(lambda: make(replace(watch, begun=begun)), stop, abandon)


@dataclass
class ProgressBar:
    """The progress bar of one job."""

    kind: Any
    _engine: Engine = field(init=False)
    _bar: Any = None
    _shown_at: float = 0.0

    def begun(self, engine: Engine) -> None:
        """Start at the number of units done already."""
        self._engine = engine
        done, total = self._done()
        self._bar = self.kind(total=total, initial=done, unit=f" {engine.noun}", dynamic_ncols=True)

    def changed(self) -> None:
        """Show a unit that was done."""
        if time.monotonic() - self._shown_at >= EVERY:
            self.show()

    def show(self) -> None:
        """Show the number of units, and beside it a score, failures, cost and the reason for waiting."""
        self._shown_at = time.monotonic()
        parts, notes = self._engine.parts(), []
        if len(parts) == 1 and parts[0].score is not None:
            notes.append(f"{parts[0].metric} {100 * parts[0].score:.1f}")
        if failed := sum(part.failed for part in parts):
            notes.append(f"{failed} failed")
        if requests := sum(part.door.failed for part in parts if part.door is not None):
            notes.append(f"{requests} failed requests")
        if spent := sum(part.spent for part in parts):
            notes.append(f"${spent:.4f}")
        self._bar.set_postfix_str(inert(", ".join([*notes, *self._engine.waits[:1]])), refresh=False)
        self._bar.update(self._done()[0] - self._bar.n)

    def stopping(self) -> None:
        """Show that units in progress are being completed."""
        self._bar.write(f"stopping: waiting for {self._engine.busy} in work; once more does not wait")

    def ended(self) -> None:
        """Show the end."""
        self.show()
        self._bar.close()

    def _done(self) -> tuple[int, int]:
        """Return the number of units that are done, and of all."""
        if parts := self._engine.parts():
            return sum(part.done for part in parts), sum(part.total for part in parts)
        return self._engine.done, self._engine.expected
