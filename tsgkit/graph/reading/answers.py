"""Graphs of a reply's answer without its reasoning, folded; or the reason why there are none.

>>> answer = read_graphs("The lid is -> not -> washed.\\nFinal graphs:\\nPerson -> verb -> Wash", 1)
>>> [str(graph) for graph in answer.graphs]
['person -> verb -> wash']
>>> read_graphs("I am sorry.", 1)
Unreadable(reason='no triplet found')
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import NamedTuple

from tsgkit.errors import NotationError
from tsgkit.graph.folding import fold_graph, fold_triplet
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.notation.json_triplets import load
from tsgkit.graph.reading import Note, Reading, read
from tsgkit.graph.reading.corrections import SAME_NUMBER, UNDECIDED
from tsgkit.graph.reading.headings import BEFORE
from tsgkit.graph.reading.lines import HEADING, NO_TRIPLET, NUMBERED
from tsgkit.graph.reading.positions import places_in_value, places_of
from tsgkit.replies import Part, Unreadable
from tsgkit.replies.fences import without_fences
from tsgkit.replies.sections import answer_section

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
