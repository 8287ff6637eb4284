"""Model settings of the user: ``--model-arg key=value``, for all models or for one (``A:key=value``).

>>> arguments = parse(["temperature=0", "extra_body.top_k=5"], ["openai/gpt-4o"])
>>> settings = settings_of("openai/gpt-4o", arguments, {"seed": 3})
>>> settings.given, settings.defaults
({'temperature': 0, 'extra_body': {'top_k': 5}}, {'seed': 3})

A value is JSON if it parses as JSON, else a string. Parameters of the connection (``api_base``, ``api_key``,
``api_version``, ``extra_headers.*``) are kept apart from the request body, and are always strings.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qsl, urlsplit

from tsgkit.defaults import ATTEMPTS, TIMEOUT
from tsgkit.errors import UsageError
from tsgkit.library.downloads import refuse_login
from tsgkit.llm.secrets import SECRET_NAMES, Secrets, without_login

LOCAL = "gguf:"
"""The prefix of models that are files of weights."""
MAP = "model_prices_and_context_window_backup.json"
CONNECTION = ("api_base", "base_url", "api_key", "api_version", "organization", "extra_headers", "headers")
CONNECTION_PREFIXES = ("aws_", "vertex_", "azure_", "watsonx_")
SECRET_HEADERS = re.compile(r"auth|cookie|session", re.IGNORECASE)
NESTED = ("extra_body", "extra_headers", "headers")
PARAMETERS = {
    **dict.fromkeys(("temperature", "top_p", "top_k", "min_p", "max_tokens", "max_completion_tokens", "seed"), True),
    **dict.fromkeys(("presence_penalty", "frequency_penalty", "repetition_penalty", "top_logprobs"), True),
    **dict.fromkeys(("stop", "user", "reasoning_effort", "thinking", "verbosity", "logit_bias", "logprobs"), False),
    **dict.fromkeys(("response_format", "service_tier", "safety_settings", "modalities", "metadata", "store"), False),
}
"""The parameters that may be given, and whether they are numbers; others go by ``extra_body``."""
IMAGE_PARAMETERS = {
    **dict.fromkeys(("seed", "output_compression"), True),
    **dict.fromkeys(("size", "quality", "style", "background", "moderation", "output_format", "user"), False),
    **dict.fromkeys(("response_format", "input_fidelity"), False),
}
"""The same for image models."""
SERVER_OPTIONS = {**dict.fromkeys(("ctx", "slots", "threads", "gpu_layers"), True), "template": False}
"""The options of a server that is started here for a file of weights, and whether they are numbers; none is sent."""
NOT_SENT = "the provider would not be sent it"
DEFAULT_LIMIT = "max_tokens"
"""The parameter that a default limit of tokens sets."""
DECISIVE = re.compile(r"max_(\w{1,30}_)?tokens|n_predict|num_predict|reason|think")
"""Parameters by which the user limits replies or has the model reason."""
UNIX = {"http+unix": "http", "https+unix": "https"}
"""Schemes of addresses that name a unix socket, and those that are spoken over it."""
RESERVED = (
    *("model", "messages", "stream", "stream_options", "n", "timeout", "request_timeout", "stream_timeout"),
    *("num_retries", "max_retries", "cache", "caching", "drop_params", "additional_drop_params", "modify_params"),
    *("mock_response", "mock_tool_calls", "mock_timeout", "fallbacks", "context_window_fallback_dict", "model_list"),
    *("custom_llm_provider", "acompletion", "client", "logger_fn", "verbose", "metadata", "base_model"),
    *("input_cost_per_token", "output_cost_per_token", "shared_session"),
)
NAME = re.compile(r"[A-Za-z_]\w*(?:\.[\w-]+)*")
ADDRESSES = {
    "chatgpt": ("OPENAI",),
    "fireworks_ai": ("FIREWORKS_AI", "FIREWORKS"),
    "huggingface": ("HUGGINGFACE", "HF"),
    "ollama_chat": ("OLLAMA",),
    "text-completion-openai": ("OPENAI",),
    "together_ai": ("TOGETHER_AI", "TOGETHERAI"),
    "vertex_ai": ("VERTEX_AI", "VERTEXAI", "VERTEX"),
}
"""Prefixes of the address variables of providers, if they differ from the provider's name."""
NO_KEY = "none"
"""The key that a service is sent which needs none."""
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
BY_THE_PACKAGE = ("OPENAI_ORGANIZATION", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS")
"""Variables that only the ``openai`` package reads, which LiteLLM uses if they are set."""


def is_local(model: str) -> bool:
    """Return whether a model is a file of weights, run on this machine."""
    return model.startswith(LOCAL)


def provider_of(model: str) -> str:
    """Return the provider of a model's name; for a bare name, the one in LiteLLM's map.

    >>> provider_of("hosted_vllm/llama"), provider_of("gpt-4o")
    ('hosted_vllm', 'openai')
    """
    if is_local(model):
        return "llama.cpp"
    if "/" in model:
        return model.partition("/")[0]
    return str(model_map().get(model, {}).get("litellm_provider", model))


@cache
def model_map() -> dict[str, dict[str, Any]]:
    """Return LiteLLM's map of models with their prices; empty where LiteLLM is not installed. It is not loaded."""
    library = find_spec("litellm")
    path = None if library is None or library.origin is None else Path(library.origin).parent / MAP
    prices: dict[str, dict[str, Any]] = json.loads(path.read_text("utf-8")) if path and path.is_file() else {}
    return prices


class Argument(NamedTuple):
    """One ``--model-arg``: its model (None: all), its dotted name, its value."""

    model: str | None
    name: str
    value: Any

    def __repr__(self) -> str:
        value = "..." if _is_connection(self.name.partition(".")[0]) else repr(self.value)
        return f"Argument(model={self.model!r}, name={self.name!r}, value={value})"


@dataclass(frozen=True)
class Settings:
    """The settings of one model."""

    model: str
    given: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    connection: dict[str, Any] = field(default_factory=dict, repr=False)
    server: dict[str, Any] = field(default_factory=dict, repr=False)
    """The options of the server that is started for it here; no part of its identity."""

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters; the user's override defaults."""
        return self.defaults | self.given

    def places(self, wanted: int) -> int:
        """Return the number of requests in flight: a server that is started here has no more than its slots."""
        return min(wanted, int(self.server.get("slots", wanted)))

    @property
    def tier(self) -> str:
        """The service tier asked for; empty if none is."""
        tier = self.parameters.get("service_tier") or self.parameters.get("extra_body", {}).get("service_tier")
        return tier if isinstance(tier, str) else ""

    @property
    def endpoint(self) -> str:
        """The address to show: the given one, else the provider's name, with version or region, but no key and no
        header.
        """
        base = self.connection.get("api_base")
        where = without_login(str(base)) if base else provider_of(self.model)
        rest = (name for name in sorted(self.connection) if name not in ("api_base", *NESTED))
        return " ".join([where, *(f"{name}={self.connection[name]}" for name in rest if not SECRET_NAMES.search(name))])

    @property
    def secrets(self) -> list[str]:
        """The values in here that must never be seen."""
        values = [str(value) for name, value in self.connection.items() if SECRET_NAMES.search(name)]
        for name, value in self.connection.get("extra_headers", {}).items():
            if SECRET_NAMES.search(name) or SECRET_HEADERS.search(name) or not value.isalpha():  # not an everyday word
                values += [value, value.rpartition(" ")[2]]
        address = urlsplit(str(self.connection.get("api_base", "")))
        return [*values, *(value for _, value in parse_qsl(address.query))]


@dataclass(frozen=True)
class RetryLimits:
    """Limits of one call: attempts, total seconds of waiting, and equal errors in a row."""

    timeout: float = TIMEOUT
    attempts: int = ATTEMPTS
    same_error: int = 5
    first_wait: float = 0.5
    longest_wait: float = 60.0
    throttled_attempts: int = 60
    throttled_seconds: float = 1800.0
    max_outage: float = 1800.0
    """Seconds to wait for a service that answered before, or says that it is not ready (429, 503); 0 for not at all."""
    wait_for_server: float = 15.0
    """Seconds to wait for a service that never answered; 0 for not at all."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Return the patience that options name, with ``max_outage`` in minutes; those that are None say nothing."""
        names = ("timeout", "attempts", "max_outage", "wait_for_server")
        limits = {name: options[name] for name in names if options.get(name) is not None}
        if "max_outage" in limits:
            limits["max_outage"] *= 60
        return cls(**limits, same_error=min(cls.same_error, limits.get("attempts", cls.same_error)))


def parse(
    texts: Iterable[str], models: Sequence[str], parameters: Mapping[str, bool] = PARAMETERS
) -> tuple[Argument, ...]:
    """Return the arguments of ``--model-arg``. Raise ``UsageError`` for one that is invalid."""
    return tuple(_argument(text, sorted(models, key=len, reverse=True), parameters) for text in texts)


def arguments_of(values: Mapping[str, Any] | str | Iterable[str]) -> list[str]:
    """Return values as texts of ``--model-arg`` that parse to the same values.

    >>> arguments_of({"logprobs": True, "user": "5", "api_key": "5"})
    ['logprobs=true', 'user="5"', 'api_key=5']
    """
    if not isinstance(values, Mapping):
        return [values] if isinstance(values, str) else list(map(str, values))
    texts = []
    for name, value in values.items():
        is_plain = isinstance(value, str) and (
            _is_verbatim(name.rpartition(":")[2]) or (value and _value(value) == value)
        )
        texts.append(f"{name}={value if is_plain else json.dumps(value, default=str)}")
    return texts


def _is_verbatim(name: str) -> bool:
    """Return whether the value of an argument is a text, whatever it looks like."""
    return _is_connection(name.partition(".")[0]) and name not in NESTED


def _argument(text: str, models: Sequence[str], parameters: Mapping[str, bool]) -> Argument:
    model = next((model for model in models if text.startswith(model + ":")), None)
    name, equals, value = text[len(model) + 1 if model else 0 :].partition("=")
    name = name.strip()
    head = name.partition(".")[0]

    def wrong(problem: str, hint: str) -> UsageError:
        return UsageError(f"--model-arg {problem}", hint=hint)

    if not equals or not name:
        raise wrong(f"{_shown(text)}: not key=value", "as in --model-arg temperature=0.2")
    if ":" in name or "/" in name:
        raise wrong(f"{name}: none of the models is called so", f"models: {', '.join(models)}")
    if not NAME.fullmatch(name):
        raise wrong(f"{_shown(name)}: no name of a parameter", "as in extra_body.top_k=5")
    if head in RESERVED or head.startswith("litellm_"):
        raise wrong(f"{name}: the toolkit sets this itself", "see tsgkit eval --help")
    if not value:
        raise wrong(f"{name}: no value", 'an empty text is written ""')
    if _is_verbatim(name):
        return Argument(model, "api_base" if name == "base_url" else name, value)
    meant = _value(value)
    if head == name and head not in NESTED:
        if any(map(is_local, models if model is None else [model])):
            parameters = {**parameters, **SERVER_OPTIONS}
        if name not in parameters:
            from difflib import get_close_matches

            near = get_close_matches(name, parameters, 1)
            other_way = f"extra_body.{name}=... sends it as it stands to a service that knows it"
            raise wrong(f"{name}: no parameter is called so", f"{near[0]}?" if near else other_way)
        if parameters[name] and (isinstance(meant, bool) or not isinstance(meant, (int, float))):
            raise wrong(f"{name}={_shown(str(meant))}: not a number", f"as in {name}=1")
    return Argument(model, name, meant)


def _shown(text: str) -> str:
    """Return the beginning of something that may be a key given in the wrong place."""
    return repr(text if len(text) <= 12 else text[:8] + "...")


def _value(text: str) -> object:
    """Return the JSON value of a text; NaN and Infinity stay texts."""
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return text
    return value


def settings_of(model: str, arguments: Iterable[Argument], defaults: Mapping[str, Any]) -> Settings:
    """Return how a model is asked; an argument for this model goes before one for all."""
    chosen = [argument for argument in arguments if argument.model in (None, model)]
    parameters: dict[str, Any] = {}
    for argument in sorted(chosen, key=lambda argument: argument.model is not None):
        if argument.name not in SERVER_OPTIONS:
            _put(parameters, argument.name, argument.value)
    if "headers" in parameters:
        parameters["extra_headers"] = parameters.pop("headers") | parameters.get("extra_headers", {})
    connection = {name: parameters.pop(name) for name in list(parameters) if _is_connection(name)}
    if "api_base" not in connection:  # an address in the provider's own variables is part of a request's identity
        provider = provider_of(model)
        heads = ADDRESSES.get(provider, (provider.upper().replace("-", "_"),))
        names = (f"{head}_{tail}" for head in heads for tail in ("BASE_URL", "API_BASE"))
        if base := next(filter(None, map(os.environ.get, names)), None):
            connection["api_base"] = base
    if "api_base" in connection:
        refuse_login(connection["api_base"], "api_base", "give a key instead: --model-arg api_key=...")
        scheme, _, rest = connection["api_base"].partition("://")
        is_socket = scheme.lower() in UNIX and rest.upper().startswith("%2F")
        if not is_socket and not is_web_address(connection["api_base"]):
            hint = "as in api_base=http://127.0.0.1:8000/v1, or http+unix://%2Ftmp%2Fllm.sock/v1 for a unix socket"
            raise UsageError("api_base is no address of a service", hint=hint)
    return Settings(model, parameters, {n: v for n, v in defaults.items() if n not in parameters}, connection)


def _put(parameters: dict[str, Any], name: str, value: object) -> None:
    """Put an argument where its name says: among the parameters, or in one that has parts."""
    head, *parts = name.split(".")
    if head not in NESTED:
        if parts:
            problem = f"--model-arg {name}: only {', '.join(NESTED)} have parts"
            raise UsageError(problem, hint="as in extra_body.top_k=5")
        parameters[name] = value
        return
    if not parts and not isinstance(value, dict):
        raise UsageError(f"--model-arg {name}: not a JSON object", hint=f"as in {name}.NAME=VALUE")
    if head != "extra_body":
        headers = {name.partition(".")[2]: value} if parts else dict(value)  # type: ignore[call-overload]
        texts = {part: text if isinstance(text, str) else json.dumps(text) for part, text in headers.items()}
        parameters[head] = parameters.get(head, {}) | texts
    elif not parts:
        parameters[head] = parameters.get(head, {}) | value
    else:
        parts_of, last = parameters, parts.pop()
        for part in (head, *parts):
            if not isinstance(parts_of.setdefault(part, {}), dict):
                raise UsageError(f"--model-arg {name}: {part} has a value and no parts", hint="leave one out")
            parts_of[part] = dict(parts_of[part])
            parts_of = parts_of[part]
        parts_of[last] = value


def is_web_address(address: str) -> bool:
    """Return whether this is an address that can be asked by HTTP."""
    try:
        parts = urlsplit(address)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


def _is_connection(name: str) -> bool:
    return name in CONNECTION or name.startswith(CONNECTION_PREFIXES)


def secrets_of(settings: Iterable[Settings]) -> Secrets:
    """Return all that must be redacted: keys given and keys of the environment."""
    secrets = Secrets.of_environment()
    for model in settings:
        secrets.add(*model.secrets)
    return secrets


def check_known_key(settings: Settings) -> None:
    """Raise ``UsageError`` if the key of a well-known provider is missing."""
    variables = KEYS.get(settings.model.partition("/")[0])
    elsewhere = "api_base" in settings.connection or "api_key" in settings.connection
    if variables and not elsewhere and not any(map(os.environ.get, variables)):
        raise no_key(settings, variables)


def no_key(settings: Settings, missing: Sequence[str]) -> UsageError:
    """Return the error of a missing key, of which one of these variables should hold one."""
    hint = f"export {missing[0]}=..., or --model-arg api_key=...; for a server of your own: api_base=http://..."
    return UsageError(f"{settings.model}: no key: {' or '.join(missing)} is not set", hint=hint)
