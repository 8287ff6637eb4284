"""Which object is of which category, by the words that files and descriptions use.

>>> same = Synonyms.of([["sofa", "couch"]])
>>> best_category("couches", "", ["chair", "sofa"], same), best_category("office chair", "", ["chair", "sofa"], same)
('sofa', 'chair')
>>> best_category("table", "a round dining table", ["coffee_table", "dining_table"], same)
'dining_table'
>>> best_category("lamp", "", ["table"], same) is None
True

An object is of one category at most: the one whose words fit best, and of those that fit equally the most precise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tsgkit.lexicon import stem
from tsgkit.suites.sceneeval.annotations import spaced

_WORD = re.compile(r"[^\W_]+")
Words = tuple[str, ...]
EXACT, KIND_OF, TOLD, BROADER = 4, 3, 2, 1
"""How a category fits: the same thing; a kind of it; told by the description; the object is called more broadly."""


def words_of(text: str) -> Words:
    """The stems of the words of a text."""
    return tuple(_root(word) for word in _WORD.findall(text.lower()))


def _root(word: str) -> str:
    """The stem, with shelves and shelf the same."""
    found = stem(word)
    return found[:-1] + "f" if found.endswith("v") else found


@dataclass(frozen=True)
class Synonyms:
    """Names of the same kind of thing; each stands for the first of its group."""

    first: Mapping[Words, Words]

    @staticmethod
    def of(groups: Iterable[Sequence[str]]) -> Synonyms:
        """The names of some groups."""
        return Synonyms({words_of(spaced(name)): words_of(spaced(group[0])) for group in groups for name in group})

    def known(self, words: Words) -> Words:
        """The words that stand for these: the whole name, or its last words, by another."""
        for start in range(len(words)):
            if words[start:] in self.first:
                return words[:start] + self.first[words[start:]]
        return words


def fit(category: Words, named: Words, told: Words) -> int:
    """How well a category fits an object by its name and its description; 0 where it does not."""
    if not category or not (named or told):
        return 0
    if category == named:
        return EXACT
    if not named:
        return TOLD if _run_in(category, told) else 0
    if set(category) <= set(named) and category[-1] == named[-1]:
        return KIND_OF
    if set(named) <= set(category) and category[-1] == named[-1]:
        return TOLD if set(category) <= set(told) | set(named) else BROADER
    return 0


def _run_in(part: Words, whole: Words) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))


def best_category(named: str, told: str, categories: Sequence[str], same: Synonyms) -> str | None:
    """The category of an object by its own name and description; None where none fits."""
    name, description = same.known(words_of(spaced(named))), words_of(told)
    best: tuple[int, int, int] = (0, 0, 0)
    found = None
    for place, category in enumerate(categories):
        words = same.known(words_of(spaced(category)))
        rank = (fit(words, name, description), len(words), -place)
        if rank[0] and (found is None or rank > best):
            best, found = rank, category
    return found


def says(text: str, attribute: str) -> bool:
    """Whether a text holds all words of an attribute.

    >>> says("a king-size bed of dark wood", "king_size"), says("a bed", "red")
    (True, False)
    """
    return set(words_of(spaced(attribute))) <= set(words_of(text))
