"""Arguments of the Python interface as names: paths, pairs and models.

>>> pairs_of({"mine": "images/mine"}), names_of_models("openai/gpt-4o")
(['mine=images/mine'], ['openai/gpt-4o'])
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.interface.options import several
from tsgkit.llm.user_code import registered_name
from tsgkit.llm.user_models import is_chat_model


def checked_path(value: object, what: str) -> Path:
    """Return a path; ``UsageError`` where something else was given."""
    if isinstance(value, (str, PathLike)):
        return Path(value)
    raise UsageError(f"{what}: {value!r:.40} is no path")


def text_of(path: str | Path | None) -> str | None:
    """Return a path, or nothing, as the command line has it."""
    return None if path is None else str(path)


def pairs_of(value: Any) -> list[str]:  # noqa: ANN401
    """Return ``NAME=VALUE`` for each pair, whether a mapping or such texts are given."""
    if not isinstance(value, Mapping):
        return list(map(str, several(value)))
    return [f"{name}={fspath(each) if isinstance(each, PathLike) else each}" for name, each in value.items()]


def names_of_models(value: Any) -> list[str]:  # noqa: ANN401  (whatever a caller gives)
    """Return the names of models; what is no name becomes one. Refuse two functions that would be called the same."""
    models: dict[str, Any] = {}
    if isinstance(value, Mapping):
        for name, model in value.items():
            if not isinstance(name, str) or not name.strip():
                raise UsageError("a model has no name", hint='as in model={"mine": function}')
            if isinstance(model, str):
                hint = "only functions are given names; list this one"
                raise UsageError(f"model {name} is a name: {model}", hint=hint)
            models[_registered(model, name)] = model
    else:
        for model in value if isinstance(value, (list, tuple)) else [value]:
            name = name_of_model(model)
            if models.setdefault(name, model) is not model and not isinstance(model, str):
                hint = 'give them names: model={"one": ..., "two": ...}'
                raise UsageError(f"two models are called {name}", hint=hint)
    if not models:
        raise UsageError("no model is named", hint="leave model= out for the built-in baselines")
    return list(models)


def name_of_model(value: Any) -> str:  # noqa: ANN401
    """Return the name of a model: a string, a function, a chat model, or one of these in a mapping."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping) and len(value) == 1:
        return names_of_models(value)[0]
    return _registered(value)


def _registered(model: Any, name: str = "") -> str:  # noqa: ANN401
    if isinstance(model, type) or not (callable(model) or is_chat_model(model)):
        hint = "expected a name, a function of messages or a chat model of LangChain"
        raise UsageError(f"model: {model!r:.60} is none", hint=hint)
    return registered_name(model, name)
