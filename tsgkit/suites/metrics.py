"""What a task is judged by: the meaning of a number, how samples come to it, which way is better."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tsgkit.scoring.combining import Combination
from tsgkit.scoring.pooling import Pooling

POOLED, PER_ITEM = Pooling.POOLED, Pooling.PER_ITEM
PROFILES = ("strict", "official")


@dataclass(frozen=True)
class Metric:
    """A number a task is judged by, or a diagnostic beside it (``is_headline`` false).

    A metric ``made_of`` others has no scores of its own: its value is what ``made_by`` makes of theirs. One that is no
    share of anything (``is_share`` false) is a level or a count, and never shown as a percentage.
    """

    meaning: str
    pooling: Pooling = POOLED
    more_is_better: bool = True
    is_headline: bool = True
    made_of: tuple[str, ...] = ()
    made_by: Combination | None = None
    is_share: bool = True


def columns_of(metrics: Mapping[str, Metric], more: Iterable[str] = ()) -> list[str]:
    """What is tallied: the metrics that samples have scores for, and what others are made of."""
    own = [name for name, metric in metrics.items() if metric.made_by is None]
    needed = [name for metric in metrics.values() for name in metric.made_of]
    return list(dict.fromkeys([*own, *needed, *more]))
