"""Shortcuts: answers without understanding, each from limited information.

>>> item = AuditedItem("7", "7", "Which?", options=("a cup", "a long red cup", "a pen"), key=1)
>>> longest_option(item), credit(item, (0, 1))
((1,), 0.5)

Shortcuts that learn (the usual position of keys) learn from other clusters than the one that they answer.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tsgkit.suites.audits.classifier import OPTIONS
from tsgkit.suites.audits.items import Answer, AuditedItem, affirmed, content, denied

FOLDS = 5
"""The number of folds of clusters; each is answered with what the others teach."""


def credit(item: AuditedItem, answers: tuple[int | str, ...]) -> float:
    """Return what answers are worth: the share of them that is right."""
    right: int | str | None = item.key if item.options else item.answer
    return sum(answer == right for answer in answers) / len(answers) if answers else 0.0


@dataclass(frozen=True)
class Answerer:
    """A shortcut and the information that it may use."""

    name: str
    sees: str
    answer: Answer | None = None
    learn: Callable[[Sequence[AuditedItem]], Answer] | None = None
    """Makes the answers from other items than those answered; for shortcuts that need to be taught."""
    carriers: Callable[[Sequence[AuditedItem]], tuple[str, ...]] | None = None
    """Names what a learned shortcut goes by, the most important first."""
    worth: Callable[[AuditedItem, tuple[int | str, ...]], float] = credit
    """The credit for answers."""
    chance: Callable[[AuditedItem], float] = lambda item: item.chance
    """The credit of guessing among the answers that it considers."""
    gets: Callable[[AuditedItem], float] | None = None
    """The credit for an item, for answers that are neither positions nor names."""
    needs: Callable[[AuditedItem], bool] = lambda item: bool(item.options)
    """The items it can say anything about."""
    is_blind: bool = True
    """True if it cannot see the answer; the scores of others are remarks, not shortcuts."""


def longest_option(item: AuditedItem) -> tuple[int, ...]:
    """Return the options of the most characters."""
    return _best(item, lambda option: len(option))


def most_alike(item: AuditedItem) -> tuple[int, ...]:
    """Return the options that share most words with the others, on average."""
    sets = {index: content(item.options[index]) for index in item.choices}

    def likeness(index: int) -> float:
        pairs = [(sets[index], rival) for number, rival in sets.items() if number != index]
        return sum(len(mine & rival) / len(mine | rival) if mine | rival else 1.0 for mine, rival in pairs)

    return _best_places(item, likeness)


def denied_elsewhere(item: AuditedItem) -> tuple[int, ...]:
    """Return the options whose words, not denied there, the other options deny most often."""
    others = [denied(item.options[index]) for index in item.choices]  # no option denies what it says itself
    return _best(item, lambda option: sum(len(affirmed(option) & words) for words in others))


def like_question(item: AuditedItem) -> tuple[int, ...]:
    """Return the options that share most words with the question."""
    return _sharing(item, content(item.question))


def like_others(item: AuditedItem) -> tuple[int, ...]:
    """Return the options that share most words with the questions asked beside."""
    return _sharing(item, frozenset().union(*map(content, item.beside)))


def like_prompt(item: AuditedItem) -> tuple[int, ...]:
    """Return the options with the most words of the prompt, minus words that are not in it."""
    prompt_words = content(item.prompt)
    return _best(item, lambda option: len(content(option) & prompt_words) - 2 * len(content(option) - prompt_words))


def like_names(item: AuditedItem) -> tuple[int, ...]:
    """Return the options that mention most of the names."""
    return _sharing(item, frozenset().union(*(content(name.replace("-", " ")) for name in item.names)))


def _sharing(item: AuditedItem, wanted: frozenset[str]) -> tuple[int, ...]:
    return _best(item, lambda option: len(content(option) & wanted))


def _best(item: AuditedItem, worth: Callable[[str], float]) -> tuple[int, ...]:
    return _best_places(item, lambda index: worth(item.options[index]))


def _best_places(item: AuditedItem, worth: Callable[[int], float]) -> tuple[int, ...]:
    values = {index: worth(index) for index in item.choices}
    most = max(values.values(), default=0.0)
    return tuple(index for index, value in values.items() if value >= most - 1e-12)


def constant(items: Sequence[AuditedItem]) -> Answer:
    """Return the place of the key that most items have."""
    [(index, _)] = Counter(item.key for item in items if item.has_key).most_common(1) or [(0, 0)]
    return lambda item: (index,) if index is not None and index < len(item.options) else item.choices


def constant_by_group(items: Sequence[AuditedItem]) -> Answer:
    """Return the place of the key that most items of the same kind have."""
    by_group: defaultdict[str, list[AuditedItem]] = defaultdict(list)
    for item in items:
        by_group[item.group].append(item)
    answers = {group: constant(members) for group, members in by_group.items()}
    fallback = constant(items)
    return lambda item: answers.get(item.group, fallback)(item)


def commonest_answer(items: Sequence[AuditedItem]) -> Answer:
    """Return the commonest of all right answers that is among those possible here."""
    order = [answer for answer, _ in Counter(item.answer for item in items).most_common()]

    def answer(item: AuditedItem) -> tuple[str, ...]:
        possible = set(item.pool)
        return next(((name,) for name in order if not possible or name in possible), ())

    return answer


ANSWERERS = (
    Answerer("always the same letter", "where the keys of other items stand", learn=constant),
    Answerer(
        "the usual letter of this kind of question",
        "the kind of question, and where the keys of other items stand",
        learn=constant_by_group,
        needs=lambda item: bool(item.options and item.group),
    ),
    Answerer("the longest option", "the options, not the question", longest_option),
    Answerer("the option most like the others", "the options, not the question", most_alike),
    Answerer(
        "the option whose words the other options deny",
        "the options, not the question",
        denied_elsewhere,
        needs=lambda item: any(map(denied, item.options)),
    ),
    Answerer(
        "what a classifier learns from other items",
        "the options and the questions, and the keys of other items",
        learn=OPTIONS.learn,
        carriers=OPTIONS.carriers,
    ),
    Answerer(
        "the option most like the question",
        "the question and its options",
        like_question,
        needs=lambda item: bool(item.options and item.question),
    ),
    Answerer(
        "the option most like the other questions",
        "the options and the questions asked beside it",
        like_others,
        needs=lambda item: bool(item.options and item.beside),
    ),
    Answerer(
        "the option that mentions most names of the graph",
        "the options and the names in the graph, not how they are joined",
        like_names,
        needs=lambda item: bool(item.options and item.names),
    ),
    Answerer(
        "the commonest answer",
        "the answers to other items, and which names occur here",
        learn=commonest_answer,
        needs=lambda item: not item.options and bool(item.pool),
    ),
    Answerer(
        "the option most like the prompt",
        "the options and the text that the image was made from",
        like_prompt,
        needs=lambda item: bool(item.options and item.prompt),
        is_blind=False,
    ),
)


def answered(answerer: Answerer, items: Sequence[AuditedItem]) -> Mapping[str, float]:
    """Return the credit of a shortcut for each item that it can answer. Learned ones never see the cluster that they
    answer.
    """
    mine = [item for item in items if answerer.needs(item)]
    if (answer := answerer.answer) is not None:
        return {item.item_id: answerer.worth(item, answer(item)) for item in mine}
    if answerer.learn is None:
        gets = answerer.gets or (lambda item: 0.0)
        return {item.item_id: gets(item) for item in mine}
    credits_: dict[str, float] = {}
    for fold in range(FOLDS):
        others = [item for item in mine if fold_of(item.cluster) != fold]
        tested = [item for item in mine if fold_of(item.cluster) == fold]
        if tested and others:
            taught = answerer.learn(others)
            credits_ |= {item.item_id: answerer.worth(item, taught(item)) for item in tested}
    return {item.item_id: credits_[item.item_id] for item in mine if item.item_id in credits_}


@lru_cache(maxsize=100_000)
def fold_of(cluster: str) -> int:
    """Return the part a cluster is dealt into; the same at all times."""
    return int.from_bytes(hashlib.blake2b(cluster.encode(), digest_size=4).digest(), "big") % FOLDS
