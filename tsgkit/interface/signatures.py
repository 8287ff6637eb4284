"""Signatures for ``help``: options passed by name, with their types."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def show_options(function: Callable[..., Any], options: type) -> None:
    """Show the options of a function, which a typed dictionary declares, where Python asks for its signature."""
    with suppress(ValueError):
        given = list(inspect.signature(function).parameters.values())[:-1]
        kind = inspect.Parameter.KEYWORD_ONLY
        named = [
            inspect.Parameter(name, kind, default=None, annotation=annotation)
            for name, annotation in _annotations(options).items()
        ]
        function.__signature__ = inspect.signature(function).replace(parameters=[*given, *named])  # type: ignore[attr-defined]


def _annotations(options: type) -> dict[str, str]:
    found = {name: getattr(said, "__forward_arg__", str(said)) for name, said in options.__annotations__.items()}
    return {name: said.removeprefix("NotRequired[").removesuffix("]") if "NotRequired" in said else said
            for name, said in found.items()}  # fmt: skip
