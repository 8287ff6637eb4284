"""Solvers that ask a model with the prompts of a task: ``single`` once, ``vote:N`` several times at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from tsgkit.llm.reply import Ask
from tsgkit.suites.gather_all import gather_all
from tsgkit.suites.judgement import Sample
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.scorers import Draws, OneReply
from tsgkit.suites.solvers.solver import Expected, asking
from tsgkit.suites.transcript import LabelledReply, Transcript

LABEL = "answer"


@dataclass(frozen=True)
class Single(OneReply):
    """One prompt, one reply."""

    prompter: Prompter = field(kw_only=True)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its prompts."""
        return self.prompter.fingerprint

    async def solve(self, item: Sample, ask: Ask | None) -> Transcript:
        """Ask once."""
        asked = asking(ask, self.name)
        reply = await asked(self.prompter.messages(item), label=LABEL, schema=self.prompter.response_format(item))
        return Transcript((LabelledReply(LABEL, reply),))

    def expected(self, item: Sample) -> Expected:
        """Return one call."""
        return self.prompter.expected(item, 1)


@dataclass(frozen=True)
class Vote(Draws):
    """The same prompt several times; the answer is voted."""

    prompter: Prompter = field(kw_only=True)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of its prompts, and the number of calls."""
        return f"{self.prompter.fingerprint}/{self.calls}"

    async def solve(self, item: Sample, ask: Ask | None) -> Transcript:
        """Make all calls at once, each a draw of its own. If one is stopped, the others are kept."""
        asked = asking(ask, self.name)
        messages, schema = self.prompter.messages(item), self.prompter.response_format(item)
        labels = [f"vote/{draw}" for draw in range(self.calls)]
        calls = (asked(messages, label=label, draw=draw, schema=schema) for draw, label in enumerate(labels))
        return Transcript(tuple(map(LabelledReply, labels, await gather_all(*calls))))

    def expected(self, item: Sample) -> Expected:
        """Return a call for each vote."""
        return self.prompter.expected(item, self.calls)
