"""Calls outside of an evaluation: one source of replies, a label for each call, and a reason if no text comes back.

>>> import asyncio
>>> from tsgkit.llm.scripts import RecordedModel, Script
>>> asker = RecordedModel(Script({"tea/0": ["[kettle]"]}), MemoryRecorder())
>>> voice = TextAsk(ask_for(asker, "tea/0"))
>>> asyncio.run(voice.text("Which?", "answer")), voice.calls
('[kettle]', 1)
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from tsgkit.llm.budget import Budget
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.door import Call, Door, Prompt, Recorder
from tsgkit.llm.failures import BAD_REQUESTS, NotFinished
from tsgkit.llm.prices import Price, is_local, price_of
from tsgkit.llm.providers import model_settings, provider_for
from tsgkit.llm.reply import Ask, Ending, Reply, Schema
from tsgkit.llm.retries import Patience
from tsgkit.llm.settings import DECISIVE, DEFAULT_LIMIT, Client, Settings, parse, secrets_of
from tsgkit.llm.user_models import usual_concurrency

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


Result = TypeVar("Result")
Kind = Literal["unusable", "failed", "stopped"]


class Asker(Protocol):
    """A source of replies: a door to a model, or a script."""

    async def ask(
        self, where: Call, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: Schema = None
    ) -> Reply:
        """Return the reply to a prompt."""


CONCURRENCY = 8
LONGEST_REPLY = 2_000
"""The default limit of a file of weights in tokens; our longest answers, a whole L, take 700."""


def door_of(
    model: str,
    arguments: Sequence[str] = (),
    recorder: Recorder | None = None,
    *,
    budget: Budget | None = None,
    price: Price | None = None,
    patience: Patience | None = None,
    concurrency: int | None = None,
    client: Client | None = None,
) -> Door:
    """Return a door to a model, with arguments as in ``--model-arg`` (``api_base=...``, ``temperature=0.2``)."""
    settings = settings_for(model, arguments)
    price = price or price_of(model, settings.tier)
    return Door(
        name=settings.model,
        provider=provider_for(settings, price, client),
        endpoint=settings.endpoint,
        parameters=settings.parameters,
        flow=RequestQueue(settings.places(concurrency or usual_concurrency(model, CONCURRENCY))),
        budget=budget or Budget(),
        recorder=recorder or MemoryRecorder(),
        secrets=secrets_of([settings]),
        patience=patience or Patience(),
        price=price,
    )


def settings_for(model: str, arguments: Sequence[str]) -> Settings:
    """Return the settings of a model that agents ask: temperature 0, and for files of weights, which often come to no
    end, a limit of tokens, where none is given.
    """
    given = parse(arguments, [model])
    is_endless = is_local(model) and not any(DECISIVE.search(argument.name) for argument in given)
    return model_settings(model, given, {"temperature": 0} | ({DEFAULT_LIMIT: LONGEST_REPLY} if is_endless else {}))


async def closing(door: Door, work: Awaitable[Result]) -> Result:
    """Return the result of work, after which the door's connections are closed."""
    try:
        return await work
    finally:
        await door.provider.close()


def ask_for(asker: Asker, sample: str, *, task: str = "agents") -> Ask:
    """Asks under the name of one sample, so that labels need to be unique within it alone."""
    where = Call(getattr(asker, "name", "script"), "", task, "agent", "", sample, 0, "", "", 0)
    service = (where.subject, str(getattr(asker, "endpoint", "")))
    return _REFUSALS.setdefault(service, SchemaRefusals()).asking(functools.partial(asker.ask, where))


@dataclass
class SchemaRefusals:
    """The knowledge whether a service refuses requests for a JSON schema; then the same prompt is asked without one."""

    are_known: bool = False

    def asking(self, ask: Ask) -> Ask:
        """Return an ``ask`` that asks again without a schema where the service refuses it."""

        async def asked(messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: Schema = None) -> Reply:
            if schema is not None and not self.are_known:
                reply = await ask(messages, label=label, draw=draw, schema=schema)
                if reply.ending is not Ending.API_ERROR or reply.status not in BAD_REQUESTS:
                    return reply
            again = await ask(messages, label=label, draw=draw)
            self.are_known |= schema is not None and again.ending not in (Ending.API_ERROR, Ending.MISSING)
            return again

        return asked


_REFUSALS: dict[tuple[str, str], SchemaRefusals] = {}
"""The knowledge about services, by name and endpoint."""


@dataclass
class MemoryRecorder:
    """A recorder that keeps calls in memory, for use without a run folder."""

    calls: dict[Call, Reply] = field(default_factory=dict)

    def find(self, call: Call) -> Reply | None:
        """Return the recorded reply to a call."""
        return self.calls.get(call)

    def find_same(self, call: Call) -> Reply | None:
        """Return a recorded reply to the same request."""
        return next((reply for other, reply in self.calls.items() if other.request == call.request), None)

    def write(self, call: Call, prompt: Prompt | None, reply: Reply) -> None:
        """Record a reply."""
        self.calls[call] = reply


class NoText(Exception):
    """The reason for a missing text: an unusable reply, a failed service, or one that is not asked any more."""

    def __init__(self, reason: str, kind: Kind) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind


@dataclass
class TextAsk:
    """A wrapper of ``ask`` that returns texts and counts its calls."""

    ask: Ask
    calls: int = 0

    async def text(self, prompt: str, label: str, draw: int = 0, schema: Schema = None) -> str:
        """Return the reply to a prompt. Raise ``NoText`` if there is no text.

        Looks are separate draws, so that a repeated question does not receive the earlier reply.
        """
        from langchain_core.messages import HumanMessage

        try:
            reply = await self.ask([HumanMessage(content=prompt)], label=label, draw=draw, schema=schema)
        except NotFinished as error:
            raise NoText(error.message, "stopped") from None
        self.calls += 1
        if reply.ending is not Ending.COMPLETE or not (reply.text or "").strip():
            detail = reply.error or reply.refusal or ""
            reason = f"{label} brought no answer: {reply.ending.replace('_', ' ')}" + (f": {detail}" if detail else "")
            raise NoText(reason, "failed" if reply.ending is Ending.API_ERROR else "unusable")
        return reply.text or ""
