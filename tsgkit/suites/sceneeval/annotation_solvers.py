"""How a description is brought to an annotation, and that to a judgement: a model is asked, or a baseline answers."""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.suites.judged import Judged
from tsgkit.suites.replies import read_as
from tsgkit.suites.sceneeval.annotation_baselines import Annotator
from tsgkit.suites.sceneeval.annotation_prompting import Prompter, answer_text
from tsgkit.suites.sceneeval.annotation_scores import judge_reply
from tsgkit.suites.sceneeval.annotation_wording import Wording
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.solving import Expected
from tsgkit.suites.transcript import Ask, Said, Transcript, local

SINGLE, BASELINE = "single", "baseline"
SOLVERS = (SINGLE,)
NO_FIGURES = "no figures are published for this task, and the published code does not score annotations"
NOT_RECORDED = "the run was stopped here"


def check_solver(name: str) -> None:
    """``UsageError`` where there is no such solver."""
    if name not in SOLVERS:
        raise UsageError(f"there is no solver {name} for annotations", hint=meant(name, SOLVERS))


@dataclass(frozen=True)
class _Annotating:
    """Judges transcripts that hold one annotation."""

    wording: Wording

    @property
    def unpublished(self) -> str:
        """Nothing of this task is published, whoever answers."""
        return NO_FIGURES

    def unfinished(self, transcript: Transcript) -> str:
        """What a transcript lacks; empty where the solver had come to its end."""
        return "" if transcript.said else NOT_RECORDED

    def expected(self, sample: Annotation) -> Expected:
        """It asks nobody."""
        return Expected()

    def judge(self, sample: Annotation, transcript: Transcript | None) -> Judged:
        """Judge the one reply."""
        said = transcript.replies if transcript is not None else ()
        return judge_reply(sample, read_as(said[0]) if said else None, self.wording)


@dataclass(frozen=True)
class Single(_Annotating):
    """One prompt, one reply."""

    prompter: Prompter
    name: str = SINGLE

    @property
    def style(self) -> str:
        """The style of its prompts."""
        return self.prompter.style.name

    @property
    def fingerprint(self) -> str:
        """That of its prompts."""
        return self.prompter.fingerprint

    def expected(self, sample: Annotation) -> Expected:
        """One call, and a reply as long as the right answer."""
        sent, said = len(self.prompter.text(sample)), len(answer_text(sample))
        return Expected((1, 1), (sent, sent), (said, said), self.prompter.style.reasoning)

    async def solve(self, sample: Annotation, ask: Ask | None) -> Transcript:
        """Ask once."""
        if ask is None:
            raise UsageError("this solver asks a model, and none was given", hint="give --model")
        reply = await ask(self.prompter.messages(sample), label="answer", schema=self.prompter.schema)
        return Transcript((Said("answer", reply),))


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
class Recorded(_Annotating):
    """A way of answering of which only the transcripts are left: it judges, and asks nobody."""

    name: str
    style: str
    fingerprint: str = ""

    async def solve(self, sample: Annotation, ask: Ask | None) -> Transcript:
        """There is nobody to ask."""
        raise UsageError(f"{self.name}: a recorded run is judged, not carried on", hint="tsgkit eval goes on with it")
