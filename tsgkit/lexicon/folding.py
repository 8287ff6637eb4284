"""Normalisation of names, so that different spellings compare equal.

>>> fold('  "Pick  up" ')
'pick-up'
>>> fold("wood_pieces"), fold("Wood - Pieces"), fold("`mop stick`")
('wood-pieces', 'wood-pieces', 'mop-stick')

Folding changes case, quotes at the ends and what stands between words; it never changes a word. Not covered: closed
spellings (``screwdriver`` and ``screw-driver`` stay two names) and the two Unicode spellings of an accented letter.

Sets of words are written as running text:

>>> sorted(word_set("up down"))
['down', 'up']
"""

from __future__ import annotations

import re
from functools import lru_cache

# The dashes are the hyphens and dashes that writers and models put for a plain one; all of them join words here.
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
_QUOTES = "\"'`\u00b4\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
_INVISIBLE = "\u200b\ufeff"
_BETWEEN_WORDS = re.compile(rf"[\s_{re.escape(_DASHES)}]+")
_EDGE = rf"[\s_{re.escape(_DASHES + _QUOTES + _INVISIBLE)}]"
_HEAD = re.compile(rf"{_EDGE}+")
_FOLDED_ALREADY = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


@lru_cache(maxsize=65_536)
def fold(name: str) -> str:
    """Return the name in lower case, without quotes around it, its words joined by single hyphens.

    Folding twice changes nothing more, and a name of nothing but quotes and hyphens folds to the empty string.

    >>> fold("PICK-UP"), fold(" -- ")
    ('pick-up', '')
    """
    if _FOLDED_ALREADY.fullmatch(name):
        return name
    lowered = name.lower()
    start = _HEAD.match(lowered)
    end = _HEAD.match(lowered[::-1])
    if start and start.end() == len(lowered):
        return ""
    kept = lowered[start.end() if start else 0 : len(lowered) - (end.end() if end else 0)]
    return _BETWEEN_WORDS.sub("-", kept)


@lru_cache(maxsize=65_536)
def folded_words(name: str) -> tuple[str, ...]:
    """Return the words of a folded name.

    >>> folded_words("Pick up"), folded_words("")
    (('pick', 'up'), ())
    """
    folded = fold(name)
    return tuple(folded.split("-")) if folded else ()


def word_set(*lines: str) -> frozenset[str]:
    """Return the words of some lines of text as a set."""
    return frozenset(word for line in lines for word in line.split())
