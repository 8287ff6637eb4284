"""The door to a model: ``await ask(messages, label=...)`` returns a reply, with retries, cache, budget and records.

A recorded call is not repeated. Otherwise the reply comes from the cache, or from the model: through the queue, with
retries, within the budget. Every reply is recorded before it is used.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import time
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from tsgkit.llm import spans
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.concurrency import RequestQueue
from tsgkit.llm.failures import LONGEST_MESSAGE, BudgetReached, CallFailed, NotFinished, Stopped, Unasked
from tsgkit.llm.images import Messages, identity_of, tokens_of_content
from tsgkit.llm.prices import ImagePrice, Price
from tsgkit.llm.prompt_cache import PromptMarks, stable_of
from tsgkit.llm.reply import (
    NOTHING,
    PROBE,
    TOO_MANY,
    UNKNOWN,
    Attempt,
    CallBudget,
    Ending,
    ExpectedUsage,
    Provider,
    Reply,
    Schema,
    Usage,
    seconds_of,
)
from tsgkit.llm.retries import PROBE_LABEL, CircuitBreaker, Outage, wait_after
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import RetryLimits
from tsgkit.llm.spans import Request

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

ROLES = {"human": "user", "ai": "assistant", "system": "system"}
NOTICEABLE = 3.0
"""Seconds without an answer after which progress displays give a reason."""
WRITTEN_BY_MODELS = ("text", "refusal", "finish_reason", "model")
"""The parts of a reply that may repeat a key."""
MOST_TIMEOUTS = 2
"""A request that was timed out so often is not sent again: servers may go on computing what was abandoned."""
MOST_OUTAGES = 5
"""So many outages that began while the same request was in flight are its own doing."""
STOPPING = "the run is being stopped"
VERSION = 1
_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


class Call(NamedTuple):
    """The identity of a call within a run. ``body`` is a hash of the request, ``draw`` the number of the draw."""

    subject: str
    judge: str
    task: str
    solver: str
    style: str
    sample: str
    repeat: int
    label: str
    body: str
    draw: int
    shots: int | None = None
    """The axes of the plan, where it has several values of them."""
    prompts: str | None = None
    seed: int | None = None

    @property
    def request(self) -> tuple[str, int, int]:
        """The request and the number of its draw, without subject and item."""
        return self.body, self.repeat, self.draw


class SentPrompt(NamedTuple):
    """A prompt in the form that is sent, and its hash."""

    hash: str
    messages: Messages


class Recorder(Protocol):
    """A store of calls."""

    def find(self, call: Call) -> Reply | None:
        """Return the recorded reply to a call."""

    def find_same(self, call: Call) -> Reply | None:
        """Return a recorded reply to the same request, for any item or subject."""

    def write(self, call: Call, prompt: SentPrompt | None, reply: Reply) -> None:
        """Record a reply before it is used."""


REQUEST: ContextVar[str] = ContextVar("request", default="")
"""The name of the request being made, the same in every process that works on its run."""


@dataclass
class Door:
    """One model with its queue, retries, cache, budget and recorder."""

    name: str
    provider: Provider
    endpoint: str
    parameters: dict[str, Any]
    flow: RequestQueue
    budget: CallBudget
    recorder: Recorder
    secrets: Secrets
    cache: ReplyCache | None = None
    reads_cache: bool = True
    shared: frozenset[str] = frozenset()
    """Labels of questions that are asked once for the whole run: equal requests share one reply."""
    marks: PromptMarks | None = None
    """Marks of what the service is to keep in its prompt cache; None for none."""
    patience: RetryLimits = field(default_factory=RetryLimits)
    price: Price | ImagePrice | None = None
    expected_completion: float = 300.0
    waiting: int = 0
    failed: int = 0
    """Requests that failed or were turned away."""
    giving_up: CircuitBreaker = field(init=False, repr=False)
    outage: Outage = field(init=False, repr=False)
    _halted: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when no further request is to be made: the run is being stopped, or the model given up."""
    _stopping: bool = False
    _probes: int = 0
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by a request that was in flight when several outages began."""
    _trouble: str = ""
    """The error of the last request; None if it was answered."""
    _heard: float = 0.0
    """The time of the last answer, or of the first request in flight."""
    _in_flight: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    _rng: random.Random = field(default_factory=lambda: random.Random(0))

    def __post_init__(self) -> None:
        self.giving_up = CircuitBreaker(self.endpoint, self.patience.max_outage, self._halt)
        self.outage = Outage(self.patience, self.giving_up)

    def waits_for(self) -> str:
        """Return the reason why no answer has arrived for some seconds; empty if answers arrive or nothing is asked."""
        if self.provider.defers:
            return self.provider.waits_for()
        silent = time.monotonic() - self._heard
        if not self.waiting or silent < NOTICEABLE:
            return ""
        if self.outage.since is not None:
            return self.outage.description
        if self._trouble:
            calls = "1 call waits" if self.waiting == 1 else f"{self.waiting:,} calls wait"
            return f"no answer for {silent:.0f} s, {calls} to be tried again: {self._trouble}"
        if progress := self.provider.waits_for():
            return progress
        pace = self.flow.pace
        limit = f", held to {60 * pace:.3g} requests a minute" if pace and pace * NOTICEABLE < 1 else ""
        return f"no answer for {silent:.0f} s{limit}; an attempt may take {self.patience.timeout:g} s"

    async def ask(
        self, where: Call, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: Schema = None
    ) -> Reply:
        """Return the reply to a prompt; ``where`` says who asks, its last three fields are filled in here."""
        prompt = as_dicts(messages)
        with self._observed(prompt, label, draw, schema) as answered:
            prompt_id = prompt_hash(prompt)
            body = {"model": self.name, "messages": prompt_id, "format": schema, **self.parameters}
            call = where._replace(label=label, body=_digest([self.endpoint, body]), draw=draw)
            recorded = self.recorder.find(call)
            if recorded is not None and (recorded.ending is not Ending.API_ERROR or recorded.final):
                answered(recorded, spans.RECORD)
                return recorded
            key = cache_key(self.endpoint, body, f"{call.repeat}/{draw}")
            sent = prompt if self.marks is None else self.marks.added(prompt, stable_of(messages))
            try:
                reply = self._redacted(await self._from_cache_or_model(key, call, sent, schema))
            except NotFinished as why:
                if why.attempts:  # requests were made: they count, and the call is to be made again
                    unfinished = Reply(None, Ending.API_ERROR, error=why.message, attempts=why.attempts)
                    self.recorder.write(call, SentPrompt(prompt_id, prompt), unfinished)
                raise
            self.recorder.write(call, SentPrompt(prompt_id, prompt), reply)
            answered(reply, reply.source)
            return reply

    def _observed(
        self, prompt: Messages, label: str, draw: int = 0, schema: Schema = None
    ) -> AbstractContextManager[spans.Answered]:
        """Return a context around a call, for whoever traces it."""

        def parameters() -> dict[str, Any]:
            sent = getattr(self.provider, "sent", None)  # known once the service was asked
            return sent if isinstance(sent, dict) and sent else self.parameters

        return spans.call(Request(self.name, self.endpoint, prompt, parameters, label, draw, schema is not None))

    async def _from_cache_or_model(self, key: str, call: Call, prompt: Messages, schema: Schema) -> Reply:
        """Return the reply for a key. Concurrent calls with the same key share one request."""
        reads_cache = self.cache is not None and self.reads_cache
        is_shared = reads_cache or call.label in self.shared
        mine = asyncio.get_running_loop().create_future()
        if is_shared:
            while (request := self._in_flight.get(key)) is not None:
                await asyncio.shield(request)  # one who stops waiting must not take the others along
            if self.cache is not None and reads_cache:
                kept = self.cache.find(key)
            elif (kept := self.recorder.find_same(call)) is not None and kept.ending is not Ending.COMPLETE:
                kept = None
            if kept is not None:
                return replace(kept, source="cache", attempts=(), seconds=0.0)
            self._in_flight[key] = mine
        REQUEST.set(_digest([key] if is_shared else [key, list(call)]))
        try:
            reply = await self._from_model(prompt, schema, call)
            if self.cache is not None:
                self.cache.keep(key, self._redacted(reply))
        finally:
            if is_shared:
                del self._in_flight[key]
                mine.set_result(None)
        return reply

    def _redacted(self, reply: Reply) -> Reply:
        written = {name: value for name in WRITTEN_BY_MODELS if (value := getattr(reply, name))}
        redacted: dict[str, Any] = {name: self.secrets.redact(value) for name, value in written.items()}
        return replace(reply, **redacted)

    async def _from_model(self, prompt: Messages, schema: Schema, call: Call) -> Reply:
        """Return the model's reply, after all attempts. Those that an outage ended do not count.

        A request that was in flight when several outages began may be what breaks the service: it is sent alone, apart
        from requests that were never lost, and given up when it has met too many.
        """
        self.provider.prepare()
        began = since = time.monotonic()
        attempts: list[Attempt] = []
        fresh = outages = timeouts = 0
        if not self.waiting and not self._trouble:
            self._heard = began
        self.waiting += 1
        try:
            while True:
                async with self._alone if outages > 1 else nullcontext():
                    outcome = await self._attempt(prompt, schema, attempts)
                now = time.monotonic()
                if isinstance(outcome, Reply):
                    return replace(outcome, attempts=tuple(attempts), seconds=seconds_of(attempts))
                if outcome.is_loss and await self.outage.was_down(partial(self._probe, call), self._pause):
                    outages += not self.outage.is_certain(outcome)
                    if outages >= MOST_OUTAGES:
                        return self._given_up(outcome, attempts)
                    fresh, since = len(attempts), time.monotonic()
                    continue
                timeouts += outcome.timed_out
                is_starting = not self.giving_up.served
                wait = wait_after(
                    outcome, attempts[fresh:], now - since, self.patience, is_starting=is_starting, rng=self._rng
                )
                if wait is None or timeouts >= MOST_TIMEOUTS:
                    return self._given_up(outcome, attempts)
                attempts[-1] = replace(attempts[-1], waited=round(wait, 4))
                await self._pause(wait)
        except NotFinished as why:
            why.attempts = tuple(attempts)
            raise
        finally:
            self.waiting -= 1
            if not self.waiting:
                self.outage.end()

    async def _probe(self, call: Call) -> CallFailed | None:
        """Send a probe for a call, and return how it was lost; None where it was answered, however badly.

        The probe is recorded beside the call, under a label of its own.
        """
        estimate = self._estimate(PROBE)
        self._check_allowed(estimate)
        with self._observed(PROBE, PROBE_LABEL) as answered:
            outcome, attempt = await self._request(self.provider.probe(self.patience.timeout), estimate)
            failure = outcome if isinstance(outcome, CallFailed) else None
            if isinstance(outcome, CallFailed):
                outcome = Reply(None, Ending.API_ERROR, error=outcome.message, status=outcome.status)
            reply = self._redacted(replace(outcome, attempts=(attempt,), seconds=attempt.seconds))
            answered(reply, reply.source)
        self._probes += 1
        prompt = SentPrompt(prompt_hash(PROBE), PROBE)
        body = _digest([self.endpoint, prompt.hash])
        self.recorder.write(call._replace(label=PROBE_LABEL, body=body, draw=self._probes), prompt, reply)
        return failure if failure is not None and failure.is_loss else None

    async def _pause(self, seconds: float) -> None:
        """Wait; ``NotFinished`` where the run is stopped or the model given up meanwhile."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._halted.wait()
        self._check_halted()

    def _check_halted(self) -> None:
        if self._halted.is_set():
            raise self._why_halted()

    def _why_halted(self) -> NotFinished:
        if self._stopping:
            return Stopped(STOPPING)
        return Unasked(f"{self.name}: not asked any more: {self.giving_up.reason}", hint=self.giving_up.advice)

    def stop(self) -> None:
        """Make no further requests; requests in flight are completed."""
        self._stopping = True
        self._halt()

    def leave(self) -> None:
        """Wait no longer for replies that come hours later; those in flight otherwise are completed."""
        self.provider.leave()

    def _halt(self) -> None:
        self._halted.set()
        self.flow.turn_away(self._why_halted)
        self.outage.end()

    async def _attempt(self, prompt: Messages, schema: Schema, attempts: list[Attempt]) -> Reply | CallFailed:
        estimate = self._estimate(prompt)
        self._check_halted()
        start = await self.flow.enter(estimate.tokens, self._pause)
        while self.outage.is_probed:
            self.flow.leave()
            await self.outage.over()
            self._check_halted()
            start = await self.flow.enter(estimate.tokens, self._pause)
        try:
            self._check_allowed(estimate)
            outcome, attempt = await self._request(self.provider.send(prompt, schema, self.patience.timeout), estimate)
            if isinstance(outcome, CallFailed):
                outcome.with_schema = schema is not None
                if not outcome.unsent:
                    attempts.append(attempt)
                    spans.attempted(attempt)
                    self._note_failure(outcome, start)
                return outcome
        finally:
            self.flow.leave()
        self._note_answer(outcome, start)
        attempts.append(attempt)
        return outcome

    def _note_answer(self, reply: Reply, start: float) -> None:
        self.flow.succeeded(start)
        self.giving_up.answered()
        self.outage.answered()
        self._trouble, self._heard = "", time.monotonic()
        if reply.usage.completion is not None:
            self.expected_completion += 0.1 * (reply.usage.completion - self.expected_completion)

    def _note_failure(self, failure: CallFailed, start: float) -> None:
        self._trouble = failure.message
        if failure.throttled:
            self.flow.throttled(failure.retry_after, start)
        self.giving_up.failed(failure)
        self.outage.failed(failure)

    async def _request(self, sent: Awaitable[Reply], estimate: ExpectedUsage) -> tuple[Reply | CallFailed, Attempt]:
        """Return the outcome of one request, whose use is settled however it ends; a failure is redacted."""
        began = time.monotonic()
        used: Usage | None = UNKNOWN
        try:
            reply = await sent
            used = reply.usage
            return reply, Attempt(round(time.monotonic() - began, 4))
        except CallFailed as failure:
            failure.message = self.secrets.redact(failure.message)
            if len(failure.message) > LONGEST_MESSAGE:  # only now, or half a key could be left
                failure.message = f"{failure.message[:LONGEST_MESSAGE]}..."
            if failure.was_answered or failure.unreachable:
                used = NOTHING
            if failure.unsent or failure.status == TOO_MANY:  # it does not count
                used = None
            self.failed += not failure.unsent
            return failure, Attempt(round(time.monotonic() - began, 4), failure.message, failure.status)
        finally:
            if used is None:
                self.budget.give_back(estimate)
            else:
                self.budget.settle(estimate, used)

    def _estimate(self, prompt: Messages) -> ExpectedUsage:
        tokens_in = sum(tokens_of_content(message["content"]) for message in prompt)
        tokens_out = int(self.expected_completion)
        cost = None if self.price is None else self.price.expected(tokens_in, tokens_out)
        return ExpectedUsage(tokens_in + tokens_out, cost)

    def _check_allowed(self, estimate: ExpectedUsage) -> None:
        self._check_halted()
        if not self.budget.take(estimate):
            raise BudgetReached(f"the budget is used up: {self.budget.reached}")

    def _given_up(self, failure: CallFailed, attempts: list[Attempt]) -> Reply:
        self.giving_up.lost(failure)
        return Reply(
            failure.text,
            Ending.REFUSED if failure.refused else Ending.API_ERROR,
            failure.finish_reason,
            error=failure.message,
            seconds=seconds_of(attempts),
            attempts=tuple(attempts),
            status=failure.status,
            final=failure.final,
        )


def as_dicts(messages: Sequence[BaseMessage]) -> Messages:
    """Messages as the wire has them, every part of which says what it is."""
    wire: Messages = []
    for message in messages:
        content: Any = message.content
        if not isinstance(content, str):
            content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
        wire.append({"role": ROLES[message.type], "content": content})
    return wire


def prompt_hash(prompt: Messages) -> str:
    """Return the hash of a prompt. Images count by their content, not by their path."""
    if all(isinstance(message["content"], str) for message in prompt):
        return _digest(prompt)
    return _digest([message | {"content": identity_of(message["content"])} for message in prompt])


def cache_key(endpoint: str, body: Mapping[str, Any], draw: str) -> str:
    """Return the key of a reply in the cache: SHA-256 over everything that could change it.

    That is the endpoint, the whole request body, the number of the draw (votes, rounds and repeats are different
    draws), and the version of this scheme.
    """
    return hashlib.sha256(canonical([VERSION, endpoint, body, draw]).encode()).hexdigest()


def canonical(value: object) -> str:
    """JSON with one spelling for equal values."""
    return _ENCODER.encode(value)


def _digest(value: object) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:32]
