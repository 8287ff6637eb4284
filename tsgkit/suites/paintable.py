"""Tasks whose items can be prompts for an image model.

>>> Painting("7", "A red cup left of a blue plate, seen from above.").image is None
True
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.cards import card_names, load_card
from tsgkit.llm.images import ImageFile
from tsgkit.suites.item_choice import ItemChoice
from tsgkit.suites.suite import task_of

Condition = Literal["none", "text", "drawn"]


@dataclass(frozen=True)
class Painting:
    """An image to make: the id that names it, the prompt, and an image to show to the model."""

    item_id: str
    prompt: str
    image: ImageFile | None = None


@dataclass(frozen=True)
class PaintingOptions:
    """Options of image prompts that the task decides.

    ``condition`` says how a layout from ``layouts`` enters the prompt: not at all, as text, or as an image (kept in
    ``drawings``). Without ``instruction`` the layout is given alone.
    """

    condition: Condition = "none"
    layouts: Path | None = None
    instruction: bool = True
    drawings: Path = Path("drawings")


@runtime_checkable
class Paintable(Protocol):
    """A task with images to make."""

    def paintings(self, data: str | None, choice: ItemChoice, options: PaintingOptions) -> Iterable[Painting]:
        """Return the image prompts of the chosen items. Raise ``UsageError`` for unknown ids and unsuitable options."""


def paintable_task(name: str) -> Paintable:
    """Return the task of a card if it has images to make. Else raise ``UsageError`` with the tasks that have."""
    task: object = task_of(load_card(name))
    if not isinstance(task, Paintable):
        others = paintable_names()
        hint = f"tasks that have: {', '.join(others)}" if others else "no task that is installed has any"
        raise UsageError(f"{name} has no images to make", hint=hint)
    return task


def paintable_names() -> tuple[str, ...]:
    """Return the tasks that have images to make."""
    return tuple(name for name in card_names() if _is_paintable(name))


def _is_paintable(name: str) -> bool:
    try:
        return isinstance(task_of(load_card(name)), Paintable)
    except TsgkitError:  # a broken card raises where it is used, not in this list
        return False
