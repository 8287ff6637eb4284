"""Agreement of raters: two judges, several judges, or one judge and a reference.

>>> ours = {"a": "yes", "b": "yes", "c": "no", "d": "no", "e": None}
>>> theirs = {"a": "yes", "b": "no", "c": "no", "d": "no", "e": "yes"}
>>> found = cohens_kappa(ours, theirs)
>>> found.value, str(found.measure), found.n, found.left_out
(0.5, "Cohen's kappa", 4, 1)

A rating of None, or a missing one, means that a rater gave none. Labels are nominal: every disagreement counts the
same.

Two annotators may give sets: the triplets of graphs, the elements of L in a graph.

>>> first = [frozenset("abc"), frozenset("de"), frozenset("fg"), frozenset("h")]
>>> second = [frozenset("abc"), frozenset("dx"), frozenset("fg"), frozenset("h")]
>>> found = sets_alpha([SetPair(*pair, str(number)) for number, pair in enumerate(zip(first, second))])
>>> round(found.value, 3), found.n
(0.75, 4)

Both figures are (observed - expected) / (1 - expected) for a share that is observed and one expected by chance. Their
intervals are those of :mod:`tsgkit.scoring.intervals` for the observed share, with the variance of the whole figure
(the linearised jackknife over clusters), moved to its scale. No interval is given for fewer than two clusters.
"""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tsgkit.scoring.intervals import (
    Contribution,
    Interval,
    Spread,
    check_level,
    constant_interval,
    jackknife_variance,
    share_interval,
)

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


MOST_SHARED = 10_000_000
"""With more pairs of sets that share an element, chance is estimated from a sample of the sets."""
SEED = 20
_ROUNDING = 1e-12


class SetPair(NamedTuple):
    """The sets of two annotators for one unit, and the unit's cluster."""

    first: frozenset[Hashable]
    second: frozenset[Hashable]
    cluster: str


class Presence(NamedTuple):
    """The elements that two annotators use in one place, those allowed there, and the cluster of the place."""

    first: frozenset[Hashable]
    second: frozenset[Hashable]
    allowed: frozenset[Hashable]
    cluster: str


def masi_similarity(first: Set[Hashable], second: Set[Hashable]) -> float:
    """Return the similarity of two sets by MASI, 1 minus the distance.

    Definition: the Jaccard index times 1 for equal sets, 2/3 if one holds the other, 1/3 if they overlap otherwise, and
    0 if they are disjoint. Range: 0 to 1; two empty sets are equal, an empty and a filled one disjoint.

    Passonneau 2006, "Measuring Agreement on Set-valued Items (MASI) for Semantic and Pragmatic Annotation".

    >>> round(masi_similarity({"a", "b"}, {"a", "b", "c", "d"}), 3), masi_similarity({"a"}, {"b"})
    (0.333, 0.0)
    """
    return _similarity(len(first), len(second), len(first & second))


def _similarity(first: int, second: int, shared: int) -> float:
    if first == second == shared:
        return 1.0
    jaccard = shared / (first + second - shared)
    return jaccard * (2 / 3 if shared == min(first, second) else 1 / 3)


def sets_alpha(pairs: Iterable[SetPair], *, level: float = 0.95, most_shared: int = MOST_SHARED) -> Agreement:
    """Return Krippendorff's alpha of two annotators with the MASI distance.

    Definition: 1 - Do / De, where Do is the mean distance of the two sets of a unit, and De the mean distance of any
    two of all given sets. Range: -1 to 1; 1 is full agreement, 0 is chance. Without a unit, or where all sets are the
    same, it is undefined.

    De is exact: only sets that share an element are less than 1 apart, and those are counted. Where more than about
    ``most_shared`` pairs of sets do, each set is compared with a sample drawn from a fixed seed, which is the same for
    both orders of the annotators.

    Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability".
    """
    check_level(level)
    units = list(pairs)
    counts = Counter(chain.from_iterable((unit.first, unit.second) for unit in units))
    if not units:
        return Agreement(None, Measure.ALPHA_OF_SETS, 0, reason="no graphs are paired")
    if len(counts) == 1:
        reason = "all graphs are the same, so chance alone would agree"
        return Agreement(None, Measure.ALPHA_OF_SETS, len(units), reason=reason)
    near = _nearness(counts, most_shared)
    number = 2 * len(units)
    ordered = number * (number - 1)
    alike = math.fsum(number * near[labels] for labels, number in counts.items())
    similar = [masi_similarity(unit.first, unit.second) for unit in units]
    observed = math.fsum(similar) / len(units)
    clusters = _Clusters(observed, alike / ordered)
    for one, share in zip(units, similar, strict=True):
        chance = 2 * (near[one.first] + near[one.second]) / ordered - 2 * alike * (2 * number - 1) / ordered**2
        clusters.add(one.cluster, share / len(units), 1 / len(units), chance)
    return clusters.measured(Measure.ALPHA_OF_SETS, len(units), level)


def _nearness(counts: Mapping[frozenset[Hashable], int], most_shared: int) -> dict[frozenset[Hashable], float]:
    """Return the summed similarity of each set to all other given sets."""
    uses = Counter(chain.from_iterable(counts))
    shared = sum(number * number for number in uses.values()) // 2
    if shared <= most_shared:
        return {one: total - 1 for one, total in _similarities(counts, counts).items()}
    total = sum(counts.values())
    size = max(2, total * most_shared // (2 * shared))
    everything = sorted(counts, key=lambda labels: sorted(map(repr, labels)))
    drawn = random.Random(SEED).sample(everything, k=size, counts=[counts[one] for one in everything])
    sample = Counter(drawn)
    return {
        one: (similar - sample[one] / counts[one]) * total / size
        for one, similar in _similarities(counts, sample).items()
    }


def _similarities(
    sets: Iterable[frozenset[Hashable]], others: Mapping[frozenset[Hashable], int]
) -> dict[frozenset[Hashable], float]:
    """Return the summed similarity of each set to the others, which count so many times."""
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    sizes = list(map(len, others))
    for number, other in enumerate(others):
        for element in other:
            places[element].append(number)
    times = list(others.values())
    empty = others.get(frozenset(), 0)
    found = {}
    for one in sets:
        size = len(one)
        kinds: Counter[tuple[int, int]] = Counter()
        for number, shared in Counter(chain.from_iterable(places.get(element, ()) for element in one)).items():
            kinds[sizes[number], shared] += times[number]
        sums = (_similarity(size, other, shared) * number for (other, shared), number in kinds.items())
        found[one] = math.fsum(sums) if one else float(empty)
    return found


def presence_kappa(places: Iterable[Presence], *, level: float = 0.95) -> Agreement:
    """Return Cohen's kappa over whether each allowed element is in a place, pooled over the elements.

    Definition: (Ao - Ae) / (1 - Ae), where Ao is the share of places and elements on which both say present or both
    absent, and Ae what it would be if each annotator used every element as often, but in random places. Chance is
    computed for each element by itself, over the places that allow it: that some elements are in every graph and others
    in few is no agreement. Elements that a place does not allow are left out. Range: -1 to 1; 1 is full agreement, 0 is
    chance. Where every element is everywhere or nowhere, it is undefined. ``n`` counts places times allowed elements.

    Cohen 1960; pooled as in De Vries, Elliott, Kanouse and Teleki 2008, "Using Pooled Kappa to Summarize Interrater
    Agreement across Many Items".

    >>> elements = frozenset("ab")
    >>> used = [("ab", "ab"), ("a", "a"), ("b", "ab"), ("a", "b")]
    >>> found = presence_kappa(Presence(*map(frozenset, pair), elements, "tea") for pair in used)
    >>> round(found.value, 3)
    0.143
    """
    check_level(level)
    presences = [
        presence._replace(first=presence.first & presence.allowed, second=presence.second & presence.allowed)
        for presence in places
    ]
    table = _PresenceTable(presences)
    if not table.measured:
        reason = "every element is everywhere or nowhere, so chance alone would agree"
        return Agreement(None, Measure.KAPPA, table.n, reason=reason if presences else "no graphs are paired")
    clusters = _Clusters(2 * table.both / table.present, 2 * table.chance / table.present)
    for presence in presences:
        weight = (len(presence.first) + len(presence.second)) / table.present
        chance = 2 * table.drawn(presence) / table.present - clusters.expected * weight
        clusters.add(presence.cluster, 2 * len(presence.first & presence.second) / table.present, weight, chance)
    return clusters.measured(Measure.KAPPA, table.n, level)


class _PresenceTable:
    """How often each element is present to each annotator, and by chance to both.

    With B the number of places where both have an element, a and b where each has it, n where it is allowed, and S the
    sum of a * b / n over the elements, kappa is 2 (B - S) / (a + b - 2 S), each summed over the elements. So it is the
    F1 of the elements, 2 B / (a + b), beyond the one that chance gives, 2 S / (a + b).
    """

    def __init__(self, places: Sequence[Presence]) -> None:
        self.first = Counter(chain.from_iterable(one.first for one in places))
        self.second = Counter(chain.from_iterable(one.second for one in places))
        times = Counter(one.allowed for one in places)
        self.allowed: Counter[Hashable] = Counter()
        for elements, number in times.items():
            self.allowed.update(dict.fromkeys(elements, number))
        self.n = sum(self.allowed.values())
        chance = {
            element: self.first[element] * self.second[element] / self.allowed[element]
            for element in self.first.keys() & self.second.keys()
        }
        self.chance = math.fsum(chance.values())
        lessened = {element: share / self.allowed[element] for element, share in chance.items()}
        self.lessened = {
            elements: math.fsum(lessened[element] for element in elements & lessened.keys()) for elements in times
        }
        self.both = sum(len(one.first & one.second) for one in places)
        self.present = self.first.total() + self.second.total()
        self.measured = self.present - 2 * self.chance > _ROUNDING * max(self.present, 1)

    def drawn(self, presence: Presence) -> float:
        """Return the derivative of S by the weight of a place."""
        return math.fsum(
            [
                *(self.second[element] / self.allowed[element] for element in presence.first),
                *(self.first[element] / self.allowed[element] for element in presence.second),
                -self.lessened[presence.allowed],
            ]
        )


class _Clusters:
    """An observed and an expected share, and the contributions of clusters to both."""

    def __init__(self, observed: float, expected: float) -> None:
        self.observed, self.expected = observed, expected
        self._parts: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)

    def add(self, cluster: str, agreed: float, weight: float, chance: float) -> None:
        """Add a unit: its part of the observed share, its weight, and the derivative of the expected share by it."""
        self._parts[cluster].append((agreed, weight, chance))

    def measured(self, measure: Measure, n: int, level: float) -> Agreement:
        """Return the agreement with its interval."""
        value = (self.observed - self.expected) / (1 - self.expected)
        interval = self._interval(level)
        return Agreement(value, measure, n, interval=interval, observed=self.observed, expected=self.expected)

    def _interval(self, level: float) -> Interval | None:
        sums = [tuple(map(math.fsum, zip(*self._parts[name], strict=True))) for name in sorted(self._parts)]
        parts = [(Contribution(agreed, weight), chance) for agreed, weight, chance in sums if weight]
        if len(parts) < 2 or max(one.weight for one, _ in parts) > 1 - _ROUNDING:
            return None
        # The change of the figure, times 1 - expected, when a cluster is left out.
        pull = (1 - self.observed) / (1 - self.expected)
        shifts = [
            (contribution.sum - self.observed * contribution.weight - pull * chance) / (1 - contribution.weight)
            for contribution, chance in parts
        ]
        contributions = [contribution for contribution, _ in parts]
        if max(map(abs, shifts)) <= _ROUNDING or not _ROUNDING < self.observed < 1 - _ROUNDING:
            interval = constant_interval(
                self.observed, [contribution.weight for contribution in contributions], (0.0, 1.0), level
            )
        else:
            interval = share_interval(Spread(self.observed, jackknife_variance(shifts), contributions), level)
        return interval and replace(interval, low=self._moved(interval.low), high=self._moved(interval.high))

    def _moved(self, share: float) -> float:
        return (share - self.expected) / (1 - self.expected)
