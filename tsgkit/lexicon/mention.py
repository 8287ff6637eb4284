"""Mentions of a name in a sentence, in any inflected form.

>>> mentions("She picked the big lid up and wiped the pan.", "pick-up")
Mention(spans=((4, 10), (23, 25)), by='inflection', ambiguous=False)
>>> mentions("He flips the pancake.", "pan") is None
True

Whole words are compared, as in :mod:`tsgkit.lexicon.matching`. The words of a name must follow each other with only
blanks or hyphens between them. A particle may also be a few words after its verb, in the same clause, if it reads as a
particle: ``puts the pan on the stove`` does not mention ``put-on``. Forms that are also everyday words count as verbs
only where a verb is possible: ``her left hand`` does not mention ``leave``.

Not covered: synonyms, pronouns, other orders (``pieces of wood`` for ``wood-pieces``), closed spellings, a particle
behind a conjunction or another preposition (``picks the nut and the bolt up``), negation (``does not open it``
mentions ``open``), a bare verb inside a particle verb (``turns off`` mentions ``turn`` too), and whether a word is
meant as the noun or the verb that the element is (``the brush`` mentions the action ``brush``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from tsgkit.lexicon.folding import word_set
from tsgkit.lexicon.inflection import Lemmatiser
from tsgkit.lexicon.matching import EXACT, FOLDED, INFLECTION, Wanted, less_sure, read_as_a_verb, sureness
from tsgkit.lexicon.prepositions import ADVERBS, HEAVY, PARTICLES, PREPOSITIONS, RESULTS, split_particle

WIDEST_GAP = 5
"""The largest number of words between a verb and its particle."""

MOST_WORDS = 8
"""A longer name is never mentioned, which keeps hostile names cheap."""

_WORD = re.compile(r"[^\W_]+")
_JOINT = re.compile(r"[\s_'’\-\u2010-\u2015\u2212]*")
_BLANK_LINE = re.compile(r"\n\s*\n")
_CLAUSE_END = re.compile(r"[.!?;:…。！？]")

_DETERMINERS = word_set("a an another any each every his her its my one our some that the their these this those your")
_CONJUNCTIONS = word_set("and before but or so then until when where whereas which while who")
_NOUN_PLACES = _DETERMINERS | PREPOSITIONS
_BESIDE_LEFT = word_set("arm edge end foot hand hands hinge leg side")
_NOT_IN_A_GAP = (PREPOSITIONS - {"of"}) | PARTICLES | _CONJUNCTIONS
_AFTER_A_PARTICLE = _CONJUNCTIONS | PREPOSITIONS | word_set("again once twice")


@dataclass(frozen=True, slots=True)
class Mention:
    """The position of a mentioned name and how it matches; two spans if a particle is apart from its verb.

    Spans count characters of the text, the end left out. ``ambiguous`` as in :class:`~tsgkit.lexicon.WordMatch`.
    """

    spans: tuple[tuple[int, int], ...]
    by: str
    ambiguous: bool = False


class _Token(NamedTuple):
    word: str
    start: int
    end: int
    joined: bool
    """True if only blanks or hyphens separate this word from the one before."""
    opens: bool
    """A new clause begins here."""


class _Hit(NamedTuple):
    by: str
    tokens: tuple[int, ...]


def mentions(text: str, name: str, lemmatiser: Lemmatiser | None = None) -> Mention | None:
    """Return the surest mention of a name in a text (the first of these), or None.

    Here ``exact`` and ``folded`` are equally sure: the first of either is it.

    >>> mentions("Wrings the cloth", "wring").by, mentions("He sets the pan down.", "put-down")
    ('inflection', None)
    """
    search = _search(text, name, lemmatiser)
    return search.best() if search else None


def every_mention(text: str, name: str, lemmatiser: Lemmatiser | None = None) -> tuple[Mention, ...]:
    """Return all mentions of a name in a text, in the order of the text.

    >>> [found.spans for found in every_mention("Lifts the lid, wipes the pan and puts the lid down.", "lid")]
    [((10, 13),), ((42, 45),)]
    """
    search = _search(text, name, lemmatiser)
    return tuple(search.every()) if search else ()


def _search(text: str, name: str, lemmatiser: Lemmatiser | None) -> _Search | None:
    words = _words_of_name(name)
    if not 0 < len(words) <= MOST_WORDS:
        return None
    return _Search(text, name, Wanted(words, lemmatiser))


@lru_cache(maxsize=4096)
def _words_of_name(name: str) -> tuple[str, ...]:
    return tuple(match.group() for match in islice(_WORD.finditer(name.lower()), MOST_WORDS + 1))


@lru_cache(maxsize=32)  # many names are looked up in one text
def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))


@lru_cache(maxsize=32)
def _tokens_of(text: str) -> tuple[_Token, ...]:
    tokens = []
    end = 0
    known: dict[str, tuple[bool, bool]] = {}
    for match in _WORD.finditer(text):
        start, stop = match.span()
        between = text[end:start]
        if between not in known:
            blank_line = _BLANK_LINE.search(between) is not None
            joins = not blank_line and _JOINT.fullmatch(between) is not None
            known[between] = joins, blank_line or _CLAUSE_END.search(between) is not None
        tokens.append(_Token(match.group().lower(), start, stop, *known[between]))
        end = stop
    return tuple(tokens)


class _Search:
    """A search for one name in one text."""

    def __init__(self, text: str, name: str, wanted: Wanted) -> None:
        self.text, self.name, self.wanted = text, name, wanted

    @cached_property
    def tokens(self) -> Sequence[_Token]:
        return _tokens_of(self.text)

    @cached_property
    def separable(self) -> bool:
        return split_particle("-".join(self.wanted.words)) is not None

    def every(self) -> Iterator[Mention]:
        end = 0
        for start in self._starts():
            if start >= end and (hit := self._at(start)):
                end = hit.tokens[0] + 1
                yield self._mention(hit)

    def best(self) -> Mention | None:
        surest: _Hit | None = None
        for start in self._starts():
            hit = self._at(start)
            if hit and (surest is None or sureness(hit.by) < sureness(surest.by)):
                surest = hit
                if hit.by == FOLDED:
                    break
        return self._mention(surest) if surest else None

    def _starts(self) -> Iterable[int]:
        """Return the places of the words that may be the name's first; none where another of its words is nowhere."""
        for position in reversed(range(len(self.wanted.words))):
            likely = self.wanted.readable(position, _words(self.text))
            if not likely:
                return ()
        return (index for index, token in enumerate(self.tokens) if token.word in likely)

    def _at(self, start: int) -> _Hit | None:
        return self._run(start, len(self.wanted.words)) or (self._apart(start) if self.separable else None)

    def _apart(self, start: int) -> _Hit | None:
        verb = self._run(start, len(self.wanted.words) - 1)
        if verb is None:
            return None
        after = verb.tokens[-1] + 1
        for index in range(after, min(after + WIDEST_GAP + 1, len(self.tokens))):
            token = self.tokens[index]
            if token.opens:
                return None
            if token.word == self.wanted.words[-1]:
                return _Hit(verb.by, (*verb.tokens, index)) if self._reads_as_particle(index) else None
            if token.word in _NOT_IN_A_GAP:
                return None
        return None

    def _run(self, start: int, length: int) -> _Hit | None:
        """Return the hit of the first so many wanted words, one right behind the other from this token on."""
        by = FOLDED
        places = range(start, start + length)
        if places.stop > len(self.tokens):
            return None
        for position, index in enumerate(places):
            word_by = "" if position and not self.tokens[index].joined else self._by(position, index)
            if not word_by:
                return None
            if word_by != by:
                by = less_sure(by, word_by)
        return _Hit(by, tuple(places))

    def _by(self, position: int, index: int) -> str:
        word, wanted = self.tokens[index].word, self.wanted.words[position]
        by = self.wanted.word_by(position, word)
        if by == INFLECTION and (read_as_a_verb(wanted, word) or self._is_noun_here(index, wanted)):
            return ""
        return by

    def _is_noun_here(self, index: int, wanted: str) -> bool:
        """Return whether an everyday word (``the ground``) cannot be a form of the wanted verb at this place."""
        word = self.tokens[index].word
        if not read_as_a_verb(word, wanted):
            return False
        before, after = self._word(index - 1), self._word(index + 1)
        return before in _NOUN_PLACES or (word == "left" and after in _BESIDE_LEFT)

    def _reads_as_particle(self, index: int) -> bool:
        particle, following = self.tokens[index].word, self._word(index + 1)
        if particle in ADVERBS | RESULTS or not following or (not self.tokens[index + 1].joined):
            return True
        if particle in HEAVY:
            return following in _AFTER_A_PARTICLE or following.endswith("ly")
        return following not in _DETERMINERS

    def _word(self, index: int) -> str:
        return self.tokens[index].word if 0 <= index < len(self.tokens) else ""

    def _mention(self, hit: _Hit) -> Mention:
        tokens = [self.tokens[index] for index in hit.tokens]
        spans = tuple(_spans(hit.tokens, tokens))
        exact = len(spans) == 1 and self.text[slice(*spans[0])] == self.name
        ambiguous = hit.by == INFLECTION and any(
            read_as_a_verb(token.word, wanted) for token, wanted in zip(tokens, self.wanted.words, strict=True)
        )
        return Mention(spans, EXACT if exact else hit.by, ambiguous)


def _spans(places: Sequence[int], tokens: Sequence[_Token]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of text that the tokens cover, neighbours taken together."""
    start = 0
    for position in range(1, len(places) + 1):
        if position == len(places) or places[position] != places[position - 1] + 1:
            yield tokens[start].start, tokens[position - 1].end
            start = position
