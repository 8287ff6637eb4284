"""How a sample is brought to an answer, as runs see it: a solver turns samples into transcripts, and judges those."""

from __future__ import annotations

from typing import Any, Protocol

from tsgkit.suites.judged import Judged
from tsgkit.suites.transcript import Ask, Transcript


class Solver(Protocol):
    """One way of answering samples."""

    @property
    def name(self) -> str:
        """Its name on the command line."""

    @property
    def style(self) -> str:
        """The style of its prompts; empty where it has none."""

    @property
    def calls(self) -> int:
        """How many calls a sample takes at most."""

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
