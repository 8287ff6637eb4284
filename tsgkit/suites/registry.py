"""Which code stands behind a card: the suites of tsgkit, and those that other packages add.

A package joins by an entry point in the group ``tsgkit.suites``: its name is the suite's (the part of a card's ``task``
before the slash), its value makes a task from a card.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card

if TYPE_CHECKING:
    from tsgkit.suites.tasks import Task

GROUP = "tsgkit.suites"
OURS = {
    "tsg": ("tsgkit.suites.tsg.task", "TsgTask"),
    "formalimg": ("tsgkit.suites.formalimg.task", "task_of_card"),
    "spatialgen": ("tsgkit.suites.spatialgen.task", "SpatialGenTask"),
    "sceneeval": ("tsgkit.suites.sceneeval.task", "task_of_card"),
}


def task_of(card: Card) -> Task:
    """The task that a card declares; ``UsageError`` where no suite knows it."""
    suite = card.task.partition("/")[0]
    if suite in OURS:
        module, name = OURS[suite]
        return _made(getattr(import_module(module), name), card)
    for point in entry_points(group=GROUP, name=suite):
        return _made(point.load(), card)
    known = sorted({*OURS, *(point.name for point in entry_points(group=GROUP))})
    raise UsageError(f"{card.source}: task: there is no suite {suite}", hint=f"the suites: {', '.join(known)}")


def tasks_of_rows(file: Path) -> tuple[str, ...]:
    """The tasks whose rows a file or folder holds, as their suites tell; none where it cannot be told."""
    return tuple(
        f"{suite}/{kind}" for suite, (module, _) in OURS.items() for kind in import_module(module).kinds_of(file)
    )


def _made(maker: Callable[[Card], Task], card: Card) -> Task:
    return maker(card)
