"""Differences between two graphs in words, patches, and snapping to the vocabulary.

>>> from tsgkit.graph.model import ActionGraph
>>> wanted = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "with", "hand1"))
>>> got = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "vase"), ("fill", "with", "hand2"))
>>> for change in diff(wanted, got).changes:
...     print(change)
wrong hand: fill -> with -> hand2, expected fill -> with -> hand1
mismatched: fill -> dobj -> vase, expected fill -> dobj -> kettle
>>> patch(got, diff(wanted, got)) == wanted
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from operator import itemgetter
from typing import NamedTuple

from tsgkit.errors import EditError
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Kind, Node, Triplet, Vocabulary
from tsgkit.lexicon import Near, only_near


class ChangeKind(StrEnum):
    """The relation of a candidate's triplet to the reference."""

    MISSING = "missing"
    EXTRA = "extra"
    REVERSED = "reversed"
    MISMATCHED = "mismatched"
    WRONG_HAND = "wrong hand"


class Change(NamedTuple):
    """One difference: the expected triplet, the found one, and their elements outside L."""

    kind: ChangeKind
    reference: Triplet | None
    candidate: Triplet | None
    outside: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = self.candidate if self.candidate is not None else self.reference
        expected = f", expected {self.reference}" if self.candidate is not None and self.reference is not None else ""
        outside = f" (out of L: {', '.join(self.outside)})" if self.outside else ""
        return f"{self.kind}: {shown}{expected}{outside}"


@dataclass(frozen=True)
class Diff:
    """The common triplets of two graphs and their differences; each differing triplet is in exactly one change."""

    matched: tuple[Triplet, ...]
    changes: tuple[Change, ...]

    def __bool__(self) -> bool:
        """Return whether there is any difference."""
        return bool(self.changes)

    def __str__(self) -> str:
        return "\n".join(map(str, self.changes)) or "no difference"

    def of_kind(self, kind: ChangeKind) -> tuple[Change, ...]:
        """Return the changes of one kind."""
        return tuple(change for change in self.changes if change.kind is kind)


def diff(reference: ActionGraph, candidate: ActionGraph, vocabulary: Vocabulary | None = None) -> Diff:
    """Return how a candidate differs from its reference.

    Triplets that are not shared are paired in this order: reversed; wrong hand (all equal except hand1 against hand2);
    mismatched (exactly one element differs: first the target, then the edge, then the source). The rest is missing or
    extra. Ties are broken by written order, so the result is reproducible. The time is linear in both graphs.
    """
    wanted, written = dict.fromkeys(reference.triplets), dict.fromkeys(candidate.triplets)
    pairing = _Pairing(
        [triplet for triplet in wanted if triplet not in written],
        [triplet for triplet in written if triplet not in wanted],
    )
    matched = tuple([triplet for triplet in wanted if triplet in written])
    return Diff(matched, tuple(pairing.changes(_nothing if vocabulary is None else vocabulary.outside)))


class _Pairing:
    """The pairing of triplets that two graphs do not share, one kind of difference after the other."""

    def __init__(self, reference: list[Triplet], candidate: list[Triplet]) -> None:
        self.reference = reference
        self.candidate = candidate

    def changes(self, outside: Callable[[Triplet], tuple[str, ...]]) -> Iterator[Change]:
        for kind, of_reference, of_candidate in STEPS:
            if not (self.reference and self.candidate):
                break
            waiting: dict[object, list[Triplet]] = {}
            for triplet in reversed(self.reference):
                waiting.setdefault(of_reference(triplet), []).append(triplet)
            waiting.pop(None, None)  # a key of None pairs with nothing
            pairs: list[tuple[Triplet, Triplet]] = []
            left: list[Triplet] = []
            for triplet in self.candidate:
                if partners := waiting.get(of_candidate(triplet)):
                    pairs.append((partners.pop(), triplet))
                else:
                    left.append(triplet)
            if pairs:
                paired = {expected for expected, _ in pairs}
                self.reference = [triplet for triplet in self.reference if triplet not in paired]
                self.candidate = left
            for expected, actual in pairs:
                yield Change(kind, expected, actual, outside(actual))
        for expected in self.reference:
            yield Change(ChangeKind.MISSING, expected, None)
        for actual in self.candidate:
            yield Change(ChangeKind.EXTRA, None, actual, outside(actual))


def _nothing(triplet: Triplet) -> tuple[str, ...]:
    """Return what of a triplet is out of L where there is none."""
    return ()


def _handless(triplet: Triplet) -> tuple[str, ...] | None:
    """Return the triplet with its one hand made anonymous; None where it names no hand, or two."""
    source, edge, target = triplet
    if target in HANDS:
        return None if source in HANDS else (source, edge, "hand")
    return ("hand", edge, target) if source in HANDS else None


Key = Callable[[Triplet], object]
STEPS: tuple[tuple[ChangeKind, Key, Key], ...] = (
    (ChangeKind.REVERSED, itemgetter(0, 1, 2), itemgetter(2, 1, 0)),
    (ChangeKind.WRONG_HAND, _handless, _handless),
    (ChangeKind.MISMATCHED, itemgetter(0, 1), itemgetter(0, 1)),
    (ChangeKind.MISMATCHED, itemgetter(0, 2), itemgetter(0, 2)),
    (ChangeKind.MISMATCHED, itemgetter(1, 2), itemgetter(1, 2)),
)
"""The keys by which triplets are paired, one after the other: of the expected and of the found one."""


def patch(candidate: ActionGraph, difference: Diff) -> ActionGraph:
    """Return the candidate with every change undone, in its own order; missing triplets come last.

    ``patch(candidate, diff(reference, candidate)) == reference``. Raise ``EditError`` if the difference was made from
    another candidate.
    """
    expected = {change.candidate: change.reference for change in difference.changes if change.candidate is not None}
    for triplet in (*difference.matched, *expected):
        if triplet not in candidate.triplets:
            raise EditError(f"the graph has no triplet {triplet}", hint="patch the graph the diff was made from")
    kept = [expected.get(triplet, triplet) for triplet in candidate.triplets]
    missing = [change.reference for change in difference.changes if change.candidate is None]
    return ActionGraph(triplet for triplet in [*kept, *missing] if triplet is not None)


def exchanged(graph: ActionGraph, before: Triplet | None, after: Triplet | None) -> ActionGraph:
    """Return the graph with one triplet in the place of another; None adds one, or removes one.

    >>> graph = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "vase"))
    >>> print(exchanged(graph, graph.triplets[1], Triplet("fill", "dobj", "kettle")))
    person -> verb -> fill
    fill -> dobj -> kettle
    """
    triplets = graph.triplets
    position = len(triplets) if before is None else triplets.index(before)
    new = () if after is None else (after,)
    return ActionGraph((*triplets[:position], *new, *triplets[position + (before is not None) :]))


@dataclass(frozen=True)
class Snap:
    """An element outside L, and the nearest element of L that replaced it."""

    element: str
    near: Near


def snap(graph: ActionGraph, vocabulary: Vocabulary) -> tuple[ActionGraph, tuple[Snap, ...]]:
    """Return the graph with every element outside L replaced by its unambiguous nearest in L, and the replacements.

    Edges come first, since kinds follow from them: an edge becomes a relationship of L, an action a verb, another node
    an object, person or a hand. An element without a near neighbour, or with two about equally near, stays unchanged.
    """
    moves: dict[tuple[str, str], Snap] = {}
    labels = (*vocabulary.relationships, VERB, DOBJ)
    objects = (*vocabulary.objects, PERSON, *HANDS)
    relabelled = ActionGraph(
        Triplet(source, edge if vocabulary.allows_edge(edge) else _moved(edge, "edge", labels, moves), target)
        for source, edge, target in graph.triplets
    )

    def moved(node: Node) -> str:
        if vocabulary.allows_node(node.name):
            return node.name
        return _moved(node.name, node.kind, vocabulary.verbs if node.kind is Kind.ACTION else objects, moves)

    snapped = ActionGraph(Triplet(moved(t.source), t.edge, moved(t.target)) for t in relabelled.typed(vocabulary))
    return snapped, tuple(moves.values())


def _moved(name: str, kind: str, names: tuple[str, ...], moves: dict[tuple[str, str], Snap]) -> str:
    if (kind, name) not in moves:
        near = only_near(name, tuple(dict.fromkeys(names)))
        if near is None:
            return name
        moves[kind, name] = Snap(name, near)
    return moves[kind, name].near.name
