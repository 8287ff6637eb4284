"""The interface of executors; those that work in this process and in others of this machine.

``Processes`` starts a worker process for each processor on first use. A unit that kills its process (a crash in a
library, no memory left) or hangs is tried again in a new one, and takes no others with it. Only the main process
handles interrupts; workers finish their work.
"""

from __future__ import annotations

import asyncio
import faulthandler
import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm.user_code import described
from tsgkit.runs.executors.workers import WorkerDied, Workers, check_importable
from tsgkit.suites.judgement import ItemError

Outcome = TypeVar("Outcome")
Work = Callable[[Any, Any], Any]
"""Work on what is shared and one item: a function of a module, which is found by its name elsewhere."""
TRIES = 3
"""A unit that kills so many workers is given up."""
LOST_NODES = 10
"""A unit is begun again so many times because its node was lost."""
LONGEST_UNIT = 1800.0
"""Seconds after which a unit is taken to hang, and its worker is ended."""
FEWEST = 16
"""For fewer units than these no process is started: that would take longer than the work."""


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class NodeLost(Exception):
    """A machine that computed was lost."""


async def tried(attempt: Callable[[], Awaitable[Outcome]], workers: str) -> Outcome:
    """Return the outcome of a unit. It is begun again where its worker or node was lost, but not for ever."""
    deaths = losses = 0
    while deaths < TRIES and losses < LOST_NODES:
        try:
            return await attempt()
        except WorkerDied:
            deaths += 1
        except NodeLost:
            losses += 1
    if deaths < TRIES:
        raise ItemError("the nodes that computed it were lost, again and again")
    raise ItemError(f"the {workers} that computed it died or hung, {TRIES} times")


def timed(longest: float, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
    """Do the work on an item in this process, which ends if that takes too long, whatever it is doing."""
    with Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(longest, exit=True, file=nowhere)
        try:
            return work(shared, item)
        finally:
            faulthandler.cancel_dump_traceback_later()


class Executor:
    """Somewhere work is done; as a context it is closed at the end."""

    name: str
    grace: float | None = None
    """Seconds that units in work have after SIGTERM; None for as long as they take."""

    @property
    def carries(self) -> bool:
        """True if workers may be where files of this machine are not."""
        return False

    @property
    def workers(self) -> int:
        """The number of units to hand over at a time."""
        return 1

    def check_folders(self, folders: Sequence[Path]) -> None:
        """Raise ``UsageError`` if workers cannot read from these folders; those of this machine read what it has."""

    def check(self, shared: Any) -> None:  # noqa: ANN401
        """Raise ``UsageError`` if an object cannot be sent to workers, ``NotImportable`` if they cannot import it."""
        try:
            self.send(shared)
        except TsgkitError:
            raise
        except Exception as error:  # noqa: BLE001 - objects refuse in every way there is
            what = f"the code that answers or scores cannot be sent to another process: {described(error)}"
            hint = "define what it consists of in a module, or leave --executor out"
            raise UsageError(f"--executor {self.name}: {what}", hint=hint) from None

    def send(self, shared: Any) -> Any:  # noqa: ANN401
        """Send an object to workers, or try whether that can be done; in any way it cannot be pickled it is raised."""

    def waits_for(self) -> str:
        """Return what units wait for before one has begun; empty if nothing is waited for."""
        return ""

    async def run(self, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
        """Return what the work makes of an item. Raise ``ItemError`` if its workers die."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of workers; what is in work there is not waited for."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Here(Executor):
    """Work in this process."""

    name = "here"

    async def run(self, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
        """Do the work, and then give way to others, such as an interrupt."""
        result = work(shared, item)
        await asyncio.sleep(0)
        return result


class Processes(Executor):
    """Work in several processes."""

    name = "processes"

    def __init__(self, count: int, longest: float = LONGEST_UNIT) -> None:
        self._count, self._longest = count, longest
        self._workers: Workers | None = None

    @property
    def workers(self) -> int:
        """The number of units to hand over at a time: one for each process, and one that waits for it."""
        return 2 * self._count

    def send(self, shared: Any) -> None:  # noqa: ANN401
        """Try whether an object can be pickled, and imported in a fresh interpreter."""
        check_importable(shared)

    async def run(self, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
        """Return what the work makes of an item, in one of the processes."""
        workers = self._workers = self._workers or Workers(self._count)
        unit = (timed, self._longest, work, shared, item)
        return await tried(lambda: asyncio.wrap_future(workers.submit(*unit)), "processes")

    def close(self) -> None:
        """End the processes; what is in work there is not waited for."""
        if self._workers is not None:
            self._workers.close()
            self._workers = None
