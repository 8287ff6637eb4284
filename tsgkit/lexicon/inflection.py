"""Inflected forms of English words, and the words that a form may belong to.

>>> sorted(forms("cut")), sorted(forms("plane"))
(['cuts', 'cutting'], ['planed', 'planeing', 'planes', 'planing'])
>>> bases("hung"), bases("planing"), "plan" in bases("planning"), "knife" in bases("knives")
(('hung', 'hang'), ('planing', 'plane'), True, True)

Forms are derived from a base by spelling rules (``hop`` doubles its ``p``, ``hope`` drops its ``e``) and by a table of
irregular ones. A base is accepted only if the rules lead from it back to the form: ``hoping`` is a form of ``hope`` and
not of ``hop``, and ``glass`` is no plural. There is no dictionary: a base need not be a word (``knives`` has also
``knive``), and verbs and nouns are not distinguished. Not covered: comparatives (``bigger``) and derived words
(``cleaner``, ``wooden``). A superfluous letter before an ending is accepted (``openning``, ``placeing``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from tsgkit.lexicon.irregular import IRREGULAR_BASES, IRREGULAR_FORMS, NO_REGULAR_PAST, WHOLE_WORDS

IRREGULAR_PLURAL = re.compile(r"(?:men|ren|feet|teeth|mice|geese|ves)$")
LONGEST_WORD = 40
"""Longer words are compared unchanged, which keeps hostile text cheap."""

_SHORT_BASES = frozenset(("ad", "ax", "be", "cd", "do", "go", "ox", "tv"))
_VOWELS = re.compile(r"[aeiouy]+")
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_CONSONANT_O = re.compile(r"[^aeiou]o$")
_DOUBLING_END = re.compile(r"(?:^|[^aeiou]|qu)[aeiouy][bdfgklmnprstvz]$")


def forms(base: str) -> frozenset[str]:
    """Return every inflected form of a base word, the base itself left out.

    >>> sorted(forms("carry")), sorted(forms("hand1"))
    (['carried', 'carries', 'carrying'], [])
    """
    return _forms(base) if len(base) <= LONGEST_WORD else frozenset()


def bases(word: str) -> tuple[str, ...]:
    """Return the words this one may be a form of: itself first, then irregular bases, then those the rules give.

    >>> bases("leaves"), bases("saw"), bases("news")
    (('leaves', 'leaf', 'leave'), ('saw', 'see'), ('news',))
    """
    return _bases(word) if len(word) <= LONGEST_WORD else (word,)


def singular(noun: str) -> str:
    """Return the noun that one is the plural of; the noun itself where it is none that we know.

    >>> [singular(noun) for noun in ("dogs", "men", "leaves", "cities", "boxes", "glass", "bus")]
    ['dog', 'man', 'leaf', 'city', 'box', 'glass', 'bus']
    """
    known = bases(noun)
    if IRREGULAR_PLURAL.search(noun):
        return known[:2][-1]
    plain = re.sub(r"(?<=ss|sh|ch)es$|(?<=x)es$|s$", "", re.sub(r"(?<=..)ies$", "y", noun))
    return plain if plain in known else noun


def family(word: str) -> frozenset[str]:
    """Return all words that share a base with this one: the forms of each of its bases, and these themselves.

    >>> sorted(family("held"))
    ['held', 'helded', 'helding', 'helds', 'hold', 'holding', 'holds']
    """
    return _family(word) if len(word) <= LONGEST_WORD else frozenset((word,))


@lru_cache(maxsize=4096)
def _forms(base: str) -> frozenset[str]:
    found = set(IRREGULAR_FORMS.get(base, ()))
    if _can_inflect(base):
        found.update(s_forms(base), ing_forms(base))
        if base not in NO_REGULAR_PAST:
            found.update(ed_forms(base))
    return frozenset(found - {base} - (WHOLE_WORDS - set(IRREGULAR_FORMS.get(base, ()))))


@lru_cache(maxsize=4096)
def _bases(word: str) -> tuple[str, ...]:
    ruled = (base for base in _stripped(word) if word in forms(base))
    return tuple(dict.fromkeys((word, *IRREGULAR_BASES.get(word, ()), *ruled)))


@lru_cache(maxsize=4096)
def _family(word: str) -> frozenset[str]:
    return frozenset(bases(word)).union(*(forms(base) for base in bases(word)))


def _can_inflect(base: str) -> bool:
    long_enough = len(base) > 2 or base in _SHORT_BASES
    return long_enough and base.isalpha() and (bool(_VOWELS.search(base)) or base in _SHORT_BASES)


def s_forms(base: str) -> Iterator[str]:
    """Yield the possible forms in -s."""
    if _SIBILANT.search(base):
        yield base + "es"
        if _DOUBLING_END.search(base):
            yield base + base[-1] + "es"
    elif _CONSONANT_Y.search(base):
        yield base[:-1] + "ies"
    else:
        yield base + "s"
        if _CONSONANT_O.search(base):
            yield base + "es"


def ed_forms(base: str) -> Iterator[str]:
    """Yield the possible forms in -ed."""
    if base.endswith("e"):
        yield base + "d"
    elif _CONSONANT_Y.search(base):
        yield base[:-1] + "ied"
    else:
        yield from (start + "ed" for start in _before_a_vowel(base))


def ing_forms(base: str) -> Iterator[str]:
    """Yield the possible forms in -ing."""
    if base.endswith("ie"):
        yield base[:-2] + "ying"
    elif base.endswith("e"):
        yield base + "ing"
        if base[-2:-1] not in ("e", "o", "y") and base not in ("be", "singe", "tinge"):
            yield base[:-1] + "ing"
    else:
        yield from (start + "ing" for start in _before_a_vowel(base))


def _before_a_vowel(base: str) -> Iterator[str]:
    """Yield the base as it is spelt before -ed and -ing: ``cut`` doubles, ``open`` may, ``cook`` does not."""
    if base.endswith("ic"):
        yield base + "k"
    elif not _DOUBLING_END.search(base):
        yield base
    else:
        yield base + base[-1]
        if syllables(base) > 1 or base[-1] == "s":
            yield base


def syllables(base: str) -> int:
    """Return how many syllables a word has, by its vowels."""
    return len(_VOWELS.findall(base.removeprefix("y").replace("qu", "q")))


def _stripped(word: str) -> Iterator[str]:
    """Yield the possible stems of a form, one for each rule that could have added its ending."""
    if word.endswith("s"):
        yield word[:-1]
    if word.endswith("es"):
        yield from (word[:-2], word[:-3])
    if word.endswith(("ies", "ied")):
        yield word[:-3] + "y"
    if word.endswith("ed"):
        yield from (word[:-1], word[:-2], word[:-3])
    if word.endswith("ing"):
        yield from (word[:-3] + "e", word[:-3], word[:-4])
    if word.endswith("ying"):
        yield word[:-4] + "ie"
