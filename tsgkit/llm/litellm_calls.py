"""Requests through LiteLLM, for texts and images, to every provider that a model's name can mean.

LiteLLM's retries are off, its cache is unused, its price map is the local one, no ``.env`` file is read, and it is
imported at the first request. Loggers of the libraries below are silenced, because they would log prompts and addresses
with keys.

What LiteLLM maps away (the raw finish reason, an error code) is read from the response itself: :func:`load` wraps the
transport around which LiteLLM builds its HTTP clients and those of the ``openai`` package, so that each response is
kept in an :class:`~tsgkit.llm.service_calls.Exchange`, has a size limit, and comes from the host that was asked.

Responses with images are read up to twice ``MOST_IMAGE_BYTES``. Images given by address are fetched here, over http or
https only, without any key, and up to ``MOST_IMAGE_BYTES``.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import inspect
import logging
import os
import re
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar

from tsgkit.errors import UsageError
from tsgkit.lexicon import nearest
from tsgkit.llm.direct_calls import proxy_for
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.image_decoder import reply_with
from tsgkit.llm.images import MOST_IMAGE_BYTES, Messages, bytes_of, images_in, prompt_in, with_bytes
from tsgkit.llm.reply import PROBE, Reply, Usage, usage_of
from tsgkit.llm.secrets import without_login
from tsgkit.llm.service_calls import Exchange, LoopUsers, ServiceCalls, counts_in, error_inside, reply_of, said_in
from tsgkit.llm.settings import (
    BY_THE_PACKAGE,
    LOCAL,
    NO_KEY,
    NOT_SENT,
    check_known_key,
    is_web_address,
    no_key,
    provider_of,
)

ENVIRONMENT = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
SILENCED = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore", "aiohttp", "asyncio")
UNSENT = ("messages", "contents", "prompt", "extra_body")
UNCHECKED = ("custom_openai/", "litellm_proxy/", "text-completion-openai/", "xinference/")
"""Providers that need a key, although LiteLLM's check does not know."""
GRACE = 1.0
OWN_CLIENT = "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER"
"""The switch by which LiteLLM asks ``openai/`` models through the HTTP client that it asks most others through. The
``openai`` package between them takes as long again for each request; without the switch it is used, and nothing else
changes. The switch is global to the process; once off it stays off, also if the user turned it off."""
APART = ("openai", "hosted_vllm", "anthropic", "gemini", "openrouter", "mistral", "groq", "ollama", "ollama_chat")
"""Providers that the switch does no harm: ``openai``, and those that LiteLLM never asks through the package."""
REWRITTEN = ("content-encoding", "content-length", "transfer-encoding")
BLOCKED = re.compile(
    r"content[_ ]filter|content[_ ]policy|content management policy|moderation|safety|nsfw|responsible[_ ]ai|blocked",
    re.IGNORECASE,
)
"""Messages of services that block a prompt or its image."""
FETCHES = 3
FETCH_WAIT = 0.5

EXCHANGE: ContextVar[Exchange | None] = ContextVar("exchange", default=None)
"""Keeps the response to a request."""
CARRIER: ContextVar[Callable[[Any], Awaitable[Any]] | None] = ContextVar("carrier", default=None)
"""Takes a request and brings its response by another way than the network, as in a batch."""
USERS = LoopUsers()
"""The users of LiteLLM's HTTP clients."""


@cache
def load() -> Any:
    """Return the library, set up."""
    os.environ.update(ENVIRONMENT)
    loggers = [logging.getLogger(name) for name in SILENCED]
    for logger in loggers:
        logger.disabled = True  # before the import: asked for by LITELLM_LOG, it would write to standard output
    import litellm
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

    build = AsyncHTTPHandler.create_async_transport

    def guarded(*arguments: Any, **options: Any) -> Any:
        return guarded_transport(build(*arguments, **options))

    # LiteLLM's own hooks (client=, shared_session=, aclient_session, callbacks) each reach some of its providers.
    AsyncHTTPHandler.create_async_transport = staticmethod(guarded)  # type: ignore[method-assign]
    litellm.suppress_debug_info = True
    litellm.drop_params = False
    litellm.telemetry = False
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)  # those below it go by this level
    with warnings.catch_warnings(action="ignore"):  # it builds its own types on first use
        litellm.types.router.GenericLiteLLMParams()
    return litellm


@contextmanager
def bound(variable: ContextVar[Any], value: object) -> Iterator[None]:
    """Have a variable hold a value inside the block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def guarded_transport(transport: Any) -> Any:
    """Return the same transport, which from now on reads each response within its limit."""
    if transport is None:  # httpx is to choose one, as the user's environment asks for
        return None
    handle = transport.handle_async_request

    async def handle_within_limits(request: Any) -> Any:
        kept = EXCHANGE.get() or Exchange()
        library = library_of(request)
        try:
            response = await (CARRIER.get() or handle)(request)
        except CallFailed as failure:
            kept.failure = failure
            raise library.DecodingError(failure.message, request=request) from None
        kept.begin(response.status_code, response.headers.items())
        try:
            if response.has_redirect_location:  # to another origin, key and prompt would go along
                kept.check_redirect(str(request.url), str(request.url.join(response.headers["location"])))
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                kept.check_size(len(body))
            kept.body = bytes(body)
            if response.status_code < 300 and (inside := error_inside(kept)) is not None and inside.throttled:
                raise inside
        except CallFailed as failure:
            kept.failure = failure
            raise library.DecodingError(failure.message, request=request) from None
        finally:
            await response.aclose()
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in REWRITTEN]
        status, more = response.status_code, response.extensions
        return library.Response(status, headers=headers, content=kept.plain_body, extensions=more)

    transport.handle_async_request = handle_within_limits  # LiteLLM asks for the transport's class, so none goes around
    return transport


def library_of(request: Any) -> ModuleType:
    """Return the library that made a request and wants its response: httpx, or httpx2 for newer clients of OpenAI."""
    return import_module(type(request).__module__.partition(".")[0])


@dataclass
class LiteLlm(ServiceCalls):
    """A model behind LiteLLM."""

    endpoint: ClassVar[str] = "completion"
    probed: ClassVar[dict[str, Any]] = {"messages": PROBE}
    """The arguments of every request beside parameters, for bodies that are built without being sent."""
    _library: Any = None
    _last: tuple[dict[str, Any], dict[str, Any]] | None = field(default=None, repr=False)
    """The last parameters whose body was asked for, and the body: LiteLLM takes 10 ms to build one."""

    def prepare(self) -> None:
        """Check the request without sending it. Raise ``UsageError`` if it differs from what the user asked for."""
        if self._library is not None:
            return
        check_known_key(self.settings)
        library = load()
        provider, connection = provider_of(self.settings.model), self.settings.connection
        if provider not in APART or any(os.environ.get(name) for name in BY_THE_PACKAGE):
            os.environ[OWN_CLIENT] = "False"
        elif provider == "openai":
            os.environ.setdefault(OWN_CLIENT, "True")
        missing_keys = [] if "api_key" in connection else self._missing_keys(library)
        if missing_keys and "api_base" not in connection:
            raise no_key(self.settings, missing_keys)

        def why_not_sent(accepted: dict[str, Any], name: str, value: object) -> str:
            without = self._body(library, accepted)
            try:
                if self._body(library, accepted | {name: value}) != without:
                    return ""
                if not isinstance(value, int):
                    return NOT_SENT
                changed = not value if isinstance(value, bool) else value + 1  # its value may be LiteLLM's default
                return "" if self._body(library, accepted | {name: changed}) != without else NOT_SENT
            except UsageError as error:
                return error.message

        accepted = self._accepted(why_not_sent)
        body = self._body(library, accepted)
        # A service of the user's own that needs no key still must be given one.
        self._parameters = accepted | connection | ({"api_key": NO_KEY} if missing_keys else {})
        sent = {name: part for name, part in body.items() if name not in UNSENT}
        self.sent = sent | (body.get("extra_body") or {})
        self._library = library

    def _missing_keys(self, library: Any) -> list[str]:
        """Return the variables of which one should hold a key, where none of those that LiteLLM looks at does."""
        model = self.settings.model
        usual = f"{model.partition('/')[0].upper().replace('-', '_')}_API_KEY"
        with suppress(Exception):  # an unknown provider; building the request says so in better words
            if library.get_llm_provider(model=model)[2]:  # the key of a provider that speaks as OpenAI does
                return []
        if os.environ.get(usual):
            return []
        if model.startswith(UNCHECKED):
            return [usual]
        names = library.validate_environment(model=model)["missing_keys"]
        return [name for name in names if name.endswith("_API_KEY")]

    def _body(self, library: Any, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the body that LiteLLM would send with these parameters; it builds the request and sends nothing."""
        if self._last is not None and self._last[0] == parameters:
            return self._last[1]
        model, connection = self.settings.model, self.settings.connection
        shown = {name: part for name, part in connection.items() if name not in ("api_key", "extra_headers")}
        with warnings.catch_warnings(action="ignore"):
            raw = library.utils.return_raw_request(
                endpoint=getattr(library.types.utils.CallTypes, self.endpoint),
                kwargs={"model": model, **shown, **self.probed, **parameters},
            )
        if raw.get("error"):
            problem, hint = said_in(raw["error"]), ""
            if "LLM Provider NOT provided" in problem:
                problem = f"{model}: no provider is called so"
                hint = "a model is named PROVIDER/NAME, as in openai/gpt-4o; for a server of your own add "
                hint += "--model-arg api_base=..."
                provider, slash, name = model.partition("/")
                known = sorted(str(getattr(entry, "value", entry)) for entry in library.provider_list)
                near = [provider.lower()] if provider.lower() in known else []
                near = near or [candidate.name for candidate in nearest(provider, known, limit=1)]
                if model.endswith(".gguf"):
                    hint = f"a file of weights is named {LOCAL}{model}"
                elif slash and near:
                    hint = f"{near[0]}/{name}?"
                elif "api_base" in connection:
                    hint = f"a server that speaks OpenAI's protocol is asked with --model openai/{model}"
            raise UsageError(problem, hint=hint)
        body: dict[str, Any] = raw.get("raw_request_body") or {}
        self._last = dict(parameters), body
        return body

    async def _answered(self, messages: Messages, parameters: dict[str, Any], timeout: float, kept: Exchange) -> Reply:
        USERS.join(self)
        with bound(EXCHANGE, kept):
            response = await self._library.acompletion(
                model=self.settings.model,
                messages=await with_bytes(messages),
                timeout=timeout + GRACE,  # so that its "timeout" is always the service's own
                max_retries=0,
                num_retries=0,
                **parameters,
            )
        value: dict[str, Any] = response.model_dump(warnings=False)
        first: dict[str, Any] = next(iter(value["choices"]), {})
        reply = reply_of(kept, value, first.get("finish_reason"))
        *_, cached, written = counts_in(value)
        # LiteLLM multiplies the counts of the service, also those that cannot be true.
        is_believed = (reply.usage.cached, reply.usage.written) == (cached, written)
        return self._priced(reply, kept, cost_in(response) if is_believed else None)

    async def close(self) -> None:
        """Close the connections unless another user of them is active."""
        if self._library is None:
            return
        mark = f"-{id(asyncio.get_running_loop())}"
        if USERS.leave(self) is None:
            return
        # LiteLLM's own way closes the clients of all event loops.
        cache = self._library.in_memory_llm_clients_cache
        by_key = {key: client for key, client in list(cache.cache_dict.items()) if str(key).endswith(mark)}
        for key in by_key:
            cache.delete_cache(key)  # no closed client is to be reused
        clients = list(by_key.values())
        if not USERS.any_left:
            clients.append(self._library.base_llm_aiohttp_handler)  # of all loops, for ``aiohttp_openai/`` models
        for client in clients:
            with suppress(Exception):  # a connection that breaks while it is closed is closed
                closing = (getattr(client, "aclose", None) or client.close)()
                if inspect.isawaitable(closing):
                    await closing


@dataclass
class LiteLlmImages(LiteLlm):
    """An image model behind LiteLLM; ``conditioned`` if it is also shown images."""

    conditioned: bool = False
    _client: Any = field(default=None, repr=False)
    endpoint: ClassVar[str] = "image_generation"
    probed: ClassVar[dict[str, Any]] = {"prompt": "probe", "n": 1}
    most_bytes: ClassVar[int] = 2 * MOST_IMAGE_BYTES  # an image in base64 and its metadata
    awaited: ClassVar[str] = "image"
    filter_words: ClassVar[re.Pattern[str]] = BLOCKED

    def prepare(self) -> None:
        """Check the request without sending it. Raise ``UsageError`` if the model cannot be asked."""
        super().prepare()
        if not self.conditioned:
            return
        library, edits = self._library, None
        with suppress(Exception):  # an odd provider; LiteLLM says so in several ways
            name, provider, _, _ = library.get_llm_provider(model=self.settings.model)
            edits = library.utils.ProviderConfigManager.get_provider_image_edit_config(
                model=name, provider=library.LlmProviders(provider)
            )
        if edits is None:
            hint = "describe the layout in words: --condition text"
            raise UsageError(f"{self.settings.model}: LiteLLM knows no way to show it an image", hint=hint)

    async def close(self) -> None:
        """Close the connections unless another user of them is active."""
        await super().close()
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _answered(self, messages: Messages, parameters: dict[str, Any], timeout: float, kept: Exchange) -> Reply:
        """Return the image that the service makes for a prompt, or as an edit of the images in it."""
        if messages is PROBE:  # any answer shows that the service is up, and no image is paid for
            return await super()._answered(messages, parameters, timeout, kept)
        USERS.join(self)
        options = {
            "model": self.settings.model,
            "prompt": prompt_in(messages),
            "n": 1,
            "timeout": timeout + GRACE,  # so that its "timeout" is always the service's own
            "max_retries": 0,
            **parameters,
        }
        with bound(EXCHANGE, kept):
            if images := [await asyncio.to_thread(bytes_of, image) for image in images_in(messages)]:
                response = await self._library.aimage_edit(image=images, **options)
            else:
                response = await self._library.aimage_generation(client=self._openai_client(), **options)
            data = await image_in(response, timeout)
            kept.deadline.reschedule(None)  # it is paid for, and only to be decoded
        counts = getattr(response, "usage", None)
        usage = usage_of(None, *(getattr(counts, f"{kind}_tokens", None) or None for kind in ("input", "output")))
        model = getattr(response, "model", None)
        spent = Usage(usage.prompt, usage.completion, cost=self._cost(usage, "", cost_in(response)))
        return await reply_with(data, model if isinstance(model, str) else None, spent)

    def _openai_client(self) -> Any:
        """Return a client without retries, for services that speak as OpenAI does; None for others."""
        library, connection = self._library, self.settings.connection
        _, provider, key, base = library.get_llm_provider(
            model=self.settings.model, api_base=connection.get("api_base")
        )
        if provider not in ("openai", "litellm_proxy", *library.openai_compatible_providers):
            return None
        if self._client is None:
            from openai import AsyncOpenAI

            # LiteLLM sets two retries on any client, whatever max_retries it is given.
            no_retries = {"max_retries": property(lambda _: 0, lambda *_: None)}
            self._client = type("AskingOnce", (AsyncOpenAI,), no_retries)(
                api_key=self._parameters.get("api_key") or key,
                base_url=base,
                organization=connection.get("organization"),
                http_client=library.llms.openai.common_utils.BaseOpenAILLM.get_async_http_client(),
            )
        return self._client


def cost_in(response: Any) -> float | None:
    """Return the cost that LiteLLM has reckoned for a response; None where it has not."""
    return (getattr(response, "_hidden_params", None) or {}).get("response_cost")


async def image_in(response: Any, timeout: float) -> bytes:
    """Return the bytes of the image in a response. Raise ``CallFailed`` if there is none."""
    images = getattr(response, "data", None)
    first = images[0] if isinstance(images, list) and images else None
    inline, address = getattr(first, "b64_json", None), getattr(first, "url", None)
    if isinstance(inline, str) and inline:
        if len(inline) > MOST_IMAGE_BYTES * 4 // 3 + 4:
            raise CallFailed(f"the image is larger than {MOST_IMAGE_BYTES:,} bytes", final=True)
        try:
            return base64.b64decode(inline.partition(",")[2] if inline.startswith("data:") else inline, validate=True)
        except (binascii.Error, ValueError):
            raise CallFailed("the image in the answer is no base64") from None
    if not isinstance(address, str) or not address:
        raise CallFailed("the answer holds no image")
    tries = 0
    while True:
        try:
            return await fetched(address, timeout)
        except CallFailed as failure:
            tries += 1
            failure.final = failure.final or tries == FETCHES  # asking the model again would cost again
            if failure.final:
                raise
        await asyncio.sleep(FETCH_WAIT)


async def fetched(address: str, timeout: float) -> bytes:
    """Return the content of an http or https address. Raise ``CallFailed`` with the reason if it cannot be fetched."""
    if not is_web_address(address):
        raise CallFailed("the address of the image is none, or neither http nor https", final=True)
    import aiohttp
    from yarl import URL

    shown, data, headers = without_login(address), bytearray(), {"User-Agent": "tsgkit"}
    try:
        async with (
            asyncio.timeout(timeout),
            aiohttp.ClientSession(headers=headers, raise_for_status=True) as session,
            session.get(URL(address, encoded=True), proxy=proxy_for(address)) as answer,
        ):
            async for chunk in answer.content.iter_any():
                data += chunk
                if len(data) > MOST_IMAGE_BYTES:
                    raise CallFailed(f"the image at {shown} is larger than {MOST_IMAGE_BYTES:,} bytes", final=True)
    except (aiohttp.ClientError, UsageError, OSError, ValueError) as error:
        # Not the error's own words: they may hold the address, and that a key.
        reason = f": {getattr(error, 'strerror', None) or type(error).__name__}"
        if isinstance(error, aiohttp.ClientResponseError):
            reason = f" answers {error.status}"
        elif isinstance(error, TimeoutError):
            reason = " is too slow"
        elif isinstance(error, aiohttp.ClientPayloadError):
            reason = " ends early"
        raise CallFailed(f"the image cannot be fetched: {shown}{reason}") from None
    return bytes(data)
