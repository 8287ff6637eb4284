"""Nearest allowed names to a name that is not allowed.

>>> nearest("screwdrver", ["screw", "screwdriver", "driver"], limit=1)
(Near(name='screwdriver', score=0.9524, by='ratio'),)
>>> only_near("Picks up", ["pick-up", "put-up"])
Near(name='pick-up', score=1.0, by='inflection')
>>> only_near("pat", ["pan", "pot"]) is None
True

Names that are the same words (:mod:`tsgkit.lexicon.matching`) come first, with the score 1; then names spelt alike,
by rapidfuzz's ratio of their folded spellings. Not covered: meaning. ``cloth`` and ``clock`` are near, ``fabric`` is
not, and a near name is a suggestion, never a correction.

Typing errors are detected between names that are otherwise unlikely to be confused:

>>> is_slip("kettel", "kettle"), is_slip("hamer", "hammer"), is_slip("screwdrver", "screwdriver")
(True, True, True)
>>> is_slip("handle", "candle"), is_slip("cloth", "clock"), is_slip("paint-can", "paint-pan")
(False, False, False)

There is no dictionary, so a typing error must be one that seldom makes another word: two neighbouring letters swapped,
a letter doubled or not, or one letter in a long word. Words are compared one by one; digits are never a typing error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tsgkit.lexicon.folding import fold, folded_words
from tsgkit.lexicon.inflection import Lemmatiser
from tsgkit.lexicon.matching import Wanted, sureness

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


def _is_slip(word: str, meant_word: str) -> bool:
    short, long = sorted(map(len, (word, meant_word)))
    if not (word.isalpha() and meant_word.isalpha()) or short < SHORTEST - 1 or not SHORTEST <= long <= LONGEST:
        return False
    if _has_neighbours_swapped(word, meant_word) or DOUBLED.sub(r"\1", word) == DOUBLED.sub(r"\1", meant_word):
        return True
    return short >= LONG and is_one_letter_off(word, meant_word)


def is_one_letter_off(word: str, other: str) -> bool:
    """Return whether two words differ by one letter added, missing or changed, or two neighbours swapped."""
    from rapidfuzz.distance import OSA

    return OSA.distance(word, other, score_cutoff=1) == 1


def _has_neighbours_swapped(word: str, meant_word: str) -> bool:
    if len(word) != len(meant_word):
        return False
    places = [position for position, pair in enumerate(zip(word, meant_word, strict=True)) if pair[0] != pair[1]]
    if len(places) != 2 or places[1] != places[0] + 1:
        return False
    first, second = places
    return word[first] == meant_word[second] and word[second] == meant_word[first]


RATIO = "ratio"
MOST_NAMES = 12
"""So many names a hint lists."""
LONGEST_NAME = 200
"""Longer names are compared as words only: spelling distance would cost too much and says nothing there."""


class Near(NamedTuple):
    """A name with its similarity (1: the same words, 0: nothing in common) and the kind of match."""

    name: str
    score: float
    by: str


def nearest(
    name: str, names: Iterable[str], *, limit: int = 3, least: float = 0.6, lemmatiser: Lemmatiser | None = None
) -> tuple[Near, ...]:
    """Return at most ``limit`` names scoring at least ``least``: nearest first, then surest reading, then as given.

    The very same string is never suggested; another spelling of it is. Of equal strings in ``names`` the first counts.
    Give the names in an order of your own (sort a set): names equally near keep it.

    >>> nearest("pick-up", ["pick-up", "Pick up", "pick"], least=0.7)
    (Near(name='Pick up', score=1.0, by='folded'), Near(name='pick', score=0.7273, by='ratio'))
    """
    return tuple(_ranked(name, names, least, lemmatiser)[: max(limit, 0)])


def only_near(
    name: str, names: Iterable[str], *, least: float = 0.8, margin: float = 0.05, lemmatiser: Lemmatiser | None = None
) -> Near | None:
    """Return the one name that is clearly nearest, or None where there is none or several might be meant.

    Same words beat a like spelling, and a surer reading a less sure one; within one reading, the next name must score
    lower by ``margin``.

    >>> only_near("held", ["hold", "held-out", "helm"]), only_near("cups", ["cup", "Cup"])
    (Near(name='hold', score=1.0, by='inflection'), None)
    """
    ranked = _ranked(name, names, least, lemmatiser)
    if len(ranked) < 2:
        return ranked[0] if ranked else None
    first, second = ranked[:2]
    clear = _reading(first) < _reading(second) or round(first.score - second.score, 4) >= margin
    return first if clear else None


def _ranked(name: str, names: Iterable[str], least: float, lemmatiser: Lemmatiser | None) -> list[Near]:
    others = {candidate: fold(candidate) for candidate in names if candidate != name}
    wanted = Wanted(folded_words(name), lemmatiser)
    equals = [
        Near(candidate, 1.0, by)
        for candidate, folded in others.items()
        if (by := wanted.by(folded.split("-") if folded else ()))
    ]
    for near in equals:
        del others[near.name]
    return sorted([*equals, *_alike(name, others, least)], key=lambda near: (-near.score, _reading(near)))


def _reading(near: Near) -> int:
    """Return the rank of a name's reading: a like spelling behind every way of being the same words."""
    return sureness(near.by) + (near.by == RATIO)


def _alike(name: str, others: Mapping[str, str], least: float) -> Iterator[Near]:
    from rapidfuzz import fuzz, process

    if len(name) > LONGEST_NAME:
        return
    short = {candidate: folded for candidate, folded in others.items() if len(candidate) <= LONGEST_NAME}
    matches = process.extract(fold(name), short, scorer=fuzz.ratio, score_cutoff=100 * least, limit=None)
    score_of = {candidate: score for _, score, candidate in matches}
    for candidate in short:
        if candidate in score_of:
            yield Near(candidate, round(score_of[candidate] / 100, 4), RATIO)


def meant(name: str, names: Iterable[str]) -> str:
    """Return a hint with the nearest name, else with all names or the first of many.

    >>> meant("acuracy", ["accuracy", "f1"]), meant("x", ["accuracy", "f1"])
    ('accuracy?', 'choose from accuracy, f1')
    """
    names = tuple(names)
    closest = nearest(name, names, limit=1)
    if closest:
        return f"{closest[0].name}?"
    return f"choose from {listed(names, MOST_NAMES)}"


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return the first names, and how many more there are.

    >>> listed("abcdef"), listed(["a", "b"])
    ('a, b, c, d, e and 1 more', 'a, b')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
