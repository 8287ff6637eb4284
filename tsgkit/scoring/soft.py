"""Soft matching: triplets that say the same in other spellings or inflections. An extra, never the headline.

>>> from tsgkit.graph import ActionGraph
>>> wanted = ActionGraph.of(("person", "verb", "pick-up"), ("pick-up", "dobj", "wood-pieces"))
>>> got = ActionGraph.of(("person", "verb", "picks up"), ("picks up", "dobj", "wood-piece"))
>>> soft_overlap(wanted, got)
Overlap(right=2, said=2, wanted=2)

Two triplets match when each element of one is the same word as that of the other (:func:`tsgkit.lexicon.same_word`);
every triplet is matched at most once, exact matches first, then in written order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain

from tsgkit.graph import ActionGraph, Triplet
from tsgkit.lexicon import Lemmatiser, same_word
from tsgkit.scoring.sets import Overlap

LONGEST_KEPT = 40
"""Pairs of names up to this length are remembered: the same few are compared again and again."""


def soft_overlap(reference: ActionGraph, candidate: ActionGraph, lemmatiser: Lemmatiser | None = None) -> Overlap:
    """How the triplets of two graphs overlap when elements that are the same word count as equal."""
    wanted, said = dict.fromkeys(reference.triplets), dict.fromkeys(candidate.triplets)
    open_wanted = [triplet for triplet in wanted if triplet not in said]
    open_said = [triplet for triplet in said if triplet not in wanted]
    right = len(said) - len(open_said)
    same = _same_names(open_said, open_wanted, lemmatiser)
    for a, b, c in open_said:
        for place, (x, y, z) in enumerate(open_wanted):
            if (b == y or same(b, y)) and (a == x or same(a, x)) and (c == z or same(c, z)):
                del open_wanted[place]
                right += 1
                break
    return Overlap(right, len(said), len(wanted))


def _same_names(
    said: Sequence[Triplet], wanted: Sequence[Triplet], lemmatiser: Lemmatiser | None
) -> Callable[[str, str], bool]:
    if lemmatiser is None and max(map(len, chain(*said, *wanted)), default=0) <= LONGEST_KEPT:
        return _same_kept
    return lambda a, b: bool(same_word(a, b, lemmatiser))


@lru_cache(maxsize=8192)
def _same_kept(a: str, b: str) -> bool:
    return bool(same_word(a, b))
