"""Recorded calls about a sample, with their messages as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tsgkit.llm.images import image_line, is_image
from tsgkit.llm.reply import Reply, reply_from
from tsgkit.runs.saved_run import RecordedCalls


@dataclass(frozen=True)
class Message:
    """A message as it was sent."""

    role: str
    content: str


@dataclass(frozen=True)
class Called:
    """One call about a sample: messages (none if no model was asked) and reply."""

    label: str
    draw: int
    prompt: tuple[Message, ...]
    reply: Reply
    prompt_hash: str = field(default="", repr=False)
    """The hash of its prompt in the run; empty if no model was asked."""
    made_again: bool = field(default=False, repr=False)
    """True if a later call replaced it."""


def calls_about(calls: Sequence[Mapping[str, Any]], recorded: RecordedCalls) -> tuple[Called, ...]:
    """Return the calls that these lines record, in order."""
    last = {(value["label"], value["draw"]): place for place, value in enumerate(calls)}
    return tuple(
        Called(
            label=value["label"],
            draw=value["draw"],
            prompt=tuple(map(message_of, recorded.messages(value.get("prompt", "")))),
            reply=reply_from(value["reply"]),
            prompt_hash=value.get("prompt", ""),
            made_again=last[value["label"], value["draw"]] != place,
        )
        for place, value in enumerate(calls)
    )


def message_of(value: Mapping[str, Any]) -> Message:
    """Return a message of the records; images are named, not shown."""
    content = value.get("content", "")
    if isinstance(content, list):
        content = "\n".join(map(_part, content))
    return Message(str(value.get("role", "")), str(content or ""))


def _part(part: object) -> str:
    if not isinstance(part, dict):
        return str(part)
    return image_line(part) if is_image(part) else str(part.get("text", part))
