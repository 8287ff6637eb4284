"""Facts about a sample that its record and its data give: whether it is right, why not, its key and its usage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsgkit.report.figures import percent
from tsgkit.report.sample_list import in_a_line
from tsgkit.runs.run_setup import Row
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judgement import Sample
from tsgkit.suites.metrics import Metric


def is_wrong(outcome: str, value: float | None, full_marks: float | None) -> bool:
    """Return whether a sample is not fully right: its main value is below full marks, or there is no answer."""
    return outcome != Outcome.ANSWERED or (None not in (value, full_marks) and value != full_marks)


def reason_of(told: Mapping[str, Any], main: str, value: float | None, full_marks: float | None) -> str:
    """Return the reason why a sample is not fully right, in a few words, from its error, outcome and notes."""
    if told["error"]:
        return str(told["error"])
    if told["notes"] and told["outcome"] != Outcome.ANSWERED:
        return "; ".join(told["notes"])
    if value is None or not is_wrong(told["outcome"], value, full_marks):
        return ""
    return "; ".join([f"{main} {percent(value, is_share=full_marks is not None)}", *told["notes"]])


def full_marks(metric: Metric | None) -> float | None:
    """Return the best value of a metric; None for an amount."""
    if metric is None or not metric.is_share:
        return None
    return 1.0 if metric.more_is_better else 0.0


def key_of(row: Row, sample: Sample) -> str:
    """Return the right answer to an item, in words."""
    value = row.task.reference_value(sample)
    return in_a_line(value) if isinstance(value, (str, list)) else row.task.reference(sample)


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
