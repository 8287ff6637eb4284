"""Executors: where the work of a job is done that computes and asks no service.

``here``       in this process, one unit after the other
``processes``  in a process for each processor of this machine
``ray``        on all processors of a Ray cluster, and, for models that are code of yours, in actors there

    with executor_named("processes") as executor:
        await executor.run(work, shared, item)        # work(shared, item), somewhere

What is ``shared`` reaches a place once, whatever the number of items. A worker that dies takes one unit with it, which
is done again; one that hangs is ended. A unit that costs so many workers in a row
(:data:`~tsgkit.runs.executors.executor.TRIES`) ends in an error.
"""

from __future__ import annotations

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.runs.executors.executor import TRIES as TRIES
from tsgkit.runs.executors.executor import Executor as Executor
from tsgkit.runs.executors.executor import Here as Here
from tsgkit.runs.executors.executor import Processes, processors

HERE, PROCESSES, RAY = "here", "processes", "ray"
NAMES = (HERE, PROCESSES, RAY)


def checked_executor(name: str | None) -> str | None:
    """Return the name of an executor; ``UsageError`` where there is none, or its library is not installed."""
    if name is not None and name not in NAMES:
        raise UsageError(f"--executor {name}: there is no such executor", hint=meant(name, NAMES))
    if name == RAY:
        from tsgkit.runs.executors.ray_cluster import check

        check()
    return name


def usual_executor(count: int, fewest: int, most: int | None = None) -> str:
    """Return the name of the executor where the user chose none: processes, if the units are worth starting them."""
    return PROCESSES if count >= fewest and min(processors(), most or processors()) > 1 else HERE


def executor_named(name: str, most: int | None = None) -> Executor:
    """Return an executor; ``most`` bounds the units that it does at a time."""
    checked_executor(name)
    if name == RAY:
        from tsgkit.runs.executors.ray_cluster import Cluster

        return Cluster(most)
    return Processes(min(processors(), most or processors())) if name == PROCESSES else Here()
