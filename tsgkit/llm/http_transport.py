"""HTTP transport for LiteLLM: responses are size-limited and kept, and redirects to other hosts are refused.

LiteLLM builds its HTTP clients, and those of the ``openai`` package, around one transport. :func:`guard` wraps it, so
that what LiteLLM maps away (the raw finish reason, an error code) can still be read from the
:class:`~tsgkit.llm.responses.Exchange`.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from types import ModuleType
from typing import Any

from tsgkit.llm.failures import CallFailed
from tsgkit.llm.responses import MOST_TEXT_BYTES, Exchange, messages_in, misdirected, text_of, too_large
from tsgkit.llm.service_errors import error_inside

REWRITTEN = ("content-encoding", "content-length", "transfer-encoding")

_EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)
Carrier = Callable[[Any], Awaitable[Any]]
"""Takes a request and brings its response."""
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
    handle = transport.handle_async_request

    async def handle_within_limits(request: Any) -> Any:
        kept = _EXCHANGE.get() or Exchange()
        library = library_of(request)
        response = await _carried(handle, request, kept)
        kept.begin(response.status_code, response.headers.items())
        try:
            _check_redirect(request, response)
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > kept.most_bytes:
                    raise too_large(kept.most_bytes)
            kept.body = bytes(body)
            if response.status_code < 300 and (inside := error_inside(kept)) is not None and inside.throttled:
                raise inside
        except CallFailed as failure:
            kept.failure = failure
            raise library.DecodingError(failure.message, request=request) from None
        finally:
            await response.aclose()
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in REWRITTEN]
        content = _as_litellm_reads(kept)
        return library.Response(response.status_code, headers=headers, content=content, extensions=response.extensions)

    transport.handle_async_request = handle_within_limits
    return transport


def library_of(request: Any) -> ModuleType:
    """Return the library that made a request and wants its response: httpx, or httpx2 for newer clients of OpenAI."""
    return import_module(type(request).__module__.partition(".")[0])


async def _carried(handle: Carrier, request: Any, kept: Exchange) -> Any:
    """Return the response to a request, from the network or from who carries it instead."""
    carrier = _CARRIER.get()
    if carrier is None:
        return await handle(request)
    try:
        return await carrier(request)
    except CallFailed as failure:
        kept.failure = failure
        raise library_of(request).DecodingError(failure.message, request=request) from None


def guard_client(client: Any) -> None:
    """Make a client of OpenAI's, of httpx or httpx2, that LiteLLM did not build read each response within its limit."""
    for transport in (client._transport, *client._mounts.values()):
        guarded_transport(transport)


def _check_redirect(request: Any, response: Any) -> None:
    """``CallFailed`` for a redirect to another host, port or scheme: keys and prompts would go along."""
    if not response.has_redirect_location:
        return
    asked, target = request.url, request.url.join(response.headers["location"])
    origins = [(url.scheme, url.host, url.port) for url in (asked, target)]
    if origins[0] != origins[1]:
        shown = [f"{url.scheme}://{url.host}" + (f":{url.port}" if url.port else "") for url in (asked, target)]
        raise misdirected(shown[0], shown[1], response.status_code)


def _as_litellm_reads(kept: Exchange) -> bytes:
    """Return the body as LiteLLM expects it: in ASCII, with one choice, its text parts joined into one text."""
    changed = bool(kept.value) and kept.is_rewritten
    for message in messages_in(kept.value):
        if isinstance(message.get("content"), list) and (text := text_of(message["content"])) is not None:
            message["content"], changed = text, True
    return json.dumps(kept.value).encode() if changed else kept.body
