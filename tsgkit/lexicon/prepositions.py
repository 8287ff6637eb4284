"""Edge labels that are prepositions, written as themselves.

>>> is_preposition("with"), is_preposition("out-of"), is_preposition("back-into"), is_preposition("on top of")
(True, True, True, True)
>>> any(map(is_preposition, ("manner", "holding", "to-remove", "connected-to", "verbs", "prep", "")))
False

A compound counts when it reads as one: a place adverb or preposition before a preposition (``back-on``,
``from-under``), or a part of a thing between two (``in-front-of``). Not covered: whether a preposition makes sense
between two given things.
"""

from __future__ import annotations

from tsgkit.lexicon.folding import folded_words
from tsgkit.lexicon.tables import word_set

PREPOSITIONS: frozenset[str] = word_set(
    "aboard about above across after against along alongside amid amidst among amongst around as at atop before behind",
    "below beneath beside besides between beyond by despite down during except for from in inside into like near of",
    "off on onto opposite out outside over past per round since through throughout till to toward towards under",
    "underneath until unto up upon via with within without",
)
"""The everyday prepositions of one word."""

_ADVERBS = word_set("apart aside away back backwards down downwards forward forwards out together up upwards")
_BEFORE_TO = word_set("adjacent close down next opposite parallel prior up")
_BEFORE_OF = word_set("ahead because inside instead off out outside")
_BEFORE_WITH = word_set("along level together")
_PARTS = word_set(
    "back base behalf bottom center centre corner edge end face foot front head left lieu middle place right side",
    "spite surface top",
)
_LONGEST = 4


def is_preposition(label: str) -> bool:
    """Return whether a folded label is a preposition of one or several words.

    >>> is_preposition("Next to"), is_preposition("away-from"), is_preposition("preposition"), is_preposition("dobj")
    (True, True, False, False)
    """
    words = folded_words(label)
    if len(words) == 1:
        return words[0] in PREPOSITIONS
    return 1 < len(words) <= _LONGEST and (_is_pair(words) or _names_a_part(words))


def _is_pair(words: tuple[str, ...]) -> bool:
    if len(words) != 2 or words[0] == words[1]:
        return False
    first, last = words
    listed = {"to": _BEFORE_TO, "of": _BEFORE_OF, "with": _BEFORE_WITH}.get(last, frozenset())
    return first in listed or (last in PREPOSITIONS - {"of"} and first in PREPOSITIONS | _ADVERBS)


def _names_a_part(words: tuple[str, ...]) -> bool:
    """Return whether the words have the form ``on-top-of`` or ``to-the-left-of``."""
    first, *middle, last = words
    part = middle[1:] if middle[:1] == ["the"] else middle
    return first in ("at", "by", "in", "on", "to", "from") and last == "of" and len(part) == 1 and part[0] in _PARTS
