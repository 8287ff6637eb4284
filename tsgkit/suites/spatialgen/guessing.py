"""Baselines: they answer the questions without a picture, in as many rounds as a judge is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tsgkit.llm.reply import Reply
from tsgkit.suites.judges.sights import NOT_SHOWN, Sight
from tsgkit.suites.solvers.unasked import baseline_name
from tsgkit.suites.spatialgen.baselines import NAMES, Answerer, baseline, guess
from tsgkit.suites.spatialgen.judging import label_of
from tsgkit.suites.spatialgen.rows import Row
from tsgkit.suites.spatialgen.samples import SpatialSample
from tsgkit.suites.spatialgen.voting import ROUNDS
from tsgkit.suites.transcript import LOCAL, Said, Transcript


@dataclass(frozen=True)
class Guessing:
    """A program for all rounds; what it draws by lot it draws anew in every round."""

    subject: str
    answerers: tuple[Answerer, ...] = field(repr=False)
    seed: int

    @property
    def fingerprint(self) -> str:
        """The program and its seed."""
        return f"{self.subject}/{self.seed}"

    def answer(self, item: SpatialSample) -> Transcript:
        """All rounds, ten lines each."""
        texts = ["\n".join(answer(item.row)) for answer in self.answerers]
        said = (Said(label_of(turn), Reply(text=text, source=LOCAL)) for turn, text in enumerate(texts))
        sight = Sight(NOT_SHOWN, "a baseline looks at nothing", orders=_as_in_data(item))
        return Transcript((*said, sight.said))


def _as_in_data(sample: SpatialSample) -> tuple[tuple[str, ...], ...]:
    return (tuple("".join(question.choices) for question in sample.questions),) * ROUNDS


def guessing(subject: str, rows: Sequence[Row], seed: int) -> Guessing:
    """The baseline of a subject's name (``baseline/longest``)."""
    name = baseline_name(subject, NAMES)
    if name == "random":
        return Guessing(subject, tuple(guess(seed * ROUNDS + turn) for turn in range(ROUNDS)), seed)
    return Guessing(subject, (baseline(name, rows, seed),) * ROUNDS, seed)
