"""Habits: how often edges occur with a verb, a label or an object in some graphs.

>>> fill = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "from", "tap"))
>>> habits = Habits.of([fill, fill])
>>> habits.count("fill", "from", "tap"), habits.count("fill", "from", ""), habits.count("", "from", "cup")
(2, 2, 0)
>>> habits.nearest("fill", "kettle", 0, 3)
[1]
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tsgkit.graph.model import DOBJ, HANDS, VERB, ActionGraph, Triplet

ANY = ""
"""Stands for any verb, label or object in a count."""
HAND = "a hand"
"""Stands for either hand in a count."""


@dataclass
class Habits:
    """Counts of edges by the graph's action, label and target; ``ANY`` in a place counts all.

    An edge between two objects is counted under its source. ``acts`` maps an action and its object to the numbers of
    their graphs, and ``ends`` a source and its label (or ``ANY``) to their targets.
    """

    edges: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    handed: Counter[tuple[str, int]] = field(default_factory=Counter)
    acts: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    ends: dict[tuple[str, str], dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    graphs: int = 0

    @classmethod
    def of(cls, graphs: Iterable[ActionGraph]) -> Habits:
        """Return the habits of some graphs."""
        habits = cls()
        for graph in graphs:
            habits.add(graph)
        return habits

    def add(self, graph: ActionGraph) -> None:
        """Count one more graph."""
        counted(self.edges, graph, 1)
        for one in graph.triplets:
            if one.edge != VERB:
                self.ends[one.source, one.edge][one.target] = None
                if one.edge != DOBJ:
                    self.ends[one.source, ANY][one.target] = None
        hands = len({name for one in graph for name in (one.source, one.target) if name in HANDS})
        for action in graph.actions:
            self.actions[action] += 1
            self.handed[action, hands] += 1
            for one in graph.triplets:
                if one.edge == DOBJ:
                    self.acts[action, one.target].append(self.graphs)
        self.graphs += 1

    def count(self, start: str, label: str, end: str) -> int:
        """Return how often an edge occurs; ``ANY`` matches everything, and hands are one."""
        return self.edges[start, label, HAND if end in HANDS else end]

    def nearest(self, action: str, thing: str, number: int, most: int) -> list[int]:
        """Return the numbers of the other graphs with this action and direct object that are nearest to a graph."""
        places = self.acts.get((action, thing), [])
        at = bisect_left(places, number)
        near = [place for place in places[max(0, at - most) : at + most + 1] if place != number]
        return sorted(near, key=lambda place: abs(place - number))[:most]


def counted(edges: Counter[tuple[str, str, str]], graph: ActionGraph, times: int) -> None:
    """Add the edges of a graph to counts, or take them away."""
    for one in set(graph.triplets):
        if one.edge != VERB:
            for key in keys_of(one):
                edges[key] += times


def keys_of(triplet: Triplet) -> Iterable[tuple[str, str, str]]:
    """Return the names under which an edge is counted."""
    start, label, end = triplet
    start, end = (HAND if name in HANDS else name for name in (start, end))
    return (
        (start, label, end),
        (start, label, ANY),
        (start, ANY, end),
        (ANY, label, end),
        (ANY, ANY, end),
        (ANY, label, ANY),
        (start, ANY, ANY),
    )
