"""Attributes of the spans of a run and of its samples; the names begin with ``tsgkit.``.

An item's id, its outcome and its scores are in them, never its prompt, its answer or the message of an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsgkit.llm.spans import Value
from tsgkit.runs.records import scores_of
from tsgkit.runs.run_setup import Row, RunSetup, asked_of
from tsgkit.scoring.outcomes import FAILURES
from tsgkit.version import __version__


def run_attributes(prepared: RunSetup) -> dict[str, Value]:
    """Return the attributes of an evaluation."""
    found: dict[str, Value] = {
        "tsgkit.version": __version__,
        "tsgkit.run.identity": prepared.identity,
        "tsgkit.run.name": prepared.name,
        "tsgkit.tasks": list(dict.fromkeys(row.cell.task for row in prepared.rows)),
        "tsgkit.models": list(asked_of(prepared.plan)),
    }
    return found if prepared.shard is None else found | {"tsgkit.shard": str(prepared.shard)}


def asked_attributes(row: Row, place: int) -> dict[str, Value]:
    """Return what is known of a sample before it is answered; ``place`` is its place among those of the row."""
    cell = row.cell
    found: dict[str, Value | None] = {
        "tsgkit.task": cell.task,
        "tsgkit.item.id": row.dataset.item_ids[row.numbers[place]],
        "tsgkit.subject": cell.subject,
        "tsgkit.judge": row.judge,
        "tsgkit.solver": cell.solver,
        "tsgkit.style": cell.style,
        "tsgkit.repeat": cell.repeat,
        "tsgkit.shots": cell.shots,
        "tsgkit.seed": cell.seed,
    }
    return {name: value for name, value in found.items() if value is not None}


def outcome_attributes(record: Mapping[str, Any]) -> dict[str, Value]:
    """Return the outcome and the scores of a sample: ``tsgkit.score.PROFILE.METRIC``, those that apply."""
    found: dict[str, Value] = {"tsgkit.outcome": record["outcome"]}
    for profile, scores in scores_of(record).items():
        for name, score in scores.items():
            if score.weight:
                found[f"tsgkit.score.{profile}.{name}"] = score.sum / score.weight
    if record["outcome"] in FAILURES:
        found["error.type"] = record["outcome"]
    return found
