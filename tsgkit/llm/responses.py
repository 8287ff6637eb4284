"""Responses of chat completion services: messages, texts and replies, and failures that the response itself shows.

>>> text_of([{"type": "text", "text": "[ket"}, {"type": "text", "text": "tle]"}])
'[kettle]'
>>> str(ending_of("stop", "stop", "[A]")), str(ending_of("model_length", "stop", "[A"))
('complete', 'truncated')

Only known good finish reasons count as answers. LiteLLM maps every word it does not know to ``stop``; the word itself
is read from the response.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import Messages, images_in, without_images
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


@dataclass
class Exchange:
    """The response to one request: status, body, and a failure while receiving it."""

    most_bytes: int = MOST_TEXT_BYTES
    status: int | None = None
    body: bytes = b""
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
        numbered = [one for one in choices if isinstance(one, dict)] if isinstance(choices, list) else []
        if numbered and all(isinstance(one.get("index"), int) for one in numbered):
            value["choices"] = [min(numbered, key=lambda one: int(one["index"]))]
            self.is_rewritten |= value["choices"] != choices
        return value

    def in_utf8(self) -> bytes:
        """Return the body in UTF-8: by the named encoding, else with replacements and a note, if it is in another."""
        try:
            self.body.decode()
        except UnicodeDecodeError:
            pass
        else:
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
    found = [one.get("message") for one in choices if isinstance(one, dict)] if isinstance(choices, list) else []
    return [message for message in found if isinstance(message, dict)]


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


class Message(NamedTuple):
    """A message of a model: its text, its refusal, and its finish reason.

    ``mapped`` is LiteLLM's word for the reason; None where LiteLLM was not asked.
    """

    content: str | None
    refusal: object
    reason: str | None
    mapped: str | None = None


def reply_of(
    message: Message, model: object, usage: Usage, response_id: object = None, note: str | None = None
) -> Reply:
    """Return the reply of a message. Raise ``CallFailed`` if the service broke off."""
    content, refusal, reason, mapped = message
    if reason in FAILING:
        raise CallFailed(f"the service broke off: finish_reason {reason}", None, finish_reason=reason)
    return Reply(
        text=content,
        ending=Ending.REFUSED if refusal else ending_of(reason, mapped, content),
        finish_reason=reason,
        refusal=refusal if isinstance(refusal, str) and refusal else None,
        model=model if isinstance(model, str) else None,
        usage=usage,
        note=note,
        response_id=response_id if isinstance(response_id, str) else None,
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
    read = _count(prompt, MOST_READ) or None
    wrote = _count(completion, MOST_HIDDEN + len(text or ""))
    cached, written = (_count(part, MOST_READ if read is None else read) for part in (cached, written))
    usage = Usage(
        prompt=read,
        completion=wrote if wrote or not text else None,
        reasoning=_count(reasoning, MOST_HIDDEN if wrote is None else wrote),
        cached=cached,
        written=written,
    )
    return UNKNOWN if usage.prompt is None and not usage.completion else usage


def _count(number: object, most: int) -> int | None:
    """Return a number of tokens; None where it is none, or cannot be true."""
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    return number if 0 <= number <= most else None


def without_shown_images(reply: Reply, messages: Messages) -> Reply:
    """Return a reply that repeats none of the images it was shown."""
    text, refusal = (part and without_images(part, images_in(messages)) for part in (reply.text, reply.refusal))
    return replace(reply, text=text, refusal=refusal)


def unreadable(kept: Exchange) -> CallFailed:
    """Return the failure of a complete but unreadable response; one without a message may be better next time."""
    found = messages_in(kept.value)
    if not found:
        return CallFailed("the answer is no chat completion", None, responded=kept.status is not None)
    content = found[0].get("content")
    kinds = {list: "a list with parts that are no text", dict: "an object", int: "a number", float: "a number"}
    kind = kinds.get(type(content), "no text")
    if content is None or isinstance(content, str):
        return CallFailed("the answer cannot be read: it is no chat completion", None, final=True, responded=True)
    reason = raw_reason(kept.value)
    said = f"the answer cannot be read: its content is {kind}, expected a text or text parts"
    return CallFailed(said, None, final=True, responded=True, finish_reason=reason)


def too_large(most: int) -> CallFailed:
    """Return the failure of a response that is larger than its limit."""
    return CallFailed(f"the response is larger than {most:,} bytes", None, final=True, responded=True)


def misdirected(asked: str, target: str, status: int) -> CallFailed:
    """Return the failure of a redirect from one origin to another: key and prompt would go along."""
    return CallFailed(
        f"redirected from {asked} to {target}: not followed, it would be sent the key and the prompt; if that is the "
        "right address, give it as api_base",
        status,
        misdirected=True,
    )


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
