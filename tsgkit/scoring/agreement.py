"""Agreement of raters: two judges, several judges, or one judge and a reference.

>>> ours = {"a": "yes", "b": "yes", "c": "no", "d": "no", "e": None}
>>> theirs = {"a": "yes", "b": "no", "c": "no", "d": "no", "e": "yes"}
>>> found = cohens_kappa(ours, theirs)
>>> found.value, str(found.measure), found.n, found.left_out
(0.5, "Cohen's kappa", 4, 1)

A rating of None, or a missing one, means that a rater gave none. Labels are nominal: every disagreement counts the
same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tsgkit.scoring.intervals import Interval

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
    ALPHA_OF_SETS = "Krippendorff's alpha (MASI)"
    BALANCED_ACCURACY = "balanced accuracy"


@dataclass(frozen=True)
class Agreement:
    """An agreement and the ratings behind it. ``value`` is None if it is undefined; ``reason`` says why.

    ``n`` counts the items it was measured on, ``left_out`` those that somebody rated but too few others did.
    ``observed`` is the share that agrees, and ``expected`` the one by chance, where the measure compares the two.
    """

    value: float | None
    measure: Measure | str
    n: int
    left_out: int = 0
    raters: int = 2
    reason: str | None = None
    interval: Interval | None = None
    observed: float | None = None
    expected: float | None = None


class MeasuredAgreement(NamedTuple):
    """One agreement: its subject, its raters where there are several groups, and the kind of question (empty: all)."""

    on: str
    agreement: Agreement
    between: str = ""
    kind: str = ""


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
    counts = Counter(wanted.values())
    right = Counter(label for item, label in wanted.items() if judge.get(item) == label)
    return Agreement(
        value=fmean(right[label] / times for label, times in counts.items()) if len(counts) > 1 else None,
        measure=Measure.BALANCED_ACCURACY,
        n=len(wanted),
        left_out=sum(label is not None and item not in wanted for item, label in judge.items()),
        reason=_one_label(counts, "the reference rates nothing"),
    )


def _measured(measure: Measure, raters: Sequence[Ratings[Item]], value: Callable[[AnnotationTask], float]) -> Agreement:
    labels_of: defaultdict[Item, list[tuple[int, str]]] = defaultdict(list)
    for rater, ratings in enumerate(raters):
        for item, label in ratings.items():
            if label is not None:
                labels_of[item].append((rater, label))
    # Sorted, so that the order of the items cannot show in the last digit.
    rows = sorted(labels for labels in labels_of.values() if len(labels) > 1)
    triples = [(rater, number, label) for number, labels in enumerate(rows) for rater, label in labels]
    different = {label for _, _, label in triples}
    figure, reason = None, _one_label(different, "no item was rated by two raters")
    if len(different) > MOST_LABELS:
        reason = f"{len(different)} different labels are too many to measure agreement on (at most {MOST_LABELS})"
    if reason is None:
        # Takes half a second to import. `import nltk.metrics.agreement as name` would find a function of that name.
        from nltk.metrics.agreement import AnnotationTask

        figure = value(AnnotationTask(triples))
    return Agreement(figure, measure, len(rows), len(labels_of) - len(rows), len(raters), reason)


def _one_label(labels: Collection[str], nothing: str) -> str | None:
    """Return the reason why these different labels allow no measurement; None if they do."""
    if len(labels) > 1:
        return None
    return f"every rating is {next(iter(labels))!r}, so chance alone would agree" if labels else nothing
