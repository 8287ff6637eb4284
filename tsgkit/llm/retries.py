"""Retries of a call: how often it is sent again, and how long is waited before.

A service that says it receives too many requests (429) names the wait, and is asked more often than one that fails;
other waits double from attempt to attempt. The same error several times in a row ends a call early.

>>> patience, rng = Patience(attempts=60, same_error=60, first_wait=0.5, longest_wait=60.0), random.Random(0)
>>> for failure in (CallFailed("busy", 500), CallFailed("slow down", 429, retry_after=0.0)):
...     attempt = Attempt(0.0, failure.message, failure.status)
...     waits = [patience.wait_after(failure, [attempt] * n, 0.0, is_starting=False, rng=rng) for n in (1, 2, 5, 10)]
...     print(*(round(wait, 1) for wait in waits))
0.5 0.9 5.7 37.8
0.4 0.7 7.1 39.1
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from tsgkit.llm.concurrency import LONGEST_GATE
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.reply import Attempt


@dataclass(frozen=True)
class Patience:
    """Limits of one call: attempts, total seconds of waiting, and equal errors in a row."""

    timeout: float = 300.0
    attempts: int = 8
    same_error: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0
    throttled_attempts: int = 60
    throttled_seconds: float = 1800.0
    max_outage: float = 1800.0
    """Seconds to wait for a service that answered before, or says that it is not ready (429, 503); 0 for not at all."""
    wait_for_server: float = 15.0
    """Seconds to wait for a service that never answered; 0 for not at all."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return the patience that options name, with ``max_outage`` in minutes; those that are None say nothing."""
        names = ("timeout", "attempts", "max_outage", "wait_for_server")
        given = {name: options[name] for name in names if options.get(name) is not None}
        if "max_outage" in given:
            given["max_outage"] *= 60
        return cls(**given, same_error=min(cls.same_error, given.get("attempts", cls.same_error)))

    def wait_after(
        self, failure: CallFailed, attempts: Sequence[Attempt], passed: float, *, is_starting: bool, rng: random.Random
    ) -> float | None:
        """Return how long to wait before the next attempt; None to give up.

        ``passed`` is the seconds since the first attempt. A service that is starting has never answered.
        """
        if not failure.can_be_retried:
            return None
        if failure.throttled:
            is_awaited = is_starting and self.max_outage > 0
            is_last = len(attempts) >= self.throttled_attempts and not is_awaited
            if is_last or passed > (self.max_outage if is_awaited else self.throttled_seconds):
                return None
            asked = min(failure.retry_after or 0.0, LONGEST_GATE)
            if asked < self.first_wait:  # "at once" would use up all attempts in a second
                return max(asked, self._backoff(len(attempts), rng))
            return asked + rng.uniform(0, 0.05)
        others = [attempt for attempt in attempts if attempt.status != 429 or failure.in_batch]
        last = others[-self.same_error :]
        is_same = len(last) == self.same_error and len({(attempt.error, attempt.status) for attempt in last}) == 1
        if len(others) >= self.attempts or is_same:
            return None
        return max(self._backoff(len(others), rng), min(failure.retry_after or 0.0, LONGEST_GATE))

    def _backoff(self, attempts: int, rng: random.Random) -> float:
        ceiling: float = min(self.first_wait * 2 ** min(attempts - 1, 30), self.longest_wait)
        return ceiling * rng.uniform(0.5, 1.0)
