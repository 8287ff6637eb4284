"""Facts about a sample that its record and its data give: whether it is right, why not, its key and its usage.

>>> faults = ("missing wash -> with -> hand1", *["extra wash -> in -> sink"] * 4)
>>> facts = SampleFacts("answered", "f1", 0.5, 1.0, faults)
>>> facts.reason
'missing wash -> with -> hand1; extra wash -> in -> sink; extra wash -> in -> sink; and 2 more'
>>> facts._replace(faults=()).reason, facts._replace(value=1.0).reason
('f1 50.0', '')

A sample of several questions, such as a room and its demands, is right if all of them are:

>>> met, unmet = QuestionVerdict("0", right=True, label="met"), QuestionVerdict("1", right=False, label="unmet")
>>> room = SampleFacts("answered", "oar", 1.0, 1.0, verdicts=(*[met] * 6, unmet))
>>> room.is_wrong, room.reason
(True, '1 of 7 failed')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tsgkit.report.figures import percent
from tsgkit.report.report_rows import comparison_metric
from tsgkit.report.sample_list import in_a_line
from tsgkit.runs.run_setup import PlannedRow
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judgement import QuestionVerdict, Sample
from tsgkit.suites.task import right_in_full

MOST = 3
"""The number of faults that a reason names."""


class SampleFacts(NamedTuple):
    """The parts of a record that say whether a sample is right."""

    outcome: str
    metric: str
    """The metric that its row is known by."""
    value: float | None
    """The strict value of that metric."""
    full_marks: float | None
    """The best value of that metric; None for an amount."""
    faults: tuple[str, ...] = ()
    """The missing, extra and wrong parts of its answer, as its task names them."""
    verdicts: tuple[QuestionVerdict, ...] = ()
    """The verdicts on its questions, where it has several."""
    notes: tuple[str, ...] = ()
    error: str | None = None

    @property
    def is_wrong(self) -> bool:
        """True if it is not fully right: a verdict failed, its value is below full marks, or it has no answer."""
        is_below = None not in (self.value, self.full_marks) and self.value != self.full_marks
        return self.outcome != Outcome.ANSWERED or is_below or not all(one.right for one in self.verdicts)

    @property
    def reason(self) -> str:
        """The reason why it is not fully right, in a few words: its error, its notes, its failed verdicts and the first
        of its faults, or else its value; empty if it is right."""
        if self.error:
            return self.error
        if self.notes and self.outcome != Outcome.ANSWERED:
            return "; ".join(self.notes)
        failed = failures(self.verdicts)
        if not self.is_wrong or (self.value is None and not failed):
            return ""
        more = f"and {len(self.faults) - MOST} more" if len(self.faults) > MOST else ""
        faults = [part for part in (failed, *self.faults[:MOST], more) if part]
        value = f"{self.metric} {percent(self.value, is_share=self.full_marks is not None)}"
        return "; ".join([*(faults or [value]), *self.notes])


def failures(verdicts: Sequence[QuestionVerdict]) -> str:
    """Return how many of several verdicts failed, or could not be given; empty if all are right.

    >>> right, wrong = QuestionVerdict("0", True, "met"), QuestionVerdict("1", False, "unmet")
    >>> unknown = QuestionVerdict("2", False)
    >>> failures([right, wrong, unknown]), failures([right, unknown]), failures([wrong])
    ('1 of 3 failed, 1 undecided', '1 of 2 undecided', '')
    """
    failed = sum(not one.right and one.label is not None for one in verdicts)
    undecided = sum(not one.right and one.label is None for one in verdicts)
    if len(verdicts) < 2 or not failed + undecided:
        return ""
    if not failed:
        return f"{undecided} of {len(verdicts)} undecided"
    return f"{failed} of {len(verdicts)} failed" + (f", {undecided} undecided" if undecided else "")


def facts_of(row: PlannedRow, record: Mapping[str, Any], sample: Callable[[], Sample]) -> SampleFacts:
    """Return the facts of a record; ``sample`` is called only if the task has several questions a sample."""
    name, view = comparison_metric(row.task.card.metrics), row.task.view
    metric = row.task.metrics.get(name)
    marks = None if metric is None or not metric.is_share else float(metric.more_is_better)
    total, weight = record["parts"].get("strict", {}).get(name, (0.0, 0.0))
    has_questions = view.verdicts is not right_in_full
    return SampleFacts(
        outcome=record["outcome"],
        metric=name,
        value=total / weight if weight else None,
        full_marks=marks,
        faults=view.faults_of(record),
        verdicts=tuple(view.verdicts(record, sample(), name)) if has_questions else (),
        notes=tuple(record["notes"]),
        error=record["error"],
    )


def key_of(row: PlannedRow, sample: Sample) -> str:
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
