"""The common part of the tasks of this suite: rows of formulas, metrics, groups, boards, and item texts.

>>> level = partial(level_held, 0.7)
>>> level([0.9, 0.8, 0.6, 0.9, 0, 0, 0, 0, 0, 0]), level([0.6] * 10), level([0.9, 0.8, None, *[0.0] * 7])
(2.0, 0.0, None)
>>> metric_of("g_55").meaning
'the highest K such that at least 55 % are satisfied at every level up to it'

A level consists of the items of one K. ``easy``, ``medium`` and ``hard`` are means of levels 1 to 3, 4 to 6 and 7 to
10, and ``overall`` of all ten: every level has the same weight, whatever its number of items. ``g`` is a level from 0
to 10, for the published share of 70 percent; a card may name others (``g_55``). Levels beyond ten count only in
``satisfied``.

The tasks themselves are :mod:`~tsgkit.suites.formalimg.layout`, ``knolling`` and ``natural``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

from tsgkit.errors import TsgkitError
from tsgkit.library.cards import Card
from tsgkit.logic.english import reading_of
from tsgkit.scoring.combination import mean_of_all
from tsgkit.suites.formalimg.audit import audit_formulas
from tsgkit.suites.formalimg.rows import SCENARIOS, FormulaSample, load_items
from tsgkit.suites.formalimg.verdicts import LEVELS, part_about
from tsgkit.suites.metrics import Metric
from tsgkit.suites.rows import Rows
from tsgkit.suites.task import Groups, Official, Task, View, left_out_reasons

EPSILON = 0.7
ANY_G = re.compile(r"g_([1-9][0-9]?|100)")
PREDICATE = "predicate"
"""The group whose members count only the clauses of an item that are about them."""
NOTHING_COUNTED = "the published code counts no item"
LEFT_OUT = "left out, as published, for want of a reply or a verdict"


def level_held(epsilon: float, levels: Sequence[float | None]) -> float | None:
    """Return the highest K up to which every level reaches this share of satisfied items.

    The first level below the share ends it: a later recovery does not count. The result is None if a level needed to
    decide has no items.
    """
    for below, share in enumerate(levels):
        if share is None:
            return None
        if share < epsilon:
            return float(below)
    return float(len(levels))


def _mean(meaning: str, levels: Sequence[str]) -> Metric:
    return Metric(meaning, made_of=tuple(levels), made_by=mean_of_all)


def _held(percent: int, *, is_headline: bool) -> Metric:
    meaning = f"the highest K such that at least {percent} % are satisfied at every level up to it"
    how = partial(level_held, percent / 100)
    return Metric(meaning, is_headline=is_headline, made_of=LEVELS, made_by=how, is_share=False)


def clauses_that_hold(what: str) -> Metric:
    """Return the metric for some kind of clauses."""
    return Metric(f"the share of {what} that hold together", is_headline=False)


SATISFIED: Mapping[str, Metric] = {
    "satisfied": Metric("the formula holds"),
    "easy": _mean("mean of the levels 1 to 3", LEVELS[:3]),
    "medium": _mean("mean of the levels 4 to 6", LEVELS[3:6]),
    "hard": _mean("mean of the levels 7 to 10", LEVELS[6:]),
    "overall": _mean("mean of all ten levels", LEVELS),
    "g": _held(round(100 * EPSILON), is_headline=True),
}
CLAUSES: Mapping[str, Metric] = {
    "clauses": clauses_that_hold("all clauses"),
    "objects": clauses_that_hold("clauses that name a class"),
    "attributes": clauses_that_hold("clauses about one object"),
    "relations": clauses_that_hold("clauses about two objects"),
    "conditions": clauses_that_hold("clauses that are conditions"),
    "failed": Metric("the share of clauses that fail", more_is_better=False, is_headline=False),
}
FORMULA_METRICS = {**SATISFIED, **CLAUSES}
"""The metrics of every task, beside those that its card adds."""


def metric_of(name: str) -> Metric | None:
    """Return the metric for a name such as ``g_55``, or None."""
    match = ANY_G.fullmatch(name)
    return _held(int(match[1]), is_headline=False) if match else None


# Display


def _formula_in_words(sample: FormulaSample) -> str:
    try:
        return f"{sample.dsl}\n{reading_of(sample.formula)}"
    except TsgkitError:
        return sample.dsl


VIEW = View(
    question=lambda sample: f"{sample.prompt}\n\n{sample.dsl}",
    brief=attrgetter("prompt"),
    reference=_formula_in_words,
    value=lambda sample: {"dsl": sample.dsl, "k": sample.k},
    trace=lambda judged: tuple(judged.evidence.get("trace") or ()),
    faults=lambda _, evidence: (evidence["reason"],) if evidence.get("reason") else (),
)

# Tasks


def formula_task(
    card: Card,
    scenario: str,
    *,
    why: str,
    own_metrics: Mapping[str, Metric] = FORMULA_METRICS,
    official: Official,
    view: View = VIEW,
    **parts: Any,  # noqa: ANN401  (each of its field's type)
) -> Task:
    """Return a task about the formulas of a scenario; ``why`` says why it does not use the rows of the other.

    ``parts`` are further fields of the task.
    """
    absent = next(name for name in SCENARIOS if name != scenario)
    more = {name: metric for name in card.metrics if (metric := metric_of(name))}
    metrics = {**own_metrics, **more}
    return Task(
        card=card,
        rows=Rows(
            stored=scenario,
            load=partial(load_items, scenario),
            is_folder=True,
            clusters="formulas",
            notes=lambda items: (f"{absent} items left out: {len(items.left_out)} ({why})",) if items.left_out else (),
            to_score=partial(load_items, scenario, needs_prompts=False),
            full_id=lambda items, name: name if "/" in name or name in items.item_ids else f"{scenario}/{name}",
        ),
        metrics=metrics,
        view=view,
        groups=Groups(
            names=("k", "quantifier", "scenario", PREDICATE),
            k_counts="objects that depend on each other",
            parts={PREDICATE: ("failed",)},
            part_of=lambda sample, evidence, _, member: part_about(sample, evidence, member),
        ),
        official=replace(
            official,
            metrics=tuple(name for name in metrics if name in SATISFIED or name in more),
            without_weight=NOTHING_COUNTED,
            reasons=left_out_reasons(LEFT_OUT),
        ),
        audit=audit_formulas,
        finish=lambda board, _: board.with_counts("undecided"),
        computes="scoring",
        **parts,
    )
