"""What would be sent for one item of a task, shown without sending it, and where the texts of its prompts lie.

>>> options = PreviewOptions(style="cot")
>>> options.item is None, options.seed
(True, 0)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.suites.styles import Style

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

ROLES = {"human": "user"}
"""What the interfaces of models call a sender, where our messages call it something else."""


@dataclass(frozen=True)
class PreviewOptions:
    """Which prompt is to be shown: of which item (None: the first), asked for in which way."""

    item: str | None = None
    data: str | None = None
    """A file of rows, or what else the task takes; None for its own data."""
    style: str = "zero-shot"
    shots: int | None = None
    seed: int = 0
    prompts: str | None = None


@dataclass(frozen=True)
class Preview:
    """The prompt of one item: its text, the messages as roles and contents, and what they were made of."""

    task: str
    style: Style
    item_id: str
    text: str
    messages: tuple[dict[str, str], ...]
    schema: dict[str, object] | None
    fingerprint: str
    examples: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """What is sent beside the text."""


class Task(Protocol):
    """A task as far as its prompts are concerned."""

    card: Card

    @property
    def key(self) -> str:
        """The name of its card."""


@runtime_checkable
class Prompted(Task, Protocol):
    """A task that has texts to ask with."""

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Return where each part of its prompts comes from, ours or those of a folder, which may have none for it."""


@runtime_checkable
class Previewed(Task, Protocol):
    """A task whose prompt of one item can be shown."""

    def preview(self, options: PreviewOptions) -> Preview:
        """Return what would be sent for one item."""


def preview_of(task: Task, options: PreviewOptions) -> Preview:
    """Return what would be sent for one item of a task; ``UsageError`` where that cannot be shown."""
    if isinstance(task, Previewed):
        return task.preview(options)
    if not task.card.prompts:
        raise UsageError(f"{task.key}: nobody is sent a prompt", hint="tsgkit prompts list names the others")
    hint = f"its texts lie in prompts/{task.card.prompts}, and a run's prompts.jsonl has all that was sent"
    raise UsageError(f"{task.key}: the prompt of one item cannot be shown", hint=hint)


@dataclass(frozen=True)
class TaskPrompts:
    """The prompts of one task: where each part comes from, or why there are none."""

    task: str
    title: str
    parts: dict[str, str] = field(default_factory=dict)
    problem: str = ""


def task_prompts(tasks: Iterable[Task], prompts: str | None = None) -> tuple[TaskPrompts, ...]:
    """Return the prompts of these tasks, ours or those of a folder; a folder need not have some for each."""
    if prompts is not None and not Path(prompts).is_dir():
        raise UsageError(f"{prompts}: no such folder of prompts")
    return tuple(_task_prompts(task, prompts) for task in tasks)


def _task_prompts(task: Task, prompts: str | None) -> TaskPrompts:
    try:
        return TaskPrompts(
            task.key, task.card.title, dict(task.prompt_sources(prompts) if isinstance(task, Prompted) else {})
        )
    except UsageError as error:
        return TaskPrompts(task.key, task.card.title, problem=str(error))


def as_sent(messages: Iterable[BaseMessage]) -> tuple[dict[str, str], ...]:
    """Messages of text as roles and contents."""
    return tuple({"role": ROLES.get(one.type, one.type), "content": str(one.content)} for one in messages)
