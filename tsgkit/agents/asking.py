"""How agents ask: one asker, a place for every call, and a plain reason where no text comes back.

>>> import asyncio
>>> from tsgkit.llm.scripted import Asked, Script
>>> asker = Asked(Script({"tea/0": ["[kettle]"]}), Kept())
>>> voice = Voice(ask_for(asker, "tea/0"))
>>> asyncio.run(voice.text("Which?", "answer")), voice.calls
('[kettle]', 1)
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.llm.door import Call, Prompt
from tsgkit.llm.failures import NotFinished
from tsgkit.llm.reply import Ending, Reply
from tsgkit.suites.transcript import Ask

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


class Asker(Protocol):
    """Whoever answers: a door to a model, a script."""

    async def ask(
        self,
        where: Call,
        messages: Sequence[BaseMessage],
        *,
        label: str,
        draw: int = 0,
        schema: dict[str, Any] | None = None,
    ) -> Reply:
        """The reply to a prompt."""


def ask_for(asker: Asker, sample: str, *, task: str = "agents", subject: str = "") -> Ask:
    """Asks under the name of one sample, so that labels need to be unique within it alone."""
    where = Call(subject, "", task, "agent", "", sample, 0, "", "", 0)
    return functools.partial(asker.ask, where)


@dataclass
class Kept:
    """Records calls in memory, for those who keep no run folder."""

    calls: dict[Call, Reply] = field(default_factory=dict)

    def find(self, call: Call) -> Reply | None:
        """The recorded reply to a call."""
        return self.calls.get(call)

    def write(self, call: Call, prompt: Prompt | None, reply: Reply) -> None:
        """Record a reply."""
        self.calls[call] = reply


class Silent(Exception):
    """No text came back, and why; ``final`` where asking on would bring none either."""

    def __init__(self, reason: str, *, final: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final


@dataclass
class Voice:
    """An ``ask`` that brings texts, and counts its calls."""

    ask: Ask
    calls: int = 0

    async def text(self, prompt: str, label: str) -> str:
        """What is said to a prompt; ``Silent`` where nothing is."""
        from langchain_core.messages import HumanMessage

        try:
            reply = await self.ask([HumanMessage(content=prompt)], label=label)
        except NotFinished as error:
            raise Silent(error.message, final=True) from None
        self.calls += 1
        if reply.ending is not Ending.COMPLETE or not (reply.text or "").strip():
            detail = reply.error or reply.refusal or ""
            reason = f"{label} brought no answer: {reply.ending.replace('_', ' ')}" + (f": {detail}" if detail else "")
            raise Silent(reason, final=reply.ending is Ending.API_ERROR)
        return reply.text or ""
