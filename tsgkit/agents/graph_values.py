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
    values = state.get("graphs")
    if values is None:
        raise UsageError(f"{who} was given no graphs", hint='its input, or your state, has a field "graphs"')
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise UsageError(f"graphs: expected a list of graphs, found {kind_of(values)}")
    try:
        return tuple(
            value if isinstance(value, ActionGraph) else graph_from(_as_lists(value), f"graph {number}")
            for number, value in enumerate(values, 1)
        )
    except NotationError as error:
        raise UsageError(f"graphs: {error}", hint=error.hint) from None


def _as_lists(value: object) -> object:
    return (
        [list(part) if isinstance(part, tuple) else part for part in value]
        if isinstance(value, list | tuple)
        else value
    )


def sentences_in(state: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sentences of the story of a state, which is a text or a list of sentences; none without a story."""
    story = state.get("narrative")
    if story is None or isinstance(story, str):
        return sentences_of(story or "")
    if isinstance(story, Sequence) and all(isinstance(sentence, str) for sentence in story):
        return tuple(story)
    raise UsageError(f"narrative: expected a text or a list of sentences, found {kind_of(story)}")


def counts_in(state: Mapping[str, Any], sentences: Sequence[str], name: str = "counts") -> tuple[int, ...] | None:
    """Return the numbers of graphs of the sentences of a state; None where they are not known."""
    counts = state.get(name)
    if counts is None:
        return None
    if not isinstance(counts, Sequence) or not all(type(count) is int and count >= 0 for count in counts):
        raise UsageError(f"{name}: expected a list of numbers, found {counts!r}")
    if len(counts) != len(sentences):
        raise UsageError(f"{name}: {len(counts)} numbers of graphs for {len(sentences)} sentences of the narrative")
    return tuple(counts)


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
            code=finding.code,
            severity=finding.severity,
            message=finding.message,
            hint=finding.hint,
            graph=None if finding.place.graph is None else finding.place.graph + start,
            triplet=finding.place.triplet,
        )
        for finding in findings
    ]


def change_values(changes: Iterable[Change]) -> list[ChangeValue]:
    """Return the plain form of changes."""
    return [
        ChangeValue(
            graph=change.graph,
            before=None if change.before is None else list(change.before),
            after=None if change.after is None else list(change.after),
            code=change.code,
            reason=change.reason,
            by=change.by,
            round=change.round,
            sure=change.sure,
        )
        for change in changes
    ]


def public_node(name: str, work: Callable[[Any], Coroutine[Any, Any, dict[str, Any]]]) -> Any:  # noqa: ANN401
    """Return a node that works in synchronous and asynchronous graphs."""
    from langchain_core.runnables import RunnableLambda

    return RunnableLambda(lambda state: run_in_background(lambda: work(state)), work, name=name)
