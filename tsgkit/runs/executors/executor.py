"""The interface of executors, and the one that works in this process."""

from __future__ import annotations

import asyncio
import faulthandler
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Protocol, Self

from tsgkit.errors import UsageError
from tsgkit.llm.user_code import described

Work = Callable[[Any, Any], Any]
"""Work on what is shared and one item: a function of a module, which is found by its name elsewhere."""
TRIES = 3
"""A unit that kills so many workers is given up."""


LONGEST_UNIT = 1800.0
"""Seconds after which a unit is taken to hang, and its worker is ended."""


def died(workers: str) -> str:
    """Return the reason why a unit was given up, in words."""
    return f"the {workers} that computed it died or hung, {TRIES} times"


def timed(longest: float, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
    """Do the work on an item in this process, which ends if that takes too long, whatever it is doing."""
    with Path(os.devnull).open("w") as nowhere:
        faulthandler.dump_traceback_later(longest, exit=True, file=nowhere)
        try:
            return work(shared, item)
        finally:
            faulthandler.cancel_dump_traceback_later()


class Executor(Protocol):
    """Somewhere work is done."""

    name: str
    grace: float | None
    """Seconds that units in work have after SIGTERM; None for as long as they take."""

    @property
    def carries(self) -> bool:
        """True if workers may be where files of this machine are not."""

    @property
    def workers(self) -> int:
        """The number of units to hand over at a time."""

    def check_folders(self, folders: Sequence[Path]) -> None:
        """Raise ``UsageError`` if workers cannot read from these folders."""

    def check(self, shared: Any) -> None:  # noqa: ANN401
        """Raise ``UsageError`` if an object cannot be sent to workers."""

    def waits_for(self) -> str:
        """Return what units wait for before one has begun; empty if nothing is waited for."""

    async def run(self, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401  (whatever the work takes)
        """Return what the work makes of an item. Raise ``ItemError`` if its workers die."""

    def close(self) -> None:
        """Let go of workers; what is in work there is not waited for."""

    def __enter__(self) -> Self:
        """Return itself."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""


class Closing:
    """An executor as a context that closes it."""

    carries = False
    grace: float | None = None

    def check_folders(self, folders: Sequence[Path]) -> None:
        """Workers of this machine read what it has."""

    def check(self, shared: Any) -> None:  # noqa: ANN401
        """Raise ``UsageError`` if an object cannot be sent to workers."""

    def waits_for(self) -> str:
        """Workers of this machine begin at once."""
        return ""

    def close(self) -> None:
        """Let go of workers."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def refuse_to_send(executor: str, error: Exception) -> NoReturn:
    """Raise ``UsageError`` about an object that cannot be sent."""
    problem = (
        f"--executor {executor}: the code that answers or scores cannot be sent to another process: {described(error)}"
    )
    raise UsageError(problem, hint="define what it consists of in a module, or leave --executor out") from None


class Here(Closing):
    """Work in this process."""

    name = "here"
    workers = 1

    async def run(self, work: Work, shared: Any, item: Any) -> Any:  # noqa: ANN401
        """Do the work, and then give way to others, such as an interrupt."""
        found = work(shared, item)
        await asyncio.sleep(0)
        return found
