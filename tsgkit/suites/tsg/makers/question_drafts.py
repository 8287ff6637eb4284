"""Drafts of questions about a story: paths of one to four hops, drawn by lot, with their words.

A draft names every event so that only one step fits; whether its answer is the only one is checked elsewhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from random import Random
from typing import NamedTuple

from tsgkit.graph.hands import HAND_NAME
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH
from tsgkit.graph.timeline import Step, Timeline
from tsgkit.lexicon import is_preposition
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.makers import question_phrases as phrases
from tsgkit.suites.tsg.makers.question_paths import ORDINALS, walk
from tsgkit.suites.tsg.makers.question_phrases import StepPhrase

ONWARD, FOLLOWING = ("next", "again"), (("again",), ("earlier",))
RESERVED = word_set(f"and first last next only part second step thing third time {PERSON}")
UNASKED = frozenset((VERB, DOBJ, "by", "of", "up", "between"))
"""Edges that no preposition at the end of a question can stand for."""
INCOMPLETE = word_set("bed ease fish give help knock lay let make offer pick place put set slip snap stand stick stuff")
"""Actions that say too little without a place or receiver: one does not just *put a cup*."""
MAKING = word_set("bore build check count dig draw drill feel hack make play read score scratch sign trace write")
"""Actions whose direct object is not said to be *handled*."""
FORMING = word_set("break cut fold form make roll shape tear turn twist wind")
"""Actions by which a thing becomes what it goes *into*."""


class Draft(NamedTuple):
    """A path, the words of its question once they are needed, and its family."""

    path: tuple[str, ...]
    write: Callable[[], str]
    family: str


class Start(NamedTuple):
    """A step as the first hops find it, and its wordings."""

    hops: tuple[str, ...]
    ways: tuple[Callable[[Random], StepPhrase], ...]
    event: tuple[str, str] = ("", "")
    """The action and its direct object, if they name the step."""


@dataclass(frozen=True)
class DraftSource:
    """A story, and how questions about it can begin."""

    timeline: Timeline

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
        odd = {name for name in names if not _is_plain(name) or HAND_NAME.fullmatch(name) or name in RESERVED}
        return frozenset(names - odd | {*HANDS})

    @cached_property
    def events(self) -> tuple[Start, ...]:
        """The steps that an action and its direct object name."""
        starts: list[Start] = []
        for action, thing in dict.fromkeys((step.action, *step.objects[:1]) for step in self.steps if step.objects):
            named = self.timeline.find(action, thing)
            is_own = all(step.objects == (thing,) and step.graph.actions == (action,) for step in named)
            if is_own and thing in self.plain and _is_plain(action):
                starts += [
                    Start((f"{order} {action} {thing}",), (_event_way(order, action, thing),), (action, thing))
                    for order in _orders(len(named))
                ]
        return tuple(starts)

    @cached_property
    def complete(self) -> tuple[Start, ...]:
        """The events that can be told without a place."""
        return tuple(start for start in self.events if start.event[0] not in INCOMPLETE)

    @cached_property
    def unrepeated(self) -> tuple[Start, ...]:
        """The complete events that happen once, in order."""
        starts = [start for start in self.complete if start.hops[0].startswith("only")]
        return tuple(sorted(starts, key=lambda start: self.timeline.step(start.event).index))

    @cached_property
    def mentions(self) -> tuple[Start, ...]:
        """The steps that are found by one or two of the things and hands that play a part in them."""
        groups: Counter[tuple[str, ...]] = Counter()
        for step in self.steps:
            names = sorted(name for name in step.names if name in self.plain and name not in step.graph.actions)
            groups.update((*((name,) for name in names), *combinations(names, 2)))
        return tuple(
            Start((f"{order} {' '.join(group)}",), tuple(self._ways(order, group)))
            for group, times in groups.items()
            if (self.is_telling(times) if len(group) == 1 else all(groups[name,] != times for name in group))
            for order in _orders(times)
        )

    def _ways(self, order: str, group: tuple[str, ...]) -> Iterator[Callable[[Random], StepPhrase]]:
        yield lambda choice: phrases.of_mention(order, group, self.parts, choice)
        if len(group) == 1 and group[0] in self.parts:
            yield _event_way(order, self.parts[group[0]], group[0])

    def span(self, choice: Random) -> Start | None:
        """Return the first or last step between two events; None where they are too near."""
        if len(self.unrepeated) < 4:
            return None
        first, last = sorted(choice.sample(range(len(self.unrepeated)), 2))
        if last - first < 3:
            return None
        opening, closing = self.unrepeated[first].event, self.unrepeated[last].event
        order, hop = choice.choice(("first", "last")), f"between {' '.join(opening)} and {' '.join(closing)}"
        return Start((hop, order), (lambda _: phrases.of_span(order, opening, closing),))

    @cached_property
    def parts(self) -> dict[str, str]:
        """The part of things that play only one."""
        verbs = {DOBJ: "handle", WITH: "use"}
        odd = {thing for step in self.steps if step.action in MAKING for thing in step.objects}
        alone = {name: min(edges) for name, edges in self.edges.items() if len(edges) == 1 and name not in odd}
        return {name: verbs[edge] for name, edge in alone.items() if edge in verbs}

    @cached_property
    def things(self) -> tuple[str, ...]:
        """The things and hands that can stand in a question, by how often steps name them."""
        names = (name for step in self.steps for name in step.names if name not in step.graph.actions)
        return tuple(n for n in names if n in self.plain and self.is_telling(len(self.timeline.find(n))))

    def is_telling(self, times: int) -> bool:
        """Return whether what plays a part in so many steps is worth looking for."""
        return times <= max(2, len(self.steps) // 3)

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
        targets = [edge for edge in ends if edge in (*phrases.COMES, *phrases.GOES) and step.action not in FORMING]
        objects = ["object"] * 2 * (step.action not in MAKING)
        ways = ["action", *objects, *["tool"] * 2 * (WITH in ends), *["hand"] * (len(step.hands) == 1)]
        return choice.choice((*ways, *(f"target {edge}" for edge in targets * 2)))


def _is_plain(name: str) -> bool:
    return name.replace("-", "").isalpha() and name.islower()


def _event_way(order: str, action: str, thing: str) -> Callable[[Random], StepPhrase]:
    return lambda choice: phrases.of_event(order, action, thing, choice)


def _orders(times: int) -> list[str]:
    """Return the ordinals by which one of several steps is counted."""
    return ["only"] if times == 1 else [order for order, place in ORDINALS.items() if place < times - 1]


def drawn_draft(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """Return a draft of so many hops, or None where what was drawn does not fit."""
    if not source.complete or not source.mentions or not source.things:
        return None
    return choice.choice(WAYS[hops])(source, hops, choice)


def _of_edge(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """With or to what, or with which hand something was done."""
    start = choice.choice(source.events)
    order, (action, thing) = start.hops[0].split()[0], start.event
    graph = source.timeline.find(action, thing)[ORDINALS.get(order, 0)].graph
    ends = [(edge, head) for tail, edge, head in graph if tail == action and edge not in UNASKED]
    edges = ["hand" if head in HANDS else edge for edge, head in ends if is_preposition(edge)]
    if not edges:
        return None
    edge = choice.choice(edges)
    if action.rpartition("-")[2] in edge or (action in INCOMPLETE and edge in ("hand", WITH)):
        return None
    read, family = {"hand": ("hand", "involved-hand"), WITH: ("tool", "tool")}.get(edge, (f"target {edge}", "place"))
    return Draft((*start.hops, read), lambda: phrases.plainly(start.event, order, edge, choice), family)


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


def _of_walk(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """A name read off a step that is named, between others, or reached from another one, or what it shares with one."""
    kind = choice.choice(("", "", "", "deep", "deep", "shared", "shared", "shared", "span")) if hops in (2, 3) else ""
    starts = source.complete if hops > 1 and choice.random() < 0.6 else source.mentions
    start = source.span(choice) if kind == "span" else choice.choice(starts)
    if start is None:
        return None
    moves = _moves(source, hops - len(start.hops) - (kind in ("deep", "shared")), choice)
    path = (*start.hops, *moves)
    if start.event[0] and moves[:1] in FOLLOWING:
        return None
    try:
        *_, step = named = walk(source.timeline, path)
    except LookupError:
        return None
    if {"again", "earlier"}.intersection(moves) and not all(source.plain.issuperset(one.objects) for one in named):
        return None
    said = {*(named[-2].objects if moves[-1:] in FOLLOWING else () if moves else start.hops[0].split())}
    read, other = source.reading(step, choice), ""
    if kind == "deep":
        hand = choice.choice(HANDS)
        held = source.timeline.in_hand(hand, before=step) or ("",)
        read = choice.choice((f"held {hand}", f"held {hand}", f"holder {held[0]}"))
        if held[0] not in source.plain or (read.startswith("held") and hand in start.hops[0]):
            return None
    elif kind == "shared":
        event = choice.choice(source.unrepeated or source.complete)
        if source.timeline.step(event.event) in named:
            return None
        read, other = f"shared {' '.join(event.event)}", event.ways[0](choice).time
    elif read.startswith(("object", "target")) and not said.isdisjoint(step.objects):
        return None
    elif read == "object" and step.action in source.varied and choice.random() < 0.7:
        other = step.action

    def write() -> str:
        walked = phrases.walked(choice.choice(start.ways)(choice), moves, source.parts, choice)
        sentences, phrase = phrases.settled(*walked, choice) if kind in ("deep", "shared") else walked
        return sentences + phrases.asked(read, phrase, choice, other)

    names = dict.fromkeys([_kind(hop) for hop in (*moves[-1:], read)]) if hops > 1 else ("involved", _kind(read))
    return Draft((*path, read), write, {"span": "between", "shared": "shared"}.get(kind, "-".join(names)))


def _moves(source: DraftSource, number: int, choice: Random) -> tuple[str, ...]:
    moves: list[str] = []
    while len(moves) < number:
        move = choice.choice(("next", "previous", "next", "previous", "again", "earlier", "next ", "previous "))
        if move.endswith(" "):
            move += choice.choice(source.things)
        if not moves or " " in move or (move in ONWARD) == (moves[-1].split()[0] in ONWARD):
            moves.append(move)
    return tuple(moves)


def _kind(hop: str) -> str:
    word, *names = hop.split()
    return "place" if word == "target" else word + "-with" * bool(names and word in ("next", "previous"))


def _of_count(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """The thing or action of exactly so many steps."""
    if choice.random() < 0.4:
        number = choice.choice([*Counter(thing for step in source.steps for thing in step.objects).values()] or [99])
        if number >= len(phrases.NUMBERS):
            return None
        path = ("all", f"times {number} object")
        return Draft(path, lambda: phrases.counted(number, "", choice), "count-objects")
    thing = choice.choice(source.things)
    counts = Counter(step.action for step in source.steps if thing in step.objects)
    if len(counts) < 2 or max(counts.values()) >= len(phrases.NUMBERS):
        return None
    number = choice.choice(sorted(counts.values()))
    path = (f"of {thing}", f"times {number} action")
    return Draft(path, lambda: phrases.counted(number, thing, choice), "count-actions")


Way = Callable[[DraftSource, int, Random], Draft | None]
WAYS: dict[int, tuple[Way, ...]] = {
    1: (_of_edge, _of_edge, _of_place, _of_place, _of_walk),
    2: (*[_of_walk] * 6, _of_count),
    3: (_of_walk,),
    4: (_of_walk,),
}
