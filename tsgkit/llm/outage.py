"""Outages of a service that answered before: all calls wait while one at a time probes it.

Five losses in a row (no answer, a broken one, 5xx) count as an outage. From then on the calls of this model wait in
line. The first of them probes after a pause; each failure doubles the pause and moves its call to the end of the line,
so that a single request that breaks the service does not block the others. Any answer ends the outage.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

LOSSES = 5


class Outage:
    """The state of an outage: whether the model is down, since when, and which call probes next."""

    def __init__(self, first_wait: float, longest_wait: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.since: float | None = None
        """When the first of the losses was met; None while the service is thought to be up."""
        self.reason = ""
        self.wait = first_wait
        self._first_wait, self._longest_wait, self._clock = first_wait, longest_wait, clock
        self._losses = 0
        self._lost_first = 0.0
        self._trying = False
        self._line: deque[asyncio.Future[bool]] = deque()

    def lost(self, reason: str, asked_wait: float = 0.0, *, tried: bool = False) -> None:
        """Count a loss; ``asked_wait`` is how long the service asks to be left alone."""
        self._losses += 1
        self.reason = reason
        if self._losses == 1:
            self._lost_first = self._clock()
        if self.since is None and self._losses >= LOSSES:
            self.since, self.wait = self._lost_first, max(self._first_wait, min(asked_wait, self._longest_wait))
        elif tried:
            self.wait = min(max(self.wait * 2, asked_wait), self._longest_wait)

    def answered(self) -> None:
        """Note that the service answered: waiting calls may continue."""
        self._losses, self.since = 0, None
        self._let_go(len(self._line), turn=False)

    def lasted(self) -> float:
        """Seconds since the first loss."""
        return 0.0 if self.since is None else self._clock() - self.since

    async def wait_in_line(self, sleep: Callable[[float], Awaitable[None]]) -> bool:
        """Wait until the service is up (False), or until it is this call's turn to try (True; then ``tried`` it)."""
        while self.since is not None:
            if not self._trying:
                self._trying = True
                try:
                    await sleep(self.wait)
                except BaseException:
                    self.tried()
                    raise
                return True
            if await self._turn():
                self._trying = False
        return False

    async def _turn(self) -> bool:
        """Wait in the line; the result says whether the turn to try was handed over."""
        waiter: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._line.append(waiter)
        try:
            return await waiter
        except BaseException:
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None and waiter.result():
                self.tried()  # the turn came in the same moment as the cancellation
            raise

    def tried(self) -> None:
        """End a probe. The next call in line may probe."""
        self._trying = self._let_go(1, turn=True) > 0

    def turn_away(self, reason: Callable[[], BaseException]) -> None:
        """End the waiting of all in the line."""
        while self._line:
            waiter = self._line.popleft()
            if not waiter.done():
                waiter.set_exception(reason())

    def _let_go(self, number: int, *, turn: bool) -> int:
        """End the waiting of the first so many; the result is how many there were."""
        gone = 0
        while self._line and gone < number:
            waiter = self._line.popleft()
            if not waiter.done():
                waiter.set_result(turn)
                gone += 1
        return gone
