"""Circuit breaker of a model: it opens if the service denies everything, or has never answered."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from tsgkit.llm.failures import CallFailed

DENIALS = 3
"""Number of denials in a row (401, 403, 404, quota, billing), or of failed calls to a service that never answered."""
SAME_REFUSALS = 10
"""So many identical refusals in a row, or lost calls, of a service that never answered a request."""
TOO_LONG_PROMPTS = 3
"""So many prompts in a row that were too long, of a model that never answered a shorter one."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")


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
    reason: str = ""
    last: CallFailed | None = None
    """The last request that brought no answer."""
    clock: Callable[[], float] = time.monotonic
    _opened_by: CallFailed | None = None
    _served: bool = False
    _responded: bool = False
    _denials: int = 0
    _lost: int = 0
    _refusal: str = ""
    _refusals: int = 0
    _refused_since: float = 0.0

    @property
    def served(self) -> bool:
        """True if any request was answered."""
        return self._served

    @property
    def cause(self) -> str:
        """The reason why it is not asked any more, or never answered so far; empty if it answered."""
        return self.reason or ("" if self._served or self.last is None else self._message(self.last))

    @property
    def advice(self) -> str:
        """The one thing to change about the cause, where it is known."""
        failure = self._opened_by or (None if self._served else self.last)
        return "" if failure is None else advice_on(failure)

    def answered(self) -> None:
        """Note an answer. A breaker that is open stays open."""
        self._served = self._responded = True
        self._denials = 0

    def failed(self, failure: CallFailed) -> None:
        """Note a request that brought no answer."""
        self.last = failure
        self._responded = self._responded or failure.responded or failure.status is not None
        self._denials = self._denials + 1 if failure.denied else 0
        if self._denials >= DENIALS:
            self.end(self._message(failure), failure)
        elif not self._served and _is_refusal(failure):
            self._count_refusal(failure)

    def _count_refusal(self, failure: CallFailed) -> None:
        refusal, now = NUMBER.sub("#", failure.message), self.clock()
        if refusal != self._refusal:
            self._refusal, self._refusals, self._refused_since = refusal, 0, now
        self._refusals += 1
        if failure.throttled and now - self._refused_since < self.refused_seconds:
            return
        if failure.too_long and self._refusals >= TOO_LONG_PROMPTS:
            self.end(
                f"{self._refusals:,} prompts were too long for it, none was short enough: {failure.message}", failure
            )
        elif self._refusals >= SAME_REFUSALS:
            self.end(f"{self._refusals:,} identical refusals and no answer: {failure.message}", failure)

    def lost(self, failure: CallFailed) -> None:
        """Note a call that was given up after all its attempts."""
        if self._served or failure.unsent or failure.refused or failure.may_be_schema:
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


def _is_refusal(failure: CallFailed) -> bool:
    """Return whether the service turned the request itself away, for a reason that others would share."""
    is_denied = failure.status is not None and failure.status < 500
    if failure.in_batch and failure.can_be_retried:
        return False
    return is_denied and not failure.refused and not failure.may_be_schema
