"""Tasks made of generation samples: half of the way from a sentence to its graphs, or a graph to be mended.

``nodes-*``   the edge labels are given, the nodes are asked for (actions left out)
``edges-*``   the nodes are given, the graphs are asked for
``actions``   nodes (actions left out) and edge labels are given, the actions are asked for, in order
``refine*``   a graph with one or two seeded errors is given, the graph without them is asked for

>>> take = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "lid"), ("take", "with", "hand1"))
>>> L = Vocabulary(("person", "hand1", "pan", "lid"), ("verb", "dobj", "with", "on"), ("take", "open"))
>>> source = GenerationSample(item_id="pan/0", cluster="pan", context=(), sentence="Take the lid.", vocabulary=L,
...                           references=(take,))
>>> [sample.nodes for sample in DERIVATIONS["nodes-sa"].make(source)]
[('person', 'hand1', 'lid')]
>>> [sample.item_id for sample in DERIVATIONS["refine"].make(source)][:3]
['pan/0/0/redundant', 'pan/0/0/missing', 'pan/0/0/mismatched']

What is given stands in the order of L, so that an order never tells what belongs together. The same row always makes
the same samples: errors are drawn by :data:`SEED` and the item's id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations
from random import Random
from typing import Any, NamedTuple

from tsgkit.errors import EditError
from tsgkit.graph.corruptions import Corrupted, Corruption, corrupt
from tsgkit.graph.edits import Change
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Kind, Vocabulary
from tsgkit.suites.tsg.asked import GenerationSample, Sample

SEED = 0
"""What errors are drawn by, recorded with every judgement; the hash of the data tells what was drawn."""
SEVERAL = "several"
"""The error type of a graph with two errors of different kinds."""
ERRORS = (*map(str, Corruption), SEVERAL)


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
    def original(self) -> ActionGraph:
        """The graph before it was spoilt."""
        return self.source.references[self.number]


class Derivation(NamedTuple):
    """How a task is made of generation samples, and of those of which tasks."""

    sources: tuple[str, ...]
    make: Callable[[GenerationSample], Iterator[NodesSample | EdgesSample | ActionsSample | RefineSample]]

    def source_of(self, sample: GenerationSample) -> str:
        """The generation task that a sample should belong to, if this task is to be made of it."""
        own = "sa-sgg" if sample.k == 1 else "ma-sgg"
        return own if own in self.sources else self.sources[0]


def _nodes(source: GenerationSample) -> Iterator[NodesSample]:
    yield NodesSample(
        **_common(source),
        labels=tuple(_labels([graph], source.vocabulary) for graph in source.references),
        nodes=_names(source.references, source.vocabulary, with_actions=False),
    )


def _edges(source: GenerationSample) -> Iterator[EdgesSample]:
    nodes = (_names([graph], source.vocabulary, with_actions=True) for graph in source.references)
    yield EdgesSample(**_common(source), nodes=tuple(nodes))


def _actions(source: GenerationSample) -> Iterator[ActionsSample]:
    yield ActionsSample(
        **_common(source),
        nodes=_names(source.references, source.vocabulary, with_actions=False),
        labels=_labels(source.references, source.vocabulary),
        actions=tuple(action for graph in source.references for action in graph.actions),
    )


def _refine(source: GenerationSample, *, hinted: bool) -> Iterator[RefineSample]:
    """One sample for each graph and type of error; none where a graph and L leave no way to such an error."""
    for number, graph in enumerate(source.references):
        seed = f"{SEED}/{source.item_id}/{number}"
        for error in ERRORS:
            try:
                found = _spoilt(graph, error, source.vocabulary, seed)
            except EditError:
                continue
            yield RefineSample(
                **_common(source, f"/{number}/{error}", error=error),
                number=number,
                error=error,
                spoilt=found[-1].graph,
                kinds=tuple(one.kind for one in found),
                changes=tuple(one.change for one in found),
                hinted=hinted,
                seed=seed,
            )


def _spoilt(graph: ActionGraph, error: str, vocabulary: Vocabulary, seed: str) -> tuple[Corrupted, ...]:
    """The steps that spoil a graph: one, or for several errors two of different kinds that leave each other alone."""
    if error != SEVERAL:
        return (corrupt(graph, Corruption(error), vocabulary, seed=seed),)
    pairs = list(permutations(Corruption, 2))
    Random(f"{seed}/{SEVERAL}").shuffle(pairs)
    for one, other in pairs:
        try:
            first = corrupt(graph, one, vocabulary, seed=f"{seed}/{SEVERAL}")
            second = corrupt(first.graph, other, vocabulary, seed=f"{seed}/{SEVERAL}")
        except EditError:
            continue
        if _apart(first.change, second.change):
            return first, second
    raise EditError("no two errors of different kinds go together in this graph")


def _apart(first: Change, second: Change) -> bool:
    """Whether a second change leaves what the first one did as it is, and is no way back from it."""
    touched = {first.reference, first.reference and first.reference.reversed, first.candidate} - {None}
    return not touched & {second.reference, second.candidate}


def drawn(samples: Iterable[object]) -> bytes:
    """What chance made of a row: the spoilt graphs; nothing where samples hold what the row holds."""
    return "".join(f"{one.item_id}\n{one.spoilt}\n" for one in samples if isinstance(one, RefineSample)).encode(
        "utf-8", "surrogatepass"
    )


def _common(source: GenerationSample, ending: str = "", **groups: str) -> dict[str, Any]:
    return {
        "item_id": f"{source.item_id}{ending}",
        "cluster": source.cluster,
        "scenarios": source.scenarios,
        "groups": source.groups | {name: (value,) for name, value in groups.items()},
        "source": source,
    }


def _names(graphs: Iterable[ActionGraph], vocabulary: Vocabulary, *, with_actions: bool) -> tuple[str, ...]:
    """The different node names in the order of L; an object of an action's name stays where actions are left out."""
    nodes = (node for graph in graphs for node in graph.nodes(vocabulary))
    names = {node.name for node in nodes if with_actions or node.kind is not Kind.ACTION}
    return _in_order(names, (PERSON, *HANDS, *vocabulary.objects, *vocabulary.verbs))


def _labels(graphs: Iterable[ActionGraph], vocabulary: Vocabulary) -> tuple[str, ...]:
    labels = {triplet.edge for graph in graphs for triplet in graph}
    return _in_order(labels, (VERB, DOBJ, *vocabulary.relationships))


def _in_order(names: set[str], order: Iterable[str]) -> tuple[str, ...]:
    known = [name for name in dict.fromkeys(order) if name in names]
    return (*known, *sorted(names.difference(known)))


SINGLE, SEVERAL_ACTIONS = ("sa-sgg",), ("ma-sgg",)
DERIVATIONS = {
    "nodes-sa": Derivation(SINGLE, _nodes),
    "nodes-ma": Derivation(SEVERAL_ACTIONS, _nodes),
    "edges-sa": Derivation(SINGLE, _edges),
    "edges-ma": Derivation(SEVERAL_ACTIONS, _edges),
    "actions": Derivation(SEVERAL_ACTIONS, _actions),
    "refine": Derivation((*SINGLE, *SEVERAL_ACTIONS), partial(_refine, hinted=False)),
    "refine-hinted": Derivation((*SINGLE, *SEVERAL_ACTIONS), partial(_refine, hinted=True)),
}
"""The derived tasks by name."""
OF_SEVERAL = frozenset({"ma-sgg"} | {name for name, made in DERIVATIONS.items() if made.sources == SEVERAL_ACTIONS})
"""The tasks of several graphs an item: an item of one graph is scored as k = 1 there, and counted."""
