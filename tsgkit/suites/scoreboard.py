"""Scores of many samples: values with intervals in both profiles, and their JSON.

A corpus value carries its 95 % interval over clusters, and ``n``, its summed weight. A value that a profile does not
have carries a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tsgkit.scoring.combination import combine, combined_interval
from tsgkit.scoring.intervals import interval
from tsgkit.scoring.pooling import Outcome, Pooled, Pooling, Tally, pool
from tsgkit.suites.judgement import Judged
from tsgkit.suites.metrics import PROFILES, Metric

NO_SUCH_METRIC = "the published code has no such metric"
NEVER_ANSWERED = "never answered: the service failed on every item"


@dataclass(frozen=True)
class Value:
    """A corpus value with its interval (None with too few clusters) and its summed weight."""

    value: float
    low: float | None
    high: float | None
    n: float
    is_share: bool = True
    """True for a fraction of 1, shown in percent; else it is a level or a count."""


@dataclass(frozen=True)
class Board:
    """The values of some samples, their counts, and reasons for missing values."""

    n: int
    profiles: dict[str, dict[str, Value | None] | None]
    counts: dict[str, int]
    reasons: dict[str, str]

    def value(self, metric: str, profile: str = "strict") -> Value | None:
        """Return the value of a metric in a profile; None where it has none."""
        return (self.profiles[profile] or {}).get(metric)

    @property
    def never_answered(self) -> bool:
        """True if every sample ended in an error of the service, be they one or many."""
        return 0 < self.n == self.counts[Outcome.API_ERROR]

    @property
    def without_values(self) -> Board:
        """Its counts alone, as of a row of a run that never answered."""
        nothing = {"strict": dict.fromkeys(self.profiles["strict"] or ()), "official": None}
        return replace(self, profiles=nothing, reasons=dict.fromkeys(PROFILES, NEVER_ANSWERED))

    def with_counts(self, *names: str) -> Board:
        """Return the board with counts of these names, 0 where there was nothing to count."""
        return replace(self, counts=self.counts | {name: self.counts.get(name, 0) for name in names})


@dataclass(frozen=True)
class ScoreReport:
    """A board for all samples, one for each requested group, and the scores behind them."""

    task: str
    """The name of its card: ``tsg/sgqa``."""
    style: str
    seed: int
    metrics: Mapping[str, Metric]
    board: Board
    groups: dict[str, dict[str, Board]]
    judged: tuple[Judged, ...]
    notes: tuple[str, ...] = ()

    @property
    def errors(self) -> Counter[str]:
        """Exceptions of our own or a suite's code, and how many items ended with each."""
        return Counter("; ".join(result.notes) for result in self.judged if result.outcome is Outcome.ERROR)


@dataclass(frozen=True)
class BoardRules:
    """Rules for turning a tally into a board: the wanted metrics, the published ones, and reasons for missing
    values."""

    metrics: Mapping[str, Metric]
    published: Collection[str]
    unpublished: str = ""
    """The reason why official figures do not apply; else empty."""
    without_weight: str = "no item carries weight"
    """The reasons for missing official values of published metrics."""
    own_reasons: Mapping[str, str] = field(default_factory=dict)
    """Additional reasons of a suite if official figures apply."""
    seed: int = 0


def board_of(tally: Tally, rules: BoardRules) -> Board:
    """Return the values of a tally in both profiles."""
    reasons: dict[str, str] = {}
    wanted: dict[str, Mapping[str, Metric]] = {"strict": rules.metrics}
    if not rules.unpublished:
        wanted["official"] = {name: metric for name, metric in rules.metrics.items() if name in rules.published}
    values: dict[str, dict[str, Value | None]] = {profile: {} for profile in wanted}
    for profile, metrics in wanted.items():
        for name, metric in metrics.items():
            value = _value_of(tally, profile, name, metric, rules)
            values[profile][name] = None if isinstance(value, str) else value
            if isinstance(value, str):
                reasons[f"{profile}.{name}"] = value
    profiles: dict[str, dict[str, Value | None] | None] = {"strict": values["strict"], "official": None}
    if rules.unpublished:
        reasons["official"] = rules.unpublished
    else:
        others = {name: None for name in rules.metrics if name not in rules.published}
        reasons |= {f"official.{name}": NO_SUCH_METRIC for name in others}
        profiles["official"] = {**values["official"], **others}
        reasons |= rules.own_reasons
    return Board(tally.n, profiles, tally.counts, reasons)


def _value_of(tally: Tally, profile: str, name: str, metric: Metric, rules: BoardRules) -> Value | str:
    """Return the value of a metric, pooled or made of others, or the reason why there is none."""
    if metric.made_by is None:
        parts = tally.parts(profile, name)
        pooled = pool(parts, metric.pooling)
        value, weight = pooled.value, _weight(pooled)
        if value is None:
            reason = f"no item carries weight: {tally.reasons.get((profile, name), 'it has no score')}"
            return rules.without_weight if profile == "official" else reason
        around = interval(parts, metric.pooling, top=1.0 if metric.is_share else metric.top)
    else:
        columns = [tally.parts(profile, column) for column in metric.made_of]
        value = combine(columns, metric.pooling, metric.made_by)
        if value is None:
            pairs = zip(metric.made_of, columns, strict=True)
            empty = [column for column, parts in pairs if not any(part.weight for part in parts)]
            return f"no item carries weight in {', '.join(empty) or 'what it is made of'}"
        around = combined_interval(columns, metric.pooling, metric.made_by, seed=rules.seed)
        weight = sum(_weight(pool(parts, metric.pooling)) for parts in columns)
    low, high = (around.low, around.high) if around else (None, None)
    return Value(value, low, high, weight, metric.is_share)


def _weight(pooled: Pooled) -> float:
    """Return what a value rests on: the summed weight, or how many items."""
    return pooled.weight if pooled.pooling is Pooling.POOLED else float(pooled.items)


def add_judged(tally: Tally, judged: Iterable[Judged]) -> Tally:
    """Return the tally with these samples."""
    for result in judged:
        tally.add(result.sample.cluster, result.scores, result.counts)
    return tally


def report_value(report: ScoreReport, *, with_samples: bool = False) -> dict[str, object]:
    """Return the JSON value of a report."""
    value: dict[str, object] = {"task": report.task, "style": report.style or None, "seed": report.seed}
    value |= board_value(report.board)
    if report.groups:
        value["by"] = {
            group: {name: board_value(board) for name, board in boards.items()}
            for group, boards in report.groups.items()
        }
    if report.notes:
        value["notes"] = list(report.notes)
    if with_samples:
        value["samples"] = [sample_value(result) for result in report.judged]
    return value


def board_value(board: Board) -> dict[str, object]:
    """Return the JSON value of a board."""
    profiles: dict[str, object] = dict.fromkeys(board.profiles)
    for profile, values in board.profiles.items():
        if values is not None:
            profiles[profile] = {
                name: value and {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
                for name, value in values.items()
            }
    return {"n": board.n, "profiles": profiles, "counts": board.counts, "reasons": board.reasons}


def sample_value(judged: Judged) -> dict[str, Any]:
    """Return the JSON value of one judged sample."""
    return {
        "item_id": judged.sample.item_id,
        "outcome": str(judged.outcome),
        "answer": judged.answer,
        "scores": {
            profile: {name: score.value for name, score in judged.scores[profile].items()}
            if profile in judged.scores
            else None
            for profile in PROFILES
        },
        "notes": list(judged.notes),
        "evidence": judged.evidence,
    }
