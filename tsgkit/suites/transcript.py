"""Transcripts: all calls about one sample in order, with labels and replies.

Solvers create transcripts with a given ``ask``; scores are computed from transcripts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.llm.reply import NOTHING, Reply, Usage

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

LOCAL = "local"
"""The label of a solver's own result, for which no model was asked."""


class Ask(Protocol):
    """A function that asks a model, with a label that is unique within the sample."""

    async def __call__(
        self, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
    ) -> Reply:
        """Return the reply."""


@dataclass(frozen=True, slots=True)
class LabelledReply:
    """A call: its label and its reply."""

    label: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Transcript:
    """All calls about a sample."""

    said: tuple[LabelledReply, ...]

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The replies alone."""
        return tuple(one.reply for one in self.said)

    @property
    def usage(self) -> Usage:
        """Tokens and cost of all calls; unknown if one call does not report it."""
        return sum((reply.usage for reply in self.replies if reply.source != LOCAL), NOTHING)


def local(text: str) -> Transcript:
    """Return the transcript of a solver that asked no model."""
    return Transcript((LabelledReply(LOCAL, Reply(text=text, source=LOCAL)),))
