"""LiteLLM, and nowhere else: translates one request for whatever provider a model's name says.

Its retries are off, its cache is unused, its price map is the local one, it reads no ``.env`` file and loads when the
first request is made. Loggers of the libraries beneath are silenced: they would hold prompts and addresses with keys.
"""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass, field
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.prices import Price
from tsgkit.llm.reply import UNKNOWN, Ending, Reply, Usage
from tsgkit.llm.settings import Settings

ENVIRONMENT = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION", "LANGSMITH_TRACING": "false"}
SILENCED = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore", "aiohttp", "asyncio")
PROBE = [{"role": "user", "content": "probe"}]
PROBED_KEY = "no-key-is-needed-to-build-a-request"
NO_KEY = "none"
LONGEST_ERROR = 500

Messages = list[dict[str, Any]]


def load() -> Any:
    """The library, set up."""
    os.environ.update(ENVIRONMENT)
    import litellm

    litellm.suppress_debug_info = True
    litellm.drop_params = False
    litellm.telemetry = False
    for name in SILENCED:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return litellm


@dataclass
class LiteLlm:
    """One model behind LiteLLM."""

    settings: Settings
    price: Price | None = None
    notices: list[str] = field(default_factory=list)
    sent: dict[str, Any] = field(default_factory=dict)
    """The request body as the provider gets it, without messages; known once prepared."""
    _parameters: dict[str, Any] = field(default_factory=dict)
    _library: Any = None

    def prepare(self) -> None:
        """Find out, without sending anything, what the provider would get; ``UsageError`` where that is not what the
        user asked for."""
        if self._library is not None:
            return
        library = load()
        _check_key(library, self.settings)
        self._parameters = self._accepted(library)
        body = _raw_body(library, self.settings, self._parameters)
        self.sent = {name: part for name, part in body.items() if name not in ("messages", "contents", "prompt")}
        self._library = library

    def _accepted(self, library: Any) -> dict[str, Any]:
        """The parameters that reach the provider: all that the user gave, and those defaults that it takes."""
        accepted: dict[str, Any] = {}
        for name, value in self.settings.parameters.items():
            without = _raw_body(library, self.settings, accepted)
            try:
                reaches = _raw_body(library, self.settings, accepted | {name: value}) != without
                why = "the provider would not be sent it"
            except UsageError as error:
                reaches, why = False, error.message
            if reaches:
                accepted[name] = value
            elif name in self.settings.given:
                raise UsageError(f"{self.settings.model} does not take {name}: {why}", hint="leave it out")
            else:
                self.notices.append(f"{self.settings.model}: default {name}={value} is not sent: {why}")
        return accepted

    async def send(self, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """One request; ``CallFailed`` where it brings no reply."""
        extra = {} if schema is None else {"response_format": schema}
        try:
            async with asyncio.timeout(timeout):
                response = await self._library.acompletion(
                    model=self.settings.model,
                    messages=messages,
                    timeout=timeout,
                    max_retries=0,
                    num_retries=0,
                    **self._parameters,
                    **_connection(self.settings),
                    **extra,
                )
        except TimeoutError:
            raise CallFailed(f"no answer within {timeout:g} s", None) from None
        except Exception as error:  # noqa: BLE001  (whatever a provider raises is a failed call)
            raise failure_of(error, timeout) from None
        return self._reply(response)

    def _reply(self, response: Any) -> Reply:
        choices = getattr(response, "choices", None)
        if not choices:
            raise CallFailed("the answer holds no choices", None)
        message, reason = choices[0].message, choices[0].finish_reason
        refusal = getattr(message, "refusal", None) or (message.get("provider_specific_fields") or {}).get("refusal")
        text = message.content if isinstance(message.content, str) else None
        return Reply(
            text=text,
            ending=_ending(text, reason, refusal),
            finish_reason=reason,
            refusal=refusal if isinstance(refusal, str) else None,
            model=getattr(response, "model", None),
            usage=self._usage(response),
        )

    def _usage(self, response: Any) -> Usage:
        found = getattr(response, "usage", None)
        if found is None or not found.prompt_tokens:  # a service that tells nothing comes out as zeros
            return UNKNOWN
        usage = Usage(
            prompt=found.prompt_tokens,
            completion=found.completion_tokens,
            reasoning=getattr(found.completion_tokens_details, "reasoning_tokens", None),
            cached=getattr(found.prompt_tokens_details, "cached_tokens", None),
        )
        given = self.price is not None and self.price.source == "--price"
        cost = None if given else (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        if cost is None and self.price is not None:
            cost = self.price.of(usage)
        return Usage(usage.prompt, usage.completion, usage.reasoning, usage.cached, cost)

    async def close(self) -> None:
        """Close the connections."""
        if self._library is not None:
            await self._library.close_litellm_async_clients()


def _ending(text: str | None, reason: str | None, refusal: object) -> Ending:
    if reason == "content_filter" or refusal:
        return Ending.REFUSED
    if reason == "length":
        return Ending.TRUNCATED
    return Ending.COMPLETE if (text or "").strip() else Ending.EMPTY


def _connection(settings: Settings) -> dict[str, Any]:
    """Where and as whom; a service of the user's own that needs no key still must be given one."""
    missing = {"api_key": NO_KEY} if "api_base" in settings.connection and not _has_key(settings) else {}
    return settings.connection | missing


def _has_key(settings: Settings) -> bool:
    provider = settings.model.partition("/")[0].upper()
    return "api_key" in settings.connection or bool(os.environ.get(f"{provider}_API_KEY"))


def _check_key(library: Any, settings: Settings) -> None:
    if "api_key" in settings.connection or "api_base" in settings.connection:
        return
    missing = [
        name for name in library.validate_environment(model=settings.model)["missing_keys"] if name.endswith("_API_KEY")
    ]
    if missing:
        hint = (
            f"export {missing[0]}=..., or give --model-arg api_key=...; for a server of your own: api_base=http://..."
        )
        raise UsageError(f"{settings.model}: no key: {missing[0]} is not set", hint=hint)


def _raw_body(library: Any, settings: Settings, parameters: dict[str, Any]) -> dict[str, Any]:
    """The body LiteLLM would send; it builds the request and sends nothing."""
    connection = {name: part for name, part in settings.connection.items() if name not in ("api_key", "extra_headers")}
    raw = library.utils.return_raw_request(
        endpoint=library.types.utils.CallTypes.completion,
        kwargs={"model": settings.model, "messages": PROBE, **connection, **parameters},
    )
    if "LLM Provider NOT provided" in str(raw.get("error")):
        raise UsageError(f"{settings.model}: no provider of that name", hint="PROVIDER/NAME, as in openai/gpt-4o")
    if raw.get("error"):
        raise UsageError(_first_line(raw["error"]), hint="a model is named PROVIDER/NAME, as in openai/gpt-4o")
    body: dict[str, Any] = raw["raw_request_body"]
    return body


def _first_line(message: object) -> str:
    line = str(message).partition("\n")[0].removeprefix("litellm.")
    return line.partition(". To drop")[0].partition(" To drop")[0][:LONGEST_ERROR]


def failure_of(error: Exception, timeout: float) -> CallFailed:
    """What an exception of LiteLLM means."""
    name = type(error).__name__
    status = getattr(error, "status_code", None)
    message = f"{name}: {_plain(_first_line(getattr(error, 'message', error)), name)}"
    if name == "ContentPolicyViolationError":
        return CallFailed(message, status, refused=True)
    if name == "Timeout":
        return CallFailed(f"no answer within {timeout:g} s", None)
    if name in ("APIConnectionError", "JSONDecodeError") or not isinstance(status, int):
        return CallFailed(message, None)
    return CallFailed(message, status, _retry_after(error) if status in (429, 503) else None)


def _plain(line: str, name: str) -> str:
    """A message without the class names that LiteLLM stacks up in front of it."""
    while line.startswith(f"{name}: "):
        line = line.removeprefix(f"{name}: ").removeprefix("litellm.")
    return line


def _retry_after(error: Exception) -> float | None:
    """The seconds of Retry-After; LiteLLM keeps the provider's headers beside its own response."""
    places = (
        getattr(error, "litellm_response_headers", None),
        getattr(getattr(error, "response", None), "headers", None),
    )
    for headers in places:
        for name in ("retry-after-ms", "retry-after"):
            if headers is not None and (value := headers.get(name)) is not None:
                return _seconds(str(value), 0.001 if name.endswith("ms") else 1.0)
    return None


def _seconds(value: str, unit: float) -> float | None:
    try:
        return max(float(value) * unit, 0.0)
    except ValueError:
        pass
    from datetime import UTC, datetime
    from email.utils import parsedate_to_datetime

    try:
        return max((parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):
        return None
