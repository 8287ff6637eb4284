"""Positions of the triplets of a reading in the text.

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
from itertools import pairwise
from typing import NamedTuple

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading import Reading
from tsgkit.graph.reading.line_prefixes import ARROW
from tsgkit.replies import Part

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
    found: list[Span] = []
    for number, following in pairwise([*numbers, len(ends)]):
        line = Part(text[ends[number - 1] : ends[number]], ends[number - 1]).strip()
        further = Part(text[line.start : ends[following - 1]], line.start).strip()
        found += _places(on_line[number], line, further)
    return tuple(sorted(set(found)))


def places_in_value(text: str, reading: Reading, key: str) -> tuple[Span, ...]:
    """Return the places of triplets that were read in the field ``key`` of an object which this text is."""
    match = re.search(rf'"{re.escape(key)}"\s*:', text, re.IGNORECASE)
    part = Part(text).cut(match.end() if match else 0).strip()
    return tuple(sorted(set(_places([triplet for graph in reading.graphs for triplet in graph], part, part))))


def _places(triplets: list[Triplet], line: Part, further: Part) -> Iterator[Span]:
    """Yield the positions of triplets that begin on a line; a value's names may be on later lines."""
    taken: set[Span] = set()
    for region in (line, further):
        if len(triplets) * len(region.text) > MOST_WORK:
            break
        left = []
        for triplet in triplets:
            place = min(_candidates(triplet, region, taken), default=None)
            if place is None:
                left.append(triplet)
            else:
                taken.add(place.span)
                yield place.span
        triplets = left
    if triplets:
        yield line.start, line.end


def _candidates(triplet: Triplet, region: Part, taken: set[Span]) -> Iterator[_Candidate]:
    """Yield the stretches with the three names that are not taken."""
    names = [_written(name) for name in triplet]
    gap = rf"(?:(?!\n\s*\n)[\s\S]){{1,{FARTHEST_APART}}}?"
    for order, places in enumerate(ORDERS):
        pattern = re.compile(rf"(?=({gap.join(names[place] for place in places)}))", re.IGNORECASE)
        for match in pattern.finditer(region.text):
            span = region.start + match.start(1), region.start + match.end(1)
            if span not in taken:
                yield _Candidate(ARROW.search(match.group(1)) is None, len(match.group(1)), order, span)


def _written(name: str) -> str:
    """Return a pattern for a name as it may be written: with other marks between its words, or escaped as in JSON."""
    words = r"[\s_-]{1,3}".join(map(re.escape, re.split(r"[\s_-]+", name)))
    escaped = re.escape(json.dumps(name)[1:-1])
    return rf"(?<!\w)(?:{words}|{escaped})(?!\w)"
