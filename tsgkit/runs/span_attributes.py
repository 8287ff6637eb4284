"""Attributes of the spans of a run and of its samples; the names begin with ``tsgkit.``.

An item's id, its outcome and its scores are in them, never its prompt, its answer or the message of an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsgkit.llm.genai_attributes import Value
from tsgkit.runs.records import scores_of
from tsgkit.runs.run_setup import Row, RunSetup, asked_of
from tsgkit.scoring.outcomes import FAILURES
from tsgkit.version import __version__


def run_attributes(prepared: RunSetup) -> dict[str, Value]:
    """Return the attributes of an evaluation."""
    attributes: dict[str, Value] = {
        "tsgkit.version": __version__,
        "tsgkit.run.identity": prepared.identity,
        "tsgkit.run.name": prepared.name,
        "tsgkit.tasks": list(dict.fromkeys(row.cell.task for row in prepared.rows)),
        "tsgkit.models": list(asked_of(prepared.plan)),
    }
    return attributes if prepared.shard is None else attributes | {"tsgkit.shard": str(prepared.shard)}


def asked_attributes(row: Row, place: int) -> dict[str, Value]:
    """Return what is known of a sample before it is answered; ``place`` is its place among those of the row."""
    attributes: dict[str, Value] = {f"tsgkit.{name}": value for name, value in row.cell.value.items()}
    if row.judge is not None:
        attributes["tsgkit.judge"] = row.judge
    return attributes | {"tsgkit.item.id": row.dataset.item_ids[row.numbers[place]]}


def outcome_attributes(record: Mapping[str, Any]) -> dict[str, Value]:
    """Return the outcome and the scores of a sample: ``tsgkit.score.PROFILE.METRIC``, those that apply."""
    attributes: dict[str, Value] = {
        f"tsgkit.score.{profile}.{metric}": score.sum / score.weight
        for profile, scores in scores_of(record).items()
        for metric, score in scores.items()
        if score.weight
    }
    failure: dict[str, Value] = {"error.type": record["outcome"]} if record["outcome"] in FAILURES else {}
    return attributes | failure | {"tsgkit.outcome": record["outcome"]}
