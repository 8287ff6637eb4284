"""Scores a file of replies against a file of data, in both profiles, and says what lies behind the numbers.

A metric's corpus value carries its 95 % interval, bootstrapped over scenarios with a recorded seed, and ``n``, its
summed weight. What the published code would not have counted, or crashed on, is a count or a reason, never a gap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.scoring.bootstrap import Resampling, intervals
from tsgkit.scoring.pooling import Pooling, Totals, cluster_totals, pool
from tsgkit.scoring.tally import Tally
from tsgkit.suites.tsg.documents import read_file
from tsgkit.suites.tsg.grouping import check_group, groups_of, in_order
from tsgkit.suites.tsg.judging import NO_READER, REASONING_STYLES, Judged, judge, unpublished
from tsgkit.suites.tsg.metrics import METRICS, PUBLISHED, STYLES, Metric
from tsgkit.suites.tsg.replies import read_replies
from tsgkit.suites.tsg.samples import samples_of

PROFILES = ("strict", "official")


@dataclass(frozen=True)
class Value:
    """A corpus value with its interval (None where there are too few scenarios for one) and summed weight."""

    value: float
    low: float | None
    high: float | None
    n: float


@dataclass(frozen=True)
class Board:
    """The values of some samples, what was counted, and why a value is missing."""

    n: int
    profiles: dict[str, dict[str, Value | None] | None]
    counts: dict[str, int]
    reasons: dict[str, str]


@dataclass(frozen=True)
class ScoreReport:
    """A board for all samples, one for each group asked for, and the judgements they are made of."""

    task: str
    style: str
    seed: int
    board: Board
    groups: dict[str, dict[str, Board]]
    judged: tuple[Judged, ...]


def score(
    task: str,
    data: str | Path,
    replies: str | Path,
    *,
    style: str = "zero-shot",
    by: Sequence[str] = (),
    seed: int = 0,
) -> ScoreReport:
    """Score collected replies to a task (``sgqa``, ``ma-sgg``, ``refine`` ...)."""
    task = task.removeprefix("tsg/")
    _check_choice("style", style, STYLES)
    samples = samples_of(read_file(data), task)
    for group in by:
        check_group(group, task)
    if not samples:
        raise UsageError(f"{data}: there are no items in it")
    found = read_replies(replies, [sample.item_id for sample in samples])
    judged = tuple(judge(sample, found.get(sample.item_id), style) for sample in samples)
    groups = {group: _boards_by(group, judged, task, style, seed) for group in by}
    return ScoreReport(task, style, seed, _board(judged, task, style, seed), groups, judged)


def _check_choice(what: str, given: str, choices: Sequence[str]) -> None:
    if given not in choices:
        raise UsageError(f"there is no {what} {given}", hint=f"choose from {', '.join(choices)}")


def tally_for(task: str) -> Tally:
    """An empty tally of a task's metrics in both profiles."""
    return Tally({"strict": list(METRICS[task]), "official": PUBLISHED.get(task, ())})


def board_of(
    tally: Tally,
    task: str,
    seed: int,
    *,
    style: str = "zero-shot",
    unpublished: str = "",
    only: Collection[str] | None = None,
) -> Board:
    """The values of a tally in both profiles; ``unpublished`` says why official figures do not apply.

    ``only`` names the metrics wanted (None: all); intervals take time, and none is made for the others.
    """
    reasons: dict[str, str] = {}
    metrics = {name: metric for name, metric in METRICS[task].items() if only is None or name in only}
    applies = not unpublished and task in PUBLISHED
    shared = {name: metric for name, metric in metrics.items() if applies and name in PUBLISHED[task]}
    values = _values(tally, {"strict": metrics, "official": shared}, seed, reasons)
    profiles: dict[str, dict[str, Value | None] | None] = {"strict": values["strict"], "official": None}
    if not applies:
        reasons["official"] = NO_READER if task not in PUBLISHED else unpublished
    else:
        published = values["official"]
        others = {name: None for name in metrics if name not in published}
        reasons |= {f"official.{name}": "the published code has no such metric" for name in others}
        profiles["official"] = {**published, **others}
        if style in REASONING_STYLES:
            reasons["official.view"] = (
                f"style {style}: the published reader is shown what follows the last answer label"
            )
    return Board(tally.n, profiles, tally.counts, reasons)


def _values(
    tally: Tally, metrics: Mapping[str, Mapping[str, Metric]], seed: int, reasons: dict[str, str]
) -> dict[str, dict[str, Value | None]]:
    """The values of metrics by profile; the intervals of all are made together, since most draw the same clusters."""
    values: dict[str, dict[str, Value | None]] = {profile: {} for profile in metrics}
    wanted: list[tuple[str, str, float, float]] = []
    clusters: list[dict[str, Totals]] = []
    for profile, name, metric in ((one, *item) for one in metrics for item in metrics[one].items()):
        parts = tally.parts(profile, name)
        pooled = pool(parts, metric.pooling)
        values[profile][name] = None
        if pooled.value is None:
            reasons[f"{profile}.{name}"] = _why_none(profile, tally.reasons.get((profile, name), "it has no score"))
            continue
        n = pooled.weight if metric.pooling is Pooling.POOLED else float(pooled.items)
        wanted.append((profile, name, pooled.value, n))
        clusters.append(cluster_totals(parts, metric.pooling))
    for (profile, name, value, n), around in zip(wanted, intervals(clusters, Resampling(seed)), strict=True):
        low, high = (around.low, around.high) if around else (None, None)
        values[profile][name] = Value(value, low, high, n)
    return values


def _why_none(profile: str, reason: str) -> str:
    if profile == "official":
        return "no graph was found in any reply: the published code divides by zero here"
    return f"no item carries weight: {reason}"


def _tallied(judged: Iterable[Judged], task: str) -> Tally:
    tally = tally_for(task)
    for one in judged:
        tally.add(one.sample.cluster, one.scores, one.counts)
    return tally


def _boards_by(group: str, judged: Sequence[Judged], task: str, style: str, seed: int) -> dict[str, Board]:
    members: dict[str, list[Judged]] = {}
    for one in judged:
        for name in groups_of(one.sample, group):
            members.setdefault(name, []).append(one)
    return {name: _board(members[name], task, style, seed) for name in in_order(members, group)}


def _board(judged: Iterable[Judged], task: str, style: str, seed: int) -> Board:
    return board_of(_tallied(judged, task), task, seed, style=style, unpublished=unpublished(style))


def report_value(report: ScoreReport, *, with_samples: bool = False) -> dict[str, object]:
    """The JSON value of a report."""
    value: dict[str, object] = {"task": f"tsg/{report.task}", "style": report.style, "seed": report.seed}
    value |= board_value(report.board)
    if report.groups:
        value["by"] = {
            group: {name: board_value(board) for name, board in boards.items()}
            for group, boards in report.groups.items()
        }
    if with_samples:
        value["samples"] = [sample_value(one) for one in report.judged]
    return value


def board_value(board: Board) -> dict[str, object]:
    """The JSON value of a board."""
    profiles = {
        profile: None if values is None else {name: _value(value) for name, value in values.items()}
        for profile, values in board.profiles.items()
    }
    return {"n": board.n, "profiles": profiles, "counts": board.counts, "reasons": board.reasons}


def _value(value: Value | None) -> dict[str, float | None] | None:
    return None if value is None else {"value": value.value, "low": value.low, "high": value.high, "n": value.n}


def sample_value(judged: Judged) -> dict[str, Any]:
    """The JSON value of one judged sample."""
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
