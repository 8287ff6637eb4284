"""HTTP transport for LiteLLM: responses are size-limited and kept, and redirects to other hosts are refused.

LiteLLM builds its HTTP clients, and those of the ``openai`` package, around one transport. :func:`guard` wraps it, so
that what LiteLLM maps away (the raw finish reason, an error code) can still be read from the :class:`Exchange`.

>>> text_of([{"type": "text", "text": "[ket"}, {"type": "text", "text": "tle]"}])
'[kettle]'
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tsgkit.llm.failures import CallFailed

MOST_TEXT_BYTES = 64 * 2**20
"""The size limit of a response that brings text."""
REWRITTEN = ("content-encoding", "content-length", "transfer-encoding")
SILENT_PARTS = ("thinking", "reasoning", "redacted_thinking")
"""Parts of a content that are no part of the answer."""


@dataclass
class Exchange:
    """The response to one request: status, body, and a failure while receiving it."""

    most_bytes: int = MOST_TEXT_BYTES
    status: int | None = None
    body: bytes = b""
    failure: CallFailed | None = None
    limits: dict[str, str] = field(default_factory=dict)
    """Rate limits from the headers."""

    @cached_property
    def value(self) -> dict[str, Any]:
        """The JSON object that the body holds; empty where it holds none."""
        return object_in(self.body)


_EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)
Carrier = Callable[[Any], Awaitable[Any]]
"""Takes an ``httpx.Request`` and brings its ``httpx.Response``."""
_CARRIER: ContextVar[Carrier | None] = ContextVar("carrier", default=None)


@contextmanager
def exchange(most_bytes: int = MOST_TEXT_BYTES) -> Iterator[Exchange]:
    """Keep the response to the request made inside the block."""
    kept = Exchange(most_bytes)
    token = _EXCHANGE.set(kept)
    try:
        yield kept
    finally:
        _EXCHANGE.reset(token)


@contextmanager
def carried_by(carrier: Carrier) -> Iterator[None]:
    """Have the requests made inside the block carried by something else than the network, as in a batch."""
    token = _CARRIER.set(carrier)
    try:
        yield
    finally:
        _CARRIER.reset(token)


def object_in(body: bytes) -> dict[str, Any]:
    """Parse a JSON object; empty where the body is none."""
    try:
        value = json.loads(body) if body.lstrip()[:1] == b"{" else {}
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def guard() -> None:
    """Wrap the transport of every HTTP client that LiteLLM builds from now on."""
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

    build = AsyncHTTPHandler.create_async_transport
    if getattr(build, "guarded", False):
        return

    def guarded(*arguments: Any, **options: Any) -> Any:
        return guarded_transport(build(*arguments, **options))

    guarded.guarded = True  # type: ignore[attr-defined]
    for name in ("create_async_transport", "_create_async_transport"):
        setattr(AsyncHTTPHandler, name, staticmethod(guarded))


def guarded_transport(transport: Any) -> Any:
    """Return the same transport, which from now on reads each response within its limit."""
    if transport is None:  # httpx is to choose one, as the user's environment asks for
        return None
    import httpx

    handle = transport.handle_async_request

    async def handle_within_limits(request: httpx.Request) -> httpx.Response:
        kept = _EXCHANGE.get() or Exchange()
        response = await _carried(handle, request, kept)
        kept.status = response.status_code
        kept.limits = {name: value for name, value in response.headers.items() if "ratelimit" in name.lower()}
        kept.__dict__.pop("value", None)
        try:
            _check_redirect(request, response)
            kept.body = await _body(response, kept.most_bytes)
        except CallFailed as failure:
            kept.failure = failure
            raise httpx.DecodingError(failure.message, request=request) from None
        finally:
            await response.aclose()
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in REWRITTEN]
        body = _with_joined_texts(kept)
        return httpx.Response(kept.status, headers=headers, content=body, extensions=response.extensions)

    transport.handle_async_request = handle_within_limits
    return transport


async def _carried(handle: Carrier, request: Any, kept: Exchange) -> Any:
    """Return the response to a request, from the network or from who carries it instead."""
    carrier = _CARRIER.get()
    if carrier is None:
        return await handle(request)
    import httpx

    try:
        return await carrier(request)
    except CallFailed as failure:
        kept.failure = failure
        raise httpx.DecodingError(failure.message, request=request) from None


def guard_client(client: Any) -> None:
    """Make an ``httpx.AsyncClient`` that LiteLLM did not build read each response within its limit."""
    for transport in (client._transport, *client._mounts.values()):
        guarded_transport(transport)


def _check_redirect(request: Any, response: Any) -> None:
    """``CallFailed`` for a redirect to another host, port or scheme: keys and prompts would go along."""
    if not response.has_redirect_location:
        return
    asked, target = request.url, request.url.join(response.headers["location"])
    origins = [(url.scheme, url.host, url.port) for url in (asked, target)]
    if origins[0] != origins[1]:
        shown = " to ".join(
            f"{url.scheme}://{url.host}" + (f":{url.port}" if url.port else "") for url in (asked, target)
        )
        raise CallFailed(
            f"redirected from {shown}: not followed, it would be sent the key and the prompt; if that is the right "
            "address, give it as api_base",
            response.status_code,
            misdirected=True,
        )


async def _body(response: Any, most: int) -> bytes:
    """Return the decoded body; ``CallFailed`` where it is larger than the limit, as soon as that is known."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > most:
            raise CallFailed(f"the response is larger than {most:,} bytes", None, final=True, responded=True)
    return bytes(body)


def _with_joined_texts(kept: Exchange) -> bytes:
    """Return the body with every content that is a list of text parts joined into one text, as LiteLLM expects it."""
    changed = False
    for message in messages_in(kept.value):
        if isinstance(message.get("content"), list) and (text := text_of(message["content"])) is not None:
            message["content"], changed = text, True
    return json.dumps(kept.value).encode() if changed else kept.body


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
