"""Answers of this suite as solvers take them: read strictly, scored in both profiles, put to a vote by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tsgkit.suites.judged import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.answerable import AsAsked, Reading
from tsgkit.suites.tsg.judging import Found, judgement, official_text, read_reply, unpublished
from tsgkit.suites.tsg.samples import AnySample
from tsgkit.suites.tsg.showing import shown_answer
from tsgkit.suites.tsg.voting import voted


@dataclass(frozen=True)
class TsgAnswers:
    """The answers to one task, which are words, letters, lists of names, or graphs."""

    kind: str

    @property
    def name(self) -> str:
        """The task as cards declare it."""
        return f"tsg/{self.kind}"

    def read(self, item: AnySample, reply: Reply | None) -> Reading[Found]:
        """Read strictly."""
        return read_reply(item, reply)

    def score(self, item: AnySample, reading: Reading[Found], asked: AsAsked | None) -> Judged:
        """Score strictly, and as published where a published reader knows the task and the style."""
        shown = None if asked is None else official_text(item, asked.reply, asked.style)
        return judgement(item, reading, shown)

    def length(self, item: AnySample) -> tuple[int, int]:
        """Return the length of the right answer."""
        said = len(shown_answer(item))
        return said, said

    def unpublished(self, style: str, solver: str) -> str:
        """Return why there are no official figures."""
        return unpublished(style, solver)

    def vote(self, item: AnySample, answers: Sequence[Found]) -> Reading[Found]:
        """Vote on words and letters by plurality, on triplets by majority; of lists take the central one."""
        return voted(answers)
