"""Sentences about action graphs, with the words in them that stand for elements of the graphs.

>>> sentence = Sentence("Take the cloth off the bowl.", {"take": ("Take",), "towel": ("cloth",), "bowl": ("bowl",)},
...     ("hand1",))
>>> sentence.says("towel"), sentence.says("hand1")
(('cloth',), ())
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tsgkit.graph.model import PERSON, ActionGraph


@dataclass(frozen=True)
class Sentence:
    """A text about graphs, and its account of their nodes (actions, objects, hands; the person needs none).

    A node is said by words of the text, or implied: left to be inferred.
    """

    text: str
    said: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By node, the words of the text that stand for it, each time that it is said."""
    implied: tuple[str, ...] = ()
    """The nodes that no word of the text stands for."""
    tags: tuple[str, ...] = ()
    """Labels of how it is worded: ``implicit``, ``repetition``, ``bare``."""

    def says(self, node: str) -> tuple[str, ...]:
        """Return the words that stand for a node; none if it is implied."""
        return self.said.get(node, ())


def nodes_of(graph: ActionGraph) -> Iterator[str]:
    """Yield the actions, things and hands of a graph, all that an account is about."""
    return (name for triplet in graph for name in (triplet.source, triplet.target) if name != PERSON)
