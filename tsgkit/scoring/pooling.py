"""Scores of samples and the corpus values computed from them.

A score is a sum, a weight, the reason in words, and the evidence:

>>> score = Score(1.5, 2, "2 graphs, 1.5 right")
>>> score.value, Score.missing("asked in another way").value
(0.75, None)

A score is never a bare float. A corpus value pools (sum, weight) or averages the samples' values, as the metric says. A
sample without weight is not the same as zero.

>>> parts = [Part(3, 4, "tea"), Part(1, 1, "tea"), Part(0, 5, "puncture"), Part(0, 0, "puncture")]
>>> pool(parts, Pooling.POOLED).value
0.4
>>> averaged = pool(parts, Pooling.PER_ITEM)
>>> round(averaged.value, 4), averaged.items, averaged.weightless, averaged.clusters
(0.5833, 3, 1, 2)

A sample to which a metric does not apply has no weight: it is counted in ``weightless`` and changes no value. A wrong
or missing answer has a sum of 0 with its full weight.

A tally holds the contributions of many samples to many metrics in little memory, and counts their outcomes; every
sample ends in exactly one:

>>> tally = Tally({"strict": ["accuracy"]})
>>> tally.add("tea", {"strict": {"accuracy": Score(1, 1)}}, {"items": 1, "answered": 1})
>>> tally.add("puncture", {"strict": {"accuracy": Score(0, 1)}}, {"items": 1, "empty": 1})
>>> list(tally.parts("strict", "accuracy"))
[Part(sum=1.0, weight=1.0, cluster='tea'), Part(sum=0.0, weight=1.0, cluster='puncture')]
>>> tally.n, tally.counts["empty"]
(2, 1)
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple, overload


class Score(NamedTuple):
    """The contribution of a sample to a metric, with reason and evidence."""

    sum: float
    weight: float
    reason: str = ""
    evidence: Any = None

    @property
    def value(self) -> float | None:
        """The value of this sample alone; None without weight."""
        return self.sum / self.weight if self.weight else None

    @classmethod
    def missing(cls, reason: str) -> Score:
        """Return a score without a value, with the reason."""
        return cls(0.0, 0.0, reason)


def right_or_wrong(right: bool, reason: str, evidence: Any = None) -> Score:  # noqa: ANN401  (the suite's own)
    """Return the score of a sample that is right or wrong as a whole."""
    return Score(float(right), 1.0, reason, evidence)


class Outcome(StrEnum):
    """The outcome of a sample."""

    ANSWERED = "answered"
    MISSING = "missing"
    """There is no reply."""
    EMPTY = "empty"
    """The reply has no content."""
    TRUNCATED = "truncated"
    """The reply was cut off at its length limit."""
    REFUSED = "refused"
    """A content filter or the refusal field refused. A refusal in prose is unreadable."""
    UNREADABLE = "unreadable"
    """No answer could be read from the reply."""
    API_ERROR = "api_error"
    """The service failed, after retries."""
    ERROR = "error"
    """Our own or a suite's code raised an exception on this item, or took too long."""


FAILURES = frozenset((Outcome.API_ERROR, Outcome.ERROR))
"""The outcomes that say nothing about the subject. The same command asks such samples again."""
TOO_LONG = "too_long"
"""The count of items that ended in an error since measuring them took longer than its limit."""
COUNTS = ("items", *Outcome, "repaired", "missing_graphs", "surplus_graphs", "skipped_official")
"""The counts that every score carries, in this order."""


def add_counts(samples: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of the counts of all samples: the shared counts first, then those of the suite.

    >>> list(add_counts([{"items": 1, "answered": 1, "too_large": 1}]).items())[-1]
    ('too_large', 1)
    """
    total: Counter[str] = Counter()
    for counts in samples:
        total.update(counts)
    names = [name for name in total if name not in COUNTS]
    return {str(name): total[name] for name in (*COUNTS, *names)}


NO_SCORE = Score.missing("")


NO_WEIGHT = "no item carries weight, so the metric has no value"


class Pooling(StrEnum):
    """The way in which samples become one corpus value; cards name it."""

    POOLED = "pooled"
    """The total sum divided by the total weight."""
    PER_ITEM = "per-item"
    """The mean of each sample's sum divided by its weight: every sample with a weight counts the same."""


class Totals(NamedTuple):
    """A sum and its weight."""

    sum: float
    weight: float


@dataclass(frozen=True, slots=True)
class Part:
    """The contribution of one sample to one metric: a sum, its weight, and the sample's cluster.

    Samples of one cluster share a scenario or a context, so they are not independent. A sample on its own is a cluster
    of one. The sum of a share is between 0 and the weight; a count may be larger.
    """

    sum: float
    weight: float
    cluster: str

    def __post_init__(self) -> None:
        if not (math.isfinite(self.sum) and math.isfinite(self.weight)):
            raise ValueError(f"a part needs finite numbers, and this one is {self.sum} out of {self.weight}")
        if self.weight < 0 or (self.weight == 0 and self.sum != 0):
            raise ValueError(f"a part is a sum out of a weight, and this one is {self.sum} out of {self.weight}")

    def counted(self, pooling: Pooling) -> Totals:
        """Return the sum and weight with which this part enters a corpus value."""
        if pooling is Pooling.POOLED or self.weight == 0:
            return Totals(self.sum, self.weight)
        return Totals(self.sum / self.weight, 1.0)


@dataclass(frozen=True)
class Pooled:
    """A corpus value with its weight. ``value`` is None if there is no weight; ``reason`` says so."""

    value: float | None
    pooling: Pooling
    weight: float
    items: int
    weightless: int
    clusters: int
    reason: str | None = None


def pool(parts: Iterable[Part], pooling: Pooling) -> Pooled:
    """The corpus value of a metric.

    Definition: ``pooled`` is the total sum over the total weight; ``per-item`` is the mean of each item's sum over its
    weight. Range: that of the items, so 0 to 1 for shares. Without any weight the value is None, never 0. ``weight``
    is the summed weight of the parts, ``items`` and ``clusters`` count those that weigh anything. The order of the
    parts changes nothing, not even the last digit.

    >>> pool([Part(0, 0, "tea")], Pooling.POOLED)
    Pooled(value=None, pooling=<Pooling.POOLED: 'pooled'>, weight=0.0, items=0, weightless=1, clusters=0, \
reason='no item carries weight, so the metric has no value')
    """
    sums, weights, shares, clusters, weightless = array("d"), array("d"), array("d"), set[str](), 0
    for part in parts:
        if part.weight:
            sums.append(part.sum)
            weights.append(part.weight)
            shares.append(part.sum / part.weight)
            clusters.add(part.cluster)
        else:
            weightless += 1
    weight, items = math.fsum(weights), len(weights)
    pooled = pooling is Pooling.POOLED
    total = Totals(math.fsum(sums), weight) if pooled else Totals(math.fsum(shares), float(items))
    return Pooled(
        value=total.sum / total.weight if items else None,
        pooling=pooling,
        weight=weight,
        items=items,
        weightless=weightless,
        clusters=len(clusters),
        reason=None if items else NO_WEIGHT,
    )


def add(totals: Iterable[Totals]) -> Totals:
    """Return the exactly rounded total, which does not depend on the order."""
    given = list(totals)
    return Totals(math.fsum(total.sum for total in given), math.fsum(total.weight for total in given))


def cluster_totals(parts: Iterable[Part], pooling: Pooling) -> dict[str, Totals]:
    """Return the contribution of each cluster, sorted by name. Clusters without weight are left out.

    >>> cluster_totals([Part(3, 4, "tea"), Part(0, 5, "puncture"), Part(1, 1, "tea")], Pooling.PER_ITEM)
    {'puncture': Totals(sum=0.0, weight=1.0), 'tea': Totals(sum=1.75, weight=2.0)}
    """
    members: defaultdict[str, tuple[array[float], array[float]]] = defaultdict(lambda: (array("d"), array("d")))
    for part in parts:
        if part.weight:
            sums, weights = members[part.cluster]
            sums.append(part.sum if pooling is Pooling.POOLED else part.sum / part.weight)
            weights.append(part.weight if pooling is Pooling.POOLED else 1.0)
    return {name: Totals(*map(math.fsum, members[name])) for name in sorted(members)}


class Tally:
    """Sums and weights by profile and metric, the samples' clusters, and counts."""

    def __init__(self, metrics: Mapping[str, Sequence[str]]) -> None:
        self._columns = {(profile, name): array("d") for profile, names in metrics.items() for name in names}
        self._clusters = array("l")
        self._numbers: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self.reasons: dict[tuple[str, str], str] = {}
        """Why a sample had no weight, by profile and metric: the first reason met."""

    def narrowed(self, names: Collection[str]) -> Tally:
        """Return an empty tally of those of its metrics that have these names."""
        metrics: dict[str, list[str]] = {}
        for profile, name in self._columns:
            if name in names:
                metrics.setdefault(profile, []).append(name)
        return Tally(metrics)

    @property
    def n(self) -> int:
        """The number of samples."""
        return len(self._clusters)

    @property
    def counts(self) -> dict[str, int]:
        """The counts of all samples together."""
        return add_counts([self._counts])

    def add(self, cluster: str, scores: Mapping[str, Mapping[str, Score]], counts: Mapping[str, int]) -> None:
        """One more sample; a metric it has no score for gets no weight from it."""
        self._clusters.append(self._numbers.setdefault(cluster, len(self._numbers)))
        for (profile, name), column in self._columns.items():
            score = scores.get(profile, {}).get(name, NO_SCORE)
            column.append(score.sum)
            column.append(score.weight)
            if not score.weight and score.reason:
                self.reasons.setdefault((profile, name), score.reason)
        for name, number in counts.items():
            self._counts[name] = self._counts.get(name, 0) + number

    def parts(self, profile: str, name: str) -> Sequence[Part]:
        """Return the contributions of the samples to one metric, in order of arrival; they are created on access."""
        return _Parts(self._columns[profile, name], self._clusters, list(self._numbers))


class _Parts(Sequence[Part]):
    """A sequence of parts stored as numbers: a sum, a weight and a cluster number for each sample."""

    def __init__(self, column: array[float], clusters: array[int], names: Sequence[str]) -> None:
        self._column, self._clusters, self._names = column, clusters, names

    def __len__(self) -> int:
        return len(self._clusters)

    @overload
    def __getitem__(self, place: int) -> Part: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Part]: ...
    def __getitem__(self, place: int | slice) -> Part | Sequence[Part]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        return Part(self._column[2 * place], self._column[2 * place + 1], self._names[self._clusters[place]])

    def __iter__(self) -> Iterator[Part]:
        sums, weights = islice(self._column, 0, None, 2), islice(self._column, 1, None, 2)
        return map(Part, sums, weights, map(self._names.__getitem__, self._clusters))
