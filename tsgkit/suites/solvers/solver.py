"""Protocols of a solver: it turns an item into a transcript, and a transcript into a judgement.

Only the solver knows how many calls it makes. Scoring needs the transcript only, so a stored run is rescored without
asking a model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from tsgkit.errors import UsageError
from tsgkit.llm.reply import Ask
from tsgkit.suites.judgement import Judged
from tsgkit.suites.rows import Dataset
from tsgkit.suites.transcript import Transcript

Unit = TypeVar("Unit")
Made = TypeVar("Made")
SINGLE, BASELINE = "single", "baseline"
"""Names of the solver that asks once, and of all solvers that ask no model."""


class Expected(NamedTuple):
    """Bounds on what a solver asks about an item: calls, characters sent, characters said, at least and at most."""

    calls: tuple[int, int] = (0, 0)
    sent: tuple[int, int] = (0, 0)
    said: tuple[int, int] = (0, 0)
    reasons: bool = False
    """Whether each call reasons before it answers."""
    images: Sequence[tuple[int, int]] = ()
    """The sides of the images sent, of all calls."""
    worst: int = 1
    """How many times as much at most, where no reply is usable and each is asked for again."""


class Scorer(Protocol):
    """Scores what a transcript comes to."""

    @property
    def style(self) -> str:
        """The style of the prompts; empty where there is none."""

    @property
    def unpublished(self) -> str:
        """The reason why official figures do not apply; else empty."""

    def judge(self, item: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401  (its suite's item)
        """Return the judgement on a transcript (None: there is none)."""

    def unfinished(self, transcript: Transcript) -> str:
        """Return what a transcript lacks; empty where the solver had come to its end."""


class Solver(Scorer, Protocol):
    """One way of answering items."""

    @property
    def name(self) -> str:
        """Its name on the command line."""

    @property
    def fingerprint(self) -> str:
        """A hash of all that it adds to an answer."""

    async def solve(self, item: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401
        """Return all that is said about an item."""

    def expected(self, item: Any) -> Expected:  # noqa: ANN401
        """Return what it would ask about an item."""


class Program(Protocol):
    """A program that answers items."""

    @property
    def fingerprint(self) -> str:
        """All that its answers depend on, beside the item and its dataset."""

    def answer(self, item: Any) -> str | Transcript:  # noqa: ANN401  (its suite's item)
        """Return its answer in the form requested of models, or a transcript for several calls."""


@dataclass(frozen=True)
class Baselines:
    """The built-in programs of a task."""

    names: tuple[str, ...] = ()
    program: Callable[[Any, str, int, Dataset | None], Program] | None = None
    """Returns, of the task, the program of a subject's name (``baseline/rules``), for a seed and a dataset."""


@runtime_checkable
class HasWarnings(Protocol):
    """A solver that has something to tell before anybody is asked."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """All of it, a sentence each."""


@runtime_checkable
class ReadsFolder(Protocol):
    """A solver that reads files of its items from one folder, so that it can do so elsewhere."""

    @property
    def folder(self) -> Path | None:
        """The folder; None where it also reads from others, which have to be there under the same paths."""

    @property
    def folders(self) -> Sequence[Path]:
        """All folders that it reads from."""

    def files_of(self, item: Any) -> Iterable[Path]:  # noqa: ANN401
        """Return every file in the folder that it reads for an item."""

    def in_folder(self, folder: Path) -> Solver:
        """Return the same solver for another folder."""


class Compute(Protocol):
    """Does work somewhere, perhaps in another process."""

    async def __call__(self, work: Callable[[Any, Any], Any], shared: Any, item: Any) -> Any:  # noqa: ANN401
        """Return what a function of a module makes of what is shared and one item."""


@runtime_checkable
class Spreads(Protocol):
    """A solver that asks a model and computes, too, which may be done elsewhere."""

    def spread_by(self, compute: Compute) -> Solver:
        """Return the same solver, whose computing is done by a function."""


class UnitMapper(Protocol):
    """A mapper of units by key: all at once, or as many at a time as the engine allows."""

    async def __call__(
        self, units: Mapping[str, Unit], make: Callable[[Unit], Awaitable[Made]], /
    ) -> Mapping[str, Made]:
        """Return what was made, in the order of the units."""


async def all_at_once(units: Mapping[str, Unit], make: Callable[[Unit], Awaitable[Made]], /) -> dict[str, Made]:
    """Make one thing of each unit, all at a time."""
    return dict(zip(units, await asyncio.gather(*map(make, units.values())), strict=True))


def asking(ask: Ask | None, solver: str) -> Ask:
    """Return the ``ask`` of a solver that needs one; ``UsageError`` where there is no model."""
    if ask is None:
        raise UsageError(f"solver {solver} asks a model, and none was given", hint="give --model")
    return ask
