"""Repairs of hands: missing ones, and written ones that two rules contradict; each with its probability.

>>> from tsgkit.graph.model import Narrative
>>> def act(action, thing, hand=None):
...     triplets = [("person", "verb", action), (action, "dobj", thing)]
...     return ActionGraph(triplets if hand is None else [*triplets, (action, "with", hand)])
>>> story = Narrative.of([act("pick-up", "cup", "hand1"), act("pick-up", "lid"), act("put-down", "lid", "hand2")])
>>> for repair in repair_hands(story):
...     print(repair.graph, repair.after, f"{repair.sure:.0%}", repair.reason)
1 pick-up -> with -> hand2 99% pick-up names no hand; by the hand rule and the graphs around it hand2 is 99 % sure

A hand is added where something is taken without one, and where something else is done to an object in a narrative that
names hands in at least a quarter of such graphs. Hands are seldom certain: ``sure`` is the probability
(:mod:`tsgkit.graph.hand_shares`) of the repaired triplet. A written hand is changed only if the other one removes
breaches of two different rules, adds none, and outweighs the writer's word.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from tsgkit.graph.hand_shares import (
    POSSIBLE,
    Hands,
    Shares,
    hand_shares,
    named_hands,
    with_hands,
    with_other_hand,
)
from tsgkit.graph.hands import DEFAULT_RULE, EMPTY, HAND_NAME, UNKNOWN, HandRule, State, after_gaps, hand_step
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Narrative, Triplet
from tsgkit.lexicon.tables import word_set

LEAST_SURE = 0.5
"""A less probable repair is not made."""
BOTH_SURE = 0.8
"""Both hands are added only at this probability; one of them is then right in any case."""
MOST_SURE = 0.99
"""No hand is certain, whatever the shares say: the rule is a convention, and who wrote the graphs may not follow it."""
USUAL = 1 / 4
"""If fewer of the graphs that act on objects name hands, the narrative leaves them out on purpose."""
WRITTEN = 9.0
"""As much as a written hand weighs against the other: nine of ten are right."""
LOOK_AHEAD = 50
"""The number of later graphs that are checked for breaches that another hand removes or adds."""
MOST_ROUNDS = 5
HANDLESS = word_set(
    "look look-at look-around watch see read hear listen listen-to smell walk walk-to go enter leave kick"
)
"""Actions that may well name no hand, although they are done to something."""


class HandRepair(NamedTuple):
    """A triplet added (``before`` is None) or changed, the rule behind it, and its probability."""

    graph: int
    before: Triplet | None
    after: Triplet
    code: str
    reason: str
    sure: float


def repair_hands(narrative: Narrative, *, start: int = 0, rule: HandRule = DEFAULT_RULE) -> tuple[HandRepair, ...]:
    """Repairs of hands along a narrative, by graph; those before ``start`` are evidence alone."""
    added = list(_added(narrative, start, rule))
    numbers = {repair.graph for repair in added}
    changed = _changed(with_repairs(narrative, added), start, numbers, rule)
    return tuple(sorted([*added, *changed], key=lambda repair: repair.graph))


def with_repairs(narrative: Narrative, repairs: Sequence[HandRepair]) -> Narrative:
    """Return the narrative with these repairs made."""
    graphs = list(narrative.graphs)
    for repair in repairs:
        triplets = graphs[repair.graph].triplets
        if repair.before is None:
            graphs[repair.graph] = ActionGraph((*triplets, repair.after))
        else:
            graphs[repair.graph] = ActionGraph(repair.after if one == repair.before else one for one in triplets)
    return narrative.with_graphs(graphs)


def _added(narrative: Narrative, start: int, rule: HandRule) -> Iterator[HandRepair]:
    graphs, vocabulary = narrative.graphs, narrative.vocabulary
    if vocabulary is not None and not vocabulary.allows_edge(WITH):
        return  # there is no way to say a hand in this L
    left_out = {
        number: {hands: with_hands(graphs[number], hands) for hands in POSSIBLE}
        for number in _without_hands(graphs, rule)
        if number >= start
    }
    for number, shares in hand_shares(narrative, left_out, rule).items():
        [action] = graphs[number].actions
        for hand in _likeliest(shares):
            sure = min(sum(share for hands, share in shares.items() if hand in hands), MOST_SURE)
            if sure >= LEAST_SURE:
                reason = f"{action} names no hand; {_by_the_evidence(hand, sure)}"
                yield HandRepair(number, None, Triplet(action, WITH, hand), "hand-unstated", reason, sure)


def _by_the_evidence(hand: str, sure: float) -> str:
    return f"by the hand rule and the graphs around it {hand} is {100 * sure:.0f} % sure"


def _likeliest(shares: Shares) -> Hands:
    if shares[HANDS] >= BOTH_SURE:
        return HANDS
    return max(POSSIBLE[:2], key=lambda hands: shares[hands])


def _without_hands(graphs: Sequence[ActionGraph], rule: HandRule) -> Iterator[int]:
    """Yield the graphs that lack a hand: those that take something, and others if the narrative usually names hands."""
    acting = [_acts_on_a_thing(graph) for graph in graphs]
    named = [_names_a_hand(graph) for graph in graphs]
    usual = sum(map(operator.and_, acting, named)) >= USUAL * sum(acting)
    for number, graph in enumerate(graphs):
        if named[number] or len(graph.actions) != 1:
            continue
        [action] = graph.actions
        if not action or Triplet(PERSON, VERB, action) not in graph:
            continue
        if action in rule.grasps or (usual and acting[number] and action not in HANDLESS):
            yield number


def _acts_on_a_thing(graph: ActionGraph) -> bool:
    """Return whether a graph's one action has a direct object or a tool."""
    return len(graph.actions) == 1 and any(
        one.source == graph.actions[0] and one.edge in (DOBJ, WITH) and one.target not in HANDS for one in graph
    )


def _names_a_hand(graph: ActionGraph) -> bool:
    return any(HAND_NAME.fullmatch(name) for one in graph for name in (one.source, one.target))


def _changed(narrative: Narrative, start: int, added: Collection[int], rule: HandRule) -> list[HandRepair]:
    """Return the written hands that two rules contradict; those that the evidence does not outweigh are looked at no
    more.
    """
    barred = set(added)
    for _ in range(MOST_ROUNDS):
        found = list(_contradicted(narrative, start, barred, rule))
        open_graphs = {one.number: {one.hands: narrative.graphs[one.number], one.others: one.graph} for one in found}
        shares = hand_shares(narrative, open_graphs, rule)
        repairs = [_repair_of(one, narrative.graphs[one.number], shares[one.number]) for one in found]
        weak = {repair.graph for repair in repairs if repair.sure < LEAST_SURE}
        if not weak:
            return repairs
        barred |= weak
    return []


class _Contradicted(NamedTuple):
    """A graph whose hand two rules contradict, and the graph with the other hand."""

    number: int
    graph: ActionGraph
    hands: Hands
    others: Hands
    code: str
    messages: tuple[str, ...]


def _repair_of(found: _Contradicted, graph: ActionGraph, shares: Shares) -> HandRepair:
    mine, theirs = WRITTEN * shares[found.hands], shares[found.others]
    sure = min(theirs / (mine + theirs), MOST_SURE)
    [(before, after)] = [pair for pair in zip(graph, found.graph, strict=True) if pair[0] != pair[1]]
    reason = f"{'; '.join(found.messages)}; {_by_the_evidence(found.others[0], sure)}"
    return HandRepair(found.number, before, after, found.code, reason, sure)


def _contradicted(narrative: Narrative, start: int, barred: Collection[int], rule: HandRule) -> Iterator[_Contradicted]:
    graphs, gaps, state = list(narrative.graphs), after_gaps(narrative), EMPTY
    for number, graph in enumerate(graphs):
        if number in gaps:
            state = UNKNOWN
        step = hand_step(number, graph, state, rule)
        other = _with_other_hand(graph)
        if number >= start and number not in barred and other is not None and step.breaches:
            now, then = _breaches(number, graphs, other, state, gaps, rule)
            mended = {place: message for place, message in now.items() if place not in then}
            if len({code for _, code in mended}) > 1 and then.keys() <= now.keys():
                hands, others = named_hands(graph), named_hands(other)
                yield _Contradicted(number, other, hands, others, step.breaches[0].code, tuple(mended.values()))
                graphs[number] = other
                step = hand_step(number, other, state, rule)
        state = step.after


Breaches = dict[tuple[int, str], str]


def _breaches(
    number: int, graphs: Sequence[ActionGraph], other: ActionGraph, state: State, gaps: Collection[int], rule: HandRule
) -> tuple[Breaches, Breaches]:
    """Return the later breaches with the graph as it is, and with another in its place, until both states agree."""
    now, then = Breaches(), Breaches()
    mine = theirs = state
    for place in range(number, min(number + LOOK_AHEAD, len(graphs))):
        if place > number and (mine == theirs or place in gaps):
            break
        ours = hand_step(place, graphs[place], mine, rule)
        others = hand_step(place, other if place == number else graphs[place], theirs, rule)
        for found, step in ((now, ours), (then, others)):
            found |= {(place, breach.code): breach.message for breach in step.breaches}
        mine, theirs = ours.after, others.after
    return now, then


def _with_other_hand(graph: ActionGraph) -> ActionGraph | None:
    """Return the graph with the other one of its one hand."""
    named = [one for one in graph if {one.source, one.target} & {*HANDS}]
    if len(named) != 1 or named[0].edge != WITH or {*named[0]} >= {*HANDS}:
        return None
    return with_other_hand(graph)
