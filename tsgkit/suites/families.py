"""Which solvers there are: families by the first word of their names, ours and those that other packages add.

>>> family_of("vote:5").names, family_of("vote:5").styled
(('vote:5',), True)
>>> family_of("agent:exact").tasks
('sa-sgg', 'ma-sgg', 'refine', 'refine-hinted')

A family may live in any room, since it is named by its dotted place and loaded when it is asked for. A package joins by
an entry point in the group ``tsgkit.solvers``: its name is the first word of the solvers' names, its value the family.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Protocol

from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from tsgkit.suites.judged import Judged
    from tsgkit.suites.solving import Solver
    from tsgkit.suites.transcript import Transcript
    from tsgkit.suites.tsg.prompting import Prompter
    from tsgkit.suites.tsg.samples import AnySample

GROUP = "tsgkit.solvers"
OURS = {
    "single": ("tsgkit.suites.tsg.solvers", "SINGLE"),
    "vote": ("tsgkit.suites.tsg.solvers", "VOTES"),
    "agent": ("tsgkit.agents.solving", "AGENTS"),
}


class Family(Protocol):
    """Solvers whose names begin with the same word, such as ``vote:3`` and ``vote:5``."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its solvers, or examples of them."""

    @property
    def styled(self) -> bool:
        """Whether it asks in the styles of the tasks' prompts, rather than in words of its own."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that it can do; none where it can do all."""

    def check(self, name: str) -> None:
        """``UsageError`` where it has no solver of this name."""

    def solver(self, name: str, task: str, prompter: Prompter | None) -> Solver:
        """The solver of a name for a task; with prompts where it is styled."""

    def judge(self, name: str, style: str, sample: AnySample, transcript: Transcript | None) -> Judged:
        """What the solver of this name says of a transcript, without being able to ask."""

    def unfinished(self, name: str, transcript: Transcript) -> str:
        """What a transcript lacks; empty where the solver had come to its end."""


@cache
def family_of(name: str) -> Family:
    """The family of a solver's name; ``UsageError`` where there is no such solver."""
    found = _loaded(name.partition(":")[0])
    if found is None:
        from tsgkit.lexicon import meant

        known = (family for first in known_families() if (family := _loaded(first)) is not None)
        raise UsageError(
            f"there is no solver {name}", hint=meant(name, [one for family in known for one in family.names])
        )
    found.check(name)
    return found


def known_families() -> tuple[str, ...]:
    """The first words of all solvers' names."""
    return tuple(dict.fromkeys((*OURS, *(point.name for point in entry_points(group=GROUP)))))


def _loaded(first: str) -> Family | None:
    if first in OURS:
        module, place = OURS[first]
        ours: Family = getattr(import_module(module), place)
        return ours
    theirs: Family | None = next((point.load() for point in entry_points(group=GROUP, name=first)), None)
    return theirs


def check_solver(name: str, tasks: tuple[str, ...]) -> None:
    """Whether a solver can do all of these tasks; ``UsageError`` names those that it can do."""
    family = family_of(name)
    for task in tasks:
        if family.tasks and task not in family.tasks:
            able = " ".join(f"--task tsg/{one}" for one in family.tasks)
            raise UsageError(f"solver {name} cannot do tsg/{task}", hint=f"it does {len(family.tasks)} tasks: {able}")
