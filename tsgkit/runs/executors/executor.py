"""The interface of executors; those that work in this process and in others of this machine.

``Processes`` starts a worker process for each processor on first use. A unit that kills its process (a crash in a
library, no memory left) or hangs is tried again in a new one, and takes no others with it. Only the main process
handles interrupts; workers finish their work.

Files that travel with a unit to a machine which does not have them, and the words about them that come back.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import os
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeVar

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.llm.user_code import described
from tsgkit.runs.executors.workers import WorkerDied, Workers, check_importable
from tsgkit.suites.judgement import ItemError
from tsgkit.suites.solvers.solver import ReadsFolder, Solver
from tsgkit.suites.transcript import Transcript

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


@dataclass(frozen=True)
class Carried:
    """A sample with the files that its solver reads, by their paths in its folder."""

    sample: Any
    files: dict[str, bytes]


def carried(solver: Solver, sample: Any) -> Any:  # noqa: ANN401  (its suite's sample)
    """Return a sample with its files, where its solver reads some from one folder; else the sample alone.

    ``FileProblem`` where the name of a file leads out of the folder: it would be written outside of the worker's.
    """
    if not isinstance(solver, ReadsFolder) or solver.folder is None:
        return sample
    folder = solver.folder
    files = [path for path in solver.files_of(sample) if path.is_relative_to(folder) and path.is_file()]
    names = [path.relative_to(folder) for path in files]
    if outside := next((name for name in names if ".." in name.parts), None):
        raise FileProblem(f"{folder}: {outside} is outside its folder", hint="name a file inside it")
    return Carried(sample, {name.as_posix(): path.read_bytes() for name, path in zip(names, files, strict=True)})


def with_files(work: Callable[[Solver, Any], Transcript], solver: Solver, item: Any) -> Transcript:  # noqa: ANN401
    """Do the work on a sample, with its files in a folder that is made for that; replies name the user's folder."""
    if not isinstance(item, Carried) or not isinstance(solver, ReadsFolder):
        return work(solver, item)
    with tempfile.TemporaryDirectory(prefix="tsgkit-unit-") as temporary:
        folder = Path(temporary).resolve()
        for name, data in item.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        transcript = work(solver.in_folder(folder), item.sample)
    ours, theirs = str(solver.folder), str(folder)

    def renamed(text: str | None) -> str | None:
        return text and text.replace(theirs, ours).replace(json.dumps(theirs)[1:-1], json.dumps(ours)[1:-1])

    replies = []
    for labelled in transcript.said:
        reply = replace(labelled.reply, text=renamed(labelled.reply.text), error=renamed(labelled.reply.error))
        replies.append(replace(labelled, reply=reply))
    return Transcript(tuple(replies))
