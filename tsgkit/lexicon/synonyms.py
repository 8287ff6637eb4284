"""Synonyms from a file of the user's: one group of names on each line.

>>> known = Synonyms("man, guy, gentleman\\nsofa, couch")
>>> known.same("men", "guys"), known.same("couches", "sofa"), known.same("man", "sofa")
(True, True, False)

Names of no group are the same where they are the same word (:func:`tsgkit.lexicon.same_word`).
"""

from __future__ import annotations

from functools import lru_cache

from tsgkit.lexicon.matching import same_word


class Synonyms:
    """Groups of names that mean the same, in any inflection."""

    def __init__(self, text: str) -> None:
        self._lines = [[name.strip() for name in line.split(",") if name.strip()] for line in text.splitlines()]
        self._groups = lru_cache(maxsize=4096)(self._groups_of)
        self.same = lru_cache(maxsize=65536)(self._same)

    def _same(self, a: str, b: str) -> bool:
        """Return whether two names mean the same."""
        return bool(same_word(a, b)) or not self._groups(a).isdisjoint(self._groups(b))

    def _groups_of(self, name: str) -> frozenset[int]:
        """Return the numbers of the lines that a name stands in."""
        return frozenset(at for at, line in enumerate(self._lines) if any(same_word(name, one) for one in line))
