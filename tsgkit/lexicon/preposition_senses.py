"""Prepositions that can, or surely cannot, be said of one situation.

>>> compatible("off", "from"), conflicting("off", "onto"), conflicting("in", "on")
(True, True, False)
"""

from __future__ import annotations

from functools import lru_cache

from tsgkit.lexicon.folding import fold
from tsgkit.lexicon.tables import word_set

_SENSES = {
    "source": word_set("off from out-of away-from out"),
    "goal": word_set("into onto to toward towards"),
    "under": word_set("under below beneath underneath"),
    "over": word_set("over above"),
    "behind": word_set("behind"),
    "front": word_set("in-front-of"),
    "between": word_set("between among"),
    "beside": word_set("beside next-to by near alongside"),
    "in": word_set("in inside within into"),
    "on": word_set("on upon on-top-of atop onto"),
    "through": word_set("through"),
}
_CONFLICTS = word_set(
    "source/goal source/under source/behind source/between source/beside source/over under/over under/on under/in",
    "behind/front behind/in behind/on beside/in beside/under between/in between/on between/under over/in over/beside",
    "over/behind through/beside through/under through/behind",
)


@lru_cache(maxsize=10_000)
def compatible(one: str, other: str) -> bool:
    """Return whether both may be said of one situation."""
    one, other = fold(one), fold(other)
    return one == other or any({one, other} <= words for words in _SENSES.values())


@lru_cache(maxsize=10_000)
def conflicting(one: str, other: str) -> bool:
    """Return whether surely not both can be said of one situation."""
    one, other = fold(one), fold(other)
    mine = [name for name, words in _SENSES.items() if one in words]
    theirs = [name for name, words in _SENSES.items() if other in words]
    return any(f"{a}/{b}" in _CONFLICTS or f"{b}/{a}" in _CONFLICTS for a in mine for b in theirs)
