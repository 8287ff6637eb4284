"""The four seeded ways of spoiling a graph that the refinement task asks a model to mend.

>>> from tsgkit.graph.model import ActionGraph, Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "with", "hand1"))
>>> L = Vocabulary(("kettle", "cup"), ("verb", "dobj", "with", "from"), ("fill", "pour"))
>>> spoilt = corrupt(graph, Corruption.REVERSED, L, seed=3)
>>> print(spoilt.change)
reversed: hand1 -> with -> fill, expected fill -> with -> hand1

Every corruption is a real change: the spoilt graph differs from the graph by exactly the change it reports. Redundant
adds a triplet that is absent and breaks no rule; missing leaves at least one triplet; mismatched takes its substitute
from L, of the same kind; reversed never takes a self loop. The same seed gives the same corruption.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tsgkit.errors import EditError
from tsgkit.graph.edits import Change, ChangeKind
from tsgkit.graph.model import DOBJ, HANDS, VERB, ActionGraph, EdgeKind, Kind, Node, Triplet, TypedTriplet, Vocabulary
from tsgkit.graph.rules import ERROR, check_graph


class Corruption(StrEnum):
    """The four error types of the refinement task."""

    REDUNDANT = "redundant"
    MISSING = "missing"
    MISMATCHED = "mismatched"
    REVERSED = "reversed"


@dataclass(frozen=True)
class Corrupted:
    """A spoilt graph, and the change that spoilt it (against the graph it was made from)."""

    graph: ActionGraph
    kind: Corruption
    change: Change


def corrupt(graph: ActionGraph, kind: Corruption, vocabulary: Vocabulary, *, seed: int | str) -> Corrupted:
    """The graph spoilt in one way; ``EditError`` where this graph and L leave no such way."""
    graph = ActionGraph(dict.fromkeys(graph.triplets))
    ways = _WAYS[kind](graph, vocabulary)
    choice = random.Random(f"{seed}/{kind}")
    choice.shuffle(ways)
    for change in ways:
        if spoilt := _apply(graph, change, choice):
            if kind is not Corruption.REDUNDANT or _errors(spoilt, vocabulary) <= _errors(graph, vocabulary):
                return Corrupted(spoilt, kind, change)
    raise EditError(f"this graph cannot be made {kind}: {_REASONS[kind]}")


def _apply(graph: ActionGraph, change: Change, choice: random.Random) -> ActionGraph | None:
    """The graph with a change made, None where it would be no change of the number of triplets it says."""
    triplets = list(graph.triplets)
    if change.candidate in triplets:
        return None
    if change.reference is None:
        triplets.insert(choice.randint(0, len(triplets)), _present(change.candidate))
    elif change.candidate is None:
        triplets.remove(change.reference)
    else:
        triplets[triplets.index(change.reference)] = change.candidate
    return ActionGraph(triplets)


def _present(triplet: Triplet | None) -> Triplet:
    if triplet is None:
        raise EditError("a change has neither a reference nor a candidate")
    return triplet


def _errors(graph: ActionGraph, vocabulary: Vocabulary) -> set[tuple[str, str]]:
    return {(finding.code, finding.message) for finding in check_graph(graph, vocabulary) if finding.severity == ERROR}


def _redundant(graph: ActionGraph, vocabulary: Vocabulary) -> list[Change]:
    """Prepositions from the action or an object of the graph to an object of L or a hand."""
    starts = [node.name for node in graph.nodes(vocabulary) if node.kind in (Kind.ACTION, Kind.OBJECT)]
    ends = [*(name for name in vocabulary.objects if name != "person" and name not in HANDS), *HANDS]
    labels = [label for label in vocabulary.relationships if label not in (VERB, DOBJ)]
    return [
        Change(ChangeKind.EXTRA, None, Triplet(start, label, end))
        for start in starts
        for label in labels
        for end in ends
        if start != end
    ]


def _missing(graph: ActionGraph, vocabulary: Vocabulary) -> list[Change]:
    if len(graph) < 2:
        return []
    return [Change(ChangeKind.MISSING, triplet, None) for triplet in graph.triplets]


def _reversed(graph: ActionGraph, vocabulary: Vocabulary) -> list[Change]:
    return [
        Change(ChangeKind.REVERSED, triplet, triplet.reversed)
        for triplet in graph.triplets
        if triplet.source != triplet.target
    ]


def _mismatched(graph: ActionGraph, vocabulary: Vocabulary) -> list[Change]:
    return [
        Change(ChangeKind.MISMATCHED, original, substitute)
        for typed, original in zip(graph.typed(vocabulary), graph.triplets, strict=True)
        for substitute in _substitutes(typed, vocabulary)
        if substitute != original
    ]


def _substitutes(triplet: TypedTriplet, vocabulary: Vocabulary) -> Iterator[Triplet]:
    """The triplet with one of its elements replaced by another of its kind."""
    (source, label, target) = triplet
    for name in _others(source, vocabulary):
        yield Triplet(name, label, target.name)
    for name in _others(target, vocabulary):
        yield Triplet(source.name, label, name)
    if Triplet(source.name, label, target.name).kind is EdgeKind.PREPOSITION:
        for other in vocabulary.relationships:
            if other not in (VERB, DOBJ, label):
                yield Triplet(source.name, other, target.name)


def _others(node: Node, vocabulary: Vocabulary) -> list[str]:
    names = {
        Kind.PERSON: [],
        Kind.ACTION: list(vocabulary.verbs),
        Kind.OBJECT: [name for name in vocabulary.objects if name != "person" and name not in HANDS],
        Kind.HAND: [],  # hand1 for hand2 would be a wrong hand, not a mismatch
    }[node.kind]
    return [name for name in names if name != node.name]


_WAYS = {
    Corruption.REDUNDANT: _redundant,
    Corruption.MISSING: _missing,
    Corruption.MISMATCHED: _mismatched,
    Corruption.REVERSED: _reversed,
}
_REASONS = {
    Corruption.REDUNDANT: "L has no preposition and object for one more triplet that keeps the rules",
    Corruption.MISSING: "it has fewer than two triplets",
    Corruption.MISMATCHED: "L has no other element of the same kind",
    Corruption.REVERSED: "every triplet is a self loop, or its reverse is there already",
}
