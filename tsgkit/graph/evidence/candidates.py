"""Candidates: the graphs that one edit makes of a graph, with names that its situation offers.

>>> from tsgkit.graph.evidence.features import Story
>>> from tsgkit.graph.model import Description, Narrative, Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "take"), ("cup", "dobj", "take"))
>>> L = Vocabulary(("cup", "shelf"), ("verb", "dobj", "from"), ("take",))
>>> story = Story(Narrative((Description("She takes the cup from the shelf.", (graph,)),), L))
>>> for edit in edits_of(story.situation(0)):
...     if edit.kind in ("reverse", "add"):
...         print(edit.kind, "|", edit.before, "|", edit.after)
reverse | person -> verb -> take | take -> verb -> person
reverse | cup -> dobj -> take | take -> dobj -> cup
add | None | take -> from -> shelf
add | None | take -> with -> hand1
add | None | take -> with -> hand2
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tsgkit.graph.evidence.features import Situation, action_of
from tsgkit.graph.evidence.habits import ANY
from tsgkit.graph.evidence.sentence import NEAR_LABELS
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Triplet

MOST_NAMES = 24
"""So many names at most take the place of one."""


class Edit(NamedTuple):
    """One edit: its kind (``remove``, ``reverse``, ``replace``, ``add``), and the triplet before and after."""

    kind: str
    before: Triplet | None
    after: Triplet | None

    @property
    def name(self) -> str:
        """The kind with the kind of edge, and for a replacement the part that is replaced."""
        one = self.before if self.before is not None else self.after
        if one is None:
            return self.kind
        edge = one.edge if one.edge in (VERB, DOBJ) else "hand" if HANDS_SET & {one.source, one.target} else "prep"
        if self.kind != "replace" or self.before is None or self.after is None:
            return f"{self.kind}.{edge}"
        parts = zip(("source", "label", "target"), self.before, self.after, strict=True)
        return f"replace.{edge}." + "+".join(part for part, old, new in parts if old != new)

    def made(self, graph: ActionGraph) -> ActionGraph:
        """Return the graph after the edit."""
        triplets = graph.triplets
        if self.before is None:
            return ActionGraph((*triplets, self.after or ()))
        place = triplets.index(self.before)
        after = () if self.after is None else (self.after,)
        return ActionGraph((*triplets[:place], *after, *triplets[place + 1 :]))


HANDS_SET = frozenset(HANDS)


def edits_of(situation: Situation) -> list[Edit]:
    """Return all edits of a graph that its situation offers, without repeats."""
    graph = situation.graph
    action = action_of(graph)
    found = dict[Edit, None]()
    there = set(graph.triplets)
    for edit in _edits(situation, graph, action):
        if edit.after not in there:
            found[edit] = None
    return list(found)


def _edits(situation: Situation, graph: ActionGraph, action: str) -> Iterator[Edit]:
    offer = _Offer(situation, graph, action)
    for one in graph.triplets:
        foreign = one.source != action and situation.story.vocabulary.is_only_a_verb(one.source)
        if (one.edge != VERB or len(graph.actions) > 1) and not foreign:
            yield Edit("remove", one, None)
        if one.source != one.target:
            yield Edit("reverse", one, one.reversed)
        for other in offer.replacements(one):
            yield Edit("replace", one, other)
    for one in offer.additions():
        yield Edit("add", None, one)


class _Offer:
    """The names that a situation offers."""

    def __init__(self, situation: Situation, graph: ActionGraph, action: str) -> None:
        self.situation, self.graph, self.action = situation, graph, action
        vocabulary = situation.story.vocabulary
        self.objects = [name for name in vocabulary.objects if name != PERSON and name not in HANDS]
        self.said = [name for name in situation.said.names if not vocabulary.is_only_a_verb(name)]
        self.labels = [label for label in vocabulary.relationships if label not in (VERB, DOBJ)]
        self.here = {name for one in graph for name in (one.source, one.target)}

    def replacements(self, one: Triplet) -> Iterator[Triplet]:
        """Yield what may stand in the place of a triplet: with another source, label or target."""
        source, edge, target = one
        hand = bool(HANDS_SET & {source, target})
        if edge == VERB:
            if source == PERSON:
                yield from (Triplet(PERSON, VERB, name) for name in self.actions() if name != target)
            return
        if source != self.action and self.action and target != self.action:
            yield Triplet(self.action, edge, target)
        if source == self.action:
            others = dict.fromkeys(one.source for one in self.graph.triplets if one.edge != VERB)
            yield from (Triplet(name, edge, target) for name in others if name != source and name != target)
        if edge not in (DOBJ, VERB):
            yield from (Triplet(source, label, target) for label in self.labels_for(source, target) if label != edge)
        if not hand and target != self.action:
            names = self.targets(source, edge)
            yield from (Triplet(source, edge, name) for name in names if name not in (target, source))
        if not hand and source not in (self.action, PERSON):
            yield from (Triplet(name, edge, target) for name in self.here if name in self.objects and name != target)

    def actions(self) -> Iterable[str]:
        """Return the verbs the action could be: those of other edges, and of the sentence."""
        verbs = set(self.situation.story.vocabulary.verbs)
        starts = [one.source for one in self.graph if one.edge != VERB and one.source in verbs]
        said = [name for name in self.situation.said.names if name in verbs]
        return list(dict.fromkeys([*starts, *said]))[:MOST_NAMES]

    def targets(self, source: str, edge: str) -> Iterable[str]:
        """Return the objects that an edge could lead to, the likeliest first."""
        situation = self.situation
        twins = [one.target for graph in self.twins() for one in graph if one.edge == edge]
        habit = [
            name
            for name in self.objects
            if situation.own(source, edge, name) > 0 or (edge != DOBJ and situation.own(ANY, edge, name) > 0)
        ]
        near = [name for name in self.objects if name in situation.near_names]
        names = dict.fromkeys([*self.said, *twins, *situation.held, *near, *habit])
        return [name for name in names if name in self.objects][:MOST_NAMES]

    def labels_for(self, source: str, target: str) -> Iterable[str]:
        """Return the prepositions that an edge could have."""
        situation, said = self.situation, self.situation.said.before.get(target, ())
        meant = [
            label
            for label in self.labels
            if label in said or any(label in group and not group.isdisjoint(said) for group in NEAR_LABELS)
        ]
        if HANDS_SET & {source, target}:
            return dict.fromkeys([*meant, WITH])
        habit = [
            label
            for label in self.labels
            if situation.own(source, label, ANY) > 0 or situation.own(ANY, label, target) > 0
        ]
        return dict.fromkeys([*meant, *habit])

    def twins(self) -> tuple[ActionGraph, ...]:
        """Return the other graphs with the same action and object."""
        thing = next((one.target for one in self.graph if one.edge == DOBJ and one.source == self.action), None)
        return () if thing is None else self.situation.twins(self.action, thing)

    def additions(self) -> Iterator[Triplet]:
        """Yield the triplets that a graph may lack."""
        if not self.graph.actions:
            yield from (Triplet(PERSON, VERB, name) for name in self.actions())
        if not self.action:
            return
        if not any(one.edge == DOBJ for one in self.graph):
            yield from (Triplet(self.action, DOBJ, name) for name in self.targets(self.action, DOBJ))
        twins = [one for graph in self.twins() for one in graph if one.edge != VERB]
        yield from (one for one in twins if one.edge != DOBJ or one.source == self.action)
        lacking = [name for name in self.said if name not in self.here and name in self.objects]
        usual = [name for name in self.objects if name not in self.here and self._is_usual(name)]
        for name in dict.fromkeys([*lacking, *usual]):
            for label in self.labels_for(self.action, name):
                yield Triplet(self.action, label, name)
                things = [one.target for one in self.graph if one.edge != VERB and one.target in self.objects]
                yield from (Triplet(thing, label, name) for thing in things if thing != name)
        tools = [name for name in self.situation.held if name not in self.here and WITH in self.labels]
        yield from (Triplet(self.action, WITH, name) for name in tools)
        yield from (Triplet(self.action, WITH, hand) for hand in HANDS if hand not in self.here)

    def _is_usual(self, name: str) -> bool:
        """Return whether the action often has this object beside a preposition."""
        situation = self.situation
        return situation.own(self.action, ANY, name) > situation.own(self.action, DOBJ, name)
