"""Whether a card of this suite declares what this suite does.

>>> from tsgkit.library.cards import load_card
>>> check_card(load_card("tsg/sgqa"))
'sgqa'
"""

from __future__ import annotations

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.suites.cards import check_metrics, task_named
from tsgkit.suites.tsg.metrics import METRICS

SUITE = "tsg/"


def check_card(card: Card) -> str:
    """The task of this suite that a card names; ``UsageError`` where the card says what the suite does not do."""
    task = task_named(card, SUITE, METRICS)
    check_metrics(card, METRICS[task])
    if not card.prompts:
        raise UsageError(f"{card.source}: prompts: a task that is asked of models needs them")
    return task
