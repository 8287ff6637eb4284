"""Requests of the makers of all suites: they are counted, and failures and the end of asking are noted, not raised.

>>> import asyncio
>>> async def ask(messages, *, label, draw=0, schema=None):
...     return Reply(None, Ending.REFUSED)
>>> making = Requests()
>>> asyncio.run(making.reply(ask, "Write a text.", "write/0", place="item 3: write/0")).text is None
True
>>> making.calls, making.failures
(1, ['item 3: write/0 gave no answer: refused'])
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tsgkit.llm.failures import NotFinished
from tsgkit.llm.reply import Ask, Ending, Reply


@dataclass
class Requests:
    """The requests of a maker so far."""

    failures: list[str] = field(default_factory=list)
    """The replies without an answer, each with its place and the reason."""
    calls: int = 0
    stopped: str = ""
    """Why nothing more is asked; empty while it is."""

    async def reply(self, ask: Ask, content: Any, label: str, draw: int = 0, *, place: str) -> Reply | None:  # noqa: ANN401
        """Return the reply to a message, a text or what ``content_of`` makes of images; None once asking is stopped."""
        from langchain_core.messages import HumanMessage

        if self.stopped:
            return None
        try:
            reply = await ask([HumanMessage(content=content)], label=label, draw=draw)
        except NotFinished as error:
            self.stopped = self.stopped or error.message
            return None
        self.calls += 1
        if reply.ending is not Ending.COMPLETE:
            self.failures.append(f"{place} gave no answer: {reply.error or reply.ending}")
        return reply
