"""Failures of calls, and whether a retry can help."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tsgkit.errors import TsgkitError
from tsgkit.llm.reply import Attempt

DENIED = (401, 403, 404)
WAITING = (429, 503)
"""Statuses with which services ask to wait."""
BAD_REQUESTS = (400, 422)
"""Statuses of services that refuse a request for its form."""
BILLING_STATUS = (400, 402, 403, 429)
"""HTTP status of services whose account cannot pay."""
BILLING = re.compile(
    r"insufficient[_ ](quota|balance|credit|fund)|billing[_ ](hard[_ ]limit|not[_ ]active)|hard[_ ]limit[_ ]reached"
    r"|credit balance is too low|exceeded your current quota|quota[_ ]?exceeded|exceeded .{0,40}\bquota"
    r"|quota (has been |is )?(exceeded|exhausted)|out of credits|no credits|requires more credits|add (more )?credits"
    r"|payment required|arrearage|overdue payment|(spending|usage|monthly) limit (has been |is )?(reached|exceeded)"
    r"|spend limit",
    re.IGNORECASE,
)
PER_MINUTE = re.compile(r"per[-_ ]?(minute|second)|\b[rt]pm\b|retryDelay|(retry|try again) in \d", re.IGNORECASE)
""""Quota" of these is a rate limit, which frees itself while one waits."""
PER_DAY = re.compile(r"per[-_ ]?(day|month)", re.IGNORECASE)
TOO_LONG = re.compile(
    r"context[_ ](length|window|size)|maximum (context|sequence|model) length|max_model_len|prompt is too long"
    r"|too many (input |prompt )?tokens|(input|prompt) (is )?(too long|exceeds)|exceeds? the (available )?context"
    r"|tokens of context",
    re.IGNORECASE,
)
"""Messages of services that reject a prompt for its length."""
LIMIT_OF_TOKENS = re.compile(r"max_(new_|completion_|output_)?tokens|(in|for) the completion")
"""Messages of servers that refuse a limit of tokens, or have no room for as many beside the prompt."""
LONGEST_MESSAGE = 500


@dataclass(eq=False)
class CallFailed(Exception):
    """A failed request."""

    message: str
    status: int | None = None
    retry_after: float | None = None
    """Seconds that the service asks to wait; only with 429 and 503."""
    refused: bool = False
    """A content filter turned the prompt away: an outcome, not an error."""
    unsent: bool = False
    """True if the content to send was missing, so that no request was made."""
    final: bool = False
    """An answer that would be paid for again, and be the same."""
    lasting: bool = False
    """Code of the user's failed: the same call fails again until that is changed."""
    unpaid: bool = False
    """The account has no quota or no money left, whatever the status."""
    responded: bool = False
    """A response came, whatever it held."""
    unreachable: bool = False
    """No connection came about: no request can have been the reason."""
    misdirected: bool = False
    """The service redirected to another host."""
    with_schema: bool = False
    """The request asked for a schema, which some services refuse as a bad request."""
    finish_reason: str | None = None
    """The finish reason as the service wrote it."""
    text: str | None = field(default=None, repr=False)
    """The part of a reply that came before it was cut off."""
    ended: bool = False
    """The server was a process of ours, and is no more."""
    timed_out: bool = False
    """Nothing came for as long as the user waits."""
    in_batch: bool = False
    """One line of a batch failed, while the service itself is up and others of its lines may be good."""

    @property
    def throttled(self) -> bool:
        """True if the service rejects for its rate limit."""
        return self.status == 429 and not self.unpaid and not self.in_batch

    @property
    def can_be_retried(self) -> bool:
        """True if the same request may succeed later: no answer, a broken one, 408, 409, 429 and 5xx."""
        if self.refused or self.unsent or self.final or self.lasting or self.denied:
            return False
        return self.status is None or self.status in (408, 409, 425, 429) or self.status >= 500

    @property
    def was_answered(self) -> bool:
        """True if the service itself rejected the request, so that nothing was used."""
        return self.status is not None and not self.final

    @property
    def denied(self) -> bool:
        """True if the service would reject every other request too."""
        return self.unpaid or self.misdirected or self.ended or self.status in DENIED

    @property
    def too_long(self) -> bool:
        """True if the prompt exceeds the model's context."""
        return self.status in (400, 413, 422) and bool(TOO_LONG.search(self.message))

    @property
    def may_be_schema(self) -> bool:
        """True if the same request without its schema may succeed."""
        return self.with_schema and self.status in BAD_REQUESTS

    @property
    def may_be_limit(self) -> bool:
        """True if the same request without its limit of tokens may succeed."""
        return self.status in (400, 413, 422) and bool(LIMIT_OF_TOKENS.search(self.message))

    @property
    def is_loss(self) -> bool:
        """True if this is how a service fails that is down: no answer, a broken one, or 5xx."""
        return self.can_be_retried and not self.throttled and not self.in_batch and self.status not in (408, 409, 425)

    def __str__(self) -> str:
        return self.message


def cannot_pay(status: int | None, words: str) -> bool:
    """Return whether a refusal is about quota or billing, and not a rate limit, by its status and text.

    >>> cannot_pay(429, "insufficient_quota"), cannot_pay(429, "slow down"), cannot_pay(402, "")
    (True, False, True)
    >>> cannot_pay(429, "RESOURCE_EXHAUSTED: you exceeded your current quota, requests per minute")
    False
    """
    if status == 402:
        return True
    if status not in BILLING_STATUS or not BILLING.search(words):
        return False
    definite = "insufficient_quota" in words or PER_DAY.search(words)
    return status != 429 or bool(definite) or not PER_MINUTE.search(words)


class NotFinished(TsgkitError):
    """A call that was not completed; its attempts still count."""

    attempts: tuple[Attempt, ...] = ()


class BudgetReached(NotFinished):
    """A budget of the user leaves no room for another request."""

    exit_code = 4


class Stopped(NotFinished):
    """The call was not made because the run is stopping."""


class Unasked(NotFinished):
    """The call was not made because the circuit breaker is open or the service has been down too long."""
