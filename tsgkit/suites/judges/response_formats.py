"""Response formats that the judge's service accepts or refuses, learned from its replies once for each run.

>>> import asyncio
>>> from tsgkit.llm.reply import Reply
>>> async def refuses(messages, *, label, draw=0, schema=None):
...     return Reply("yes") if schema is None else Reply(None, Ending.API_ERROR, status=400)
>>> formats = ResponseFormats(keep=print)
>>> asyncio.run(formats.asked(refuses, (), label="look", draw=0, schema={"type": "json_schema"})).text
{'json_schema': False}
'yes'
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tsgkit.llm.failures import BAD_REQUESTS
from tsgkit.llm.reply import Ask, Ending, Reply

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Schema = dict[str, Any]
"""A response format as the wire has it, such as ``{"type": "json_schema", ...}``."""


@dataclass
class ResponseFormats:
    """The response formats that one endpoint accepts (True) or refuses (False), shared by all askers.

    The first request with a type decides for all; concurrent ones wait for its reply. If that does not decide (the
    service failed), no call waits for another one.
    """

    takes: dict[str, bool] = field(default_factory=dict)
    keep: Callable[[Mapping[str, bool]], None] = lambda _: None
    """Called with all that is known whenever something was learnt."""
    _first: dict[str, asyncio.Event] = field(default_factory=dict, repr=False)

    async def asked(
        self, ask: Ask, messages: Sequence[BaseMessage], *, label: str, draw: int, schema: Schema | None
    ) -> Reply:
        """Return the reply to a request with this schema, or without one where the service refuses its type."""
        if schema is None:
            return await ask(messages, label=label, draw=draw)
        kind = str(schema["type"])
        if kind not in self.takes and (first := self._first.get(kind)) is not None:
            await first.wait()
        if self.takes.get(kind) is False:
            return await ask(messages, label=label, draw=draw)
        decided = self._first.setdefault(kind, asyncio.Event())
        try:
            return await self._with_schema(ask, messages, label, draw, schema)
        finally:
            decided.set()

    async def _with_schema(
        self, ask: Ask, messages: Sequence[BaseMessage], label: str, draw: int, schema: Schema
    ) -> Reply:
        """Ask with a schema, and without it where that is a bad request; a type is only taken or refused by a reply."""
        reply = await ask(messages, label=label, draw=draw, schema=schema)
        if reply.ending is Ending.API_ERROR and reply.status in BAD_REQUESTS:
            reply = await ask(messages, label=label, draw=draw)
            self._learn(schema, reply, takes=False)
        else:
            self._learn(schema, reply, takes=True)
        return reply

    def _learn(self, schema: Schema, reply: Reply, *, takes: bool) -> None:
        kind = str(schema["type"])
        if kind not in self.takes and reply.ending not in (Ending.API_ERROR, Ending.MISSING):
            self.takes[kind] = takes
            self.keep(dict(self.takes))
