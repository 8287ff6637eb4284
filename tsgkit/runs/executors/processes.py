"""Worker processes: one for each processor of this machine, started on first use.

A unit that kills its process (a crash in a library, no memory left) or hangs is tried again, alone, so that it takes no
others with it. Only the main process handles interrupts; workers finish their work.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from tsgkit.runs.executors.executor import LONGEST_UNIT, TRIES, Closing, Work, died, refuse_to_send, timed
from tsgkit.suites.item_errors import ItemError

FEWEST = 16
"""For fewer units than these no process is started: that would take longer than the work."""
DIED = died("processes")


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes(Closing):
    """Work in several processes."""

    name = "processes"

    def __init__(self, count: int, longest: float = LONGEST_UNIT) -> None:
        self._count, self._longest = count, longest
        self._pool: ProcessPoolExecutor | None = None
        self._alone = asyncio.Lock()

    @property
    def workers(self) -> int:
        """The number of units to hand over at a time: one for each process, and one that waits for it."""
        return 2 * self._count

    def check(self, shared: Any) -> None:  # noqa: ANN401
        """Raise ``UsageError`` if an object cannot be pickled."""
        try:
            pickle.dumps(shared)
        except Exception as error:  # noqa: BLE001 - objects refuse in every way there is
            refuse_to_send(self.name, error)

    async def run(self, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
        """Return what the work makes of an item, in one of the processes."""
        try:
            return await self._in(self._shared(), work, shared, item)
        except BrokenProcessPool:
            pass
        for _ in range(TRIES - 1):  # others may have broken the pool
            async with self._alone:
                self._forget()
                alone = _pool(1)
                try:
                    return await self._in(alone, work, shared, item)
                except BrokenProcessPool:
                    pass
                finally:
                    alone.shutdown(wait=False, cancel_futures=True)
        raise ItemError(DIED)

    async def _in(self, pool: ProcessPoolExecutor, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
        return await asyncio.get_running_loop().run_in_executor(pool, timed, self._longest, work, shared, item)

    def close(self) -> None:
        """Shut down the processes after their current work."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _shared(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = _pool(self._count)
        return self._pool

    def _forget(self) -> None:
        """A pool that has lost a process takes no more work: the next unit starts another."""
        if self._pool is not None and getattr(self._pool, "_broken", False):
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _pool(workers: int) -> ProcessPoolExecutor:
    # A fresh interpreter each: a copy of this one would hold its locks and threads in whatever state they are.
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _leave_interrupts_alone)


def _leave_interrupts_alone() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
