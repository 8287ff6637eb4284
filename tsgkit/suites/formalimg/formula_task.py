"""What all tasks of this suite have in common: items, metrics, boards, and how an item is told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.catalogue import catalogue
from tsgkit.library.datasets import dataset_file, installed
from tsgkit.library.projects import find
from tsgkit.logic.reading import reading_of
from tsgkit.scoring.tally import Tally
from tsgkit.suites.auditing.audit import Auditable
from tsgkit.suites.formalimg import predicates
from tsgkit.suites.formalimg.auditing import auditable
from tsgkit.suites.formalimg.metrics import metrics_of, published
from tsgkit.suites.formalimg.rows import SCENARIO, FormulaSample, Rows, read_samples
from tsgkit.suites.judged import Judged, PartOfSample
from tsgkit.suites.metrics import Metric
from tsgkit.suites.previews import PreviewOptions
from tsgkit.suites.scoreboard import Board, Rules, board_of
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.task import Dataset, Task

SUITE = "formalimg/"
GROUPS = ("k", "quantifier", "scenario", predicates.GROUP)
NOTHING_COUNTED = "the published code counts no item"
NO_LAYOUT = "no layout can be verified for them"
LEFT_OUT = "left out, as published, for want of a reply or a verdict"
WHY_LEFT_OUT = {
    "layout": NO_LAYOUT,
    "knolling": "a task of their own, natural, is about them",
    "natural": "tasks of their own, layout and knolling, are about them",
}
"""Why each task has no use for the rows of the other scenario."""


class FormulaTask(Task):
    """A task whose items are formulas."""

    groups = GROUPS
    part_groups = (predicates.GROUP,)
    k_counts = "objects that depend on each other"

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        """What it is judged by."""
        return metrics_of(self.kind, self.card.metrics)

    @property
    def published_metrics(self) -> Collection[str]:
        """Those of verdicts."""
        return published(self.metrics)

    def dataset(self, data: str | None) -> Rows:
        """The items of a file, a folder, an installed dataset, or (None) those the card names."""
        source = self._source(data)
        return Rows(str(source), read_samples(source), SCENARIO[self.kind])

    def notes(self, dataset: Dataset) -> tuple[str, ...]:
        """How many rows of the other scenario are left out."""
        return own_rows(dataset).told(WHY_LEFT_OUT[self.kind])

    def _source(self, data: str | None) -> Path | Traversable:
        known = {*catalogue(), *(one.name for one in installed())}
        scenario = SCENARIO[self.kind]
        if data is None:
            named = self.card.data
            return dataset_file(named, scenario) if named in known else find("tasks", named)
        path = Path(data)
        if path.exists() or data not in known:
            return path if path.exists() else _bundled(data) or path
        return dataset_file(data, scenario)

    def clusters_are(self, dataset: Dataset) -> str:
        """Items of one formula are one cluster."""
        return "formulas"

    def item(self, options: PreviewOptions) -> tuple[Rows, FormulaSample]:
        """The rows that a prompt is shown of, and the item it is about; its ``id`` alone names it too."""
        rows = self.dataset(options.data)
        return rows, rows.sample(
            rows.chosen(self.full_ids(rows, [options.item] if options.item is not None else []))[0]
        )

    def full_ids(self, rows: Rows, ids: Iterable[str]) -> list[str]:
        """The ids of items, some of which may be named by their ``id`` alone."""
        known = set(rows.item_ids)
        return [one if "/" in one or one in known else f"{SCENARIO[self.kind]}/{one}" for one in ids]

    def auditable(self, data: str | None) -> Auditable:
        """Its rows, slips and all."""
        return auditable(self._source(data), SCENARIO[self.kind])

    def board(self, tally: Tally, solver: Solver, seed: int, *, only: Collection[str] | None = None) -> Board:
        """The values of a tally, of these metrics (None: all)."""
        return self.board_by(tally, seed, style=solver.style, unpublished=solver.unpublished, only=only)

    def board_by(
        self, tally: Tally, seed: int, *, style: str, unpublished: str, only: Collection[str] | None = None
    ) -> Board:
        """The values of a tally, with what the published code leaves out and what nobody could decide."""
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
        """The clauses of an item that are about a predicate."""
        return predicates.part_of(sample, evidence, member)

    def group_metrics(self, group: str, shown: Sequence[str]) -> Sequence[str]:
        """Of predicates, the share of their clauses that fail."""
        return predicates.METRICS if group == predicates.GROUP else super().group_metrics(group, shown)

    def question(self, sample: FormulaSample, *, briefly: bool = False) -> str:
        """What was asked for."""
        return sample.prompt if briefly else f"{sample.prompt}\n\n{sample.dsl}"

    def reference(self, sample: FormulaSample) -> str:
        """What has to hold, in plain words."""
        try:
            return f"{sample.dsl}\n{reading_of(sample.formula)}"
        except TsgkitError:
            return sample.dsl

    def trace(self, judged: Judged) -> tuple[str, ...]:
        """What the verifier found at each part of the formula; nothing where a judge gave the verdict."""
        return tuple(judged.evidence.get("trace") or ())

    def reference_value(self, sample: FormulaSample) -> object:
        """What has to hold."""
        return {"dsl": sample.dsl, "k": sample.k}


def _bundled(data: str) -> Path | Traversable | None:
    """The file of a project, or of ours, that a plan names as a card would; None where there is none."""
    try:
        return find("tasks", data)
    except UsageError:
        return None


def own_rows(dataset: Dataset) -> Rows:
    """The items of a dataset of this suite."""
    if not isinstance(dataset, Rows):
        raise UsageError(f"{dataset.file}: not rows of this suite")
    return dataset
