"""Pairs that occur in stories: what is done to which things, with what, and where things go.

>>> put = ActionGraph.of(("person", "verb", "put"), ("put", "dobj", "cup"), ("put", "into", "box"))
>>> known = Attestations()
>>> known.add([put])
>>> known.fits("put", "cup", "into", "box"), known.fits("put", "box", "into", "box"), known.fits("put", "cup")
(True, False, False)

A wrong sentence that puts things together as no story does is found without a graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tsgkit.graph.model import DOBJ, HANDS, VERB, WITH, ActionGraph
from tsgkit.lexicon.tables import word_set

COMMON = 3
"""The number of stories from which on an action is no speciality of one trade."""
MOVES = {
    action: word_set(edges)
    for action, edges in {
        "take": "from out-of off",
        "fetch": "from",
        "lift": "from out-of off over",
        "raise": "off over",
        "draw": "from out-of through",
        "pull": "from out-of off over through under",
        "push": "into onto off through under",
        "slide": "into onto out-of off over through under along to",
        "slip": "into onto out-of off over through under",
        "ease": "into onto out-of off through",
        "shake": "out-of",
        "knock": "off",
        "tip": "into out-of",
        "drop": "into in onto on",
        "lower": "into onto over",
        "put": "into in onto on over under behind beside next-to",
        "put-back": "into in onto on",
        "lay": "onto on over across beside",
    }.items()
}
"""Actions to whatever can be moved, from and to any place, with their prepositions."""
FLOWING = word_set(
    "pour scoop bail drain drink spread stir whisk beat squirt inject sprinkle strew scatter melt spray knead"
)
"""Actions to what cannot be moved as a whole."""
BODY = word_set("foot arm leg hand finger thumb toe head hair paw ear eye knee nose neck tail")
"""Parts of a body, which are not taken off or tipped out."""
MOVED = 2
"""So many moves of a thing show that it can be moved."""


@dataclass
class Attestations:
    """The pairs of all stories."""

    actions: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By thing, what is done to it."""
    objects: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By action, what it is done to."""
    places: defaultdict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    """By action and preposition, the places; of an action without any, an empty one."""
    tools: set[tuple[str, str]] = field(default_factory=set)
    """Actions with what they are done with."""
    edges: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By place, the prepositions before it."""
    stories: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    """By action, the number of stories that have it."""

    def add(self, graphs: Iterable[ActionGraph]) -> None:
        """Add the pairs of a story."""
        actions = set[str]()
        for graph in graphs:
            actions.update(graph.actions)
            for source, edge, target in graph.triplets:
                if edge == DOBJ:
                    self.actions[target].add(source)
                    self.objects[source].add(target)
                elif edge == WITH:
                    self.tools.add((source, target))
                elif edge != VERB and target not in HANDS:
                    self.places[source, edge].add(target)
                    self.edges[target].add(edge)
            if all(one.edge in (VERB, DOBJ) or one.target in HANDS for one in graph.triplets):
                self.places[graph.actions[0] if graph.actions else "", ""].add("")
        for action in actions:
            self.stories[action] += 1

    def is_movable(self, thing: str) -> bool:
        """Return whether a thing is seen to be moved as a whole."""
        known = self.actions[thing]
        return len(known & MOVES.keys()) >= MOVED and not known & FLOWING and thing not in BODY

    def fits(self, action: str, thing: str, edge: str = "", place: str = "") -> bool:
        """Return whether an action is done to a thing, and at a place or without any; moves take what can be moved
        anywhere."""
        is_move = edge in MOVES.get(action, ()) and self.is_movable(thing)
        return is_move or (thing in self.objects[action] and place in self.places[action, edge])
