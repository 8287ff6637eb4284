"""Precision, recall and F1 of triplets, nodes and edges as sets, matched softly or in order; elements outside L.

Precision is the share of the candidate that is right, recall the share of the reference that was found, F1 their
harmonic mean; all in [0, 1]. An empty candidate has precision 0, an empty reference recall 0, and F1 is 0 where both
are 0; of two empty sets all three are 1, for nothing was asked and nothing said.

>>> overlap({"a", "b"}, {"b", "c", "d"})
Overlap(right=1, said=3, wanted=2)
>>> round(overlap({"a", "b"}, {"b", "c", "d"}).f1, 3)
0.4
>>> overlap(set(), set()).f1, overlap({"a"}, set()).f1
(1.0, 0.0)

Soft matching accepts triplets that differ only in spelling or inflection. It is an additional metric:

>>> from tsgkit.graph import ActionGraph
>>> wanted = ActionGraph.of(("person", "verb", "pick-up"), ("pick-up", "dobj", "wood-pieces"))
>>> got = ActionGraph.of(("person", "verb", "picks up"), ("picks up", "dobj", "wood-piece"))
>>> soft_overlap(wanted, got)
Overlap(right=2, said=2, wanted=2)

Two triplets match when each element of one is the same word as that of the other (:func:`tsgkit.lexicon.same_word`);
every triplet is matched at most once, exact matches first, then in written order.

The longest common subsequence compares two lists of actions: precision = LCS / said, recall = LCS / wanted, F1 their
harmonic mean, all in [0, 1]; of two empty lists all are 1.

>>> common_subsequence(["take", "fill", "put"], ["fill", "take", "put", "wipe"])
Overlap(right=2, said=4, wanted=3)

Hallucinations are elements of graphs that are not in L: ``Total = Desc + New``: Desc elements are mentioned in the
description in some inflected form though L does not allow them, New ones are not. The unit is the element (a node name
or an edge label, once per sample).

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "wipe"), ("wipe", "dobj", "counter"), ("wipe", "with", "spoon"))
>>> L = Vocabulary(("table", "cloth"), ("verb", "dobj", "with"), ("wipe",))
>>> hallucinations([graph], L, "She wiped the counters.")
Hallucinations(described=('counter',), new=('spoon',))
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence, Set
from functools import lru_cache
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from tsgkit.graph import ActionGraph, Triplet, Vocabulary
from tsgkit.lexicon import Lemmatiser, mentions, same_word
from tsgkit.scoring.alignment import assignment


class Overlap(NamedTuple):
    """The numbers of elements that two sets share, that the candidate has, and that the reference has."""

    right: int
    said: int
    wanted: int

    @property
    def precision(self) -> float:
        """The share of the candidate's elements that are right."""
        return self._share(self.said)

    @property
    def recall(self) -> float:
        """The share of the reference's elements that the candidate has."""
        return self._share(self.wanted)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        whole = self.said + self.wanted
        return 2 * self.right / whole if whole else 1.0

    def _share(self, whole: int) -> float:
        return self.right / whole if whole else float(self.said == self.wanted)


def overlap(reference: Set[object], candidate: Set[object]) -> Overlap:
    """Return the overlap of two sets."""
    return Overlap(len(reference & candidate), len(candidate), len(reference))


def triplets_of(graph: ActionGraph) -> frozenset[object]:
    """Return the triplets of a graph, as a set."""
    return frozenset(graph.triplets)


def nodes_of(graph: ActionGraph) -> frozenset[object]:
    """Return the names of a graph's nodes."""
    names: set[object] = set()
    for source, _, target in graph.triplets:
        names.add(source)
        names.add(target)
    return frozenset(names)


def edges_of(graph: ActionGraph) -> frozenset[object]:
    """Return the labels of a graph's edges."""
    return frozenset([edge for _, edge, _ in graph.triplets])


def compare_graphs(
    reference: ActionGraph, candidate: ActionGraph, part: Callable[[ActionGraph], frozenset[object]] = triplets_of
) -> Overlap:
    """Return the overlap of two graphs in their triplets, nodes or edges."""
    return overlap(part(reference), part(candidate))


Element = TypeVar("Element", bound=Hashable)
LONGEST_KEPT = 40
"""Comparisons of names up to this length are cached."""


class Matched(NamedTuple, Generic[Element]):
    """Pairs of a reference element and a candidate element with the same meaning, and the unmatched elements of
    both."""

    pairs: list[tuple[Element, Element]]
    missing: list[Element]
    extra: list[Element]

    @property
    def overlap(self) -> Overlap:
        """The overlap of the two sets."""
        matched = len(self.pairs)
        return Overlap(matched, matched + len(self.extra), matched + len(self.missing))


def soft_overlap(reference: ActionGraph, candidate: ActionGraph, lemmatiser: Lemmatiser | None = None) -> Overlap:
    """Return the overlap of two graphs' triplets if elements count as equal that are the same word."""
    are_alike = _same_names(candidate.triplets, reference.triplets, lemmatiser)

    def same_triplets(wanted: Triplet, written: Triplet) -> bool:
        (x, y, z), (a, b, c) = wanted, written
        return (b == y or are_alike(b, y)) and (a == x or are_alike(a, x)) and (c == z or are_alike(c, z))

    return match(reference.triplets, candidate.triplets, same_triplets).overlap


def match(
    wanted: Iterable[Element], said: Iterable[Element], same: Callable[[Element, Element], bool]
) -> Matched[Element]:
    """Match each element of two sets at most once with one of the same meaning: equal ones first, then in order.

    >>> match(["cup", "Lid"], ["lid", "cup", "pan"], lambda a, b: a.lower() == b.lower())
    Matched(pairs=[('cup', 'cup'), ('Lid', 'lid')], missing=[], extra=['pan'])
    """
    all_wanted, all_said = dict.fromkeys(wanted), dict.fromkeys(said)
    matched = Matched(
        [(element, element) for element in all_said if element in all_wanted],
        [element for element in all_wanted if element not in all_said],
        [],
    )
    for element in (element for element in all_said if element not in all_wanted):
        for number, missing in enumerate(matched.missing):
            if same(missing, element):
                matched.pairs.append((matched.missing.pop(number), element))
                break
        else:
            matched.extra.append(element)
    return matched


def shared_tuples(
    wanted: Sequence[tuple[str, ...]], said: Sequence[tuple[str, ...]], same: Callable[[str, str], bool]
) -> float:
    """Return how many tuples of names are shared, where two of one length count by the names that are the same.

    Each tuple is paired at most once, so that as much as possible is shared.

    >>> shared_tuples([("cup",), ("cup", "on", "table")], [("cup", "near", "table"), ("jug",)], lambda a, b: a == b)
    0.6666666666666666
    """

    def share(first: tuple[str, ...], second: tuple[str, ...]) -> float:
        return sum(map(same, first, second)) / len(first) if len(first) == len(second) else 0.0

    return assignment([[share(one, other) for other in said] for one in wanted]).total


def _same_names(
    said: Sequence[Triplet], wanted: Sequence[Triplet], lemmatiser: Lemmatiser | None
) -> Callable[[str, str], bool]:
    if lemmatiser is None and max(map(len, chain(*said, *wanted)), default=0) <= LONGEST_KEPT:
        return _same_kept
    return lambda a, b: bool(same_word(a, b, lemmatiser))


@lru_cache(maxsize=8192)
def _same_kept(a: str, b: str) -> bool:
    return bool(same_word(a, b))


def common_subsequence(reference: Sequence[str], candidate: Sequence[str]) -> Overlap:
    """Return the longest common subsequence of two lists, as an overlap."""
    lengths = [0] * (len(candidate) + 1)
    for wanted in reference:
        diagonal = 0
        for column, written in enumerate(candidate, 1):
            above = lengths[column]
            lengths[column] = diagonal + 1 if written == wanted else max(above, lengths[column - 1])
            diagonal = above
    return Overlap(lengths[-1], len(candidate), len(reference))


class Hallucinations(NamedTuple):
    """The elements outside L: those that the description mentions, and the others."""

    described: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def total(self) -> int:
        """The number of elements."""
        return len(self.described) + len(self.new)


def hallucinations(graphs: Iterable[ActionGraph], vocabulary: Vocabulary, description: str) -> Hallucinations:
    """Return the elements of these graphs that are not in L."""
    outside = dict.fromkeys([name for graph in graphs for t in graph.triplets for name in vocabulary.outside(t)])
    described = tuple(name for name in outside if mentions(description, name))
    return Hallucinations(described, tuple(name for name in outside if name not in described))
