"""Contributions of many samples to many metrics, in little memory.

>>> tally = Tally({"strict": ["accuracy"]})
>>> tally.add("tea", {"strict": {"accuracy": Score(1, 1)}}, {"items": 1, "answered": 1})
>>> tally.add("puncture", {"strict": {"accuracy": Score(0, 1)}}, {"items": 1, "empty": 1})
>>> list(tally.parts("strict", "accuracy"))
[Part(sum=1.0, weight=1.0, cluster='tea'), Part(sum=0.0, weight=1.0, cluster='puncture')]
>>> tally.n, tally.counts["empty"]
(2, 1)
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import overload

from tsgkit.scoring.outcomes import add_counts
from tsgkit.scoring.pooling import Part
from tsgkit.scoring.score import Score


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


NO_SCORE = Score.missing("")
