"""Strict reading: what follows the last answer label, else the whole reply, gives an answer or a reason for none.

>>> letter("A close reading suggests\\nFinal answer: [c]", 5), word("So it is **[the rope.]**")
('C', 'the rope')
>>> letter("I think it is the second", 5)
Unreadable(reason='no letter in brackets, and not one letter alone')

Names are folded before they are compared: trimmed, lower-cased, without quotes and a final period. Spaces and hyphens
stay different; the metric ``normalised`` looks past them.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import NamedTuple

from tsgkit.errors import NotationError
from tsgkit.graph.model import ActionGraph, Triplet, Vocabulary
from tsgkit.graph.notation.json_triplets import load
from tsgkit.graph.reading import Reading, read
from tsgkit.suites.tsg.samples import LETTERS
from tsgkit.suites.tsg.sections import answer_section
from tsgkit.suites.tsg.shared_work import Graphs, once_for_the_same

BRACKET = re.compile(r"\[([^\[\]]*)\]")
FENCE = re.compile(r"^\s*```[a-z]*|```\s*$")
WRAPPERS = (
    (re.compile(r"\\text\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\boxed\{([^{}]*)\}"), r"[\1]"),
    (re.compile(r"<answer>([^<>]*)</answer>", re.IGNORECASE), r"[\1]"),
    (re.compile(r"\\([\[\]])"), r"\1"),
)
AROUND = "\"'`“”‘’ \t\r\n"
MARKS = "*_()[]{}"
LONGEST_KEPT = 40
"""Names up to this length are remembered folded: those of L come again and again, longer ones are no names."""


class Unreadable(NamedTuple):
    """No answer could be read, and why."""

    reason: str


class GraphAnswer(NamedTuple):
    """The graphs that were read, folded, the reading they come from, and what else is to be noted of them."""

    graphs: tuple[ActionGraph, ...]
    reading: Reading
    asides: tuple[str, ...] = ()


def letter(reply: str, candidates: int) -> str | Unreadable:
    """The last bracketed letter of the answer section, else the section if it is one letter."""
    section = _answer_text(reply)
    letters = [found for found in map(_bare, BRACKET.findall(section)) if len(found) == 1 and found.isalpha()]
    found = letters[-1] if letters else fold(section.strip(AROUND + MARKS + "."))
    if not letters and len(found) != 1:
        return Unreadable("no letter in brackets, and not one letter alone" if found else "no answer after the label")
    if found.upper() not in LETTERS[:candidates]:
        return Unreadable(f"{found.upper()} is none of the {candidates} candidates")
    return found.upper()


def word(reply: str) -> str | Unreadable:
    """What the last bracket of the answer section holds, else the section if it is one word."""
    section = _answer_text(reply)
    brackets = [_bare(part) for part in BRACKET.findall(section)]
    if brackets:
        named = [found for found in brackets if not found.isdecimal()] or brackets  # a footnote is no answer
        return named[-1] or Unreadable("the last bracket is empty")
    alone = _bare(section)
    if not alone:
        return Unreadable("no answer after the label")
    return alone if len(alone.split()) == 1 else Unreadable("no brackets, and more than one word")


def graphs(reply: str, k: int) -> GraphAnswer | Unreadable:
    """The graphs of the answer section, by the tolerant reader."""
    section = answer_section(reply).text
    field = _json_field(section, "graphs", "answer")
    reading = read(section if field is None else field if isinstance(field, str) else json.dumps(field), k)
    if not reading.graphs:
        return Unreadable("no triplet found")
    return GraphAnswer(tuple(fold_graph(graph) for graph in reading.graphs), reading)


def _bare(text: str) -> str:
    """A word folded, without bold and code marks around it."""
    return fold(text.strip(AROUND + "*_"))


def _answer_text(reply: str) -> str:
    """The answer section, wrappers that stand for brackets opened; of a JSON object, its field ``answer``."""
    section = answer_section(reply).text
    for pattern, bracket in WRAPPERS:
        section = pattern.sub(bracket, section)
    answer = _json_field(section, "answer", "final_answer")
    return answer if isinstance(answer, str) else section


def _json_field(section: str, *names: str) -> object:
    """The first of these fields of a section that is one JSON object, in a fence or not; None where there is none."""
    if "{" not in section:
        return None
    text = FENCE.sub("", section).strip()
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
