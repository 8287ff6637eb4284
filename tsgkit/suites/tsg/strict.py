"""Strict reading: an answer as it is compared, or a reason why there is none.

>>> letter("A close reading suggests\\nFinal answer: [c]", ["", "", ""]).value, word("So it is **[the rope.]**").value
('C', 'rope')
>>> letter("I think it is the second", ["", ""])
Unreadable(reason='no answer')

Names are folded before they are compared: trimmed, lower-cased, without quotes and a final period. Spaces and hyphens
stay different; the metric ``normalised`` looks past them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import NamedTuple

from tsgkit.errors import NotationError
from tsgkit.graph.model import ActionGraph, Triplet, Vocabulary
from tsgkit.graph.notation.json_triplets import load
from tsgkit.graph.reading import Reading, read
from tsgkit.replies import Part, Read, Unreadable, lists, words
from tsgkit.replies.choices import choice
from tsgkit.replies.fences import without_fences
from tsgkit.replies.lists import Listed
from tsgkit.replies.sections import answer_section
from tsgkit.suites.tsg.samples import LETTERS
from tsgkit.suites.tsg.shared_work import Graphs, once_for_the_same

AROUND = "\"'`“”‘’ \t\r\n"
ALTERNATIVE = re.compile(r"^\W*(?:option|alternative|variant|possibility)\s*(?:\d{1,2}|[A-D])\b\W*$", re.I | re.M)
LONGEST_KEPT = 40
"""Names up to this length are remembered folded: those of L come again and again, longer ones are no names."""


class GraphAnswer(NamedTuple):
    """The graphs that were read, folded, the reading they come from, and what else is to be noted of them."""

    graphs: tuple[ActionGraph, ...]
    reading: Reading
    asides: tuple[str, ...] = ()


def letter(reply: str, candidates: Sequence[str]) -> Read[str] | Unreadable:
    """Return the letter of one of these candidates."""
    return choice(reply, dict(zip(LETTERS, candidates, strict=False)))


def word(reply: str, known: AbstractSet[str] = frozenset()) -> Read[str] | Unreadable:
    """Return one name, folded; ``known`` are folded names that are one whatever they look like."""
    found = words.word(reply, known)
    return found if isinstance(found, Unreadable) else found._replace(value=fold(found.value))


def names(reply: str) -> Listed | Unreadable:
    """Return the names of a list, folded."""
    found = lists.names(reply)
    if isinstance(found, Unreadable):
        return found
    folded = [(name, span) for name, span in zip(map(fold, found.names), found.spans, strict=True) if name]
    if not folded:
        return Unreadable("no names listed")
    return found._replace(names=tuple(name for name, _ in folded), spans=tuple(span for _, span in folded))


def graphs(reply: str, k: int) -> GraphAnswer | Unreadable:
    """The graphs of the answer section, by the tolerant reader."""
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


@lru_cache(maxsize=64)
def fold_vocabulary(vocabulary: Vocabulary) -> Vocabulary:
    """L with every element folded, as the graphs are that it is compared with."""
    lists = (vocabulary.objects, vocabulary.relationships, vocabulary.verbs)
    return Vocabulary(*(tuple(fold(name) for name in names) for names in lists))


def fold(name: str) -> str:
    """A name trimmed, lower-cased, without quotes around it and a final period."""
    return _fold_kept(name) if len(name) <= LONGEST_KEPT else _fold(name)


def _fold(name: str) -> str:
    return name.strip(AROUND).removesuffix(".").strip(AROUND).lower()


_fold_kept = lru_cache(maxsize=8192)(_fold)


def fold_triplet(triplet: Triplet) -> Triplet:
    """A triplet with every element folded."""
    source, edge, target = triplet
    folded = _fold_kept if len(source) + len(edge) + len(target) <= LONGEST_KEPT else fold
    return Triplet(folded(source), folded(edge), folded(target))


def fold_graph(graph: ActionGraph) -> ActionGraph:
    """A graph with every element folded."""
    return ActionGraph([fold_triplet(triplet) for triplet in graph.triplets])


@once_for_the_same
def fold_graphs(graphs: Graphs) -> tuple[ActionGraph, ...]:
    """The references of a sample folded; scores and evidence ask for the same ones."""
    return tuple(map(fold_graph, graphs))
