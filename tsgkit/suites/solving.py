"""How a sample is brought to an answer, as runs see it: a solver turns samples into transcripts, and judges those."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

from tsgkit.suites.judged import Judged
from tsgkit.suites.transcript import Ask, Transcript


class Expected(NamedTuple):
    """What a solver would ask about a sample, at least and at most: calls, characters sent, characters said."""

    calls: tuple[int, int] = (0, 0)
    sent: tuple[int, int] = (0, 0)
    said: tuple[int, int] = (0, 0)
    reasons: bool = False
    """Whether each call reasons before it answers."""


class Solver(Protocol):
    """One way of answering samples."""

    @property
    def name(self) -> str:
        """Its name on the command line."""

    @property
    def style(self) -> str:
        """The style of its prompts; empty where it has none."""

    @property
    def fingerprint(self) -> str:
        """A hash of all that it adds to an answer."""

    @property
    def unpublished(self) -> str:
        """Why official figures do not apply; empty where they do."""

    async def solve(self, sample: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401  (its suite's sample)
        """All that is said about a sample."""

    def judge(self, sample: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401
        """The judgement on a transcript (None: there is none)."""

    def expected(self, sample: Any) -> Expected:  # noqa: ANN401
        """What it would ask about a sample."""

    def unfinished(self, transcript: Transcript) -> str:
        """What a transcript of it lacks; empty where it had come to its end."""


@runtime_checkable
class HasWarnings(Protocol):
    """A solver that has something to tell before anybody is asked."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """All of it, a sentence each."""
