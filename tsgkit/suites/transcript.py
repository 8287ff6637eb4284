"""What was said about one sample: the calls in order, each with its label and reply.

Solvers make transcripts, with whatever ``ask`` they are given; judgements are made from transcripts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.llm.reply import NOTHING, Reply, Usage

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

LOCAL = "local"
"""The label of what a solver produced without asking anybody."""


class Ask(Protocol):
    """Asks a model, under a label that is unique within the sample."""

    async def __call__(
        self, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
    ) -> Reply:
        """Return the reply."""


@dataclass(frozen=True, slots=True)
class Said:
    """One call: what it was for, and what came back."""

    label: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Transcript:
    """All calls of a sample."""

    said: tuple[Said, ...]

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The replies alone."""
        return tuple(one.reply for one in self.said)

    @property
    def usage(self) -> Usage:
        """The tokens and money of all calls; unknown as soon as one does not tell."""
        return sum((reply.usage for reply in self.replies if reply.source != LOCAL), NOTHING)


def local(text: str) -> Transcript:
    """Return the transcript of a solver that asked nobody."""
    return Transcript((Said(LOCAL, Reply(text=text, source=LOCAL)),))
