"""What the tasks of this suite are judged by: satisfied items, means over levels, the highest level that is held.

>>> held = level_held(0.7)
>>> held([0.9, 0.8, 0.6, 0.9, 0, 0, 0, 0, 0, 0]), held([0.6] * 10), held([0.9, 0.8, None, *[0.0] * 7])
(2.0, 0.0, None)
>>> metric_of("g_55").meaning
'the highest K such that at least 55 % are satisfied at every level up to it'

A level is the items of one K. ``easy``, ``medium`` and ``hard`` are means of levels 1 to 3, 4 to 6 and 7 to 10, and
``overall`` of all ten: every level counts the same, however many items it has. ``g`` is a level from 0 to 10, for the
published share of 70 percent; a card may name others (``g_55``). Levels beyond ten count in ``satisfied`` alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tsgkit.scoring.combining import Combination, mean_of_all
from tsgkit.suites.metrics import Metric

LEVELS = tuple(f"level_{k}" for k in range(1, 11))
EPSILON = 0.7
ANY_G = re.compile(r"g_([1-9][0-9]?|100)")
CATEGORIES = {
    "object": "objects",
    "attribute": "attributes",
    "relation": "relations",
    "condition": "conditions",
    "style": "styles",
    "number": "numbers",
}
"""The metric of each category of clauses."""


def level_held(epsilon: float) -> Combination:
    """The highest K such that at least this share of the items is satisfied at every level up to it.

    A level that is not reached ends it: a later recovery does not count. None where a level that decides has no items.
    """

    def held(levels: Sequence[float | None]) -> float | None:
        for below, share in enumerate(levels):
            if share is None:
                return None
            if share < epsilon:
                return float(below)
        return float(len(levels))

    return held


def _mean(meaning: str, levels: Sequence[str]) -> Metric:
    return Metric(meaning, made_of=tuple(levels), made_by=mean_of_all)


def _held(percent: int, *, is_headline: bool) -> Metric:
    meaning = f"the highest K such that at least {percent} % are satisfied at every level up to it"
    how = level_held(percent / 100)
    return Metric(meaning, is_headline=is_headline, made_of=LEVELS, made_by=how, is_share=False)


def _clauses(what: str) -> Metric:
    return Metric(f"the share of {what} that hold together", is_headline=False)


SATISFIED = {
    "satisfied": Metric("the formula holds"),
    "easy": _mean("mean of the levels 1 to 3", LEVELS[:3]),
    "medium": _mean("mean of the levels 4 to 6", LEVELS[3:6]),
    "hard": _mean("mean of the levels 7 to 10", LEVELS[6:]),
    "overall": _mean("mean of all ten levels", LEVELS),
    "g": _held(round(100 * EPSILON), is_headline=True),
}
CLAUSES = {
    "clauses": _clauses("all clauses"),
    "objects": _clauses("clauses that name a class"),
    "attributes": _clauses("clauses about one object"),
    "relations": _clauses("clauses about two objects"),
    "conditions": _clauses("clauses that are conditions"),
    "failed": Metric("the share of clauses that fail", more_is_better=False, is_headline=False),
}
METRICS: dict[str, dict[str, Metric]] = {
    "layout": SATISFIED | CLAUSES,
    "knolling": SATISFIED | CLAUSES,
    "natural": SATISFIED | CLAUSES | {"styles": _clauses("clauses about the style of the picture")},
}


def metric_of(name: str) -> Metric | None:
    """The metric of a name like ``g_55``."""
    match = ANY_G.fullmatch(name)
    return _held(int(match[1]), is_headline=False) if match else None


def metrics_of(kind: str, named: Iterable[str]) -> Mapping[str, Metric]:
    """The metrics of a task, with those that its card names besides."""
    more = {name: metric for name in named if (metric := metric_of(name))}
    return METRICS[kind] | more


def published(metrics: Mapping[str, Metric]) -> tuple[str, ...]:
    """The metrics whose figures are published, or follow from those that are: all of verdicts, none of clauses."""
    return tuple(name for name in metrics if name not in CLAUSES and name != "styles")
