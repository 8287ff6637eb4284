"""Solvers by name: ours, which ask a model once (``single``) or several times (``vote:N``), and other packages'.

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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.projects import entry_points
from tsgkit.llm.reply import Ask
from tsgkit.registry import SOLVERS
from tsgkit.suites.judgement import Sample
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.scorers import Draws
from tsgkit.suites.solvers.solver import SINGLE, Expected, Scorer, Solver, asking
from tsgkit.suites.task import Task
from tsgkit.suites.transcript import LabelledReply, Transcript, gather_all

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "tsgkit.solvers"
LABEL = "answer"
"""The label of the one call."""
VOTE = re.compile(r"vote:([0-9]{1,3})")
MOST_VOTES = 100


@dataclass(frozen=True)
class PromptSolver(Draws):
    """A solver that sends a prompt once, or several times for a vote."""

    prompter: Prompter = field(kw_only=True)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its prompts, and the number of calls of a vote."""
        return self.prompter.fingerprint + (f"/{self.calls}" if self.calls > 1 else "")

    async def solve(self, item: Sample, ask: Ask | None) -> Transcript:
        """Make all calls at once, each a draw of its own. If one is stopped, the others are kept."""
        send = asking(ask, self.name)
        messages, schema = self.prompter.messages(item), self.prompter.response_format(item)
        labels = [LABEL] if self.calls == 1 else [f"vote/{draw}" for draw in range(self.calls)]
        calls = (send(messages, label=label, draw=draw, schema=schema) for draw, label in enumerate(labels))
        return Transcript(tuple(map(LabelledReply, labels, await gather_all(*calls))))

    def expected(self, item: Sample) -> Expected:
        """Return all its calls."""
        return self.prompter.expected(item, self.calls)


@dataclass(frozen=True)
class SolverFactory:
    """A factory of solvers whose names begin with the same word, such as ``vote:3`` and ``vote:5``."""

    names: tuple[str, ...]
    """Its solvers, or examples of them."""
    solver: Callable[[str, Task, Prompter | None], Solver]
    """Returns the solver of a name for a task; with prompts where it is styled."""
    scorer: Callable[[str, Task, str], Scorer]
    """Returns, of name, task and style, the scorer of a solver's transcripts, which cannot ask."""
    styled: bool = True
    """True if its solvers use the styles of the tasks' prompts."""
    check_name: Callable[[str], object] | None = None
    """Raises ``UsageError`` where it has no solver of a name; None where it has those of ``names`` only."""
    check_task: Callable[[str, Task], None] = lambda *_: None
    """Raises ``UsageError`` where a solver cannot do a task."""

    def check(self, name: str) -> None:
        """Raise ``UsageError`` where it has no solver of this name."""
        if self.check_name is not None:
            self.check_name(name)
        elif name not in self.names:
            raise UsageError(f"there is no solver {name}", hint=meant(name, self.names))


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
    factory = _loaded(name.partition(":")[0])
    if factory is None:
        known = (family for first in known_factories() if (family := _loaded(first)) is not None)
        raise UsageError(
            f"there is no solver {name}",
            hint=meant(name, [solver_name for family in known for solver_name in family.names]),
        )
    factory.check(name)
    return factory


def has_registered_factories() -> bool:
    """Return whether this process registered solvers, which a fresh one does not know."""
    return bool(_GIVEN)


def known_factories() -> tuple[str, ...]:
    """Return the first words of all solvers' names."""
    return tuple(dict.fromkeys((*OURS, *(point.name for point in _points()), *_GIVEN)))


def _points() -> Iterator[EntryPoint]:
    """Yield the entry points of factories: those of our packages above this one, then those of installed packages."""
    from importlib.metadata import EntryPoint

    for first, address in SOLVERS.items():
        yield EntryPoint(first, address, GROUP)
    yield from entry_points(group=GROUP)


def _loaded(first: str) -> SolverFactory | None:
    known = OURS | _GIVEN
    return known[first] if first in known else next((point.load() for point in _points() if point.name == first), None)


def check_solver(name: str, task: Task) -> None:
    """Raise ``UsageError`` where there is no such solver, or it cannot do this task."""
    factory_of(name).check_task(name, task)


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


def _solver(name: str, task: Task, prompter: Prompter | None) -> PromptSolver:
    assert prompter is not None  # noqa: S101  (it is styled)
    calls = 1 if name == SINGLE else votes_of(name)
    return PromptSolver(task, prompter.style.name, name, calls, prompter=prompter)


def _check_votable(name: str, task: Task) -> None:
    if task.vote is None:
        raise UsageError(f"solver {name} cannot do {task.card.task}: its answers cannot be put to a vote")


SINGLES = SolverFactory((SINGLE,), _solver, lambda name, task, style: Draws(task, style, name))
VOTES = SolverFactory(
    ("vote:5",),
    _solver,
    lambda name, task, style: Draws(task, style, name, votes_of(name)),
    check_name=votes_of,
    check_task=_check_votable,
)
OURS = {"single": SINGLES, "vote": VOTES}
