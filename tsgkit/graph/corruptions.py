"""The four seeded errors of the refinement task.

>>> from tsgkit.graph.model import ActionGraph, Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "with", "hand1"))
>>> L = Vocabulary(("kettle", "cup"), ("verb", "dobj", "with", "from"), ("fill", "pour"))
>>> spoilt = corrupt(graph, Corruption.MISMATCHED, L, seed=3)
>>> print(spoilt.change)
mismatched: pour -> with -> hand1, expected fill -> with -> hand1

Every corruption is a real change: the corrupted graph differs from the original by exactly the reported change.
Redundant adds a triplet that is absent and breaks no rule; missing leaves at least one triplet; mismatched takes its
substitute from L, of the same kind; reversed never takes a self loop. The same seed gives the same corruption of the
same graph, and other places in other graphs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from tsgkit.errors import EditError
from tsgkit.graph.edits import Change, ChangeKind
from tsgkit.graph.model import (
    DOBJ,
    HANDS,
    PERSON,
    VERB,
    ActionGraph,
    EdgeKind,
    Kind,
    Node,
    Triplet,
    TypedTriplet,
    Vocabulary,
    edge_kind,
)
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.lexicon import is_preposition


class Corruption(StrEnum):
    """The error types of the refinement task."""

    REDUNDANT = "redundant"
    MISSING = "missing"
    MISMATCHED = "mismatched"
    REVERSED = "reversed"


@dataclass(frozen=True)
class Corrupted:
    """A graph with a seeded error, and the change that made it."""

    graph: ActionGraph
    kind: Corruption
    change: Change


def corrupt(graph: ActionGraph, kind: Corruption, vocabulary: Vocabulary, *, seed: int | str) -> Corrupted:
    """Return the graph with one error. Raise ``EditError`` if this graph and L allow none of this kind."""
    graph = ActionGraph(dict.fromkeys(graph.triplets))
    choice = random.Random(f"{seed}/{kind}/{sorted(graph.triplets)}")
    places = WAYS[kind](graph, vocabulary)
    choice.shuffle(places)
    for reference, candidates in places:  # grouped, so that elements with many substitutes are not preferred
        choice.shuffle(candidates)
        for names in candidates:
            candidate = None if names is None else Triplet(*names)
            triplets = list(graph.triplets)
            position = triplets.index(reference) if reference is not None else choice.randint(0, len(triplets))
            triplets[position : position + (reference is not None)] = [] if candidate is None else [candidate]
            spoilt = ActionGraph(triplets)
            if kind is Corruption.REDUNDANT and _errors(spoilt, vocabulary) - _errors(graph, vocabulary):
                continue
            return Corrupted(spoilt, kind, Change(CHANGES[kind], reference, candidate))
    raise EditError(f"this graph cannot be made {kind}: {REASONS[kind]}")


Elements = tuple[str, str, str]
"""A triplet that may be drawn: of thousands few are, and only these are made a ``Triplet``, which takes longer."""


class Place(NamedTuple):
    """A triplet, or none, and all that may come in its stead."""

    reference: Triplet | None
    candidates: list[Elements | None]


def _errors(graph: ActionGraph, vocabulary: Vocabulary) -> set[tuple[str, str]]:
    return {(finding.code, finding.message) for finding in check_graph(graph, vocabulary) if finding.severity == ERROR}


def _redundant(graph: ActionGraph, vocabulary: Vocabulary) -> list[Place]:
    """Prepositions from the action or an object of the graph to an object of L or a hand."""
    starts = dict.fromkeys(node.name for node in graph.nodes(vocabulary) if node.kind in (Kind.ACTION, Kind.OBJECT))
    ends = dict.fromkeys([*_things(vocabulary), *HANDS])
    labels = [label for label in vocabulary.relationships if is_preposition(label)]
    present = set(graph.triplets)
    added = [(start, label, end) for start in starts for label in labels for end in ends if start != end]
    return [Place(None, [triplet for triplet in added if triplet not in present])]


def _missing(graph: ActionGraph, vocabulary: Vocabulary) -> list[Place]:
    return [Place(triplet, [None]) for triplet in graph.triplets] if len(graph) > 1 else []


def _reversed(graph: ActionGraph, vocabulary: Vocabulary) -> list[Place]:
    return [Place(triplet, [triplet.reversed]) for triplet in graph.triplets if triplet.reversed not in graph]


def _mismatched(graph: ActionGraph, vocabulary: Vocabulary) -> list[Place]:
    present = set(graph.triplets)
    return [
        Place(original, [substitute for substitute in substitutes if substitute not in present])
        for typed, original in zip(graph.typed(vocabulary), graph.triplets, strict=True)
        for substitutes in _substitutes(typed, vocabulary)
    ]


def _things(vocabulary: Vocabulary) -> list[str]:
    return [name for name in vocabulary.objects if name != PERSON and name not in HANDS]


def _substitutes(triplet: TypedTriplet, vocabulary: Vocabulary) -> Iterator[list[Elements]]:
    """For each element of a triplet, the triplet with that element replaced by another of its kind."""
    source, label, target = triplet.source.name, triplet.edge, triplet.target.name
    yield [(name, label, target) for name in _others(triplet.source, vocabulary)]
    yield [(source, label, name) for name in _others(triplet.target, vocabulary)]
    if edge_kind(label) is EdgeKind.PREPOSITION:
        others = (relationship for relationship in vocabulary.relationships if relationship not in (VERB, DOBJ, label))
        yield [(source, relationship, target) for relationship in others]


def _others(node: Node, vocabulary: Vocabulary) -> list[str]:
    names = {
        Kind.PERSON: [],
        Kind.ACTION: list(vocabulary.verbs),
        Kind.OBJECT: _things(vocabulary),
        Kind.HAND: [],  # hand1 for hand2 would be a wrong hand, not a mismatch
    }[node.kind]
    return [name for name in names if name != node.name]


WAYS = {
    Corruption.REDUNDANT: _redundant,
    Corruption.MISSING: _missing,
    Corruption.MISMATCHED: _mismatched,
    Corruption.REVERSED: _reversed,
}
CHANGES = {
    Corruption.REDUNDANT: ChangeKind.EXTRA,
    Corruption.MISSING: ChangeKind.MISSING,
    Corruption.MISMATCHED: ChangeKind.MISMATCHED,
    Corruption.REVERSED: ChangeKind.REVERSED,
}
REASONS = {
    Corruption.REDUNDANT: "L has no preposition and object for one more triplet that keeps the rules",
    Corruption.MISSING: "it has fewer than two triplets",
    Corruption.MISMATCHED: "L has no other element of the same kind",
    Corruption.REVERSED: "every triplet is a self loop, or its reverse is there already",
}
