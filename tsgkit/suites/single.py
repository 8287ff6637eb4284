"""Solvers of one reply, as several suites have them: a model is asked once, a program answers, a transcript is judged.

A suite says how its reply is judged (:meth:`OneReply.judged`) and how long it is; the rest is here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.errors import UsageError
from tsgkit.suites.replies import Reply, read_as
from tsgkit.suites.solving import Expected
from tsgkit.suites.styles import Style
from tsgkit.suites.transcript import Ask, Said, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

    from tsgkit.suites.judged import Judged

SINGLE, BASELINE = "single", "baseline"
STOPPED = "the run was stopped here"
LABEL = "answer"


class Prompter(Protocol):
    """What a sample is asked with."""

    @property
    def style(self) -> Style:
        """The style of the prompts."""

    @property
    def fingerprint(self) -> str:
        """A hash of all that they are made of."""

    @property
    def schema(self) -> dict[str, Any] | None:
        """What a reply has to look like, where that is sent."""

    def text(self, sample: Any) -> str:  # noqa: ANN401  (its suite's sample)
        """All that is sent, as one text."""

    def messages(self, sample: Any) -> list[BaseMessage]:  # noqa: ANN401
        """What is sent."""


class OneReply(ABC):
    """Judges transcripts that hold one reply."""

    @abstractmethod
    def judged(self, sample: Any, reply: Reply | None) -> Judged:  # noqa: ANN401  (its suite's sample)
        """The judgement on a reply (None: there is none)."""

    def judge(self, sample: Any, transcript: Transcript | None) -> Judged:  # noqa: ANN401
        """Judge the one reply."""
        said = transcript.replies if transcript is not None else ()
        return self.judged(sample, read_as(said[0]) if said else None)

    def unfinished(self, transcript: Transcript) -> str:
        """What a transcript lacks; empty where the solver had come to its end."""
        return "" if transcript.said else STOPPED

    def expected(self, sample: Any) -> Expected:  # noqa: ANN401
        """It asks nobody."""
        return Expected()


@dataclass(frozen=True)
class AskedOnce(OneReply):
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

    @abstractmethod
    def length(self, sample: Any) -> tuple[int, int]:  # noqa: ANN401  (its suite's sample)
        """How many characters are said, at least and at most, beside any reasoning."""

    def expected(self, sample: Any) -> Expected:  # noqa: ANN401
        """One call."""
        sent = len(self.prompter.text(sample))
        return Expected((1, 1), (sent, sent), self.length(sample), self.prompter.style.reasoning)

    async def solve(self, sample: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401
        """Ask once."""
        if ask is None:
            raise UsageError("this solver asks a model, and none was given", hint="give --model")
        reply = await ask(self.prompter.messages(sample), label=LABEL, schema=self.prompter.schema)
        return Transcript((Said(LABEL, reply),))


@dataclass(frozen=True)
class OnRecord(OneReply):
    """A way of answering of which only the transcripts are left: it judges, and asks nobody."""

    name: str
    style: str
    fingerprint: str = ""

    async def solve(self, sample: Any, ask: Ask | None) -> Transcript:  # noqa: ANN401  (its suite's sample)
        """There is nobody to ask."""
        raise UsageError(f"{self.name}: a recorded run is judged, not carried on", hint="tsgkit eval goes on with it")
