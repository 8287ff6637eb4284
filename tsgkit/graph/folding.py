"""Normalisation of names for scoring: trimmed, in lower case, without quotes and a final period.

>>> fold(' "Tea Bag." '), fold("tea-bag")
('tea bag', 'tea-bag')

Spaces and hyphens stay different here; :func:`tsgkit.lexicon.fold` takes them for the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tsgkit.graph.memo import once_for_the_same
from tsgkit.graph.model import ActionGraph, Triplet, Vocabulary

AROUND = "\"'`“”‘’ \t\r\n"
LONGEST_KEPT = 40
"""Names up to this length are remembered folded: those of L come again and again, longer ones are no names."""


def fold(name: str) -> str:
    """Return a name trimmed, lower-cased, without quotes around it and a final period."""
    return _fold_kept(name) if len(name) <= LONGEST_KEPT else _fold(name)


def _fold(name: str) -> str:
    return name.strip(AROUND).removesuffix(".").strip(AROUND).lower()


_fold_kept = lru_cache(maxsize=8192)(_fold)


def fold_triplet(triplet: Triplet) -> Triplet:
    """Return a triplet with every element folded."""
    source, edge, target = triplet
    folded = _fold_kept if len(source) + len(edge) + len(target) <= LONGEST_KEPT else fold
    return Triplet(folded(source), folded(edge), folded(target))


def fold_graph(graph: ActionGraph) -> ActionGraph:
    """Return a graph with every element folded."""
    return ActionGraph([fold_triplet(triplet) for triplet in graph.triplets])


@once_for_the_same
def fold_graphs(graphs: Sequence[ActionGraph]) -> tuple[ActionGraph, ...]:
    """Return graphs folded, such as the references of an item; scores and evidence ask for the same ones."""
    return tuple(map(fold_graph, graphs))


@lru_cache(maxsize=64)
def fold_vocabulary(vocabulary: Vocabulary) -> Vocabulary:
    """Return L with every element folded, as the graphs are that it is compared with."""
    lists = (vocabulary.objects, vocabulary.relationships, vocabulary.verbs)
    return Vocabulary(*(tuple(fold(name) for name in names) for names in lists))
