"""Graphs of a reply's answer without its reasoning, folded; or the reason why there are none.

>>> answer = read_graphs("The lid is -> not -> washed.\\nFinal graphs:\\nPerson -> verb -> Wash", 1)
>>> [str(graph) for graph in answer.graphs]
['person -> verb -> wash']
>>> read_graphs("I am sorry.", 1)
Unreadable(reason='no triplet found')
"""

from __future__ import annotations

import json
from typing import NamedTuple

from tsgkit.errors import NotationError
from tsgkit.graph.folding import fold_graph
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.notation.json_triplets import load
from tsgkit.graph.reading import Reading, read
from tsgkit.graph.reading.positions import places_in_value, places_of
from tsgkit.replies import Part, Unreadable
from tsgkit.replies.corrections import ALTERNATIVE
from tsgkit.replies.fences import without_fences
from tsgkit.replies.sections import answer_section


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
    section = answer_section(reply)
    if isinstance(section, Unreadable):
        return section
    field, value = _json_field(section.part, "graphs", "answer")
    reading = read(value if isinstance(value, str) else json.dumps(value), k)
    if not reading.graphs:
        return Unreadable("no triplet found")
    if k == 1 and len(reading.graphs) > 1 and len(ALTERNATIVE.findall(section.part.text)) > 1:
        return Unreadable("two answers: alternatives are offered")
    graphs = tuple(fold_graph(graph) for graph in reading.graphs)
    return GraphAnswer(graphs, reading, said=section.part, field=field)


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
