"""Solvers that compute in other processes, which die of some samples when they answer or score them."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from typing import Any

from tsgkit.llm.reply import Ask
from tsgkit.suites.judgement import Judged
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.transcript import Transcript, local


@dataclass(frozen=True)
class Dying:
    """Says which process worked on a sample; dies of samples called so, or never ends."""

    name: str = "dying"
    style: str = ""
    fingerprint: str = ""
    unpublished: str = ""

    async def solve(self, sample: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401
        if sample == "deadly":
            os._exit(9)
        if sample == "endless":
            threading.Event().wait()
        return local(f"{sample} {os.getpid()}")

    def judge(self, sample: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401
        raise NotImplementedError

    def expected(self, sample: Any) -> Expected:  # noqa: ANN401
        return Expected()

    def unfinished(self, transcript: Transcript) -> str:
        return ""


@dataclass(frozen=True)
class DyingScorer(Dying):
    """Scores as another one does; a process other than the first dies of one item."""

    scorer: Any = None
    deadly: str = ""
    first: int = field(default_factory=os.getpid)

    def judge(self, sample: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401
        if sample.item_id == self.deadly and os.getpid() != self.first:
            os._exit(9)
        found: Judged = self.scorer.judge(sample, transcript)
        return found
