"""What is asked, as values: a sample of each kind of row.

A sample has an id, a cluster (samples of one scenario are not independent), and what it can be grouped by. Samples that
other tasks make of a generation sample stand in :mod:`~tsgkit.suites.tsg.derived`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
