"""Factories of solvers by the first word of their names: ours, and those of other packages.

>>> factory_of("vote:5").names, factory_of("vote:5").styled
(('vote:5',), True)
>>> factory_of("agent:low").names, factory_of("agent:low").styled
(('agent', 'agent:low', 'agent:medium', 'agent:high'), False)

A package adds a factory by an entry point in the group ``tsgkit.solvers``: its name is the first word of the solvers'
names, its value the factory, which is imported on use. Packages of ours above this one are registered in
``tsgkit.registry``. A factory does not depend on suites: it decides for each task whether it applies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.projects import entry_points
from tsgkit.registry import SOLVERS
from tsgkit.suites.judgement import Judged
from tsgkit.suites.solvers.model_solvers import Single, Vote
from tsgkit.suites.solvers.offline_solvers import Recorded
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.scorers import Draws, OneReply
from tsgkit.suites.solvers.solver import BASELINE, SINGLE, Scorer, Solver
from tsgkit.suites.task import Task
from tsgkit.suites.transcript import Transcript

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "tsgkit.solvers"
VOTE = re.compile(r"vote:([0-9]{1,3})")
MOST_VOTES = 100


class SolverFactory(Protocol):
    """A factory of solvers whose names begin with the same word, such as ``vote:3`` and ``vote:5``."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its solvers, or examples of them."""

    @property
    def styled(self) -> bool:
        """True if its solvers use the styles of the tasks' prompts."""

    def check(self, name: str, task: Task | None = None) -> None:
        """Raise ``UsageError`` where it has no solver of this name, or none that can do this task."""

    def solver(self, name: str, task: Task, prompter: Prompter | None) -> Solver:
        """Return the solver of a name for a task; with prompts where it is styled."""

    def scorer(self, name: str, task: Task, style: str) -> Scorer:
        """Return the scorer of a solver's transcripts, which cannot ask."""


_GIVEN: dict[str, SolverFactory] = {}


def refuse_factory(first: str) -> None:
    """Raise ``UsageError`` if our solvers or a package's have this first word."""
    if first in OURS or any(point.name == first for point in _points()):
        raise UsageError(f"there is a solver {first} already", hint="give yours another name")


def register_factory(first: str, family: SolverFactory) -> None:
    """Register a factory under the first word of its solvers' names."""
    _GIVEN[first] = family
    factory_of.cache_clear()


@cache
def factory_of(name: str) -> SolverFactory:
    """Return the family of a solver's name; ``UsageError`` where there is no such solver."""
    found = _loaded(name.partition(":")[0])
    if found is None:
        known = (family for first in known_factories() if (family := _loaded(first)) is not None)
        raise UsageError(
            f"there is no solver {name}", hint=meant(name, [one for family in known for one in family.names])
        )
    found.check(name)
    return found


def has_registered_factories() -> bool:
    """Return whether this process registered solvers, which a fresh one does not know."""
    return bool(_GIVEN)


def known_factories() -> tuple[str, ...]:
    """Return the first words of all solvers' names."""
    return tuple(dict.fromkeys((*OURS, *(point.name for point in _points()), *_GIVEN)))


def _points() -> Iterator[EntryPoint]:
    """Yield the entry points of factories: those of our packages above this one, then those of installed packages."""
    from importlib.metadata import EntryPoint

    for first, place in SOLVERS.items():
        yield EntryPoint(first, place, GROUP)
    yield from entry_points(group=GROUP)


def _loaded(first: str) -> SolverFactory | None:
    known = OURS | _GIVEN
    return known[first] if first in known else next((point.load() for point in _points() if point.name == first), None)


def check_solver(name: str, task: Task) -> None:
    """Raise ``UsageError`` where there is no such solver, or it cannot do this task."""
    factory_of(name).check(name, task)


def refuse_solver(name: str, task: str) -> None:
    """Raise ``UsageError`` for any solver but the default, of a task that no model answers."""
    if name != SINGLE:
        factory_of(name)
        raise UsageError(f"solver {name} cannot do {task}: no model answers it", hint="leave out --solver")


def recorded(task: Task, name: str, style: str) -> Recorded:
    """Return a way of answering a task of which only the transcripts are left."""
    return Recorded(_ByName(task, name, style), name, style)


@dataclass(frozen=True)
class _ByName:
    """The scorer of a named solver. Its factory is loaded on first use, since it may not be installed."""

    task: Task
    name: str
    style: str

    @property
    def scorer(self) -> Scorer:
        """The scorer that the solver itself had."""
        if self.name == BASELINE:
            return OneReply(self.task, self.style, self.name)
        return factory_of(self.name).scorer(self.name, self.task, self.style)

    @property
    def unpublished(self) -> str:
        """The reason why official figures do not apply to the solver; else empty."""
        return self.task.official.unpublished(self.style, self.name)

    def judge(self, item: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401  (its suite's item)
        """Score a transcript as the solver would."""
        return self.scorer.judge(item, transcript)

    def unfinished(self, transcript: Transcript) -> str:
        """Return what the solver would still have asked."""
        return self.scorer.unfinished(transcript)


def votes_of(solver: str) -> int:
    """Return the number of calls in the name of a vote. Raise ``UsageError`` if it is invalid.

    >>> votes_of("vote:5")
    5
    """
    match = VOTE.fullmatch(solver)
    if match is None:
        raise UsageError(f"there is no solver {solver}", hint=meant(solver, (SINGLE, *VOTES.names)))
    if not 2 <= int(match[1]) <= MOST_VOTES:
        raise UsageError(f"solver {solver}: a vote takes 2 to {MOST_VOTES} calls")
    return int(match[1])


@dataclass(frozen=True)
class SingleFactory:
    """The factory of ``single``, for every task."""

    names: tuple[str, ...] = (SINGLE,)
    styled: bool = True

    def check(self, name: str, task: Task | None = None) -> None:
        """Refuse all names but the one."""
        if name not in self.names:
            raise UsageError(f"there is no solver {name}", hint=meant(name, self.names))

    def solver(self, name: str, task: Task, prompter: Prompter | None) -> Solver:
        """Return the solver with these prompts."""
        asked = _prompts(name, prompter)
        return Single(task, asked.style.name, name, prompter=asked)

    def scorer(self, name: str, task: Task, style: str) -> Scorer:
        """Return what scores one reply."""
        return OneReply(task, style, name)


@dataclass(frozen=True)
class VoteFactory:
    """The factory of ``vote:N``, for tasks whose answers can be put to a vote."""

    names: tuple[str, ...] = ("vote:5",)
    styled: bool = True

    def check(self, name: str, task: Task | None = None) -> None:
        """Refuse a name without a number of calls, and a task whose answers cannot be put to a vote."""
        votes_of(name)
        if task is not None:
            _check_votable(name, task)

    def solver(self, name: str, task: Task, prompter: Prompter | None) -> Solver:
        """Return a vote with these prompts."""
        _check_votable(name, task)
        asked = _prompts(name, prompter)
        return Vote(task, asked.style.name, name, votes_of(name), prompter=asked)

    def scorer(self, name: str, task: Task, style: str) -> Scorer:
        """Return what scores the draws."""
        _check_votable(name, task)
        return Draws(task, style, name, votes_of(name))


VOTES = VoteFactory()
OURS: dict[str, SolverFactory] = {"single": SingleFactory(), "vote": VOTES}


def _check_votable(name: str, task: Task) -> None:
    if task.vote is None:
        raise UsageError(f"solver {name} cannot do {task.card.task}: its answers cannot be put to a vote")


def _prompts(name: str, prompter: Prompter | None) -> Prompter:
    if prompter is None:
        raise UsageError(f"solver {name} asks with the prompts of a task, and none were given")
    return prompter
