"""Requests to the model of a service: what is the same whoever sends them.

A client (:class:`~tsgkit.llm.direct_calls.DirectCalls`, :class:`~tsgkit.llm.litellm_calls.LiteLlm`) prepares a request,
sends it, and hands over what was received. What is left out at a second try, the reply with its cost, and the failure
that any exception means are decided here.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from re import Pattern
from typing import Any, ClassVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from tsgkit.errors import UsageError
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import Messages, images_in, without_base64, without_images
from tsgkit.llm.prices import ImagePrice, Price, tier_named
from tsgkit.llm.reply import PROBE, Provider, Reply, Schema, Usage
from tsgkit.llm.responses import FILTER_WORDS, MOST_TEXT_BYTES, Exchange, failure_in, failure_of
from tsgkit.llm.settings import DEFAULT_LIMIT, Settings


class LoopUsers:
    """The users of each event loop of the process; an object that is no more has left."""

    def __init__(self) -> None:
        self._users = WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[int, object]]()
        self.guard = threading.Lock()

    def join(self, user: object) -> None:
        """Count an object as a user in the running loop, until it leaves or is no more."""
        with self.guard:
            self._users.setdefault(asyncio.get_running_loop(), WeakValueDictionary())[id(user)] = user

    def leave(self, user: object) -> bool:
        """Return whether this was the last user in the running loop. Hold the guard, to close before another joins."""
        users = self._users.get(asyncio.get_running_loop())
        return users is not None and users.pop(id(user), None) is not None and not users

    @property
    def any_left(self) -> bool:
        """True if any loop still has users."""
        return any(self._users.values())


@dataclass
class ServiceCalls(Provider):
    """A model behind a service."""

    settings: Settings
    price: Price | ImagePrice | None = None
    notices: list[str] = field(default_factory=list)
    sent: dict[str, Any] = field(default_factory=dict)
    """The request body as the service gets it, without messages; known once prepared."""
    limits: dict[str, str] = field(default_factory=dict)
    """Rate limits from the headers of the last response."""
    _parameters: dict[str, Any] = field(default_factory=dict, repr=False)
    most_bytes: ClassVar[int] = MOST_TEXT_BYTES
    awaited: ClassVar[str] = "answer"
    filter_words: ClassVar[Pattern[str]] = FILTER_WORDS

    async def _answered(self, messages: Messages, parameters: dict[str, Any], timeout: float, kept: Exchange) -> Reply:
        """Send one request, note in ``kept`` what is received, and return the reply that it holds."""
        raise NotImplementedError

    def _accepted(self, why_not_sent: Callable[[dict[str, Any], str, object], str]) -> dict[str, Any]:
        """Return the parameters that reach the service: all that the user gave, and those defaults that it takes.

        ``why_not_sent`` says for the parameters accepted so far, a name and its value why it is not sent; empty if it
        is. A default that is not sent is a notice, a parameter of the user's a ``UsageError``.
        """
        accepted: dict[str, Any] = {}
        model = self.settings.model
        for name, value in self.settings.parameters.items():
            why = why_not_sent(accepted, name, value)
            if not why:
                accepted[name] = value
            elif name in self.settings.given:
                hint = f"leave it out; extra_body.{name}=... sends it as it stands to a service that knows it"
                raise UsageError(f"{model} does not take {name}: {why}", hint=hint)
            else:
                self.notices.append(f"{model}: default {name}={value} is not sent: {why}")
        self.notices += [self.price.note] if isinstance(self.price, Price) and self.price.note else []
        return accepted

    async def send(self, messages: Messages, schema: Schema, timeout: float) -> Reply:
        """Return one request; ``CallFailed`` where it brings no reply.

        A default limit of tokens is left out where the context has no room for it.
        """
        parameters = self._with_schema(schema)
        try:
            return await self._asked(messages, parameters, timeout)
        except CallFailed as failure:
            if not self.settings.has_default_limit or not failure.may_be_limit:
                raise
        parameters.pop(DEFAULT_LIMIT, None)
        return await self._asked(messages, parameters, timeout)

    def _with_schema(self, schema: Schema) -> dict[str, Any]:
        return self._parameters | ({} if schema is None else {"response_format": schema})

    async def probe(self, timeout: float) -> Reply:
        """Return the reply to a request for one token."""
        others = {name: value for name, value in self._parameters.items() if name != "max_completion_tokens"}
        return await self._asked(PROBE, others | {"max_tokens": 1}, timeout)

    async def _asked(self, messages: Messages, parameters: dict[str, Any], timeout: float) -> Reply:
        """Return the reply to one request, which repeats no image that was shown; ``CallFailed`` for any exception."""
        kept = Exchange(most_bytes=self.most_bytes)
        try:
            reply = await self._answered(messages, parameters, timeout, kept)
        except CallFailed as failure:
            failed = failure
            failed.responded = failed.responded or kept.status is not None
        except TimeoutError:
            what = f"no more after the first {kept.tokens:,} tokens" if kept.tokens else f"no {self.awaited}"
            failed = CallFailed(f"{what} within {timeout:g} s", None, timed_out=True)
        except Exception as error:  # noqa: BLE001  (whatever a client raises is a failed call)
            failed = failure_in(kept, error, failure_of(error, self.filter_words))
        else:
            self.limits = kept.limits
            texts = (text and without_images(text, images_in(messages)) for text in (reply.text, reply.refusal))
            return replace(reply, text=next(texts), refusal=next(texts))
        failed.text = failed.text or kept.text
        if next(images_in(messages), None) is not None:
            failed.message = without_base64(failed.message)
        raise failed from None

    def _priced(self, reply: Reply, tier: str, counted: float | None = None) -> Reply:
        """Return a reply with its cost, where its tokens are known."""
        if reply.usage.total is None:
            return reply
        return replace(reply, usage=replace(reply.usage, cost=self._cost(reply.usage, tier, counted)))

    def _cost(self, usage: Usage, tier: str, counted: float | None) -> float | None:
        """Return the cost in the tier of a response: as LiteLLM counted, unless the user gave a price, else by it."""
        price = self.price.served(tier or self.settings.tier) if isinstance(self.price, Price) else self.price
        known = tier_named(tier or str(self.settings.parameters.get("service_tier") or ""))
        known = "" if known == "batch" else known  # LiteLLM knows no prices of batches, nor a tier in extra_body
        is_own = price is not None and (price.source == "--price" or (isinstance(price, Price) and price.tier != known))
        if counted and not is_own:  # for a model that LiteLLM has no price of, some providers come out as free
            return counted
        return None if price is None else price.of(usage)
