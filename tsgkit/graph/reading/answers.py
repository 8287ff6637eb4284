"""The graphs of a reply's answer, without its reasoning: folded, or a reason why there are none.

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
from tsgkit.replies import Part, Unreadable
from tsgkit.replies.corrections import ALTERNATIVE
from tsgkit.replies.fences import without_fences
from tsgkit.replies.sections import answer_section


class GraphAnswer(NamedTuple):
    """The graphs that were read, folded, the reading they come from, and what else is to be noted of them."""

    graphs: tuple[ActionGraph, ...]
    reading: Reading
    asides: tuple[str, ...] = ()


def read_graphs(reply: str, k: int) -> GraphAnswer | Unreadable:
    """Return the graphs of the answer section, where ``k`` were asked for, by the tolerant reader."""
    section = answer_section(reply)
    if isinstance(section, Unreadable):
        return section
    field = _json_field(section.part, "graphs", "answer")
    reading = read(section.part.text if field is None else field if isinstance(field, str) else json.dumps(field), k)
    if not reading.graphs:
        return Unreadable("no triplet found")
    if k == 1 and len(reading.graphs) > 1 and len(ALTERNATIVE.findall(section.part.text)) > 1:
        return Unreadable("two answers: alternatives are offered")
    return GraphAnswer(tuple(fold_graph(graph) for graph in reading.graphs), reading)


def _json_field(section: Part, *names: str) -> object:
    """Return the first of these fields of a section that is one JSON object, in a fence or not; None for none."""
    if "{" not in section.text:
        return None
    text = without_fences(section).text.strip()
    if not text.startswith("{"):
        return None
    try:
        value = load(text)
    except NotationError:
        return None
    fields = {key.lower(): part for key, part in value.items()} if isinstance(value, dict) else {}
    return next((fields[name] for name in names if name in fields), None)
