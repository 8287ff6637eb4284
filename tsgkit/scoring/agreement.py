"""Agreement of raters: two judges, several judges, or one judge and a reference.

>>> ours = {"a": "yes", "b": "yes", "c": "no", "d": "no", "e": None}
>>> theirs = {"a": "yes", "b": "no", "c": "no", "d": "no", "e": "yes"}
>>> cohens_kappa(ours, theirs)
Agreement(value=0.5, measure=<Measure.KAPPA: "Cohen's kappa">, n=4, left_out=1, raters=2, labels=('no', 'yes'), \
reason=None)

A rating of None, or a missing one, means that a rater gave none. Labels are nominal: every disagreement counts the
same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from nltk.metrics.agreement import AnnotationTask

Item = TypeVar("Item", bound=Hashable)
Ratings = Mapping[Item, str | None]

MOST_LABELS = 1000
"""With more distinct labels the ratings are taken for free text. The time for alpha grows with their square."""


class Measure(StrEnum):
    """The statistic that measures an agreement."""

    KAPPA = "Cohen's kappa"
    ALPHA = "Krippendorff's alpha"
    BALANCED_ACCURACY = "balanced accuracy"


@dataclass(frozen=True)
class Agreement:
    """An agreement and the ratings behind it. ``value`` is None if it is undefined; ``reason`` says why.

    ``n`` counts the items it was measured on, ``left_out`` those that somebody rated but too few others did.
    """

    value: float | None
    measure: Measure
    n: int
    left_out: int
    raters: int
    labels: tuple[str, ...]
    reason: str | None = None


def cohens_kappa(first: Ratings[Item], second: Ratings[Item]) -> Agreement:
    """Return the agreement of two raters beyond chance, given how often each uses every label.

    Definition: (Ao - Ae) / (1 - Ae), where Ao is the share of items with equal labels, and Ae what it would be if each
    rater gave the same labels to random items. Only complete pairs count: items that both rated. Range: -1 to 1; 1 is
    full agreement, 0 is chance. Without a complete pair, or where both give one and the same label to all (Ae = 1), it
    is undefined.

    Cohen 1960, "A coefficient of agreement for nominal scales".

    >>> cohens_kappa({"a": "yes", "b": "yes"}, {"a": "yes", "b": "yes"}).reason
    "every rating is 'yes', so chance alone would agree"
    """
    return _measured(Measure.KAPPA, [first, second], lambda task: float(task.kappa()))


def krippendorffs_alpha(raters: Sequence[Ratings[Item]]) -> Agreement:
    """Return the agreement of any number of raters; not every rater must have rated every item.

    Definition: 1 - Do / De, where Do is how often two ratings of one item differ, and De how often two ratings of any
    items do (nominal distance). Items with fewer than two ratings are left out. Range: at most 1, which is full
    agreement; 0 is chance, below is disagreement by system. Where no item has two ratings, or all ratings are one and
    the same label, it is undefined.

    Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability".

    >>> krippendorffs_alpha([{"a": "yes", "b": "no"}, {"a": "yes", "b": "no"}, {"b": "no"}]).value
    1.0
    """
    return _measured(Measure.ALPHA, raters, lambda task: float(task.alpha()))


def balanced_accuracy(judge: Ratings[Item], reference: Ratings[Item]) -> Agreement:
    """Return the mean recall of a judge over the labels of a reference, so that rare labels count as much as frequent
    ones.

    Definition: the mean, over the labels of the reference, of the share of items with that label to which the judge
    gave it. Range: 0 to 1; always giving one of k labels scores 1 / k. An item of the reference on which the judge
    did not say is missed, never skipped; what the reference does not rate is left out. A reference without ratings, or
    with a single label, leaves it undefined.

    Brodersen, Ong, Stephan and Buhmann 2010, "The Balanced Accuracy and Its Posterior Distribution".

    >>> reference = {"a": "yes", "b": "yes", "c": "yes", "d": "no"}
    >>> balanced_accuracy({"a": "yes", "b": "yes", "c": "yes", "d": "yes"}, reference).value
    0.5
    """
    wanted = {item: label for item, label in reference.items() if label is not None}
    given = Counter(wanted.values())
    found = Counter(label for item, label in wanted.items() if judge.get(item) == label)
    return Agreement(
        value=fmean(found[label] / times for label, times in given.items()) if len(given) > 1 else None,
        measure=Measure.BALANCED_ACCURACY,
        n=len(wanted),
        left_out=sum(label is not None and item not in wanted for item, label in judge.items()),
        raters=2,
        labels=tuple(sorted(given)),
        reason=_one_label(wanted.values(), "the reference rates nothing"),
    )


def _measured(measure: Measure, raters: Sequence[Ratings[Item]], value: Callable[[AnnotationTask], float]) -> Agreement:
    rated = _by_item(raters)
    # Sorted, so that the order of the items cannot show in the last digit.
    rows = sorted(ratings for ratings in rated if len(ratings) > 1)
    labels = [label for ratings in rows for _, label in ratings]
    reason = _one_label(labels, "no item was rated by two raters") or _too_many(labels)
    return Agreement(
        value=None if reason else value(_task(rows)),
        measure=measure,
        n=len(rows),
        left_out=len(rated) - len(rows),
        raters=len(raters),
        labels=tuple(sorted(set(labels))),
        reason=reason,
    )


def _by_item(raters: Sequence[Ratings[Item]]) -> list[list[tuple[int, str]]]:
    """Return the labels and their raters, item by item."""
    items: defaultdict[Item, list[tuple[int, str]]] = defaultdict(list)
    for rater, ratings in enumerate(raters):
        for item, label in ratings.items():
            if label is not None:
                items[item].append((rater, label))
    return list(items.values())


def _one_label(labels: Iterable[str], nothing: str) -> str | None:
    """Return the reason why these labels allow no measurement; None if they do."""
    different = set(labels)
    if len(different) > 1:
        return None
    return f"every rating is {different.pop()!r}, so chance alone would agree" if different else nothing


def _too_many(labels: Iterable[str]) -> str | None:
    different = len(set(labels))
    if different <= MOST_LABELS:
        return None
    return f"{different} different labels are too many to measure agreement on (at most {MOST_LABELS})"


def _task(rows: Sequence[Sequence[tuple[int, str]]]) -> AnnotationTask:
    # Takes half a second to import. `import nltk.metrics.agreement as name` would find a function of that name.
    from nltk.metrics.agreement import AnnotationTask

    return AnnotationTask([(rater, item, label) for item, ratings in enumerate(rows) for rater, label in ratings])
