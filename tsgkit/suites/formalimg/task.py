"""The common part of the tasks of this suite: rows of formulas, metrics, groups, boards, and item texts.

>>> held = partial(level_held, 0.7)
>>> held([0.9, 0.8, 0.6, 0.9, 0, 0, 0, 0, 0, 0]), held([0.6] * 10), held([0.9, 0.8, None, *[0.0] * 7])
(2.0, 0.0, None)
>>> metric_of("g_55").meaning
'the highest K such that at least 55 % are satisfied at every level up to it'

A level consists of the items of one K. ``easy``, ``medium`` and ``hard`` are means of levels 1 to 3, 4 to 6 and 7 to
10, and ``overall`` of all ten: every level has the same weight, whatever its number of items. ``g`` is a level from 0
to 10, for the published share of 70 percent; a card may name others (``g_55``). Levels beyond ten count only in
``satisfied``.

A task is a class of its own in :mod:`~tsgkit.suites.formalimg.layout`, ``knolling`` and ``natural``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.projects import find
from tsgkit.library.row_sources import row_place
from tsgkit.logic.english import reading_of
from tsgkit.scoring.combination import mean_of_all
from tsgkit.scoring.tally import Tally
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.formalimg.audit import auditable
from tsgkit.suites.formalimg.rows import SCENARIO_OF, FormulaSample, Rows, read_samples
from tsgkit.suites.formalimg.verdicts import LEVELS, part_about
from tsgkit.suites.item_choice import ItemChoice
from tsgkit.suites.judgement import Judged, PartOfSample
from tsgkit.suites.metrics import Metric
from tsgkit.suites.scoreboard import Board, Rules, board_of
from tsgkit.suites.solvers.prompter import PreviewOptions
from tsgkit.suites.task import Dataset, Task

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


def metric_of(name: str) -> Metric | None:
    """Return the metric for a name such as ``g_55``, or None."""
    match = ANY_G.fullmatch(name)
    return _held(int(match[1]), is_headline=False) if match else None


class FormulaTask(Task):
    """A task whose items are formulas."""

    own_metrics: Mapping[str, Metric] = MappingProxyType({**SATISFIED, **CLAUSES})
    """The metrics that every card of the task has."""
    groups = ("k", "quantifier", "scenario", PREDICATE)
    part_groups = (PREDICATE,)
    k_counts = "objects that depend on each other"
    scoring_computes = True
    why_left_out: str
    """The reason why the task does not use the rows of the other scenario."""

    @property
    def scenario(self) -> str:
        """The scenario of the task's rows."""
        return SCENARIO_OF[self.kind]

    @property
    def stored(self) -> str:
        """The name of the task's rows in datasets, which is that of their scenario."""
        return self.scenario

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """The task's metrics, including those its card adds."""
        more = {name: metric for name in self.card.metrics if (metric := metric_of(name))}
        return {**self.own_metrics, **more}

    @property
    def published_metrics(self) -> Collection[str]:
        """The metrics based on verdicts, whose figures are published or follow from published ones."""
        return tuple(name for name in self.metrics if name in SATISFIED or metric_of(name))

    # Rows

    def dataset(self, data: str | None) -> Rows:
        """Return the items of a file, a folder, an installed dataset, or (None) the dataset named by the card."""
        source = self.source(data)
        return Rows(str(source), read_samples(source), self.scenario)

    def source(self, data: str | None) -> Path | Traversable:
        """Return the location of the rows: a folder in the published layout, or a project or built-in file."""
        if data is not None and Path(data).exists() and not row_place(data, self.stored, self.formats):
            return Path(data)
        found = super().source(data)
        if data is None or found != Path(data):
            return found
        try:  # a plan may name a file as a card would
            return find("tasks", data)
        except UsageError:
            return found

    def notes(self, dataset: Dataset) -> tuple[str, ...]:
        """Return a note on the number of rows of the other scenario that are left out."""
        return own_rows(dataset).told(self.why_left_out)

    def clusters_are(self, dataset: Dataset) -> str:
        """Return "formulas": the items of one formula are one cluster."""
        return "formulas"

    def item(self, options: PreviewOptions) -> tuple[Rows, FormulaSample]:
        """Return the rows and the item to preview; the item may be named by its ``id`` alone."""
        rows = self.dataset(options.data)
        ids = self.full_ids(rows, [options.item] if options.item is not None else [])
        return rows, rows.sample(rows.chosen(ItemChoice(tuple(ids)))[0])

    def full_ids(self, rows: Rows, ids: Iterable[str]) -> list[str]:
        """Return the ids of items, some of which may be named by their ``id`` alone."""
        known = set(rows.item_ids)
        return [one if "/" in one or one in known else f"{self.scenario}/{one}" for one in ids]

    def auditable(self, data: str | None) -> Auditable:
        """Return the rows to audit, including unusable ones."""
        return auditable(self.source(data), self.scenario)

    # Boards

    def board_by(
        self, tally: Tally, seed: int, *, style: str = "", unpublished: str, only: Collection[str] | None = None
    ) -> Board:
        """Return the values of a tally; ``only`` names the metrics wanted (None: all), since intervals take time."""
        skipped = tally.counts["skipped_official"]
        rules = Rules(
            metrics={name: metric for name, metric in self.metrics.items() if only is None or name in only},
            published=self.published_metrics,
            unpublished=unpublished,
            without_weight=NOTHING_COUNTED,
            own_reasons={"official.n": f"{LEFT_OUT}: {skipped}; strict counts these as wrong"} if skipped else {},
            seed=seed,
        )
        board = board_of(tally, rules)
        return replace(board, counts=board.counts | {"undecided": board.counts.get("undecided", 0)})

    def part_of(
        self,
        sample: FormulaSample,
        evidence: Any,  # noqa: ANN401  (as a record has it)
        group: str,
        member: str,
    ) -> PartOfSample | None:
        """Return the part of a sample whose clauses are about a predicate."""
        return part_about(sample, evidence, member)

    def group_metrics(self, group: str, shown: Sequence[str]) -> Sequence[str]:
        """Return the metrics of a group: for predicates, the share of their clauses that fail."""
        return ("failed",) if group == PREDICATE else super().group_metrics(group, shown)

    # Item texts

    def question(self, sample: FormulaSample, *, briefly: bool = False) -> str:
        """Return the instruction, and the formula behind it."""
        return sample.prompt if briefly else f"{sample.prompt}\n\n{sample.dsl}"

    def reference(self, sample: FormulaSample) -> str:
        """Return the formula that must hold, also in plain English."""
        try:
            return f"{sample.dsl}\n{reading_of(sample.formula)}"
        except TsgkitError:
            return sample.dsl

    def trace(self, judged: Judged) -> tuple[str, ...]:
        """Return the verifier's trace; empty if a judge gave the verdict."""
        return tuple(judged.evidence.get("trace") or ())

    def faults(self, answer: object, evidence: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the reason of the verdict."""
        return (evidence["reason"],) if evidence.get("reason") else ()

    def reference_value(self, sample: FormulaSample) -> object:
        """Return the formula that must hold, and its K."""
        return {"dsl": sample.dsl, "k": sample.k}


def own_rows(dataset: Dataset) -> Rows:
    """Return the items of a dataset of this suite."""
    if not isinstance(dataset, Rows):
        raise UsageError(f"{dataset.file}: not rows of this suite")
    return dataset
