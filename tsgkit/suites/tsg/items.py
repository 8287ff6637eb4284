"""Items of all tasks as values: questions, choices, sentences with graphs, and derived items.

An item has an id, a cluster (items of one scenario are not independent), and what it can be grouped by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.edits import Change
from tsgkit.graph.model import HANDS, PERSON, ActionGraph, Vocabulary

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, kw_only=True)
class TsgSample:
    """An item."""

    item_id: str
    cluster: str
    scenarios: tuple[str, ...] = field(default=(), compare=False)
    """Every id that its scenario goes by, else the context or L that its row has."""
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)

    @property
    def is_single(self) -> bool:
        """True if it has one graph although its task is one of several."""
        return False

    @property
    def drawn(self) -> str:
        """The randomly made part of the item; empty if it is exactly its row."""
        return ""

    def lots(self, seed: int) -> Random:
        """Return the generator of a random answer."""
        return Random(f"{seed}/{self.item_id}")


@dataclass(frozen=True, kw_only=True)
class QuestionSample(TsgSample):
    """A question about a scenario's graphs; the answer is one of their nodes."""

    graphs: tuple[ActionGraph, ...]
    question: str
    answer: str

    @property
    def nodes(self) -> frozenset[str]:
        """The names of all nodes, one of which is the answer."""
        return frozenset(names_of(self.graphs))


@dataclass(frozen=True, kw_only=True)
class SelectionSample(TsgSample):
    """A graph with its context, and sentences of which one describes it."""

    context: tuple[ActionGraph, ...]
    graph: ActionGraph
    candidates: tuple[str, ...]
    position: int
    candidate_graphs: tuple[ActionGraph, ...] = field(default=(), compare=False, repr=False)
    """The graph of each candidate, where the row has them."""

    @property
    def answer(self) -> str:
        """The letter of the right candidate."""
        return LETTERS[self.position]

    @property
    def keyed(self) -> str | None:
        """The right candidate; None if its position is outside the candidates."""
        return self.candidates[self.position] if 0 <= self.position < len(self.candidates) else None


@dataclass(frozen=True, kw_only=True)
class GenerationSample(TsgSample):
    """A sentence with its context and L, and its graphs."""

    context: tuple[str, ...]
    sentence: str
    vocabulary: Vocabulary
    references: tuple[ActionGraph, ...]
    context_is_text: bool = False
    """True if the row's context is one text; published prompts show that differently from a list."""

    of_several: bool = field(default=False, compare=False)
    """True in tasks of several graphs an item."""

    @property
    def k(self) -> int:
        """The number of requested graphs."""
        return len(self.references)

    @property
    def is_single(self) -> bool:
        """Say whether it has one graph although its task is one of several."""
        return self.of_several and self.k == 1


@dataclass(frozen=True, kw_only=True)
class DerivedSample(TsgSample):
    """An item about the graphs of a generation sample, with the same context, sentence and L."""

    source: GenerationSample = field(repr=False)

    @property
    def context(self) -> tuple[str, ...]:
        """The sentences before."""
        return self.source.context

    @property
    def sentence(self) -> str:
        """The sentence of the graphs."""
        return self.source.sentence

    @property
    def vocabulary(self) -> Vocabulary:
        """L."""
        return self.source.vocabulary

    @property
    def references(self) -> tuple[ActionGraph, ...]:
        """The graphs that it is about."""
        return self.source.references

    @property
    def is_single(self) -> bool:
        """Say whether its source has one graph although that task is one of several."""
        return self.source.is_single


@dataclass(frozen=True, kw_only=True)
class NodesSample(DerivedSample):
    """The labels of each graph, and the nodes of all graphs together without actions."""

    labels: tuple[tuple[str, ...], ...]
    nodes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class EdgesSample(DerivedSample):
    """The nodes of each graph, including actions; the graphs are those of the source."""

    nodes: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class ActionsSample(DerivedSample):
    """The nodes and labels of all graphs together, and their actions in order."""

    nodes: tuple[str, ...]
    labels: tuple[str, ...]
    actions: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RefineSample(DerivedSample):
    """A graph of the source with faults, or without any; ``hinted`` if their kinds are given.

    ``origin`` is the source of the faults, ``error`` the kind of error or the name of the fault.
    """

    number: int
    error: str
    origin: str
    spoilt: ActionGraph
    kinds: tuple[Corruption, ...]
    changes: tuple[Change, ...]
    hinted: bool
    seed: str = ""

    @property
    def drawn(self) -> str:
        """The graph with errors."""
        return f"{self.item_id}\n{self.spoilt}\n"

    @property
    def original(self) -> ActionGraph:
        """The graph without errors."""
        return self.source.references[self.number]

    @property
    def references(self) -> tuple[ActionGraph, ...]:
        """The graph without errors."""
        return (self.original,)

    @property
    def is_clean(self) -> bool:
        """True if nothing is wrong in the graph."""
        return not self.changes


AnySample = (
    QuestionSample | SelectionSample | GenerationSample | NodesSample | EdgesSample | ActionsSample | RefineSample
)


@dataclass(frozen=True)
class SentenceGraphs:
    """A correct sentence with its graphs; may be empty."""

    sentence: str = ""
    graphs: tuple[ActionGraph, ...] = ()


def names_of(graphs: Iterable[ActionGraph]) -> Iterator[str]:
    """Yield the names of all nodes."""
    return (name for graph in graphs for source, _, target in graph.triplets for name in (source, target))


def things_of(graph: ActionGraph) -> frozenset[str]:
    """Return everything named in a graph but the person and hands."""
    return frozenset(names_of([graph])) - {PERSON, *HANDS}
