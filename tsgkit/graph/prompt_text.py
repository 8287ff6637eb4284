"""Graphs and L as text in prompts.

>>> from tsgkit.graph.model import ActionGraph
>>> wash = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"))
>>> print(numbered([wash, wash]))
Graph 1:
person -> verb -> wash
wash -> dobj -> cup
<BLANKLINE>
Graph 2:
person -> verb -> wash
wash -> dobj -> cup
"""

from __future__ import annotations

from collections.abc import Sequence

from tsgkit.graph.memo import once_for_the_same
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Vocabulary

NOTHING_BEFORE = "(nothing: the scene begins here)"
"""The text for an empty context."""


@once_for_the_same
def numbered(graphs: Sequence[ActionGraph]) -> str:
    """Return graphs as blocks of arrow lines, numbered from 1."""
    return "\n\n".join([f"Graph {number}:\n{arrows(graph)}" for number, graph in enumerate(graphs, 1)])


def arrows(graph: ActionGraph) -> str:
    """Return a graph as arrow lines; unlike the notation of files, this refuses no name."""
    return "\n".join([f"{source} -> {edge} -> {target}" for source, edge, target in graph.triplets])


def allowed_nodes(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the nodes of L: objects, verbs, and the nodes that every L allows."""
    return tuple(dict.fromkeys((*vocabulary.objects, *vocabulary.verbs, PERSON, *HANDS)))


def allowed_edges(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the edges of L, and the edges that every L allows."""
    return tuple(dict.fromkeys((*vocabulary.relationships, VERB, DOBJ)))


def allowed_actions(vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the actions of L; where it names none, any node may be one.

    >>> allowed_actions(Vocabulary(objects=("cup",), verbs=("wash", "dry")))
    ('wash', 'dry')
    """
    return tuple(dict.fromkeys(vocabulary.verbs)) or allowed_nodes(vocabulary)
