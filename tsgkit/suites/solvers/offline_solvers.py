"""Solvers that ask no model: baselines, which are programs, and recorded transcripts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Generic, Protocol

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.reply import Ask
from tsgkit.suites.judgement import Judged
from tsgkit.suites.solvers.protocols import Item, ItemIn
from tsgkit.suites.solvers.solver import BASELINE, Expected, Scorer
from tsgkit.suites.transcript import Transcript, local

PREFIX = f"{BASELINE}/"
"""The beginning of a baseline's name as a subject: ``baseline/rules``."""


class Program(Protocol[ItemIn]):
    """A program that answers items."""

    @property
    def fingerprint(self) -> str:
        """All that its answers depend on, beside the item and its dataset."""

    def answer(self, item: ItemIn) -> str | Transcript:
        """Return its answer in the form requested of models, or a transcript for several calls."""


@dataclass(frozen=True)
class _OfflineSolver:
    """A scorer of transcripts that expects no calls."""

    scorer: Scorer

    @property
    def unpublished(self) -> str:
        """The reason why official figures do not apply; else empty."""
        return self.scorer.unpublished

    def judge(self, item: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401  (its suite's item)
        """Score a transcript."""
        return self.scorer.judge(item, transcript)

    def expected(self, item: Any) -> Expected:  # noqa: ANN401
        """Return no calls."""
        return Expected()

    def unfinished(self, transcript: Transcript) -> str:
        """Return what a transcript lacks."""
        return self.scorer.unfinished(transcript)


@dataclass(frozen=True)
class Baseline(_OfflineSolver, Generic[Item]):
    """A built-in program that sees the item; it has no style."""

    program: Program[Item]
    name: str = BASELINE
    style: str = ""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the program."""
        return self.program.fingerprint

    async def solve(self, item: Item, ask: Ask | None) -> Transcript:
        """Run the program."""
        said = self.program.answer(item)
        return local(said) if isinstance(said, str) else said


@dataclass(frozen=True)
class Recorded(_OfflineSolver):
    """A solver of which only transcripts are left: it scores them, and cannot ask."""

    name: str
    style: str = ""
    fingerprint: str = ""

    async def solve(self, item: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401  (its suite's item)
        """Raise an error: only recorded transcripts can be scored."""
        raise UsageError(f"{self.name}: a recorded run can only be scored", hint="tsgkit eval resumes it")


def baseline_name(subject: str, known: Collection[str]) -> str:
    """Return which of the known baselines a subject names; ``UsageError`` where it is none of them.

    >>> baseline_name("baseline/rules", ["random", "rules"])
    'rules'
    """
    name = subject.removeprefix(PREFIX)
    if name not in known:
        raise UsageError(f"there is no {subject}", hint=meant(subject, [PREFIX + one for one in known]))
    return name
