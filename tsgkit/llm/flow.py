"""How fast one model is asked: a queue that waits rather than rejects, and finds out what the service can take.

The number of requests in flight starts small and doubles with every round of answers until the service says "too
many" or the ceiling is reached; from then on it grows by one a round. A single 429 concerns its own request, which
waits as long as the service asks, and takes one place away. Several among the latest answers are a limit that was hit:
once for each burst of them the places shrink by a third, the gate closes for as long as the service asks, and the rate
that was served in the second before is the pace kept afterwards; without a further burst it rises slowly. Limits of
requests and tokens a minute are kept by spacing starts evenly.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

START = 8
SHRINK = 0.7
PACE_MARGIN = 0.98
PACE_GROWTH = 1.05
GROW_PACE_AFTER = 30.0
GROW_PACE_EVERY = 5.0
LONGEST_GATE = 300.0
FEWEST_FOR_A_PACE = 5
LATEST = 20
BURST = 0.4


class Flow:
    """The queue in front of one model."""

    def __init__(
        self,
        ceiling: int,
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ceiling = max(ceiling, 1)
        self.limit = float(min(START, self.ceiling))
        self.active = 0
        self.throttles = 0
        self._rpm, self._tpm, self._clock = requests_per_minute, tokens_per_minute, clock
        self._starting_slowly = True
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._served: deque[float] = deque(maxlen=4096)
        self._latest: deque[bool] = deque([True] * LATEST, maxlen=LATEST)
        self._pace: float | None = None
        self._gate = self._next_start = self._burst_until = self._pace_grows_at = 0.0

    @property
    def pace(self) -> float | None:
        """The requests a second this model is held to, as far as that is known."""
        fixed = self._rpm / 60 if self._rpm else None
        return min((pace for pace in (self._pace, fixed) if pace), default=None)

    async def enter(self, tokens: int = 0, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Wait for a place, by this way of sleeping; ``leave`` gives it back."""
        if self._waiters or self.active >= int(self.limit):
            await self._queue()
        else:
            self.active += 1
        try:
            await self._wait_for_the_start(tokens, sleep)
        except BaseException:
            self.leave()
            raise

    async def _queue(self) -> None:
        """Wait for the place that ``_wake`` hands over, already counted as taken, so that nobody slips in between."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            await waiter
        except BaseException:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self.leave()  # the place came in the same moment as the cancellation: somebody else needs it
            elif waiter in self._waiters:
                self._waiters.remove(waiter)
            self._wake()
            raise

    def turn_away(self, reason: Callable[[], BaseException]) -> None:
        """End the waiting of all who have no place yet."""
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_exception(reason())

    def leave(self) -> None:
        """Give a place back, and let the next ones in."""
        self.active -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiters and self.active < int(self.limit):
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(None)
                self.active += 1

    async def _wait_for_the_start(self, tokens: int, sleep: Callable[[float], Awaitable[None]]) -> None:
        start = max(self._clock(), self._next_start)
        self._next_start = start + self._spacing(tokens)
        while True:
            now = self._clock()
            if (wait := max(start, self._gate) - now) <= 0:
                return
            await sleep(wait)
            if self._gate > start:  # those who waited at the gate go on one after the other, as the pace allows
                start = max(self._gate, self._next_start)
                self._next_start = start + self._spacing(tokens)

    def _spacing(self, tokens: int) -> float:
        """How long after this request the next may start."""
        self._grow_pace()
        by_requests = 1 / self.pace if self.pace else 0.0
        return max(by_requests, 60 * tokens / self._tpm if self._tpm else 0.0)

    def _grow_pace(self) -> None:
        now = self._clock()
        if self._pace is not None and now >= self._pace_grows_at:
            self._pace *= PACE_GROWTH
            self._pace_grows_at = now + GROW_PACE_EVERY

    def succeeded(self) -> None:
        """A request was served: there may be room for more."""
        self._served.append(self._clock())
        self._latest.append(True)
        if self.limit < self.ceiling and self.active >= int(self.limit) - 1:
            self.limit = min(self.limit + (1.0 if self._starting_slowly else 1 / self.limit), float(self.ceiling))
        self._wake()

    def throttled(self, retry_after: float | None) -> None:
        """A request was turned away with 429."""
        now = self._clock()
        self.throttles += 1
        self._latest.append(False)
        self._starting_slowly = False
        if now < self._burst_until:
            return
        if self._latest.count(False) < BURST * LATEST and self.active > 1:
            self.limit = max(self.limit - 1.0, 1.0)
            return
        self._shrink(now, min(retry_after if retry_after is not None else 1.0, LONGEST_GATE))

    def _shrink(self, now: float, pause: float) -> None:
        self._gate = now + pause
        self._burst_until = now + max(pause, 1.0)
        self.limit = max(self.limit * SHRINK, 1.0)
        self._latest.extend([True] * LATEST)
        recent = sum(1 for served in self._served if served > now - 1.0)
        if recent >= FEWEST_FOR_A_PACE:
            self._pace = recent * PACE_MARGIN
            self._pace_grows_at = now + GROW_PACE_AFTER
