"""Parts of graphs that occur in stories: what is usually done to a thing, and where things usually go.

>>> put = ActionGraph.of(("person", "verb", "put"), ("put", "dobj", "cup"), ("put", "on", "shelf"))
>>> take = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup"), ("take", "off", "shelf"))
>>> attestations = Attestations()
>>> attestations.add([put, put, take])
>>> attestations.share(take, take), attestations.share(put, put)
(0.2, 1.0)

Whoever does not see the graph of a choice may still guess by what is usual. So the usual must not give it away.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from tsgkit.graph.model import DOBJ, HANDS, VERB, ActionGraph, Triplet

Part = tuple[str, ...]


@lru_cache(maxsize=50_000)
def parts_of(graph: ActionGraph) -> frozenset[Part]:
    """Return the parts of a graph: an action with a preposition, a preposition with a thing, an action with its object.

    Hands are no part.
    """
    return frozenset(part for triplet in graph.triplets for part in _parts(*triplet))


def _parts(source: str, edge: str, target: str) -> tuple[Part, ...]:
    if edge == VERB or target in HANDS:
        return ()
    parts = (("from", source, edge), ("to", edge, target))
    return (*parts, ("object", source, target)) if edge == DOBJ else parts


@dataclass
class Attestations:
    """The number of steps that each part occurs in."""

    counts: Counter[Part] = field(default_factory=Counter)

    def add(self, graphs: Iterable[ActionGraph]) -> None:
        """Count the parts of steps."""
        for graph in graphs:
            self.counts.update(parts_of(graph))

    def fit(self, triplet: Triplet, step: ActionGraph) -> float:
        """Return the share of a triplet's parts that occur in steps other than this one."""
        parts, own = _parts(*triplet), parts_of(step)
        return sum(self.counts[part] > (part in own) for part in parts) / len(parts) if parts else 0.0

    def edge_fit(self, triplet: Triplet, edge: str) -> float:
        """Return the share of parts that occur where an edge has another label, which its step has nowhere."""
        source, _, target = triplet
        return ((self.counts["from", source, edge] > 0) + (self.counts["to", edge, target] > 0)) / 2

    def share(self, graph: ActionGraph, step: ActionGraph) -> float:
        """Return the share of a graph's parts that occur in steps other than this one."""
        parts, own = parts_of(graph), parts_of(step)
        seen = sum(self.counts[part] > (part in own) for part in parts)
        return seen / len(parts) if parts else 0.0
