"""Adaptive concurrency and rate of requests to one model: a queue that discovers what the service accepts.

The number of requests in flight starts small and doubles with every round of answers until a limit or the ceiling is
reached. A single 429 delays only its own request, as long as the service asks, and removes one slot. Many in a row, in
the order of the requests, indicate a rate limit: the slots shrink by a third, the gate closes for as long as the
service asks, and the rate before that is kept afterwards, be it a hundred a second or fifteen a minute. If requests are
rejected right after the gate opens, it closes for twice as long; the first admitted request then shows the length of
the limit's window. Without further 429 the rate rises slowly; if the pause does not prevent them, it is doubled. Limits
per minute on requests and tokens are kept by spacing starts evenly.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import groupby

START = 8
SHRINK = 0.7
RECOVERY = 0.25
"""Places that an answer brings back after a 429 took one: a service may turn a fifth away at random."""
PACE_MARGIN = 0.995
PACE_GROWTH = 1.05
GROW_PACE_AFTER = 30.0
GROW_PACE_AFTER_REQUESTS = 10
GROW_PACE_EVERY = 5.0
FIRST_PAUSE = 1.0
LONGEST_GATE = 300.0
WINDOW = 1.0
"""The shortest window in which a rate is measured, and the resolution of the waiting times that services request."""
MANY = 40
"""Starts in a second after which a limit may be near: more places are tried only when it is over."""
MANY_THAT_QUEUE, QUEUEING, CLOCKED = 16, 1.4, 0.01
"""The same where an answer took so much longer than the quickest, or than what can be clocked: more places would only
make requests wait elsewhere."""
LOOKBACK = 60.0
"""The longest window; most limits are per minute."""
IN_A_ROW = 7
LATEST = 32
IN_VAIN = 2
"""So many that are turned away first after the gate was opened say that it was too early; one may be chance."""
UNRELATED = 0.08
UNRELATED_SECONDS = 3.0
UNRELATED_REQUESTS = 20
"""If this share of requests is rejected for this long although the rate is kept, the rate is not the cause."""
BURST = 0.5
BURST_AT_A_PACE = 0.4
"""Shares of the latest outcomes that are a limit; where a pace is known already, fewer say that it is too high."""


@dataclass(slots=True)
class AdmittedRequest:
    """A request in flight or finished, and whether it was rejected."""

    at: float
    rejected: bool = False


class RequestQueue:
    """The request queue of one model."""

    def __init__(
        self,
        ceiling: int,
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        start: int = START,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ceiling = max(ceiling, 1)
        self.limit = float(min(start, self.ceiling))
        self.active = 0
        self.throttles = 0
        self._rpm, self._tpm, self._clock = requests_per_minute, tokens_per_minute, clock
        self._starting_slowly = True
        self._waiters: deque[asyncio.Future[None]] = deque()
        self._admitted: deque[float] = deque(maxlen=4096)
        """The starts of requests that were not turned away, as far as is known."""
        self._latest: deque[AdmittedRequest] = deque(maxlen=2 * LATEST)
        """The latest requests in the order of their starts: a rejection comes sooner than an answer."""
        self._pace: float | None = None
        self._learned = 0.0
        self._gate = self._next_start = self._pace_grows_at = 0.0
        self._pause = 0.0
        """The last time for which the gate was closed."""
        self._testing = False
        """Whether nothing has been admitted since the gate was opened."""
        self._quickest = math.inf
        """Seconds that the quickest answer took."""
        self._held_since: float | None = None
        """Since when the places no longer double, as many requests start in a second already."""
        self._since: float | None = None
        """Since when all that was admitted counts for the pace; None before the first request."""
        self._burst = 0.0
        self._rejected_at_the_pace = self._in_vain = 0

    @property
    def pace(self) -> float | None:
        """The requests a second this model is held to, as far as that is known."""
        fixed = self._rpm / 60 if self._rpm else None
        return min((pace for pace in (self._pace, fixed) if pace), default=None)

    async def enter(self, tokens: int = 0, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> float:
        """Wait for a place, by this way of sleeping; ``leave`` gives it back. The result is when the request starts."""
        if self._waiters or self.active >= int(self.limit):
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            try:
                await waiter  # for the place that _wake hands over, which counts as taken already
            except BaseException:
                if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                    self.leave()  # the place came in the same moment as the cancellation: somebody else needs it
                elif waiter in self._waiters:
                    self._waiters.remove(waiter)
                self._wake()
                raise
        else:
            self.active += 1
        start = max(self._clock(), self._next_start)
        self._next_start = start + self._spacing(tokens)
        try:
            while (wait := max(start, self._gate) - self._clock()) > 0:
                await sleep(wait)
                if self._gate > start:  # those who waited at the gate go on one after the other, as the pace allows
                    start = max(self._gate, self._next_start)
                    self._next_start = start + self._spacing(tokens)
        except BaseException:
            self.leave()
            raise
        start = self._clock()
        self._since = start if self._since is None else self._since
        self._admitted.append(start)
        self._latest.append(AdmittedRequest(start))
        return start

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

    def _spacing(self, tokens: int) -> float:
        """Return how long after this request the next may start."""
        now = self._clock()
        if self._pace is not None and now >= self._pace_grows_at:
            self._pace *= PACE_GROWTH
            self._pace_grows_at = now + max(GROW_PACE_EVERY, GROW_PACE_AFTER_REQUESTS / 2 / self._pace)
        by_requests = 1 / self.pace if self.pace else 0.0
        return max(by_requests, 60 * tokens / self._tpm if self._tpm else 0.0)

    def succeeded(self, started: float | None = None) -> None:
        """Note that the service answered a request that started then: it may accept more."""
        started = self._clock() if started is None else started
        if self._testing and started >= self._gate:
            self._testing = False
            self._measure(started, slack=WINDOW)
            self._since = self._gate
        took = self._clock() - started
        self._quickest = min(self._quickest, took)
        if self.limit < self.ceiling and self.active >= int(self.limit) - 1 and not self._is_held(took):
            self.limit = min(self.limit + (1.0 if self._starting_slowly else RECOVERY), float(self.ceiling))
        self._wake()

    def _is_held(self, took: float) -> bool:
        """Return whether the first second with many starts is not over: who limits it may not have answered yet."""
        now = self._clock()
        if self._held_since is None:
            many = MANY_THAT_QUEUE if took > QUEUEING * max(self._quickest, CLOCKED) else MANY
            if len(self._admitted) < many or self._admitted[-many] <= now - WINDOW:
                return False
            self._held_since = now
        return self._starting_slowly and now < self._held_since + WINDOW

    def throttled(self, retry_after: float | None, started: float | None = None) -> None:
        """Note that a request that started then was turned away with 429."""
        now = self._clock()
        self.throttles += 1
        if started is None:
            self._latest.append(AdmittedRequest(now, rejected=True))
        elif started in self._admitted:
            self._admitted.remove(started)
        for request in self._latest:
            if request.at == started and not request.rejected:
                request.rejected = True
                break
        if now < self._gate or (started is not None and started < self._gate):  # of a burst that was noticed already
            if self._testing:
                self._measure(self._burst)
            return
        rejected = [request.rejected for request in self._latest]
        in_a_row = max((sum(group) for _, group in groupby(rejected)), default=0)
        share = BURST if self._pace is None else BURST_AT_A_PACE
        if self._testing and self._in_vain < IN_VAIN - 1:
            self._in_vain += 1
        elif self._testing:
            self._close(now, max(2 * self._pause, retry_after or 0.0))
        elif in_a_row >= IN_A_ROW or sum(rejected[-LATEST:]) >= share * LATEST:
            self._close(now, FIRST_PAUSE if retry_after is None else retry_after)
        else:
            self.limit = max(self.limit - 1.0, 1.0)
            if self._pace is None:
                return
            # back to the pace that was learned where it had risen since; doubled where it does not help
            self._rejected_at_the_pace += 1
            since = self._since or 0.0
            admitted = sum(1 for start in self._admitted if start >= since)
            share = self._rejected_at_the_pace / (admitted + self._rejected_at_the_pace)
            if admitted >= UNRELATED_REQUESTS and now - since >= UNRELATED_SECONDS and share >= UNRELATED:
                self._pace = self._learned = 2 * self._pace
                self._since, self._rejected_at_the_pace = now, 0
            else:
                self._pace = min(self._pace, self._learned)
            self._keep_pace(now)

    def _close(self, now: float, pause: float) -> None:
        """Close the gate for a while, and keep to the pace that was admitted up to now."""
        self._pause = min(pause, LONGEST_GATE)
        self._gate, self._burst = now + self._pause, now
        if not self._testing:
            self.limit = max(self.limit * SHRINK, 1.0)
            self._since = max(now if self._since is None else self._since, now - LOOKBACK)
        self._testing, self._starting_slowly = True, False
        self._latest.clear()
        self._rejected_at_the_pace = self._in_vain = 0
        self._measure(now)

    def _measure(self, until: float, slack: float = 0.0) -> None:
        """Learn the rate from the requests admitted before a burst: all of them, or those in its last second.

        The time until the first request is admitted again is included, except the second that services round up.
        """
        rates = []
        first = self._burst if self._since is None else self._since
        for since in (first, max(first, self._burst - WINDOW)):
            admitted = sum(1 for start in self._admitted if since <= start <= self._burst)
            rates.append(admitted / max(WINDOW, until - since - slack))
        if (rate := max(rates)) > 0:
            self._pace = self._learned = rate * PACE_MARGIN
            self._keep_pace(until)

    def _keep_pace(self, now: float) -> None:
        self._pace_grows_at = now + max(GROW_PACE_AFTER, GROW_PACE_AFTER_REQUESTS / (self._pace or 1.0))
