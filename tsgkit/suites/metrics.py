"""Metrics of tasks: their meaning, pooling and direction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.scoring.combination import Combination
from tsgkit.scoring.pooling import Pooling

POOLED, PER_ITEM = Pooling.POOLED, Pooling.PER_ITEM
PROFILES = ("strict", "official")


def check_profile(name: str) -> None:
    """Raise ``UsageError`` if there is no profile of this name."""
    if name not in PROFILES:
        raise UsageError(f"there is no profile {name}", hint=f"choose from {', '.join(PROFILES)}")


@dataclass(frozen=True)
class Metric:
    """A metric of a task, or a diagnostic beside it (``is_headline`` false).

    A metric ``made_of`` others has no scores of its own: ``made_by`` computes its value from theirs. One that is not a
    share (``is_share`` false) is a level or a count, and is never shown in percent.
    """

    meaning: str
    pooling: Pooling = POOLED
    more_is_better: bool = True
    is_headline: bool = True
    made_of: tuple[str, ...] = ()
    made_by: Combination | None = None
    is_share: bool = True
    top: float = math.inf
    """The largest value of a metric that is no share, by which intervals are bounded."""


def columns_of(metrics: Mapping[str, Metric]) -> list[str]:
    """Return the metrics to tally: those with scores of samples, and those that others are combined from."""
    plain = [name for name, metric in metrics.items() if metric.made_by is None]
    needed = [name for metric in metrics.values() for name in metric.made_of]
    return list(dict.fromkeys([*plain, *needed]))


def check_metrics(card: Card, metrics: Mapping[str, Metric]) -> None:
    """Raise an error if a card contradicts a metric of its task or names an unknown one."""
    for name, declared in card.metrics.items():
        if name not in metrics:
            raise UsageError(f"{card.source}: metrics: {card.task} has no {name}", hint=meant(name, metrics))
        metric = metrics[name]
        direction = "more" if metric.more_is_better else "less"
        for field, stated, true in (
            ("pooling", declared.pooling, metric.pooling.value),
            ("better", declared.better, direction),
        ):
            if stated != true:
                raise UsageError(f"{card.source}: metrics.{name}.{field}: it is {true}, not {stated}")
