"""The content of a sentence about its graphs: the names it mentions, prepositions before objects, and numbers of hands.

>>> L = Vocabulary(("cup", "top-shelf"), ("verb", "dobj", "with", "from", "onto"), ("take",))
>>> said = read_sentence("With both hands she took the cup from the top shelf.", L)
>>> sorted(said.names), said.hands
(['cup', 'take', 'top-shelf'], 2)
>>> said.has_phrase("from", "top-shelf"), said.has_phrase("onto", "top-shelf"), said.has_phrase("from", "cup")
(True, False, False)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from tsgkit.graph.model import HANDS, PERSON, Vocabulary
from tsgkit.lexicon import PREPOSITIONS, mentions
from tsgkit.lexicon.tables import word_set

_WORD = re.compile(r"[^\W_]+")
_TWO_HANDS = re.compile(
    r"\b(both|two|your|her|his|my|their)\s+(\w+\s+)?(hands|palms|arms|fists|thumbs)\b|\beach hand\b"
)
_ONE_HAND = re.compile(r"\b(one|single|free|other|left|right|first|second)[\s-](hand|arm|palm|fist)\b|one-handed")
_PRONOUNS = frozenset({"it", "them", "him", "this", "that", "both", "one", "another"})
_MEASURES = word_set("handful lump piece strip bit pair lot heap pile bunch part row edge end inside middle")
LONGEST = 4000
"""A text of more characters is no sentence, and says nothing."""
_REACH = 5
"""So many words may stand between a preposition and the object it belongs to."""
NEAR_LABELS: tuple[frozenset[str], ...] = (
    frozenset({"on", "onto", "upon", "on-top-of", "atop"}),
    frozenset({"in", "into", "inside", "within"}),
    frozenset({"from", "out-of", "off", "off-of", "out"}),
    frozenset({"to", "toward", "towards"}),
    frozenset({"under", "below", "underneath", "beneath"}),
    frozenset({"with", "using", "by"}),
    frozenset({"beside", "by", "next-to", "near", "against"}),
    frozenset({"across", "along", "over", "through"}),
    frozenset({"around", "round", "about"}),
)
"""Prepositions that often stand for each other; stories say ``on`` for what graphs call ``onto``."""


@dataclass(frozen=True)
class SaidWords:
    """What one sentence says: the names of L it mentions with the places of their words, and its prepositions.

    ``names`` maps a name to the number of its first and last word; ``sure`` are the unambiguous ones. ``before`` maps a
    name to the prepositions that precede it. ``hands`` is 2, 1 or 0 for none mentioned.
    """

    names: Mapping[str, tuple[int, int]]
    sure: frozenset[str]
    before: Mapping[str, tuple[str, ...]]
    labels: frozenset[str]
    hands: int
    pronouns: frozenset[str] = frozenset()
    """Names that a pronoun follows directly (``wipes it``)."""

    def has_phrase(self, label: str, name: str) -> bool:
        """Return whether this preposition precedes this name."""
        return label in self.before.get(name, ())

    def comes_next(self, action: str, name: str) -> bool:
        """Return whether a name is the first one mentioned after an action."""
        if action not in self.names or name not in self.names:
            return False
        end, place = self.names[action][0], self.names[name][0]
        return end < place and not any(end < first < place for first, _ in self.names.values())

    def has_near_phrase(self, label: str, name: str) -> bool:
        """Return whether a preposition that often stands for this one precedes the name."""
        said = self.before.get(name, ())
        return any(label in group and not group.isdisjoint(said) for group in NEAR_LABELS)


NOTHING_SAID = SaidWords({}, frozenset(), {}, frozenset(), 0)


@lru_cache(maxsize=4096)
def read_sentence(text: str, vocabulary: Vocabulary) -> SaidWords:
    """Return what a sentence says about the elements of L."""
    if len(text) > LONGEST:
        return NOTHING_SAID
    words = [(found.group().lower(), found.start()) for found in _WORD.finditer(text)]
    starts = {start: place for place, (_, start) in enumerate(words)}
    initials = {word[:1] for word, _ in words}
    names, sure = dict[str, tuple[int, int]](), set[str]()
    for name in vocabulary.nodes:
        if name == PERSON or name in HANDS or not initials.issuperset({part[:1] for part in _WORD.findall(name)}):
            continue
        found = mentions(text, name)
        if found is None:
            continue
        places = [place for start, end in found.spans for at, place in starts.items() if start <= at < end]
        names[name] = (min(places), max(places))
        if not found.ambiguous:
            sure.add(name)
    plain = [word for word, _ in words]
    before = {name: _labels_before_any(plain, *places) for name, places in names.items()}
    lower = text.lower()
    hands = 2 if _TWO_HANDS.search(lower) else 1 if _ONE_HAND.search(lower) else 0
    pronouns = frozenset(
        name for name, (_, last) in names.items() if last + 1 < len(plain) and plain[last + 1] in _PRONOUNS
    )
    said = frozenset(label for labels in before.values() for label in labels) | PREPOSITIONS.intersection(plain)
    return SaidWords(names, frozenset(sure), before, said, hands, pronouns)


def _labels_before_any(words: list[str], first: int, last: int) -> tuple[str, ...]:
    """Return the prepositions before every place where the same words stand."""
    size = last - first + 1
    if size > 1:
        return _labels_before(words, first)
    places = [place for place, word in enumerate(words) if word == words[first]]
    return tuple(dict.fromkeys(label for place in places for label in _labels_before(words, place)))


def _labels_before(words: list[str], first: int) -> tuple[str, ...]:
    """Return the nearest preposition before a word, also joined with the one before it (``out of``: ``out-of``)."""
    for place in range(first - 1, max(-1, first - 1 - _REACH), -1):
        if words[place] not in PREPOSITIONS or (words[place] == "of" and place and words[place - 1] in _MEASURES):
            continue
        labels = [words[place]]
        labels += ["-".join(words[start : place + 1]) for start in range(max(0, place - 3), place)]
        if words[place] == "of" and place and words[place - 1] == "out":
            labels.append("from")
        return tuple(labels)
    return ()
