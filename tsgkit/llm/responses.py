"""Responses of services, read in one way whoever received them: replies with their usage, and failures.

>>> kept = Exchange(200, b'{"choices": [{"message": {"content": "[cup"}, "finish_reason": "model_length"}]}')
>>> reply = reply_of(kept, kept.value)
>>> reply.text, str(reply.ending)
('[cup', 'truncated')
>>> failure_of(ConnectionResetError("reset by peer")).message, retry_after_in([{"retry-after": "7"}])
('no proper answer: reset by peer', 7.0)

Only known good finish reasons count as answers. LiteLLM maps every word it does not know to ``stop``; the word itself
is read from the response.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any

from tsgkit.llm.failures import CallFailed, cannot_pay
from tsgkit.llm.reply import UNKNOWN, Ending, Reply, Usage

MOST_TEXT_BYTES = 64 * 2**20
"""The size limit of a response that brings text."""
MOST_SAID = 65_536
"""The length from which the words of an error are cut, before anything is searched in them."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MOST_READ, MOST_HIDDEN = 10_000_000, 1_000_000
"""Tokens that no model exceeds: of a prompt, and of a completion beyond the characters of its text (its reasoning)."""
CHARSET = re.compile(r"charset=[\"']?([\w.-]+)", re.IGNORECASE)
NOT_UTF8 = "the response is no valid UTF-8: what could not be decoded is replaced by U+FFFD"
SILENT_PARTS = ("thinking", "reasoning", "redacted_thinking")
"""Parts of a content that are no part of the answer."""
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
FAILING = frozenset(("error", "insufficient_system_resource", "network_error", "ERROR", "abort", "cancelled"))
"""Words of services that failed on their way: another try may bring an answer."""
THOUGHTS = re.compile(r"<(?:think|thinking|budget:thinking)>.*?</(?:think|thinking|budget:thinking)>", re.DOTALL)
CLASS_NAMES = re.compile(
    r"(?<![\w-])(?:(?:litellm\.)?[\w-]*(?:Error|Exception|Timeout)(?: Error| Timeout)?(?:: | - ))+"
)
ADDRESSES_IN_MEMORY = re.compile(r" ssl:<[^<>]*>| at 0x[0-9a-f]+")
FILTER_WORDS = re.compile(r"content[_ ]filter|content[_ ]policy|content management policy", re.IGNORECASE)
"""Messages of services whose content filter turned a prompt away."""
NO_OBJECT = re.compile("'(?:str|list|NoneType)' object has no attribute")
"""The libraries below LiteLLM raise this where they have parsed an answer to something else."""
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


@dataclass
class Exchange:
    """The response to one request: status, body, and a failure while receiving it."""

    status: int | None = None
    body: bytes = b""
    most_bytes: int = MOST_TEXT_BYTES
    text: str | None = None
    """What came of a reply that arrived as events and broke off."""
    tokens: int = 0
    """The number of those events with text."""
    failure: CallFailed | None = None
    limits: dict[str, str] = field(default_factory=dict)
    """Rate limits from the headers."""
    charset: str = ""
    """The encoding that the headers name."""
    note: str | None = None
    """What was wrong with a body that could be read; known once ``value`` was."""
    is_rewritten: bool = False
    """True if ``value`` is not what the body says as it is."""

    def begin(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Note the head of a response; an earlier one, which redirected, is forgotten."""
        self.status = status
        lowered = {name.lower(): value for name, value in headers}
        self.limits = {name: value for name, value in lowered.items() if "ratelimit" in name}
        named = CHARSET.search(lowered.get("content-type", ""))
        self.charset = named[1] if named else ""
        self.__dict__.pop("value", None)

    @property
    def start(self) -> str:
        """The first characters of the body, for messages."""
        return self.body[:MOST_SAID].decode("utf-8", "replace")

    @cached_property
    def value(self) -> dict[str, Any]:
        """The JSON object that the body holds, with the first of its choices by index; empty where it holds none."""
        body = self.in_utf8()
        value = object_in(body)
        self.is_rewritten = body is not self.body
        choices = value.get("choices")
        numbered = [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
        if numbered and all(isinstance(choice.get("index"), int) for choice in numbered):
            value["choices"] = [min(numbered, key=lambda choice: int(choice["index"]))]
            self.is_rewritten |= value["choices"] != choices
        return value

    def in_utf8(self) -> bytes:
        """Return the body in UTF-8: by the named encoding, else with replacements and a note, if it is in another."""
        with suppress(UnicodeDecodeError):
            self.body.decode()
            return self.body
        if self.charset.lower() not in ("", "utf-8", "utf8"):
            with suppress(LookupError, UnicodeError):
                return self.body.decode(self.charset, "replace").encode("utf-8", "replace")
        self.note = NOT_UTF8
        return self.body.decode(errors="replace").encode()


def object_in(body: bytes) -> dict[str, Any]:
    """Parse a JSON object; empty where the body is none."""
    try:
        value = json.loads(body) if body.removeprefix(BYTE_ORDER_MARK).lstrip()[:1] == b"{" else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def messages_in(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages of a chat completion."""
    choices = value.get("choices")
    choices = [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
    return [choice["message"] for choice in choices if isinstance(choice.get("message"), dict)]


def text_of(content: list[Any]) -> str | None:
    """Return the text parts of a content, joined; None where a part is neither text nor reasoning."""
    texts = []
    for part in content:
        kind = part.get("type", "text") if isinstance(part, dict) else "text"
        text = part.get("text") if isinstance(part, dict) else part
        if kind in SILENT_PARTS:
            continue
        if kind not in ("text", "output_text") or not isinstance(text, str):
            return None
        texts.append(text)
    return "".join(texts)


def reply_of(kept: Exchange, value: Mapping[str, Any], mapped: str | None = None) -> Reply:
    """Return the reply in a chat completion, without its cost. Raise ``CallFailed`` if there is none.

    ``value`` is the completion in OpenAI's form, ``kept`` the response as it was received. ``mapped`` is LiteLLM's word
    for the finish reason; None where LiteLLM was not asked.
    """
    choices = value.get("choices")
    if choices == []:
        raise CallFailed("the answer holds no choices", None)
    first = choices[0] if isinstance(choices, list) else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise unreadable(kept)
    content = message.get("content")
    text = text_of(content) if isinstance(content, list) else content
    if not isinstance(text, str | None) or (text is None and content):
        raise unreadable(kept)
    if text and mapped is None and "reasoning_content" not in message and "reasoning" not in message:
        text = text[thoughts.end() :] if (thoughts := THOUGHTS.match(text)) else text
    reason = raw_reason(kept.value) or mapped or "stop"
    if reason in FAILING:
        raise CallFailed(f"the service broke off: finish_reason {reason}", None, finish_reason=reason)
    more, model, response_id = message.get("provider_specific_fields"), value.get("model"), kept.value.get("id")
    refusal = message.get("refusal") or (more.get("refusal") if isinstance(more, dict) else None)
    return Reply(
        text=text,
        ending=Ending.REFUSED if refusal else ending_of(reason, mapped, text),
        finish_reason=reason,
        refusal=refusal if refusal and isinstance(refusal, str) else None,
        model=model if isinstance(model, str) else None,
        usage=usage_of(text, *counts_in(value)),
        note=kept.note,
        response_id=response_id if isinstance(response_id, str) else None,
    )


def counts_in(value: Mapping[str, Any]) -> tuple[int | None, ...]:
    """Return the tokens that a completion counts, wherever services put them: of the prompt, the completion, its
    reasoning, and those read from a cache or written to one (None where none was written).
    """
    usage = value.get("usage")
    used = usage if isinstance(usage, dict) else {}
    completion, prompt = (used.get(f"{kind}_tokens_details") for kind in ("completion", "prompt"))

    def count(*places: tuple[Any, str]) -> int | None:
        counts = [place.get(name) for place, name in places if isinstance(place, dict)]
        numbers = [number for number in counts if isinstance(number, int) and not isinstance(number, bool)]
        return next(filter(None, numbers), numbers[0] if numbers else None)

    cached = (prompt, "cached_tokens"), (used, "prompt_cache_hit_tokens"), (used, "cache_read_input_tokens")
    written = (prompt, "cache_creation_tokens"), (prompt, "cache_write_tokens")
    return (
        count((used, "prompt_tokens")),
        count((used, "completion_tokens")),
        count((completion, "reasoning_tokens"), (used, "reasoning_tokens")),
        count(*cached),
        count((used, "cache_creation_input_tokens"), *written) or None,
    )


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


def unreadable(kept: Exchange) -> CallFailed:
    """Return the failure of a complete but unreadable response; one without a message may be better next time."""
    messages = messages_in(kept.value)
    if not messages:
        return CallFailed("the answer is no chat completion", responded=kept.status is not None)
    content = messages[0].get("content")
    if content is None or isinstance(content, str):
        return CallFailed("the answer cannot be read: it is no chat completion", final=True, responded=True)
    kinds = {list: "a list with parts that are no text", dict: "an object", int: "a number", float: "a number"}
    kind = kinds.get(type(content), "no text")
    message = f"the answer cannot be read: its content is {kind}, expected a text or text parts"
    return CallFailed(message, final=True, responded=True, finish_reason=raw_reason(kept.value))


def too_large(most: int) -> CallFailed:
    """Return the failure of a response that is larger than its limit."""
    return CallFailed(f"the response is larger than {most:,} bytes", None, final=True, responded=True)


def misdirected(asked: str, target: str, status: int) -> CallFailed:
    """Return the failure of a redirect from one origin to another: key and prompt would go along."""
    why = "not followed, it would be sent the key and the prompt; if that is the right address, give it as api_base"
    return CallFailed(f"redirected from {asked} to {target}: {why}", status, misdirected=True)


def raw_reason(value: dict[str, Any]) -> str | None:
    """Return the word in a response, wherever the well-known services put it."""
    for name, word in (("choices", "finish_reason"), ("candidates", "finishReason"), ("generations", "finish_reason")):
        answers = value.get(name)
        first = answers[0] if isinstance(answers, list) and answers else None
        if isinstance(first, dict) and isinstance(first.get(word), str):
            return str(first[word]) or None
    names = ("stop_reason", "done_reason", "stopReason", "finish_reason")
    return next((value[name] for name in names if isinstance(value.get(name), str) and value[name]), None)


def ending_of(reason: str | None, mapped: str | None, text: str | None) -> Ending:
    """Return the ending for a finish reason; unknown ones count as truncated.

    ``mapped`` is LiteLLM's word for it; None where LiteLLM was not asked.
    """
    word = (reason or "stop").lower()
    if word in FILTERED or reason in FILTERED_AS_WRITTEN or mapped == "content_filter":
        return Ending.REFUSED
    if word not in WHOLE or mapped == "length":
        return Ending.TRUNCATED
    return Ending.COMPLETE if (text or "").strip() else Ending.EMPTY


def said_in(message: str) -> str:
    """Return the service's own message, without class names of libraries and surrounding JSON."""
    text = CLASS_NAMES.sub("", message[:MOST_SAID], count=1).strip()
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            text = message_in(json.JSONDecoder().raw_decode(text)[0]) or text
    line = text.partition("\n")[0].removeprefix("litellm.")
    line = re.split(r"\.? To drop|\.? Handle with `litellm", line)[0]
    return ADDRESSES_IN_MEMORY.sub("", line).strip()


def message_in(value: Mapping[str, Any]) -> str:
    """Return the message in the body of an error, in the shapes that services give it."""
    for name in ("error", "message", "detail"):
        found = value.get(name)
        if isinstance(found, dict):
            return message_in(found)
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
    filtered: re.Pattern[str] = FILTER_WORDS,
) -> CallFailed:
    """Return the failure of a request that the service rejected with a status; ``name`` is the kind of error."""
    message = f"{name}: {said}" if said else name
    if status == 400 and filtered.search(f"{code} {said}"):
        return CallFailed(message, status, refused=True)
    return CallFailed(message, status, retry_after_in(headers) if status in WAITING else None)


def retry_after_in(places: Iterable[Mapping[str, str] | None]) -> float | None:
    """Return the seconds of Retry-After, from the first headers that tell them: a number, or a date."""
    for headers in places:
        for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
            value = "" if headers is None else str(headers.get(name) or "")
            seconds = math.nan
            with suppress(ValueError, TypeError):
                seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
            with suppress(ValueError):
                seconds = float(value) * unit
            if math.isfinite(seconds):
                return max(seconds, 0.0)
    return None


def failure_of(error: Exception, filtered: re.Pattern[str] = FILTER_WORDS) -> CallFailed:
    """Return the failure for an exception of a client. LiteLLM's 5xx without headers and its 2xx mean a broken one."""
    name, status = type(error).__name__, getattr(error, "status_code", None)
    text = said_in(str(getattr(error, "message", error)))
    if name == "ContentPolicyViolationError":
        return CallFailed(f"{name}: {text}" if text else name, status, refused=True)
    broken = f"no proper answer: {'it is no JSON object' if NO_OBJECT.search(text) else text or name}"
    if not isinstance(status, int):
        return CallFailed(broken, None)
    headers = getattr(error, "litellm_response_headers", None)  # kept beside LiteLLM's own response
    places = [headers, getattr(getattr(error, "response", None), "headers", None)]
    rejected = rejection(name, status, text, places, code=getattr(error, "code", ""), filtered=filtered)
    is_broken = status < 400 or (status >= 500 and headers is None)
    if not rejected.refused and (is_broken or name in ("APIConnectionError", "JSONDecodeError")):
        return CallFailed(broken, None)
    return rejected


def failure_in(kept: Exchange, error: Exception, failure: CallFailed) -> CallFailed:
    """Return the failure of an exception, completed by the received response if there is one."""
    if kept.failure is not None:
        return kept.failure
    if kept.status is not None and kept.status < 300 and messages_in(kept.value):
        return unreadable(kept)
    failure.responded = kept.status is not None
    cause: BaseException | None = None if failure.responded else error
    causes: list[BaseException] = []
    while cause is not None and cause not in causes:
        failure.unreachable |= type(cause).__name__ in UNREACHABLE or isinstance(cause, ConnectionRefusedError)
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
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
    return rejected(kept, status)


def rejected(
    kept: Exchange, status: int, headers: Iterable[Mapping[str, str] | None] = (), code: object = ""
) -> CallFailed:
    """Return the failure of a request that the service rejected, by its response."""
    failure = rejection(NAMES.get(status, "APIError"), status, said_in(kept.start), headers, code=code)
    return failure_in(kept, failure, failure)
