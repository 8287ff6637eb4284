"""Arguments of the Python interface as names: paths, pairs and models.

>>> pairs_of({"mine": "images/mine"}), names_of_models("openai/gpt-4o")
(['mine=images/mine'], ['openai/gpt-4o'])
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm.user_code import registered_name
from tsgkit.llm.user_models import is_chat_model


def checked_path(value: object, what: str) -> Path:
    """Return a path; ``UsageError`` where something else was given."""
    if isinstance(value, (str, os.PathLike)):
        return Path(value)
    raise UsageError(f"{what}: {value!r:.40} is no path")


def pairs_of(value: Any) -> list[str]:  # noqa: ANN401
    """Return ``NAME=VALUE`` for each pair, whether a mapping or such texts are given."""
    if isinstance(value, Mapping):
        texts = {name: os.fspath(each) if isinstance(each, os.PathLike) else each for name, each in value.items()}
        return [f"{name}={each}" for name, each in texts.items()]
    return [value] if isinstance(value, str) else [str(each) for each in value]


def listed(names: str | Sequence[str]) -> Sequence[str]:
    """Return names, of which a single one may be given as it is."""
    return [names] if isinstance(names, str) else list(names)


def text_of(path: str | Path | None) -> str | None:
    """Return a path, or nothing, as the command line has it."""
    return None if path is None else str(path)


def names_of_models(value: Any) -> list[str]:  # noqa: ANN401  (whatever a caller gives)
    """Return the names of models; what is no name becomes one. Refuse two functions that would be called the same."""
    hint = 'as in model={"mine": function}'
    names = []
    if isinstance(value, Mapping):
        for name, model in value.items():
            if not isinstance(name, str) or not name.strip():
                raise UsageError("a model has no name", hint=hint)
            if isinstance(model, str):
                known_name = f"model {name} is a name: {model}"
                raise UsageError(known_name, hint="only functions are given names; list this one")
            if isinstance(model, Mapping):
                raise UsageError(f"model {name}: a mapping within a mapping", hint=hint)
            name_of_model(model)
            names.append(registered_name(model, name))
    else:
        known: dict[str, Any] = {}
        for model in value if isinstance(value, (list, tuple)) else [value]:
            name = name_of_model(model)
            if known.setdefault(name, model) is not model and not isinstance(model, str):
                hint = 'give them names: model={"one": ..., "two": ...}'
                raise UsageError(f"two models are called {name}", hint=hint)
            names.append(name)
    if not names:
        raise UsageError("no model is named", hint="leave model= out for the built-in baselines")
    return names


def name_of_model(value: Any) -> str:  # noqa: ANN401
    """Return the name of a model: a string, a function, a chat model, or one of these in a mapping."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and len(value) == 1:
        return names_of_models(value)[0]
    if isinstance(value, type) or not (callable(value) or is_chat_model(value)):
        what = "expected a name, a function of messages or a chat model of LangChain"
        raise UsageError(f"model: {value!r:.60} is none", hint=what)
    return registered_name(value)
