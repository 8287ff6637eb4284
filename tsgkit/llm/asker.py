"""Providers by the name of a model (user code, a server asked directly, LiteLLM), and calls outside of a run.

>>> from tsgkit.llm.settings import parse, settings_of
>>> own = settings_of("openai/m", parse(["api_base=http://127.0.0.1:8000/v1"], []), {})
>>> client_of(own), client_of(own, "litellm"), client_of(settings_of("groq/m", (), {}))
('direct', 'litellm', 'litellm')

Neither a run's identity nor a cache key holds the client, because both send the same and make the same of the answer.
Agents ask one source of replies, with a label for each call, and get a reason if no text comes back.

>>> import asyncio
>>> from tsgkit.llm.scripts import RecordedModel, Script
>>> asker = RecordedModel(Script({"tea/0": ["[kettle]"]}), MemoryRecorder())
>>> voice = TextAsk(ask_for(asker, "tea/0"))
>>> asyncio.run(voice.text("Which?", "answer")), voice.calls
('[kettle]', 1)
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, get_args

from tsgkit.defaults import Client
from tsgkit.errors import UsageError
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.direct_calls import DirectCalls, is_own_server, socket_and_url, why_not_direct
from tsgkit.llm.door import Call, Door, Recorder, SentPrompt
from tsgkit.llm.failures import BAD_REQUESTS, NotFinished
from tsgkit.llm.litellm_calls import LiteLlm
from tsgkit.llm.local_models import LocalModel, local_settings
from tsgkit.llm.prices import Price, price_of
from tsgkit.llm.reply import Ask, CallBudget, Ending, Reply, Schema
from tsgkit.llm.settings import (
    DECISIVE,
    DEFAULT_LIMIT,
    Argument,
    RetryLimits,
    Settings,
    is_local,
    parse,
    secrets_of,
    settings_of,
)
from tsgkit.llm.user_models import UserModel, is_own, own_settings, usual_concurrency

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


CLIENTS: tuple[Client, ...] = get_args(Client)
CONCURRENCY = 8
LONGEST_REPLY = 2_000
"""The default limit of a file of weights in tokens; our longest answers, a whole L, take 700."""


def client_of(settings: Settings, chosen: Client | None = None) -> Client:
    """Return the client a model is asked by: the chosen one, else the direct one where it fits a server of the user's.

    Raise ``UsageError`` if the chosen one cannot ask it.
    """
    why_not = why_not_direct(settings)
    if chosen == "direct" and why_not:
        hint = "leave --client out, or --client litellm; a server of your own: openai/NAME with api_base=http://..."
        raise UsageError(f"{settings.model}: the direct client cannot ask it: {why_not}", hint=hint)
    socket, _ = socket_and_url(str(settings.connection.get("api_base", "")))
    if socket and (chosen == "litellm" or why_not):
        hint = "the direct client can: openai/NAME or hosted_vllm/NAME without --client"
        raise UsageError(f"{settings.model}: LiteLLM cannot ask a unix socket", hint=hint)
    return chosen or ("direct" if not why_not and is_own_server(settings) else "litellm")


def model_settings(model: str, arguments: Sequence[Argument], defaults: Mapping[str, Any]) -> Settings:
    """Return how a model is asked, whoever answers under its name."""
    if is_own(model):
        return own_settings(model, tuple(arguments))
    return local_settings(model, arguments, defaults) if is_local(model) else settings_of(model, arguments, defaults)


def provider_for(
    settings: Settings, price: Price | None, client: Client | None = None
) -> DirectCalls | LiteLlm | LocalModel | UserModel:
    """Return who answers under the name of a model."""
    if is_own(settings.model):
        return UserModel(settings.model, price)
    if is_local(settings.model):
        if client == "litellm":
            raise UsageError(f"{settings.model}: LiteLLM cannot ask it", hint="leave --client out")
        return LocalModel(settings, price)
    return DirectCalls(settings, price) if client_of(settings, client) == "direct" else LiteLlm(settings, price)


def needs_litellm(settings: Mapping[str, Settings], client: Client | None) -> bool:
    """Return whether LiteLLM is loaded, which takes seconds, to ask any of these models."""
    services = [model for name, model in settings.items() if not is_own(name) and not is_local(name)]
    return any(client_of(model, client) == "litellm" for model in services)


def client_given(value: Any) -> Client | None:  # noqa: ANN401  (whatever a caller gives)
    """Return the client that an option names; ``UsageError`` where there is none of that name."""
    if value is None or value in CLIENTS:
        return value  # type: ignore[no-any-return]
    raise UsageError(f"client {value!r}: there is no such client", hint=f"{' or '.join(CLIENTS)}")


def door_of(
    model: str,
    arguments: Sequence[str] = (),
    recorder: Recorder | None = None,
    *,
    budget: CallBudget | None = None,
    price: Price | None = None,
    patience: RetryLimits | None = None,
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
        budget=budget or CallBudget(),
        recorder=recorder or MemoryRecorder(),
        secrets=secrets_of([settings]),
        patience=patience or RetryLimits(),
        price=price,
    )


def settings_for(model: str, arguments: Sequence[str]) -> Settings:
    """Return the settings of a model that agents ask: temperature 0, and for files of weights, which often come to no
    end, a limit of tokens, where none is given.
    """
    values = parse(arguments, [model])
    is_endless = is_local(model) and not any(DECISIVE.search(argument.name) for argument in values)
    return model_settings(model, values, {"temperature": 0} | ({DEFAULT_LIMIT: LONGEST_REPLY} if is_endless else {}))


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
        return next((reply for recorded, reply in self.calls.items() if recorded.request == call.request), None)

    def write(self, call: Call, prompt: SentPrompt | None, reply: Reply) -> None:
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
