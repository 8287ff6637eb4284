"""Replies of a model: text, ending, usage, and all attempts; functions that bring them; and budgets of their usage.

>>> Usage(prompt=100, completion=20) + Usage(prompt=50, completion=None)
Usage(prompt=150, completion=None, reasoning=None, cached=None, cost=None, written=None)

Budgets limit requests, tokens and money. Requests in flight count with their estimate.

>>> budget = CallBudget(requests=2)
>>> budget.take(ExpectedUsage(tokens=50, cost=None)) and budget.take(ExpectedUsage(tokens=50, cost=None))
True
>>> budget.take(ExpectedUsage(tokens=50, cost=None)), budget.reached
(False, '2 of 2 requests')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Schema = dict[str, Any] | None
"""The response format of a request; None for none."""
PROBE: list[dict[str, Any]] = [{"role": "user", "content": "Reply with OK."}]
"""The prompt of a probe."""


class Ending(StrEnum):
    """The ending of a call."""

    COMPLETE = "complete"
    EMPTY = "empty"
    """The reply has no content."""
    TRUNCATED = "truncated"
    """It was cut off at a length limit."""
    REFUSED = "refused"
    """A content filter or the refusal field refused."""
    API_ERROR = "api_error"
    """The service failed, after retries."""
    MISSING = "missing"
    """No model was asked: a script without a reply for this call."""


WHOLE = frozenset(
    (
        *("stop", "end_turn", "stop_sequence", "complete", "completed", "eos", "eos_token", "finished", "done", "end"),
        *("tool_calls", "tool_use", "tool_call", "function_call", "load", "unload"),
    )
)
"""Finish reasons of whole answers; below, those of answers that were cut and of refusals."""
CUT = frozenset(("length", "max_tokens", "model_length", "max_output_tokens", "max_length", "compaction"))
FILTERED = frozenset(("content_filter", "refusal", "safety", "sensitive"))
FILTERED_AS_WRITTEN = frozenset(
    (
        *("BLOCKLIST", "ERROR_TOXIC", "ESCALATION", "IMAGE_OTHER", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
        *("IMAGE_SAFETY", "LANGUAGE", "NO_IMAGE", "OTHER", "PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII"),
        *("content_filtered", "guardrail_intervened"),
    )
)
"""Words of Google, Cohere and Amazon; in small letters most of them could mean anything."""


def ending_of(reason: str | None, mapped: str | None, text: str | None) -> Ending:
    """Return the ending for a finish reason. Only known good ones count as answers, unknown ones as truncated.

    ``mapped`` is LiteLLM's word for it; None where LiteLLM was not asked.
    """
    word = (reason or "stop").lower()
    if word in FILTERED or reason in FILTERED_AS_WRITTEN or mapped == "content_filter":
        return Ending.REFUSED
    if word not in WHOLE or mapped == "length":
        return Ending.TRUNCATED
    return Ending.COMPLETE if (text or "").strip() else Ending.EMPTY


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money. None means unknown, never zero. Reasoning tokens are part of completion tokens."""

    prompt: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    cached: int | None = None
    cost: float | None = None
    written: int | None = None
    """Input tokens put into the service's prompt cache, where it charges for that; ``cached`` were read from it."""

    @property
    def total(self) -> int | None:
        """Prompt and completion tokens together."""
        return None if self.prompt is None or self.completion is None else self.prompt + self.completion

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; a part that either side does not know stays unknown."""
        pairs = {part.name: (getattr(self, part.name), getattr(other, part.name)) for part in fields(self)}
        return Usage(**{name: None if None in pair else sum(pair) for name, pair in pairs.items()})


LOCAL_SOURCES = ("local", "script")
"""Sources that are no model and no memory of one."""
TOO_MANY = 429
NOTHING = Usage(0, 0, 0, 0, 0.0)
UNKNOWN = Usage()
MOST_READ, MOST_HIDDEN = 10_000_000, 1_000_000
"""Tokens that no model exceeds: of a prompt, and of a completion beyond the characters of its text (its reasoning)."""


def usage_of(
    text: str | None,
    prompt: object,
    completion: object,
    reasoning: object = None,
    cached: object = None,
    written: object = None,
) -> Usage:
    """Return the usage of a reply. A number that cannot be true is unknown, and so is zero where nothing is counted.

    >>> usage_of("[A]", 0, 0) == UNKNOWN, usage_of("", 5, 0).completion, usage_of("[A]", 100, -2000, cached=10**9)
    (True, 0, Usage(prompt=100, completion=None, reasoning=None, cached=None, cost=None, written=None))
    """

    def count(number: object, most: int) -> int | None:
        if not isinstance(number, int) or isinstance(number, bool):
            return None
        return number if 0 <= number <= most else None

    read, wrote = count(prompt, MOST_READ) or None, count(completion, MOST_HIDDEN + len(text or ""))
    if read is None and not wrote:
        return UNKNOWN
    thought = count(reasoning, MOST_HIDDEN if wrote is None else wrote)
    cached, written = (count(part, MOST_READ if read is None else read) for part in (cached, written))
    return Usage(read, wrote if wrote or not text else None, thought, cached, written=written)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One request: its duration, its error (None: none), and the wait after it."""

    seconds: float
    error: str | None = None
    status: int | None = None
    waited: float = 0.0


def seconds_of(attempts: Iterable[Attempt]) -> float:
    """Return the time that requests and the waits between them took; waiting for a turn is no part of it."""
    return round(sum(attempt.seconds + attempt.waited for attempt in attempts), 4)


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's reply to one prompt, or the reason why there is none."""

    text: str | None
    ending: Ending = Ending.COMPLETE
    finish_reason: str | None = None
    refusal: str | None = None
    error: str | None = None
    model: str | None = None
    usage: Usage = UNKNOWN
    seconds: float = 0.0
    """The time of its attempts."""
    attempts: tuple[Attempt, ...] = ()
    source: str = "model"
    """The source: ``model``, ``cache``, or ``local`` if no model was asked."""
    status: int | None = field(default=None)
    final: bool = False
    """An answer that cannot be read however often it is asked for: the call is not made again."""
    note: str | None = None
    """The fault of a response that could be read."""
    image: bytes | None = field(default=None, repr=False)
    """The image of an image model, kept as a file and never in a record."""
    sha256: str | None = None
    """The hash of that image."""
    response_id: str | None = field(default=None, repr=False, compare=False)
    """The service's own name of the response, for traces; not recorded."""

    @property
    def requests(self) -> int:
        """The number of requests; those rejected with 429 do not count."""
        return sum(attempt.status != TOO_MANY for attempt in self.attempts)

    @property
    def spent(self) -> Usage:
        """The cost of this reply now: one from the cache costs nothing."""
        return self.usage if self.source == "model" else NOTHING


PAINT = "paint"
"""The label of calls that ask for an image."""
SIMPLE = ("finish_reason", "refusal", "error", "model", "seconds", "source", "status", "note", "sha256")


class Ask(Protocol):
    """A function that asks a model, with a label that is unique within the sample."""

    async def __call__(
        self, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: Schema = None
    ) -> Reply:
        """Return the reply."""


class Provider:
    """A source of replies: a service, a function, a recording."""

    defers = False
    """True if replies come hours later, and to another process if this one does not wait."""

    def prepare(self) -> None:
        """Get ready, or raise ``UsageError``."""

    async def send(self, messages: list[dict[str, Any]], schema: Schema, timeout: float) -> Reply:
        """Return the reply to one request; ``CallFailed`` where it brings none."""
        raise NotImplementedError

    async def probe(self, timeout: float) -> Reply:
        """Return the reply to a request for as little as possible; ``CallFailed`` where it brings none."""
        return await self.send(PROBE, None, timeout)

    def waits_for(self) -> str:
        """Return how much was written of the replies that arrive, or what is waited for; empty if nothing is."""
        return ""

    def leave(self) -> None:
        """Wait for no replies that come hours later: what was sent stays with the service, the rest is not sent."""

    async def close(self) -> None:
        """Close what is open: nothing more will be asked."""


def reply_value(reply: Reply) -> dict[str, Any]:
    """Return the JSON value of a reply; what is at its default is left out."""
    value = {name: part for name in SIMPLE if (part := getattr(reply, name)) is not None}
    usage = {part.name: count for part in fields(Usage) if (count := getattr(reply.usage, part.name)) is not None}
    attempts: list[dict[str, Any]] = []
    for attempt in reply.attempts:
        is_failed = attempt.error is not None or attempt.status is not None
        failed = {"error": attempt.error, "status": attempt.status} if is_failed else {}
        waited = {"waited": attempt.waited} if attempt.waited else {}
        attempts.append({"seconds": attempt.seconds, **failed, **waited})
    others = {"final": reply.final, "usage": usage, "attempts": attempts}
    value |= {name: part for name, part in others.items() if part}
    return {"text": reply.text, "ending": str(reply.ending), **value}


def reply_from(value: dict[str, Any]) -> Reply:
    """Return the reply that :func:`reply_value` wrote."""
    attempts = tuple(Attempt(**({"seconds": 0.0} | attempt)) for attempt in value.get("attempts", ()))
    parts = {"usage": Usage(**value.get("usage", {})), "attempts": attempts, "ending": Ending(value["ending"])}
    return Reply(**(value | parts))


@dataclass(frozen=True, slots=True)
class ExpectedUsage:
    """The expected usage of a request."""

    tokens: int
    cost: float | None


@dataclass
class CallBudget:
    """Limits (None: unlimited), what was used and what is in flight. A budget that was reached stays reached."""

    requests: int | None = None
    tokens: int | None = None
    cost: float | None = None
    used_requests: int = 0
    used_tokens: int = 0
    used_cost: float = 0.0
    in_flight_tokens: int = 0
    in_flight_cost: float = 0.0
    reached: str = ""

    def take(self, estimate: ExpectedUsage) -> bool:
        """Return whether one more request fits; if so it counts from now on."""
        tokens, cost = self.used_tokens + self.in_flight_tokens, self.used_cost + self.in_flight_cost
        if self.reached:
            return False
        if self.requests is not None and self.used_requests + 1 > self.requests:
            self.reached = f"{self.used_requests:,} of {self.requests:,} requests"
        elif self.tokens is not None and tokens + estimate.tokens > self.tokens:
            self.reached = f"{tokens:,} of {self.tokens:,} tokens"
        elif self.cost is not None and cost + (estimate.cost or 0.0) > self.cost:
            self.reached = f"{cost:.4f} of {self.cost:.4f} dollars"
        if self.reached:
            return False
        self.used_requests += 1
        self.in_flight_tokens += estimate.tokens
        self.in_flight_cost += estimate.cost or 0.0
        return True

    def settle(self, estimate: ExpectedUsage, usage: Usage) -> None:
        """Replace the estimate of a request by its usage; if the usage is unknown, keep the estimate."""
        self.in_flight_tokens -= estimate.tokens
        self.in_flight_cost -= estimate.cost or 0.0
        self.used_tokens += estimate.tokens if usage.total is None else usage.total
        self.used_cost += (estimate.cost or 0.0) if usage.cost is None else usage.cost

    def give_back(self, estimate: ExpectedUsage) -> None:
        """A request that was not made after all."""
        self.used_requests -= 1
        self.in_flight_tokens -= estimate.tokens
        self.in_flight_cost -= estimate.cost or 0.0

    def add(self, requests: int, usage: Usage) -> None:
        """Count the usage of an earlier part of the run."""
        self.used_requests += requests
        self.used_tokens += usage.total or 0
        self.used_cost += usage.cost or 0.0
