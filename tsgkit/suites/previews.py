"""What would be sent for one item of a task, shown without sending it, and where the texts of its prompts lie.

>>> options = PreviewOptions(style="cot")
>>> options.item is None, options.seed
(True, 0)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.suites.styles import Style

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from tsgkit.suites.task import Task

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


@dataclass(frozen=True)
class TaskPrompts:
    """The prompts of one task: where each part comes from, or why there are none."""

    task: str
    title: str
    parts: dict[str, str] = field(default_factory=dict)
    problem: str = ""


def task_prompts(tasks: Iterable[Task], prompts: str | None = None) -> tuple[TaskPrompts, ...]:
    """The prompts of these tasks, ours or those of a folder; a folder need not have some for each."""
    if prompts is not None and not Path(prompts).is_dir():
        raise UsageError(f"{prompts}: no such folder of prompts")
    return tuple(_task_prompts(task, prompts) for task in tasks)


def _task_prompts(task: Task, prompts: str | None) -> TaskPrompts:
    try:
        return TaskPrompts(task.key, task.card.title, dict(task.prompt_sources(prompts)))
    except UsageError as error:
        return TaskPrompts(task.key, task.card.title, problem=str(error))


def as_sent(messages: Iterable[BaseMessage]) -> tuple[dict[str, str], ...]:
    """Messages of text as roles and contents."""
    return tuple({"role": ROLES.get(one.type, one.type), "content": str(one.content)} for one in messages)
