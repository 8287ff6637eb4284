"""Graphs of a sentence, as many as requested.

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> L = Vocabulary(objects=("jar", "lid", "shelf"), relationships=("with", "from"), verbs=("take", "open", "put-down"))
>>> sample = GenerationSample(item_id="0", cluster="", context=("You take the jar from the shelf.",), vocabulary=L,
...                           sentence="Open the lid and put the jar down.", references=(ActionGraph(), ActionGraph()))
>>> for graph in generate(sample):
...     print(*graph, sep="; ")
person -> verb -> open; open -> dobj -> lid; open -> with -> hand2
person -> verb -> put-down; put-down -> dobj -> jar; put-down -> with -> hand1
>>> [len(graph) for graph in guess_graphs(sample, seed=2)]
[3, 4]

The context is read the same way, for what the hands hold and what *it* means. Too many events: the least sure go. Too
few: repeats that the sentence counts, a tool taken before it is used, what is held put down, the last event again.

A random graph is an action, a direct object, a hand, and half of the time a place, all of L.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tsgkit.graph.hands import GRASPS, RELEASES, TRANSFERS
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph
from tsgkit.suites.tsg.baselines.events import Event, events_of
from tsgkit.suites.tsg.baselines.mentions import GraphElements, elements_of
from tsgkit.suites.tsg.baselines.word_roots import words
from tsgkit.suites.tsg.items import GenerationSample

TAKING = ("pick-up", "take", "grab", "get", "pick", "fetch", "lift", "grasp", "hold")
PUTTING = ("put-down", "place", "put", "lay", "set-down", "put-back", "return", "drop", "release")
AWAY = frozenset(("from", "out-of", "off"))
TIMES = {"once": 2, "again": 2, "twice": 2, "thrice": 3, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
ALONE = frozenset(("again", "twice", "thrice"))
"""Words that count repetitions without *times* or *more* after them."""
ADDED = 0.3


def guess_graphs(item: GenerationSample, seed: int) -> list[ActionGraph]:
    """Draw as many graphs as are asked for; none where L names nothing that can be done."""
    lots, elements, graphs = item.lots(seed), elements_of(item.vocabulary), []
    for _ in range(item.k if elements.actions else 0):
        action = lots.choice(elements.actions)
        edges = []
        if elements.things:
            edges.append((DOBJ, lots.choice(elements.things)))
            if elements.prepositions and lots.random() < 0.5:
                edges.append((lots.choice(elements.prepositions), lots.choice(elements.things)))
        edges += elements.grips(lots.choice((HANDS[:1], HANDS[1:], HANDS)))
        graphs.append(ActionGraph([(PERSON, VERB, action), *((action, label, name) for label, name in edges)]))
    return graphs


def generate(sample: GenerationSample) -> list[ActionGraph]:
    """Return the graphs of a sample's sentence; none where L names nothing that can be done."""
    elements = elements_of(sample.vocabulary)
    if not elements.actions:
        return []
    scene, events = scene_of(sample)
    if not events:
        thing = scene.last or next(iter(elements.things), "")
        events = [Event(scene.taking, (thing,) if thing else (), sure=0.0)]
    graphs = []
    for event in fitted(events, sample.k, scene, words(sample.sentence)):
        action, hands = event.action, scene.hands.do(event)
        edges = [(DOBJ, thing) for thing in event.objects]
        edges += [link for link in event.links if link[1] not in event.objects or link[1] == action]
        if action in TRANSFERS and len(hands) == 2 and {"from", "to"} <= set(elements.prepositions):
            edges += [("from", hands[0]), ("to", hands[1])]
        else:
            edges += elements.grips(hands)
        ends = [(action, label, thing) for label, thing in dict.fromkeys(edges)]
        graphs.append(ActionGraph([(PERSON, VERB, action), *ends]))
    return graphs


class HandState:
    """The content of each hand, by the hand rule applied forward in time.

    The first object taken goes to the first free hand. A held object is used and put down by the hand that holds it;
    other actions are done by a free hand. If both are full, the first does it.

    >>> hands = HandState()
    >>> hands.do(Event("take", ("jar",))), hands.do(Event("open", ("lid",))), hands.do(Event("put-down", ("jar",)))
    (('hand1',), ('hand2',), ('hand1',))
    """

    def __init__(self) -> None:
        self.things: dict[str, str] = dict.fromkeys(HANDS, "")

    def holders(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the hands that hold one of these."""
        wanted = set(names) - {""}
        return tuple(hand for hand in HANDS if self.things[hand] in wanted)

    def do(self, event: Event) -> tuple[str, ...]:
        """Return the hands that an event needs, and update their content."""
        holders = self.holders(event.objects)
        free = tuple(hand for hand in HANDS if not self.things[hand])
        first, last = (free or HANDS)[:1], free[-1:] or HANDS[1:]
        if event.action in GRASPS:
            hands = HANDS if event.both_hands else holders or first
            hands = last if event.other_hand and not holders else hands
            self.things |= dict.fromkeys(hands, event.objects[0] if event.objects else "")
            return hands
        if event.action in TRANSFERS and len(holders) == 1:  # from one hand to the other, in this order
            target = next(hand for hand in HANDS if hand not in holders)
            self.things |= {holders[0]: "", target: event.objects[0]}
            return (*holders, target)
        hands = last if event.other_hand else self.holders(event.tools) or holders or first
        if event.action in RELEASES:
            self.things |= dict.fromkeys(holders, "")
            hands = holders or hands
        return HANDS if event.both_hands else hands


class SentenceContext:
    """The context: the content of the hands, the objects mentioned, and L's verbs for taking and putting down."""

    def __init__(self, elements: GraphElements) -> None:
        self.hands = HandState()
        self.last = ""
        self.taken: list[str] = []
        actions = elements.actions
        self.taking, self.putting = (
            next((name for name in usual if name in actions), actions[0]) for usual in (TAKING, PUTTING)
        )

    def resolved(self, events: Iterable[Event]) -> list[Event]:
        """Return events whose pronouns have names, and whose actions have something to be done to.

        A pronoun is the last object mentioned, or for a release the last one taken. Without a verb, objects come from
        a place or go to one.
        """
        resolved = []
        for event in events:
            labels = {label for label, _ in event.links}
            action = event.action or (self.taking if not labels or labels & AWAY else self.putting)
            meant = self.taken[-1] if action in RELEASES and self.taken else self.last
            objects = tuple(filter(None, dict.fromkeys(name or meant for name in event.objects or ("",))))
            links = tuple((label, thing or self.last) for label, thing in event.links if thing or self.last)
            resolved.append(replace(event, action=action, objects=objects, links=links))
            self.last = objects[-1] if objects else self.last
            if action in GRASPS or action in RELEASES:
                self.taken = [name for name in self.taken if name not in objects]
            if action in GRASPS:
                self.taken += objects
        return resolved


def scene_of(sample: GenerationSample) -> tuple[SentenceContext, list[Event]]:
    """Return the context of a sample's sentence, and the events of the sentence; L has actions."""
    elements = elements_of(sample.vocabulary)
    scene = SentenceContext(elements)
    for text in sample.context:
        for event in scene.resolved(events_of(text, elements)):
            scene.hands.do(event)
    return scene, scene.resolved(events_of(sample.sentence, elements))


def fitted(events: list[Event], k: int, scene: SentenceContext, sentence: Sequence[str]) -> list[Event]:
    """Return exactly k events, of one or more."""
    apart = [part for event in events for part in event.apart()]
    events = list(apart if len(apart) <= k else events)
    while len(events) > k:  # the least sure go, of equals the last
        sureness = [(event.sure, -index) for index, event in enumerate(events)]
        del events[sureness.index(min(sureness))]
    repeats = times(sentence)
    whole = next((number for number in range(repeats, 1, -1) if len(events) * number <= k), 0)
    events = events * whole if whole else events + [events[-1]] * min(repeats - 1, k - len(events))
    held_things, complete = set(scene.hands.things.values()), list[Event]()
    for index, event in enumerate(events):
        for tool in event.tools:
            if tool not in held_things and len(complete) + len(events) - index < k:
                complete.append(Event(scene.taking, (tool,), sure=ADDED))
                held_things.add(tool)
        held_things.update(event.objects)
        complete.append(event)
    while len(complete) < k:
        last = complete[-1]
        complete.append(Event(scene.putting, last.tools[:1], sure=ADDED) if last.tools else last)
    return complete


def times(sentence: Sequence[str]) -> int:
    """Return how often something is done, by the words that count repeats: twice, again, three *times*, once *more*."""
    pairs = zip(sentence, (*sentence, "")[1:], strict=True)
    cues = [word for word, after in pairs if word in ALONE or (word in TIMES and after in ("times", "more"))]
    most = max((TIMES[word] for word in cues), default=1)
    return most + (most > 1 and "more" in sentence and "once" not in sentence)
