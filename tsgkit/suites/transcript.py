"""Transcripts: all calls about one sample in order, with labels and replies.

Solvers create transcripts with a given ``ask``; scores are computed from transcripts alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.llm.reply import NOTHING, Reply, Usage

LOCAL = "local"
"""The label of a solver's own result, for which no model was asked."""


@dataclass(frozen=True, slots=True)
class LabelledReply:
    """A call: its label and its reply."""

    label: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Transcript:
    """All calls about a sample."""

    said: tuple[LabelledReply, ...]

    @property
    def replies(self) -> tuple[Reply, ...]:
        """The replies alone."""
        return tuple(one.reply for one in self.said)

    @property
    def usage(self) -> Usage:
        """Tokens and cost of all calls; unknown if one call does not report it."""
        return sum((reply.usage for reply in self.replies if reply.source != LOCAL), NOTHING)


def local(text: str) -> Transcript:
    """Return the transcript of a solver that asked no model."""
    return Transcript((LabelledReply(LOCAL, Reply(text=text, source=LOCAL)),))
