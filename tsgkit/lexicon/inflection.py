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

For writing, a verb has its third person, past, gerund and past participle:

>>> third_person("carry"), gerund("cut"), gerund("open"), participle("take-out"), participle("put-down")
('carries', 'cutting', 'opening', 'taken out', 'put down')

Names of actions may have a particle or more words after the verb, joined by hyphens; these are not inflected. The verb
itself is the first word. Where several spellings occur, the usual British one is returned. Not covered: verbs of which
another word than the first is inflected (``spot-clean``), except the first words of :data:`PREFIXES`.

Equal stems are trusted where they are those of an action and its doing:

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

import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from tsgkit.lexicon.folding import word_set
from tsgkit.lexicon.irregular import IRREGULAR_BASES, IRREGULAR_FORMS, NO_REGULAR_PAST, WHOLE_WORDS

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer

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
    spellings = set(IRREGULAR_FORMS.get(base, ()))
    long_enough = len(base) > 2 or base in _SHORT_BASES
    if long_enough and base.isalpha() and (bool(_VOWELS.search(base)) or base in _SHORT_BASES):
        spellings.update(s_forms(base), ing_forms(base))
        if base not in NO_REGULAR_PAST:
            spellings.update(ed_forms(base))
    return frozenset(spellings - {base} - (WHOLE_WORDS - set(IRREGULAR_FORMS.get(base, ()))))


@lru_cache(maxsize=4096)
def _bases(word: str) -> tuple[str, ...]:
    ruled = (base for base in _stripped(word) if word in forms(base))
    return tuple(dict.fromkeys((word, *IRREGULAR_BASES.get(word, ()), *ruled)))


@lru_cache(maxsize=4096)
def _family(word: str) -> frozenset[str]:
    return frozenset(bases(word)).union(*(forms(base) for base in bases(word)))


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


PREFIXES = ("un", "re", "over", "under", "out", "fore", "mis")
"""Beginnings after which a final consonant is doubled as without them: *unzipping*."""
_STRESSED_END = word_set("admit begin commit compel control defer emit forget omit permit prefer propel refer submit")
_SAME_PARTICIPLE = {verb: verb for verb in ("become", "come", "overcome", "run", "overrun")}
_SAME_PARTICIPLE |= {"strike": "struck", "sink": "sunk"}
_REGULAR = word_set(
    "burn dream heave lean leap learn load melt plead prove rot shave shine smell speed spell spill spoil"
)
_UNCHANGED = word_set("quit rid wed wet")


def third_person(action: str) -> str:
    """Return what someone does: ``puts down``."""
    return _formed(action, _third_person)


def past(action: str) -> str:
    """Return what someone did.

    >>> [past(verb) for verb in ("put-down", "draw", "beat", "sew", "undo", "unwind", "slip")]
    ['put down', 'drew', 'beat', 'sewed', 'undid', 'unwound', 'slipped']
    """
    return _formed(action, _past)


def gerund(action: str) -> str:
    """Return the form in -ing: ``putting down``."""
    return _formed(action, _gerund)


def participle(action: str) -> str:
    """Return the past participle: ``put down``."""
    return _formed(action, _participle)


def _formed(action: str, form: Callable[[str], str]) -> str:
    verb, *rest = action.replace("-", " ").split() or [""]
    return " ".join([form(verb), *rest])


@lru_cache(maxsize=4096)
def _third_person(verb: str) -> str:
    if verb in ("be", "have"):
        return {"be": "is", "have": "has"}[verb]
    spellings = tuple(s_forms(verb))
    return spellings[-1] if verb.endswith("o") else spellings[0]


@lru_cache(maxsize=4096)
def _gerund(verb: str) -> str:
    spellings = tuple(ing_forms(verb))
    if len(spellings) < 2:
        return spellings[0]
    if verb.endswith("e"):
        return spellings[1]
    return spellings[0] if _doubles(verb) else spellings[1]


@lru_cache(maxsize=4096)
def _participle(verb: str) -> str:
    """Return the participle; of a verb with a prefix that of the verb itself: *unhung*."""
    start, stem = _parted(verb)
    irregular = IRREGULAR_FORMS.get(stem, ())
    if stem in _SAME_PARTICIPLE or stem in _UNCHANGED or (stem in NO_REGULAR_PAST and not irregular):
        return start + _SAME_PARTICIPLE.get(stem, stem)
    if stem in NO_REGULAR_PAST or (irregular and stem not in _REGULAR and not IRREGULAR_PLURAL.search(irregular[-1])):
        return start + irregular[-1]
    return _regular_past(verb)


@lru_cache(maxsize=4096)
def _past(verb: str) -> str:
    """Return the past: the first irregular form but *undoes*, if it is no participle only (*beaten*, *sewn*)."""
    start, stem = _parted(verb)
    irregular = [form for form in IRREGULAR_FORMS.get(stem, ()) if not form.endswith("oes")][:1]
    if stem in _UNCHANGED or stem in NO_REGULAR_PAST:
        return start + next((form for form in irregular if not form.endswith("en")), stem)
    is_irregular = irregular and stem not in _REGULAR and not irregular[0].endswith(("n", "ves"))
    return start + irregular[0] if is_irregular else _regular_past(verb)


def _parted(verb: str) -> tuple[str, str]:
    """Return the prefix of an irregular verb, if it is not irregular itself, and the verb."""
    if verb not in IRREGULAR_FORMS:
        for start in PREFIXES:
            if verb.startswith(start) and verb.removeprefix(start) in IRREGULAR_FORMS:
                return start, verb.removeprefix(start)
    return "", verb


def _regular_past(verb: str) -> str:
    spellings = tuple(ed_forms(verb))
    return spellings[0] if len(spellings) < 2 or _doubles(verb) else spellings[1]


def _doubles(verb: str) -> bool:
    """Return whether the last consonant is doubled: it follows a stressed short vowel."""
    start = next((prefix for prefix in PREFIXES if verb.startswith(prefix)), "")
    rest = verb.removeprefix(start)
    return verb in _STRESSED_END or verb.endswith("l") or (syllables(rest) == 1 and len(rest) > 2)


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
    if len(shared) < _SHORTEST_STEM or stem(other) != shared:
        return False
    return all(form.startswith(shared) and form[len(shared) :] in _DOER_SIDE for form in (word, other))


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
