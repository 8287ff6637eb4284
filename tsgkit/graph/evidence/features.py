"""Features: what speaks for and against a graph in its situation, by name and value.

A feature of a triplet depends on the graph's action alone; a feature of a graph depends on all of it. Names begin with
``told`` where a sentence is known and with ``bare`` where none is; what both share has no such beginning.

>>> from tsgkit.graph.model import Description, Narrative, Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "cup"), ("take", "from", "shelf"))
>>> L = Vocabulary(("cup", "shelf"), ("verb", "dobj", "with", "from"), ("take",))
>>> story = Story(Narrative((Description("She takes the cup from the shelf.", (graph,)),), L))
>>> situation = story.situation(0)
>>> [name for name, _ in triplet_features(situation, "take", graph.triplets[2])][:3]
['told.prep', 'told.prep.said', 'told.prep.phrase']
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

from tsgkit.graph.evidence.habits import ANY, HAND, Habits, counted
from tsgkit.graph.evidence.sentence import NOTHING_SAID, SaidWords, read_sentence
from tsgkit.graph.hand_shares import POSSIBLE, hand_shares, named_hands, with_hands
from tsgkit.graph.hands import GRASPS, RELEASES, UNKNOWN, HandStep, State, trace
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Narrative, Triplet, Vocabulary

NEAR_GRAPHS = 4
"""So many graphs before and after count as near."""
MOST_TWINS = 3
USUAL = 0.6
"""A label that so large a share of a verb's graphs has is usual for it."""
Feature = tuple[str, float]


@dataclass(frozen=True)
class Story:
    """A narrative with what is counted once for all of its graphs."""

    narrative: Narrative
    corpus: Habits = field(default_factory=Habits)

    @cached_property
    def graphs(self) -> tuple[ActionGraph, ...]:
        """All graphs along time."""
        return self.narrative.graphs

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """L, or the elements of the narrative itself."""
        return self.narrative.vocabulary or Vocabulary.of(self.graphs)

    @cached_property
    def objects(self) -> frozenset[str]:
        """The objects of L, without persons and hands."""
        return frozenset(self.vocabulary.objects) - {PERSON, *HANDS}

    @cached_property
    def verbs(self) -> frozenset[str]:
        """The verbs of L."""
        return frozenset(self.vocabulary.verbs)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The prepositions of L."""
        return tuple(label for label in self.vocabulary.relationships if label not in (VERB, DOBJ))

    @cached_property
    def names_hands(self) -> bool:
        """True if L or any graph names a hand."""
        return not {*HANDS}.isdisjoint(self.vocabulary.objects) or self.habits.count(ANY, WITH, HANDS[0]) > 0

    @cached_property
    def habits(self) -> Habits:
        """The habits of the narrative."""
        return Habits.of(self.graphs)

    @cached_property
    def steps(self) -> tuple[HandStep, ...]:
        """The content of the hands along the narrative."""
        return trace(self.narrative)

    @cached_property
    def hand_shares(self) -> Mapping[int, Mapping[tuple[str, ...], float]]:
        """The probabilities of the hands of each graph that names none."""
        handless = {
            number: {hands: with_hands(graph, hands) for hands in POSSIBLE}
            for number, graph in enumerate(self.graphs)
            if graph.actions and not named_hands(graph)
        }
        return hand_shares(self.narrative, handless)

    @cached_property
    def _spans(self) -> list[tuple[str, int, int]]:
        """The sentence of each graph with the range of the graphs it describes."""
        spans, start = list[tuple[str, int, int]](), 0
        for description in self.narrative.descriptions:
            size = len(description.graphs)
            if description.text:
                spans += [(description.text, start, start + size)] * size
            else:
                spans += [("", number, number + 1) for number in range(start, start + size)]
            start += size
        return spans

    def situation(self, number: int, graph: ActionGraph | None = None) -> Situation:
        """Return the situation of one graph; another graph may stand in its place."""
        text, start, end = self._spans[number]
        given = self.graphs[number]
        siblings = tuple(self.graphs[place] for place in range(start, end) if place != number)
        near = range(max(0, number - NEAR_GRAPHS), min(len(self.graphs), number + NEAR_GRAPHS + 1))
        return Situation(
            graph=given if graph is None else graph,
            counted=given,
            number=number,
            said=read_sentence(text, self.vocabulary) if text else NOTHING_SAID,
            told=bool(text),
            story=self,
            siblings=siblings,
            near=tuple(self.graphs[place] for place in near if place != number),
            last=_names_of(self.graphs[number - 1 : number]) if number else frozenset(),
            following=_names_of(self.graphs[number + 1 : number + 3]),
            hands=self.steps[number].before if number < len(self.steps) else UNKNOWN,
            mine=_counts_of(given),
        )


def _names_of(graphs: Sequence[ActionGraph]) -> frozenset[str]:
    return frozenset(name for graph in graphs for one in graph for name in (one.source, one.target))


def _counts_of(graph: ActionGraph) -> Counter[tuple[str, str, str]]:
    counts = Counter[tuple[str, str, str]]()
    counted(counts, graph, 1)
    return counts


@dataclass(frozen=True)
class Situation:
    """One graph with its sentence and the graphs around it."""

    graph: ActionGraph
    counted: ActionGraph
    """The graph in the narrative, which its habits count; usually the same."""
    number: int
    said: SaidWords
    told: bool
    story: Story
    siblings: tuple[ActionGraph, ...]
    near: tuple[ActionGraph, ...]
    last: frozenset[str]
    """The names in the graph right before."""
    following: frozenset[str]
    """The names in the next two graphs."""
    hands: State
    mine: Counter[tuple[str, str, str]]

    @cached_property
    def kind(self) -> str:
        """The beginning of the names of its features."""
        return "told" if self.told else "bare"

    @cached_property
    def held(self) -> frozenset[str]:
        """The objects that the hands hold before the graph."""
        return frozenset(name for things in self.hands for name in things or ())

    @cached_property
    def near_names(self) -> frozenset[str]:
        """The names in the graphs around it."""
        return _names_of(self.near)

    @cached_property
    def covered(self) -> frozenset[str]:
        """The names in the other graphs of the sentence."""
        return _names_of(self.siblings)

    def others(self, action: str) -> int:
        """Return how many other graphs of the narrative have an action."""
        return self.story.habits.actions[action] - (action in self.counted.actions)

    def own(self, start: str, label: str, end: str) -> int:
        """Return how often an edge occurs in the other graphs of the narrative."""
        end = HAND if end in HANDS else end
        return self.story.habits.edges[start, label, end] - self.mine[start, label, end]

    def common(self, start: str, label: str, end: str) -> int:
        """Return how often an edge occurs in other data."""
        return self.story.corpus.count(start, label, end)

    @cached_property
    def is_partial(self) -> bool:
        """True if other graphs of the sentence are unknown; they stand there empty."""
        return not all(graph.triplets for graph in self.siblings)

    @cached_property
    def wanted(self) -> list[tuple[str, str]]:
        """The names of the sentence that no other of its graphs has, each with the feature of a graph without it."""
        said, found = self.said, list[tuple[str, str]]()
        for name in () if self.is_partial else said.names:
            if name not in self.covered:
                unsure = "" if name in said.sure else ".unsure"
                kind = "-verb" if self.story.vocabulary.is_only_a_verb(name) else ".place" if said.before[name] else ""
                found.append((name, f"told.lacking{kind}{unsure}"))
        return found

    @cached_property
    def edges_of_twins(self) -> Callable[[str, str], tuple[frozenset[Triplet], frozenset[Triplet]]]:
        """The edges of the nearest twin and of all, by action and object."""

        def found(action: str, thing: str) -> tuple[frozenset[Triplet], frozenset[Triplet]]:
            twins = self.twins(action, thing)
            return _edges(twins[:1]), _edges(twins)

        return cache(found)

    @cached_property
    def usual_labels(self) -> Callable[[str], tuple[str, ...]]:
        """The prepositions that most other graphs of an action have."""
        return cache(lambda action: tuple(_usual_labels(self, action)))

    @cached_property
    def of_hands(self) -> Callable[[str, tuple[str, ...], frozenset[str]], tuple[Feature, ...]]:
        """The features of the hands that a graph names, by its action and what it handles of what they hold."""
        return cache(lambda action, named, handled: tuple(_of_hands(self, action, named, handled)))

    def status(self, name: str) -> str:
        """Return where a name comes from: the sentence, the hands, the graphs around, or nowhere."""
        if name in self.said.names:
            return "said"
        if name in self.held:
            return "held"
        return "near" if name in self.near_names else "unsaid"

    def twins(self, action: str, thing: str) -> tuple[ActionGraph, ...]:
        """Return the nearest other graphs with the same action and object."""
        places = self.story.habits.nearest(action, thing, self.number, MOST_TWINS)
        return tuple(self.story.graphs[place] for place in places)


def _edges(graphs: Iterable[ActionGraph]) -> frozenset[Triplet]:
    return frozenset(one for graph in graphs for one in graph.triplets if one.edge != VERB)


def action_of(graph: ActionGraph) -> str:
    """Return a graph's action: the target of ``verb``, else the name where most edges start."""
    if graph.actions:
        return graph.actions[0]
    starts = Counter(one.source for one in graph if one.source not in (PERSON, *HANDS))
    return max(starts, key=lambda name: starts[name], default="")


def triplet_features(situation: Situation, action: str, triplet: Triplet) -> list[Feature]:
    """Return the features of one triplet in a graph with this action."""
    found = list(_of_kind(situation, action, triplet))
    if outside := len(situation.story.vocabulary.outside(triplet)):
        found.append(("outside", float(outside)))
    return found


def _of_kind(situation: Situation, action: str, triplet: Triplet) -> Iterable[Feature]:
    source, edge, target = triplet
    kind = situation.kind
    if edge == VERB:
        return _of_verb(situation, triplet)
    if target in HANDS or source in HANDS:
        return _of_hand(situation, action, triplet)
    if source == action:
        if edge == DOBJ:
            return _of_object(situation, action, target)
        return _of_preposition(situation, action, edge, target)
    if edge == DOBJ:
        return [("ill.dobj", 1.0)]
    if target == action:
        return [(f"{kind}.towards", 1.0), ("towards.own", math.log1p(situation.own(ANY, ANY, action)))]
    return _of_far_edge(situation, triplet)


def _of_verb(situation: Situation, triplet: Triplet) -> Iterator[Feature]:
    kind, target = situation.kind, triplet.target
    if triplet.source != PERSON or target in (PERSON, *HANDS):
        yield "ill.verb", 1.0
        return
    yield f"{kind}.verb", 1.0
    if situation.told:
        said = "said" if target in situation.said.names else "unsaid"
        yield f"told.verb.{said}", 1.0
        if target in situation.covered:
            yield f"told.verb.{said}.covered", 1.0
    own = situation.others(target)
    yield f"{kind}.verb.own", math.log1p(own)
    if not own:
        yield f"{kind}.verb.new", 1.0


def _of_object(situation: Situation, action: str, thing: str) -> Iterator[Feature]:
    kind = situation.kind
    yield f"{kind}.dobj", 1.0
    yield f"{kind}.dobj.{situation.status(thing)}", 1.0
    if thing in situation.said.before:
        yield "told.dobj.after-preposition" if situation.said.before[thing] else "told.dobj.free", 1.0
        if situation.said.comes_next(action, thing):
            yield "told.dobj.comes-next", 1.0
    if action in situation.said.pronouns:
        yield f"told.dobj.pronoun.{'last' if thing in situation.last else situation.status(thing)}", 1.0
    yield from _in_order(situation, f"{kind}.dobj", thing)
    known = None not in situation.hands
    if action in GRASPS:
        yield (
            f"dobj.grasped.{'held' if thing in situation.held else 'next' if thing in situation.following else 'no'}",
            1.0,
        )
    if action in RELEASES and known:
        yield f"dobj.released.{'held' if thing in situation.held else 'not-held'}", 1.0
    yield f"{kind}.dobj.own", math.log1p(situation.own(action, DOBJ, thing))
    as_object = situation.own(ANY, DOBJ, thing)
    yield f"{kind}.dobj.as-object", math.log1p(as_object)
    if not as_object:
        yield f"{kind}.dobj.never", 1.0
    yield f"{kind}.dobj.as-place", math.log1p(max(0, situation.own(ANY, ANY, thing) - as_object))
    yield f"{kind}.dobj.common", math.log1p(situation.common(action, DOBJ, thing))


def _of_preposition(situation: Situation, action: str, label: str, thing: str) -> Iterator[Feature]:
    kind, said = situation.kind, situation.said
    name = f"{kind}.with" if label == WITH else f"{kind}.prep"
    status = situation.status(thing)
    yield name, 1.0
    yield f"{name}.{status}", 1.0
    if situation.told:
        if said.has_phrase(label, thing):
            yield f"{name}.phrase", 1.0
        elif said.has_near_phrase(label, thing):
            yield f"{name}.near-phrase", 1.0
        elif said.before.get(thing):
            yield f"{name}.other-phrase", 1.0
        if label not in said.labels:
            yield f"{name}.label-unsaid", 1.0
        if thing in situation.covered:
            yield f"{name}.{status}.covered", 1.0
    yield f"{name}.own", math.log1p(situation.own(action, label, thing))
    pair = situation.own(ANY, label, thing)
    yield f"{name}.own-pair", math.log1p(pair)
    if not pair:
        yield f"{name}.new-pair", 1.0
    verb_label = situation.own(action, label, ANY)
    yield f"{name}.own-label", math.log1p(verb_label)
    if not verb_label:
        yield f"{name}.new-label", 1.0
    yield f"{name}.place", math.log1p(max(0, situation.own(ANY, ANY, thing) - pair))
    yield f"{name}.common-label", math.log1p(situation.common(action, label, ANY))
    yield f"{name}.common-pair", math.log1p(situation.common(ANY, label, thing))
    yield from _in_order(situation, name, thing)
    if status == "said" and not said.before.get(thing):
        yield f"{name}.no-phrase", 1.0


def _in_order(situation: Situation, name: str, thing: str) -> Iterator[Feature]:
    """Yield whether the graphs right before and after have a name too."""
    if thing in situation.last:
        yield f"{name}.last", 1.0
    if thing in situation.following:
        yield f"{name}.following", 1.0


def _of_far_edge(situation: Situation, triplet: Triplet) -> Iterator[Feature]:
    """Yield the features of an edge between two objects."""
    kind, said = situation.kind, situation.said
    source, label, target = triplet
    if situation.story.vocabulary.is_only_a_verb(source):
        yield "ill.far-verb", 1.0
        return
    yield f"{kind}.far", 1.0
    yield from _in_order(situation, f"{kind}.far", target)
    yield f"{kind}.far.{situation.status(target)}", 1.0
    if situation.told:
        yield f"told.far.source-{situation.status(source)}", 1.0
        if said.has_phrase(label, target):
            yield "told.far.phrase", 1.0
        elif said.has_near_phrase(label, target):
            yield "told.far.near-phrase", 1.0
        if source in said.names and target in said.names:
            yield ("told.far.order" if said.names[source] < said.names[target] else "told.far.against-order"), 1.0
    yield f"{kind}.far.own", math.log1p(situation.own(source, label, target))
    yield f"{kind}.far.own-pair", math.log1p(situation.own(ANY, label, target))
    yield f"{kind}.far.any", math.log1p(situation.own(source, ANY, ANY))


def _of_hand(situation: Situation, action: str, triplet: Triplet) -> Iterator[Feature]:
    kind = situation.kind
    source, label, target = triplet
    if label == DOBJ or (source in HANDS and target in HANDS):
        yield "ill.hand", 1.0
        return
    hand, other = (target, source) if target in HANDS else (source, target)
    if label != WITH:
        yield f"{kind}.hand.by-label", 1.0
        yield f"{kind}.hand.by-label.own", math.log1p(situation.own(action, label, HAND))
        yield f"{kind}.hand.by-label.common", math.log1p(situation.common(action, label, HAND))
        return
    if other != action:
        yield "ill.hand-of-object", 1.0
        return
    if source in HANDS:
        yield "hand.turned", 1.0
        yield "hand.turned.own", math.log1p(situation.own(HAND, WITH, ANY))
    held = situation.hands.of(hand)
    yield f"hand.{'unknown' if held is None else 'free' if not held else 'busy'}", 1.0


def graph_features(situation: Situation, action: str, graph: ActionGraph) -> list[Feature]:
    """Return the features of a graph as a whole."""
    return [
        *_shape(situation, action, graph),
        *situation.of_hands(action, named_hands(graph), _handled(situation, graph)),
        *_lacking(situation, graph),
        *_beside_twins(situation, action, graph),
    ]


def _handled(situation: Situation, graph: ActionGraph) -> frozenset[str]:
    """Return the objects and tools of a graph that the hands hold."""
    if not situation.held:
        return frozenset()
    return situation.held.intersection([one.target for one in graph.triplets if one.edge in (DOBJ, WITH)])


def _shape(situation: Situation, action: str, graph: ActionGraph) -> Iterator[Feature]:
    kind = situation.kind
    verbs = things = 0
    labels, seen, repeated = set[str](), set[str](), set[str]()
    linked = {action}
    for source, edge, target in graph.triplets:
        if edge == VERB:
            verbs += 1
            continue
        if source == action:
            linked.add(target)
            things += edge == DOBJ
        elif target == action:
            linked.add(source)
        if target != action:
            (repeated if target in seen else seen).add(target)
        if target not in HANDS:
            labels.add(edge)
    if verbs != 1:
        yield ("no-verb" if not verbs else "several-verbs"), 1.0
    if not things:
        yield f"{kind}.no-dobj", 1.0
        yield f"{kind}.no-dobj.usual", situation.own(action, DOBJ, ANY) / (situation.others(action) + 1)
    elif things > 1:
        yield f"{kind}.several-dobj", 1.0
    if repeated:
        yield f"{kind}.repeated", float(len(repeated))
    loose = sum(
        one.target not in linked and (one.source not in linked or one.source in HANDS) for one in graph.triplets
    )
    if loose:
        yield "loose", float(loose)
    for label in situation.usual_labels(action):
        if label not in labels:
            yield f"{kind}.usual-lacking", 1.0


def _usual_labels(situation: Situation, action: str) -> Iterator[str]:
    total = situation.others(action)
    if total >= 2:
        for label in situation.story.labels:
            if label != WITH and situation.own(action, label, ANY) >= USUAL * total:
                yield label


def _of_hands(situation: Situation, action: str, named: tuple[str, ...], handled: frozenset[str]) -> Iterator[Feature]:
    number = len(named)
    yield f"{situation.kind}.hands.{number}", 1.0
    if situation.told:
        yield f"told.hands.{number}.said-{situation.said.hands}", 1.0
    before = len(named_hands(situation.counted))
    same = situation.story.habits.handed[action, number] - (number == before and action in situation.counted.actions)
    yield "hands.own", math.log((same + 0.5) / (situation.others(action) + 1.5))
    shares = None if before else situation.story.hand_shares.get(situation.number)
    if shares and named:
        yield "hands.share", math.log(shares.get(named, 0.0) + 0.02)
    for hand in named:
        other = situation.hands.of(HANDS[hand == HANDS[0]]) or ()
        if handled.intersection(situation.hands.of(hand) or ()):
            yield "hands.holds", 1.0
        elif number == 1 and handled.intersection(other):
            yield "hands.other-holds", 1.0
    if named == HANDS[1:]:
        yield "hands.second-alone", 1.0


def _lacking(situation: Situation, graph: ActionGraph) -> list[Feature]:
    """Return what the sentence mentions and no graph has."""
    wanted = situation.wanted
    if not wanted:
        return []
    here = {name for one in graph.triplets for name in (one.source, one.target)}
    return [(feature, 1.0) for name, feature in wanted if name not in here]


def _beside_twins(situation: Situation, action: str, graph: ActionGraph) -> Iterator[Feature]:
    """Yield how a graph differs from the nearest graph with the same action and object."""
    thing = next((one.target for one in graph.triplets if one.edge == DOBJ and one.source == action), None)
    if thing is None:
        return
    nearest, all_ = situation.edges_of_twins(action, thing)
    if not all_:
        return
    mine = {one for one in graph.triplets if one.edge != VERB}
    kind = situation.kind
    yield f"{kind}.twin.lacking", float(len(nearest - mine))
    yield f"{kind}.twin.surplus", float(len(mine - all_))
    if mine == nearest:
        yield f"{kind}.twin.same", 1.0
