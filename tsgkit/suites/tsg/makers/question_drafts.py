"""Drafts of questions about a story: paths of one to four hops, drawn by lot, with their words.

A draft names every event so that only one step fits; whether its answer is the only one is checked elsewhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from tsgkit.graph.hands import HAND_NAME
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, Narrative
from tsgkit.graph.timeline import Step, Timeline
from tsgkit.lexicon import is_preposition
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.makers import question_phrases as phrases
from tsgkit.suites.tsg.makers.question_paths import ORDINALS, walk
from tsgkit.suites.tsg.makers.question_phrases import StepPhrase

RESERVED = frozenset(("and", PERSON))
UNASKED = frozenset((VERB, DOBJ, "by", "of", "up", "between"))
"""Edges that no preposition at the end of a question can stand for."""
INCOMPLETE = word_set("bed give help lay let make offer place put set slip stand")
"""Actions that say too little without a place or receiver: one does not just *put a cup*."""

FORMING = word_set("break cut fold form make roll shape tear turn twist wind")
"""Actions by which a thing becomes what it goes *into*."""


class Draft(NamedTuple):
    """A path, the words of its question once they are needed, and its family."""

    path: tuple[str, ...]
    write: Callable[[], str]
    family: str


class Start(NamedTuple):
    """A step as a first hop finds it, and its wordings."""

    hop: str
    place: int
    event: tuple[str, str] | None
    ways: tuple[Callable[[Random], StepPhrase], ...]

    @property
    def ordinal(self) -> str:
        """How the step is counted: only, first, second, third or last."""
        return self.hop.split()[0]

    def phrase(self, choice: Random) -> StepPhrase:
        """Return the step in words."""
        return choice.choice(self.ways)(choice)


@dataclass(frozen=True)
class DraftSource:
    """A story, and how questions about it can begin."""

    timeline: Timeline

    @classmethod
    def of(cls, story: Narrative) -> DraftSource:
        """Return the source of drafts about a story."""
        return cls(Timeline(story))

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the story."""
        return self.timeline.steps

    @cached_property
    def edges(self) -> dict[str, set[str]]:
        """The edges at which each name stands."""
        edges = defaultdict[str, set[str]](set)
        for step in self.steps:
            for _, edge, target in step.graph:
                edges[target].add(edge)
        return edges

    @cached_property
    def plain(self) -> frozenset[str]:
        """The names that can stand in a question: as an action or as a thing only, and no odd spelling."""
        names = {name for name, edges in self.edges.items() if VERB not in edges or len(edges) == 1}
        return frozenset(n for n in names if _is_plain(n) and not HAND_NAME.fullmatch(n) and n not in RESERVED) | {*HANDS}

    @cached_property
    def events(self) -> tuple[Start, ...]:
        """The steps that an action and its direct object name."""
        starts: list[Start] = []
        acts = dict.fromkeys(
            (step.action, step.objects[0]) for step in self.steps if len(step.objects) == len(step.graph.actions) == 1
        )
        for action, thing in acts:
            named = self.timeline.find(action, thing)
            own = [step.index for step in named if step.objects == (thing,) and step.graph.actions == (action,)]
            if len(own) == len(named) and thing in self.plain and _is_plain(action):
                starts += [
                    Start(f"{order} {action} {thing}", index, (action, thing), (_event_way(order, action, thing),))
                    for order, index in _counted(own)
                ]
        return tuple(starts)

    @cached_property
    def complete(self) -> tuple[Start, ...]:
        """The events that can be told without a place."""
        return tuple(start for start in self.events if start.event and start.event[0] not in INCOMPLETE)

    @cached_property
    def unrepeated(self) -> tuple[Start, ...]:
        """The complete events that happen once."""
        return tuple(start for start in self.complete if start.ordinal == "only")

    @cached_property
    def mentions(self) -> tuple[Start, ...]:
        """The steps that are found by one or two of the things and hands that play a part in them."""
        groups: dict[tuple[str, ...], list[int]] = {}
        for step in self.steps:
            names = sorted(name for name in step.names if name in self.plain and name not in step.graph.actions)
            for place, name in enumerate(names):
                for group in ((name,), *((name, other) for other in names[place + 1 :])):
                    groups.setdefault(group, []).append(step.index)
        return tuple(
            Start(f"{order} {' '.join(group)}", index, None, tuple(self._mention_ways(order, group)))
            for group, indices in groups.items()
            if (self.is_telling(indices) if len(group) == 1 else all(groups[name,] != indices for name in group))
            for order, index in _counted(indices)
        )

    def _mention_ways(self, order: str, group: tuple[str, ...]) -> Iterator[Callable[[Random], StepPhrase]]:
        yield lambda choice: phrases.of_mention(order, group, self.parts, choice)
        if len(group) == 1 and group[0] in self.parts:
            yield _event_way(order, self.parts[group[0]], group[0])

    @cached_property
    def parts(self) -> dict[str, str]:
        """The part of things that play only one."""
        verbs = {DOBJ: "handle", WITH: "use"}
        return {name: verbs[min(edges)] for name, edges in self.edges.items() if len(edges) == 1 and edges <= {*verbs}}

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The numbers of steps that have one direct object."""
        return tuple(sorted(Counter(thing for step in self.steps for thing in step.objects).values()))

    @cached_property
    def things(self) -> tuple[str, ...]:
        """The things and hands that can stand in a question, by how often steps name them."""
        names = [name for step in self.steps for name in step.names if name not in step.graph.actions]
        return tuple(name for name in names if name in self.plain and self.is_telling(self.timeline.find(name)))

    def is_telling(self, found: Sequence[object]) -> bool:
        """Return whether steps are few enough to be worth looking for."""
        return len(found) <= max(2, len(self.steps) // 3)

    @cached_property
    def varied(self) -> frozenset[str]:
        """The actions that are done to several things: a question that names one does not name the step."""
        things = defaultdict[str, set[str]](set)
        for step in self.steps:
            things[step.action].update(step.objects)
        return frozenset(act for act, objects in things.items() if len(objects) > 1 and act not in INCOMPLETE)

    def reading(self, step: Step, choice: Random) -> str:
        """Return a kind of name that a step has, drawn by lot."""
        ends = [edge for _, edge, target in step.graph if target not in HANDS]
        edges = [f"target {edge}" for edge in ends if edge in (*phrases.COMES, *phrases.GOES)]
        edges = [] if step.action in FORMING else edges
        ways = ["action", "object", "object", *["tool"] * 2 * (WITH in ends), *edges, *edges]
        ways += ["hand"] * (len(step.hands) == 1)
        return choice.choice(ways)


    def asked(self, read: str, phrase: StepPhrase, step: Step, choice: Random) -> str:
        """Return the question that reads a name off a step."""
        is_named = read == "object" and step.action in self.varied and choice.random() < 0.7
        return phrases.asked(f"act {step.action}" if is_named else read, phrase, choice)


def _is_plain(name: str) -> bool:
    return name.replace("-", "").isalpha() and name.islower()


def _event_way(order: str, action: str, thing: str) -> Callable[[Random], StepPhrase]:
    return lambda choice: phrases.of_event(order, action, thing, choice)


def _counted(indices: list[int]) -> Iterator[tuple[str, int]]:
    if len(indices) == 1:
        yield "only", indices[0]
        return
    for order, place in ORDINALS.items():
        if place < len(indices) - 1:
            yield order, indices[place]


def drawn_draft(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """Return a draft of so many hops, or None where what was drawn does not fit."""
    if not source.complete or not source.mentions or not source.things:
        return None
    return choice.choice(WAYS[hops])(source, hops, choice)


def _of_edge(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """With or to what, or with which hand something was done."""
    start = choice.choice(source.events)
    graph, event = source.steps[start.place].graph, start.event
    ends = [(edge, head) for tail, edge, head in graph if tail == start.hop.split()[1] and edge not in UNASKED]
    ends = [("hand" if head in HANDS else edge, head) for edge, head in ends if is_preposition(edge)]
    if not ends or event is None:
        return None
    edge = choice.choice(ends)[0]
    if event[0].rpartition("-")[2] in edge or (event[0] in INCOMPLETE and edge in ("hand", WITH)):
        return None
    read, family = {"hand": ("hand", "involved-hand"), WITH: ("tool", "tool")}.get(edge, (f"target {edge}", "place"))
    return Draft((start.hop, read), lambda: phrases.plainly(event, start.ordinal, edge, choice), family)


def _of_place(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """To what something was done with a tool, or where; or what was done to a thing with a tool or hand."""
    step = choice.choice(source.steps)
    ends = [(edge, head) for tail, edge, head in step.graph if tail == step.action and edge not in UNASKED]
    ends = [(edge, head) for edge, head in ends if head in source.plain and is_preposition(edge)]
    if not ends or len(step.graph.actions) != 1 or not _is_plain(step.action):
        return None
    edge, place = choice.choice(ends)
    thing = next(iter(step.objects), "")
    if edge == WITH and thing in source.plain and choice.random() < (0.2 if place in HANDS else 0.5):
        path = (f"only {' '.join(sorted((thing, place)))}", "action")
        return Draft(path, lambda: phrases.done_with(thing, place, choice), "involved-action")
    if place in HANDS or edge in step.action or (step.action in INCOMPLETE and edge == WITH):
        return None
    path = (f"only {step.action} {place}", "object")
    return Draft(path, lambda: phrases.acted_on(step.action, edge, place, choice), "object")


def _of_step(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """A name read off a step that is named directly."""
    start = choice.choice(source.mentions)
    step = source.steps[start.place]
    read = source.reading(step, choice)

    def write() -> str:
        return source.asked(read, start.phrase(choice), step, choice)

    return Draft((start.hop, read), write, f"involved-{_kind(read)}")


def _of_walk(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """A name read off a step that is reached from another one."""
    is_deep = hops < 4 and choice.random() < 0.35
    moves = _moves(source, hops - 1 - is_deep, choice)
    start = choice.choice(source.complete if choice.random() < 0.6 else source.mentions)
    if start.event and moves[:1] in (("again",), ("earlier",)):
        return None
    try:
        step = walk(source.timeline, (start.hop, *moves))[-1]
    except LookupError:
        return None
    read = source.reading(step, choice)
    if is_deep:
        hand = choice.choice(HANDS)
        held = source.timeline.in_hand(hand, before=step) or ("",)
        read = choice.choice((f"held {hand}", f"held {hand}", f"holder {held[0]}"))
        if held[0] not in source.plain or (read.startswith("held") and hand in start.hop):
            return None

    def write() -> str:
        sentences, phrase = phrases.walked(start.phrase(choice), moves, source.parts, choice)
        if is_deep:
            sentences, phrase = phrases.settled(sentences, phrase, choice)
        return sentences + source.asked(read, phrase, step, choice)

    family = "-".join(dict.fromkeys([*(_kind(move) for move in moves[-1:]), _kind(read)]))
    return Draft((start.hop, *moves, read), write, family)


def _moves(source: DraftSource, number: int, choice: Random) -> tuple[str, ...]:
    moves: list[str] = []
    while len(moves) < number:
        move = choice.choice(("next", "previous", "next", "previous", "again", "earlier", "next ", "previous "))
        if move.endswith(" "):
            move += choice.choice(source.things)
        if not moves or _direction(move) == _direction(moves[-1]) or len(move.split()) > 1:
            moves.append(move)
    return tuple(moves)


def _direction(move: str) -> bool:
    return move.split()[0] in ("next", "again")


def _kind(hop: str) -> str:
    word, *names = hop.split()
    return "place" if word == "target" else word + "-with" * bool(names and word in ("next", "previous"))


def _of_two_steps(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """The thing that two steps share."""
    if not source.unrepeated:
        return None
    other = choice.choice(source.unrepeated)
    start = choice.choice(source.complete)
    moves = _moves(source, hops - 2, choice)
    try:
        step = walk(source.timeline, (start.hop, *moves))[-1]
    except LookupError:
        return None
    if other.place in (start.place, step.index):
        return None

    def write() -> str:
        walked = phrases.walked(start.phrase(choice), moves, source.parts, choice)
        sentences, phrase = phrases.settled(*walked, choice)
        return sentences + phrases.asked("shared", phrase, choice, other.phrase(choice).time.removeprefix("when "))

    return Draft((start.hop, *moves, f"shared {' '.join(other.hop.split()[1:])}"), write, "shared")


def _of_span(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """A name read off the first or last step between two events."""
    if len(source.unrepeated) < 2:
        return None
    first, second = sorted(choice.sample(source.unrepeated, 2), key=lambda start: start.place)
    if second.place - first.place < 3 or not first.event or not second.event:
        return None
    opening, closing, order = first.event, second.event, choice.choice(("first", "last"))
    moves = _moves(source, hops - 2, choice)
    hop = f"between {' '.join(opening)} and {' '.join(closing)}"
    try:
        step = walk(source.timeline, (hop, order, *moves))[-1]
    except LookupError:
        return None
    read = source.reading(step, choice)

    def write() -> str:
        sentences, phrase = phrases.walked(phrases.of_span(order, opening, closing), moves, source.parts, choice)
        return sentences + source.asked(read, phrase, step, choice)

    return Draft((hop, order, *moves, read), write, "between")


def _of_count(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """The thing or action of exactly so many steps."""
    if choice.random() < 0.4:
        number = choice.choice(source.counts)
        if number >= len(phrases.NUMBERS):
            return None
        path = ("all", f"times {number} object")
        return Draft(path, lambda: phrases.counted_objects(number, choice), "count-objects")
    thing = choice.choice(source.things)
    counts = Counter(step.action for step in source.steps if thing in step.objects)
    if len(counts) < 2 or max(counts.values()) >= len(phrases.NUMBERS):
        return None
    number = choice.choice(sorted(counts.values()))
    path = (f"of {thing}", f"times {number} action")
    return Draft(path, lambda: phrases.counted_actions(thing, number, choice), "count-actions")


Way = Callable[[DraftSource, int, Random], Draft | None]
WAYS: dict[int, tuple[Way, ...]] = {
    1: (_of_edge, _of_edge, _of_place, _of_place, _of_step),
    2: (_of_walk, _of_walk, _of_walk, _of_two_steps, _of_two_steps, _of_span, _of_count),
    3: (_of_walk, _of_walk, _of_walk, _of_two_steps, _of_span),
    4: (_of_walk,),
}
