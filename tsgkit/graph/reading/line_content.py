"""Data passed between the steps of reading: triplets found on lines, and notes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from tsgkit.graph.model import DOBJ, PERSON, VERB, Triplet

LONGEST_QUOTE = 120


class Note(NamedTuple):
    """A note about a line (from 1): repaired, unread although it looks like triplets, or ignored; with the reason."""

    line: int
    kind: Literal["repaired", "unread", "ignored"]
    reason: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind}: {self.reason}" + (f": {self.text!r}" if self.text else "")


class FoundTriplet(NamedTuple):
    """A triplet and its line."""

    triplet: Triplet
    line: int

    @property
    def names_action(self) -> bool:
        """True for a person-verb triplet, which names a graph's action."""
        return names_action(self.triplet)


Block = list[FoundTriplet]


class Line(NamedTuple):
    """The content of a line: its triplets and repairs, and the reason why it, or its rest, has none.

    With ``looks_like_triplets`` the reason counts as unread, else as ignored; with ``is_break`` a graph begins.
    """

    triplets: tuple[Triplet, ...] = ()
    repairs: tuple[str, ...] = ()
    ignored: str = ""
    is_break: bool = False
    looks_like_triplets: bool = False


class Placed(NamedTuple):
    """A line of a multi-line form: its offset from the first line, and its content."""

    offset: int
    line: Line


Form = list[Placed]
"""Several lines that are read together, every non-blank one of them placed; empty where there is no such form."""


def names_action(triplet: Triplet) -> bool:
    """Return whether this is a person-verb triplet."""
    return triplet.source.lower() == PERSON and triplet.edge.lower() == VERB


def is_whole_graph(triplets: Collection[Triplet]) -> bool:
    """Return whether triplets written together, on one line or in one string, are more than a part of a graph."""
    return len(triplets) > 1 and any(map(names_action, triplets))


def names_known_edge(triplets: Collection[Triplet]) -> bool:
    """Return whether one triplet has ``verb``, ``dobj`` or a preposition in its middle, as no list of things has.

    >>> names_known_edge([Triplet("knife", "board", "onion")]), names_known_edge([Triplet("cut", "with", "knife")])
    (False, True)
    """
    return any(is_known_edge(edge) for _, edge, _ in triplets)


def is_known_edge(name: str) -> bool:
    """Return whether a name is ``verb``, ``dobj`` or a preposition.

    >>> is_known_edge("dobj"), is_known_edge("next-to"), is_known_edge("lid")
    (True, True, False)
    """
    from tsgkit.lexicon.prepositions import is_preposition

    return name.lower() in (VERB, DOBJ) or is_preposition(name)


def repaired(line: int, reason: str, text: str = "") -> Note:
    """Return a note about something understood although it was not written as asked."""
    return Note(line, "repaired", reason, quoted(text))


def ignored(line: int, reason: str, text: str = "") -> Note:
    """Return a note about something that became no part of any graph."""
    return Note(line, "ignored", reason, quoted(text))


def unread(line: int, reason: str, text: str = "") -> Note:
    """Return a note about text that looks like triplets and could not be read."""
    return Note(line, "unread", reason, quoted(text))


def quoted(text: str) -> str:
    """Return a line as a note keeps it: trimmed, and not endless."""
    text = text.strip()
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "..."
