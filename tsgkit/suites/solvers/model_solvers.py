"""Solvers that ask a model with the prompts of a task: ``single`` once, ``vote:N`` several times at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic

from tsgkit.llm.reply import Ask
from tsgkit.suites.gather_all import gather_all
from tsgkit.suites.judgement import Judged
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.protocols import Answer, Answerable, Item, Votable
from tsgkit.suites.solvers.scorers import Draws, OneReply
from tsgkit.suites.solvers.solver import SINGLE, Expected, Scorer, asking
from tsgkit.suites.transcript import LabelledReply, Transcript

LABEL = "answer"


@dataclass(frozen=True)
class _PromptedSolver(ABC, Generic[Item, Answer]):
    """A solver that uses the prompts of a task."""

    task: Answerable[Item, Answer]
    prompter: Prompter[Item]

    @property
    @abstractmethod
    def name(self) -> str:
        """The name on the command line."""

    @property
    @abstractmethod
    def scorer(self) -> Scorer:
        """The scorer of its transcripts."""

    @property
    def style(self) -> str:
        """The style of its prompts."""
        return self.prompter.style.name

    @property
    def unpublished(self) -> str:
        """The reason why official figures do not apply; else empty."""
        return self.scorer.unpublished

    def judge(self, item: Item, transcript: Transcript | None) -> Judged:
        """Score the replies."""
        return self.scorer.judge(item, transcript)

    def unfinished(self, transcript: Transcript) -> str:
        """Return which calls are not recorded."""
        return self.scorer.unfinished(transcript)

    def _expected(self, item: Item, calls: int) -> Expected:
        """Bounds on so many calls with the same prompt, each with a reply as long as a right one."""
        sent = len(self.prompter.text(item)) * calls
        least, most = self.task.length(item)
        return Expected((calls, calls), (sent, sent), (least * calls, most * calls), self.prompter.style.reasoning)


@dataclass(frozen=True)
class Single(_PromptedSolver[Item, Answer]):
    """One prompt, one reply."""

    name = SINGLE

    @property
    def scorer(self) -> Scorer:
        """The one reply counts."""
        return OneReply(self.task, self.style, self.name)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its prompts."""
        return self.prompter.fingerprint

    async def solve(self, item: Item, ask: Ask | None) -> Transcript:
        """Ask once."""
        asked = asking(ask, self.name)
        reply = await asked(self.prompter.messages(item), label=LABEL, schema=self.prompter.response_format(item))
        return Transcript((LabelledReply(LABEL, reply),))

    def expected(self, item: Item) -> Expected:
        """Return one call."""
        return self._expected(item, 1)


@dataclass(frozen=True)
class Vote(_PromptedSolver[Item, Answer]):
    """The same prompt several times; the answer is voted."""

    task: Votable[Item, Answer]
    calls: int

    @property
    def name(self) -> str:
        """The name with the number of calls."""
        return f"vote:{self.calls}"

    @property
    def scorer(self) -> Scorer:
        """The majority counts."""
        return Draws(self.task, self.style, self.name, self.calls)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its prompts, and the number of calls."""
        return f"{self.prompter.fingerprint}/{self.calls}"

    async def solve(self, item: Item, ask: Ask | None) -> Transcript:
        """Make all calls at once, each a draw of its own. If one is stopped, the others are kept."""
        asked = asking(ask, self.name)
        messages, schema = self.prompter.messages(item), self.prompter.response_format(item)
        labels = [f"vote/{draw}" for draw in range(self.calls)]
        calls = (asked(messages, label=label, draw=draw, schema=schema) for draw, label in enumerate(labels))
        return Transcript(tuple(map(LabelledReply, labels, await gather_all(*calls))))

    def expected(self, item: Item) -> Expected:
        """Return a call for each vote."""
        return self._expected(item, self.calls)
