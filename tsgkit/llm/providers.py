"""The choice of who answers under the name of a model: user code, a server asked directly, or LiteLLM.

>>> from tsgkit.llm.settings import parse, settings_of
>>> own = settings_of("openai/m", parse(["api_base=http://127.0.0.1:8000/v1"], []), {})
>>> client_of(own), client_of(own, "litellm"), client_of(settings_of("groq/m", (), {}))
('direct', 'litellm', 'litellm')

Neither a run's identity nor a cache key holds the client, because both send the same and make the same of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args
from urllib.parse import urlsplit

from tsgkit.errors import UsageError
from tsgkit.llm.direct_calls import DirectCalls, is_own_server, why_not_direct
from tsgkit.llm.litellm_calls import LiteLlm
from tsgkit.llm.local_models import LocalModel, local_settings
from tsgkit.llm.prices import Price, is_local
from tsgkit.llm.settings import UNIX, Argument, Client, Settings, settings_of
from tsgkit.llm.user_models import UserModel, is_own, own_settings

CLIENTS: tuple[Client, ...] = get_args(Client)
SERVICES = (DirectCalls, LiteLlm, LocalModel)
"""Providers that send requests, whose parameters are known once prepared."""


def client_of(settings: Settings, chosen: Client | None = None) -> Client:
    """Return the client a model is asked by: the chosen one, else the direct one where it fits a server of the user's.

    Raise ``UsageError`` if the chosen one cannot ask it.
    """
    why_not = why_not_direct(settings)
    if chosen == "direct" and why_not:
        hint = "leave --client out, or --client litellm; a server of your own: openai/NAME with api_base=http://..."
        raise UsageError(f"{settings.model}: the direct client cannot ask it: {why_not}", hint=hint)
    is_socket = urlsplit(str(settings.connection.get("api_base", ""))).scheme in UNIX
    if is_socket and (chosen == "litellm" or why_not):
        raise UsageError(
            f"{settings.model}: LiteLLM cannot ask a unix socket",
            hint="the direct client can: openai/NAME or hosted_vllm/NAME without --client",
        )
    return chosen or ("direct" if not why_not and is_own_server(settings) else "litellm")


def model_settings(model: str, arguments: Sequence[Argument], defaults: Mapping[str, Any]) -> Settings:
    """Return how a model is asked, whoever answers under its name."""
    if is_own(model):
        return own_settings(model, tuple(arguments))
    return local_settings(model, arguments, defaults) if is_local(model) else settings_of(model, arguments, defaults)


def provider_for(
    settings: Settings, price: Price | None, client: Client | None = None
) -> DirectCalls | LiteLlm | LocalModel | UserModel:
    """Return who answers under the name of a model."""
    if is_own(settings.model):
        return UserModel(settings.model, price)
    if is_local(settings.model):
        if client == "litellm":
            raise UsageError(f"{settings.model}: LiteLLM cannot ask it", hint="leave --client out")
        return LocalModel(settings, price)
    return DirectCalls(settings, price) if client_of(settings, client) == "direct" else LiteLlm(settings, price)


def needs_litellm(settings: Mapping[str, Settings], client: Client | None) -> bool:
    """Return whether LiteLLM is loaded, which takes seconds, to ask any of these models."""
    services = {name: one for name, one in settings.items() if not is_own(name) and not is_local(name)}
    return any(client_of(one, client) == "litellm" for one in services.values())


def client_given(value: Any) -> Client | None:  # noqa: ANN401  (whatever a caller gives)
    """Return the client that an option names; ``UsageError`` where there is none of that name."""
    if value is None or value in CLIENTS:
        return value  # type: ignore[no-any-return]
    raise UsageError(f"client {value!r}: there is no such client", hint=f"{' or '.join(CLIENTS)}")
