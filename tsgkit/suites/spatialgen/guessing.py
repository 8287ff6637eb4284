"""Baselines as subjects: they answer the questions without a picture, in as many rounds as a judge is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.reply import Reply
from tsgkit.suites.judged import Judged
from tsgkit.suites.solving import Expected
from tsgkit.suites.spatialgen.asking import BASELINE, way_of
from tsgkit.suites.spatialgen.baselines import NAMES, Answerer, baseline, guess
from tsgkit.suites.spatialgen.judging import NOT_SHOWN, STOPPED, Sight, judged, label_of, sight_of
from tsgkit.suites.spatialgen.rows import Row
from tsgkit.suites.spatialgen.samples import SpatialSample
from tsgkit.suites.spatialgen.voting import ROUNDS
from tsgkit.suites.transcript import LOCAL, Ask, Said, Transcript

PREFIX = "baseline/"


@dataclass(frozen=True)
class Guessing:
    """A baseline; what it draws by lot it draws anew in every round."""

    subject: str
    answerers: tuple[Answerer, ...] = field(repr=False)
    seed: int
    name: str = BASELINE
    style: str = ""
    unpublished: str = ""

    @property
    def fingerprint(self) -> str:
        """The program and its seed."""
        return f"{self.subject}/{self.seed}"

    def transcript(self, sample: SpatialSample) -> Transcript:
        """All rounds, ten lines each."""
        texts = ["\n".join(answer(sample.row)) for answer in self.answerers]
        said = (Said(label_of(turn), Reply(text=text, source=LOCAL)) for turn, text in enumerate(texts))
        sight = Sight(NOT_SHOWN, "a baseline looks at nothing", orders=_as_in_data(sample))
        return Transcript((*said, sight.said))

    async def solve(self, sample: SpatialSample, ask: Ask | None) -> Transcript:
        """Answer."""
        return self.transcript(sample)

    def judge(self, sample: SpatialSample, transcript: Transcript | None) -> Judged:
        """Judge the answers like any judge's."""
        return judged(sample, transcript, way_of(self.name))

    def expected(self, sample: SpatialSample) -> Expected:
        """It asks nobody."""
        return Expected()

    def unfinished(self, transcript: Transcript) -> str:
        """What a transcript lacks; empty where it had come to its end."""
        return "" if sight_of(transcript) is not None else STOPPED


def _as_in_data(sample: SpatialSample) -> tuple[tuple[str, ...], ...]:
    return (tuple("".join(question.choices) for question in sample.questions),) * ROUNDS


def guessing(subject: str, rows: Sequence[Row], seed: int) -> Guessing:
    """The baseline of a subject's name (``baseline/longest``)."""
    name = subject.removeprefix(PREFIX)
    if name not in NAMES:
        raise UsageError(f"there is no {subject}", hint=meant(subject, [PREFIX + one for one in NAMES]))
    if name == "random":
        return Guessing(subject, tuple(guess(seed * ROUNDS + turn) for turn in range(ROUNDS)), seed)
    return Guessing(subject, (baseline(name, rows, seed),) * ROUNDS, seed)
