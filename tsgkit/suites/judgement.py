"""Samples and their scores, in the form that every suite gives to runs and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import Score

Scores = dict[str, Score]


class Sample(Protocol):
    """One thing asked; further content belongs to its suite."""

    @property
    def item_id(self) -> str:
        """Its id in the data."""

    @property
    def cluster(self) -> str:
        """The name of its cluster; samples of one cluster are not independent."""

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The groups that the data name for it."""


class Verdict(NamedTuple):
    """The verdict of a record on one question of a sample, comparable with people's ratings.

    ``label`` is the answer (None: none was read), ``rounds`` those of each round if there were several.
    """

    question: str
    """Its number within the sample, from 0; empty where a sample is one question."""
    right: bool
    label: str | None = None
    key: str | None = None
    kind: str = ""
    rounds: tuple[str | None, ...] = ()
    text: str = ""
    """The question in words; empty where a sample is one question."""


class PartOfSample(NamedTuple):
    """The part of a sample that counts for a member of a partial group, such as the clauses of one predicate."""

    scores: dict[str, Scores]
    counts: dict[str, int]


class AnswerScores(NamedTuple):
    """The scores of an answer in both profiles, with notes and evidence."""

    strict: Scores
    official: Scores | None = None
    answer: Any = None
    """The answer as JSON has it."""
    evidence: Any = None
    counts: Mapping[str, int] = MappingProxyType({})
    notes: tuple[str, ...] = ()

    def judged(self, sample: Sample, outcome: Outcome) -> Judged:
        """Return the judgement on a sample that came to this outcome."""
        return Judged(
            sample=sample,
            outcome=outcome,
            answer=self.answer,
            scores={"strict": self.strict} | ({} if self.official is None else {"official": self.official}),
            notes=self.notes,
            evidence=self.evidence,
            counts={"items": 1, outcome: 1, **self.counts},
        )


@dataclass(frozen=True)
class Judged:
    """A sample with the scores of its reply."""

    sample: Sample
    outcome: Outcome
    answer: Any
    scores: dict[str, Scores]
    notes: tuple[str, ...] = ()
    evidence: Any = None
    counts: dict[str, int] = field(default_factory=dict)
