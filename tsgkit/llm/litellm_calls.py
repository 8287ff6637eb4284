"""Requests through LiteLLM, for every provider that a model's name can mean.

LiteLLM's retries are off, its cache is unused, its price map is the local one, no ``.env`` file is read, and it is
imported at the first request. Loggers of the libraries below are silenced, because they would log prompts and addresses
with keys.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm import http_sessions
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.gguf import LOCAL
from tsgkit.llm.http_transport import exchange, guard
from tsgkit.llm.images import Messages, with_bytes, without_base64
from tsgkit.llm.outage import PROBE
from tsgkit.llm.prices import ImagePrice, Price, provider_of, tier_in, tier_named
from tsgkit.llm.reply import UNKNOWN, Reply, Usage
from tsgkit.llm.responses import (
    MOST_TEXT_BYTES,
    Exchange,
    Message,
    raw_reason,
    reply_of,
    unreadable,
    usage_of,
    without_shown_images,
)
from tsgkit.llm.service_errors import FILTERED, failure_in, rejection, said_in
from tsgkit.llm.settings import (
    BY_THE_PACKAGE,
    NO_KEY,
    NOT_SENT,
    Settings,
    accepted_parameters,
    check_known_key,
    no_key,
    without_limit,
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


def load() -> Any:
    """Return the library, set up."""
    os.environ.update(ENVIRONMENT)
    loggers = [logging.getLogger(name) for name in SILENCED]
    for logger in loggers:
        logger.disabled = True  # before the import: asked for by LITELLM_LOG, it would write to standard output
    import litellm

    guard()
    litellm.suppress_debug_info = True
    litellm.drop_params = False
    litellm.telemetry = False
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)  # those below it go by this level
    with _no_warnings():
        litellm.types.router.GenericLiteLLMParams()
    return litellm


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Silence warnings that LiteLLM causes by building its own types on first use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@dataclass
class LiteLlm:
    """A model behind LiteLLM."""

    settings: Settings
    price: Price | ImagePrice | None = None
    notices: list[str] = field(default_factory=list)
    sent: dict[str, Any] = field(default_factory=dict)
    """The request body as the provider gets it, without messages; known once prepared."""
    limits: dict[str, str] = field(default_factory=dict)
    """Rate limits from the headers of the last response."""
    _parameters: dict[str, Any] = field(default_factory=dict, repr=False)
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
        missing_keys = [] if "api_key" in connection else _missing_keys(library, self.settings)
        if missing_keys and "api_base" not in connection:
            raise no_key(self.settings, missing_keys)
        accepted = accepted_parameters(self.settings, partial(self._why_not_sent, library), self.notices)
        body = self._body(library, accepted)
        # A service of the user's own that needs no key still must be given one.
        self._parameters = accepted | connection | ({"api_key": NO_KEY} if missing_keys else {})
        self.notices += [self.price.note] if isinstance(self.price, Price) and self.price.note else []
        sent = {name: part for name, part in body.items() if name not in UNSENT}
        self.sent = sent | (body.get("extra_body") or {})
        self._library = library

    def _why_not_sent(self, library: Any, accepted: dict[str, Any], name: str, value: object) -> str:
        """Return the reason for which a parameter does not change the request body; empty if it does.

        If its value equals LiteLLM's default, another value is tried.
        """
        without = self._body(library, accepted)
        try:
            if self._body(library, accepted | {name: value}) != without:
                return ""
            if not isinstance(value, int):
                return NOT_SENT
            other = not value if isinstance(value, bool) else value + 1
            return "" if self._body(library, accepted | {name: other}) != without else NOT_SENT
        except UsageError as error:
            return error.message

    def _body(self, library: Any, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the body that these parameters make."""
        if self._last is None or self._last[0] != parameters:
            body = raw_body(library, self.settings, "completion", {"messages": PROBE, **parameters})
            self._last = dict(parameters), body
        return self._last[1]

    async def send(self, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Return one request; ``CallFailed`` where it brings no reply.

        A default limit of tokens is left out where the context has no room for it.
        """
        parameters = self._with_schema(schema)
        try:
            return await self._asked(messages, parameters, timeout)
        except CallFailed as failure:
            if not self.settings.has_default_limit or not failure.may_be_limit:
                raise
        return await self._asked(messages, without_limit(parameters), timeout)

    def _with_schema(self, schema: dict[str, Any] | None) -> dict[str, Any]:
        return self._parameters | ({} if schema is None else {"response_format": schema})

    async def probe(self, timeout: float) -> Reply:
        """Return the reply to a request for one token."""
        others = {name: value for name, value in self._parameters.items() if name != "max_completion_tokens"}
        return await self._asked(PROBE, others | {"max_tokens": 1}, timeout)

    async def _asked(self, messages: Messages, parameters: dict[str, Any], timeout: float) -> Reply:
        sent = messages
        http_sessions.LITELLM_USERS.join(self)
        with exchange(MOST_TEXT_BYTES) as kept:
            try:
                async with asyncio.timeout(timeout):
                    sent = await with_bytes(messages)
                    response = await self._library.acompletion(
                        model=self.settings.model,
                        messages=sent,
                        timeout=timeout + GRACE,  # so that its "timeout" is always the service's own
                        max_retries=0,
                        num_retries=0,
                        **parameters,
                    )
                    reply = self._reply(response, kept)
                    self.limits = kept.limits
            except TimeoutError:
                raise CallFailed(f"no answer within {timeout:g} s", None, timed_out=True) from None
            except CallFailed as failure:
                failure.responded = failure.responded or kept.status is not None
                raise
            except Exception as error:  # noqa: BLE001  (whatever a provider raises is a failed call)
                meant = failure_of(error, holds_images=sent is not messages)
                raise failure_in(kept, error, meant) from None
        return without_shown_images(reply, messages)

    def _reply(self, response: Any, kept: Exchange) -> Reply:
        choices = getattr(response, "choices", None)
        if not choices:
            raise CallFailed("the answer holds no choices", None)
        try:
            message, mapped = choices[0].message, choices[0].finish_reason
            refusal = getattr(message, "refusal", None) or (message.get("provider_specific_fields") or {}).get(
                "refusal"
            )
            content = message.content
        except (AttributeError, TypeError, KeyError, IndexError):
            raise unreadable(kept) from None
        if content is not None and not isinstance(content, str):
            raise unreadable(kept)
        reason = raw_reason(kept.value) or mapped
        said = Message(content, refusal, reason, mapped)
        usage = self._usage(response, content, tier_in(kept.value))
        return reply_of(said, getattr(response, "model", None), usage, kept.value.get("id"), kept.note)

    def _usage(self, response: Any, text: str | None, tier: str) -> Usage:
        found = getattr(response, "usage", None)
        if found is None:
            return UNKNOWN
        details = found.prompt_tokens_details
        counts = [getattr(found, "cache_creation_input_tokens", None)]
        counts += [getattr(details, name, None) for name in ("cache_creation_tokens", "cache_write_tokens")]
        written = next((count for count in counts if isinstance(count, int) and count), None)
        cached = getattr(details, "cached_tokens", None)
        reasoning = getattr(found.completion_tokens_details, "reasoning_tokens", None)
        usage = usage_of(text, found.prompt_tokens, found.completion_tokens, reasoning, cached, written)
        # LiteLLM multiplies the counts of the service, also those that cannot be true.
        believed = (usage.cached, usage.written) == (cached, written)
        cost = self._cost(response if believed else None, usage, tier)
        return usage if usage.total is None else replace(usage, cost=cost)

    def _cost(self, response: Any, usage: Usage, tier: str = "") -> float | None:
        """Return the cost of a response in the tier that it names; the user's price overrides LiteLLM's."""
        price = self.price.served(tier or self.settings.tier) if isinstance(self.price, Price) else self.price
        counted = tier_named(tier or str(self.settings.parameters.get("service_tier") or ""))
        counted = "" if counted == "batch" else counted  # LiteLLM knows no prices of batches, nor a tier in extra_body
        is_ours = price is not None and price.source == "--price"
        is_ours = is_ours or (isinstance(price, Price) and price.tier != counted)
        cost: float | None = None if is_ours else (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        if not cost:  # for a model that LiteLLM has no price of, some providers come out as free
            cost = None if price is None else price.of(usage)
        return cost

    async def close(self) -> None:
        """Close the connections unless another user of them is active."""
        if self._library is not None:
            await http_sessions.leave_litellm(self, self._library)


def _missing_keys(library: Any, settings: Settings) -> list[str]:
    """Return the variables of which one should hold a key, where none of those that LiteLLM looks at does."""
    usual = f"{settings.model.partition('/')[0].upper().replace('-', '_')}_API_KEY"
    with suppress(Exception):  # an unknown provider; building the request says so in better words
        if library.get_llm_provider(model=settings.model)[2]:  # the key of a provider that speaks as OpenAI does
            return []
    if os.environ.get(usual):
        return []
    if settings.model.startswith(UNCHECKED):
        return [usual]
    names = library.validate_environment(model=settings.model)["missing_keys"]
    return [name for name in names if name.endswith("_API_KEY")]


def raw_body(library: Any, settings: Settings, endpoint: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the body LiteLLM would send to an endpoint; it builds the request and sends nothing."""
    connection = {name: part for name, part in settings.connection.items() if name not in ("api_key", "extra_headers")}
    with _no_warnings():
        raw = library.utils.return_raw_request(
            endpoint=getattr(library.types.utils.CallTypes, endpoint),
            kwargs={"model": settings.model, **connection, **parameters},
        )
    if raw.get("error"):
        said = said_in(raw["error"])
        unknown = "LLM Provider NOT provided" in said
        raise UsageError(
            f"{settings.model}: no provider is called so" if unknown else said,
            hint=_named_with_provider(library, settings) if unknown else "",
        )
    body: dict[str, Any] = raw.get("raw_request_body") or {}
    return body


def _named_with_provider(library: Any, settings: Settings) -> str:
    from tsgkit.lexicon import nearest

    if settings.model.endswith(".gguf"):
        return f"a file of weights is named {LOCAL}{settings.model}"
    provider, slash, name = settings.model.partition("/")
    known = sorted(str(getattr(one, "value", one)) for one in library.provider_list)
    near = [one for one in known if one == provider.lower()] or [one.name for one in nearest(provider, known, limit=1)]
    if slash and near:
        return f"{near[0]}/{name}?"
    if "api_base" in settings.connection:
        return f"a server that speaks OpenAI's protocol is asked with --model openai/{settings.model}"
    return "a model is named PROVIDER/NAME, as in openai/gpt-4o; for a server of your own add --model-arg api_base=..."


def failure_of(error: Exception, filtered: re.Pattern[str] = FILTERED, *, holds_images: bool = False) -> CallFailed:
    """Return the failure for an exception of LiteLLM. Its 5xx without headers and its 2xx mean a broken response."""
    name, status = type(error).__name__, getattr(error, "status_code", None)
    text = said_in(str(getattr(error, "message", error)))
    if holds_images:
        text = without_base64(text)
    if name == "ContentPolicyViolationError":
        return CallFailed(f"{name}: {text}" if text else name, status, refused=True)
    said = text or name
    if not isinstance(status, int):
        return CallFailed(f"no proper answer: {said}", None)
    code = getattr(error, "code", "")
    headers = getattr(error, "litellm_response_headers", None)  # kept beside LiteLLM's own response
    places = [headers, getattr(getattr(error, "response", None), "headers", None)]
    rejected = rejection(name, status, text, places, code=code, filtered=filtered)
    is_broken = status < 400 or (status >= 500 and headers is None)
    if not rejected.refused and (is_broken or name in ("APIConnectionError", "JSONDecodeError")):
        return CallFailed(f"no proper answer: {said}", None)
    return rejected
