"""Scoring and recording of a sample, with exceptions of the scoring code turned into the outcome ``error``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tsgkit.runs.journal import Journal
from tsgkit.runs.records import record_of
from tsgkit.runs.run_setup import Row
from tsgkit.suites import item_errors
from tsgkit.suites.item_errors import Scored, told
from tsgkit.suites.transcript import Transcript


def judge(row: Row, sample: Any, transcript: Transcript | None) -> Scored:  # noqa: ANN401  (its suite's sample)
    """Return the judgement on a transcript, or the counted error of the code that judges it."""
    return item_errors.scored(row.solver.judge, sample, transcript, row.task, row.solver)


def failed(row: Row, sample: Any, error: str) -> Scored:  # noqa: ANN401
    """Return the judgement on a sample that ended in an error."""
    return item_errors.failed(row.solver.judge, sample, error)


def written(row: Row, score: Scored, transcript: Transcript) -> tuple[dict[str, Any], bytes]:
    """Return the record of a sample and its line; if it cannot be written, the record of that error."""
    record = record_of(row.cell, score.judged, transcript, score.error)
    try:
        return record, Journal.encoded(record)
    except (TypeError, ValueError, RecursionError) as error:
        score = failed(row, score.judged.sample, f"{told(error, row.task, row.solver)}: its judgement is not JSON")
        record = record_of(row.cell, replace(score.judged, answer=None, evidence=None), transcript, score.error)
        return record, Journal.encoded(record)
