"""Errors of services, read from their status, headers and words.

>>> said_in('{"error": {"message": "slow down", "code": 429}}')
'slow down'
>>> retry_after_in([{"retry-after": "7"}])
7.0
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from tsgkit.llm.failures import CallFailed, cannot_pay
from tsgkit.llm.responses import MOST_SAID, Exchange, messages_in, unreadable

CLASS_NAMES = re.compile(
    r"(?<![\w-])(?:(?:litellm\.)?[\w-]*(?:Error|Exception|Timeout)(?: Error| Timeout)?(?:: | - ))+"
)
ADDRESSES_IN_MEMORY = re.compile(r" ssl:<[^<>]*>| at 0x[0-9a-f]+")
FILTERED = re.compile(r"content[_ ]filter|content[_ ]policy|content management policy", re.IGNORECASE)
UNREACHABLE = (
    *("ConnectError", "ConnectTimeout", "ClientConnectorError", "ClientConnectorDNSError"),
    "UnixClientConnectorError",
)
"""The exceptions of HTTP libraries that say so."""
NAMES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    404: "NotFoundError",
    408: "Timeout",
    422: "BadRequestError",
    429: "RateLimitError",
    500: "InternalServerError",
    502: "BadGatewayError",
    503: "ServiceUnavailableError",
    504: "Timeout",
}
"""LiteLLM's names of errors, by status."""
RATE_LIMITED = re.compile(r"rate[-_ ]?limit|too many requests", re.IGNORECASE)
WAITING = (429, 503)
"""Status with which services ask to wait."""


def said_in(message: str) -> str:
    """Return the service's own message, without class names of libraries and surrounding JSON."""
    text = CLASS_NAMES.sub("", message[:MOST_SAID], count=1).strip()
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            text = _message_in(json.JSONDecoder().raw_decode(text)[0]) or text
    return ADDRESSES_IN_MEMORY.sub("", _first_line(text)).strip()


def _first_line(message: str) -> str:
    line = message.partition("\n")[0].removeprefix("litellm.")
    return re.split(r"\.? To drop|\.? Handle with `litellm", line)[0]


def _message_in(value: Any) -> str:  # noqa: ANN401  (JSON)
    """Return the message in the body of an error, in the shapes that services give it."""
    for name in ("error", "message", "detail"):
        found = value.get(name)
        if isinstance(found, dict):
            return _message_in(found)
        if isinstance(found, str):
            return found
    return ""


def rejection(
    name: str,
    status: int,
    said: str,
    headers: Iterable[Mapping[str, str] | None] = (),
    *,
    code: object = "",
    filtered: re.Pattern[str] = FILTERED,
) -> CallFailed:
    """Return the failure of a request that the service rejected with a status; ``name`` is the kind of error."""
    message = f"{name}: {said}" if said else name
    if status == 400 and filtered.search(f"{code} {said}"):
        return CallFailed(message, status, refused=True)
    return CallFailed(message, status, retry_after_in(headers) if status in WAITING else None)


def retry_after_in(places: Iterable[Mapping[str, str] | None]) -> float | None:
    """Return the seconds of Retry-After, from the first headers that tell them."""
    for headers in places:
        for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
            if headers is not None and (value := headers.get(name)) is not None:
                found = _seconds(str(value), unit)
                if found is not None:
                    return found
    return None


def _seconds(value: str, unit: float) -> float | None:
    try:
        seconds = float(value) * unit
    except ValueError:
        pass
    else:
        return max(seconds, 0.0) if math.isfinite(seconds) else None
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        return max((parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None


def failure_in(kept: Exchange, error: Exception, failure: CallFailed) -> CallFailed:
    """Return the failure of an exception, completed by the received response if there is one."""
    if kept.failure is not None:
        return kept.failure
    if kept.status is not None and kept.status < 300 and messages_in(kept.value):
        return unreadable(kept)
    failure.responded = kept.status is not None
    failure.unreachable = kept.status is None and _is_unreachable(error)
    said = f"{failure.message} {vars(error).get('code', '')} {kept.start}"
    failure.unpaid = not failure.refused and failure.retry_after is None and cannot_pay(failure.status, said)
    return failure


def error_inside(kept: Exchange) -> CallFailed | None:
    """Return the failure that a response without an error's status names; None if it holds a message or names none."""
    error = kept.value.get("error")
    if not error or messages_in(kept.value):
        return None
    code, said = error.get("code") if isinstance(error, dict) else None, said_in(kept.start)
    status = 429 if RATE_LIMITED.search(f"{code} {said}") else 400 if code is None else code
    if not isinstance(status, int) or not 400 <= status < 500:
        return None
    failure = rejection(NAMES.get(status, "APIError"), status, said)
    return failure_in(kept, failure, failure)


def _is_unreachable(error: BaseException | None) -> bool:
    """Return whether the reason of an exception is that no connection came about."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if type(error).__name__ in UNREACHABLE or isinstance(error, ConnectionRefusedError):
            return True
        error = error.__cause__ or error.__context__
    return False
