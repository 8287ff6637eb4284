"""Result rows and scores as the published grader of spatialgen writes them, to compare with ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from tsgkit.suites.spatialgen.official import Asked, votes
from tsgkit.suites.spatialgen.rows import SUB_DOMAINS, SpatialRow

BASIC = 2
"""The number of questions at the start that are called basic; the others are spatial."""


def result_row(row: SpatialRow, found: Asked, image_path: str) -> dict[str, Any] | None:
    """Return the published code's result row of one image, or None if it writes none (E1)."""
    if found.dropped:
        return None
    voted = votes(found.rounds, row.answers)
    right = [one.right for one in voted]
    return {
        "id": row.id,
        "scene": row.scene,
        "avg_acc": _of(right),
        "basic_acc": _of(right[:BASIC]),
        "spatial_acc": _of(right[BASIC:]),
        "image_path": image_path,
        "prompt": row.prompt,
        "questions": list(row.texts),
        "answers": list(row.answers),
        "model_preds": ["".join(one.winners) for one in voted],
        "true-or-false": right,
        "model_preds_cot": [list(lines) for lines in found.rounds],
    }


def _of(right: Sequence[bool]) -> str:
    return f"{sum(right)}/{len(right)}"


class Table(NamedTuple):
    """The published scores, as shares of 1, and the number of result rows."""

    columns: dict[str, float]
    overall: float
    basic: float
    spatial: float
    n: int


def table(results: Sequence[Mapping[str, Any]]) -> Table | None:
    """Return the scores of a file of results, or None if it is empty. A repeated item counts each time (E2).

    Votes are counted again from the raw lines. Every column is rounded to three digits before means are taken.
    """
    rights = [[one.right for one in votes(found["model_preds_cot"], found["answers"])] for found in results]
    if not rights:
        return None
    shares = [round(fmean(column), 3) for column in zip(*rights, strict=True)]
    basic, spatial = shares[:BASIC], shares[BASIC:]
    columns = dict(zip(SUB_DOMAINS, shares, strict=True))
    return Table(columns, fmean(shares), fmean(basic), fmean(spatial), len(results))
