"""Facts about a sample that its record and its data give: whether it is right, why not, its key and its usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tsgkit.report.figures import percent
from tsgkit.report.sample_list import in_a_line
from tsgkit.runs.run_setup import Row
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judgement import Sample
from tsgkit.suites.metrics import Metric

MOST = 3
"""The number of faults that a reason names."""


def is_wrong(outcome: str, value: float | None, full_marks: float | None) -> bool:
    """Return whether a sample is not fully right: its main value is below full marks, or there is no answer."""
    return outcome != Outcome.ANSWERED or (None not in (value, full_marks) and value != full_marks)


def reason_of(
    told: Mapping[str, Any], faults: Sequence[str], main: str, value: float | None, full_marks: float | None
) -> str:
    """Return the reason why a sample is not fully right, in a few words: its error, its notes, the first of its faults,
    or else the value of its main metric.

    >>> told = {"error": None, "outcome": "answered", "notes": []}
    >>> reason_of(told, ["missing wash -> with -> hand1", *["extra wash -> in -> sink"] * 4], "f1", 0.5, 1.0)
    'missing wash -> with -> hand1; extra wash -> in -> sink; extra wash -> in -> sink; and 2 more'
    >>> reason_of(told, [], "f1", 0.5, 1.0)
    'f1 50.0'
    """
    if told["error"]:
        return str(told["error"])
    if told["notes"] and told["outcome"] != Outcome.ANSWERED:
        return "; ".join(told["notes"])
    if value is None or not is_wrong(told["outcome"], value, full_marks):
        return ""
    more = [f"and {len(faults) - MOST} more"] if len(faults) > MOST else []
    shown = [*faults[:MOST], *more] or [f"{main} {percent(value, is_share=full_marks is not None)}"]
    return "; ".join([*shown, *told["notes"]])


def full_marks(metric: Metric | None) -> float | None:
    """Return the best value of a metric; None for an amount."""
    if metric is None or not metric.is_share:
        return None
    return 1.0 if metric.more_is_better else 0.0


def key_of(row: Row, sample: Sample) -> str:
    """Return the right answer to an item, in words."""
    value = row.task.view.value_of(sample)
    return in_a_line(value) if isinstance(value, (str, list)) else row.task.view.reference(sample)


def known_usage(usage: Mapping[str, float], name: str) -> float | None:
    """Return the usage of a sample; None unless every call reports it.

    >>> known_usage({"prompt": 120, "untold": 0}, "prompt"), known_usage({"prompt": 120, "untold": 1}, "prompt")
    (120, None)
    """
    lacking = {
        **dict.fromkeys(("prompt", "completion", "reasoning", "cached"), "untold"),
        "cost": "unpriced",
    }.get(name, "")
    return None if usage.get(lacking) else usage.get(name)
