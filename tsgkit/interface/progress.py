"""Progress bar of a job, in a notebook or on a terminal; elsewhere nothing is shown."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tsgkit.llm.event_loop import run_in_background
from tsgkit.report.plain_text import inert
from tsgkit.runs.jobs import Engine, Watch

EVERY = 0.2
Result = TypeVar("Result")


def watch_of(*, quiet: bool = False) -> Watch:
    """Return the callbacks of a progress bar, or callbacks that do nothing."""
    if quiet:
        return Watch()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # widgets that are not installed: then the bar is one of text
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return Watch()
    if not ("ipykernel" in sys.modules or sys.stderr.isatty()):
        return Watch()
    bar = Bar(tqdm)
    return Watch(bar.begun, bar.changed, bar.ticked, bar.stopping, bar.ended)


def waited_job(make: Callable[[Watch], Coroutine[Any, Any, Result]], watch: Watch) -> Result:
    """Run a job with callbacks and return its result. Ctrl-C stops it, the next Ctrl-C abandons it."""
    engines: list[Engine] = []

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
class Bar:
    """The progress bar of one job."""

    kind: Any
    engine: Engine | None = None
    _bar: Any = None
    _shown_at: float = 0.0
    _note: str = ""

    def begun(self, engine: Engine) -> None:
        """Start at the number of units done already."""
        self.engine = engine
        done, total = self._done()
        self._bar = self.kind(total=total, initial=done, unit=f" {engine.noun}", dynamic_ncols=True)

    def changed(self) -> None:
        """Show a unit that was done."""
        if time.monotonic() - self._shown_at >= EVERY:
            self._show()

    def ticked(self) -> None:
        """Show the reason for waiting."""
        waits = [] if self.engine is None else self.engine.waits
        self._note = waits[0] if waits else ""
        self._show()

    def stopping(self) -> None:
        """Show that units in progress are being completed."""
        if self.engine is not None:
            self._bar.write(f"stopping: waiting for {self.engine.busy} in work; once more does not wait")

    def ended(self) -> None:
        """Show the end."""
        if self._bar is not None:
            self._show()
            self._bar.close()

    def _show(self) -> None:
        """Show the number of units, and beside it a score, failures, cost."""
        self._shown_at = time.monotonic()
        parts = [] if self.engine is None else list(self.engine.parts())
        notes = []
        if len(parts) == 1 and parts[0].score is not None:
            notes.append(f"{parts[0].metric} {100 * parts[0].score:.1f}")
        if failed := sum(part.failed for part in parts):
            notes.append(f"{failed} failed")
        if requests := sum(part.door.failed for part in parts if part.door is not None):
            notes.append(f"{requests} failed requests")
        if spent := sum(part.spent for part in parts):
            notes.append(f"${spent:.4f}")
        self._bar.set_postfix_str(inert(", ".join([*notes, *filter(None, [self._note])])), refresh=False)
        self._bar.update(self._done()[0] - self._bar.n)

    def _done(self) -> tuple[int, int]:
        parts = [] if self.engine is None else list(self.engine.parts())
        if not parts and self.engine is not None:
            return self.engine.done, self.engine.expected
        return sum(part.done for part in parts), sum(part.total for part in parts)
