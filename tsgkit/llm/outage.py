"""Outages: a service that answers no request at all, told apart from single requests that it cannot answer.

Five losses in a row (no answer, a broken one, 5xx), one refused connection, or a first 503 of a server that loads its
model may be an outage, or requests that always fail. A probe tells: one small request of our own. Meanwhile no other
request starts. If the probe is answered, the losses are failures of their requests. If it is lost too, the service is
down: probes follow with growing pauses until one of them, or a request that was still in flight, is answered.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from tsgkit.llm.failures import CallFailed, NotFinished

LOSSES = 5
PROBE: list[dict[str, Any]] = [{"role": "user", "content": "Reply with OK."}]
"""The prompt of a probe."""
Probe = Callable[[], Awaitable[CallFailed | None]]
"""Sends a probe, and returns how it was lost; None where it was answered."""
Pause = Callable[[float, CallFailed], Awaitable[None]]
"""Waits after a lost probe, or raises ``NotFinished``."""


class Outage:
    """The state of an outage: how many losses were met in a row, since when the service is down, and the probing."""

    def __init__(self, first_wait: float, longest_wait: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.since: float | None = None
        """When the first of the losses was met; None while the service is thought to be up."""
        self.reason = ""
        self._first_wait, self._longest_wait, self._clock = first_wait, longest_wait, clock
        self._losses = 0
        self._lost_first = 0.0
        self._end: asyncio.Future[bool] | None = None
        """The end of the probing, with whether the service was down; None where nothing is probed."""
        self._probing: asyncio.Task[None] | None = None

    def lost(self, failure: CallFailed, *, is_certain: bool = False) -> None:
        """Count a loss; a certain one is the service's doing, whatever it was asked."""
        was_lost = self._losses > 0
        self._losses = max(self._losses + 1, LOSSES if is_certain else 0)
        self.reason = failure.message
        if not was_lost:
            self._lost_first = self._clock()

    def answered(self) -> None:
        """Note that the service answered: waiting calls may continue."""
        self._losses = 0
        self.end()

    def lasted(self) -> float:
        """Seconds since the first loss."""
        return 0.0 if self.since is None else self._clock() - self.since

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
        wait = self._first_wait
        try:
            while (failure := await probe()) is not None:
                self.since, self.reason = self._lost_first, failure.message
                await pause(max(wait, min(failure.retry_after or 0.0, self._longest_wait)), failure)
                wait = min(2 * wait, self._longest_wait)
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
