"""Shortcuts that answer choices without understanding, those of the audit and others, and words that tell right from
wrong.

>>> view = ChoiceView(("Take the cup.", "Take the big red lid, now."), ("cup", "take"))
>>> [(name, credit) for name, credit in zip(NAMES, credits_of(view), strict=True) if name in ("longest", "graph names")]
[('longest', 0.0), ('graph names', 1.0)]
>>> words = WordBalance()
>>> for _ in range(3):
...     words.count(("take the cup", "put the cup"))
>>> round(words.excess["take"], 3), "cup" in words.excess
(1.5, False)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, pairwise
from math import exp, fsum
from statistics import median

from tsgkit.suites.audits.items import Answer, Item, content, words
from tsgkit.suites.audits.shortcuts import credit, like_names, longest_option, most_alike
from tsgkit.suites.tsg.choice_checks import fewest_denials

RATE = 0.1
"""The step of the learner."""


@dataclass(frozen=True)
class ChoiceView:
    """The sentences of a choice, the right one first, and what shortcuts may see beside them."""

    sentences: tuple[str, ...]
    names: tuple[str, ...] = ()
    """The names in the graph without the person and hands."""
    elements: tuple[str, ...] = ()
    """The names and the prepositions of the graph."""
    recent: tuple[str, ...] = ()
    """The names in the last graphs of the context."""

    def item(self, names: Iterable[str]) -> Item:
        """Return the choice as an audit sees it, about these names."""
        return Item("", "", "", options=self.sentences, key=0, names=frozenset(names))


Look = Callable[[str], float]


def _most(look: Look, sign: int = 1) -> Answer:
    return lambda item: _best(item, lambda option: sign * look(option))


def _best(item: Item, look: Look) -> tuple[int, ...]:
    values = [look(option) for option in item.options]
    best = max(values)
    return tuple(place for place, value in enumerate(values) if value >= best - 1e-12)


def least_alike(item: Item) -> tuple[int, ...]:
    """Return the options that share the fewest words with the others, on average."""
    return _by_likeness(item, content, sign=-1)


def most_alike_by_all_words(item: Item) -> tuple[int, ...]:
    """Return the options that share most words with the others, prepositions and articles included."""
    return _by_likeness(item, all_words)


def median_length(item: Item) -> tuple[int, ...]:
    """Return the options of the median number of characters."""
    middle = median(map(len, item.options))
    return tuple(place for place, option in enumerate(item.options) if len(option) == middle)


def first_by_alphabet(item: Item) -> tuple[int, ...]:
    """Return the option that is first in alphabetical order."""
    return (min(range(len(item.options)), key=lambda place: item.options[place]),)


def last_by_alphabet(item: Item) -> tuple[int, ...]:
    """Return the option that is last in alphabetical order."""
    return (max(range(len(item.options)), key=lambda place: item.options[place]),)


def mentioned_elements(item: Item) -> tuple[int, ...]:
    """Return the options with most of the elements, prepositions included."""
    told = frozenset().union(*(all_words(name.replace("-", " ")) for name in item.names))
    return _best(item, lambda option: len(all_words(option) & told))


_words = lru_cache(maxsize=200_000)(words)


@lru_cache(maxsize=200_000)
def all_words(text: str) -> frozenset[str]:
    """Return the words of a text as they stand, without stems and with prepositions, and their stems."""
    return frozenset(_words(text)) | content(text)


def _by_likeness(item: Item, words_of: Callable[[str], frozenset[str]], sign: int = 1) -> tuple[int, ...]:
    sets = [words_of(option) for option in item.options]
    values = [0.0] * len(sets)
    for (one, mine), (other, theirs) in combinations(enumerate(sets), 2):
        shared = len(mine & theirs)
        likeness = sign * shared / ((len(mine) + len(theirs) - shared) or 1)
        values[one] += likeness
        values[other] += likeness
    best = max(values)
    return tuple(place for place, value in enumerate(values) if value >= best - 1e-12)


def _commas(option: str) -> float:
    return option.count(",")


BLIND: dict[str, Answer] = {
    "longest": longest_option,
    "shortest": _most(len, -1),
    "median length": median_length,
    "most alike": most_alike,
    "least alike": least_alike,
    "most alike by all words": most_alike_by_all_words,
    "fewest denials": fewest_denials,
    "most commas": _most(_commas),
    "fewest commas": _most(_commas, -1),
    "first by alphabet": first_by_alphabet,
    "last by alphabet": last_by_alphabet,
}
"""Shortcuts that see the options only."""
NAMES = (*BLIND, "graph names", "graph elements", "recent names")


def credits_of(view: ChoiceView) -> tuple[float, ...]:
    """Return the credit of each shortcut of ``NAMES`` for a choice."""
    item = view.item(view.names)
    return (
        *(credit(item, answer(item)) for answer in BLIND.values()),
        credit(item, like_names(item)),
        credit(item, mentioned_elements(view.item(view.elements))),
        credit(item, like_names(view.item(view.recent))),
    )


def most_usual(shares: Sequence[float]) -> float:
    """Return the credit of choosing the option with the most usual parts; the first one is right."""
    best = max(shares, default=0.0) - 1e-9
    return (shares[0] >= best) / sum(share >= best for share in shares) if shares else 0.0


@lru_cache(maxsize=200_000)
def features(text: str) -> frozenset[str]:
    """Return the words of a text and its pairs of neighbouring words."""
    told = _words(text)
    return frozenset((*told, *map(" ".join, pairwise(told))))


@dataclass
class WordBalance:
    """How much more often each word, or pair of words, stands in right sentences than guessing has it, and a learner of
    the words that right ones have.
    """

    excess: dict[str, float] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)

    def appeal(self, element: str) -> float:
        """Return how much more often than guessing has it an element stood in right sentences, in words."""
        told = _words(element)
        return sum(self.excess.get(word, 0.0) for word in told) / (len(told) or 1)

    def rate(self, texts: Iterable[str]) -> Callable[[Sequence[str]], tuple[float, float]]:
        """Return a function that tells of choices among texts, the right one first, how much farther from chance they
        would bring the words, and the credit of the learner.
        """
        excesses = {text: self._sum(self.excess, text) for text in texts}
        scores = {text: self._sum(self.weights, text) for text in excesses}

        def rated(sentences: Sequence[str]) -> tuple[float, float]:
            mean = sum(excesses[text] for text in sentences) / len(sentences)
            found = [scores[text] for text in sentences]
            best = max(found)
            credit_ = (found[0] >= best - 1e-12) / sum(score >= best - 1e-12 for score in found)
            return 2 * (excesses[sentences[0]] - mean), credit_

        return rated

    def count(self, sentences: Sequence[str]) -> None:
        """Count a chosen item, and teach it to the learner."""
        for word, change in differences(tuple(sentences)):
            self.excess[word] = self.excess.get(word, 0.0) + change
        scores = [self._sum(self.weights, text) for text in sentences]
        shares = [exp(score - max(scores)) for score in scores]
        total = sum(shares)
        for place, text in enumerate(sentences):
            step = RATE * ((place == 0) - shares[place] / total)
            for word in features(text):
                self.weights[word] = self.weights.get(word, 0.0) + step

    @staticmethod
    def _sum(values: Mapping[str, float], text: str) -> float:
        return fsum(values.get(word, 0.0) for word in features(text))


def differences(sentences: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """Return the words that do not stand in all sentences alike, with their share in the first minus that in all."""
    counts = Counter(word for text in sentences for word in features(text))
    first, number = features(sentences[0]), len(sentences)
    return tuple((word, (word in first) - count / number) for word, count in sorted(counts.items()) if count != number)
