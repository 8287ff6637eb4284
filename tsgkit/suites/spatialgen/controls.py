"""What stands beside every score: the same questions answered by programs that look at nothing.

>>> from tsgkit.suites.spatialgen.rows import question_from, row_of
>>> from tsgkit.suites.spatialgen.domains import SUB_DOMAINS
>>> text = "Where?  Options: A: up, B: down, C: left, D: right, E: None"
>>> row = row_of("000001", "Forest", "", [question_from(text, "B", name) for name in SUB_DOMAINS])
>>> found = {one.name: dict(one.values) for one in controls([SpatialSample(row)], [row], 0)}
>>> found["baseline/constant:B"], found["baseline/constant:E"]
({'accuracy': 1.0, 'single_round': 1.0}, {'accuracy': 0.0, 'single_round': 0.0})

Whoever votes is held against what voting leaves of guessing, whoever does not against guessing itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from tsgkit.suites.solvers.unasked import PREFIX
from tsgkit.suites.spatialgen.baselines import NAMES
from tsgkit.suites.spatialgen.guessing import Guessing, guessing
from tsgkit.suites.spatialgen.metrics import ACCURACY, SINGLE
from tsgkit.suites.spatialgen.rows import Row
from tsgkit.suites.spatialgen.samples import SpatialSample
from tsgkit.suites.spatialgen.voting import Ballot, accuracy, single_round_accuracy
from tsgkit.suites.task import Control


def controls(samples: Sequence[SpatialSample], rows: Sequence[Row], seed: int) -> tuple[Control, ...]:
    """All baselines on these samples, voted and unvoted; ``rows`` is what keys are counted in.

    Every sub-domain has as many questions as any other, so the share of all questions is the mean of the sub-domains.
    """
    return tuple(_control(guessing(PREFIX + name, rows, seed), samples) for name in NAMES)


def _control(subject: Guessing, samples: Sequence[SpatialSample]) -> Control:
    ballots = [ballot for sample in samples for ballot in _ballots(subject, sample)]
    values = {ACCURACY: accuracy(ballots), SINGLE: single_round_accuracy(ballots)}
    return Control(subject.subject, len(ballots), {name: value for name, value in values.items() if value is not None})


def _ballots(subject: Guessing, sample: SpatialSample) -> list[Ballot]:
    """What would be read of its transcript."""
    said = {answer: answer(sample.row) for answer in dict.fromkeys(subject.answerers)}
    turns = [said[answer] for answer in subject.answerers]
    return [
        Ballot(question.key, tuple(turn[number] if turn[number] in question.options else None for turn in turns))
        for number, question in enumerate(sample.questions)
    ]
