"""Verbs of two words, written with a hyphen: the verb and its particle.

>>> split_particle("pick-up")
ParticleVerb(verb='pick', particle='up')
>>> split_particle("mop-stick") is None, split_particle("back-on") is None
(True, True)

A particle is an adverb that a direct object may precede: one picks the lid up. Prepositions that cannot be separated
(``look-at``, ``pour-into``) are no particles. A noun of such a verb (``push-up``) looks the same.
"""

from __future__ import annotations

from typing import NamedTuple

from tsgkit.lexicon.folding import folded_words
from tsgkit.lexicon.prepositions import PREPOSITIONS
from tsgkit.lexicon.tables import word_set

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
