"""Sets of five graphs any of which could follow the beginning of a story, with the claims of their sentences.

Every graph of a set may be the one that is shown; a lot decides which one. So nothing in the five sentences can give it
away, whatever a program learns from other choices.

>>> open_ = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> close = ActionGraph.of(("person", "verb", "close"), ("close", "dobj", "jar"), ("close", "with", "hand1"))
>>> story = StoryView(Narrative.of([open_, close]), PossibleSteps.of([open_, close]))
>>> [str(option.graph).splitlines()[0] for option in options_for(story, 1, Frame("jar"))]
['person -> verb -> shut']

All five say the same names of a graph, so that these do not give it away either: actions have other names there
(:mod:`tsgkit.suites.tsg.makers.other_words`), and the options differ in actions, prepositions and the number of hands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from random import Random

from tsgkit.graph.hands import GRASPS, State, hand_step, trace
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Narrative, Triplet
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.suites.audits.items import Item
from tsgkit.suites.audits.shortcuts import credit, like_names
from tsgkit.suites.tsg.makers.claims import KIN_ACTIONS, hands_of, may_be_same_thing, may_be_true, surely_conflicting
from tsgkit.suites.tsg.makers.other_words import other_words
from tsgkit.suites.tsg.makers.possible_steps import Entry, Frame, PossibleSteps

ONE_ELEMENT, MIXED = "one-element", "mixed"
TAGS = (ONE_ELEMENT, MIXED)
SIZE = 5
TRIES = 8
"""The number of orders in which a set is sought."""


@dataclass(frozen=True)
class Option:
    """A graph that may be shown, and what a sentence claims of it, with another name for the action."""

    graph: ActionGraph
    claim: ActionGraph
    edge: str = ""
    """The preposition before the place."""

    @cached_property
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


class StoryView:
    """A story with its possible steps, and with what its hands hold before each step."""

    def __init__(self, story: Narrative, possible: PossibleSteps) -> None:
        self.story, self.possible, self.graphs = story, possible, story.graphs
        self.hands = [step.before for step in trace(story)]


def unfit(view: StoryView, index: int) -> str:
    """Return why no choice is made at a step; empty if one can be."""
    target = view.graphs[index]
    if index == 0:
        return "nothing before it"
    if len(target.actions) != 1 or any(finding.severity == ERROR for finding in check_graph(target)):
        return "not one action in a sound graph"
    return "" if [one.edge for one in target.triplets].count(DOBJ) == 1 else "not one direct object"


def options_for(view: StoryView, index: int, frame: Frame, *, counts_hands: bool = False) -> Iterator[Option]:
    """Yield the options of a frame that are possible at a step and surely tell none of the steps before."""
    target, state = view.graphs[index], view.hands[index]
    is_held = any(frame.thing in (state.of(hand) or ()) for hand in HANDS)
    earlier = [
        step
        for step in view.graphs[:index]
        if any(one.edge == DOBJ and may_be_same_thing(one.target, frame.thing) for one in step.triplets)
    ]
    for entry, is_countable in view.possible.frames[frame].items():
        if entry.action in frame or (counts_hands and not is_countable) or (is_held and entry.action in GRASPS):
            continue
        for name in (name for name in other_words(*entry) if name not in frame):
            for hands in _grips(target, state, frame, counts_hands=counts_hands):
                option = _option(target, frame, entry, name, hands, counts_hands=counts_hands)
                if not any(_may_tell(option, step) for step in earlier) and _keeps_hand_rule(option, state):
                    yield option


def _grips(target: ActionGraph, state: State, frame: Frame, *, counts_hands: bool) -> list[tuple[str, ...]]:
    """Return the hands that may do something: they are free or hold one of its things; those of the step if these are.

    Where hands are counted, both hands follow one.
    """
    used = tuple(hand for hand in HANDS if hand in hands_of(target))
    free = [hand for hand in HANDS if not state.of(hand) or not {*frame}.isdisjoint(state.of(hand) or ())]
    if not counts_hands and {*used} <= {*free}:
        return [used]
    free.sort(key=lambda hand: (frame.thing not in (state.of(hand) or ()), hand not in used))
    return [hands for hands in ((*free[:1],), (*HANDS,))[: 1 + counts_hands] if hands and {*hands} <= {*free}]


def _keeps_hand_rule(option: Option, state: State) -> bool:
    """Return whether an option, by either name of its action, uses only hands that can do it."""
    names = (option.graph, _renamed(option.graph.triplets, option.graph.actions[0], option.action))
    return not hands_of(option.graph) or not any(hand_step(0, graph, state).breaches for graph in names)


def _option(
    target: ActionGraph, frame: Frame, entry: Entry, name: str, hands: Sequence[str], *, counts_hands: bool
) -> Option:
    """Return an option; what the story's step says of where its things are, like *bolt on brake*, stays."""
    action, edge = entry
    ends = [(DOBJ, frame.thing), (edge, frame.place), (WITH, frame.tool)]
    step = [Triplet(PERSON, VERB, action), *(Triplet(action, *end) for end in ends if end[1])]
    apart = {PERSON, *target.actions}, {frame.place, frame.tool, *HANDS}
    step += [one for one in target.triplets if one.source not in apart[0] and one.target not in apart[1]]
    claim = _reached(list(dict.fromkeys(step)))
    grips = [Triplet(action, WITH, hand) for hand in hands]
    graph = _renamed([*claim, *grips], action, name)
    return Option(graph, ActionGraph([*claim, *grips] if counts_hands else claim), edge)


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
    if one.action != other.action and not surely_conflicting(one.edge, other.edge):
        names = [{mine.actions[0], theirs.actions[0]} for mine in one.claims for theirs in other.claims]
        if any(pair <= kin for kin in KIN_ACTIONS for pair in names):
            return False
    pairs = ((one, other), (other, one))
    return not any(_may_tell(mine, step) for mine, theirs in pairs for step in (theirs.graph, theirs.claim))


def option_sets(
    view: StoryView, index: int, tag: str, choice: Random, used: Mapping[str, int]
) -> Iterator[tuple[Option, ...]]:
    """Yield sets of five options that exclude each other, by lot; those that count hands come last.

    Actions that are used less often than others, in the choices before, are preferred.
    """
    thing = next(one.target for one in view.graphs[index].triplets if one.edge == DOBJ)
    kinds = (False,) if tag == ONE_ELEMENT else (False, True)
    frames = [(frame, is_counted) for frame in view.possible.of_thing(thing) for is_counted in kinds]
    choice.shuffle(frames)
    for frame, is_counted in sorted(frames, key=lambda pair: pair[1]):
        found = [*options_for(view, index, frame, counts_hands=is_counted)]
        for _ in range(TRIES if len(found) >= SIZE else 0):
            choice.shuffle(found)
            found.sort(key=lambda option: used.get(option.action, 0))
            options = _chosen(found, tag)
            if _is_set(options, tag):
                yield options
                break


def _chosen(found: Sequence[Option], tag: str) -> tuple[Option, ...]:
    """Return five options that exclude each other; those of one element differ in as many words."""
    chosen: list[Option] = []
    for option in found:
        shape = (option.edge, option.action.count("-"))
        is_kind = tag == MIXED or not chosen or shape == (chosen[0].edge, chosen[0].action.count("-"))
        if is_kind and all(_exclude(option, other) for other in chosen):
            chosen.append(option)
            if len(chosen) == SIZE:
                break
    return tuple(chosen)


def _is_set(options: Sequence[Option], tag: str) -> bool:
    """Return whether five options differ in as many kinds of elements as the tag says, in hands where they are said."""
    if len(options) < SIZE:
        return False
    kinds = {kind for one in options for other in options for kind in one.differences(other)}
    is_tag = (len(kinds) == 1) is (tag == ONE_ELEMENT)
    return is_tag and ("hand" in kinds) is options[0].is_counted and _names_tell_nothing(options)


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
