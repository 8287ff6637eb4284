"""How a description is brought to an annotation, and that to a judgement: a model is asked, or a baseline answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.suites.judged import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.sceneeval.annotation_baselines import Annotator
from tsgkit.suites.sceneeval.annotation_prompting import answer_text
from tsgkit.suites.sceneeval.annotation_scores import judge_reply
from tsgkit.suites.sceneeval.annotation_wording import Wording
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.single import BASELINE, SINGLE, AskedOnce, OneReply, OnRecord
from tsgkit.suites.transcript import Ask, Transcript, local

SOLVERS = (SINGLE,)
NO_FIGURES = "no figures are published for this task, and the published code does not score annotations"


def check_solver(name: str) -> None:
    """``UsageError`` where there is no such solver."""
    if name not in SOLVERS:
        raise UsageError(f"there is no solver {name} for annotations", hint=meant(name, SOLVERS))


@dataclass(frozen=True)
class _Annotating(OneReply):
    """Judges annotations. Nothing of this task is published, whoever answers."""

    wording: Wording = field(kw_only=True)
    unpublished: str = field(default=NO_FIGURES, kw_only=True)

    def judged(self, sample: Annotation, reply: Reply | None) -> Judged:
        """The judgement on a reply (None: there is none)."""
        return judge_reply(sample, reply, self.wording)


@dataclass(frozen=True)
class Single(_Annotating, AskedOnce):
    """One prompt, one reply."""

    def length(self, sample: Annotation) -> tuple[int, int]:
        """As long as the right answer."""
        said = len(answer_text(sample))
        return said, said


@dataclass(frozen=True)
class Baseline(_Annotating):
    """A program of the suite that sees the description and asks nobody; it has no style."""

    annotator: Annotator
    name: str = BASELINE
    style: str = ""

    @property
    def fingerprint(self) -> str:
        """The program, its seed, and the tables it reads."""
        return self.annotator.fingerprint

    async def solve(self, sample: Annotation, ask: Ask | None) -> Transcript:
        """Answer."""
        return local(self.annotator.answer(sample))


@dataclass(frozen=True)
class Recorded(_Annotating, OnRecord):
    """A way of answering of which only the transcripts are left."""
