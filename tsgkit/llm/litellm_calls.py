"""Requests through LiteLLM, for every provider that a model's name can mean.

LiteLLM's retries are off, its cache is unused, its price map is the local one, no ``.env`` file is read, and it is
imported at the first request. Loggers of the libraries below are silenced, because they would log prompts and addresses
with keys.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm import litellm_clients
from tsgkit.llm.failures import CallFailed, cannot_pay
from tsgkit.llm.finish_reasons import FAILING, ending_of, raw_reason
from tsgkit.llm.http_transport import MOST_TEXT_BYTES, Exchange, exchange, guard, messages_in
from tsgkit.llm.images import with_bytes, without_base64, without_images
from tsgkit.llm.prices import ImagePrice, Price, provider_of, tier_in, tier_named
from tsgkit.llm.reply import UNKNOWN, Ending, Reply, Usage
from tsgkit.llm.settings import Settings

ENVIRONMENT = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
SILENCED = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore", "aiohttp", "asyncio")
PROBE = [{"role": "user", "content": "probe"}]
UNSENT = ("messages", "contents", "prompt", "extra_body")
NO_KEY = "none"
UNCHECKED = ("custom_openai/", "litellm_proxy/", "text-completion-openai/", "xinference/")
"""Providers that need a key, although LiteLLM's check does not know."""
GRACE = 1.0
KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "gemini": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "mistral": ("MISTRAL_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "groq": ("GROQ_API_KEY",),
}
"""Environment variables with the keys of well-known providers; LiteLLM knows those of the others."""
OWN_CLIENT = "EXPERIMENTAL_OPENAI_BASE_LLM_HTTP_HANDLER"
"""The switch by which LiteLLM asks ``openai/`` models through the HTTP client that it asks most others through. The
``openai`` package between them takes as long again for each request; without the switch it is used, and nothing else
changes."""
BY_THE_PACKAGE = ("OPENAI_ORGANIZATION", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")
"""Parameters that only the ``openai`` package reads."""
APART = ("openai", "hosted_vllm", "anthropic", "gemini", "openrouter", "mistral", "groq", "ollama", "ollama_chat")
"""Providers that the switch does no harm: ``openai``, and those that LiteLLM never asks through the package."""
CLASS_NAMES = re.compile(r"(?:(?:litellm\.)?[\w-]*(?:Error|Exception|Timeout)(?: Error| Timeout)?(?:: | - ))+")
ADDRESSES_IN_MEMORY = re.compile(r" ssl:<[^>]*>| at 0x[0-9a-f]+")
FILTERED = re.compile(r"content[_ ]filter|content[_ ]policy|content management policy", re.IGNORECASE)

UNREACHABLE = ("ConnectError", "ConnectTimeout", "ClientConnectorError", "ClientConnectorDNSError")
"""The exceptions of HTTP libraries that say so."""
MOST_SAID = 8_192

Messages = list[dict[str, Any]]


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


def _choose_client(provider: str) -> None:
    """Avoid loading the ``openai`` package if the provider does not need it.

    The switch is global to the process, and some providers rely on the package; once off it stays off, also if the user
    turned it off.
    """
    if provider not in APART or any(os.environ.get(name) for name in BY_THE_PACKAGE):
        os.environ[OWN_CLIENT] = "False"
    elif provider == "openai":
        os.environ.setdefault(OWN_CLIENT, "True")


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

    def prepare(self) -> None:
        """Check the request without sending it. Raise ``UsageError`` if it differs from what the user asked for."""
        if self._library is not None:
            return
        _check_known_key(self.settings)
        library = load()
        _choose_client(provider_of(self.settings.model))
        _check_key(library, self.settings)
        accepted = self._accepted(library)
        body = self._body(library, accepted)
        self._parameters = accepted | _connection(library, self.settings)
        self.notices += [self.price.note] if isinstance(self.price, Price) and self.price.note else []
        sent = {name: part for name, part in body.items() if name not in UNSENT}
        self.sent = sent | (body.get("extra_body") or {})
        self._library = library

    def _accepted(self, library: Any) -> dict[str, Any]:
        """Return the parameters that reach the provider: all that the user gave, and those defaults that it takes."""
        accepted: dict[str, Any] = {}
        for name, value in self.settings.parameters.items():
            without = self._body(library, accepted)
            try:
                reaches = self._reaches(library, accepted, name, value, without)
                why = "the provider would not be sent it"
            except UsageError as error:
                reaches, why = False, error.message
            if reaches:
                accepted[name] = value
            elif name in self.settings.given:
                hint = f"leave it out; extra_body.{name}=... sends it as it stands to a service that knows it"
                raise UsageError(f"{self.settings.model} does not take {name}: {why}", hint=hint)
            else:
                self.notices.append(f"{self.settings.model}: default {name}={value} is not sent: {why}")
        return accepted

    def _reaches(
        self, library: Any, accepted: dict[str, Any], name: str, value: object, without: dict[str, Any]
    ) -> bool:
        """Return whether a parameter changes the request body. If its value equals LiteLLM's default, another value is
        tried.
        """
        if self._body(library, accepted | {name: value}) != without:
            return True
        if not isinstance(value, int):
            return False
        other = not value if isinstance(value, bool) else value + 1
        return self._body(library, accepted | {name: other}) != without

    def _body(self, library: Any, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the body that these parameters make."""
        return raw_body(library, self.settings, "completion", {"messages": PROBE, **parameters})

    async def send(self, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Return one request; ``CallFailed`` where it brings no reply."""
        extra = {} if schema is None else {"response_format": schema}
        parameters = self._parameters | extra
        sent = messages
        litellm_clients.join(self)
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
                raise CallFailed(f"no answer within {timeout:g} s", None) from None
            except CallFailed as failure:
                failure.responded = failure.responded or kept.status is not None
                raise
            except Exception as error:  # noqa: BLE001  (whatever a provider raises is a failed call)
                meant = failure_of(error, holds_images=sent is not messages)
                raise failure_in(kept, error, meant) from None
        return _without(reply, sent) if sent is not messages else reply

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
            raise _unreadable(kept) from None
        if content is not None and not isinstance(content, str):
            raise _unreadable(kept)
        reason = raw_reason(kept.value) or mapped
        if reason in FAILING:
            raise CallFailed(f"the service broke off: finish_reason {reason}", None, finish_reason=reason)
        return Reply(
            text=content,
            ending=Ending.REFUSED if refusal else ending_of(reason, mapped, content),
            finish_reason=reason,
            refusal=refusal if isinstance(refusal, str) else None,
            model=getattr(response, "model", None),
            usage=self._usage(response, content, tier_in(kept.value)),
        )

    def _usage(self, response: Any, text: str | None, tier: str) -> Usage:
        found = getattr(response, "usage", None)
        if found is None:
            return UNKNOWN
        usage = Usage(  # what a service does not tell comes out as zero
            prompt=found.prompt_tokens or None,
            completion=found.completion_tokens if found.completion_tokens or not text else None,
            reasoning=getattr(found.completion_tokens_details, "reasoning_tokens", None),
            cached=getattr(found.prompt_tokens_details, "cached_tokens", None),
            written=_written(found),
        )
        if usage.prompt is None and not usage.completion:
            return UNKNOWN
        return usage if usage.total is None else replace(usage, cost=self._cost(response, usage, tier))

    def _cost(self, response: Any, usage: Usage, tier: str = "") -> float | None:
        """Return the cost of a response in the tier that it names; the user's price overrides LiteLLM's."""
        price = self.price.served(tier or self.settings.tier) if isinstance(self.price, Price) else self.price
        given = price is not None and price.source == "--price"
        given = given or (isinstance(price, Price) and price.tier != self._tier_counted(tier))
        cost: float | None = None if given else (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        if not cost:  # for a model that LiteLLM has no price of, some providers come out as free
            cost = None if price is None else price.of(usage)
        return cost

    def _tier_counted(self, tier: str) -> str:
        """Return the tier that LiteLLM counts: not one in ``extra_body``, nor the prices of batches."""
        counted = tier_named(tier or str(self.settings.parameters.get("service_tier") or ""))
        return "" if counted == "batch" else counted

    async def close(self) -> None:
        """Close the connections unless another user of them is active."""
        if self._library is not None:
            await litellm_clients.leave(self, self._library)


def _written(found: Any) -> int | None:
    """Return the tokens that a response says were put into a prompt cache."""
    details = found.prompt_tokens_details
    told = [getattr(found, "cache_creation_input_tokens", None)]
    told += [getattr(details, name, None) for name in ("cache_creation_tokens", "cache_write_tokens")]
    return next((number for number in told if isinstance(number, int) and number), None)


def _without(reply: Reply, sent: Messages) -> Reply:
    """Return a reply that repeats none of the images it was sent."""
    text, refusal = (part and without_images(part, sent) for part in (reply.text, reply.refusal))
    return replace(reply, text=text, refusal=refusal)


def failure_in(kept: Exchange, error: Exception, failure: CallFailed) -> CallFailed:
    """Return the failure of an exception, completed by the received response if there is one."""
    if kept.failure is not None:
        return kept.failure
    if kept.status is not None and kept.status < 300 and messages_in(kept.value):
        return _unreadable(kept)
    failure.responded = kept.status is not None
    failure.unreachable = kept.status is None and _is_unreachable(error)
    said = f"{failure.message} {getattr(error, 'code', '')} {kept.body[:MOST_SAID].decode('utf-8', 'replace')}"
    failure.unpaid = not failure.refused and failure.retry_after is None and cannot_pay(failure.status, said)
    return failure


def _unreadable(kept: Exchange) -> CallFailed:
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


def _is_unreachable(error: BaseException | None) -> bool:
    """Return whether the reason of an exception is that no connection came about."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if type(error).__name__ in UNREACHABLE or isinstance(error, ConnectionRefusedError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _connection(library: Any, settings: Settings) -> dict[str, Any]:
    """Return where and as whom; a service of the user's own that needs no key still must be given one."""
    keyless = "api_base" in settings.connection and "api_key" not in settings.connection
    return settings.connection | ({"api_key": NO_KEY} if keyless and _missing_keys(library, settings) else {})


def _check_known_key(settings: Settings) -> None:
    """Say at once, before LiteLLM is loaded, that a key of a well-known provider is missing."""
    named = KEYS.get(settings.model.partition("/")[0])
    elsewhere = "api_base" in settings.connection or "api_key" in settings.connection
    if named and not elsewhere and not any(os.environ.get(name) for name in named):
        raise _no_key(settings, list(named))


def _missing_keys(library: Any, settings: Settings) -> list[str]:
    """Return the variables of which one should hold a key, where none of those that LiteLLM looks at does."""
    named = f"{settings.model.partition('/')[0].upper().replace('-', '_')}_API_KEY"
    if os.environ.get(named) or _key_of_environment(library, settings.model):
        return []
    if settings.model.startswith(UNCHECKED):
        return [named]
    names = library.validate_environment(model=settings.model)["missing_keys"]
    return [name for name in names if name.endswith("_API_KEY")]


def _key_of_environment(library: Any, model: str) -> str | None:
    """Return the key LiteLLM takes from the environment for providers that speak as OpenAI does."""
    try:
        key: str | None = library.get_llm_provider(model=model)[2]
    except Exception:  # noqa: BLE001  (an unknown provider; building the request says so in better words)
        return None
    return key


def _check_key(library: Any, settings: Settings) -> None:
    if "api_key" in settings.connection or "api_base" in settings.connection:
        return
    if missing := _missing_keys(library, settings):
        raise _no_key(settings, missing)


def _no_key(settings: Settings, missing: list[str]) -> UsageError:
    hint = f"export {missing[0]}=..., or --model-arg api_key=...; for a server of your own: api_base=http://..."
    return UsageError(f"{settings.model}: no key: {' or '.join(missing)} is not set", hint=hint)


def raw_body(library: Any, settings: Settings, endpoint: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the body LiteLLM would send to an endpoint; it builds the request and sends nothing."""
    connection = {name: part for name, part in settings.connection.items() if name not in ("api_key", "extra_headers")}
    with _no_warnings():
        raw = library.utils.return_raw_request(
            endpoint=getattr(library.types.utils.CallTypes, endpoint),
            kwargs={"model": settings.model, **connection, **parameters},
        )
    if raw.get("error"):
        said = _said(raw["error"])
        unknown = "LLM Provider NOT provided" in said
        raise UsageError(
            f"{settings.model}: no provider is called so" if unknown else said,
            hint=_named_with_provider(library, settings) if unknown else "",
        )
    body: dict[str, Any] = raw.get("raw_request_body") or {}
    return body


def _named_with_provider(library: Any, settings: Settings) -> str:
    from tsgkit.lexicon import nearest

    provider, slash, name = settings.model.partition("/")
    known = sorted(str(getattr(one, "value", one)) for one in library.provider_list)
    near = [one for one in known if one == provider.lower()] or [one.name for one in nearest(provider, known, limit=1)]
    if slash and near:
        return f"{near[0]}/{name}?"
    if "api_base" in settings.connection:
        return f"a server that speaks OpenAI's protocol is asked with --model openai/{settings.model}"
    return "a model is named PROVIDER/NAME, as in openai/gpt-4o; for a server of your own add --model-arg api_base=..."


def _first_line(message: object) -> str:
    line = str(message).partition("\n")[0].removeprefix("litellm.")
    return re.split(r"\.? To drop|\.? Handle with `litellm", line)[0]


def failure_of(error: Exception, filtered: re.Pattern[str] = FILTERED, *, holds_images: bool = False) -> CallFailed:
    """Return the failure for an exception of LiteLLM. Its 5xx without headers and its 2xx mean a broken response."""
    name, status = type(error).__name__, getattr(error, "status_code", None)
    said = _said(str(getattr(error, "message", error)))
    if holds_images:
        said = without_base64(said)
    message = f"{name}: {said}" if said else name
    if name == "ContentPolicyViolationError" or (status == 400 and _is_filtered(error, said, filtered)):
        return CallFailed(message, status, refused=True)
    answered = getattr(error, "litellm_response_headers", None) is not None
    if not isinstance(status, int) or status < 400 or (status >= 500 and not answered):
        return CallFailed(f"no proper answer: {said}", None)
    if name in ("APIConnectionError", "JSONDecodeError"):
        return CallFailed(f"no proper answer: {said}", None)
    return CallFailed(message, status, _retry_after(error) if status in (429, 503) else None)


def _is_filtered(error: Exception, said: str, filtered: re.Pattern[str]) -> bool:
    return bool(filtered.search(f"{getattr(error, 'code', '')} {said}"))


def _said(message: str) -> str:
    """Return the service's own message, without LiteLLM's class names and surrounding JSON."""
    text = CLASS_NAMES.sub("", message, count=1).strip()
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            text = _message_in(json.JSONDecoder().raw_decode(text)[0]) or text
    return ADDRESSES_IN_MEMORY.sub("", _first_line(text)).strip()


def _message_in(value: Any) -> str:
    """Return the message in the body of an error, in the shapes that services give it."""
    for name in ("error", "message", "detail"):
        found = value.get(name)
        if isinstance(found, dict):
            return _message_in(found)
        if isinstance(found, str):
            return found
    return ""


def _retry_after(error: Exception) -> float | None:
    """Return the seconds of Retry-After; LiteLLM keeps the provider's headers beside its own response."""
    places = (
        getattr(error, "litellm_response_headers", None),
        getattr(getattr(error, "response", None), "headers", None),
    )
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
