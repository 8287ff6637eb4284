"""Items of all tasks, as values: what a question, a choice, a sentence with its graphs and what is made of one hold.

An item has an id, a cluster (items of one scenario are not independent), and what it can be grouped by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.edits import Change
from tsgkit.graph.model import ActionGraph, Vocabulary

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One thing asked."""

    item_id: str
    cluster: str
    scenarios: tuple[str, ...] = field(default=(), compare=False)
    """Every id that its scenario goes by, else the context or L that its row has."""
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)

    @property
    def is_single(self) -> bool:
        """Whether it has one graph although its task is one of several."""
        return False

    @property
    def drawn(self) -> str:
        """What chance made of its row; empty where it holds what the row holds."""
        return ""


@dataclass(frozen=True, kw_only=True)
class QuestionSample(Sample):
    """A question about a scenario's graphs; the answer is one of their nodes."""

    graphs: tuple[ActionGraph, ...]
    question: str
    answer: str

    @property
    def nodes(self) -> frozenset[str]:
        """The names of all nodes, one of which is the answer."""
        return frozenset(
            name for graph in self.graphs for triplet in graph for name in (triplet.source, triplet.target)
        )


@dataclass(frozen=True, kw_only=True)
class SelectionSample(Sample):
    """A graph after its context, and the sentences of which one describes it."""

    context: tuple[ActionGraph, ...]
    graph: ActionGraph
    candidates: tuple[str, ...]
    position: int

    @property
    def answer(self) -> str:
        """The letter of the right candidate."""
        return LETTERS[self.position]


@dataclass(frozen=True, kw_only=True)
class GenerationSample(Sample):
    """A sentence after its context and L, and the graphs it tells."""

    context: tuple[str, ...]
    sentence: str
    vocabulary: Vocabulary
    references: tuple[ActionGraph, ...]
    context_is_text: bool = False
    """Whether the row holds its context as one text; the published prompts show that and a list differently."""

    of_several: bool = field(default=False, compare=False)
    """True in tasks of several graphs an item."""

    @property
    def k(self) -> int:
        """How many graphs are asked for."""
        return len(self.references)

    @property
    def is_single(self) -> bool:
        """Say whether it has one graph although its task is one of several."""
        return self.of_several and self.k == 1


@dataclass(frozen=True, kw_only=True)
class DerivedSample(Sample):
    """Something asked about the graphs of a generation sample; the context, sentence and L are those of its source."""

    source: GenerationSample = field(repr=False)

    @property
    def context(self) -> tuple[str, ...]:
        """The sentences before."""
        return self.source.context

    @property
    def sentence(self) -> str:
        """The sentence that tells the graphs."""
        return self.source.sentence

    @property
    def vocabulary(self) -> Vocabulary:
        """L."""
        return self.source.vocabulary

    @property
    def of_several(self) -> bool:
        """Say whether its source is of a task of several graphs an item."""
        return self.source.of_several

    @property
    def is_single(self) -> bool:
        """Say whether its source has one graph although that task is one of several."""
        return self.source.is_single


@dataclass(frozen=True, kw_only=True)
class NodesSample(DerivedSample):
    """The labels of each graph, and the nodes of all graphs together that are no actions."""

    labels: tuple[tuple[str, ...], ...]
    nodes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class EdgesSample(DerivedSample):
    """The nodes of each graph, actions included; the graphs are those of the source."""

    nodes: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class ActionsSample(DerivedSample):
    """The nodes and labels of all graphs together, and their actions in order."""

    nodes: tuple[str, ...]
    labels: tuple[str, ...]
    actions: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RefineSample(DerivedSample):
    """One graph of the source, spoilt; ``hinted`` where the kinds of error are told."""

    number: int
    error: str
    spoilt: ActionGraph
    kinds: tuple[Corruption, ...]
    changes: tuple[Change, ...]
    hinted: bool
    seed: str

    @property
    def drawn(self) -> str:
        """The spoilt graph."""
        return f"{self.item_id}\n{self.spoilt}\n"

    @property
    def original(self) -> ActionGraph:
        """The graph before it was spoilt."""
        return self.source.references[self.number]


AnySample = (
    QuestionSample | SelectionSample | GenerationSample | NodesSample | EdgesSample | ActionsSample | RefineSample
)


@dataclass(frozen=True)
class Told:
    """A sentence that is right, and the graphs it tells; empty where there is none."""

    sentence: str = ""
    graphs: tuple[ActionGraph, ...] = ()


def names_of(graphs: Iterable[ActionGraph]) -> Iterator[str]:
    """Yield the names of all nodes."""
    return (name for graph in graphs for source, _, target in graph.triplets for name in (source, target))
