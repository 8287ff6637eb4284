"""Samples, what was read in their replies, and their scores, in the form that every suite gives to runs and reports.

An exception of our own or a suite's code on one item becomes its counted outcome, with type and place. The exception's
own message is left out unless it was written for users: it may contain anything, including a key.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from traceback import walk_tb
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

from tsgkit.errors import OwnCodeError, TsgkitError
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.reading import Note
from tsgkit.scoring.pooling import Outcome, Score
from tsgkit.suites.metrics import PROFILES

Scores = dict[str, Score]
Read = str | tuple[ActionGraph, ...]
"""The result of a reader: a word or text of its suite, or graphs."""
Spans = tuple[tuple[int, int], ...]
Asked = TypeVar("Asked", bound="Sample")
Said = TypeVar("Said")


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


class QuestionVerdict(NamedTuple):
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


class Reading(NamedTuple):
    """The outcome of an item, and its answer; None where there is none, with the reader's reason if it has one."""

    outcome: Outcome
    answer: Any = None
    reason: str = ""


class Given(NamedTuple):
    """What is known of an answer that is scored, beside the answer."""

    outcome: Outcome
    reason: str = ""
    """The reason why a reply could not be read; else empty."""
    published: str | None = None
    """The text that a published reader sees; None where no official figures apply."""


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


@dataclass(frozen=True)
class TwoReadings:
    """One reply as both profiles read it; None is "nothing"."""

    outcome: Outcome
    strict: Read | None
    unreadable: str
    """The reason why strict read nothing in a reply with text."""
    notes: tuple[Note, ...]
    """Parts that strict repaired, ignored or could not read, line by line."""
    official: Read | None
    not_official: str
    """The reason for a missing official reading."""
    why: tuple[str, ...]
    """The reasons why the readings, or their scores, differ."""
    spans: Spans = ()
    """The positions of the strict answer in the reply; empty if the reader does not give them."""


class ItemError(Exception):
    """An exception as text, which can leave another process without its traceback."""


@dataclass(frozen=True)
class Scored:
    """The scores of a sample, and the exception that prevented them, if any."""

    judged: Judged
    error: str = ""


def error_in_words(error: Exception, *owners: object) -> str:
    """Return an exception's type and the innermost line of tsgkit or of the packages of some objects that it left.

    >>> try:
    ...     int("x")
    ... except ValueError as error:
    ...     error_in_words(error).partition(" at ")[0]
    'ValueError'
    """
    if os.environ.get("TSGKIT_DEBUG"):
        raise error
    if isinstance(error, (ItemError, OwnCodeError)):
        return str(error)
    packages = {"tsgkit", *(getattr(owner, "package", type(owner).__module__.partition(".")[0]) for owner in owners)}
    frames = [(str(frame.f_globals.get("__name__", "")), line) for frame, line in walk_tb(error.__traceback__)]
    ours = [(name, line) for name, line in frames if name.partition(".")[0] in packages]
    line_of_code = f" at {ours[-1][0].replace('.', '/')}.py:{ours[-1][1]}" if ours else ""
    words = f"{type(error).__name__}{line_of_code}"
    return f"{words}: {error}" if isinstance(error, TsgkitError) else words


def scored(judge: Callable[[Asked, Said | None], Judged], sample: Asked, calls: Said | None, *owners: object) -> Scored:
    """Return the scores of a transcript, or the counted error of the scoring code."""
    try:
        return Scored(judge(sample, calls))
    except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
        return failed(judge, sample, error_in_words(error, *owners))


def failed(judge: Callable[[Asked, Said | None], Judged], sample: Asked, error: str) -> Scored:
    """Return the scores of a sample that ended in an error: scored as one without a reply, counted as ``error``."""
    try:
        judged = judge(sample, None)
    except Exception:  # noqa: BLE001 - as above
        judged = Judged(sample, Outcome.ERROR, None, {profile: {} for profile in PROFILES})
    counts = {name: number for name, number in judged.counts.items() if name not in list(Outcome)}
    counts = {"items": 1, **counts, str(Outcome.ERROR): 1}
    judged = replace(judged, outcome=Outcome.ERROR, notes=(error,), counts=counts)
    return Scored(judged, error)
