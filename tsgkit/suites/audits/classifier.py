"""Learned shortcuts: a small classifier that predicts the key from what a blind answerer sees.

>>> texts = ("slowly", "soon", "late")
>>> items = [AuditedItem(f"{n}", f"{n}", "", options=texts[n % 3 :] + texts[: n % 3], key=-n % 3) for n in range(30)]
>>> OPTIONS.learn(items)(items[1]), OPTIONS.carriers(items)[0]
((2,), "the word 'slowly' (for)")

It is a conditional logit over the candidates of an item, grown feature by feature: the feature that tells right
candidates from wrong ones best gets a damped step of Newton's method, until none tells more than chance would. So its
weights are few, and each has a name.
"""

from __future__ import annotations

import string
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from math import exp, fsum, sqrt
from random import Random
from sys import intern
from typing import NamedTuple

from tsgkit.lexicon import is_preposition, stem
from tsgkit.suites.audits.items import Answer, AuditedItem, affirmed, content, denied, words

ROUNDS, STEP, FARTHEST, RIDGE = 60, 0.5, 4.0, 1.0
LEAST = 2.5
"""The least standardised gradient of a feature that gets a weight."""
FEWEST = 4
"""Features of fewer items cannot reach it."""
MOST_CARRIERS, MOST_TAUGHT = 5, 1500
ELSEWHERE = " elsewhere"
"""The end of the names of features that count what is right in other items."""
PLAINEST = ("the word ", "the ", "a ", "most ", "least ", "more ")
"""The beginnings of names of features, the plainest first: of those that tell as much, words come before numbers."""
Features = Mapping[str, float]
"""The features of a candidate, by name; those left out are 0."""


class Candidates(NamedTuple):
    """The possible answers to an item, their features, and the place of the right one, if it is among them."""

    answers: Sequence[int | str]
    features: Sequence[Features]
    right: int | None


class Classifier(NamedTuple):
    """A learned shortcut, by how it sees an item; ``reader`` may be taught by the items that are learned from."""

    reader: Callable[[Sequence[AuditedItem]], Callable[[AuditedItem], Candidates]]

    def learn(self, items: Sequence[AuditedItem]) -> Answer:
        """Return the answers of a classifier that these items teach."""
        read, weights, _ = self._taught(items)

        def answer(item: AuditedItem) -> tuple[int | str, ...]:
            answers, features, _ = read(item)
            scores = [fsum(weights.get(name, 0.0) * value for name, value in row.items()) for row in features]
            best = max(scores, default=0.0) - 1e-9
            return tuple(name for name, score in zip(answers, scores, strict=True) if score >= best)

        return answer

    def carriers(self, items: Sequence[AuditedItem]) -> tuple[str, ...]:
        """Return the features with the largest effect: the weight, times how much an item's candidates differ by it."""
        _, weights, samples = self._taught(items)
        effects: defaultdict[str, float] = defaultdict(float)
        for _, features, _ in samples:
            for name in weights.keys() & set().union(*features):
                effects[name] += abs(weights[name]) * _spread([candidate.get(name, 0.0) for candidate in features])
        ranked = sorted(effects, key=lambda name: (-effects[name], name))
        return tuple(f"{name} ({'for' if weights[name] > 0 else 'against'})" for name in ranked[:MOST_CARRIERS])

    def _taught(
        self, items: Sequence[AuditedItem]
    ) -> tuple[Callable[[AuditedItem], Candidates], dict[str, float], list[Candidates]]:
        """Return what some items teach, of many a sample."""
        taught = Random(0).sample(items, MOST_TAUGHT) if len(items) > MOST_TAUGHT else items
        read = self.reader(taught)
        samples = [read(item) for item in taught]
        return read, fitted(samples), samples


def fitted(samples: Sequence[Candidates]) -> dict[str, float]:
    """Return the weights of the features that tell right candidates from wrong ones."""
    known = [(features, right) for _, features, right in samples if right is not None and len(features) > 1]
    counts = Counter(name for features, _ in known for name in set().union(*features))
    columns: defaultdict[str, list[tuple[int, list[tuple[int, float]]]]] = defaultdict(list)
    for number, (features, _) in enumerate(known):
        values: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
        for index, candidate in enumerate(features):
            for name, value in candidate.items():
                if counts[name] >= FEWEST:
                    values[name].append((index, value))
        for name, column in values.items():
            columns[name].append((number, column))
    shares = [[1 / len(features)] * len(features) for features, _ in known]
    weights: dict[str, float] = {}

    def slope(name: str) -> tuple[float, float]:
        """Return the gradient and the curvature of the penalised likelihood along a feature.

        Features of other items' keys may only count for a candidate: where keys were balanced, what is rare among the
        others is right, although no answerer could know.
        """
        gradient, curvature = -RIDGE * weights.get(name, 0.0), RIDGE
        for number, column in columns[name]:
            share, right, mean = shares[number], known[number][1], 0.0
            for index, value in column:
                weighted = share[index] * value
                mean += weighted
                curvature += weighted * value
                if index == right:
                    gradient += value
            gradient -= mean
            curvature -= mean * mean
        if name.endswith(ELSEWHERE):
            gradient = min(gradient, 0.0) if name.startswith("least ") else max(gradient, 0.0)
        return gradient, curvature

    slopes = {name: slope(name) for name in columns}
    promising = sorted(name for name, (gradient, curvature) in slopes.items() if gradient**2 > curvature)
    for _ in range(ROUNDS):
        slopes = {name: slope(name) for name in promising}
        tests = {name: gradient**2 / curvature for name, (gradient, curvature) in slopes.items()}
        if (most := max(tests.values(), default=0.0)) < LEAST**2:
            break
        near = (name for name in promising if tests[name] > 0.95 * most)
        surest = min(near, key=lambda name: next(rank for rank, begin in enumerate(PLAINEST) if name.startswith(begin)))
        change = STEP * max(-FARTHEST, min(slopes[surest][0] / slopes[surest][1], FARTHEST))
        weights[surest] = weights.get(surest, 0.0) + change
        for number, column in columns[surest]:
            for index, value in column:
                shares[number][index] *= exp(change * value)
            total = fsum(shares[number])
            shares[number] = [share / total for share in shares[number]]
    return weights


def measured(name: str, values: Sequence[float]) -> list[dict[str, float]]:
    """Return a number of each candidate as features: standardised within the item, and who has most or least.

    >>> measured("words", [2, 2, 6, 6])
    [{'more words': -0.5, 'least words': 0.5}, {'more words': -0.5, 'least words': 0.5}, \
{'more words': 0.5, 'most words': 0.5}, {'more words': 0.5, 'most words': 0.5}]
    """
    high, low = max(values, default=0), min(values, default=0)
    if high - low < 1e-9:
        return [{} for _ in values]
    mean, spread, rows = fsum(values) / len(values), _spread(values), []
    for value in values:
        features = {f"more {name}": (value - mean) / spread / 2}  # varies about as much as features that are 0 or 1
        if value == high:
            features[f"most {name}"] = 1 / values.count(high)
        if value == low:
            features[f"least {name}"] = 1 / values.count(low)
        rows.append(features)
    return rows


def _spread(values: Sequence[float]) -> float:
    mean = fsum(values) / len(values)
    return sqrt(fsum((value - mean) ** 2 for value in values) / len(values))


@lru_cache(maxsize=3000)
def _option_features(texts: tuple[str, ...], question: str, others: tuple[str, ...]) -> tuple[dict[str, float], ...]:
    """Return what options are like by themselves and against the others, without what all have alike."""
    word_lists = [words(text) for text in texts]
    options = [dict.fromkeys(_parts(text, parts), 1.0) for text, parts in zip(texts, word_lists, strict=True)]
    neighbour_words = frozenset[str]().union(*map(content, others))
    for name, values in _measures(texts, word_lists, content(question), neighbour_words).items():
        for features, more in zip(options, measured(name, values), strict=True):
            features.update(more)
    counts = Counter(name for features in options for name in features)
    return tuple(
        {intern(name): value for name, value in features.items() if counts[name] < len(texts) or value != 1.0}
        for features in options
    )


def _parts(text: str, parts: Sequence[str]) -> set[str]:
    """Return the parts of an option and their places, in words."""
    names = {f"the word '{word}'" for word in parts} | {f"a form of '{stem(word)}'" for word in parts}
    names |= {f"the words '{first} {second}'" for first, second in pairwise(parts)}
    names |= {f"the character {sign}" for sign in text if sign in string.punctuation}
    names |= {f"the last character {text[-1:]}"}
    for index, word in enumerate(parts):
        if is_preposition(word):
            names |= {f"a preposition as word {index + 1}", f"a preposition as word {len(parts) - index} from the end"}
    if parts:
        names |= {f"the first word '{parts[0]}'", f"the last word '{parts[-1]}'"}
    return names


def _measures(
    texts: Sequence[str], word_lists: Sequence[Sequence[str]], question: frozenset[str], neighbours: frozenset[str]
) -> dict[str, list[float]]:
    """Return numbers of the options, by their names; ``question`` and ``neighbours`` are the words of questions."""
    sets = [frozenset(parts) for parts in word_lists]
    yes, no = [affirmed(text) for text in texts], [denied(text) for text in texts]
    have = Counter(word for mine in sets for word in mine)
    last = len(texts) - 1

    def others(index: int, of: Sequence[frozenset[str]]) -> list[frozenset[str]]:
        return [rival for number, rival in enumerate(of) if number != index]

    return {
        "characters": [len(text) for text in texts],
        "words": [len(parts) for parts in word_lists],
        "repeated words": [len(parts) - len(set(parts)) for parts in word_lists],
        "punctuation": [sum(sign in string.punctuation for sign in text) for text in texts],
        "capitals and digits": [sum(sign.isupper() or sign.isdigit() for sign in text) for text in texts],
        "prepositions": [sum(map(is_preposition, parts)) for parts in word_lists],
        "words denied": [len(mine) for mine in no],
        "words that other options deny": [
            sum(len(mine & rival) for rival in others(index, no)) for index, mine in enumerate(yes)
        ],
        "denied words that other options have": [
            sum(len(mine & rival) for rival in others(index, yes)) for index, mine in enumerate(no)
        ],
        "likeness to the other options": [
            sum(len(mine & rival) / (len(mine | rival) or 1) for rival in others(index, sets))
            for index, mine in enumerate(sets)
        ],
        "words of no other option": [sum(have[word] == 1 for word in mine) for mine in sets],
        "words missing that all others have": [
            sum(number == last and word not in mine for word, number in have.items()) for mine in sets
        ],
        "words of the question": [len(content(text) & question) for text in texts],
        "words of the other questions": [len(content(text) & neighbours) for text in texts],
    }


@lru_cache(maxsize=100_000)
def _pairs(text: str) -> frozenset[tuple[str, str]]:
    return frozenset(combinations(sorted(content(text)), 2))


def _option_reader(items: Sequence[AuditedItem]) -> Callable[[AuditedItem], Candidates]:
    """Return how options are seen: by themselves, and by which of their words right options of other clusters join."""
    joined: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for item in items:
        for pair in _pairs(item.right_text) if item.has_key else ():
            joined[pair].add(item.cluster)

    def usual(text: str, cluster: str) -> float:
        pairs = _pairs(text)
        return sum(bool(joined.get(pair, frozenset()) - {cluster}) for pair in pairs) / (len(pairs) or 1)

    def read(item: AuditedItem) -> Candidates:
        texts = tuple(item.options[index] for index in item.choices)
        shares = [usual(text, item.cluster) for text in texts]
        more = measured("word pairs of right options elsewhere", shares)
        plain = _option_features(texts, item.question, item.beside)
        features = [{**measures, **learned} for measures, learned in zip(plain, more, strict=True)]
        right = item.choices.index(item.key) if item.key is not None and item.has_key else None
        return Candidates(item.choices, features, right)

    return read


OPTIONS = Classifier(_option_reader)
