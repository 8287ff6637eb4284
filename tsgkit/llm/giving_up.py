"""When a model is not asked any more: it denies everything, or has never answered at all."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from tsgkit.llm.failures import CallFailed

DENIALS = 3
"""So many denials in a row (401, 403, 404, quota, billing), or calls to a service that never said a word."""
SAME_REFUSALS = 10
"""So many identical refusals in a row, or lost calls, of a service that never answered a request."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass
class GivingUp:
    """Counts what speaks against asking a model any further; ``reason`` says why it is asked no more."""

    endpoint: str
    refused_seconds: float
    """How long identical "too many" must last; limits a minute or a window frees itself sooner."""
    reason: str = ""
    clock: Callable[[], float] = time.monotonic
    _served: bool = False
    _responded: bool = False
    _denials: int = 0
    _lost: int = 0
    _refusal: str = ""
    _refusals: int = 0
    _refused_since: float = 0.0

    @property
    def served(self) -> bool:
        """Whether any request has been answered."""
        return self._served

    def answered(self) -> None:
        """Note an answer; who is given up stays given up, whatever still comes home."""
        self._served = self._responded = True
        self._denials = 0

    def failed(self, failure: CallFailed) -> None:
        """Note a request that brought no answer."""
        self._responded = self._responded or failure.responded or failure.status is not None
        self._denials = self._denials + 1 if failure.denied else 0
        if self._denials >= DENIALS:
            self.end(failure.message)
        elif not self._served and _is_refusal(failure):
            self._count_refusal(failure)

    def _count_refusal(self, failure: CallFailed) -> None:
        said, now = NUMBER.sub("#", failure.message), self.clock()
        if said != self._refusal:
            self._refusal, self._refusals, self._refused_since = said, 0, now
        self._refusals += 1
        if failure.throttled and now - self._refused_since < self.refused_seconds:
            return
        if self._refusals >= SAME_REFUSALS:
            self.end(f"{self._refusals:,} identical refusals and no answer: {failure.message}")

    def lost(self, failure: CallFailed) -> None:
        """Note a call that was given up after all its attempts."""
        if self._served or failure.unsent or failure.refused or failure.may_be_schema:
            return
        self._lost += 1
        if failure.lasting and self._lost >= DENIALS:
            self.end(f"none of the first {self._lost} calls worked: {failure.message}")
        elif not self._responded and self._lost >= DENIALS:
            self.end(f"nothing was ever answered at {self.endpoint}, is it running? {failure.message}")
        elif self._lost >= SAME_REFUSALS:
            self.end(f"none of the first {self._lost} calls brought an answer: {failure.message}")

    def end(self, reason: str) -> None:
        """Ask no more, for this reason or an earlier one."""
        self.reason = self.reason or reason


def _is_refusal(failure: CallFailed) -> bool:
    """Return whether the service turned the request itself away, for a reason that others would share."""
    is_denied = failure.status is not None and failure.status < 500
    return is_denied and not failure.refused and not failure.may_be_schema
