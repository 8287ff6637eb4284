"""Keys of well-known providers in the environment, and other variables that go with them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from tsgkit.errors import UsageError
from tsgkit.llm.settings import Settings

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


def check_known_key(settings: Settings) -> None:
    """Raise ``UsageError`` if the key of a well-known provider is missing."""
    named = KEYS.get(settings.model.partition("/")[0])
    elsewhere = "api_base" in settings.connection or "api_key" in settings.connection
    if named and not elsewhere and not any(os.environ.get(name) for name in named):
        raise no_key(settings, named)


def no_key(settings: Settings, missing: Sequence[str]) -> UsageError:
    """Return the error of a missing key, of which one of these variables should hold one."""
    hint = f"export {missing[0]}=..., or --model-arg api_key=...; for a server of your own: api_base=http://..."
    return UsageError(f"{settings.model}: no key: {' or '.join(missing)} is not set", hint=hint)
