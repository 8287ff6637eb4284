"""Records of ``samples.jsonl``: written from scored samples, and read for tallies."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from tsgkit.llm.reply import LOCAL_SOURCES, Reply
from tsgkit.runs.plan import Cell
from tsgkit.scoring.score import Score
from tsgkit.suites.judgement import Judged
from tsgkit.suites.metrics import PROFILES
from tsgkit.suites.transcript import Transcript


def record_of(cell: Cell, judged: Judged, transcript: Transcript, error: str = "") -> dict[str, Any]:
    """Return the record of a sample; ``error`` is the exception it ended with."""
    parts = {
        profile: {name: [score.sum, score.weight] for name, score in scores.items()}
        for profile, scores in judged.scores.items()
    }
    why = {
        f"{profile}.{name}": score.reason
        for profile, scores in judged.scores.items()
        for name, score in scores.items()
        if not score.weight
    }
    return {
        **cell.value,
        "item_id": judged.sample.item_id,
        "cluster": judged.sample.cluster,
        "groups": dict(judged.sample.groups),
        "outcome": str(judged.outcome),
        "answer": judged.answer,
        "parts": parts,
        "why": why,
        "counts": {str(name): number for name, number in judged.counts.items() if number},
        "notes": list(judged.notes),
        "evidence": judged.evidence,
        "usage": usage_value(transcript.replies),
        "error": error or next((reply.error for reply in transcript.replies if reply.error), None),
    }


def scores_of(record: Mapping[str, Any], only: Collection[str] | None = None) -> dict[str, dict[str, Score]]:
    """Return the scores of a record, for a tally; of these metrics (None: of all)."""
    why = record["why"]
    return {
        profile: {
            name: Score(part[0], part[1], why.get(f"{profile}.{name}", ""))
            for name, part in parts.items()
            if only is None or name in only
        }
        for profile, parts in record["parts"].items()
    }


def sample_value(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record as ``--samples`` shows it."""
    scores = {
        profile: {name: part[0] / part[1] if part[1] else None for name, part in record["parts"][profile].items()}
        if profile in record["parts"]
        else None
        for profile in PROFILES
    }
    shown = {name: record[name] for name in ("item_id", "outcome", "answer")}
    return {**shown, "scores": scores, "notes": record["notes"], "evidence": record["evidence"]}


def usage_value(replies: tuple[Reply, ...]) -> dict[str, Any]:
    """Return the known usage of a sample's calls, and the number of calls with unknown usage."""
    asked = [reply for reply in replies if reply.source not in LOCAL_SOURCES]
    if not asked:
        return {}
    paid = [reply for reply in asked if reply.source == "model"]
    value: dict[str, Any] = {
        "calls": len(asked),
        "from_cache": len(asked) - len(paid),
        "requests": sum(reply.requests for reply in paid),
        "seconds": round(sum(reply.seconds for reply in paid), 4),
        "untold": sum(1 for reply in asked if reply.usage.total is None),
        "unpriced": sum(1 for reply in paid if reply.usage.cost is None and not reply.error),
    }
    for name in ("prompt", "completion", "reasoning", "cached"):
        value[name] = sum(getattr(reply.usage, name) or 0 for reply in asked)
    value["cost"] = sum(reply.usage.cost or 0.0 for reply in paid)
    if told := sum(reply.usage.prompt or 0 for reply in asked if reply.usage.cached is not None):
        value["cached_of"] = told
    if retried := sum(max(len(reply.attempts) - 1, 0) for reply in paid):
        value["retried"] = retried
    return value


def add_usage(total: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add the usage of a sample to a total."""
    for name, value in more.items():
        total[name] = total.get(name, 0) + value
