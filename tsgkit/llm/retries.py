"""Retries of a call, the breaker that ends them all, and outages of a service, which retries wait for.

**Patience.** A service that says it receives too many requests (429) names the wait, and is asked more often than one
that fails; other waits double from attempt to attempt. The same error several times in a row ends a call early.

>>> patience, rng = RetryLimits(attempts=60, same_error=60, first_wait=0.5, longest_wait=60.0), random.Random(0)
>>> for failure in (CallFailed("busy", 500), CallFailed("slow down", 429, retry_after=0.0)):
...     attempt = Attempt(0.0, failure.message, failure.status)
...     waits = [wait_after(failure, [attempt] * n, 0.0, patience, is_starting=False, rng=rng) for n in (1, 2, 5, 10)]
...     print(*(round(wait, 1) for wait in waits))
0.5 0.9 5.7 37.8
0.4 0.7 7.1 39.1

**Circuit breaker.** It opens if the service denies everything, or has never answered.

**Outage.** A service answers no request at all, unlike one that cannot answer some requests. Five losses in a row (no
answer, a broken one, 5xx), one refused connection, or a first 503 of a server that loads its model may be an outage, or
requests that always fail. A probe decides: one small request of our own. Meanwhile no other request starts. If the
probe is answered, the losses are failures of their requests. If it is lost too, the service is down: probes follow with
growing pauses until one of them, or a request that was still in flight, is answered. A service that is down for too
long is given up: its circuit breaker opens. The owner of an :class:`Outage` sends the requests and the probes, and
tells it how each ended.
"""

from __future__ import annotations

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from tsgkit.llm.concurrency import LONGEST_GATE
from tsgkit.llm.failures import WAITING, CallFailed, NotFinished
from tsgkit.llm.reply import Attempt
from tsgkit.llm.settings import RetryLimits

DENIALS = 3
"""Number of denials in a row (401, 403, 404, quota, billing), or of failed calls to a service that never answered."""
SAME_REFUSALS = 10
"""So many identical refusals in a row, or lost calls, of a service that never answered a request."""
TOO_LONG_PROMPTS = 3
"""So many prompts in a row that were too long, of a model that never answered a shorter one."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")
LOSSES = 5
PROBE_LABEL = "probe"
"""The label of probes among recorded calls."""
OFTEN = 5.0
"""Seconds between probes of a service that never answered, at most: it is awaited."""
LOADING = re.compile("loading", re.IGNORECASE)
Probe = Callable[[], Awaitable[CallFailed | None]]
"""Sends a probe, and returns how it was lost; None where it was answered."""
Pause = Callable[[float], Awaitable[None]]
"""Waits for some seconds; raises ``NotFinished`` where the breaker is open, or no more requests are to be made."""


def wait_after(
    failure: CallFailed,
    attempts: Sequence[Attempt],
    passed: float,
    patience: RetryLimits,
    *,
    is_starting: bool,
    rng: random.Random,
) -> float | None:
    """Return how long to wait before the next attempt; None to give up.

    ``passed`` is the seconds since the first attempt. A service that is starting has never answered.
    """

    def backoff(attempts: int) -> float:
        ceiling: float = min(patience.first_wait * 2 ** min(attempts - 1, 30), patience.longest_wait)
        return ceiling * rng.uniform(0.5, 1.0)

    if not failure.can_be_retried:
        return None
    asks = min(failure.retry_after or 0.0, LONGEST_GATE)
    if failure.throttled:
        is_awaited = is_starting and patience.max_outage > 0
        is_last = len(attempts) >= patience.throttled_attempts and not is_awaited
        if is_last or passed > (patience.max_outage if is_awaited else patience.throttled_seconds):
            return None
        if asks < patience.first_wait:  # "at once" would use up all attempts in a second
            return max(asks, backoff(len(attempts)))
        return asks + rng.uniform(0, 0.05)
    others = [attempt for attempt in attempts if attempt.status != 429 or failure.in_batch]
    last = others[-patience.same_error :]
    is_same = len(last) == patience.same_error and len({(attempt.error, attempt.status) for attempt in last}) == 1
    if len(others) >= patience.attempts or is_same:
        return None
    return max(backoff(len(others)), asks)


@dataclass
class CircuitBreaker:
    """Counter of denials and failures of one model; ``reason`` says why it is not asked any more.

    >>> breaker = CircuitBreaker("http://127.0.0.1:1/v1", 60)
    >>> for _ in range(DENIALS):
    ...     breaker.failed(CallFailed("NotFoundError: no such model", status=404))
    >>> breaker.reason
    'NotFoundError: no such model (404 at http://127.0.0.1:1/v1)'
    >>> breaker.advice
    "check the model's name (--model) and the address (--model-arg api_base=...)"
    """

    endpoint: str
    refused_seconds: float
    """Seconds that identical "too many" replies must last; limits per minute recover sooner."""
    on_open: Callable[[], None] = lambda: None
    """Called when it opens."""
    reason: str = ""
    last: CallFailed | None = None
    """The last request that brought no answer."""
    clock: Callable[[], float] = time.monotonic
    served: bool = False
    """True if any request was answered."""
    _opened_by: CallFailed | None = None
    _responded: bool = False
    _denials: int = 0
    _lost: int = 0
    _refusal: str = ""
    """The last refusal, without its numbers."""
    _refusals: int = 0
    _refused_since: float = 0.0

    @property
    def cause(self) -> str:
        """The reason why it is not asked any more, or never answered so far; empty if it answered."""
        return self.reason or ("" if self.served or self.last is None else self._message(self.last))

    @property
    def advice(self) -> str:
        """The one thing to change about the cause, where it is known."""
        failure = self._opened_by or (None if self.served else self.last)
        return "" if failure is None else advice_on(failure)

    def answered(self) -> None:
        """Note an answer. A breaker that is open stays open."""
        self.served = self._responded = True
        self._denials = 0

    def failed(self, failure: CallFailed) -> None:
        """Note a request that brought no answer."""
        self.last = failure
        self._responded |= failure.responded or failure.status is not None
        self._denials = self._denials + 1 if failure.denied else 0
        if self._denials >= DENIALS:
            self.end(self._message(failure), failure)
        is_retried_in_batch = failure.in_batch and failure.can_be_retried
        if self.reason or self.served or failure.status is None or failure.status >= 500 or is_retried_in_batch:
            return
        if failure.refused or failure.may_be_schema:  # for no reason that other requests would share
            return
        refusal, now = NUMBER.sub("#", failure.message), self.clock()
        if refusal != self._refusal:
            self._refusal, self._refusals, self._refused_since = refusal, 0, now
        self._refusals += 1
        number = f"{self._refusals:,}"
        if failure.throttled and now - self._refused_since < self.refused_seconds:
            return
        if failure.too_long and self._refusals >= TOO_LONG_PROMPTS:
            self.end(f"{number} prompts were too long for it, none was short enough: {failure.message}", failure)
        elif self._refusals >= SAME_REFUSALS:
            self.end(f"{number} identical refusals and no answer: {failure.message}", failure)

    def lost(self, failure: CallFailed) -> None:
        """Note a call that was given up after all its attempts."""
        if self.served or failure.unsent or failure.refused or failure.may_be_schema:
            return
        self._lost += 1
        if failure.lasting and self._lost >= DENIALS:
            self.end(f"none of the first {self._lost} calls worked: {failure.message}", failure)
        elif not self._responded and self._lost >= DENIALS:
            self.end(f"nothing was ever answered at {self.endpoint}, is it running? {failure.message}", failure)
        elif self._lost >= SAME_REFUSALS:
            self.end(f"none of the first {self._lost} calls brought an answer: {failure.message}", failure)

    def end(self, reason: str, failure: CallFailed) -> None:
        """Ask no more, for this reason or an earlier one."""
        if not self.reason:
            self.reason, self._opened_by = reason, failure
            self.on_open()

    def _message(self, failure: CallFailed) -> str:
        return f"{failure.message} (404 at {self.endpoint})" if failure.status == 404 else failure.message


def advice_on(failure: CallFailed) -> str:
    """Return the one thing to change before a model can be asked."""
    if failure.unpaid:
        return "its account has no credit or quota left: add some, or use the key of another"
    if failure.ended:
        return "the same command starts it again; with less memory in use: --model-arg ctx=..., --model-arg slots=1"
    if failure.misdirected:
        return "name the address that it redirects to: --model-arg api_base=..."
    if failure.status in (401, 403):
        return "check the key: the provider's ..._API_KEY in the environment, or --model-arg api_key=..."
    if failure.status == 404:
        return "check the model's name (--model) and the address (--model-arg api_base=...)"
    if failure.too_long:
        return "raise the context of the server, ask a model with a longer one, or send fewer examples (--shots)"
    if failure.lasting:
        return "mend that code"
    if failure.responded and failure.status is None:
        return "check that the address is the one of a model: --model-arg api_base=..."
    if failure.status is None:
        return "start the server, or mend its address: --model-arg api_base=..."
    return ""


class Outage:
    """The state of an outage: how many losses were met in a row, since when the service is down, and the probing."""

    def __init__(
        self, patience: RetryLimits, breaker: CircuitBreaker, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.since: float | None = None
        """The time of the first of the losses; None while the service is thought to be up."""
        self.reason, self._losses, self._lost_first = "", 0, 0.0
        self._patience, self._breaker, self._clock = patience, breaker, clock
        self._end: asyncio.Future[bool] | None = None
        """The end of the probing, with whether the service was down; None where nothing is probed."""
        self._probing: asyncio.Task[None] | None = None

    def is_certain(self, failure: CallFailed) -> bool:
        """Return whether a loss is the service's doing, whatever it was asked: it is not there, or is starting."""
        return failure.unreachable or (failure.status in WAITING and not self._breaker.served)

    def failed(self, failure: CallFailed) -> None:
        """Count a failed request if it is a loss; any other failure shows that the service is up."""
        if not failure.is_loss:
            self.answered()
        elif self._patience.max_outage:
            if not self._losses:
                self._lost_first = self._clock()
            self._losses = max(self._losses + 1, LOSSES if self.is_certain(failure) else 0)
            self.reason = failure.message

    def answered(self) -> None:
        """Note that the service answered: waiting calls may continue."""
        self._losses = 0
        self.end()

    @property
    def description(self) -> str:
        """The outage in words, for displays of progress."""
        lasted = 0.0 if self.since is None else self._clock() - self.since
        if not self._breaker.served and LOADING.search(self.reason):
            return f"the server is loading its model, for {lasted:.0f} s: {self.reason}"
        return f"no service for {lasted:.0f} s, a small request is tried again: {self.reason}"

    async def was_down(self, probe: Probe, pause: Pause) -> bool:
        """Return whether the losses are an outage, once it is over; the service is probed where that is not known."""
        if self._end is None:
            if self._losses < LOSSES:
                return False
            self._end = asyncio.get_running_loop().create_future()
            self._probing = asyncio.create_task(self._probed(probe, pause))
        return await asyncio.shield(self._end)

    @property
    def is_probed(self) -> bool:
        """True while it is not known whether the service is up."""
        return self._end is not None

    async def over(self) -> None:
        """Wait until the service is not probed any more."""
        while self._end is not None:
            await asyncio.shield(self._end)

    async def _probed(self, probe: Probe, pause: Pause) -> None:
        """Probe until the service answers, with growing pauses. Open the breaker where it has been down too long."""
        patience, breaker, wait = self._patience, self._breaker, self._patience.first_wait
        try:
            while (failure := await probe()) is not None:
                self.since, self.reason = self._lost_first, failure.message
                lasted, longest, option = self._clock() - self.since, patience.max_outage, "--max-outage"
                seconds = max(wait, min(failure.retry_after or 0.0, patience.longest_wait))
                if not breaker.served:
                    seconds = max(min(seconds, OFTEN), failure.retry_after or 0.0)
                    if failure.status not in WAITING:
                        longest, option = min(longest, patience.wait_for_server), "--wait-for-server"
                if lasted >= longest:
                    what = "no service" if failure.unreachable else "no answer"
                    where = "" if breaker.served else f" at {breaker.endpoint}"
                    breaker.end(f"{what}{where} for {lasted:.0f} s (limit: {option}): {failure.message}", failure)
                await pause(max(min(seconds, longest - lasted), 0.0))
                wait = min(2 * wait, patience.longest_wait)
        except NotFinished:  # of each call its own: each meets it again at its next step
            self.end()
        except Exception as error:  # noqa: BLE001  (what a provider raises that is no failed call is a bug)
            self.end(error)
        else:
            self.answered()

    def end(self, error: Exception | None = None) -> None:
        """End the probing, and let the waiting calls go on, or raise an error in them."""
        end, probing, was_down = self._end, self._probing, self.since is not None
        self._end = self._probing = self.since = None
        if probing is not None and probing is not asyncio.current_task():
            probing.cancel()
        if end is not None and error is None:
            end.set_result(was_down)
        elif end is not None and error is not None:
            end.set_exception(error)
            end.exception()  # all who waited may be gone
