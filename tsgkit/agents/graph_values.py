"""Plain values (lists, dicts, texts, numbers) in the state of the agents' graphs.

Every checkpointer can store them; it could not store our own objects:

>>> from tsgkit.graph.model import ActionGraph
>>> plain(tuple[ActionGraph, ...], (ActionGraph.of(("person", "verb", "wash")),))
[{'triplets': [['person', 'verb', 'wash']]}]
>>> restored(tuple[ActionGraph, ...], _) == (ActionGraph.of(("person", "verb", "wash")),)
True

Fields that are shared with a caller's state are validated:

>>> graphs_of({"graphs": [[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]}, "the refiner")[0].actions
('wash',)
>>> graphs_of({"graphs": [["person", "verb", "wash"]]}, "the refiner")
Traceback (most recent call last):
tsgkit.errors.UsageError: graphs: graph 1, triplet 1: expected three strings, found a string
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast, get_type_hints

from tsgkit.agents.story_graphs import sentences_of
from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.notation.json_triplets import graph_from, kind_of
from tsgkit.graph.notation.narratives import vocabulary_from
from tsgkit.graph.repairs import Change
from tsgkit.graph.rules import Finding
from tsgkit.llm.event_loop import run_in_background

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


Graphs = list[list[list[str]]]
"""Graphs, each a list of triplets, each three strings."""


class FindingValue(TypedDict):
    """A finding as a plain value; ``graph`` and ``triplet`` are numbered from 0."""

    code: str
    severity: str
    message: str
    hint: str
    graph: int | None
    triplet: int | None


class ChangeValue(TypedDict):
    """A change as a plain value, as in the file of changes of ``tsgkit refine``."""

    graph: int
    before: list[str] | None
    after: list[str] | None
    code: str
    reason: str
    by: str
    round: int
    sure: float | None


def graphs_of(state: Mapping[str, Any], who: str) -> tuple[ActionGraph, ...]:
    """Return the graphs of a state; ``UsageError`` where there are none, or something else in their place."""
    found = state.get("graphs")
    if found is None:
        raise UsageError(f"{who} was given no graphs", hint='its input, or your state, has a field "graphs"')
    if isinstance(found, str | Mapping) or not isinstance(found, Iterable):
        raise UsageError(f"graphs: expected a list of graphs, found {kind_of(found)}")
    try:
        return tuple(
            one if isinstance(one, ActionGraph) else graph_from(_as_lists(one), f"graph {number}")
            for number, one in enumerate(found, 1)
        )
    except NotationError as error:
        raise UsageError(f"graphs: {error}", hint=error.hint) from None


def _as_lists(value: object) -> object:
    return [list(one) if isinstance(one, tuple) else one for one in value] if isinstance(value, list | tuple) else value


def sentences_in(state: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sentences of the story of a state, which is a text or a list of sentences; none without a story."""
    found = state.get("narrative")
    if found is None or isinstance(found, str):
        return sentences_of(found or "")
    if isinstance(found, Sequence) and all(isinstance(one, str) for one in found):
        return tuple(found)
    raise UsageError(f"narrative: expected a text or a list of sentences, found {kind_of(found)}")


def counts_in(state: Mapping[str, Any], sentences: Sequence[str], name: str = "counts") -> tuple[int, ...] | None:
    """Return the numbers of graphs of the sentences of a state; None where they are not known."""
    found = state.get(name)
    if found is None:
        return None
    if not isinstance(found, Sequence) or not all(type(one) is int and one >= 0 for one in found):
        raise UsageError(f"{name}: expected a list of numbers, found {found!r}")
    if len(found) != len(sentences):
        raise UsageError(f"{name}: {len(found)} numbers of graphs for {len(sentences)} sentences of the narrative")
    return tuple(found)


def vocabulary_in(value: object) -> Vocabulary | None:
    """Return L, of a :class:`~tsgkit.Vocabulary` or an object with its lists as files have it."""
    if value is None or isinstance(value, Vocabulary):
        return value
    try:
        return vocabulary_from(value)
    except NotationError as error:
        raise UsageError(str(error), hint=error.hint) from None


def graph_values(graphs: Iterable[ActionGraph]) -> Graphs:
    """Return the plain form of graphs."""
    return [[list(triplet) for triplet in graph.triplets] for graph in graphs]


def finding_values(findings: Iterable[Finding], start: int = 0) -> list[FindingValue]:
    """Return the plain form of findings; ``start`` is the number of their first graph."""
    return [
        FindingValue(
            code=one.code,
            severity=one.severity,
            message=one.message,
            hint=one.hint,
            graph=None if one.place.graph is None else one.place.graph + start,
            triplet=one.place.triplet,
        )
        for one in findings
    ]


def change_values(changes: Iterable[Change]) -> list[ChangeValue]:
    """Return the plain form of changes."""
    return [
        ChangeValue(
            graph=one.graph,
            before=None if one.before is None else list(one.before),
            after=None if one.after is None else list(one.after),
            code=one.code,
            reason=one.reason,
            by=one.by,
            round=one.round,
            sure=one.sure,
        )
        for one in changes
    ]


def public_node(name: str, work: Callable[[Any], Coroutine[Any, Any, dict[str, Any]]]) -> Any:  # noqa: ANN401
    """Return a node that works in synchronous and asynchronous graphs."""
    from langchain_core.runnables import RunnableLambda

    return RunnableLambda(lambda state: run_in_background(lambda: work(state)), work, name=name)
