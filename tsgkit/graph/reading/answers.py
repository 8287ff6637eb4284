"""Graphs of a reply's answer without its reasoning, folded; or the reason why there are none.

>>> answer = read_graphs("The lid is -> not -> washed.\\nFinal graphs:\\nPerson -> verb -> Wash", 1)
>>> [str(graph) for graph in answer.graphs]
['person -> verb -> wash']
>>> read_graphs("I am sorry.", 1)
Unreadable(reason='no triplet found')

Triplets are found again in the text:

>>> from tsgkit.graph.reading import read
>>> text = "Here:\\n- lift, with hand1: lift -> dobj -> pot; lift -> with -> hand1"
>>> [text[start:end] for start, end in places_of(text, read(text))]
['lift -> dobj -> pot', 'lift -> with -> hand1']

A triplet's position is the shortest span with its three names, in the order of its form and with arrows if there are
any, that no other triplet has taken. If its names are not written as they were read (nodes by ids, two triplets with
one source), it is the line. Reading itself keeps lines only; positions are computed when they are shown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from tsgkit.errors import NotationError
from tsgkit.graph.folding import fold_graph, fold_triplet
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.notation.json_triplets import load
from tsgkit.graph.reading import Note, Reading, read
from tsgkit.graph.reading.corrections import BEFORE, SAME_NUMBER, UNDECIDED
from tsgkit.graph.reading.line import ARROW
from tsgkit.graph.reading.lines import HEADING, NO_TRIPLET, NUMBERED
from tsgkit.replies import Part, Unreadable
from tsgkit.replies.sections import answer_section, without_fences

EARLIER = re.compile(rf"\b{BEFORE}\b", re.IGNORECASE)


class GraphAnswer(NamedTuple):
    """The folded graphs, the reading behind them, and notes.

    ``said`` is the part of the reply that was read, ``field`` the field of it that was read if it is an object.
    """

    graphs: tuple[ActionGraph, ...]
    reading: Reading
    asides: tuple[str, ...] = ()
    said: Part = Part("")
    field: str = ""

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The positions of the triplets in the reply."""
        text, start = self.said
        places = places_in_value(text, self.reading, self.field) if self.field else places_of(text, self.reading)
        return tuple((start + first, start + last) for first, last in places)


def read_graphs(reply: str, k: int) -> GraphAnswer | Unreadable:
    """Return the graphs of the answer section, where ``k`` were asked for, by the tolerant reader."""
    section = answer_section(reply, keeps_corrections=True)
    if isinstance(section, Unreadable):
        return section
    field, value = _json_field(section.part, "graphs", "answer")
    are_listed = isinstance(value, list) and len(value) == k
    reading = read(value if isinstance(value, str) else json.dumps(value), k, are_listed=are_listed)
    if not reading.graphs:
        return Unreadable("no triplet found")
    if undecided := [note.reason for note in reading.notes if note.reason in UNDECIDED]:
        return Unreadable(undecided[0])
    reading = _without_repetition(reading, k)
    if len(reading.graphs) > k and any(_is_doubtful(note, reading) for note in reading.notes):
        return Unreadable("more graphs than asked for, and which of them count is not said")
    graphs = tuple(fold_graph(graph) for graph in reading.graphs)
    return GraphAnswer(graphs, reading, said=section.part, field=field)


def _without_repetition(reading: Reading, k: int) -> Reading:
    """Return the first k graphs where those behind say the same again, after other words."""
    first, again = (
        {fold_triplet(triplet) for graph in part for triplet in graph}
        for part in (reading.graphs[:k], reading.graphs[k:])
    )
    if first != again:
        return reading
    is_apart = any(reading.lines[k - 1][-1] < note.line < reading.lines[k][0] for note in reading.notes)
    return replace(reading, graphs=reading.graphs[:k], lines=reading.lines[:k]) if is_apart else reading


def _is_doubtful(note: Note, reading: Reading) -> bool:
    """Return whether words among the graphs, or words about earlier ones above, may say that not all are the answer."""
    if note.reason not in (NO_TRIPLET, HEADING) or note.line > reading.lines[-1][0]:
        return note.reason == SAME_NUMBER
    if note.line < reading.lines[0][0]:
        return EARLIER.search(note.text) is not None
    return NUMBERED.match(note.text) is None


def _json_field(section: Part, *names: str) -> tuple[str, object]:
    """Return the first of these fields of a section that is one JSON object, in a fence or not, with its name.

    A section without such a field is returned whole, with an empty name.
    """
    whole = "", section.text
    if "{" not in section.text:
        return whole
    text = without_fences(section).text.strip()
    if not text.startswith("{"):
        return whole
    try:
        value = load(text)
    except NotationError:
        return whole
    fields = {key.lower(): part for key, part in value.items()} if isinstance(value, dict) else {}
    return next(((name, fields[name]) for name in names if fields.get(name) is not None), whole)


Span = tuple[int, int]
MOST_WORK = 20_000_000
"""Characters looked through for the triplets of one region; beyond it their line is their place."""
FARTHEST_APART = 120
"""Characters between two names of a triplet."""
LINE_END = re.compile(r"\r\n|\r|\n")
ORDERS = ((0, 1, 2), (0, 2, 1), (1, 0, 2))
"""Source, edge and target as forms write them: the edge in the middle, last, or first."""


class _Candidate(NamedTuple):
    """A span that may belong to a triplet, ordered: with arrows first, then shorter ones, then by position."""

    lacks_arrows: bool
    length: int
    order: int
    span: Span


def places_of(text: str, reading: Reading) -> tuple[Span, ...]:
    """Return the places of all triplets of a reading of this text, in the order of the text."""
    ends = [0, *(match.end() for match in LINE_END.finditer(text)), len(text) + 1]
    on_line: dict[int, list[Triplet]] = {}
    for graph, lines in zip(reading.graphs, reading.lines, strict=True):
        for triplet, number in zip(graph, lines, strict=True):
            on_line.setdefault(number, []).append(triplet)
    numbers = sorted(on_line)
    spans: list[Span] = []
    for number, following in pairwise([*numbers, len(ends)]):
        line = Part(text[ends[number - 1] : ends[number]], ends[number - 1]).strip()
        further = Part(text[line.start : ends[following - 1]], line.start).strip()
        spans += _places(on_line[number], line, further)
    return tuple(sorted(set(spans)))


def places_in_value(text: str, reading: Reading, key: str) -> tuple[Span, ...]:
    """Return the places of triplets that were read in the field ``key`` of an object which this text is."""
    match = re.search(rf'"{re.escape(key)}"\s*:', text, re.IGNORECASE)
    part = Part(text).cut(match.end() if match else 0).strip()
    return tuple(sorted(set(_places([triplet for graph in reading.graphs for triplet in graph], part, part))))


def _places(triplets: list[Triplet], line: Part, further: Part) -> Iterator[Span]:
    """Yield the positions of triplets that begin on a line; a value's names may be on later lines."""
    used_spans: set[Span] = set()
    for region in (line, further):
        if len(triplets) * len(region.text) > MOST_WORK:
            break
        left = []
        for triplet in triplets:
            candidate = min(_candidates(triplet, region, used_spans), default=None)
            if candidate is None:
                left.append(triplet)
            else:
                used_spans.add(candidate.span)
                yield candidate.span
        triplets = left
    if triplets:
        yield line.start, line.end


def _candidates(triplet: Triplet, region: Part, used_spans: set[Span]) -> Iterator[_Candidate]:
    """Yield the stretches with the three names that are not taken."""
    names = [_written(name) for name in triplet]
    gap = rf"(?:(?!\n\s*\n)[\s\S]){{1,{FARTHEST_APART}}}?"
    for order, places in enumerate(ORDERS):
        pattern = re.compile(rf"(?=({gap.join(names[position] for position in places)}))", re.IGNORECASE)
        for match in pattern.finditer(region.text):
            span = region.start + match.start(1), region.start + match.end(1)
            if span not in used_spans:
                yield _Candidate(ARROW.search(match.group(1)) is None, len(match.group(1)), order, span)


def _written(name: str) -> str:
    """Return a pattern for a name as it may be written: with other marks between its words, or escaped as in JSON."""
    words = r"[\s_-]{1,3}".join(map(re.escape, re.split(r"[\s_-]+", name)))
    escaped = re.escape(json.dumps(name)[1:-1])
    return rf"(?<!\w)(?:{words}|{escaped})(?!\w)"
