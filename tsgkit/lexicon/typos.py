"""Detection of typing errors between names that are otherwise unlikely to be confused.

>>> is_slip("kettel", "kettle"), is_slip("hamer", "hammer"), is_slip("screwdrver", "screwdriver")
(True, True, True)
>>> is_slip("handle", "candle"), is_slip("cloth", "clock"), is_slip("paint-can", "paint-pan")
(False, False, False)

There is no dictionary, so a typing error must be one that seldom makes another word: two neighbouring letters swapped,
a letter doubled or not, or one letter in a long word. Words are compared one by one; digits are never a typing error.
"""

from __future__ import annotations

import re

from tsgkit.lexicon.folding import folded_words

SHORTEST = 5
"""Shorter words are too similar to each other: ``from`` and ``form``."""
LONG = 8
"""In words of this length or longer, one added, missing or changed letter is a typing error."""
LONGEST = 40
DOUBLED = re.compile(r"(.)\1")


def is_slip(written: str, meant: str) -> bool:
    """Return whether two names differ by one typing error in one word."""
    left, right = folded_words(written), folded_words(meant)
    if len(left) != len(right):
        return False
    differing = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    return len(differing) == 1 and _is_slip(*differing[0])


def _is_slip(word: str, other: str) -> bool:
    short, long = sorted(map(len, (word, other)))
    if not (word.isalpha() and other.isalpha()) or short < SHORTEST - 1 or not SHORTEST <= long <= LONGEST:
        return False
    if _has_neighbours_swapped(word, other) or DOUBLED.sub(r"\1", word) == DOUBLED.sub(r"\1", other):
        return True
    return short >= LONG and is_one_letter_off(word, other)


def is_one_letter_off(word: str, other: str) -> bool:
    """Return whether two words differ by one letter added, missing or changed, or two neighbours swapped."""
    from rapidfuzz.distance import OSA

    return OSA.distance(word, other, score_cutoff=1) == 1


def _has_neighbours_swapped(word: str, other: str) -> bool:
    if len(word) != len(other):
        return False
    places = [place for place, pair in enumerate(zip(word, other, strict=True)) if pair[0] != pair[1]]
    if len(places) != 2 or places[1] != places[0] + 1:
        return False
    first, second = places
    return word[first] == other[second] and word[second] == other[first]
