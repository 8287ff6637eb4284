"""Whether a card declares what its suite does: the task it names, its metrics, how they are pooled."""

from __future__ import annotations

from collections.abc import Mapping

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.suites.metrics import Metric


def task_named(card: Card, suite: str, tasks: Mapping[str, object]) -> str:
    """The task of a suite (``tsg/``) that a card names."""
    task = card.task.removeprefix(suite)
    if not card.task.startswith(suite) or task not in tasks:
        keys = [suite + name for name in tasks]
        raise UsageError(f"{card.source}: task: there is no {card.task}", hint=meant(card.task, keys))
    return task


def check_metrics(card: Card, metrics: Mapping[str, Metric]) -> None:
    """``UsageError`` where a card says of a metric what is not so."""
    for name, declared in card.metrics.items():
        if name not in metrics:
            raise UsageError(f"{card.source}: metrics: {card.task} has no {name}", hint=meant(name, metrics))
        for field, (said, true) in _settings(metrics[name], declared.pooling, declared.better).items():
            if said != true:
                raise UsageError(f"{card.source}: metrics.{name}.{field}: it is {true}, not {said}")


def _settings(metric: Metric, pooling: str, better: str) -> dict[str, tuple[str, str]]:
    """What a card says of a metric beside what is true of it."""
    direction = "more" if metric.more_is_better else "less"
    return {"pooling": (pooling, metric.pooling.value), "better": (better, direction)}
