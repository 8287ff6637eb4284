"""Prepositions as edge labels, the particles of verbs, and prepositions that contradict each other.

>>> is_preposition("with"), is_preposition("out-of"), is_preposition("back-into"), is_preposition("on top of")
(True, True, True, True)
>>> any(map(is_preposition, ("manner", "holding", "to-remove", "connected-to", "verbs", "prep", "")))
False

A compound counts when it reads as one: a place adverb or preposition before a preposition (``back-on``,
``from-under``), or a part of a thing between two (``in-front-of``). Not covered: whether a preposition makes sense
between two given things.

A verb of two words is written with a hyphen:

>>> split_particle("pick-up")
ParticleVerb(verb='pick', particle='up')
>>> split_particle("mop-stick") is None, split_particle("back-on") is None
(True, True)

A particle is an adverb that a direct object may precede: one picks the lid up. Prepositions that cannot be separated
(``look-at``, ``pour-into``) are no particles. A noun of such a verb (``push-up``) looks the same.

Of one situation some prepositions can be said together, and some surely cannot:

>>> compatible("off", "from"), conflicting("off", "onto"), conflicting("in", "on")
(True, True, False)
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tsgkit.lexicon.folding import fold, folded_words, word_set

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


ADVERBS: frozenset[str] = word_set("apart aside away back forth forward together")
"""Particles that are never prepositions."""

RESULTS: frozenset[str] = word_set("loose open shut")
"""Adjectives that act as particles: one pries the box open."""

LIGHT: frozenset[str] = word_set("around down off out over round up")
"""Particles that are seldom prepositions before a bare noun: one picks it up twice."""

HEAVY: frozenset[str] = word_set("across along by in on through under")
"""Particles that are mostly prepositions: after an object only the next words decide."""

PARTICLES: frozenset[str] = ADVERBS | RESULTS | LIGHT | HEAVY
"""All particles."""


class ParticleVerb(NamedTuple):
    """A verb and its particle; the verb may itself have several words, joined by hyphens."""

    verb: str
    particle: str


def split_particle(name: str) -> ParticleVerb | None:
    """Return the verb and the particle of a particle verb, or None when the name is none.

    >>> split_particle("Turn  on"), split_particle("up")
    (ParticleVerb(verb='turn', particle='on'), None)
    """
    *verb, last = folded_words(name) or ("",)
    if not verb or last not in PARTICLES or verb[0] in PREPOSITIONS or verb[0] in ADVERBS:
        return None
    return ParticleVerb("-".join(verb), last)


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
