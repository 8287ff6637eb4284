"""What both profiles read in one reply, beside each other, and in words why they differ."""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.graph.model import ActionGraph
from tsgkit.graph.reading import Note
from tsgkit.scoring.outcomes import Outcome

Read = str | tuple[ActionGraph, ...]
"""What a reader can find: a word or text of its suite, or graphs."""
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class TwoReadings:
    """One reply as both profiles read it; None is "nothing"."""

    outcome: Outcome
    strict: Read | None
    unreadable: str
    """Why strict read nothing, where the reply has text."""
    notes: tuple[Note, ...]
    """What strict repaired, ignored or could not read, line by line."""
    official: Read | None
    not_official: str
    """Why there is no official reading."""
    why: tuple[str, ...]
    """Why the readings, or what is scored of them, differ."""
    spans: Spans = ()
    """Where the strict answer stands in the text of the reply, in order; none where its reader does not tell."""
