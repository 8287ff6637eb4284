"""Scoring and recording of a sample, with exceptions of the scoring code turned into the outcome ``error``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tsgkit.runs.journal import sealed
from tsgkit.runs.plan import Cell
from tsgkit.runs.records import record_of
from tsgkit.suites import item_errors
from tsgkit.suites.item_errors import Scored, told
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.task import Task
from tsgkit.suites.transcript import Transcript


@dataclass(frozen=True)
class Scoring:
    """What scores the samples of a row: all that another process needs for that."""

    cell: Cell
    task: Task
    solver: Solver

    def judged(self, sample: Any, transcript: Transcript | None) -> Scored:  # noqa: ANN401  (its suite's sample)
        """Return the judgement on a transcript, or the counted error of the code that judges it."""
        return item_errors.scored(self.solver.judge, sample, transcript, self.task, self.solver)

    def failed(self, sample: Any, error: str) -> Scored:  # noqa: ANN401
        """Return the judgement on a sample that ended in an error."""
        return item_errors.failed(self.solver.judge, sample, error)

    def written(self, score: Scored, transcript: Transcript) -> tuple[dict[str, Any], bytes]:
        """Return the record of a sample and its line; if it cannot be written, the record of that error."""
        record = record_of(self.cell, score.judged, transcript, score.error)
        try:
            return record, sealed(record)
        except (TypeError, ValueError, RecursionError) as error:
            words = f"{told(error, self.task, self.solver)}: its judgement is not JSON"
            score = self.failed(score.judged.sample, words)
            record = record_of(self.cell, replace(score.judged, answer=None, evidence=None), transcript, score.error)
            return record, sealed(record)
