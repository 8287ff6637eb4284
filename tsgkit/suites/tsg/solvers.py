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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.suites.families import family_of
from tsgkit.suites.judged import Judged
from tsgkit.suites.replies import read_as
from tsgkit.suites.solving import Expected, Solver
from tsgkit.suites.transcript import LOCAL, Ask, Said, Transcript, local
from tsgkit.suites.tsg.baselines import BASELINES
from tsgkit.suites.tsg.judging import judge, judgement, read_reply, unpublished
from tsgkit.suites.tsg.showing import shown_answer
from tsgkit.suites.tsg.voting import majority

if TYPE_CHECKING:
    from tsgkit.suites.tsg.prompting import Prompter
    from tsgkit.suites.tsg.samples import AnySample

BASELINE = "baseline"
NOTES = "notes"
"""The label of what a solver says of its own work, beside the answer."""
VOTE = re.compile(r"vote:([0-9]{1,3})")
MOST_VOTES = 100


@dataclass(frozen=True)
class Single:
    """One prompt, one reply."""

    prompter: Prompter
    name: str = "single"

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
        return judged_reply(sample, transcript, self.style)

    def expected(self, sample: AnySample) -> Expected:
        """One call."""
        return _expected(self.prompter, sample, 1)

    def unfinished(self, transcript: Transcript) -> str:
        """Its one call."""
        return _calls_lacking(transcript, 1)


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

    def expected(self, sample: AnySample) -> Expected:
        """A call for each vote."""
        return _expected(self.prompter, sample, self.calls)

    def unfinished(self, transcript: Transcript) -> str:
        """Some of its votes."""
        return _calls_lacking(transcript, self.calls)


@dataclass(frozen=True)
class Baseline:
    """A program of the suite that sees the sample and asks nobody; it has no style."""

    subject: str
    seed: int
    name: str = BASELINE
    style: str = ""
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
        return judged_reply(sample, transcript)

    def expected(self, sample: AnySample) -> Expected:
        """It asks nobody."""
        return Expected()

    def unfinished(self, transcript: Transcript) -> str:
        """Its one answer."""
        return _calls_lacking(transcript, 1)


@dataclass(frozen=True)
class Recorded:
    """A way of answering of which only the transcripts are left: it judges, and asks nobody."""

    name: str
    style: str
    fingerprint: str = ""

    @property
    def unpublished(self) -> str:
        """As for the solver that answered."""
        return unpublished(self.style, self.name)

    async def solve(self, sample: AnySample, ask: Ask | None) -> Transcript:
        """There is nobody to ask."""
        raise UsageError(f"{self.name}: a recorded run is judged, not carried on", hint="tsgkit eval goes on with it")

    def judge(self, sample: AnySample, transcript: Transcript | None) -> Judged:
        """As the solver that answered would."""
        if self.name == BASELINE:
            return judged_reply(sample, transcript, self.style)
        return family_of(self.name).judge(self.name, self.style, sample, transcript)

    def expected(self, sample: AnySample) -> Expected:
        """It asks nobody."""
        return Expected()

    def unfinished(self, transcript: Transcript) -> str:
        """What the solver that answered would still have asked."""
        if self.name == BASELINE:
            return _calls_lacking(transcript, 1)
        return family_of(self.name).unfinished(self.name, transcript)


def judged_reply(sample: AnySample, transcript: Transcript | None, style: str = "zero-shot") -> Judged:
    """The judgement on the one reply of a transcript."""
    return judge(sample, None if transcript is None else read_as(transcript.replies[0]), style)


def judged_work(sample: AnySample, transcript: Transcript | None) -> Judged:
    """The judgement on what a solver of several steps came to: its ``local`` answer, else what was said last.

    What it says of its work under ``notes`` is kept with the judgement. No published reader knows such answers.
    """
    said = {} if transcript is None else {one.label: one.reply for one in transcript.said}
    answer = said.get(LOCAL) or (transcript.replies[-1] if said and transcript is not None else None)
    outcome, found = read_reply(sample, None if answer is None else read_as(answer))
    judged = judgement(sample, outcome, found, None)
    notes = tuple((said[NOTES].text or "").splitlines()) if NOTES in said else ()
    return replace(judged, notes=(*judged.notes, *notes))


def judged_votes(sample: AnySample, transcript: Transcript | None) -> Judged:
    """The judgement on what several draws come to."""
    replies = () if transcript is None else transcript.replies
    outcome, found = majority([read_reply(sample, read_as(reply)) for reply in replies])
    return judgement(sample, outcome, found, None)


def votes_of(solver: str) -> int:
    """How many calls the name of a vote stands for; ``UsageError`` for a name there is none of."""
    match = VOTE.fullmatch(solver)
    if match is None:
        raise UsageError(f"there is no solver {solver}", hint=meant(solver, ("single", *VOTES.names)))
    if not 2 <= int(match[1]) <= MOST_VOTES:
        raise UsageError(f"solver {solver}: a vote takes 2 to {MOST_VOTES} calls")
    return int(match[1])


@dataclass(frozen=True)
class Looks:
    """The family of one look; it can do every task."""

    names: tuple[str, ...] = ("single",)
    styled: bool = True
    tasks: tuple[str, ...] = ()

    def check(self, name: str) -> None:
        """There is only one."""
        if name not in self.names:
            raise UsageError(f"there is no solver {name}", hint=meant(name, self.names))

    def solver(self, name: str, task: str, prompter: Prompter | None) -> Solver:
        """One look with these prompts."""
        return Single(_prompts(name, prompter))

    def judge(self, name: str, style: str, sample: AnySample, transcript: Transcript | None) -> Judged:
        """Judge the one reply."""
        return judged_reply(sample, transcript, style)

    def unfinished(self, name: str, transcript: Transcript) -> str:
        """Its one call."""
        return _calls_lacking(transcript, 1)


@dataclass(frozen=True)
class Votes:
    """The family of votes; it can do every task."""

    names: tuple[str, ...] = ("vote:5",)
    styled: bool = True
    tasks: tuple[str, ...] = ()

    def check(self, name: str) -> None:
        """A number of votes belongs to the name."""
        votes_of(name)

    def solver(self, name: str, task: str, prompter: Prompter | None) -> Solver:
        """A vote with these prompts."""
        return Vote(_prompts(name, prompter), votes_of(name))

    def judge(self, name: str, style: str, sample: AnySample, transcript: Transcript | None) -> Judged:
        """Judge what the votes come to."""
        return judged_votes(sample, transcript)

    def unfinished(self, name: str, transcript: Transcript) -> str:
        """Some of its votes."""
        return _calls_lacking(transcript, votes_of(name))


SINGLE, VOTES = Looks(), Votes()


def solver_of(name: str, prompter: Prompter) -> Solver:
    """The solver of a name (``single``, ``vote:5``) with these prompts."""
    return family_of(name).solver(name, prompter.task, prompter)


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


def _prompts(name: str, prompter: Prompter | None) -> Prompter:
    if prompter is None:
        raise UsageError(f"solver {name} asks with the prompts of a task, and none were given")
    return prompter


def _expected(prompter: Prompter, sample: AnySample, calls: int) -> Expected:
    """What so many calls with the same prompt would take; replies are as long as the right answer."""
    sent, said = len(prompter.text(sample)) * calls, len(shown_answer(sample)) * calls
    return Expected((calls, calls), (sent, sent), (said, said), prompter.style.reasoning)


def _calls_lacking(transcript: Transcript, calls: int) -> str:
    made = len(transcript.said)
    return f"{made} of {calls} calls are recorded" if made < calls else ""


def _format(prompter: Prompter, sample: AnySample) -> dict[str, Any] | None:
    """The response format of an answer in a JSON schema, as providers take it."""
    schema = prompter.schema(sample)
    if schema is None:
        return None
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}
