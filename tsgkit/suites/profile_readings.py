"""Readings of one reply in both profiles, and the reasons for their difference."""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.graph.model import ActionGraph
from tsgkit.graph.reading import Note
from tsgkit.scoring.outcomes import Outcome

Read = str | tuple[ActionGraph, ...]
"""The result of a reader: a word or text of its suite, or graphs."""
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class TwoReadings:
    """One reply as both profiles read it; None is "nothing"."""

    outcome: Outcome
    strict: Read | None
    unreadable: str
    """The reason why strict read nothing in a reply with text."""
    notes: tuple[Note, ...]
    """Parts that strict repaired, ignored or could not read, line by line."""
    official: Read | None
    not_official: str
    """The reason for a missing official reading."""
    why: tuple[str, ...]
    """The reasons why the readings, or their scores, differ."""
    spans: Spans = ()
    """The positions of the strict answer in the reply; empty if the reader does not give them."""
