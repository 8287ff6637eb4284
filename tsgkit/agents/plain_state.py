"""Conversion of agent state to plain values between steps: lists, dicts, texts and numbers.

Every checkpointer can store such values; it could not store our own objects.

>>> from tsgkit.graph.model import ActionGraph
>>> plain(tuple[ActionGraph, ...], (ActionGraph.of(("person", "verb", "wash")),))
[{'triplets': [['person', 'verb', 'wash']]}]
>>> restored(tuple[ActionGraph, ...], _) == (ActionGraph.of(("person", "verb", "wash")),)
True
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_type_hints

if TYPE_CHECKING:
    from pydantic import TypeAdapter

State = TypeVar("State")


def plain(kind: Any, value: object) -> Any:  # noqa: ANN401  (types and values of all kinds)
    """Return the plain form of a value of a type."""
    return _adapter(kind).dump_python(value, mode="json")


def restored(kind: Any, value: object) -> Any:  # noqa: ANN401
    """Return the value of a plain form."""
    return _adapter(kind).validate_python(value)


def plain_fields(schema: type, values: Mapping[str, object]) -> dict[str, Any]:
    """Return the plain form of some fields of a typed dict or dataclass."""
    kinds = _kinds(schema)
    return {name: plain(kinds[name], value) for name, value in values.items()}


def restored_fields(schema: type, values: Mapping[str, object]) -> dict[str, Any]:
    """Return the values of the plain forms of some fields."""
    kinds = _kinds(schema)
    return {name: restored(kinds[name], value) for name, value in values.items()}


def restored_state(schema: type[State], values: Mapping[str, object]) -> State:
    """Return the typed dict of the plain forms of all its fields."""
    return cast(State, restored_fields(schema, values))


@cache
def _kinds(schema: type) -> dict[str, Any]:
    return get_type_hints(schema)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:  # noqa: ANN401
    from pydantic import TypeAdapter

    return TypeAdapter(kind)
