"""Result rows and scores as the published grader of spatialgen writes them, to compare with ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from tsgkit.suites.spatialgen.official import asked, votes
from tsgkit.suites.spatialgen.rows import SUB_DOMAINS, SpatialRow

BASIC = 2
"""The number of questions at the start that are called basic; the others are spatial."""


def result_row(row: SpatialRow, replies: Sequence[str]) -> dict[str, Any] | None:
    """Return the result row of one image, without its own sums, or None if none is written (E1)."""
    found = asked(replies)
    texts = {"prompt": row.prompt, "questions": list(row.texts), "answers": list(row.answers)}
    value = {"id": row.id, "scene": row.scene, **texts, "model_preds_cot": [list(lines) for lines in found.rounds]}
    return None if found.dropped else value


class Table(NamedTuple):
    """The published scores, as shares of 1, and the number of result rows."""

    columns: dict[str, float]
    overall: float
    basic: float
    spatial: float
    n: int


def table(results: Sequence[Mapping[str, Any]]) -> Table:
    """Return the scores of a file of results. A repeated item counts each time (E2).

    Votes are counted again from the raw lines. Every column is rounded to three digits before means are taken.
    """
    rights = [[one.right for one in votes(found["model_preds_cot"], found["answers"])] for found in results]
    shares = [round(fmean(column), 3) for column in zip(*rights, strict=True)]
    columns = dict(zip(SUB_DOMAINS, shares, strict=True))
    return Table(columns, fmean(shares), fmean(shares[:BASIC]), fmean(shares[BASIC:]), len(results))
