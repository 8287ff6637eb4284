"""Graphs of a sentence, as many as requested.

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> L = Vocabulary(objects=("jar", "lid", "shelf"), relationships=("with", "from"), verbs=("take", "open", "put-down"))
>>> sample = GenerationSample(item_id="0", cluster="", context=("You take the jar from the shelf.",), vocabulary=L,
...                           sentence="Open the lid and put the jar down.", references=(ActionGraph(), ActionGraph()))
>>> for graph in generate(sample):
...     print(*graph, sep="; ")
person -> verb -> open; open -> dobj -> lid; open -> with -> hand2
person -> verb -> put-down; put-down -> dobj -> jar; put-down -> with -> hand1

The context is read the same way, for what the hands hold and what *it* means. Too many events: the least sure go. Too
few: repeats that the sentence counts, a tool taken before it is used, what is held put down, the last event again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tsgkit.graph.hands import GRASPS, RELEASES, TRANSFERS
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph
from tsgkit.suites.tsg.baselines.elements import Elements, elements_of
from tsgkit.suites.tsg.baselines.events import Event, told
from tsgkit.suites.tsg.baselines.word_roots import words
from tsgkit.suites.tsg.items import GenerationSample

TAKING = ("pick-up", "take", "grab", "get", "pick", "fetch", "lift", "grasp", "hold")
PUTTING = ("put-down", "place", "put", "lay", "set-down", "put-back", "return", "drop", "release")
AWAY = frozenset(("from", "out-of", "off"))
TIMES = {"once": 2, "again": 2, "twice": 2, "thrice": 3, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
ALONE = frozenset(("again", "twice", "thrice"))
"""Words that count repetitions without *times* or *more* after them."""
ADDED = 0.3


def generate(sample: GenerationSample) -> list[ActionGraph]:
    """Return the graphs of a sample's sentence; none where L names nothing that can be done."""
    elements = elements_of(sample.vocabulary)
    if not elements.actions:
        return []
    scene = Scene(elements)
    for text in sample.context:
        for event in scene.resolved(told(text, elements)):
            scene.hands.do(event)
    events = scene.resolved(told(sample.sentence, elements)) or [scene.anything()]
    events = fitted(events, sample.k, scene, words(sample.sentence))
    return [_graph(event, scene.hands.do(event), elements) for event in events]


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

    @property
    def held(self) -> tuple[str, ...]:
        """All that is held."""
        return tuple(dict.fromkeys(thing for thing in self.things.values() if thing))

    def do(self, event: Event) -> tuple[str, ...]:
        """Return the hands that an event needs, and update their content."""
        if event.action in GRASPS:
            return self._take(event)
        if event.action in RELEASES:
            return self._release(event)
        if event.action in TRANSFERS and len(self.holders(event.objects)) == 1:
            return self._pass_on(event)
        return self._hands_for(event)

    def _free(self) -> tuple[str, ...]:
        return tuple(hand for hand in HANDS if not self.things[hand])

    def _take(self, event: Event) -> tuple[str, ...]:
        hands = self.holders(event.objects) or (self._free() or HANDS)[:1]
        hands = HANDS if event.both_hands else hands
        if event.other_hand and not self.holders(event.objects):
            hands = self._free()[-1:] or HANDS[1:]
        for hand in hands:
            self.things[hand] = event.objects[0] if event.objects else ""
        return hands

    def _release(self, event: Event) -> tuple[str, ...]:
        holders = self.holders(event.objects)
        hands = HANDS if event.both_hands else holders or self._hands_for(event)
        for hand in holders:
            self.things[hand] = ""
        return hands

    def _pass_on(self, event: Event) -> tuple[str, ...]:
        """From one hand to the other, in this order."""
        (source,) = self.holders(event.objects)
        target = next(hand for hand in HANDS if hand != source)
        self.things[source], self.things[target] = "", event.objects[0]
        return source, target

    def _hands_for(self, event: Event) -> tuple[str, ...]:
        if event.both_hands:
            return HANDS
        if event.other_hand:
            return self._free()[-1:] or HANDS[1:]
        return self.holders(event.tools) or self.holders(event.objects) or (self._free() or HANDS)[:1]


class Scene:
    """The context: the content of the hands, and the objects mentioned."""

    def __init__(self, elements: Elements) -> None:
        self.elements = elements
        self.hands = HandState()
        self.last = ""
        self.taken: list[str] = []

    def resolved(self, events: Iterable[Event]) -> list[Event]:
        """Events whose pronouns have names, and whose actions have something to be done to."""
        resolved = []
        for event in events:
            event = replace(event, action=event.action or self._action(event))
            meant = self._meant(event)
            objects = tuple(filter(None, dict.fromkeys(name or meant for name in event.objects or ("",))))
            links = ((label, thing or self.last) for label, thing in event.links)
            resolved.append(replace(event, objects=objects, links=tuple(link for link in links if link[1])))
            self._remember(event.action, objects)
        return resolved

    def _meant(self, event: Event) -> str:
        """Return the object that a pronoun refers to: the last one mentioned, or for a release the last one taken."""
        return self.taken[-1] if event.action in RELEASES and self.taken else self.last

    def _remember(self, action: str, objects: tuple[str, ...]) -> None:
        self.last = objects[-1] if objects else self.last
        if action in GRASPS or action in RELEASES:
            self.taken = [name for name in self.taken if name not in objects]
        if action in GRASPS:
            self.taken += objects

    def anything(self) -> Event:
        """Return a possible event for a sentence without known words."""
        thing = self.last or next(iter(self.elements.things), "")
        return Event(self.taking, (thing,) if thing else (), sure=0.0)

    @property
    def taking(self) -> str:
        """L's verb for taking."""
        return self._first(TAKING)

    @property
    def putting(self) -> str:
        """L's verb for putting down."""
        return self._first(PUTTING)

    def _first(self, wanted: Sequence[str]) -> str:
        actions = self.elements.actions
        return next((name for name in wanted if name in actions), actions[0])

    def _action(self, event: Event) -> str:
        """Return the probable action without a verb: objects come from a place, or go to one."""
        labels = {label for label, _ in event.links}
        return self.taking if not labels or labels & AWAY else self.putting


def fitted(events: list[Event], k: int, scene: Scene, said: Sequence[str]) -> list[Event]:
    """Exactly k events."""
    apart = [part for event in events for part in event.apart()]
    events = apart if len(apart) <= k else events
    while len(events) > k:
        events = _without(events, min(range(len(events)), key=lambda place: (events[place].sure, -place)))
    if len(events) < k:
        events = _repeated(events, k, said)
    if len(events) < k:
        events = _with_tools_taken(events, k, scene)
    while len(events) < k:
        events = [*events, _closing(events, scene)]
    return events


def _without(events: list[Event], place: int) -> list[Event]:
    return events[:place] + events[place + 1 :]


def _repeated(events: list[Event], k: int, said: Sequence[str]) -> list[Event]:
    """Return the events as often as the sentence counts, all of them or the last alone, as far as k allows."""
    times = _times(said)
    for all_times in range(times, 1, -1):
        if len(events) * all_times <= k:
            return events * all_times
    return [*events, *([events[-1]] * min(times - 1, k - len(events)))]


def counted(events: list[Event], said: Sequence[str]) -> list[Event]:
    """Return the events with the last one repeated as often as the sentence counts, if k is not given."""
    return [*events, *events[-1:] * (_times(said) - 1)]


def _times(said: Sequence[str]) -> int:
    """Return how often something is done, by the words of a sentence."""
    most = max((TIMES[word] for word in _cues(said)), default=1)
    return most + (most > 1 and "more" in said and "once" not in said)


def _cues(said: Sequence[str]) -> list[str]:
    """Return the words that count repeats: twice, again, three *times*, once *more*."""
    following = (*said, "")[1:]
    pairs = zip(said, following, strict=True)
    return [word for word, after in pairs if word in ALONE or (word in TIMES and after in ("times", "more"))]


def _with_tools_taken(events: list[Event], k: int, scene: Scene) -> list[Event]:
    """Return the events, with tools that are not in hand taken first, as far as k allows."""
    held = {*scene.hands.held}
    fitted: list[Event] = []
    for place, event in enumerate(events):
        for tool in event.tools:
            if tool not in held and len(fitted) + len(events) - place < k:
                fitted.append(Event(scene.taking, (tool,), sure=ADDED))
                held.add(tool)
        held.update(event.objects)
        fitted.append(event)
    return fitted


def _closing(events: Sequence[Event], scene: Scene) -> Event:
    """Return one more event: the tool of the last is put down, else the last is done again."""
    last = events[-1]
    tool = next(iter(last.tools), "")
    return Event(scene.putting, (tool,), sure=ADDED) if tool else last


def _graph(event: Event, hands: tuple[str, ...], elements: Elements) -> ActionGraph:
    """Return an event as triplets; each once."""
    action = event.action
    edges = [(DOBJ, thing) for thing in event.objects]
    edges += [link for link in event.links if link[1] not in event.objects or link[1] == action]
    if action in TRANSFERS and len(hands) == 2 and {"from", "to"} <= set(elements.prepositions):
        edges += [("from", hands[0]), ("to", hands[1])]
    else:
        edges += elements.grips(hands)
    return ActionGraph([(PERSON, VERB, action), *((action, label, thing) for label, thing in dict.fromkeys(edges))])
