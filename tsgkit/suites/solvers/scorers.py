"""Scorers of transcripts by what stands in them: one reply, several draws, or the work of several steps.

Solvers and recorded runs share these, so that a run is always scored in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Generic

from tsgkit.llm.reply import Ending
from tsgkit.llm.reply import Reply as ModelReply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judgement import Judged
from tsgkit.suites.replies import read_as
from tsgkit.suites.solvers.protocols import Answer, Answerable, AsAsked, Item, Reading, Votable
from tsgkit.suites.solvers.solver import SINGLE
from tsgkit.suites.transcript import LOCAL, Transcript

NOTES = "notes"
"""The label of what a solver says of its own work, beside the answer."""


@dataclass(frozen=True)
class OneReply(Generic[Item, Answer]):
    """Scores the one reply of a transcript."""

    task: Answerable[Item, Answer]
    style: str
    name: str = SINGLE

    @property
    def unpublished(self) -> str:
        """The reason why official figures do not apply; else empty."""
        return self.task.unpublished(self.style, self.name)

    def judge(self, item: Item, transcript: Transcript | None) -> Judged:
        """Score the reply in both profiles."""
        said = () if transcript is None else transcript.replies
        reply = read_as(said[0]) if said else None
        return self.task.score(item, self.task.read(item, reply), AsAsked(reply, self.style))

    def unfinished(self, transcript: Transcript) -> str:
        """Return that the call is not recorded."""
        return calls_lacking(transcript, 1)


@dataclass(frozen=True)
class Draws(Generic[Item, Answer]):
    """The scorer of an answer that combines several draws; the published way has no such answer."""

    task: Votable[Item, Answer]
    style: str
    name: str
    calls: int

    @property
    def unpublished(self) -> str:
        """The reason why the published way does not vote."""
        return self.task.unpublished(self.style, self.name)

    def judge(self, item: Item, transcript: Transcript | None) -> Judged:
        """Score the answer of the majority."""
        replies = () if transcript is None else transcript.replies
        readings = [self.task.read(item, read_as(reply)) for reply in replies]
        return self.task.score(item, combined(self.task, item, readings), None)

    def unfinished(self, transcript: Transcript) -> str:
        """Return how many draws are recorded where some are not."""
        return calls_lacking(transcript, self.calls)


@dataclass(frozen=True)
class Work(Generic[Item, Answer]):
    """Scores what a solver of several steps came to: its ``local`` answer, else what was said last.

    Its ``notes`` are kept with the scores. There is no published reader of such answers.
    """

    task: Answerable[Item, Answer]
    style: str
    name: str

    @property
    def unpublished(self) -> str:
        """The reason why the published way does not work in steps."""
        return self.task.unpublished(self.style, self.name)

    def judge(self, item: Item, transcript: Transcript | None) -> Judged:
        """Score the answer, and keep the notes."""
        said = {} if transcript is None else {one.label: one.reply for one in transcript.said}
        answer = said.get(LOCAL) or (transcript.replies[-1] if said and transcript is not None else None)
        reading = self.task.read(item, None if answer is None else read_as(answer))
        judged = self.task.score(item, reading, None)
        notes = tuple((said[NOTES].text or "").splitlines()) if NOTES in said else ()
        return replace(judged, notes=(*judged.notes, *notes))

    def unfinished(self, transcript: Transcript) -> str:
        """Return that it had not come to its end: it left no answer, and no call failed."""
        said = transcript.said
        if any(one.label == LOCAL for one in said) or (said and failed(said[-1].reply)):
            return ""
        return f"{len(said)} calls are recorded, and {self.name} had not come to its end"


def combined(task: Votable[Item, Answer], item: Item, readings: Sequence[Reading[Answer]]) -> Reading[Answer]:
    """Return what the readings of several draws come to.

    Only readable draws vote. One that ended in an error of the service leaves the result open; without readable draws
    the first one's outcome counts.
    """
    broken = next((one for one in readings if one.outcome is Outcome.API_ERROR), None)
    if broken is not None or not readings:
        return broken or task.read(item, None)
    answers = [one.answer for one in readings if one.outcome is Outcome.ANSWERED]
    return task.vote(item, answers) if answers else readings[0]


def failed(reply: ModelReply) -> bool:
    """Return whether a call brought nothing that could be gone on with."""
    return reply.ending is not Ending.COMPLETE or not (reply.text or "").strip()


def calls_lacking(transcript: Transcript, calls: int) -> str:
    """Return how many of so many calls are recorded; empty where all are."""
    made = len(transcript.said)
    return f"{made} of {calls} calls are recorded" if made < calls else ""
