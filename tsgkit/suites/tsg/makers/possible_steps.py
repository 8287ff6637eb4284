"""Possible steps of a story: what is done in it, and what else the person could do with the same things.

>>> hang = ActionGraph.of(("person", "verb", "hang"), ("hang", "dobj", "cup"), ("hang", "on", "hook"))
>>> wash = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "brush"))
>>> for frame, entries in PossibleSteps.of([hang, wash]).frames.items():
...     print(frame, [*entries])
Frame(thing='cup', place='hook', tool='') [Entry(action='hang', edge='on')]
Frame(thing='cup', place='', tool='brush') [Entry(action='wash', edge='')]
Frame(thing='cup', place='', tool='') [Entry(action='wash', edge='')]

Steps with the same thing and the same place or tool are a frame: their sentences differ in what is done. Nothing is
inferred from other things: only an action that is seen with exactly these is possible.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tsgkit.graph.model import DOBJ, HANDS, WITH, ActionGraph
from tsgkit.suites.tsg.makers.claims import hands_of
from tsgkit.suites.tsg.makers.sentence_patterns import is_plural

AMONG = ("between", "among")
"""Prepositions that need several things."""


class Frame(NamedTuple):
    """The parts that all sentences of a choice say beside the action: its object, and a place, a tool or neither."""

    thing: str
    place: str = ""
    tool: str = ""


class Entry(NamedTuple):
    """An action in a frame, with the preposition before the place."""

    action: str
    edge: str = ""


@dataclass
class PossibleSteps:
    """The entries of each frame; the value is true where the hands that do it may be counted."""

    frames: defaultdict[Frame, dict[Entry, bool]] = field(default_factory=lambda: defaultdict(dict))

    @classmethod
    def of(cls, attested: Iterable[ActionGraph], added: Iterable[ActionGraph] = ()) -> PossibleSteps:
        """Return the steps that stories have and those that are added to them.

        An added step that both hands do is as possible with one hand.
        """
        steps = cls()
        for graph in attested:
            for frame, entry in _entries(graph):
                steps.frames[frame].setdefault(entry, False)
        for graph in added:
            for frame, entry in _entries(graph):
                steps.frames[frame][entry] = steps.frames[frame].get(entry, False) or len(hands_of(graph)) > 1
        return steps

    def of_thing(self, thing: str) -> Iterator[Frame]:
        """Yield the frames of a thing in the order in which they were found."""
        return (frame for frame in self.frames if frame.thing == thing)


def _entries(graph: ActionGraph) -> Iterator[tuple[Frame, Entry]]:
    """Yield a frame for each place of a step; without any, one for each tool and one of its object alone."""
    things = [one.target for one in graph.triplets if one.edge == DOBJ]
    if len(graph.actions) != 1 or len(things) != 1:
        return
    [action] = graph.actions
    ends = [one for one in graph.triplets if one.source == action and one.edge != DOBJ and one.target not in HANDS]
    if places := [one for one in ends if one.edge != WITH]:
        sound = (one for one in places if one.edge not in AMONG or is_plural(one.target))
        yield from ((Frame(things[0], target), Entry(action, edge)) for _, edge, target in sound)
    else:
        yield from ((Frame(things[0], tool=one.target), Entry(action)) for one in ends)
        yield Frame(things[0]), Entry(action)
