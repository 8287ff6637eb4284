"""Reading and scoring of what models say in words: one reply, several draws, or the work of several steps.

Solvers and recorded runs share these scorers, so that a run is always scored in the same way. A task puts answers to a
vote by one of two rules; a tie goes to the answer that was drawn first.

>>> plurality(["cup", "lid", "cup"]), plurality(["lid", "cup"])
('cup', 'lid')
>>> majority([["cup", "lid"], ["Cup"], ["lid", "CUP", "jar"]], key=str.lower)
['cup', 'lid']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from tsgkit.llm.reply import Ending, Reply
from tsgkit.replies import Unreadable
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judgement import Given, Judged, Reading, Sample, TwoReadings
from tsgkit.suites.replies import CollectedReply, read_as
from tsgkit.suites.solvers.solver import SINGLE
from tsgkit.suites.task import Task
from tsgkit.suites.transcript import LOCAL, Transcript

Value = TypeVar("Value")
NOTES = "notes"
"""The label of what a solver says of its own work, beside the answer."""


def read_reply(task: Task, item: Sample, reply: CollectedReply | None) -> Reading:
    """Return the outcome of a reply (None: missing), and the answer or the reason why there is none."""
    if reply is None:
        return Reading(Outcome.MISSING)
    if reply.outcome is not None:
        return Reading(reply.outcome)
    if reply.is_empty:
        return Reading(Outcome.EMPTY)
    assert task.read is not None  # noqa: S101  (only such tasks are asked in words)
    return reading_of(task.read(reply.text or "", item))


def reading_of(answer: Any) -> Reading:  # noqa: ANN401  (of its task)
    """Return the reading of an answer, or of the reason why there is none."""
    if isinstance(answer, Unreadable):
        return Reading(Outcome.UNREADABLE, None, answer.reason)
    return Reading(Outcome.ANSWERED, answer)


def judge_reading(task: Task, item: Sample, reading: Reading, published: str | None = None) -> Judged:
    """Return the scores of an answer; ``published`` is the text that a published reader sees, None for none."""
    assert task.score is not None  # noqa: S101  (as above)
    scored = task.score(item, reading.answer, Given(reading.outcome, reading.reason, published))
    notes = (reading.reason, *scored.notes) if reading.reason else scored.notes
    return scored._replace(notes=notes).judged(item, reading.outcome)


def judge_reply(task: Task, item: Sample, reply: CollectedReply | None, style: str) -> Judged:
    """Return the scores of the one reply to a prompt in a style, in both profiles."""
    official = task.official
    published = None if official.unpublished(style, SINGLE) else official.text_of(reply, style)
    return judge_reading(task, item, read_reply(task, item, reply), published)


def read_twice(task: Task, item: Sample, reply: CollectedReply | None, style: str, solver: str = SINGLE) -> TwoReadings:
    """Return what both profiles read in a reply that was asked for in a style, and why they differ."""
    outcome, answer, reason = read_reply(task, item, reply)
    view, official, is_answer = task.view, task.official, outcome is Outcome.ANSWERED
    mine = view.told(answer) if is_answer else None
    notes = tuple(view.noted(answer)) if is_answer else ()
    spans = view.spans(item, (reply.text if reply is not None else None) or "") if is_answer else ()
    if why := official.unpublished(style, solver):
        return TwoReadings(outcome, mine, reason, notes, None, why, (), spans)
    text = official.text_of(reply, style)
    theirs = official.read(text)
    differences = tuple(official.differences(item, outcome, mine, theirs, text))
    return TwoReadings(outcome, mine, reason, notes, theirs, "", differences, spans)


@dataclass(frozen=True)
class _Scorer:
    """A scorer of transcripts of a task that is asked in words."""

    task: Task
    style: str
    name: str = SINGLE

    @property
    def unpublished(self) -> str:
        """The reason why official figures do not apply; else empty."""
        return self.task.official.unpublished(self.style, self.name)


@dataclass(frozen=True)
class Draws(_Scorer):
    """Scores the one reply to a prompt, or what several draws combine to; the published way has no such answer."""

    calls: int = 1

    def judge(self, item: Sample, transcript: Transcript | None) -> Judged:
        """Score the reply in both profiles, or the answer of the majority."""
        replies = [] if transcript is None else [read_as(reply) for reply in transcript.replies]
        if self.calls == 1:
            return judge_reply(self.task, item, replies[0] if replies else None, self.style)
        readings = [read_reply(self.task, item, reply) for reply in replies]
        return judge_reading(self.task, item, combined(self.task, item, readings))

    def unfinished(self, transcript: Transcript) -> str:
        """Return how many draws are recorded where some are not."""
        count = len(transcript.said)
        return f"{count} of {self.calls} calls are recorded" if count < self.calls else ""


@dataclass(frozen=True)
class SolverWork(_Scorer):
    """Scores what a solver of several steps came to: its ``local`` answer, else what was said last.

    Its ``notes`` are kept with the scores. There is no published reader of such answers.
    """

    def judge(self, item: Sample, transcript: Transcript | None) -> Judged:
        """Score the answer, and keep the notes."""
        replies = {} if transcript is None else {call.label: call.reply for call in transcript.said}
        answer = replies.get(LOCAL) or (transcript.replies[-1] if replies and transcript is not None else None)
        reading = read_reply(self.task, item, None if answer is None else read_as(answer))
        judged = judge_reading(self.task, item, reading)
        notes = tuple((replies[NOTES].text or "").splitlines()) if NOTES in replies else ()
        return replace(judged, notes=(*judged.notes, *notes))

    def unfinished(self, transcript: Transcript) -> str:
        """Return that it had not come to its end: it left no answer, and no call failed."""
        calls = transcript.said
        if any(call.label == LOCAL for call in calls) or (calls and failed(calls[-1].reply)):
            return ""
        return f"{len(calls)} calls are recorded, and {self.name} had not come to its end"


def combined(task: Task, item: Sample, readings: Sequence[Reading]) -> Reading:
    """Return what the readings of several draws come to.

    Only readable draws vote. One that ended in an error of the service leaves the result open; without readable draws
    the first one's outcome counts.
    """
    broken = next((reading for reading in readings if reading.outcome is Outcome.API_ERROR), None)
    if broken is not None or not readings:
        return broken or read_reply(task, item, None)
    answers = [reading.answer for reading in readings if reading.outcome is Outcome.ANSWERED]
    if not answers:
        return readings[0]
    assert task.vote is not None  # noqa: S101  (the factory of votes looked)
    return reading_of(task.vote(answers))


def failed(reply: Reply) -> bool:
    """Return whether a call brought nothing that could be gone on with."""
    return reply.ending is not Ending.COMPLETE or not (reply.text or "").strip()


def plurality(answers: Sequence[Value]) -> Value:
    """Return the answer that is given most often, of equals the first."""
    return max(answers, key=answers.count)


def majority(draws: Sequence[Iterable[Value]], key: Callable[[Value], Hashable]) -> list[Value]:
    """Return the parts that more than half of the draws have, as first written and in that order.

    Parts with the same key are equal; a draw with a part twice has one vote for it.
    """
    first: dict[Hashable, Value] = {}
    votes = Counter[Hashable]()
    for draw in draws:
        keyed = [(key(part), part) for part in draw]
        votes.update({known for known, _ in keyed})
        for known, part in keyed:
            first.setdefault(known, part)
    return [part for known, part in first.items() if votes[known] * 2 > len(draws)]
