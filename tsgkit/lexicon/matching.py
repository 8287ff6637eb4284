"""Comparison of two names by their words.

>>> same_word("wood-pieces", "wood piece")
WordMatch(same=True, by='inflection', ambiguous=False)
>>> same_word("Pick up", "pick-up").by, same_word("adjustment", "adjust").by
('folded', 'stem:porter')
>>> bool(same_word("pan", "pancake"))
False

Kinds of match from the surest to the least sure: ``exact`` (the same string), ``folded`` (except case, quotes, spaces
and hyphens), ``inflection`` (forms of one base), ``stem:porter`` (an action and its action noun). A given lemmatiser
replaces the last two, and the result is ``lemma:`` and its name. Names of several words are compared word by word, in
order; the least sure word determines the kind. Not covered: synonyms, other orders (``pieces of wood``), closed
spellings (``screwdriver`` and ``screw-driver``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tsgkit.lexicon.folding import folded_words
from tsgkit.lexicon.inflection import Lemmatiser, family, forms, names_the_doing
from tsgkit.lexicon.irregular import AMBIGUOUS

EXACT = "exact"
FOLDED = "folded"
INFLECTION = "inflection"
STEM = "stem:porter"
LEMMA = "lemma:"

_SURENESS = {EXACT: 0, FOLDED: 1, INFLECTION: 2}
_LEAST_SURE = 3


@dataclass(frozen=True, slots=True)
class WordMatch:
    """The result of comparing two names, and how they match; true if they are the same words.

    ``by`` names the kind of match, and is empty if they differ. ``ambiguous`` warns that an everyday word was taken for
    a verb form: ``ground`` for ``grind``.
    """

    same: bool
    by: str = ""
    ambiguous: bool = False

    def __bool__(self) -> bool:
        return self.same


class Wanted:
    """The words of one name, prepared for many comparisons."""

    def __init__(self, words: Sequence[str], lemmatiser: Lemmatiser | None = None) -> None:
        self.words = tuple(words)
        self._lemmatiser = lemmatiser
        self._lemmas = tuple(lemmatiser.lemma(word) for word in self.words) if lemmatiser else ()

    def word_by(self, position: int, word: str) -> str:
        """Return by which reading a folded word is the wanted one at this position; empty where it is not."""
        wanted = self.words[position]
        if self._lemmatiser is None or word == wanted:
            return _reading(wanted, word)
        is_same_lemma = self._lemmatiser.lemma(word) == self._lemmas[position]
        return LEMMA + self._lemmatiser.name if is_same_lemma else ""

    def readable(self, position: int, words: Iterable[str]) -> set[str]:
        """Return the folded words that are the wanted one at this position by some reading."""
        if self._lemmatiser is not None:
            return {word for word in words if self.word_by(position, word)}
        wanted = self.words[position]
        return {word for word in words if _reading(wanted, word)}

    def by(self, words: Sequence[str]) -> str:
        """Return by which reading all these folded words are the wanted ones; empty where they are not."""
        if len(words) != len(self.words):
            return ""
        weakest = FOLDED
        for position, word in enumerate(words):
            by = self.word_by(position, word)
            if not by:
                return ""
            weakest = less_sure(weakest, by)
        return weakest


@lru_cache(maxsize=65_536)
def _reading(wanted: str, word: str) -> str:
    if word == wanted:
        return FOLDED
    if word in family(wanted):
        return INFLECTION
    return STEM if names_the_doing(wanted, word) else ""


def same_word(a: str, b: str, lemmatiser: Lemmatiser | None = None) -> WordMatch:
    """Return whether two names are the same words in any inflected form. Symmetric; everything is the same as itself.

    >>> same_word("picks up", "pick-up"), same_word("cut", "cup").same
    (WordMatch(same=True, by='inflection', ambiguous=False), False)
    >>> same_word("ground", "grind")
    WordMatch(same=True, by='inflection', ambiguous=True)
    """
    if a == b:
        return WordMatch(same=True, by=EXACT)
    return _same_word(a, b) if lemmatiser is None else _compared(a, b, lemmatiser)


@lru_cache(maxsize=65_536)
def _same_word(a: str, b: str) -> WordMatch:
    return _compared(a, b, None)


def _compared(a: str, b: str, lemmatiser: Lemmatiser | None) -> WordMatch:
    left, right = folded_words(a), folded_words(b)
    by = FOLDED if left == right else Wanted(left, lemmatiser).by(right)
    ambiguous = by == INFLECTION and any(map(_takes_for_a_verb, left, right))
    return WordMatch(same=bool(by), by=by, ambiguous=ambiguous)


def less_sure(one: str, other: str) -> str:
    """Return the less sure of two readings; where they are equally sure, the first."""
    return max(one, other, key=sureness)


def sureness(by: str) -> int:
    """Return the rank of a reading, 0 the surest."""
    return _SURENESS.get(by, _LEAST_SURE)


def _takes_for_a_verb(a: str, b: str) -> bool:
    return read_as_a_verb(a, b) or read_as_a_verb(b, a)


@lru_cache(maxsize=4096)
def read_as_a_verb(word: str, other: str) -> bool:
    """Return whether an everyday word is the other one only as the form of a verb: ``saw`` as ``see``."""
    verb = AMBIGUOUS.get(word)
    return verb is not None and word != other and (other == verb or other in forms(verb))
