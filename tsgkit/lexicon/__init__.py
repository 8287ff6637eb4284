"""Words: normal spelling, inflected forms, nearest names, and mentions in sentences.

>>> from tsgkit.lexicon import fold, mentions, nearest, same_word
>>> fold("Pick  up"), same_word("wrung", "wring").by
('pick-up', 'inflection')
>>> mentions("She takes the lid off slowly.", "take-off").spans
((4, 9), (18, 21))

Everything here is pure and knows English spelling, but has no dictionary. A lemmatiser with data can be passed in.
"""

from __future__ import annotations

from tsgkit.lexicon.folding import fold
from tsgkit.lexicon.inflection import Lemmatiser, bases, forms, gerund, participle, past, singular, stem, third_person
from tsgkit.lexicon.matching import WordMatch, same_word
from tsgkit.lexicon.mention import Mention, every_mention, mentions
from tsgkit.lexicon.nearest import Near, listed, meant, nearest, only_near
from tsgkit.lexicon.prepositions import PARTICLES, PREPOSITIONS, ParticleVerb, is_preposition, split_particle
from tsgkit.lexicon.thesaurus import ANTONYMS, Synonyms, contradictions, opposites

__all__ = [
    "ANTONYMS",
    "PARTICLES",
    "PREPOSITIONS",
    "Lemmatiser",
    "Mention",
    "Near",
    "ParticleVerb",
    "Synonyms",
    "WordMatch",
    "bases",
    "contradictions",
    "every_mention",
    "fold",
    "forms",
    "gerund",
    "is_preposition",
    "listed",
    "meant",
    "mentions",
    "nearest",
    "only_near",
    "opposites",
    "participle",
    "past",
    "same_word",
    "singular",
    "split_particle",
    "stem",
    "third_person",
]
