"""How long descriptions are and how much they demand, by difficulty, as the published tables count it.

>>> one = annotation_of("0", "easy", "A den with a sofa.", ("eq,1,sofa",))
>>> print(statistics([one])[0])
Row(difficulty='easy', scenes=1, words=5.0, objects=1.0, cnt=1.0, atr=0.0, oor=0.0, oar=0.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tsgkit.suites.sceneeval.annotations import DIFFICULTIES, KINDS, Annotation, annotation_of
from tsgkit.suites.sceneeval.told_findings import objects_of

__all__ = ["Row", "annotation_of", "statistics"]


class Row(NamedTuple):
    """Means of the descriptions of one difficulty."""

    difficulty: str
    scenes: int
    words: float
    objects: float
    cnt: float
    atr: float
    oor: float
    oar: float


def statistics(annotations: Sequence[Annotation]) -> list[Row]:
    """A row for every difficulty there is, then one for all."""
    groups = {name: [one for one in annotations if one.difficulty == name] for name in DIFFICULTIES}
    groups["all"] = list(annotations)
    return [_row(name, mine) for name, mine in groups.items() if mine]


def _row(name: str, mine: Sequence[Annotation]) -> Row:
    def mean(numbers: Sequence[int]) -> float:
        return round(sum(numbers) / len(mine), 2)

    kinds = [mean([len(one.of_kind(kind)) for one in mine]) for kind in KINDS]
    words = mean([len(one.description.split()) for one in mine])
    return Row(name, len(mine), words, mean([objects_of(one) for one in mine]), *kinds)
