"""Worker processes: one for each processor of this machine, started on first use.

A unit that kills its process (a crash in a library, no memory left) or hangs is tried again in a new one, and takes no
others with it. Only the main process handles interrupts; workers finish their work.
"""

from __future__ import annotations

import asyncio
import os
from typing import Any

from tsgkit.runs.executors.executor import LONGEST_UNIT, TRIES, Closing, Work, died, refuse_to_send, timed
from tsgkit.runs.executors.workers import NotImportable, WorkerDied, Workers, check_importable
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
        self._workers: Workers | None = None

    @property
    def workers(self) -> int:
        """The number of units to hand over at a time: one for each process, and one that waits for it."""
        return 2 * self._count

    def check(self, shared: Any) -> None:  # noqa: ANN401
        """Raise ``UsageError`` if an object cannot be pickled, ``NotImportable`` if it holds code of this process."""
        try:
            check_importable(shared)
        except NotImportable:
            raise
        except Exception as error:  # noqa: BLE001 - objects refuse in every way there is
            refuse_to_send(self.name, error)

    async def run(self, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
        """Return what the work makes of an item, in one of the processes."""
        workers = self._workers = self._workers or Workers(self._count)
        for _ in range(TRIES):
            try:
                return await asyncio.wrap_future(workers.submit(timed, self._longest, work, shared, item))
            except WorkerDied:
                continue
        raise ItemError(DIED)

    def close(self) -> None:
        """End the processes; what is in work there is not waited for."""
        if self._workers is not None:
            self._workers.close()
            self._workers = None
