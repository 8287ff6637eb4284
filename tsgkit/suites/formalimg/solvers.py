"""How an item is brought to a layout, and that to a judgement: a model is asked once, or a baseline answers."""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.suites.formalimg.baselines import answer
from tsgkit.suites.formalimg.judging import judge_reply
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.judged import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.single import BASELINE, SINGLE, AskedOnce, OneReply, OnRecord
from tsgkit.suites.transcript import Ask, Transcript, local

SOLVERS = (SINGLE,)
CHARACTERS = 64
"""As many as an object of a layout takes."""


def unpublished(style: str) -> str:
    """Why replies asked for in a style have no official figures; empty where they have."""
    return "replies in a JSON schema were not asked for in the published way" if style == "structured" else ""


def check_solver(name: str) -> None:
    """``UsageError`` where there is no such solver."""
    if name not in SOLVERS:
        raise UsageError(f"there is no solver {name} for layouts", hint=meant(name, SOLVERS))


class _Layouts(OneReply):
    """Judges layouts."""

    style: str

    @property
    def unpublished(self) -> str:
        """Only the style can be unpublished."""
        return unpublished(self.style)

    def judged(self, sample: FormulaSample, reply: Reply | None) -> Judged:
        """The judgement on a reply (None: there is none)."""
        return judge_reply(sample, reply)


@dataclass(frozen=True)
class Single(_Layouts, AskedOnce):
    """One prompt, one reply."""

    def length(self, sample: FormulaSample) -> tuple[int, int]:
        """An object for each class, or two."""
        said = CHARACTERS * max(len(sample.classes), 1)
        return said, 2 * said


@dataclass(frozen=True)
class Baseline(_Layouts):
    """A program of the suite that sees the item and asks nobody; it has no style."""

    subject: str
    seed: int
    name: str = BASELINE
    style: str = ""

    @property
    def fingerprint(self) -> str:
        """The program and its seed."""
        return f"{self.subject}/{self.seed}"

    async def solve(self, sample: FormulaSample, ask: Ask | None) -> Transcript:
        """Answer."""
        return local(answer(self.subject, sample, self.seed))


@dataclass(frozen=True)
class Recorded(_Layouts, OnRecord):
    """A way of answering of which only the transcripts are left."""
