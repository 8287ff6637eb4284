"""Wrong graphs for a step of a story: one thing changed, each with its kind, and surely not true of what has happened.

>>> take = [("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"), ("take", "with", "hand1")]
>>> story = Narrative.of([ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar")), ActionGraph.of(*take)])
>>> wrong, dropped = wrong_steps(story, 1, Random(0), most=100)
>>> sorted({one.kind for one in wrong})
['hand', 'object', 'order', 'preposition']
>>> next(str(one.graph) for one in wrong if one.kind == "order").splitlines()[1:3]
['take -> dobj -> bowl', 'take -> off -> towel']

A change is a value of a *slot*: a place of the graph where something else could stand. Changes of different slots can
be combined. A graph that may be true of the step, or of one before it (:mod:`tsgkit.suites.tsg.makers.claims`), is
dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

from tsgkit.graph.hands import GRASPS, RELEASES
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Narrative, Triplet
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.lexicon import opposites
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.makers.attestations import Attestations
from tsgkit.suites.tsg.makers.claims import (
    GENERAL,
    hands_of,
    is_hand_use,
    may_be_same_action,
    may_be_same_thing,
    may_be_true,
    surely_conflicting,
)

RIGHT = "right"
COMMON = (
    *("into", "onto", "off", "out-of", "from", "under", "behind", "over", "beside", "in", "on", "to"),
    *("inside", "beneath", "underneath", "next-to", "towards", "toward", "above"),
)
"""Prepositions that are tried in every story."""
MUTUAL = word_set(
    "next-to beside by near against between among alongside opposite and around across along adjacent-to like of"
)
"""Prepositions between two things that may be said the other way round, or nearly so."""
JOINING = word_set("mix join combine connect compare attach tie stir blend touch swap exchange align match pair fasten")
"""Actions to two things alike, so that these can change places."""
FASTENING = JOINING | word_set(
    "screw screw-on nail bolt glue tape pin clip clamp sew sew-on button stitch hook staple strap stick weld plug"
)
FASTENED = word_set("to onto on into in against")
"""The prepositions by which things are fastened to each other, either way."""
TARGET, EDGE = 2, 1
Cell = tuple[int, int]
"""A place in a graph: the number of a triplet, and its edge or its target."""


@dataclass(frozen=True)
class Change:
    """Other contents of some cells of a graph, another action, or other hands; nothing at all for the right graph."""

    kind: str
    cells: tuple[tuple[Cell, str], ...] = ()
    hands: tuple[str, ...] | None = None
    action: str = ""

    @property
    def places(self) -> frozenset[Cell | str]:
        """The places that it changes; changes of the same place exclude each other."""
        more = {name for name, is_used in (("hands", self.hands is not None), ("action", self.action)) if is_used}
        return frozenset({*(cell for cell, _ in self.cells), *more})


NO_CHANGE = Change(RIGHT)


@dataclass(frozen=True)
class Slot:
    """A place of a graph with the changes that can be made there, without what stands there now."""

    name: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class WrongStep:
    """A graph that is not what happened, and its difference."""

    graph: ActionGraph
    kind: str
    """``object``, ``preposition``, ``hand``, ``order``, ``action``, ``moment``; with ``+`` between several."""


class StoryView:
    """A story with what occurs in it, by role."""

    def __init__(self, story: Narrative, attestations: Attestations | None = None) -> None:
        self.story = story
        self.graphs = story.graphs
        self.attestations = attestations or Attestations()
        """What is usual; of this story alone where nothing else is known."""
        if attestations is None:
            self.attestations.add(self.graphs)
        triplets = [triplet for graph in self.graphs for triplet in graph.triplets]
        edges = Counter(triplet.edge for triplet in triplets if triplet.edge not in (VERB, DOBJ, WITH))
        self.prepositions = tuple(dict.fromkeys((*(name for name, _ in edges.most_common()), *COMMON)))
        """The prepositions of the story, the commonest first, then others that fit every story."""
        self.things: dict[str, tuple[str, ...]] = {
            role: tuple(dict.fromkeys(t.target for t in triplets if _role(t) == role)) for role in (DOBJ, WITH, "")
        }
        """What is handled, the tools, and the places."""
        self.actions = tuple(dict.fromkeys(graph.actions[0] for graph in self.graphs if graph.actions))
        self.actions_to: dict[str, dict[str, None]] = {}
        """By thing, the actions that are done to it."""
        for triplet in triplets:
            if triplet.edge == DOBJ:
                self.actions_to.setdefault(triplet.target, {})[triplet.source] = None
        self._slots: dict[int, tuple[Slot, ...]] = {}
        self._steps: dict[str, list[int]] = {}
        self.memo: dict[int, Any] = {}
        """What others find out about steps, by number."""

    def steps_like(self, action: str, last: int) -> list[int]:
        """Return the steps up to one, itself the first, that may have an action, the latest first."""
        if action not in self._steps:
            numbered = enumerate(self.graphs)
            self._steps[action] = [
                number for number, graph in numbered if any(may_be_same_action(action, one) for one in graph.actions)
            ]
        return [number for number in reversed(self._steps[action]) if number <= last]

    def slots(self, index: int) -> tuple[Slot, ...]:
        """Return the places of a step where something else of the story could stand."""
        if index not in self._slots:
            self._slots[index] = slots(self, self.graphs[index])
        return self._slots[index]


def _role(triplet: Triplet) -> str | None:
    """Return the role of what a triplet leads to; none for actions and hands."""
    if triplet.edge == VERB or triplet.target in (*HANDS, PERSON):
        return None
    return triplet.edge if triplet.edge in (DOBJ, WITH) else ""


def changed(graph: ActionGraph, changes: Iterable[Change]) -> ActionGraph:
    """Return a graph with changes made to different places of it."""
    rows = [list(triplet) for triplet in distinct(graph)]
    for change in changes:
        for (number, part), value in change.cells:
            rows[number][part] = value
        if change.action:
            rows = _with_action(rows, graph.actions[0], change.action)
    hands = next((change.hands for change in changes if change.hands is not None), None)
    if hands is not None:
        action = rows[0][0] if rows[0][1] != VERB else rows[0][2]
        kept = [row for row in rows if not is_hand_use(Triplet(*row))]
        rows = kept + [[action, WITH, hand] for hand in hands]
    return ActionGraph(rows)


def distinct(graph: ActionGraph) -> tuple[Triplet, ...]:
    """Return the triplets without repeats, the action first."""
    once = dict.fromkeys(graph.triplets)
    return tuple(sorted(once, key=lambda triplet: triplet.edge != VERB))


def slots(view: StoryView, graph: ActionGraph) -> tuple[Slot, ...]:
    """Return the places of a graph where something else of the story could stand."""
    found = (
        *preposition_slots(view, graph),
        *_object_slots(view, graph),
        *_order_slots(graph),
        _hand_slot(graph),
        _action_slot(view, graph),
    )
    return tuple(slot for slot in found if slot.changes)


def later_steps(view: StoryView, index: int) -> tuple[ActionGraph, ...]:
    """Return the graphs after a step, each once, those with most names of it first."""
    graphs = view.graphs
    names = set(graphs[index].elements)
    later = dict.fromkeys(graph for graph in graphs[index + 1 :] if len(graph.actions) == 1)
    return tuple(sorted(later, key=lambda graph: -len(names & set(graph.elements))))


def fault_of(wrong: ActionGraph, view: StoryView, index: int, *, hands: str = "named") -> str:
    """Return why a graph cannot be a wrong one for a step; empty if it can.

    ``hands``: ``named``, ``counted`` or ``unsaid``, as the sentence has it.
    """
    is_said, is_counted = hands != "unsaid", hands == "counted"
    for step in view.steps_like(wrong.actions[0], index):
        if may_be_true(wrong, view.graphs[step], hands=is_said, counted=is_counted):
            return "may be true of the step" if step == index else "may be true of an earlier step"
    return "" if _is_sound(wrong) else "makes no graph"


def _is_sound(graph: ActionGraph) -> bool:
    """Return whether changes of a well-formed graph have left it so: nothing stands in two places."""
    ends = [triplet.target for triplet in graph.triplets if triplet.edge != VERB and triplet.target not in HANDS]
    return len(set(ends)) == len(ends)


def is_well_formed(graph: ActionGraph) -> bool:
    """Return whether a graph breaks no rule of graphs."""
    return not any(finding.severity == ERROR for finding in check_graph(graph))


def wrong_steps(
    story: Narrative, index: int, choice: Random, most: int = 40
) -> tuple[tuple[WrongStep, ...], Counter[str]]:
    """Return wrong graphs for a step with one change each, and graphs of later steps; and why others were dropped."""
    view = StoryView(story)
    target = view.graphs[index]
    dropped: Counter[str] = Counter()
    found: dict[ActionGraph, WrongStep] = {}
    for graph, kind in _tried(view, index):
        counted = "counted" if kind == "hand" and len(hands_of(target)) == len(HANDS) else "named"
        fault = "the same graph twice" if graph in found else fault_of(graph, view, index, hands=counted)
        if fault:
            dropped[fault] += 1
        else:
            found[graph] = WrongStep(graph, kind)
    chosen = list(found.values())
    choice.shuffle(chosen)
    return tuple(chosen[:most]), dropped


def _tried(view: StoryView, index: int) -> Iterator[tuple[ActionGraph, str]]:
    target = view.graphs[index]
    for slot in view.slots(index):
        for change in slot.changes:
            yield changed(target, (change,)), change.kind
    for graph in later_steps(view, index):
        yield graph, "moment"


def _with_action(rows: list[list[str]], old: str, new: str) -> list[list[str]]:
    return [
        [new if part == old and (place == 0 or (place == TARGET and row[1] == VERB)) else part
         for place, part in enumerate(row)]
        for row in rows
    ]  # fmt: skip


def _places(graph: ActionGraph) -> list[tuple[int, Triplet]]:
    """Return the numbered triplets that lead from the action to a thing."""
    actions = graph.actions
    return [
        (number, triplet)
        for number, triplet in enumerate(distinct(graph))
        if triplet.source in actions and triplet.edge != VERB and triplet.target not in (*HANDS, PERSON)
    ]


def preposition_slots(view: StoryView, graph: ActionGraph) -> Iterator[Slot]:
    """Yield the edges of a graph whose preposition may surely be wrong, with such prepositions."""
    edges = {triplet.edge for triplet in graph.triplets}
    for number, triplet in _places(graph):
        if triplet.edge not in (DOBJ, WITH):
            others = [name for name in view.prepositions if name not in edges]
            wrong = [name for name in others if surely_conflicting(triplet.edge, name)]
            changes = (Change("preposition", (((number, EDGE), name),)) for name in wrong)
            if found := tuple(changes):
                yield Slot(f"preposition {number}", found)


def _object_slots(view: StoryView, graph: ActionGraph) -> Iterator[Slot]:
    own = {end for triplet in graph.triplets for end in (triplet.source, triplet.target)}
    for number, triplet in _places(graph):
        others = [
            name
            for name in view.things[_role(triplet) or ""]
            if name not in graph.actions and not any(may_be_same_thing(name, mine) for mine in own)
        ]
        yield Slot(f"object {number}", tuple(Change("object", (((number, TARGET), name),)) for name in others))


def _order_slots(graph: ActionGraph) -> Iterator[Slot]:
    for (one, first), (two, second) in combinations(_places(graph), 2):
        edges = {first.edge, second.edge}
        together = bool(edges & MUTUAL) or len(edges) == 1
        if together or (graph.actions[0] in JOINING and WITH in edges) or first.target == second.target:
            continue
        if graph.actions[0] in FASTENING and not edges.isdisjoint(FASTENED):
            continue
        if not surely_conflicting(first.edge, second.edge) and DOBJ not in edges and WITH not in edges:
            continue
        cells = (((one, TARGET), second.target), ((two, TARGET), first.target))
        yield Slot(f"order {one} {two}", (Change("order", cells),))


def _hand_slot(graph: ActionGraph) -> Slot:
    used = hands_of(graph)
    passed = [
        (number, triplet)
        for number, triplet in enumerate(distinct(graph))
        if triplet.target in HANDS and triplet.edge != WITH
    ]
    if passed:
        cells = tuple(((number, TARGET), HANDS[1 - HANDS.index(one.target)]) for number, one in passed)
        return Slot("hand", (Change("hand", cells),) if not used else ())
    if not used or any(end in HANDS for triplet in graph.triplets for end in (triplet.source,)):
        return Slot("hand", ())
    others = (HANDS[:1],) if len(used) == len(HANDS) else (tuple({*HANDS} - used), HANDS)
    return Slot("hand", tuple(Change("hand", hands=hands) for hands in others))


def _action_slot(view: StoryView, graph: ActionGraph) -> Slot:
    """Return opposites, and other actions that the story has for the same thing."""
    action = graph.actions[0] if len(graph.actions) == 1 else ""
    things = {triplet.target for triplet in graph.triplets if triplet.edge == DOBJ}
    beside = [other for thing in sorted(things) for other in view.actions_to.get(thing, ())]
    turned = RELEASES if action in GRASPS else GRASPS if action in RELEASES else frozenset[str]()
    known = [name for name in view.actions if name in turned]
    names = dict.fromkeys((*beside, *sorted(opposites(action)), *known))
    own = {end for triplet in graph.triplets for end in (triplet.source, triplet.target)}
    others = [name for name in names if name not in own | GENERAL and not may_be_same_action(name, action)]
    return Slot("action", tuple(Change("action", action=name) for name in others) if action else ())
