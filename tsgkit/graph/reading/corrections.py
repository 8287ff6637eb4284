"""Choice of the graphs that are the answer, by the headings above them.

What was given, is wrong, only sums others up, or lists a state is left out, and a correction takes the place of the
graphs that it names: by their numbers, all of them where it has as many, else the only one of the same action. Where it
cannot be known which graphs count, all of them stay, and a note of the kind that :data:`UNDECIDED` lists says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from tsgkit.graph.folding import fold_triplet
from tsgkit.graph.model import HANDS, PERSON, Triplet
from tsgkit.graph.reading.headings import ALL, Heading, Role
from tsgkit.graph.reading.line_content import Block
from tsgkit.replies.reasoning import TOO_MANY_LINES

WITHDRAWN = "withdrawn by a correction behind it"
LEFT_OUT: dict[Role, str] = {
    "denied": "below words that call it wrong or an example",
    "other": "an alternative to the answer, or a draft of it",
    "given": "given, no answer",
    "aside": "a summary of the other graphs, or a listing",
}
UNKNOWN_TARGET = "a correction, and which graphs it replaces is not said"
NOT_GIVEN = "a correction that is announced and not given"
SAME_NUMBER = "a second graph of this number"
UNDECIDED = frozenset({UNKNOWN_TARGET, NOT_GIVEN, TOO_MANY_LINES})


@dataclass
class Section:
    """The blocks below a heading, and its line (from 1; 0 for the beginning of the text)."""

    heading: Heading
    line: int = 0
    blocks: list[Block] = field(default_factory=list)
    promises: bool = False
    """Whether its heading must have graphs below it."""
    is_within: bool = False
    """Whether it is one of several numbered graphs below a heading with a role."""
    is_listed: bool = False
    """Whether it lists names instead of graphs, which ends at a blank line."""


class Entry(NamedTuple):
    """A graph with its further blocks, which name no action, and the number that its heading gave it."""

    blocks: list[Block]
    number: int = 0

    @property
    def actions(self) -> list[str]:
        """The actions that its triplets name."""
        return [found.triplet.target for block in self.blocks for found in block if found.names_action]

    @property
    def triplets(self) -> set[Triplet]:
        """Its triplets, folded."""
        return {fold_triplet(found.triplet) for block in self.blocks for found in block}


@dataclass
class Decision:
    """The blocks that are the answer, those left out with the reason, and the headings that leave it undecided."""

    blocks: list[Block] = field(default_factory=list)
    left_out: list[tuple[Block, str]] = field(default_factory=list)
    undecided: list[tuple[int, str]] = field(default_factory=list)


def decide(sections: Sequence[Section]) -> Decision:
    """Return the blocks that are the answer."""
    decision = Decision()
    entries: list[Entry] = []
    numbers: set[int] = set()
    has_answer = any(
        entry.actions for one in sections if one.heading.role in ("", "correction") for entry in _entries(one)
    )
    at = 0
    while at < len(sections):
        section, below = sections[at], _entries(sections[at])
        role = section.heading.role
        if role == "aside" and any(entry.actions for entry in below) and not _repeats(entries, below):
            role = ""
        at += 1
        if role == "correction":
            while at < len(sections) and not sections[at].heading.role:
                below += _entries(sections[at])
                at += 1
            entries = _corrected(entries, below, section, decision)
            if section.promises and not below and not any(one.blocks for one in sections[at:]):
                decision.undecided.append((section.line, NOT_GIVEN))
        elif role == "" and _names_again(entries, below, section.heading.targets):
            entries = _corrected(entries, below, section, decision)
        elif role == "" or (role == "other" and not has_answer):
            if below and below[0].number in numbers:
                decision.undecided.append((section.line, SAME_NUMBER))
            numbers.update(entry.number for entry in below if entry.number)
            _extend(entries, below)
        else:
            decision.left_out += [(block, LEFT_OUT[role]) for block in section.blocks]
    _leave_out_the_whole(entries, decision)
    decision.blocks = [block for entry in entries for block in entry.blocks]
    return decision


def _leave_out_the_whole(entries: list[Entry], decision: Decision) -> None:
    """Leave out a graph that is the union of the others, of which there are several."""
    if len(entries) < 3:
        return
    longest = max(entries, key=lambda entry: sum(map(len, entry.blocks)))
    if len(longest.actions) > 1:
        parts = [entry for entry in entries if entry is not longest]
        if longest.triplets == set(chain.from_iterable(part.triplets for part in parts)):
            decision.left_out += [(block, LEFT_OUT["aside"]) for block in longest.blocks]
            entries[:] = parts


def _entries(section: Section) -> list[Entry]:
    """Return the graphs of a section; a block that names no action belongs to the one before it."""
    entries: list[Entry] = []
    _extend(entries, [Entry([block]) for block in section.blocks])
    return [entries[0]._replace(number=section.heading.number), *entries[1:]] if entries else []


def _extend(entries: list[Entry], more: Sequence[Entry]) -> None:
    for entry in more:
        if entries and not (entry.actions or entry.number):
            entries[-1].blocks.extend(entry.blocks)
        else:
            entries.append(entry)


def _names_again(entries: Sequence[Entry], below: Sequence[Entry], targets: Sequence[int]) -> bool:
    """Return whether the graph below words about one before has its action: ``Let me redo graph 2:``."""
    if len(targets) != 1 or len(below) != 1 or targets[0] == ALL or any(len(one.actions) != 1 for one in entries):
        return False
    [place] = (entries and len(below[0].actions) == 1 and _places(entries, below, targets)) or [len(entries)]
    return place < len(entries) and entries[place].actions == below[0].actions


def _repeats(entries: Sequence[Entry], below: Sequence[Entry]) -> bool:
    """Return whether graphs without a triplet of their own stand behind others."""
    news = set(chain.from_iterable(entry.triplets for entry in below if entry.actions))
    return bool(entries) and news.issubset(chain.from_iterable(entry.triplets for entry in entries))


def _corrected(entries: list[Entry], below: list[Entry], section: Section, decision: Decision) -> list[Entry]:
    """Return the graphs after a correction; all of them where it is not known which ones it replaces."""
    if not entries or not below:
        return entries + below
    targets = section.heading.targets
    actions, corrections = ([action for entry in one for action in entry.actions] for one in (entries, below))
    is_all = (ALL in targets or not targets) and corrections and len(corrections) >= len(actions)
    if is_all or (len(below) > len(targets) and corrections == actions):
        decision.left_out += [(block, WITHDRAWN) for entry in entries for block in entry.blocks]
        return below
    is_clear = ALL not in targets and all(len(entry.actions) == 1 for entry in (*entries, *below))
    places = _places(entries, below, targets) if is_clear else None
    if places is None:
        decision.undecided.append((section.line, UNKNOWN_TARGET))
        _extend(entries, below)
        return entries
    corrected: list[Entry] = list(entries)
    for entry, place in zip(below, places, strict=True):
        if place < len(entries):
            decision.left_out += [(block, WITHDRAWN) for block in entries[place].blocks]
            corrected[place] = entry._replace(number=entries[place].number)
        else:
            corrected.append(entry)
    return corrected


def _is_about(entry: Entry, other: Entry) -> bool:
    """Return whether two graphs have an action or an object in common."""
    names, others = (
        {name for found in one.triplets for name in found[::2]} - {PERSON, *HANDS} for one in (entry, other)
    )
    return not names.isdisjoint(others)


def _places(entries: Sequence[Entry], below: Sequence[Entry], targets: Sequence[int]) -> list[int] | None:
    """Return the place that each corrected graph takes, those behind the end for further ones; None if unknown."""
    actions = [entry.actions[0] for entry in entries]
    numbers = {entry.number: place for place, entry in enumerate(entries) if entry.number}
    named = [numbers.get(one, one - 1 if not numbers and one <= len(entries) else len(entries)) for one in targets]
    named = [len(entries) - 1 if one == -1 else place for one, place in zip(targets, named, strict=True)]
    places: list[int] = []
    taken: set[int] = set()
    for entry in below:
        if entry.number in numbers:
            place = numbers[entry.number]
        elif entry.number and numbers:
            place = len(entries)
        elif named:
            place = named.pop(0)
        elif len(taken) == len(entries):
            place = len(entries)
        elif actions.count(entry.actions[0]) == 1:
            place = actions.index(entry.actions[0])
        elif targets and entry.actions[0] not in actions:
            place = len(entries)
        else:
            return None
        if place in taken or (place < len(entries) and not _is_about(entry, entries[place])):
            return None
        places.append(place)
        taken |= {place} - {len(entries)}
    return places
