"""Reading as we trust it: the final answer, wherever it stands, or a reason why there is none.

>>> letter("A close reading suggests\\nFinal answer: [c]", 5), word("So it is **[the rope.]**")
('C', 'the rope')
>>> letter("I think it is the second", 5)
Unreadable(reason='no letter in brackets, and not one letter alone')

Names are folded before they are compared: trimmed, lower-cased, without quotes and a final period. Spaces and hyphens
stay different; the metric ``normalised`` looks past them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tsgkit.errors import NotationError
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.notation.json_triplets import load
from tsgkit.graph.reading import Reading, read
from tsgkit.suites.tsg.samples import LETTERS
from tsgkit.suites.tsg.sections import answer_section

BRACKET = re.compile(r"\[([^\[\]]*)\]")
AROUND = "\"'`“”‘’ \t\r\n"
MARKS = "*_()[]{}"


class Unreadable(NamedTuple):
    """No answer could be read, and why."""

    reason: str


class GraphAnswer(NamedTuple):
    """The graphs that were read, folded, and the reading they come from."""

    graphs: tuple[ActionGraph, ...]
    reading: Reading


def letter(reply: str, candidates: int) -> str | Unreadable:
    """The last bracketed letter of the answer section, else the section if it is one letter."""
    section = _answer_text(reply)
    letters = [found for found in (fold(part) for part in BRACKET.findall(section)) if len(found) == 1]
    found = letters[-1] if letters else fold(section.strip(AROUND + MARKS + "."))
    if not letters and len(found) != 1:
        return Unreadable("no letter in brackets, and not one letter alone" if found else "no answer after the label")
    if found.upper() not in LETTERS[:candidates]:
        return Unreadable(f"{found.upper()} is none of the {candidates} candidates")
    return found.upper()


def word(reply: str) -> str | Unreadable:
    """What the last bracket of the answer section holds, else the section if it is one word."""
    section = _answer_text(reply)
    brackets = BRACKET.findall(section)
    if brackets:
        return fold(brackets[-1]) or Unreadable("the last bracket is empty")
    alone = fold(section.strip(AROUND + "*_"))
    if not alone:
        return Unreadable("no answer after the label")
    return alone if len(alone.split()) == 1 else Unreadable("no brackets, and more than one word")


def graphs(reply: str, k: int) -> GraphAnswer | Unreadable:
    """The graphs of the answer section, by the tolerant reader."""
    reading = read(answer_section(reply).text, k)
    if not reading.graphs:
        return Unreadable("no triplet found")
    return GraphAnswer(tuple(fold_graph(graph) for graph in reading.graphs), reading)


def _answer_text(reply: str) -> str:
    """The answer section; of a reply in a JSON schema, its field ``answer``."""
    section = answer_section(reply).text
    if not section.strip().startswith("{"):
        return section
    try:
        value = load(section)
    except NotationError:
        return section
    answer = value.get("answer") if isinstance(value, dict) else None
    return answer if isinstance(answer, str) else section


def fold(name: str) -> str:
    """A name trimmed, lower-cased, without quotes around it and a final period."""
    return name.strip(AROUND).removesuffix(".").strip(AROUND).lower()


def fold_graph(graph: ActionGraph) -> ActionGraph:
    """A graph with every element folded."""
    return ActionGraph(Triplet(*(fold(part) for part in triplet)) for triplet in graph)
