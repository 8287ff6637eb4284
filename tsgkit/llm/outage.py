"""Outage of a service: it answers no request at all, unlike a service that cannot answer some requests.

Five losses in a row (no answer, a broken one, 5xx), one refused connection, or a first 503 of a server that loads its
model may be an outage, or requests that always fail. A probe decides: one small request of our own. Meanwhile no other
request starts. If the probe is answered, the losses are failures of their requests. If it is lost too, the service is
down: probes follow with growing pauses until one of them, or a request that was still in flight, is answered. A service
that is down for too long is given up: its circuit breaker opens.

The owner of an :class:`Outage` sends the requests and the probes, and tells it how each ended.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

from tsgkit.llm.circuit_breaker import CircuitBreaker
from tsgkit.llm.failures import CallFailed, NotFinished
from tsgkit.llm.responses import WAITING
from tsgkit.llm.retries import Patience

LOSSES = 5
PROBE: list[dict[str, Any]] = [{"role": "user", "content": "Reply with OK."}]
"""The prompt of a probe."""
PROBE_LABEL = "probe"
"""The label of probes among recorded calls."""
OFTEN = 5.0
"""Seconds between probes of a service that never answered, at most: it is awaited."""
LOADING = re.compile("loading", re.IGNORECASE)
Probe = Callable[[], Awaitable[CallFailed | None]]
"""Sends a probe, and returns how it was lost; None where it was answered."""
Pause = Callable[[float], Awaitable[None]]
"""Waits for some seconds; raises ``NotFinished`` where the breaker is open, or no more requests are to be made."""


class Outage:
    """The state of an outage: how many losses were met in a row, since when the service is down, and the probing."""

    def __init__(
        self, patience: Patience, breaker: CircuitBreaker, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.since: float | None = None
        """When the first of the losses was met; None while the service is thought to be up."""
        self.reason = ""
        self._patience, self._breaker, self._clock = patience, breaker, clock
        self._losses = 0
        self._lost_first = 0.0
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
    def lasted(self) -> float:
        """Seconds since the first loss."""
        return 0.0 if self.since is None else self._clock() - self.since

    @property
    def description(self) -> str:
        """The outage in words, for displays of progress."""
        if not self._breaker.served and LOADING.search(self.reason):
            return f"the server is loading its model, for {self.lasted:.0f} s: {self.reason}"
        return f"no service for {self.lasted:.0f} s, a small request is tried again: {self.reason}"

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
        wait = self._patience.first_wait
        try:
            while (failure := await probe()) is not None:
                self.since, self.reason = self._lost_first, failure.message
                await pause(self._next_probe(wait, failure))
                wait = min(2 * wait, self._patience.longest_wait)
        except NotFinished:  # of each call its own: each meets it again at its next step
            self.end()
        except Exception as error:  # noqa: BLE001  (what a provider raises that is no failed call is a bug)
            self.end(error)
        else:
            self.answered()

    def _next_probe(self, wait: float, failure: CallFailed) -> float:
        """Return the seconds until the next probe. Open the breaker where the service has been down too long."""
        patience = self._patience
        longest, option = patience.max_outage, "--max-outage"
        seconds = max(wait, min(failure.retry_after or 0.0, patience.longest_wait))
        if not self._breaker.served:
            seconds = max(min(seconds, OFTEN), failure.retry_after or 0.0)
            if failure.status not in WAITING:
                longest, option = min(longest, patience.wait_for_server), "--wait-for-server"
        if self.lasted < longest:
            return min(seconds, longest - self.lasted)
        what = "no service" if failure.unreachable else "no answer"
        where = "" if self._breaker.served else f" at {self._breaker.endpoint}"
        why = f"{what}{where} for {self.lasted:.0f} s (limit: {option}): {failure.message}"
        self._breaker.end(why, failure)
        return 0.0

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
