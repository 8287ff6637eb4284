"""The elements of L that a writer of graphs can use.

>>> L = Vocabulary(objects=("person", "jar", "Two Cups"), relationships=("verb", "on", "prep"), verbs=("open", "hand1"))
>>> elements_of(L)
Elements(actions=('open',), things=('jar',), prepositions=('on',))

Person and hands, misspelt names, and labels that are no prepositions are left out. If L has no action, its objects are
used as actions; if it has neither, nothing can be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from tsgkit.graph.hands import HAND_NAME
from tsgkit.graph.model import DOBJ, PERSON, VERB, WITH, Vocabulary
from tsgkit.lexicon import is_preposition

NAME = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


class Elements(NamedTuple):
    """The elements that graphs are made of."""

    actions: tuple[str, ...]
    things: tuple[str, ...]
    prepositions: tuple[str, ...]

    def grips(self, hands: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """Return the edges from an action to its hands; none where L has no ``with``."""
        return tuple((WITH, hand) for hand in hands) if WITH in self.prepositions else ()


@lru_cache(maxsize=256)
def elements_of(vocabulary: Vocabulary) -> Elements:
    """Return the usable names of L, each list in its order."""
    things = tuple(filter(_is_usable, _unique(vocabulary.objects)))
    actions = tuple(filter(_is_usable, _unique(vocabulary.verbs))) or things
    labels = (label for label in _unique(vocabulary.relationships) if label not in (VERB, DOBJ))
    return Elements(actions, things, tuple(label for label in labels if _is_name(label) and is_preposition(label)))


def _is_usable(name: str) -> bool:
    return _is_name(name) and name != PERSON and not HAND_NAME.fullmatch(name)


def _is_name(name: str) -> bool:
    return NAME.fullmatch(name) is not None and name == name.lower()


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
