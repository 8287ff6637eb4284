"""Soft matching: triplets that differ only in spelling or inflection. An additional metric, never the main one.

>>> from tsgkit.graph import ActionGraph
>>> wanted = ActionGraph.of(("person", "verb", "pick-up"), ("pick-up", "dobj", "wood-pieces"))
>>> got = ActionGraph.of(("person", "verb", "picks up"), ("picks up", "dobj", "wood-piece"))
>>> soft_overlap(wanted, got)
Overlap(right=2, said=2, wanted=2)

Two triplets match when each element of one is the same word as that of the other (:func:`tsgkit.lexicon.same_word`);
every triplet is matched at most once, exact matches first, then in written order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Generic, NamedTuple, TypeVar

from tsgkit.graph import ActionGraph, Triplet
from tsgkit.lexicon import Lemmatiser, same_word
from tsgkit.scoring.alignment import assignment
from tsgkit.scoring.sets import Overlap

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
    same = _same_names(candidate.triplets, reference.triplets, lemmatiser)

    def same_triplets(wanted: Triplet, said: Triplet) -> bool:
        (x, y, z), (a, b, c) = wanted, said
        return (b == y or same(b, y)) and (a == x or same(a, x)) and (c == z or same(c, z))

    return match(reference.triplets, candidate.triplets, same_triplets).overlap


def match(
    wanted: Iterable[Element], said: Iterable[Element], same: Callable[[Element, Element], bool]
) -> Matched[Element]:
    """Match each element of two sets at most once with one of the same meaning: equal ones first, then in order.

    >>> match(["cup", "Lid"], ["lid", "cup", "pan"], lambda a, b: a.lower() == b.lower())
    Matched(pairs=[('cup', 'cup'), ('Lid', 'lid')], missing=[], extra=['pan'])
    """
    all_wanted, all_said = dict.fromkeys(wanted), dict.fromkeys(said)
    found = Matched(
        [(one, one) for one in all_said if one in all_wanted],
        [one for one in all_wanted if one not in all_said],
        [],
    )
    for one in (one for one in all_said if one not in all_wanted):
        for place, other in enumerate(found.missing):
            if same(other, one):
                found.pairs.append((found.missing.pop(place), one))
                break
        else:
            found.extra.append(one)
    return found


def shared_tuples(
    wanted: Sequence[tuple[str, ...]], said: Sequence[tuple[str, ...]], same: Callable[[str, str], bool]
) -> float:
    """Return how many tuples of names are shared, where two of one length count by the names that are the same.

    Each tuple is paired at most once, so that as much as possible is shared.

    >>> shared_tuples([("cup",), ("cup", "on", "table")], [("cup", "near", "table"), ("jug",)], lambda a, b: a == b)
    0.6666666666666666
    """

    def share(one: tuple[str, ...], other: tuple[str, ...]) -> float:
        return sum(map(same, one, other)) / len(one) if len(one) == len(other) else 0.0

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
