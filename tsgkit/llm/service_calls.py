"""Calls of the model of a service: what is sent, and what any answer or error comes to, whoever sends it.

A client (:class:`~tsgkit.llm.direct_calls.DirectCalls`, :class:`~tsgkit.llm.litellm_calls.LiteLlm`) prepares a request,
sends it, and notes the response in an :class:`Exchange`. The parameters that are sent, those left out at a second try,
the reply with its cost, and the failure that a response or an exception means are decided here.

>>> kept = Exchange(200, b'{"choices": [{"message": {"content": "[cup"}, "finish_reason": "model_length"}]}')
>>> reply = reply_of(kept, kept.value)
>>> reply.text, str(reply.ending)
('[cup', 'truncated')
>>> failure_of(ConnectionResetError("reset by peer"), Exchange()).message, retry_after_in({"retry-after": "7"})
('no proper answer: reset by peer', 7.0)
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any, ClassVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary, WeakValueDictionary

from tsgkit.errors import UsageError
from tsgkit.llm.failures import WAITING, CallFailed, cannot_pay
from tsgkit.llm.images import Messages, images_in, without_base64, without_images
from tsgkit.llm.prices import ImagePrice, Price, tier_in, tier_named
from tsgkit.llm.reply import PROBE, Ending, Provider, Reply, Schema, Usage, ending_of, usage_of
from tsgkit.llm.settings import DEFAULT_LIMIT, Settings

MOST_TEXT_BYTES = 64 * 2**20
"""The size limit of a response that brings text."""
MOST_SAID = 65_536
"""The length from which the words of an error are cut, before anything is searched in them."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CHARSET = re.compile(r"charset=[\"']?([\w.-]+)", re.IGNORECASE)
NOT_UTF8 = "the response is no valid UTF-8: what could not be decoded is replaced by U+FFFD"
SILENT_PARTS = ("thinking", "reasoning", "redacted_thinking")
"""Parts of a content that are no part of the answer."""
FAILING = frozenset(("error", "insufficient_system_resource", "network_error", "ERROR", "abort", "cancelled"))
"""Finish reasons of services that failed on their way: another try may bring an answer."""
THOUGHTS = re.compile(r"<(?:think|thinking|budget:thinking)>.*?</(?:think|thinking|budget:thinking)>", re.DOTALL)
CLASS_NAMES = re.compile(
    r"(?<![\w-])(?:(?:litellm\.)?[\w-]*(?:Error|Exception|Timeout)(?: Error| Timeout)?(?:: | - ))+"
)
ADVICE_OF_LITELLM = re.compile(r"\.? To drop|\.? Handle with `litellm")
ADDRESSES_IN_MEMORY = re.compile(r" ssl:<[^<>]*>| at 0x[0-9a-f]+")
FILTER_WORDS = re.compile(r"content[_ ]filter|content[_ ]policy|content management policy", re.IGNORECASE)
"""Messages of services whose content filter turned a prompt away."""
FILTERED_BY_LITELLM = "ContentPolicyViolationError"
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
KINDS = {list: "a list with parts that are no text", dict: "an object", int: "a number", float: "a number"}


@dataclass
class Exchange:
    """The response to one request: status, headers, body, and a failure while receiving it."""

    status: int | None = None
    body: bytes = b""
    most_bytes: int = MOST_TEXT_BYTES
    headers: dict[str, str] = field(default_factory=dict)
    """Names are in small letters."""
    text: str | None = None
    """The part that came of a reply that arrived as events and broke off."""
    tokens: int = 0
    """The number of those events with text."""
    failure: CallFailed | None = None
    note: str | None = None
    """The fault of a body that could be read; known once ``value`` was."""
    deadline: asyncio.Timeout = field(default_factory=lambda: asyncio.Timeout(None))
    """Ends the request where no answer comes in time."""
    _is_rewritten: bool = False
    """True if ``value`` is not what the body says as it is."""

    def begin(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Note the head of a response; an earlier one, which redirected, is forgotten."""
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.__dict__.pop("value", None)

    @property
    def charset(self) -> str:
        """The encoding that the headers name; empty where they name none."""
        name = CHARSET.search(self.headers.get("content-type", ""))
        return name[1] if name else ""

    def check_size(self, size: int) -> None:
        """Raise ``CallFailed`` where a response of so many bytes is larger than its limit."""
        if size > self.most_bytes:
            problem = f"the response is larger than {self.most_bytes:,} bytes"
            raise CallFailed(problem, final=True, responded=True)

    def check_redirect(self, source: str, target: str) -> None:
        """Raise ``CallFailed`` where a redirect leads to another origin: key and prompt would go along."""
        usual = {"http": ":80", "https": ":443"}
        parts = [urlsplit(address) for address in (source, target)]
        origins = [f"{part.scheme}://{part.netloc.removesuffix(usual.get(part.scheme, ':'))}" for part in parts]
        if origins[0] != origins[1]:
            why = "not followed, it would be sent the key and the prompt; "
            why += "if that is the right address, give it as api_base"
            problem = f"redirected from {origins[0]} to {origins[1]}: {why}"
            raise CallFailed(problem, self.status, misdirected=True)

    @property
    def start(self) -> str:
        """The first characters of the body, for messages."""
        return self.body[:MOST_SAID].decode("utf-8", "replace")

    @cached_property
    def value(self) -> dict[str, Any]:
        """The JSON object that the body holds, with the first of its choices by index; empty where it holds none."""
        body, note = in_utf8(self.body, self.charset)
        self.note = note or self.note
        value = object_in(body)
        self._is_rewritten = body is not self.body
        choices = value.get("choices")
        numbered = [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
        if numbered and all(isinstance(choice.get("index"), int) for choice in numbered):
            value["choices"] = [min(numbered, key=lambda choice: int(choice["index"]))]
            self._is_rewritten |= value["choices"] != choices
        return value

    @property
    def plain_body(self) -> bytes:
        """The body with what LiteLLM expects of one: ASCII, one choice, and one text."""
        for message in messages_in(self.value):
            if isinstance(message.get("content"), list) and (text := text_of(message["content"])) is not None:
                message["content"], self._is_rewritten = text, True
        return json.dumps(self.value).encode() if self.value and self._is_rewritten else self.body


def in_utf8(body: bytes, charset: str) -> tuple[bytes, str | None]:
    """Return a body in UTF-8: by the named encoding, else with replacements and a note, if it is in another."""
    with suppress(UnicodeDecodeError):
        body.decode()
        return body, None
    if charset.lower() not in ("", "utf-8", "utf8"):
        with suppress(LookupError, UnicodeError):
            return body.decode(charset, "replace").encode("utf-8", "replace"), None
    return body.decode(errors="replace").encode(), NOT_UTF8


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
    for the finish reason, which is ``stop`` for every word it does not know; None where LiteLLM was not asked.
    """
    choices = value.get("choices")
    if choices == []:
        raise CallFailed("the answer holds no choices")
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
        raise CallFailed(f"the service broke off: finish_reason {reason}", finish_reason=reason)
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
        counts = [source.get(name) for source, name in places if isinstance(source, dict)]
        numbers = [number for number in counts if isinstance(number, int) and not isinstance(number, bool)]
        return next(filter(None, numbers), numbers[0] if numbers else None)

    written = (used, "cache_creation_input_tokens"), (prompt, "cache_creation_tokens"), (prompt, "cache_write_tokens")
    return (
        count((used, "prompt_tokens")),
        count((used, "completion_tokens")),
        count((completion, "reasoning_tokens"), (used, "reasoning_tokens")),
        count((prompt, "cached_tokens"), (used, "prompt_cache_hit_tokens"), (used, "cache_read_input_tokens")),
        count(*written) or None,
    )


def raw_reason(value: dict[str, Any]) -> str | None:
    """Return the finish reason in a response, wherever the well-known services put it."""
    for name, word in (("choices", "finish_reason"), ("candidates", "finishReason"), ("generations", "finish_reason")):
        answers = value.get(name)
        first = answers[0] if isinstance(answers, list) and answers else None
        if isinstance(first, dict) and isinstance(first.get(word), str):
            return str(first[word]) or None
    names = ("stop_reason", "done_reason", "stopReason", "finish_reason")
    return next((value[name] for name in names if isinstance(value.get(name), str) and value[name]), None)


def unreadable(kept: Exchange) -> CallFailed:
    """Return the failure of a complete but unreadable response; one without a message may be better next time."""
    messages = messages_in(kept.value)
    if not messages:
        return CallFailed("the answer is no chat completion", responded=kept.status is not None)
    content = messages[0].get("content")
    if content is None or isinstance(content, str):
        return CallFailed("the answer cannot be read: it is no chat completion", final=True, responded=True)
    kind = KINDS.get(type(content), "no text")
    message = f"the answer cannot be read: its content is {kind}, expected a text or text parts"
    return CallFailed(message, final=True, responded=True, finish_reason=raw_reason(kept.value))


def said_in(message: str) -> str:
    """Return the service's own message, without class names of libraries and surrounding JSON."""
    text = CLASS_NAMES.sub("", message[:MOST_SAID], count=1).strip()
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            text = message_in(json.JSONDecoder().raw_decode(text)[0]) or text
    line = ADVICE_OF_LITELLM.split(text.partition("\n")[0].removeprefix("litellm."))[0]
    return ADDRESSES_IN_MEMORY.sub("", line).strip()


def message_in(value: Mapping[str, Any]) -> str:
    """Return the message in the body of an error, in the shapes that services give it."""
    for name in ("error", "message", "detail"):
        part = value.get(name)
        if isinstance(part, dict):
            return message_in(part)
        if isinstance(part, str):
            return part
    return ""


def retry_after_in(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of Retry-After: a number, or a date; None where the headers tell neither."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value, seconds = headers.get(name) or "", math.nan
        with suppress(ValueError, TypeError):
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        with suppress(ValueError):
            seconds = float(value) * unit
        if math.isfinite(seconds):
            return max(seconds, 0.0)
    return None


def error_inside(kept: Exchange) -> CallFailed | None:
    """Return the failure that a response without an error's status names; None if it holds a message or names none."""
    error = kept.value.get("error")
    if not error or messages_in(kept.value):
        return None
    code, words = error.get("code") if isinstance(error, dict) else None, said_in(kept.start)
    status = 429 if RATE_LIMITED.search(f"{code} {words}") else 400 if code is None else code
    if not isinstance(status, int) or not 400 <= status < 500:
        return None
    return rejection(NAMES.get(status, "APIError"), status, words, kept)


def rejection(
    name: str, status: int, words: str, kept: Exchange, filtered: re.Pattern[str] = FILTER_WORDS, code: object = ""
) -> CallFailed:
    """Return the failure of a request that was rejected with a status; ``name`` is the kind of error."""
    message = f"{name}: {words}" if words else name
    is_refused = name == FILTERED_BY_LITELLM or (status == 400 and bool(filtered.search(f"{code} {words}")))
    wait = retry_after_in(kept.headers) if status in WAITING else None
    is_unpaid = not is_refused and wait is None and cannot_pay(status, f"{message} {code} {kept.start}")
    responded = kept.status is not None
    return CallFailed(message, status, wait, refused=is_refused, unpaid=is_unpaid, responded=responded)


def failure_of(error: Exception, kept: Exchange, filtered: re.Pattern[str] = FILTER_WORDS) -> CallFailed:
    """Return the failure that the exception of a client means: by the response where one came, else by its causes.

    Of LiteLLM's own errors only 4xx are rejections: it has 5xx for answers that it cannot read, and for lost ones.
    """
    if kept.failure is not None:
        return kept.failure
    name, status = type(error).__name__, getattr(error, "status_code", None)
    if kept.status is not None and kept.status >= 400:
        value = kept.value.get("error")
        code = value.get("code", "") if isinstance(value, dict) else ""
        name = name if status == kept.status else NAMES.get(kept.status, "APIError")
        return rejection(name, kept.status, said_in(kept.start), kept, filtered, code)
    if kept.status is not None and kept.status < 300 and messages_in(kept.value):
        return unreadable(kept)
    if kept.status is not None and (inside := error_inside(kept)) is not None:
        return inside
    words = said_in(str(getattr(error, "message", error)))
    if name == FILTERED_BY_LITELLM or (isinstance(status, int) and 400 <= status < 500):
        return rejection(name, status or 400, words, kept, filtered, getattr(error, "code", ""))
    why = "it is no JSON object" if NO_OBJECT.search(words) else words or name
    failure = CallFailed(f"no proper answer: {why}", responded=kept.status is not None)
    causes: list[BaseException] = []
    cause: BaseException | None = None if failure.responded else error
    while cause is not None and cause not in causes:
        failure.unreachable |= type(cause).__name__ in UNREACHABLE or isinstance(cause, ConnectionRefusedError)
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    return failure


class LoopUsers:
    """The users of each event loop of the process, and what they share; an object that is no more has left."""

    def __init__(self) -> None:
        self._users = WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[int, object]]()
        self._guard = threading.Lock()
        self.shared = WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Any, Any]]()

    def join(self, user: object) -> dict[Any, Any]:
        """Count an object as a user in the running loop until it leaves or is no more; return what is shared there."""
        loop = asyncio.get_running_loop()
        with self._guard:
            self._users.setdefault(loop, WeakValueDictionary())[id(user)] = user
            return self.shared.setdefault(loop, {})

    def leave(self, user: object) -> dict[Any, Any] | None:
        """Return what was shared in the running loop, to be closed, if this was the last user there; else None."""
        loop = asyncio.get_running_loop()
        with self._guard:
            users = self._users.get(loop)
            is_last = users is not None and users.pop(id(user), None) is not None and not users
            return self.shared.pop(loop, {}) if is_last else None

    @property
    def any_left(self) -> bool:
        """True if any loop still has users."""
        return any(self._users.values())


@dataclass
class ServiceCalls(Provider):
    """A model behind a service."""

    settings: Settings
    price: Price | ImagePrice | None = None
    notices: list[str] = field(default_factory=list)
    sent: dict[str, Any] = field(default_factory=dict)
    """The request body as the service gets it, without messages; known once prepared."""
    _parameters: dict[str, Any] = field(default_factory=dict, repr=False)
    most_bytes: ClassVar[int] = MOST_TEXT_BYTES
    awaited: ClassVar[str] = "answer"
    filter_words: ClassVar[re.Pattern[str]] = FILTER_WORDS

    async def _answered(self, messages: Messages, parameters: dict[str, Any], timeout: float, kept: Exchange) -> Reply:
        """Send one request, note in ``kept`` what is received, and return the reply that it holds."""
        raise NotImplementedError

    def _accepted(self, why_not_sent: Callable[[dict[str, Any], str, object], str]) -> dict[str, Any]:
        """Return the parameters that reach the service: all that the user gave, and those defaults that it takes.

        ``why_not_sent`` says for the parameters accepted so far, a name and its value why it is not sent; empty if it
        is. A default that is not sent is a notice, a parameter of the user's a ``UsageError``.
        """
        accepted: dict[str, Any] = {}
        model = self.settings.model
        for name, value in self.settings.parameters.items():
            why = why_not_sent(accepted, name, value)
            if not why:
                accepted[name] = value
            elif name in self.settings.given:
                hint = f"leave it out; extra_body.{name}=... sends it as it stands to a service that knows it"
                raise UsageError(f"{model} does not take {name}: {why}", hint=hint)
            else:
                self.notices.append(f"{model}: default {name}={value} is not sent: {why}")
        self.notices += [self.price.note] if isinstance(self.price, Price) and self.price.note else []
        return accepted

    async def send(self, messages: Messages, schema: Schema, timeout: float) -> Reply:
        """Return one request; ``CallFailed`` where it brings no reply.

        A default limit of tokens is left out where the context has no room for it.
        """
        parameters = self._parameters | ({} if schema is None else {"response_format": schema})
        try:
            return await self._asked(messages, parameters, timeout)
        except CallFailed as failure:
            if DEFAULT_LIMIT not in self.settings.defaults or not failure.may_be_limit:
                raise
        parameters.pop(DEFAULT_LIMIT, None)
        return await self._asked(messages, parameters, timeout)

    async def probe(self, timeout: float) -> Reply:
        """Return the reply to a request for one token."""
        others = {name: value for name, value in self._parameters.items() if name != "max_completion_tokens"}
        return await self._asked(PROBE, others | {"max_tokens": 1}, timeout)

    async def _asked(self, messages: Messages, parameters: dict[str, Any], timeout: float) -> Reply:
        """Return the reply to one request, which repeats no image that was shown; ``CallFailed`` for any exception."""
        kept = Exchange(most_bytes=self.most_bytes)
        try:
            async with asyncio.timeout(timeout) as kept.deadline:
                reply = await self._answered(messages, parameters, timeout, kept)
        except CallFailed as failure:
            failed = failure
            failed.responded = failed.responded or kept.status is not None
        except TimeoutError:
            what = f"no more after the first {kept.tokens:,} tokens" if kept.tokens else f"no {self.awaited}"
            failed = CallFailed(f"{what} within {timeout:g} s", timed_out=True)
        except Exception as error:  # noqa: BLE001  (whatever a client raises is a failed call)
            failed = failure_of(error, kept, self.filter_words)
        else:
            texts = (text and without_images(text, images_in(messages)) for text in (reply.text, reply.refusal))
            return replace(reply, text=next(texts), refusal=next(texts))
        failed.text = failed.text or kept.text
        if next(images_in(messages), None) is not None:
            failed.message = without_base64(failed.message)
        raise failed from None

    def _priced(self, reply: Reply, kept: Exchange, counted: float | None = None) -> Reply:
        """Return a reply with its cost, where its tokens are known."""
        if reply.usage.total is None:
            return reply
        return replace(reply, usage=replace(reply.usage, cost=self._cost(reply.usage, tier_in(kept.value), counted)))

    def _cost(self, usage: Usage, tier: str, counted: float | None) -> float | None:
        """Return the cost in the tier of a response: as LiteLLM counted, unless the user gave a price, else by it."""
        price = self.price.served(tier or self.settings.tier) if isinstance(self.price, Price) else self.price
        known = tier_named(tier or str(self.settings.parameters.get("service_tier") or ""))
        known = "" if known == "batch" else known  # LiteLLM knows no prices of batches, nor a tier in extra_body
        is_own = price is not None and (price.source == "--price" or (isinstance(price, Price) and price.tier != known))
        if counted and not is_own:  # for a model that LiteLLM has no price of, some providers come out as free
            return counted
        return None if price is None else price.of(usage)
