"""Drafts of questions about a story: paths of one to four hops, drawn by lot, with their words.

A draft names every event so that only one step fits; whether its answer is the only one is checked elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import NamedTuple

from tsgkit.graph.hands import HAND_NAME
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, Narrative
from tsgkit.graph.timeline import Step, Timeline
from tsgkit.suites.tsg.makers import question_phrases as phrases
from tsgkit.suites.tsg.makers.question_paths import ORDINALS

RESERVED = frozenset(("and", PERSON))
DEEP_READS = ("held", "holder")


class Draft(NamedTuple):
    """A path, the words of its question once they are needed, and its family."""

    path: tuple[str, ...]
    write: Callable[[], str]
    family: str


class Start(NamedTuple):
    """A step as a first hop finds it, and its name in words."""

    hop: str
    place: int
    event: tuple[str, str] | None

    @property
    def text(self) -> str:
        """The step as a noun phrase."""
        return phrases.named_step(self.hop, self.event)

    @property
    def ordinal(self) -> str:
        """How the step is counted: only, first, second, third or last."""
        return self.hop.split()[0]


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
    def plain(self) -> frozenset[str]:
        """The names that can stand in a question: in one role only, and no odd spelling."""
        actions = {target for step in self.steps for _, edge, target in step.graph if edge == VERB}
        things = {target for step in self.steps for _, edge, target in step.graph if edge != VERB}
        names = {name for name in actions ^ things if name.replace("-", "").isalpha() and name.islower()}
        return frozenset(name for name in names if not HAND_NAME.fullmatch(name) and name not in RESERVED) | {*HANDS}

    @cached_property
    def events(self) -> tuple[Start, ...]:
        """The steps that an action and its direct object name."""
        found: list[Start] = []
        acts = dict.fromkeys(
            (step.action, step.objects[0]) for step in self.steps if len(step.objects) == len(step.graph.actions) == 1
        )
        for action, thing in acts:
            named = self.timeline.find(action, thing)
            own = [step.index for step in named if step.objects == (thing,) and step.graph.actions == (action,)]
            if (
                len(own) == len(named)
                and thing in self.plain
                and action.replace("-", "").isalpha()
                and action.islower()
            ):
                found += [Start(f"{order} {action} {thing}", index, (action, thing)) for order, index in _counted(own)]
        return tuple(found)

    @cached_property
    def unrepeated(self) -> tuple[Start, ...]:
        """The events that happen once."""
        return tuple(start for start in self.events if start.ordinal == "only")

    @cached_property
    def mentions(self) -> tuple[Start, ...]:
        """The steps that are found by one or two of the things and hands that they involve."""
        groups: dict[tuple[str, ...], list[int]] = {}
        for step in self.steps:
            names = sorted(name for name in step.names if name in self.plain and name not in step.graph.actions)
            for place, name in enumerate(names):
                for group in ((name,), *((name, other) for other in names[place + 1 :])):
                    groups.setdefault(group, []).append(step.index)
        return tuple(
            Start(f"{order} {' '.join(group)}", index, None)
            for group, indices in groups.items()
            if len(group) == 1 or all(groups[name,] != indices for name in group)
            for order, index in _counted(indices)
        )

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The numbers of steps that have one direct object."""
        return tuple(sorted(Counter(thing for step in self.steps for thing in step.objects).values()))

    @cached_property
    def things(self) -> tuple[str, ...]:
        """The things and hands that can stand in a question, by how often steps name them."""
        names = (name for step in self.steps for name in step.names if name not in step.graph.actions)
        return tuple(name for name in names if name in self.plain)


def _counted(indices: list[int]) -> Iterator[tuple[str, int]]:
    if len(indices) == 1:
        yield "only", indices[0]
        return
    for order, place in ORDINALS.items():
        if place < len(indices) - 1:
            yield order, indices[place]


def drawn_draft(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """Return a draft of so many hops, or None where what was drawn does not fit."""
    if not source.events or not source.mentions or not source.things:
        return None
    return choice.choice(WAYS[hops])(source, hops, choice)


def _of_edge(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """With or to what something was done."""
    start = choice.choice(source.events)
    graph, event = source.steps[start.place].graph, start.event
    edges = sorted({edge for tail, edge, head in graph if tail == start.hop.split()[1] and head not in HANDS})
    edges = [edge for edge in edges if edge not in (VERB, DOBJ, "by")]
    if not edges or event is None:
        return None
    edge = choice.choice(edges)
    if sum(label == edge and head not in HANDS for _, label, head in graph) != 1:
        return None
    read, family = ("tool", "tool") if edge == WITH else (f"target {edge}", "place")
    return Draft((start.hop, read), lambda: phrases.plainly(event, start.ordinal, edge, choice), family)


def _of_place(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """Which thing an action with a place or tool was about."""
    step = choice.choice(source.steps)
    ends = [(edge, head) for tail, edge, head in step.graph if tail == step.action and edge not in (VERB, DOBJ)]
    ends = [(edge, head) for edge, head in ends if head in source.plain and head not in HANDS and edge != VERB]
    if not ends or len(step.graph.actions) != 1 or not step.action.replace("-", "").isalpha():
        return None
    edge, place = choice.choice(ends)
    if len(source.timeline.find(step.action, place)) != 1:
        return None
    path = (f"only {step.action} {place}", "object")
    return Draft(path, lambda: phrases.acted_on(step.action, edge, place, choice), "object")


def _of_step(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """A name read off a step that is named directly."""
    read = choice.choice(("action", "object", "tool", "place", "hand"))
    starts = source.events if read == "hand" else source.mentions
    start = choice.choice(starts)
    return Draft((start.hop, read), lambda: phrases.asked(read, start.text, choice), f"involved-{read}")


def _of_walk(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """A name read off a step that is reached from another one."""
    read = choice.choice(("action", "object", "object", "tool", "place", "hand", "held", "held", "holder"))
    if read == "held":
        read = f"held {choice.choice(HANDS)}"
    elif read == "holder":
        read = f"holder {choice.choice(source.things)}"
    deep = read.startswith(DEEP_READS)
    moves = _moves(source, hops - 1 - deep, choice)
    if read in (f"holder {hand}" for hand in HANDS):
        return None
    start = choice.choice(source.events if choice.random() < 0.6 else source.mentions)
    family = "-".join(dict.fromkeys([*(_kind(move) for move in moves[-1:]), read.split()[0]]))
    return Draft((start.hop, *moves, read), lambda: _walk_text(start.text, moves, read, choice), family)


def _walk_text(start: str, moves: tuple[str, ...], read: str, choice: Random) -> str:
    if len(moves) == 3 or (len(moves) == 2 and choice.random() < 0.4):
        intro, name = phrases.walked(start, moves, choice)
        return intro + phrases.asked(read, name, choice)
    return phrases.asked(read, phrases.reached(start, moves, choice), choice)


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


def _kind(move: str) -> str:
    return move.replace(" ", "-").split("-")[0] + ("-with" if " " in move else "")


def _of_two_steps(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """The thing that two steps share."""
    if not source.unrepeated:
        return None
    other = choice.choice(source.unrepeated)
    start = choice.choice(source.events)
    moves = _moves(source, hops - 2, choice)
    if start.place == other.place:
        return None
    path = (start.hop, *moves, f"shared {' '.join(other.hop.split()[1:])}")
    return Draft(path, lambda: phrases.shared(phrases.reached(start.text, moves, choice), other.text, choice), "shared")


def _of_span(source: DraftSource, hops: int, choice: Random) -> Draft | None:
    """A name read off the first or last step between two events."""
    if len(source.unrepeated) < 2:
        return None
    first, second = sorted(choice.sample(source.unrepeated, 2), key=lambda start: start.place)
    if second.place - first.place < 3:
        return None
    order, read = choice.choice(("first", "last")), choice.choice(("action", "object", "tool", "place", "hand"))
    moves = _moves(source, hops - 2, choice)
    opening, closing = (" ".join(start.hop.split()[1:]) for start in (first, second))
    path = (f"between {opening} and {closing}", order, *moves, read)

    def write() -> str:
        step = phrases.reached(phrases.between(first.text, second.text, order), moves, choice)
        return phrases.asked(read, step, choice)

    return Draft(path, write, "between")


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
