"""How an item is brought to a layout, and that to a judgement: a model is asked once, or a baseline answers."""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.suites.formalimg.baselines import answer
from tsgkit.suites.formalimg.judging import judge_reply
from tsgkit.suites.formalimg.prompting import Prompter
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.judged import Judged
from tsgkit.suites.replies import read_as
from tsgkit.suites.solving import Expected
from tsgkit.suites.transcript import Ask, Said, Transcript, local

SINGLE, BASELINE = "single", "baseline"
SOLVERS = (SINGLE,)
NOT_RECORDED = "the run was stopped here"
CHARACTERS = 64
"""As many as an object of a layout takes."""


def unpublished(style: str) -> str:
    """Why replies asked for in a style have no official figures; empty where they have."""
    return "replies in a JSON schema were not asked for in the published way" if style == "structured" else ""


def check_solver(name: str) -> None:
    """``UsageError`` where there is no such solver."""
    if name not in SOLVERS:
        raise UsageError(f"there is no solver {name} for layouts", hint=meant(name, SOLVERS))


@dataclass(frozen=True)
class _Layouts:
    """Judges transcripts that hold one layout."""

    def unfinished(self, transcript: Transcript) -> str:
        """What a transcript lacks; empty where the solver had come to its end."""
        return "" if transcript.said else NOT_RECORDED

    def expected(self, sample: FormulaSample) -> Expected:
        """It asks nobody."""
        return Expected()

    def judge(self, sample: FormulaSample, transcript: Transcript | None) -> Judged:
        """Judge the one reply."""
        said = transcript.replies if transcript is not None else ()
        return judge_reply(sample, read_as(said[0]) if said else None)


@dataclass(frozen=True)
class Single(_Layouts):
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

    @property
    def unpublished(self) -> str:
        """Only the style can be unpublished."""
        return unpublished(self.style)

    def expected(self, sample: FormulaSample) -> Expected:
        """One call, and an object for each class."""
        sent = len(self.prompter.text(sample))
        said = CHARACTERS * max(len(sample.classes), 1)
        return Expected((1, 1), (sent, sent), (said, 2 * said), self.prompter.style.reasoning)

    async def solve(self, sample: FormulaSample, ask: Ask | None) -> Transcript:
        """Ask once."""
        if ask is None:
            raise UsageError("this solver asks a model, and none was given", hint="give --model")
        reply = await ask(self.prompter.messages(sample), label="answer", schema=self.prompter.schema)
        return Transcript((Said("answer", reply),))


@dataclass(frozen=True)
class Baseline(_Layouts):
    """A program of the suite that sees the item and asks nobody; it has no style."""

    subject: str
    seed: int
    name: str = BASELINE
    style: str = ""
    unpublished: str = ""

    @property
    def fingerprint(self) -> str:
        """The program and its seed."""
        return f"{self.subject}/{self.seed}"

    async def solve(self, sample: FormulaSample, ask: Ask | None) -> Transcript:
        """Answer."""
        return local(answer(self.subject, sample, self.seed))


@dataclass(frozen=True)
class Recorded(_Layouts):
    """A way of answering of which only the transcripts are left: it judges, and asks nobody."""

    name: str
    style: str
    fingerprint: str = ""

    @property
    def unpublished(self) -> str:
        """As for the solver that answered."""
        return unpublished(self.style)

    async def solve(self, sample: FormulaSample, ask: Ask | None) -> Transcript:
        """There is nobody to ask."""
        raise UsageError(f"{self.name}: a recorded run is judged, not carried on", hint="tsgkit eval goes on with it")
