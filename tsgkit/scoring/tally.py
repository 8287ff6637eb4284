"""What many samples contribute to many metrics, added one by one and kept small.

>>> tally = Tally({"strict": ["accuracy"]})
>>> tally.add("tea", {"strict": {"accuracy": Score(1, 1)}}, {"items": 1, "answered": 1})
>>> tally.add("puncture", {"strict": {"accuracy": Score(0, 1)}}, {"items": 1, "empty": 1})
>>> tally.parts("strict", "accuracy")
[Part(sum=1.0, weight=1.0, cluster='tea'), Part(sum=0.0, weight=1.0, cluster='puncture')]
>>> tally.n, tally.counts["empty"]
(2, 1)
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

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

    @property
    def n(self) -> int:
        """How many samples were added."""
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

    def parts(self, profile: str, name: str) -> list[Part]:
        """What the samples contribute to one metric, in the order they came."""
        names = list(self._numbers)
        column = self._columns[profile, name]
        clusters = [names[cluster] for cluster in self._clusters]
        return list(map(Part, column[::2], column[1::2], clusters))


NO_SCORE = Score.missing("")
