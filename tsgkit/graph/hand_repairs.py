"""Missing hands, added where the rest of a narrative agrees which; each with its probability.

>>> from tsgkit.graph.model import Narrative
>>> def act(action, thing, *hands):
...     return with_hands(ActionGraph.of(("person", "verb", action), (action, "dobj", thing)), hands)
>>> story = Narrative.of([act("pick-up", "cup", "hand1"), act("pick-up", "lid"), act("put-down", "lid", "hand2")])
>>> for repair in repair_hands(story):
...     print(repair.graph, repair.after, f"{repair.sure:.0%}", repair.reason)
1 pick-up -> with -> hand2 95% pick-up names no hand; hand2 by the next graph with lid, and by what the hands hold

Written hands are never changed. A hand is added only to an action that surely uses one: it takes, releases or passes
something, or the narrative names hands with it elsewhere. The sentence and the graph must not name another part of the
body (``with his foot``), and most of the narrative's actions on objects must name hands, since some writers leave them
out. Four pieces of evidence may say which hand: the nearest graph before that handles the same object, the nearest one
after, what the hands hold (:mod:`tsgkit.graph.hands`), and the other graphs of the same action. At least two must
agree, and of the first three none may differ. ``sure`` is the share of the narrative's written hands that the same
evidence finds, with those of other narratives counted as ``OTHERS`` more.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from tsgkit.graph.hands import DEFAULT_RULE, HandRule, names_another_hand, trace
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Narrative, Triplet
from tsgkit.lexicon.folding import word_set

LEAST_SURE = 0.9
"""A less probable hand is not added."""
USUAL = 3 / 4
"""If fewer of the graphs that act on objects name hands, or fewer of those with the same action, the narrative leaves
them out on purpose.
"""
OTHERS, OTHERS_RIGHT = 10, 9.5
"""In other narratives the evidence finds 95 % of the written hands, which weighs as much as ten graphs."""
NEIGHBOURS = 5
"""The number of graphs on either side that are searched for one that handles the same object."""
BODY = word_set(
    "foot feet toe toes heel heels leg legs knee knees thigh thighs hip hips mouth lips teeth tooth tongue chin elbow",
    "elbows arm arms armpit shoulder shoulders forehead",
)
"""Other parts of the body that do the work of a hand."""
WORD = re.compile(r"[a-z]+")

Hands = tuple[str, ...]


class HandRepair(NamedTuple):
    """A triplet added to a graph, the reason, and its probability."""

    graph: int
    after: Triplet
    reason: str
    sure: float


def named_hands(graph: ActionGraph) -> Hands:
    """Return the hands a graph names in any role, hand1 first."""
    return tuple(hand for hand in HANDS if any(hand in (triplet.source, triplet.target) for triplet in graph))


def with_hands(graph: ActionGraph, hands: Hands) -> ActionGraph:
    """Return the graph with these hands joined to its action."""
    return ActionGraph((*graph.triplets, *(Triplet(graph.actions[0], WITH, hand) for hand in hands)))


def repair_hands(narrative: Narrative, *, start: int = 0, rule: HandRule = DEFAULT_RULE) -> tuple[HandRepair, ...]:
    """Return the hands to add, by graph; graphs before ``start`` are evidence alone."""
    if narrative.vocabulary is not None and not narrative.vocabulary.allows_edge(WITH):
        return ()  # there is no way to say a hand in this L
    evidence = _Evidence(narrative, rule)
    repairs = list[HandRepair]()
    for number in evidence.lacking_hands():
        verdict = evidence.verdict(number)
        if number >= start and verdict is not None and evidence.sure >= LEAST_SURE:
            action = evidence.actions[number]
            reason = f"{action} names no hand; {' and '.join(verdict.hands)} by {', and by '.join(verdict.reasons)}"
            repairs += [
                HandRepair(number, Triplet(action, WITH, hand), reason, evidence.sure) for hand in verdict.hands
            ]
    return tuple(repairs)


def with_repairs(narrative: Narrative, repairs: Sequence[HandRepair]) -> Narrative:
    """Return the narrative with these hands added."""
    graphs = list(narrative.graphs)
    for repair in repairs:
        graphs[repair.graph] = ActionGraph((*graphs[repair.graph].triplets, repair.after))
    return narrative.with_graphs(graphs)


class _Verdict(NamedTuple):
    """The hands that the evidence agrees on, and the evidence."""

    hands: Hands
    reasons: tuple[str, ...]


class _Evidence:
    """The hands, actions and handled objects of a narrative's graphs."""

    def __init__(self, narrative: Narrative, rule: HandRule) -> None:
        self.graphs, self.rule = narrative.graphs, rule
        self.texts = [part.text or "" for part in narrative.descriptions for _ in part.graphs]
        self.steps = trace(narrative, rule)
        self.hands = [named_hands(graph) for graph in self.graphs]
        self.actions = [graph.actions[0] if len(graph.actions) == 1 else "" for graph in self.graphs]
        self.handled = [
            tuple(
                dict.fromkeys(link.target for link in graph if link.edge in (DOBJ, WITH) and link.target not in HANDS)
            )
            for graph in self.graphs
        ]
        self.by_action = defaultdict[str, Counter[Hands]](Counter)
        for action, hands in zip(self.actions, self.hands, strict=True):
            self.by_action[action][hands] += 1

    def lacking_hands(self) -> Iterator[int]:
        """Yield the graphs without a hand whose action surely uses one."""
        acting = [number for number, things in enumerate(self.handled) if self.actions[number] and things]
        with_hands = sum(bool(self.hands[number]) for number in acting)
        certain = self.rule.grasps | self.rule.releases | self.rule.transfers
        for number in acting:
            action, graph = self.actions[number], self.graphs[number]
            occurrences = self.by_action[action]
            others, without = occurrences.total() - 1, occurrences[()] - 1
            if (
                Triplet(PERSON, VERB, action) in graph
                and not self.hands[number]
                and not any(map(names_another_hand, graph.elements))
                and with_hands >= USUAL * (len(acting) - 1)
                and (others - without >= USUAL * others if others else action in certain)
                and not BODY & {*WORD.findall(" ".join((self.texts[number], *graph.elements)).lower())}
            ):
                yield number

    def verdict(self, number: int) -> _Verdict | None:
        """Return the hands of a graph by the rest of the narrative, or None if too little or not all of it agrees."""
        before, after = self._neighbour(number, -1), self._neighbour(number, 1)
        counts = self.by_action[self.actions[number]] - Counter([self.hands[number], ()])
        del counts[()]
        content, habit = self._hands_by_content(number), max(counts, key=counts.__getitem__, default=())
        proposals = {hands for hands in (before, after, content) if hands}
        if len(proposals) != 1:
            return None
        [hands] = proposals
        shared = ", ".join(self.handled[number])
        reasons = {
            f"the graph before with {shared}": before,
            f"the next graph with {shared}": after,
            "what the hands hold": content,
            f"the other graphs of {self.actions[number]}": habit,
        }
        agreeing = tuple(reason for reason, hands_of_reason in reasons.items() if hands_of_reason == hands)
        return _Verdict(hands, agreeing) if len(agreeing) > 1 else None

    @cached_property
    def sure(self) -> float:
        """The share of written hands that the rest of the narrative would give."""
        written = [number for number, hands in enumerate(self.hands) if hands and self.actions[number]]
        verdicts = {number: verdict for number in written if (verdict := self.verdict(number)) is not None}
        right = sum(verdict.hands == self.hands[number] for number, verdict in verdicts.items())
        return (right + OTHERS_RIGHT) / (len(verdicts) + OTHERS)

    def _neighbour(self, number: int, step: int) -> Hands:
        """Return the hands of the nearest graph on one side that handles the same object and names hands."""
        last = min(max(number + step * NEIGHBOURS, 0), len(self.graphs) - 1)
        for neighbour in range(number + step, last + step, step):
            if self.hands[neighbour] and not {*self.handled[number]}.isdisjoint(self.handled[neighbour]):
                return self.hands[neighbour]
        return ()

    def _hands_by_content(self, number: int) -> Hands:
        """Return the hands that hold an object of the graph, else the one that is free to take it."""
        state = self.steps[number].before
        holders = tuple(hand for hand in HANDS if not {*self.handled[number]}.isdisjoint(state.of(hand) or ()))
        if holders or self.actions[number] not in self.rule.grasps:
            return holders
        return next(((hand,) for hand in HANDS if state.of(hand) == ()), ())
