"""Which hand does an action, where graphs leave it open: a share for each possibility, from both sides in time.

>>> from tsgkit.graph.model import Narrative
>>> def act(action, thing, *hands):
...     return with_hands(ActionGraph.of(("person", "verb", action), (action, "dobj", thing)), hands)
>>> lid = act("pick-up", "lid")
>>> story = Narrative.of([act("pick-up", "cup", "hand1"), lid, act("place", "lid", "hand2")])
>>> shares = hand_shares(story, {1: {hands: with_hands(lid, hands) for hands in POSSIBLE}})
>>> max(shares[1], key=shares[1].get)
('hand2',)

The hands are a state machine (:mod:`tsgkit.graph.hands`); a graph that is left open branches it. Every way through is
weighed by how often it breaks the hand rule, by the narrative's own frequencies of hands, and by what the nearest
graphs before and after say of the same thing; a share is what all ways with one possibility weigh together. How much a
breach counts is the narrative's to say as well: published data keep the rule in about four grasps of five, which is
where the estimate starts, and each graph that keeps or breaks it moves it. Nothing here was fitted to data.

Linear in the number of graphs: at most ``MOST_STATES`` states are followed at a time, the likeliest ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from tsgkit.graph.hands import DEFAULT_RULE, EMPTY, UNKNOWN, HandRule, HandStep, State, after_gaps, hand_step, trace
from tsgkit.graph.model import DOBJ, HANDS, WITH, ActionGraph, Narrative, Triplet

Hands = tuple[str, ...]
POSSIBLE: tuple[Hands, ...] = ((HANDS[0],), (HANDS[1],), HANDS)
Shares = dict[Hands, float]
Alternatives = Mapping[int, Mapping[Hands, ActionGraph]]
"""By the number of a graph that is left open: the graph it would be with each possibility."""

PUBLISHED: Mapping[Hands, float] = {(HANDS[0],): 0.57, (HANDS[1],): 0.20, HANDS: 0.23}
"""How often published graphs name hand1 alone, hand2 alone, and both."""
PUBLISHED_COUNTS = 4.0
"""As many graphs of the narrative itself weigh as much."""
KEPT, BROKEN = 4.0, 1.0
"""The rule is kept four times of five, before anything is seen of the narrative."""
SAME_HANDS = 3.0
"""How much likelier the hands are that a neighbour has which handles the same thing."""
NEIGHBOURS = 5
"""So many graphs to either side are looked at for one that handles the same thing."""
MOST_STATES = 24
UNCOUNTED = "hand-unstated"
"""No breach for weighing: an open graph is about to name its hands, and others say nothing by leaving them out."""


def named_hands(graph: ActionGraph) -> Hands:
    """The hands a graph names in any role, hand1 first."""
    return tuple(hand for hand in HANDS if any(hand in (one.source, one.target) for one in graph))


def with_hands(graph: ActionGraph, hands: Hands) -> ActionGraph:
    """The graph with these hands joined to its action."""
    return ActionGraph((*graph.triplets, *(Triplet(graph.actions[0], WITH, hand) for hand in hands)))


def handled(graph: ActionGraph) -> frozenset[str]:
    """The direct objects and tools of a graph."""
    return frozenset(one.target for one in graph if one.edge in (DOBJ, WITH) and one.target not in HANDS)


def hand_shares(narrative: Narrative, open_graphs: Alternatives, rule: HandRule = DEFAULT_RULE) -> dict[int, Shares]:
    """For each graph that is left open the share of each possibility; together they are 1.

    The rule is weighed twice: as published data keep it, then as this narrative does, the likeliest hands put in.
    """
    if not open_graphs:
        return {}
    believed = _believed(narrative, open_graphs)
    shares = _Ways(narrative, open_graphs, believed, BROKEN / KEPT, rule).shares()
    likely = {number: max(found, key=found.__getitem__) for number, found in shares.items()}
    odds = _odds_of_breaches(narrative, {number: open_graphs[number][hands] for number, hands in likely.items()}, rule)
    return _Ways(narrative, open_graphs, believed, odds, rule).shares()


def _believed(narrative: Narrative, open_graphs: Alternatives) -> dict[int, Shares]:
    """What the narrative's frequencies and the neighbours say, by graph and possibility."""
    graphs = narrative.graphs
    counts = Counter(named_hands(graph) for number, graph in enumerate(graphs) if number not in open_graphs)
    total = sum(counts[hands] for hands in POSSIBLE) + PUBLISHED_COUNTS
    usual = {hands: (counts[hands] + PUBLISHED_COUNTS * PUBLISHED[hands]) / total for hands in POSSIBLE}
    things = [handled(graph) for graph in graphs]
    believed = {}
    for number, possible in open_graphs.items():
        shares = {hands: usual[hands] for hands in possible}
        for hands in _neighbours(number, graphs, things, open_graphs):
            if hands in shares:
                shares[hands] *= SAME_HANDS
        believed[number] = shares
    return believed


def _neighbours(
    number: int, graphs: Sequence[ActionGraph], things: Sequence[frozenset[str]], open_graphs: Collection[int]
) -> Iterator[Hands]:
    """The hands of the nearest graph before and after that handles the same thing and says its hands."""
    for steps in (range(number - 1, number - 1 - NEIGHBOURS, -1), range(number + 1, number + 1 + NEIGHBOURS)):
        for other in steps:
            if not 0 <= other < len(graphs) or other in open_graphs or not things[number] & things[other]:
                continue
            if hands := named_hands(graphs[other]):
                yield hands
                break


def _odds_of_breaches(narrative: Narrative, likely: Mapping[int, ActionGraph], rule: HandRule) -> float:
    """How often the written hands break the rule, against how often they keep it where it says anything."""
    kept, broken = KEPT, BROKEN
    filled = [likely.get(number, graph) for number, graph in enumerate(narrative.graphs)]
    for step in trace(narrative.with_graphs(filled), rule):
        if step.index in likely or not named_hands(filled[step.index]):
            continue
        if _breaches(step):
            broken += 1
        elif step.action in rule.grasps or step.action in rule.releases or step.before != EMPTY:
            kept += 1
    return min(broken / kept, 1.0)


def _breaches(step: HandStep) -> int:
    return sum(breach.code != UNCOUNTED for breach in step.breaches)


class _Way(NamedTuple):
    """One step from a state by a possibility (None where the graph is not open) to the next, and its weight."""

    before: State
    hands: Hands | None
    after: State
    weight: float


class _Ways:
    """All ways of the hands through a narrative, step by step."""

    def __init__(
        self,
        narrative: Narrative,
        open_graphs: Alternatives,
        believed: Mapping[int, Shares],
        odds: float,
        rule: HandRule,
    ) -> None:
        self.open_graphs = open_graphs
        self.believed = believed
        self.odds = odds
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
        possible = self.open_graphs.get(number)
        if possible is None:
            step = hand_step(number, graph, state, self.rule)
            yield _Way(state, None, step.after, self.odds ** _breaches(step))
            return
        for hands, drawn in possible.items():
            step = hand_step(number, drawn, state, self.rule)
            yield _Way(state, hands, step.after, self.believed[number][hands] * self.odds ** _breaches(step))

    def shares(self) -> dict[int, Shares]:
        """The share of each possibility, looking back from the end of the narrative."""
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
