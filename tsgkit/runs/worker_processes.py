"""Worker processes for work that computes without asking a model: one for each processor.

A scene that kills its process (a crash in a library, no memory left) is tried once more, alone; then the sample ends in
an error, and the others continue. Only the main process handles interrupts; workers finish their work.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from tsgkit.errors import TsgkitError
from tsgkit.suites.item_errors import ItemError, told
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.transcript import Transcript

Item = TypeVar("Item")
Result = TypeVar("Result")
FEWEST = 16
"""For fewer samples than these no process is started: that would take longer than the work."""
DIED = "the process that computed it died, twice"


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def spread(work: Callable[[Item], Result], workers: int) -> Iterator[Callable[[Item], Awaitable[Result]]]:
    """Yield a function that works on one item, in one of several processes, or here if there is one worker.

    An interrupt reaches this process alone.
    """
    if workers < 2:

        async def here(item: Item) -> Result:
            return work(item)

        yield here
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:

        async def there(item: Item) -> Result:
            return await asyncio.get_running_loop().run_in_executor(pool, work, item)

        try:
            yield there
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class WorkerPool:
    """A process pool, started on first use."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._alone = asyncio.Lock()

    async def solve(self, solver: Solver, sample: Any) -> Transcript:  # noqa: ANN401  (its suite's sample)
        """Return a solver's transcript of a sample. Raise ``ItemError`` if its process dies twice."""
        try:
            return await self._in(self._shared(), solver, sample)
        except BrokenProcessPool:
            pass
        async with self._alone:
            self._forget()
            alone = _pool(1)
            try:
                return await self._in(alone, solver, sample)
            except BrokenProcessPool:
                raise ItemError(DIED) from None
            finally:
                alone.shutdown(wait=False, cancel_futures=True)

    def close(self) -> None:
        """Shut down the processes after their current work."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def _shared(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = _pool(self.workers)
        return self._pool

    def _forget(self) -> None:
        """A pool that has lost a process takes no more work: the next sample starts another."""
        if self._pool is not None and getattr(self._pool, "_broken", False):
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    @staticmethod
    async def _in(pool: ProcessPoolExecutor, solver: Solver, sample: Any) -> Transcript:  # noqa: ANN401
        return await asyncio.get_running_loop().run_in_executor(pool, solved, solver, sample)


def solved(solver: Solver, sample: Any) -> Transcript:  # noqa: ANN401  (its suite's sample)
    """Return a solver's transcript; exceptions are returned as text, without their data."""
    try:
        return asyncio.run(solver.solve(sample, None))
    except TsgkitError:
        raise
    except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
        raise ItemError(told(error, solver)) from None


def _pool(workers: int) -> ProcessPoolExecutor:
    # A fresh interpreter each: a copy of this one would hold its locks and threads in whatever state they are.
    return ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _leave_interrupts_alone)


def _leave_interrupts_alone() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
