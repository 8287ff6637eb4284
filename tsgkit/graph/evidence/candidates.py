"""Candidates: the graphs that one edit makes of a graph, with names that its situation offers.

>>> from tsgkit.graph.evidence.features import Story
>>> from tsgkit.graph.model import Description, Narrative, Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "take"), ("cup", "dobj", "take"))
>>> L = Vocabulary(("cup", "shelf"), ("verb", "dobj", "from"), ("take",))
>>> story = Story(Narrative((Description("She takes the cup from the shelf.", (graph,)),), L))
>>> for edit in edits_of(story.situation(0)):
...     print(edit.kind, "|", edit.before, "|", edit.after)
remove | cup -> dobj -> take | None
reverse | cup -> dobj -> take | take -> dobj -> cup
add | None | take -> from -> shelf
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tsgkit.graph.edits import exchanged
from tsgkit.graph.evidence.features import Situation, action_of
from tsgkit.graph.evidence.habits import ANY
from tsgkit.graph.evidence.sentence import NEAR_LABELS
from tsgkit.graph.hands import GRASPS, RELEASES, TRANSFERS
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Triplet, Vocabulary

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
        return exchanged(graph, self.before, self.after)


LEAVING, REACHING = frozenset({"from", "out-of"}), frozenset({"to", "into", "in", "onto"})
HANDS_SET = frozenset(HANDS)


def edits_of(situation: Situation) -> list[Edit]:
    """Return all edits of a graph that its situation offers, without repeats."""
    there = set(situation.graph.triplets)
    edits = dict.fromkeys(_Offer(situation).edits())
    return [one for one in edits if one.after not in there and _is_sound(one.after, situation.story.vocabulary)]


def _is_sound(triplet: Triplet | None, vocabulary: Vocabulary) -> bool:
    """Return whether a triplet keeps the schema: person acts, and an action is no object."""
    if triplet is None or triplet.edge == VERB:
        return triplet is None or (triplet.source == PERSON and triplet.target not in (PERSON, *HANDS))
    if PERSON in (triplet.source, triplet.target):
        return False
    return triplet.edge != DOBJ or not (triplet.target in HANDS or vocabulary.is_only_a_verb(triplet.target))


def _moves(action: str, label: str) -> bool:
    """Return whether something can leave a hand or reach it by an action."""
    return (label in LEAVING and action in RELEASES | TRANSFERS | GRASPS) or (label in REACHING and action in TRANSFERS)


class _Offer:
    """The edits that a situation offers: of triplets that nothing supports, and of what the graph lacks."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.graph = situation.graph
        self.action = action_of(self.graph)
        self.vocabulary = situation.story.vocabulary
        self.objects = situation.story.objects
        self.labels = situation.story.labels
        self.here = {name for one in self.graph for name in (one.source, one.target)}
        self.hands = HANDS_SET & self.here

    def edits(self) -> Iterator[Edit]:
        """Yield every edit."""
        for one in self.graph.triplets:
            if one.edge == VERB:
                yield from self._of_verb(one)
            elif HANDS_SET & {one.source, one.target}:
                yield from self._of_hand(one)
            elif not self._is_supported(one):
                yield from self._of_edge(one)
        yield from (Edit("add", None, one) for one in self._additions())

    def _is_supported(self, one: Triplet) -> bool:
        """Return whether the sentence or another graph has an edge."""
        source, edge, target = one
        if source != self.action:
            return False
        situation, said = self.situation, self.situation.said
        if situation.own(source, edge, target):
            return True
        if edge == DOBJ:
            return target in said.names and (not said.before[target] or said.comes_next(source, target))
        return said.has_phrase(edge, target)

    def _of_verb(self, one: Triplet) -> Iterator[Edit]:
        if one.source != PERSON or one.target in (PERSON, *HANDS):
            yield Edit("reverse", one, one.reversed)
        if len(self.graph.actions) > 1:
            yield Edit("remove", one, None)
        if one.source == PERSON and not self._acts(one.target):
            yield from (Edit("replace", one, Triplet(PERSON, VERB, name)) for name in self.actions())

    def _acts(self, action: str) -> bool:
        """Return whether most other edges start at an action."""
        others = [one.source == action for one in self.graph if one.edge != VERB]
        return 2 * sum(others) > len(others)

    def _of_hand(self, one: Triplet) -> Iterator[Edit]:
        source, label, target = one
        if len(self.hands) > 1 or label != WITH or source != self.action:
            yield Edit("remove", one, None)
        if source in HANDS or label != WITH:
            yield Edit("reverse", one, one.reversed)
        if label != WITH and not _moves(self.action, label):
            labels = self.labels_for(source, target)
            yield from (Edit("replace", one, Triplet(source, name, target)) for name in labels if name != label)
        if target in HANDS and source != self.action:
            yield Edit("replace", one, Triplet(self.action, label, target))
        if source in HANDS and target != self.action:
            yield Edit("replace", one, Triplet(source, label, self.action))

    def _of_edge(self, one: Triplet) -> Iterator[Edit]:
        source, edge, target = one
        foreign = source != self.action and self.vocabulary.is_only_a_verb(source)
        if not foreign:
            yield Edit("remove", one, None)
        if source != target and (source != self.action or target in self.situation.said.names or edge == DOBJ):
            yield Edit("reverse", one, one.reversed)
        yield from (Edit("replace", one, other) for other in self._replacements(one))

    def _replacements(self, one: Triplet) -> Iterator[Triplet]:
        """Yield what may stand in the place of a triplet: with another source, label or target."""
        source, edge, target = one
        if source != self.action and target != self.action:
            yield Triplet(self.action, edge, target)
            if edge != DOBJ and source != PERSON:
                ends = [name for name in sorted(self.here) if name in self.objects and name != target]
                yield from (Triplet(name, edge, target) for name in ends if name != source)
        if source == self.action:
            starts = {one.source for one in self.graph.triplets if one.edge != VERB} - {source, target, *HANDS}
            yield from (Triplet(name, edge, target) for name in sorted(starts))
        if edge != DOBJ:
            yield from (Triplet(source, label, target) for label in self.labels_for(source, target) if label != edge)
        if target != self.action:
            names = self.targets(source, edge)
            yield from (Triplet(source, edge, name) for name in names if name not in (target, source))

    def actions(self) -> Iterable[str]:
        """Return the verbs the action could be: those of other edges, else of the sentence."""
        verbs = self.situation.story.verbs
        starts = [one.source for one in self.graph if one.edge != VERB and one.source in verbs]
        return dict.fromkeys(starts or [name for name in self.situation.said.names if name in verbs])

    def targets(self, source: str, edge: str) -> list[str]:
        """Return the objects that an edge could lead to, the likeliest first."""
        situation = self.situation
        said = [name for name in situation.said.names if name not in situation.covered or edge == DOBJ]
        twins = [one.target for graph in self.twins() for one in graph if one.edge == edge]
        habit = situation.story.habits.ends[source, edge]
        around = situation.last | situation.following
        names = dict.fromkeys([*said, *twins, *sorted(situation.held), *habit, *sorted(around)])
        return [name for name in names if name in self.objects][:MOST_NAMES]

    def labels_for(self, source: str, target: str) -> Iterable[str]:
        """Return the prepositions that an edge could have: those of the sentence, else the usual ones."""
        situation, said = self.situation, self.situation.said.before.get(target, ())
        meant = [
            label
            for label in self.labels
            if label in said or any(label in group and not group.isdisjoint(said) for group in NEAR_LABELS)
        ]
        if HANDS_SET & {source, target}:
            return dict.fromkeys([*meant, WITH])
        pairs = [label for label in self.labels if situation.own(ANY, label, target) > 0]
        usual = [] if meant or pairs else [label for label in self.labels if situation.own(source, label, ANY) > 0]
        return dict.fromkeys([*meant, *pairs, *usual])

    def twins(self) -> tuple[ActionGraph, ...]:
        """Return the other graphs with the same action and object."""
        thing = next((one.target for one in self.graph if one.edge == DOBJ and one.source == self.action), None)
        return () if thing is None else self.situation.twins(self.action, thing)

    def _additions(self) -> Iterator[Triplet]:
        """Yield the triplets that a graph may lack."""
        if not self.graph.actions:
            yield from (Triplet(PERSON, VERB, name) for name in self.actions())
        if not self.action:
            return
        if not any(one.edge == DOBJ for one in self.graph):
            yield from (Triplet(self.action, DOBJ, name) for name in self.targets(self.action, DOBJ))
        twins = [one for graph in self.twins() for one in graph if one.edge != VERB]
        yield from (one for one in twins if one.edge != DOBJ)
        for name in dict.fromkeys([*self._lacking(), *self._usual()]):
            for label in self.labels_for(self.action, name):
                yield Triplet(self.action, label, name)
                things = [one.target for one in self.graph if one.edge != VERB and one.target in self.objects]
                yield from (Triplet(thing, label, name) for thing in dict.fromkeys(things) if thing != name)
        yield from self._lacking_hands()

    def _lacking(self) -> list[str]:
        """Return the objects of the sentence that none of its graphs has, and what the hands hold as tools."""
        situation = self.situation
        covered = self.here | situation.covered
        names = () if situation.is_partial else situation.said.names
        said = [name for name in names if name in self.objects and name not in covered]
        held = situation.held - self.here
        return [
            *said,
            *(name for name in held if situation.own(self.action, WITH, name) or name in situation.said.names),
        ]

    def _usual(self) -> list[str]:
        """Return the objects that the action has beside a preposition in other graphs."""
        situation = self.situation
        near = situation.near_names
        return [
            name
            for name in situation.story.habits.ends[self.action, ANY]
            if name not in self.here and name in near and situation.own(self.action, ANY, name) > 1
        ]

    def _lacking_hands(self) -> Iterator[Triplet]:
        said = self.situation.said.hands
        if WITH not in self.labels or not (said or self.situation.story.names_hands):
            return
        usual = self.situation.story.habits.handed[self.action, 2]
        if not self.hands or (len(self.hands) == 1 and said != 1 and (said == 2 or usual)):
            yield from (Triplet(self.action, WITH, hand) for hand in HANDS if hand not in self.hands)
