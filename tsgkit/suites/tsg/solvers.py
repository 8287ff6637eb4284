"""How a sample is brought to an answer: one look, a vote of several, or a baseline that asks nobody.

>>> import asyncio
>>> from tsgkit.suites.tsg.samples import SelectionSample
>>> sample = SelectionSample(item_id="0", cluster="", context=(), graph=(), candidates=("a", "b"), position=1)
>>> guess = Baseline("random", seed=0)
>>> asyncio.run(guess.solve(sample, None)).replies[0].text in ("[A]", "[B]")
True

A solver turns a sample into a transcript, and a transcript into a judgement; nothing else knows how many calls it made.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.suites.judged import Judged
from tsgkit.suites.replies import read_as
from tsgkit.suites.solving import Solver
from tsgkit.suites.transcript import Ask, Said, Transcript, local
from tsgkit.suites.tsg.baselines import BASELINES
from tsgkit.suites.tsg.judging import judge, judgement, read_reply, unpublished
from tsgkit.suites.tsg.voting import majority

if TYPE_CHECKING:
    from tsgkit.suites.tsg.prompting import Prompter
    from tsgkit.suites.tsg.samples import AnySample

VOTE = re.compile(r"vote:([0-9]{1,3})")
MOST_VOTES = 100


@dataclass(frozen=True)
class Single:
    """One prompt, one reply."""

    prompter: Prompter
    name: str = "single"
    calls: int = 1

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
        return unpublished(self.style, self.name)

    async def solve(self, sample: AnySample, ask: Ask | None) -> Transcript:
        """Ask once."""
        reply = await _asking(ask)(
            self.prompter.messages(sample), label="answer", schema=_format(self.prompter, sample)
        )
        return Transcript((Said("answer", reply),))

    def judge(self, sample: AnySample, transcript: Transcript | None) -> Judged:
        """Judge the one reply."""
        return judge(sample, None if transcript is None else read_as(transcript.replies[0]), self.style)


@dataclass(frozen=True)
class Vote:
    """The same prompt several times; the majority answers."""

    prompter: Prompter
    calls: int

    @property
    def name(self) -> str:
        """The name with the number of votes."""
        return f"vote:{self.calls}"

    @property
    def style(self) -> str:
        """The style of its prompts."""
        return self.prompter.style.name

    @property
    def fingerprint(self) -> str:
        """That of its prompts and the number of votes."""
        return f"{self.prompter.fingerprint}/{self.calls}"

    @property
    def unpublished(self) -> str:
        """The published way asks once."""
        return unpublished(self.style, self.name)

    async def solve(self, sample: AnySample, ask: Ask | None) -> Transcript:
        """Ask all votes at once; each is a draw of its own."""
        messages, schema = self.prompter.messages(sample), _format(self.prompter, sample)
        asked = _asking(ask)
        calls = (asked(messages, label=f"vote/{draw}", draw=draw, schema=schema) for draw in range(self.calls))
        said: list[Said] = []
        for draw, reply in enumerate(await asyncio.gather(*calls, return_exceptions=True)):
            if isinstance(reply, BaseException):  # raised when all are home, so that no vote under way is lost
                raise reply
            said.append(Said(f"vote/{draw}", reply))
        return Transcript(tuple(said))

    def judge(self, sample: AnySample, transcript: Transcript | None) -> Judged:
        """Judge what the votes come to."""
        return judged_votes(sample, transcript)


@dataclass(frozen=True)
class Baseline:
    """A program of the suite that sees the sample and asks nobody; it has no style."""

    subject: str
    seed: int
    name: str = "baseline"
    style: str = ""
    calls: int = 0
    unpublished: str = ""

    @property
    def fingerprint(self) -> str:
        """The program and its seed."""
        return f"{self.subject}/{self.seed}"

    async def solve(self, sample: AnySample, ask: Ask | None) -> Transcript:
        """Answer."""
        return local(BASELINES[self.subject](sample, self.seed))

    def judge(self, sample: AnySample, transcript: Transcript | None) -> Judged:
        """Judge the answer like any reply."""
        return judge(sample, None if transcript is None else read_as(transcript.replies[0]))


@dataclass(frozen=True)
class Recorded:
    """A way of answering of which only the transcripts are left: it judges, and asks nobody."""

    name: str
    style: str
    fingerprint: str = ""

    @property
    def calls(self) -> int:
        """How many calls a sample took."""
        return 0 if self.name == "baseline" else votes_of(self.name)

    @property
    def unpublished(self) -> str:
        """As for the solver that answered."""
        return unpublished(self.style, self.name)

    async def solve(self, sample: AnySample, ask: Ask | None) -> Transcript:
        """There is nobody to ask."""
        raise UsageError(f"{self.name}: a recorded run is judged, not carried on", hint="tsgkit eval goes on with it")

    def judge(self, sample: AnySample, transcript: Transcript | None) -> Judged:
        """As the solver that answered would."""
        if self.calls > 1:
            return judged_votes(sample, transcript)
        return judge(sample, None if transcript is None else read_as(transcript.replies[0]), self.style)


def judged_votes(sample: AnySample, transcript: Transcript | None) -> Judged:
    """The judgement on what several draws come to."""
    replies = () if transcript is None else transcript.replies
    outcome, found = majority([read_reply(sample, read_as(reply)) for reply in replies])
    return judgement(sample, outcome, found, None)


def votes_of(solver: str) -> int:
    """How many calls a solver's name stands for; ``UsageError`` for a name there is none of."""
    if solver == "single":
        return 1
    match = VOTE.fullmatch(solver)
    if match is None:
        raise UsageError(f"there is no solver {solver}", hint=meant(solver, ("single", "vote:5")))
    if not 2 <= int(match[1]) <= MOST_VOTES:
        raise UsageError(f"solver {solver}: a vote takes 2 to {MOST_VOTES} calls")
    return int(match[1])


def solver_of(name: str, prompter: Prompter) -> Solver:
    """The solver of a name (``single``, ``vote:5``) with these prompts."""
    votes = votes_of(name)
    return Single(prompter) if votes == 1 else Vote(prompter, votes)


def baseline_of(subject: str, seed: int) -> Baseline:
    """The baseline of a name (``baseline/rules``)."""
    name = subject.removeprefix("baseline/")
    if name not in BASELINES:
        names = [f"baseline/{known}" for known in BASELINES]
        raise UsageError(f"there is no {subject}", hint=meant(subject, names))
    return Baseline(name, seed)


def _asking(ask: Ask | None) -> Ask:
    if ask is None:
        raise UsageError("this solver asks a model, and none was given", hint="give --model, or take baseline/rules")
    return ask


def _format(prompter: Prompter, sample: AnySample) -> dict[str, Any] | None:
    """The response format of an answer in a JSON schema, as providers take it."""
    schema = prompter.schema(sample)
    if schema is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
