"""Records of ``samples.jsonl``: written from scored samples, read for tallies, and added up in the order of the data.

Exceptions of code that scores become the outcome ``error``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tsgkit.llm.reply import LOCAL_SOURCES, Reply, seconds_of
from tsgkit.runs.journal import sealed
from tsgkit.runs.plan import Cell
from tsgkit.scoring.pooling import FAILURES, Outcome, Score, Tally
from tsgkit.suites import judgement
from tsgkit.suites.judgement import Judged, Scored, error_in_words
from tsgkit.suites.metrics import PROFILES
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.task import Task
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
    answered = [reply for reply in replies if reply.source not in LOCAL_SOURCES]
    if not answered:
        return {}
    paid = [reply for reply in answered if reply.source == "model"]
    value: dict[str, Any] = {
        "calls": len(answered),
        "from_cache": len(answered) - len(paid),
        "requests": sum(reply.requests for reply in paid),
        "seconds": round(sum(seconds_of(reply.attempts) for reply in paid), 4),
        "untold": sum(1 for reply in answered if reply.usage.total is None),
        "unpriced": sum(1 for reply in paid if reply.usage.cost is None and not reply.error),
    }
    for name in ("prompt", "completion", "reasoning", "cached"):
        value[name] = sum(getattr(reply.usage, name) or 0 for reply in answered)
    value["cost"] = sum(reply.usage.cost or 0.0 for reply in paid)
    if prompt_tokens := sum(reply.usage.prompt or 0 for reply in answered if reply.usage.cached is not None):
        value["cached_of"] = prompt_tokens
    if retried := sum(max(len(reply.attempts) - 1, 0) for reply in paid):
        value["retried"] = retried
    return value


def add_usage(total: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add the usage of a sample to a total."""
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


@dataclass(frozen=True)
class Scoring:
    """The scorer of the samples of a row: all that another process needs for that."""

    cell: Cell
    task: Task
    solver: Solver

    def judged(self, sample: Any, transcript: Transcript | None) -> Scored:  # noqa: ANN401  (its suite's sample)
        """Return the judgement on a transcript, or the counted error of the code that judges it."""
        return judgement.scored(self.solver.judge, sample, transcript, self.task, self.solver)

    def failed(self, sample: Any, error: str) -> Scored:  # noqa: ANN401
        """Return the judgement on a sample that ended in an error."""
        return judgement.failed(self.solver.judge, sample, error)

    def written(self, score: Scored, transcript: Transcript) -> tuple[dict[str, Any], bytes]:
        """Return the record of a sample and its line; if it cannot be written, the record of that error."""
        record = record_of(self.cell, score.judged, transcript, score.error)
        try:
            return record, sealed(record)
        except (TypeError, ValueError, RecursionError) as error:
            words = f"{error_in_words(error, self.task, self.solver)}: its judgement is not JSON"
            score = self.failed(score.judged.sample, words)
            record = record_of(self.cell, replace(score.judged, answer=None, evidence=None), transcript, score.error)
            return record, sealed(record)


Scores = Mapping[str, Mapping[str, Score]]


@dataclass
class RowTotals:
    """A tally, the usage of the calls, and errors."""

    tally: Tally
    usage: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    """Errors with the number of samples that ended with them."""
    raised: dict[str, int] = field(default_factory=dict)
    """Exceptions of our own or a suite's code, and how many samples ended with each."""
    partial: dict[str, int] = field(default_factory=dict)
    """Errors in samples that were answered in part, with counts."""
    unreadable: str = ""
    """The note of the first sample that cannot be read."""

    @property
    def n(self) -> int:
        """The number of samples."""
        return self.tally.n

    def add(self, record: Mapping[str, Any], scores: Scores) -> None:
        """One more record, and the scores it holds."""
        self.tally.add(record["cluster"], scores, record["counts"])
        add_usage(self.usage, record["usage"])
        if record["outcome"] in FAILURES or record["error"]:
            error = record["error"] or "no reason given"
            failed = self.raised if record["outcome"] == Outcome.ERROR else self.errors
            where = failed if record["outcome"] in FAILURES else self.partial
            where[error] = where.get(error, 0) + 1
        if record["outcome"] == Outcome.UNREADABLE:
            self.unreadable = self.unreadable or next(iter(record["notes"]), "")
