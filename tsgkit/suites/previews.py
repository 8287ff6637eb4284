"""Previews of the prompt of one item, without sending it, and the sources of its parts.

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
"""Names of senders in model interfaces, where our messages use other names."""


@dataclass(frozen=True)
class PreviewOptions:
    """The selection of a prompt: its item (None: the first), style, solver and folder."""

    item: str | None = None
    data: str | None = None
    """A file of rows or other data of the task; None for its own."""
    style: str = "zero-shot"
    shots: int | None = None
    seed: int = 0
    prompts: str | None = None


@dataclass(frozen=True)
class Preview:
    """The prompt of one item: its text, its messages, and their sources."""

    task: str
    style: Style
    item_id: str
    text: str
    messages: tuple[dict[str, str], ...]
    schema: dict[str, object] | None
    fingerprint: str
    examples: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Descriptions of what is sent beside the text."""


class Task(Protocol):
    """The part of a task that previews need."""

    card: Card

    @property
    def key(self) -> str:
        """The name of its card."""


@runtime_checkable
class Prompted(Task, Protocol):
    """A task with prompts."""

    def prompt_sources(self, prompts: str | None) -> Mapping[str, str]:
        """Return the source of each part of its prompts: ours, or a given folder."""


@runtime_checkable
class Previewed(Task, Protocol):
    """A task that can show the prompt of one item."""

    def preview(self, options: PreviewOptions) -> Preview:
        """Return what would be sent for one item."""


def preview_of(task: Task, options: PreviewOptions) -> Preview:
    """Return the preview for one item. Raise ``UsageError`` if the task has none."""
    if isinstance(task, Previewed):
        return task.preview(options)
    if not task.card.prompts:
        raise UsageError(f"{task.key}: no model is asked this task", hint="tsgkit prompts list names the others")
    hint = f"its texts lie in prompts/{task.card.prompts}, and a run's prompts.jsonl has all that was sent"
    raise UsageError(f"{task.key}: the prompt of one item cannot be shown", hint=hint)


@dataclass(frozen=True)
class TaskPrompts:
    """The prompts of one task: the source of each part, or the reason why there are none."""

    task: str
    title: str
    parts: dict[str, str] = field(default_factory=dict)
    problem: str = ""


def task_prompts(tasks: Iterable[Task], prompts: str | None = None) -> tuple[TaskPrompts, ...]:
    """Return the prompts of these tasks, ours or those of a folder, which may lack some."""
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
