"""Stems of words, when equal stems can be trusted, and the interface for lemmatisers.

>>> stem("rotation"), stem("rotating")
('rotat', 'rotat')
>>> names_the_doing("rotate", "rotation"), names_the_doing("universal", "university")
(True, False)

Porter's stems are made for finding documents: they conflate ``universal`` with ``university``, ``several`` with
``sever``, ``container`` with ``contain``, ``past`` with ``paste`` and ``cloth`` with ``clothes``. Here equal stems
count only between an action and the noun of its doing in -ment, -ion or -ation (``adjust`` and ``adjustment``); plain
inflection has rules of its own. Not covered: nouns in -al (``removal``) and -y (``assembly``), and doings whose stem
is spelt otherwise (``apply`` and ``application``). :func:`stem` itself is bare Porter, for measures that want it.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from tsgkit.lexicon.inflection import LONGEST_WORD

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer

_SHORTEST_STEM = 4
_DOING = ("ion", "ions", "ment", "ments", "ation", "ations")
_DOER_SIDE = frozenset(("", "e", "s", "es", "d", "ed", "ing", *_DOING))
_NO_DOING = frozenset(
    noun + plural
    for noun in (
        "apartment",
        "compartment",
        "department",
        "complement",
        "edition",
        "exception",
        "instrument",
        "secretion",
    )
    for plural in ("", "s")
)


class Lemmatiser(Protocol):
    """The interface of a lemmatiser: a name for reports, and the lemma of one lower-case word.

    A given lemmatiser decides alone, without the rules and stems of this package.
    """

    @property
    def name(self) -> str:
        """The name in reports, such as ``lemma:wordnet``."""

    def lemma(self, word: str) -> str:
        """Return the word's base form, or the word itself where there is none."""


def stem(word: str) -> str:
    """Return the Porter stem of one lower-case word (a word of more than 40 letters is its own stem).

    >>> stem("tightened"), stem("pieces")
    ('tighten', 'piec')
    """
    return _stem(word) if len(word) <= LONGEST_WORD else word


def names_the_doing(word: str, other: str) -> bool:
    """Return whether one word is the action noun of the other, or both are of the same verb: ``insert`` and
    ``insertion``.

    >>> names_the_doing("inserting", "insertions"), names_the_doing("apart", "apartment")
    (True, False)
    """
    if word[:_SHORTEST_STEM] != other[:_SHORTEST_STEM] or not (word.endswith(_DOING) or other.endswith(_DOING)):
        return False
    if word in _NO_DOING or other in _NO_DOING:
        return False
    shared = stem(word)
    return len(shared) >= _SHORTEST_STEM and stem(other) == shared and _ends_well(shared, word, other)


def _ends_well(shared: str, *words: str) -> bool:
    return all(word.startswith(shared) and word[len(shared) :] in _DOER_SIDE for word in words)


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    stemmed: str = _porter().stem(word)
    return stemmed


@lru_cache(maxsize=1)
def _porter() -> PorterStemmer:
    """Return NLTK's stemmer, imported without the packages it lies in: they import all of NLTK and ``scipy.stats``."""
    packages = {}
    if "nltk" not in sys.modules and (spec := find_spec("nltk")):
        for name in ("nltk", "nltk.stem"):
            packages[name] = ModuleType(name)
            packages[name].__path__ = [
                str(Path(path, *name.split(".")[1:])) for path in spec.submodule_search_locations or ()
            ]
    sys.modules.update(packages)
    try:
        stemmer: PorterStemmer = import_module("nltk.stem.porter").PorterStemmer()
    finally:
        for name in [name for name in sys.modules if packages and name.partition(".")[0] == "nltk"]:
            del sys.modules[name]  # so that whoever imports NLTK gets the whole
    return stemmer
