"""Whether a card of this suite declares what this suite does: its task, its metrics, how they are pooled.

>>> from tsgkit.library.cards import load_card
>>> check_card(load_card("tsg/sgqa"))
'sgqa'
"""

from __future__ import annotations

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.suites.metrics import Metric
from tsgkit.suites.tsg.metrics import METRICS

SUITE = "tsg/"


def check_card(card: Card) -> str:
    """The task of this suite that a card names; ``UsageError`` where the card says what the suite does not do."""
    task = card.task.removeprefix(SUITE)
    if not card.task.startswith(SUITE) or task not in METRICS:
        keys = [SUITE + name for name in METRICS]
        raise UsageError(f"{card.source}: task: there is no {card.task}", hint=meant(card.task, keys))
    if not card.prompts:
        raise UsageError(f"{card.source}: prompts: a task that is asked of models needs them")
    for name, declared in card.metrics.items():
        if name not in METRICS[task]:
            raise UsageError(f"{card.source}: metrics: {card.task} has no {name}", hint=meant(name, METRICS[task]))
        for field, (said, true) in _settings(METRICS[task][name], declared.pooling, declared.better).items():
            if said != true:
                raise UsageError(f"{card.source}: metrics.{name}.{field}: it is {true}, not {said}")
    return task


def _settings(metric: Metric, pooling: str, better: str) -> dict[str, tuple[str, str]]:
    """What a card says of a metric beside what is true of it."""
    direction = "more" if metric.more_is_better else "less"
    return {"pooling": (pooling, metric.pooling.value), "better": (better, direction)}
