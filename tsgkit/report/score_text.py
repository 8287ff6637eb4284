"""Scores of replies collected elsewhere, as lines of text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tsgkit.report.plain_text import count, inert
from tsgkit.report.terminal import aligned
from tsgkit.suites.metrics import PROFILES, Metric
from tsgkit.suites.scoreboard import NO_SUCH_METRIC, Board, ScoreReport, Value, sample_value


def score_lines(report: ScoreReport, data: str, *, samples: bool = False) -> Iterator[str]:
    """Yield the figures of both profiles, in all and by groups."""
    items = count(report.board.n, "item")
    style = f", asked for in style {report.style}" if report.style else ""
    yield f"{report.task}: {items} of {inert(data)}{style}"
    for note in report.notes:
        yield f"note: {inert(note)}"
    yield from _board(report.board, report.metrics)
    for group, boards in report.groups.items():
        for name, board in boards.items():
            yield f"\n{group} {inert(name)}: {count(board.n, 'item')}"
            yield from _board(board, report.metrics, headline_only=True)
    if samples:
        for judged in report.judged:
            yield inert(json.dumps(sample_value(judged), ensure_ascii=False))


def _board(board: Board, metrics: Mapping[str, Metric], *, headline_only: bool = False) -> Iterator[str]:
    of_strict = board.profiles["strict"] or {}
    headlines = [name for name, metric in metrics.items() if metric.is_headline and name in of_strict]
    rows = [("", "strict", "official", "official - strict")]
    for name in (headlines or of_strict) if headline_only else metrics:
        scale = 100 if metrics[name].is_share else 1
        strict, official = ((board.profiles[profile] or {}).get(name) for profile in PROFILES)
        difference = "" if strict is None or official is None else f"{scale * (official.value - strict.value):+.1f}"
        rows.append((name, _shown(strict, scale), _shown(official, scale), difference))
    yield from aligned(rows, 1)
    counts = [f"{number} {name}" for name, number in board.counts.items() if number and name != "items"]
    yield f"  counts: {', '.join(counts)}"
    derived = {name for name, metric in metrics.items() if metric.made_by is not None} if headline_only else ()
    for what, reason in board.reasons.items():
        if reason != NO_SUCH_METRIC and what.partition(".")[2] not in derived:
            yield f"  {what}: {reason}"


def _shown(value: Value | None, scale: int) -> str:
    if value is None:
        return ""
    around = "" if value.low is None or value.high is None else f" [{scale * value.low:.1f}, {scale * value.high:.1f}]"
    return f"{scale * value.value:.1f}{around}"
