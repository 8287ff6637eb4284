"""Batches of one model: requests are collected, sent together, and waited for.

Requests are sent as one batch as soon as no further one has come for a moment, or the service's limits are reached.
So a run of single questions makes one batch, and one of several rounds (an agent) one batch a round. Every step is
recorded before the next one, so that another process goes on where this one was killed, and nothing is paid twice.

A request is built and its reply read by LiteLLM, as any other; only the way between differs: :class:`BatchCalls` waits
in a :class:`Collector` for the result of its batch.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm.batch_services import Batch, BatchClient, BatchResult, BatchService, BatchState, HeldRequest
from tsgkit.llm.concurrency import LONGEST_GATE
from tsgkit.llm.door import REQUEST
from tsgkit.llm.failures import CallFailed, Stopped, Unasked, cannot_pay
from tsgkit.llm.images import Messages
from tsgkit.llm.litellm_calls import CARRIER, LiteLlm, bound, library_of
from tsgkit.llm.reply import Reply, Schema, Usage
from tsgkit.llm.retries import advice_on
from tsgkit.llm.settings import RetryLimits

Answer = TypeVar("Answer")
LEFT = "what was sent stays with the service"
DIFFERENT = "the batch brought several results of this request, which differ"
NO_RESULT = "the batch brought no result of this request"
REST_GROWTH, LONGEST_REST = 4, 3600.0
LONGEST = 30 * 86_400.0
"""Seconds for one request: a batch takes up to a day, and a failed line waits for a further one."""


@dataclass(frozen=True)
class Pace:
    """Seconds of waiting."""

    quiet: float = 0.5
    """Seconds without a further request after which a batch is sent."""
    first_poll: float = 1.0
    longest_poll: float = 60.0
    growth: float = 1.5
    rest: float = 30.0
    """The pause after a batch without any good result; after further ones it grows."""
    downloads: int = 4
    """So often are results downloaded that break off."""
    lag: float = 120.0
    """Seconds for which a batch that may exist is looked for before it is created again: lists of batches lag."""


PACE = Pace()


class BatchRecord(Protocol):
    """The record of batches that outlives the process."""

    def open(self) -> list[Batch]:
        """Return the batches of this model with results that were not recorded, oldest first, with those names."""

    def add(self, step: str, batch: Batch, **parts: Any) -> None:  # noqa: ANN401  (JSON values)
        """Note a step, before the next one is made.

        ``intent`` with ``sha256`` and ``names``: it is about to be sent; ``file`` and ``batch`` with ``id``: so did the
        service call it; ``read``: the results of these ``names`` are recorded, of all where there are none;
        ``dropped``: the service never made it.
        """


@dataclass
class Collector:
    """The batches of one model."""

    model: str
    service: BatchService
    record: BatchRecord
    patience: RetryLimits
    redact: Callable[[str], str] = str
    waits: bool = True
    """False to leave as soon as everything is with the service."""
    pace: Pace = PACE
    leaving: bool = False
    trouble: str = ""
    """The failure of the last question to the service; empty if it was answered."""
    _client: BatchClient | None = None
    _queue: dict[str, HeldRequest] = field(default_factory=dict)
    _queued_bytes: int = 0
    _batches: list[Batch] = field(default_factory=list)
    _holder: dict[str, Batch] = field(default_factory=dict)
    """The batch that holds a request whose result was not read."""
    _unread: int = 0
    """Results handed out that are not recorded yet."""
    _timer: asyncio.TimerHandle | None = None
    _gone: asyncio.Event = field(default_factory=asyncio.Event)
    _served: bool = False
    _failed: TsgkitError | None = None
    """The reason for which nothing more is asked."""
    _vain: int = 0
    """Batches in a row without any good result."""
    _not_before: float = 0.0
    """The time before which no batch is sent, by the loop's clock."""

    def __post_init__(self) -> None:
        self._batches = self.record.open()
        self._holder = {name: batch for batch in self._batches for name in batch.names}

    @property
    def client(self) -> BatchClient:
        """The client of the service, whose address is known once a request came."""
        assert self._client is not None  # noqa: S101
        return self._client

    @property
    def open(self) -> int:
        """The number of batches that were left to the service to be collected later."""
        return sum(batch.was_left for batch in self._batches)

    @property
    def _waited(self) -> list[Batch]:
        return [batch for batch in self._batches if batch.results is None and batch.held]

    def waits_for(self) -> str:
        """Return how many batches are waited for, how far they are and since when; empty if none is."""
        waited, progress = self._waited, []
        if sent := [batch for batch in waited if batch.id]:
            done = sum(0 if batch.state is None else batch.state.done for batch in sent)
            requests = f"{done:,} of {sum(len(batch.names) for batch in sent):,} requests"
            progress.append(f"{_lasting(sent, 'at the service')}, {requests} done")
        if unsent := [batch for batch in waited if not batch.id]:
            progress.append(_lasting(unsent, "being sent"))
        return "; ".join([*progress, f"it does not answer: {self.trouble}"] if self.trouble and progress else progress)

    async def ask(self, waiter: HeldRequest, request: Any) -> BatchResult:  # noqa: ANN401  (an httpx.Request)
        """Return the result of a request, out of a batch that holds it already or of one to be sent."""
        if self.leaving or self._failed is not None:
            raise self._failed or Stopped(LEFT)
        if self._client is None:
            self._client = BatchClient.of(self.service, request, self.patience.timeout)
        line = json.dumps(self.service.line(waiter.name, json.loads(await request.aread()))).encode()
        batch = self._holder.get(waiter.name)
        if (earlier := (self._queue if batch is None else batch.held).get(waiter.name)) is not None:
            return await asyncio.shield(earlier.result)  # asked twice at once: sent once
        waiter.line = line
        if batch is None:
            self._enqueue(waiter)
        elif batch.results is None:
            batch.held[waiter.name] = waiter
            if batch.task is None:
                batch.task = asyncio.create_task(self._kept(batch, self._collected(batch)))
        else:
            missing = BatchResult(waiter.name, 408, failure=NO_RESULT)
            self._hand_out(batch, waiter, batch.results.pop(waiter.name, missing))
        return await waiter.result

    def _enqueue(self, waiter: HeldRequest) -> None:
        size = len(waiter.line) + 1
        if self._queue and self._queued_bytes + size > self.service.most_bytes:
            self._send_queue()
        self._queue[waiter.name] = waiter
        self._queued_bytes += size
        if len(self._queue) >= self.service.most_lines:
            self._send_queue()
        self._wait_for_quiet()

    def _wait_for_quiet(self) -> None:
        """Act when nothing has happened for a moment."""
        if self._timer is not None:
            self._timer.cancel()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self.pace.quiet, self._quiet, loop.time() + self.pace.quiet)

    def _quiet(self, due: float) -> None:
        now = asyncio.get_running_loop().time()
        if self._queue and now < self._not_before:
            wait = self._not_before - now
            self._timer = asyncio.get_running_loop().call_later(wait, self._quiet, self._not_before)
        elif now - due > self.pace.quiet / 2:  # the loop was busy: requests may have been on their way meanwhile
            self._wait_for_quiet()
        elif self._queue:
            self._send_queue()
        elif not self.waits and not self._unread and self._waited and all(batch.is_left for batch in self._waited):
            self.leave()

    def _send_queue(self) -> None:
        """Send what was collected as one batch."""
        batch = Batch(uuid.uuid4().hex, tuple(self._queue), time.time(), held=self._queue)
        self._queue, self._queued_bytes = {}, 0
        self._batches.append(batch)
        self._holder |= dict.fromkeys(batch.names, batch)
        batch.task = asyncio.create_task(self._kept(batch, self._sent(batch)))

    async def _kept(self, batch: Batch, work: Awaitable[None]) -> None:
        """Do the work on a batch; where it fails, all that wait for it, or to be sent, end with the reason."""
        try:
            await work
        except TsgkitError as error:
            error.message = self.redact(error.message)
            error.args = (error.message,)
            self._end(batch, error)
            if not isinstance(error, Stopped):  # the service is of no more use
                self._failed = error
                _end(self._queue, error)
        except asyncio.CancelledError:
            self._end(batch, Stopped(LEFT))
            raise

    async def _sent(self, batch: Batch) -> None:
        lines = b"".join(waiter.line + b"\n" for waiter in batch.held.values())
        for waiter in batch.held.values():
            waiter.line = b""
        self.record.add("intent", batch, sha256=hashlib.sha256(lines).hexdigest(), names=list(batch.names))
        try:
            if self.service.uploads:
                batch.file = await self._persist(self.client.upload, lines)
                self.record.add("file", batch, id=batch.file)

            async def create() -> str:
                """Create the batch; where an earlier try may have done so, look for it first."""
                if batch.is_doubtful and (name := await self._name_at_service(batch)):
                    return name
                batch.is_doubtful = True
                try:
                    return await self.client.create(batch, lines)
                except (CallFailed, UsageError) as error:
                    status = 400 if isinstance(error, UsageError) or error.unreachable else error.status
                    batch.is_doubtful = status is None or status >= 500
                    raise

            batch.id = await self._persist(create)
        except (Unasked, UsageError):
            if not batch.is_doubtful:  # or the next process looks for it
                self._drop(batch)
            raise
        self.record.add("batch", batch, id=batch.id)
        batch.state = BatchState(False, "created")
        self._wait_for_quiet()
        if self.leaving:
            raise Stopped(LEFT)
        await self._collected(batch)

    async def _name_at_service(self, batch: Batch) -> str:
        """Return the name of a batch that may exist, looked for until no list can lag any more; empty if there is none.

        ``UsageError`` where the service does not list its batches: only its owner can tell then.
        """
        waited, wait = 0.0, self.pace.first_poll
        known = [batch_sent.id for batch_sent in self._batches if batch_sent.id]
        while not (name := await self._persist(self.client.find, batch, known)) and waited < self.pace.lag:
            await self._pause(wait)
            waited, wait = waited + wait, min(wait * self.pace.growth, self.pace.longest_poll)
        return name

    def _drop(self, batch: Batch) -> None:
        self.record.add("dropped", batch)
        self._batches.remove(batch)
        for name in batch.names:
            if self._holder.get(name) is batch:
                del self._holder[name]

    async def _collected(self, batch: Batch) -> None:
        """Wait for a batch and hand out its results."""
        wait = self.pace.first_poll
        if not batch.id:
            may_exist = batch.file or not self.service.uploads  # else the process ended before it asked for the batch
            batch.id = await self._name_at_service(batch) if may_exist else ""
            if not batch.id:
                self._drop(batch)
                for waiter in batch.held.values():
                    self._enqueue(waiter)
                return
            self.record.add("batch", batch, id=batch.id)
        while True:
            is_first = batch.state is None
            batch.state = await self._persist(self.client.state, batch.id)
            if batch.state.ended:
                break
            if is_first:
                self._wait_for_quiet()
            await self._pause(wait)
            wait = min(wait * self.pace.growth, self.pace.longest_poll)
        state, results = batch.state, dict[str, BatchResult]()
        for path in state.results:
            for number in range(self.pace.downloads):
                if number:
                    await self._pause(self.pace.first_poll)
                lines = await self._persist(self.client.results, path)
                if not lines or lines[-1] is not None:  # the last line is the one that breaks off
                    break
            for line in filter(None, lines):
                if isinstance(name := line.get("custom_id"), str):
                    result = self.service.result(name, line)
                    if results.setdefault(name, result) != result:
                        results[name] = BatchResult(name, 400, failure=DIFFERENT)
        status, reason = 408, f"the batch ended as {state.status} without a result of this request"
        if state.failure:
            status, reason = 429 if state.failed_for_now else 400, f"the batch failed: {state.failure}"
        missing = {name: BatchResult(name, status, failure=reason) for name in batch.names}
        results = batch.results = {name: results.get(name, missing[name]) for name in batch.names}
        self._vain = 0 if any(result.is_good for result in results.values()) else self._vain + 1
        if self._vain:
            rest = min(self.pace.rest * REST_GROWTH ** (self._vain - 1), LONGEST_REST)
            self._not_before = asyncio.get_running_loop().time() + rest
        for is_good in (True, False):  # a service that answered some is not given up for what failed
            for name in [name for name in batch.held if results[name].is_good is is_good]:
                self._hand_out(batch, batch.held.pop(name), results.pop(name))
            while self._unread and is_good:
                await asyncio.sleep(0)

    def _hand_out(self, batch: Batch, waiter: HeldRequest, result: BatchResult) -> None:
        if self._holder.get(waiter.name) is batch:
            del self._holder[waiter.name]
        if not waiter.result.done():
            self._unread += 1
            waiter.result.set_result(result)
            waiter.batch = batch

    def done_with(self, waiter: HeldRequest) -> None:
        """Note that a request ended: its result is recorded in this step, or it is waited for no longer."""
        if waiter.batch is None:
            return
        self._unread -= 1
        waiter.batch.read.append(waiter.name)
        if len(waiter.batch.read) == 1:
            asyncio.get_running_loop().call_soon(self._note_when_recorded, waiter.batch)
        self._wait_for_quiet()

    def _note_when_recorded(self, batch: Batch) -> None:
        """Note what was read of a batch, once all that was handed out is recorded."""
        if self._unread:
            asyncio.get_running_loop().call_later(0.05, self._note_when_recorded, batch)
        elif batch.read:
            self._note_read(batch)

    def _note_read(self, batch: Batch) -> None:
        names = {} if set(batch.read) == set(batch.names) else {"names": batch.read}
        self.record.add("read", batch, **names)
        batch.read = []

    def _end(self, batch: Batch, error: TsgkitError) -> None:
        batch.was_left |= isinstance(error, Stopped) and bool(batch.id and batch.held)
        _end(batch.held, error)

    def leave(self) -> None:
        """Wait for nothing more; a batch being sent is sent first."""
        self.leaving = True
        self._gone.set()
        _end(self._queue, Stopped(LEFT))
        for batch in self._batches:
            if batch.id and batch.results is None:
                self._end(batch, Stopped(LEFT))

    async def close(self) -> None:
        """End all work and close the connections."""
        if self._timer is not None:
            self._timer.cancel()
        tasks = [batch.task for batch in self._batches if batch.task is not None and not batch.task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        for batch in self._batches:
            if batch.read:
                self._note_read(batch)
        if self._client is not None:
            await self._client.close()

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._gone.wait()
        if self.leaving:
            raise Stopped(LEFT)

    async def _persist(self, ask: Callable[..., Awaitable[Answer]], *arguments: Any) -> Answer:  # noqa: ANN401
        """Ask the service until it answers; ``Unasked`` where it refuses, or is away for too long."""
        began, tries, wait = time.monotonic(), 0, self.pace.first_poll
        while True:
            try:
                answer = await ask(*arguments)
            except CallFailed as failure:
                self.trouble = self.redact(failure.message)
                tries, lasted = tries + 1, time.monotonic() - began
                has_tries = self._served or tries < self.patience.attempts
                if not failure.can_be_retried or not has_tries or lasted >= self.patience.max_outage:
                    why = self.trouble
                    if failure.can_be_retried and self._served:
                        why = f"no service for {lasted:.0f} s (limit: --max-outage): {why}"
                    raise Unasked(f"{self.model}: not asked any more: {why}", hint=advice_on(failure)) from None
                await self._pause(max(wait, min(failure.retry_after or 0.0, LONGEST_GATE)))
                wait = min(2 * wait, self.pace.longest_poll)
            else:
                self.trouble, self._served = "", True
                return answer


def _end(requests: dict[str, HeldRequest], error: TsgkitError) -> None:
    """Let requests be waited for no longer, for a reason."""
    for waiter in requests.values():
        if not waiter.result.done():
            waiter.result.set_exception(error)
    requests.clear()


def _lasting(batches: Sequence[Batch], state: str) -> str:
    """Return how many batches are in a state, and how long the first of them has been waited for."""
    number = "1 batch" if len(batches) == 1 else f"{len(batches):,} batches"
    return f"{number} {state} for {_clock(time.time() - min(batch.time for batch in batches))}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


@dataclass
class BatchCalls(LiteLlm):
    """A model behind LiteLLM whose requests are sent in batches."""

    collector: Collector = field(kw_only=True)
    defers = True

    def waits_for(self) -> str:
        """Return which batches are waited for."""
        return self.collector.waits_for()

    def leave(self) -> None:
        """Wait for no batch any more."""
        self.collector.leave()

    async def send(self, messages: Messages, schema: Schema, timeout: float) -> Reply:
        """Return one reply, when its batch is done; the time-out is one of single requests and does not hold here."""
        waiter, reasons = HeldRequest(REQUEST.get()), list[TsgkitError]()

        async def carried(request: Any) -> Any:  # noqa: ANN401  (httpx)
            """Return the response to a request that LiteLLM built, out of its batch."""
            try:
                result = await self.collector.ask(waiter, request)
            except TsgkitError as error:
                reasons.append(copy(error))  # one that ends many calls is of each its own
                raise CallFailed(error.message) from None
            if result.failure:
                unpaid = cannot_pay(result.status, result.failure)
                raise CallFailed(result.failure, result.status, responded=True, unpaid=unpaid)
            head = {"content-type": "application/json"}
            return library_of(request).Response(result.status, headers=head, content=result.body)

        try:
            with bound(CARRIER, carried):
                form = {} if schema is None else {"response_format": schema}
                return await self._asked(messages, self._parameters | form, LONGEST)
        except CallFailed as failure:
            if reasons:
                raise reasons[0] from None
            failure.in_batch = True
            raise
        finally:
            self.collector.done_with(waiter)

    def _cost(self, usage: Usage, tier: str, counted: float | None) -> float | None:
        """Return the cost at the price of a batch, else half of what LiteLLM says."""
        if self.price is not None:
            return self.price.of(usage)
        return counted / 2 if counted else None

    async def close(self) -> None:
        """End the work on batches, which stay with the service, and close the connections."""
        await self.collector.close()
        await super().close()
