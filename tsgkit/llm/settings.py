"""What the user says about models: ``--model-arg key=value``, for all of them or for one (``A:key=value``).

>>> arguments = parse(["temperature=0", "extra_body.top_k=5"], ["openai/gpt-4o"])
>>> settings = settings_of("openai/gpt-4o", arguments, {"seed": 3})
>>> settings.given, settings.defaults
({'temperature': 0, 'extra_body': {'top_k': 5}}, {'seed': 3})

A value is JSON where it reads as JSON, else a string. What says where and as whom to ask (``api_base``, ``api_key``,
``api_version``, ``extra_headers.*``) is kept apart from what is sent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.llm.secrets import Secrets, without_login

CONNECTION = ("api_base", "base_url", "api_key", "api_version", "organization", "extra_headers", "headers")
CONNECTION_PREFIXES = ("aws_", "vertex_", "azure_", "watsonx_")
NESTED = ("extra_body", "extra_headers", "headers")
RESERVED = ("model", "messages", "stream", "n", "timeout", "num_retries", "max_retries", "caching", "drop_params")


class Argument(NamedTuple):
    """One ``--model-arg``: for which model (None: all), its dotted name, its value."""

    model: str | None
    name: str
    value: Any


@dataclass(frozen=True)
class Settings:
    """How one model is asked."""

    model: str
    given: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    connection: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters; what the user gave goes before a default."""
        return self.defaults | self.given

    @property
    def endpoint(self) -> str:
        """Where the model is asked, as it may be shown: the given address, else the provider's name."""
        base = self.connection.get("api_base")
        return without_login(str(base)) if base else self.model.partition("/")[0]

    @property
    def secrets(self) -> list[str]:
        """The values in here that must never be seen."""
        headers = self.connection.get("extra_headers", {})
        values = [str(value) for name, value in self.connection.items() if name.endswith(("key", "token"))]
        values += [part for value in headers.values() for part in (str(value), str(value).rpartition(" ")[2])]
        login = str(self.connection.get("api_base", "")).partition("://")[2].rpartition("@")[0]
        return [*values, login, login.partition(":")[2]]


def parse(texts: Iterable[str], models: Sequence[str]) -> tuple[Argument, ...]:
    """The arguments of ``--model-arg``; ``UsageError`` for one that cannot be meant."""
    return tuple(_argument(text, sorted(models, key=len, reverse=True)) for text in texts)


def _argument(text: str, models: Sequence[str]) -> Argument:
    model = next((model for model in models if text.startswith(model + ":")), None)
    name, found, value = text[len(model) + 1 if model else 0 :].partition("=")
    name = name.strip()
    if not found or not name:
        raise UsageError(f"--model-arg {_shown(text)}: not key=value", hint="as in --model-arg temperature=0.2")
    if model is None and (":" in name or "/" in name):
        raise UsageError(f"--model-arg {name}: none of the models is called so", hint=f"models: {', '.join(models)}")
    if name.partition(".")[0] in RESERVED:
        raise UsageError(f"--model-arg {name}: the toolkit sets this itself", hint="see tsgkit eval --help")
    return Argument(model, "api_base" if name == "base_url" else name, _value(value))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 20 else text[:8] + "...")


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def settings_of(model: str, arguments: Iterable[Argument], defaults: Mapping[str, Any]) -> Settings:
    """How a model is asked; an argument for this model goes before one for all."""
    chosen = [argument for argument in arguments if argument.model is None]
    chosen += [argument for argument in arguments if argument.model == model]
    given: dict[str, Any] = {}
    for argument in chosen:
        _put(given, argument.name, argument.value)
    if "headers" in given:
        given["extra_headers"] = given.pop("headers") | given.get("extra_headers", {})
    connection = {name: given.pop(name) for name in list(given) if _is_connection(name)}
    if "api_base" not in connection and (base := _base_of_environment(model)):
        connection["api_base"] = base
    return Settings(model, given, {n: v for n, v in defaults.items() if n not in given}, connection)


def _put(given: dict[str, Any], name: str, value: object) -> None:
    head, dot, rest = name.partition(".")
    if not dot:
        given[name] = value
    elif head in NESTED and rest:
        given.setdefault(head, {})[rest] = str(value) if head != "extra_body" else value
    else:
        raise UsageError(f"--model-arg {name}: only {', '.join(NESTED)} have parts", hint="as in extra_body.top_k=5")


def _is_connection(name: str) -> bool:
    return name in CONNECTION or name.startswith(CONNECTION_PREFIXES)


def _base_of_environment(model: str) -> str:
    """The address that the provider's own variables name; it must be part of what identifies a request."""
    provider = model.partition("/")[0].upper().replace("-", "_")
    names = (f"{provider}_BASE_URL", f"{provider}_API_BASE")
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def secrets_of(settings: Iterable[Settings]) -> Secrets:
    """All that must be redacted: keys given and keys of the environment."""
    found = Secrets.of_environment()
    for one in settings:
        found.add(*one.secrets)
    return found
