"""Transcripts: all calls about one sample in order, with labels and replies.

Solvers create transcripts with a given ``ask``; scores are computed from transcripts alone.

>>> asyncio.run(gather_all(asyncio.sleep(0, "lamp"), asyncio.sleep(0, 2)))
('lamp', 2)
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, overload

from tsgkit.llm.reply import NOTHING, Ask, Reply, Usage

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

One = TypeVar("One")
Two = TypeVar("Two")
Three = TypeVar("Three")
LOCAL = "local"
"""The label of a solver's own result, for which no model was asked."""


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
        return tuple(call.reply for call in self.said)

    @property
    def usage(self) -> Usage:
        """Tokens and cost of all calls; unknown if one call does not report it."""
        return sum((reply.usage for reply in self.replies if reply.source != LOCAL), NOTHING)


@dataclass
class RecordedAsk:
    """An ``ask`` with the replies about one sample so far, and what was raised; None where no model is asked."""

    ask: Ask | None
    said: list[LabelledReply] = field(default_factory=list)
    raised: list[Exception] = field(default_factory=list)

    async def __call__(
        self, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
    ) -> Reply:
        """Return the reply to a prompt, and keep it."""
        assert self.ask is not None  # noqa: S101  (else it is not handed out)
        try:
            reply = await self.ask(messages, label=label, draw=draw, schema=schema)
        except Exception as error:
            self.raised.append(error)
            raise
        self.said.append(LabelledReply(label, reply))
        return reply


def local(text: str) -> Transcript:
    """Return the transcript of a solver that asked no model."""
    return Transcript((LabelledReply(LOCAL, Reply(text=text, source=LOCAL)),))


@overload
async def gather_all(
    first: Awaitable[One], two: Awaitable[Two], three: Awaitable[Three], /
) -> tuple[One, Two, Three]: ...
@overload
async def gather_all(first: Awaitable[One], two: Awaitable[Two], /) -> tuple[One, Two]: ...
@overload
async def gather_all(*calls: Awaitable[One]) -> tuple[One, ...]: ...
async def gather_all(*calls: Awaitable[Any]) -> tuple[Any, ...]:
    """Await several calls and return their results. An exception is raised only after all have finished."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    for first in results:
        if isinstance(first, BaseException):
            raise first
    return tuple(results)
