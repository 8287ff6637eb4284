"""Probabilities of the hands of each action that does not name them, inferred from both directions in time.

>>> from tsgkit.graph.model import Narrative
>>> def act(action, thing, *hands):
...     return with_hands(ActionGraph.of(("person", "verb", action), (action, "dobj", thing)), hands)
>>> lid = act("pick-up", "lid")
>>> story = Narrative.of([act("pick-up", "cup", "hand1"), lid, act("place", "lid", "hand2")])
>>> shares = hand_shares(story, {1: {hands: with_hands(lid, hands) for hands in POSSIBLE}})
>>> max(shares[1], key=shares[1].get)
('hand2',)

The hands are a state machine (:mod:`tsgkit.graph.hands`); an open graph branches it. Every path is weighted by its
breaches of the hand rule, by the narrative's frequencies of hands, and by the nearest graphs before and after with the
same object; the probability of a possibility is the total weight of its paths. The cost of a breach and the effect of a
neighbour are estimated from the hands that the same narrative names: they are high where it keeps the rule, and low
where it does not. Nothing is fitted to other data. In short narratives that do not follow the rule, the probabilities
are too high.

Linear in the number of graphs: at most ``MOST_STATES`` states are followed at a time, the likeliest ones.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, TypeVar

from tsgkit.graph.hands import DEFAULT_RULE, EMPTY, UNKNOWN, HandRule, HandStep, State, after_gaps, hand_step, trace
from tsgkit.graph.model import DOBJ, HANDS, WITH, ActionGraph, Narrative, Triplet

Hands = tuple[str, ...]
POSSIBLE: tuple[Hands, ...] = ((HANDS[0],), (HANDS[1],), HANDS)
Shares = dict[Hands, float]
Alternatives = Mapping[int, Mapping[Hands, ActionGraph]]
"""By the number of a graph that is left open: the graph it would be with each possibility."""

PUBLISHED: Mapping[Hands, float] = {(HANDS[0],): 0.57, (HANDS[1],): 0.20, HANDS: 0.23}
"""The frequencies of hand1 alone, hand2 alone and both in published graphs."""
PUBLISHED_COUNTS = 4.0
"""As many graphs of the narrative itself weigh as much."""
KEPT, BROKEN = 2.0, 0.3
"""Before anything is seen of a narrative, hands that break the rule are about seven times less likely, which weighs as
much as two graphs. (Published data keep the rule in four grasps of five, although hand1 is named three times as often.)
"""
ALIKE, UNLIKE = 1.5, 0.5
"""Before anything is seen, a neighbour that handles the same thing has the same hands three times of four."""
ODDS_OF_BREACHES = (1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.08, 0.04, 0.02, 0.01)
ODDS_OF_NEIGHBOURS = (1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0)
"""The values that are tried."""
NEIGHBOURS = 5
"""The number of graphs on either side that are searched for one that handles the same object."""
MOST_STATES = 24
"""So many states are followed at a time."""
OTHER = {HANDS[0]: HANDS[1], HANDS[1]: HANDS[0]}
UNCOUNTED = "hand-unstated"
"""No breach for weighing: an open graph is about to name its hands, and others say nothing by leaving them out."""


def named_hands(graph: ActionGraph) -> Hands:
    """Return the hands a graph names in any role, hand1 first."""
    return tuple(hand for hand in HANDS if any(hand in (one.source, one.target) for one in graph))


def with_hands(graph: ActionGraph, hands: Hands) -> ActionGraph:
    """Return the graph with these hands joined to its action."""
    return ActionGraph((*graph.triplets, *(Triplet(graph.actions[0], WITH, hand) for hand in hands)))


def handled(graph: ActionGraph) -> frozenset[str]:
    """Return the direct objects and tools of a graph."""
    return frozenset(one.target for one in graph if one.edge in (DOBJ, WITH) and one.target not in HANDS)


class Weights(NamedTuple):
    """Factors: the cost of a breach of the rule, and the preference for a neighbour's hands."""

    breach: float = BROKEN / KEPT
    neighbour: float = ALIKE / UNLIKE


def hand_shares(narrative: Narrative, open_graphs: Alternatives, rule: HandRule = DEFAULT_RULE) -> dict[int, Shares]:
    """For each graph that is left open the share of each possibility; together they are 1.

    It is computed twice: first with the frequencies of published data, then with those of this narrative, with the
    likeliest hands filled in.
    """
    if not open_graphs:
        return {}
    evidence = _Evidence(narrative, open_graphs)
    first = _Ways(narrative, open_graphs, evidence, Weights(), rule).shares()
    likely = {number: open_graphs[number][max(found, key=found.__getitem__)] for number, found in first.items()}
    return _Ways(narrative, open_graphs, evidence, evidence.weights(likely, rule), rule).shares()


class _Evidence:
    """The frequencies and neighbours of hands in a narrative, without its open graphs."""

    def __init__(self, narrative: Narrative, open_graphs: Collection[int]) -> None:
        self.narrative = narrative
        self.open_graphs = open_graphs
        self.hands = [named_hands(graph) for graph in narrative.graphs]
        self.things = [handled(graph) for graph in narrative.graphs]
        self.counts = Counter(hands for number, hands in enumerate(self.hands) if number not in open_graphs)

    def usual(self, hands: Hands) -> float:
        """Return the count of these hands in the narrative, and as many more as published data have."""
        return self.counts[hands] + PUBLISHED_COUNTS * PUBLISHED[hands]

    def believed(self, number: int, possible: Collection[Hands], neighbour: float) -> Shares:
        """Return how likely each possibility is in a graph, whatever the hands hold."""
        near = Counter(self.neighbours(number))
        return {hands: self.usual(hands) * neighbour ** near[hands] for hands in possible}

    def neighbours(self, number: int) -> Iterator[Hands]:
        """Yield the hands of the nearest graph before and after that handles the same thing and says its hands."""
        for steps in (range(number - 1, number - 1 - NEIGHBOURS, -1), range(number + 1, number + 1 + NEIGHBOURS)):
            for other in steps:
                known = 0 <= other < len(self.hands) and other not in self.open_graphs and self.hands[other]
                if known and self.things[number] & self.things[other]:
                    yield self.hands[other]
                    break

    def weights(self, likely: Mapping[int, ActionGraph], rule: HandRule) -> Weights:
        """Return the weights under which the hands that the narrative names are likeliest, each against the
        other one."""
        named = Counter(self._named(likely, rule))
        tried = (Weights(*pair) for pair in itertools.product(ODDS_OF_BREACHES, ODDS_OF_NEIGHBOURS))
        return max(tried, key=lambda weights: _log_likelihood(weights, named))

    def _named(self, likely: Mapping[int, ActionGraph], rule: HandRule) -> Iterator[_Named]:
        """Yield the evidence of each graph that names one hand, with the likeliest hands in the open ones."""
        graphs = [likely.get(number, graph) for number, graph in enumerate(self.narrative.graphs)]
        for step in trace(self.narrative.with_graphs(graphs), rule):
            number, hands = step.index, self.hands[step.index]
            if number in self.open_graphs or len(hands) != 1:
                continue
            others = (OTHER[hands[0]],)
            turned = hand_step(number, with_other_hand(graphs[number]), step.before, rule)
            near = Counter(self.neighbours(number))
            yield _Named(
                self.usual(hands) - 1,
                self.usual(others),
                _breaches(step) - _breaches(turned),
                near[hands] - near[others],
            )


class _Named(NamedTuple):
    """A named hand: the frequencies of it and the other hand elsewhere, and its extra breaches and neighbours."""

    usual: float
    other_usual: float
    breaches: int
    neighbours: int


def _log_likelihood(weights: Weights, named: Mapping[_Named, int]) -> float:
    """Return how likely the named hands are under these weights, and these before anything is seen; a logarithm."""
    breach, neighbour = weights
    total = KEPT * math.log(1 / (1 + breach)) + BROKEN * math.log(breach / (1 + breach))
    total += ALIKE * math.log(neighbour / (1 + neighbour)) + UNLIKE * math.log(1 / (1 + neighbour))
    for one, count in named.items():
        odds = one.usual / one.other_usual * breach**one.breaches * neighbour**one.neighbours
        total += count * math.log(odds / (1 + odds))
    return total


def with_other_hand(graph: ActionGraph) -> ActionGraph:
    """Return the graph with hand1 for hand2, and the other way round."""
    return ActionGraph(
        Triplet(OTHER.get(one.source, one.source), one.edge, OTHER.get(one.target, one.target)) for one in graph
    )


def _breaches(step: HandStep) -> int:
    return sum(breach.code != UNCOUNTED for breach in step.breaches)


class _Way(NamedTuple):
    """A step from a state by one possibility (None if the graph is not open) to the next state, with its weight."""

    before: State
    hands: Hands | None
    after: State
    weight: float


class _Ways:
    """All paths of hand states through a narrative."""

    def __init__(
        self,
        narrative: Narrative,
        open_graphs: Alternatives,
        evidence: _Evidence,
        weights: Weights,
        rule: HandRule,
    ) -> None:
        self.open_graphs = open_graphs
        self.believed = {
            number: evidence.believed(number, possible, weights.neighbour) for number, possible in open_graphs.items()
        }
        self.evidence = evidence
        self.others = [with_other_hand(graph) for graph in narrative.graphs]
        self.odds = weights.breach
        self.rule = rule
        self.forward: list[dict[State, float]] = []
        self.ways: list[list[_Way]] = []
        self.after_gaps = after_gaps(narrative)
        states = {EMPTY: 1.0}
        for number, graph in enumerate(narrative.graphs):
            states = self._step(graph, {UNKNOWN: 1.0} if number in self.after_gaps else states)

    def _step(self, graph: ActionGraph, states: dict[State, float]) -> dict[State, float]:
        number = len(self.ways)
        ways = [way for state in states for way in self._from(state, number, graph)]
        weights = defaultdict[State, float](float)
        for way in ways:
            weights[way.after] += states[way.before] * way.weight
        likeliest = sorted(weights, key=weights.__getitem__, reverse=True)[:MOST_STATES]
        followed = _normalised({state: weights[state] for state in likeliest})
        self.forward.append(states)
        self.ways.append([way for way in ways if way.after in followed])
        return followed

    def _from(self, state: State, number: int, graph: ActionGraph) -> Iterator[_Way]:
        """Yield the ways on from a state; where nothing breaks the rule more than its alternative, the rule says
        nothing.
        """
        possible = self.open_graphs.get(number)
        if possible is None:
            step = hand_step(number, graph, state, self.rule)
            yield _Way(state, None, step.after, self._named(number, step))
            return
        steps = {hands: hand_step(number, drawn, state, self.rule) for hands, drawn in possible.items()}
        weights = _normalised({hands: self._weight(number, hands, step) for hands, step in steps.items()})
        for hands, step in steps.items():
            yield _Way(state, hands, step.after, weights[hands])

    def _weight(self, number: int, hands: Hands, step: HandStep) -> float:
        return self.believed[number][hands] * self.odds ** _breaches(step)

    def _named(self, number: int, step: HandStep) -> float:
        """Return how likely a graph's named hand is in a state, against the other hand."""
        hands = self.evidence.hands[number]
        if len(hands) != 1:
            return 1.0 if not hands else self.odds ** _breaches(step)
        other = hand_step(number, self.others[number], step.before, self.rule)
        mine = self.evidence.usual(hands) * self.odds ** _breaches(step)
        theirs = self.evidence.usual((OTHER[hands[0]],)) * self.odds ** _breaches(other)
        return mine / (mine + theirs)

    def shares(self) -> dict[int, Shares]:
        """Return the share of each possibility, looking back from the end of the narrative."""
        found = dict[int, Shares]()
        later: dict[State, float] | None = None
        for number in reversed(range(len(self.ways))):
            earlier, by_hands = defaultdict[State, float](float), defaultdict[Hands, float](float)
            for before, hands, after, weight in self.ways[number]:
                onward = weight * (1.0 if later is None else later.get(after, 0.0))
                earlier[before] += onward
                if hands is not None:
                    by_hands[hands] += self.forward[number][before] * onward
            if by_hands:
                found[number] = _normalised(by_hands)
            later = None if number in self.after_gaps else _normalised(earlier)
        return dict(sorted(found.items()))


Key = TypeVar("Key", State, Hands)


def _normalised(weights: Mapping[Key, float]) -> dict[Key, float]:
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}
