"""Sets of five graphs any of which could follow the beginning of a story, with the claims of their sentences.

Every graph of a set may be the one that is shown; a lot decides which one. So nothing in the five sentences can give it
away, whatever a program learns from other choices.

>>> open_ = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> close = ActionGraph.of(("person", "verb", "close"), ("close", "dobj", "jar"), ("close", "with", "hand1"))
>>> story = StoryView(Narrative.of([open_, close]))
>>> [str(option.graph).splitlines()[0] for option in options_for(story, 1, Frame())]
['person -> verb -> shut']

All five say the same names of a graph, so that these do not give it away either: actions have other names there
(:mod:`tsgkit.suites.tsg.makers.other_words`), and the options differ in actions, prepositions and the number of hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from random import Random

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Narrative, Triplet
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.audits.items import Item
from tsgkit.suites.audits.shortcuts import credit, like_names
from tsgkit.suites.tsg.makers.attestations import COMMON, MOVES, Attestations
from tsgkit.suites.tsg.makers.claims import hands_of, is_hand_use, may_be_same_thing, may_be_true
from tsgkit.suites.tsg.makers.other_words import other_words

ONE_ELEMENT, MIXED = "one-element", "mixed"
TAGS = (ONE_ELEMENT, MIXED)
SIZE = 5
REVERSES = {
    "in": ("into", "out-of"),
    "into": ("out-of",),
    "inside": ("into", "out-of"),
    "out-of": ("into",),
    "on": ("onto", "off"),
    "onto": ("off",),
    "off": ("onto",),
}
"""What goes into a thing can come out of it; what goes onto it, off it."""
SHAPING = word_set("cut tear split break fold roll shape form divide twist turn tie knead stretch pull-out roll-out")
"""Actions that make other things of a thing."""
TRIES = 8
"""The number of orders in which a set is sought."""
MOST_SHARED = 2
"""So many options of a set may stand in another one of the same story."""


@dataclass(frozen=True)
class Frame:
    """The parts of a step that all options of a set say beside the action and its object."""

    place: Triplet | None = None
    tool: Triplet | None = None
    says_hands: bool = False


@dataclass(frozen=True)
class Option:
    """A graph that may be shown, and what a sentence claims of it, with another name for the action."""

    graph: ActionGraph
    claim: ActionGraph
    edge: str = ""
    """The preposition before the place."""

    @property
    def action(self) -> str:
        """The action as it is said."""
        return self.claim.actions[0]

    @cached_property
    def claims(self) -> tuple[ActionGraph, ActionGraph]:
        """The claim by either name of its action."""
        return self.claim, _renamed(self.claim.triplets, self.action, self.graph.actions[0])

    @cached_property
    def is_counted(self) -> bool:
        """True if it says hands."""
        return bool(hands_of(self.claim))

    def differences(self, other: Option) -> tuple[str, ...]:
        """Return the kinds of elements in which another option differs."""
        pairs = {
            "action": (self.action, other.action),
            "hand": (hands_of(self.claim), hands_of(other.claim)),
            "preposition": (self.edge, other.edge),
        }
        return tuple(kind for kind, (mine, theirs) in pairs.items() if mine != theirs)


@dataclass
class StoryView:
    """A story with the pairs that are known of all stories."""

    story: Narrative
    attestations: Attestations = field(default_factory=Attestations)

    def __post_init__(self) -> None:
        self.graphs = self.story.graphs
        if not self.attestations.stories:
            self.attestations.add(self.graphs)
        self._own = Attestations()
        self._own.add(self.graphs)

    def actions_to(self, thing: str, *, has_place: bool) -> Iterator[str]:
        """Yield the actions of the story to a thing, and, for frames with a place, common ones of other stories."""
        for action in sorted(self.attestations.stories):
            is_common = self.attestations.stories[action] >= COMMON
            if action in self._own.actions[thing] or (has_place and is_common):
                yield action

    def places_of(self, thing: str) -> list[Triplet]:
        """Return the places of a thing in the steps that do something to it, each place once."""
        found: dict[str, Triplet] = {}
        for graph in self.graphs:
            if len(graph.actions) == 1 and [one.target for one in graph.triplets if one.edge == DOBJ] == [thing]:
                for one in graph.triplets:
                    is_place = one.source in graph.actions and one.edge not in (DOBJ, WITH, VERB)
                    if is_place and one.target not in HANDS and not is_result(one):
                        found.setdefault(one.target, one)
        return list(found.values())

    def edges_beside(self, place: Triplet) -> list[str]:
        """Return the prepositions that may stand in a place: its own, its reverse, and others of the story."""
        return sorted({place.edge, *REVERSES.get(place.edge, ()), *self._own.edges[place.target]} - {DOBJ, WITH, "of"})


def is_result(triplet: Triplet) -> bool:
    """Return whether what follows *into* or *to* is what a thing becomes."""
    return triplet.edge in ("into", "to") and triplet.source in SHAPING


def unfit(view: StoryView, index: int) -> str:
    """Return why no choice is made at a step; empty if one can be."""
    target = view.graphs[index]
    if index == 0:
        return "nothing before it"
    if len(target.actions) != 1 or any(finding.severity == ERROR for finding in check_graph(target)):
        return "not one action in a sound graph"
    return "" if [one.edge for one in target.triplets].count(DOBJ) == 1 else "not one direct object"


def frames(view: StoryView, index: int) -> Iterator[Frame]:
    """Yield the frames of a step: with a place where the story has its object, with a tool, with neither; with hands
    and without."""
    target = view.graphs[index]
    own = [one for one in target.triplets if one.source in target.actions and one.target not in HANDS]
    places = [one for one in own if one.edge not in (DOBJ, WITH) and not is_result(one)]
    places += [one for one in view.places_of(_object(target)) if one.target not in {place.target for place in places}]
    tools = [one for one in own if one.edge == WITH]
    for says_hands in (False, True)[: 1 + bool(hands_of(target))]:
        yield Frame(None, None, says_hands)
        yield from (Frame(place, None, says_hands) for place in places)
        yield from (Frame(None, tool, says_hands) for tool in tools)


def _object(target: ActionGraph) -> str:
    return next(one.target for one in target.triplets if one.edge == DOBJ)


def options_for(view: StoryView, index: int, frame: Frame) -> Iterator[Option]:
    """Yield the options of a frame that are possible at a step and surely tell none of the steps before."""
    target = view.graphs[index]
    thing = _object(target)
    things = {one.target for one in target.triplets if one.edge != VERB}
    if frame.place:
        things.add(frame.place.target)
    known = view.attestations
    edges = view.edges_beside(frame.place) if frame.place else [""]
    used = tuple(sorted(hands_of(target)))
    earlier = [
        step
        for step in view.graphs[:index]
        if any(one.edge == DOBJ and may_be_same_thing(one.target, thing) for one in step.triplets)
    ]
    grips = [used[:1] or HANDS[:1], HANDS] if frame.says_hands else [used]
    for action in view.actions_to(thing, has_place=frame.place is not None):
        if action in things or (frame.tool and (action, frame.tool.target) not in known.tools):
            continue
        for edge in edges:
            if not (frame.tool or known.fits(action, thing, edge, frame.place.target if frame.place else "")):
                continue
            for word in other_words(action, edge):
                for hands in grips:
                    option = _option(view, target, frame, (action, word, edge), hands)
                    if not any(_may_tell(option, step) for step in earlier):
                        yield option


def _option(
    view: StoryView, target: ActionGraph, frame: Frame, parts: tuple[str, str, str], hands: Sequence[str]
) -> Option:
    action, name, edge = parts
    known = view.attestations
    kept: list[Triplet] = []
    is_elsewhere = frame.place is not None and frame.place not in target.triplets
    for one in dict.fromkeys(target.triplets):
        if one.source == PERSON or is_hand_use(one):
            continue
        if one.source not in target.actions:
            kept.append(one)
        elif one == frame.place or (is_elsewhere and one.edge == DOBJ):
            kept += [one._replace(source=action)] if one.edge == DOBJ else []
            kept += [Triplet(action, edge, frame.place.target)] if frame.place else []
        elif is_elsewhere and one.edge != WITH:
            continue
        elif one.edge == DOBJ or known.fits(action, _object(target), *one[1:]) or (action, one.target) in known.tools:
            kept.append(one._replace(source=action))
    grips = [Triplet(action, WITH, hand) for hand in hands]
    whole = _reached([Triplet(PERSON, VERB, action), *kept, *grips])
    told = {end.target for end in (frame.place, frame.tool) if end}
    said = [one for one in whole if one.source != action or one.edge == DOBJ or one.target in told]
    claim = _reached([*said, *(grips if frame.says_hands else ())])
    return Option(_renamed(whole, action, name), ActionGraph(claim), edge)


def _reached(triplets: Sequence[Triplet]) -> list[Triplet]:
    """Return the triplets that the person leads to."""
    ends, grown = {PERSON}, True
    while grown:
        more = {one.target for one in triplets if one.source in ends} - ends
        ends, grown = ends | more, bool(more)
    return [one for one in triplets if one.source in ends]


def _renamed(triplets: Sequence[Triplet], action: str, name: str) -> ActionGraph:
    return ActionGraph([Triplet(*(name if part == action else part for part in one)) for one in triplets])


def _may_tell(option: Option, step: ActionGraph) -> bool:
    """Return whether an option may be said of a step, by either name of its action."""
    is_counted = option.is_counted
    return any(may_be_true(one, step, hands=is_counted, counted=is_counted) for one in option.claims)


@lru_cache(maxsize=20_000)
def _exclude(one: Option, other: Option) -> bool:
    """Return whether surely neither option tells the graph of the other, by either name of its action."""
    pairs = ((one, other), (other, one))
    return not any(_may_tell(mine, step) for mine, theirs in pairs for step in (theirs.graph, theirs.claim))


def option_sets(view: StoryView, index: int, tag: str, choice: Random) -> Iterator[tuple[Frame, tuple[Option, ...]]]:
    """Yield sets of five options that exclude each other, by lot, the more a frame says the earlier."""
    kinds = [frame for frame in frames(view, index) if tag == MIXED or not frame.says_hands]
    choice.shuffle(kinds)
    kinds.sort(key=lambda frame: (frame.place is None and frame.tool is None, frame.says_hands))
    for frame in kinds:
        found = list(options_for(view, index, frame))
        for _ in range(TRIES if len(found) >= SIZE else 0):
            choice.shuffle(found)
            found.sort(key=lambda option: option.action in MOVES)
            options = _chosen(found, tag)
            if _is_set(options, frame, tag):
                yield frame, options
                break


def _chosen(found: Sequence[Option], tag: str) -> tuple[Option, ...]:
    chosen: list[Option] = []
    for option in found:
        is_kind = tag == MIXED or not chosen or option.edge == chosen[0].edge
        if is_kind and all(_exclude(option, other) for other in chosen):
            chosen.append(option)
            if len(chosen) == SIZE:
                break
    return tuple(chosen)


def _is_set(options: Sequence[Option], frame: Frame, tag: str) -> bool:
    """Return whether five options differ in as many kinds of elements as the tag says, in hands where they are said."""
    if len(options) < SIZE:
        return False
    kinds = {kind for one in options for other in options for kind in one.differences(other)}
    is_tag = (len(kinds) == 1) is (tag == ONE_ELEMENT)
    return is_tag and ("hand" in kinds) is frame.says_hands and _names_tell_nothing(options)


def _names_tell_nothing(options: Sequence[Option]) -> bool:
    """Return whether the option with most names of the shown graph is right no more often than by guessing."""
    texts = tuple(
        " ".join(part.replace("-", " ") for one in option.claim.triplets for part in one) for option in options
    )
    credits_ = []
    for place, option in enumerate(options):
        names = frozenset(end for one in option.graph.triplets for end in (one.source, one.target)) - {PERSON, *HANDS}
        item = Item("", "", "", options=texts, key=place, names=names)
        credits_.append(credit(item, like_names(item)))
    return sum(credits_) <= 1 + 1e-9
