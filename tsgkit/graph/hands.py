"""State machine of hand1 and hand2: the content of each hand along a narrative, and breaches of the rule.

>>> from tsgkit.graph.model import ActionGraph, Narrative
>>> pick = lambda thing, hand: ActionGraph.of(
...     ("person", "verb", "pick-up"), ("pick-up", "dobj", thing), ("pick-up", "with", hand))
>>> steps = trace(Narrative.of([pick("cup", "hand1"), pick("lid", "hand1")]))
>>> print(steps[1])
1 pick-up lid: hand1 cup, hand2 free => hand1 lid, hand2 free
  hand-occupied: hand1 takes lid while it holds cup and hand2 is free
>>> held(steps[0].after)
{'hand1': ('cup',)}

The rule is bookkeeping and not about left and right. The first object grasped while both hands are empty goes to hand1,
a second one to hand2. When everything is put down it starts again at hand1. An action that needs both hands names both.
A hand that holds one object does not do another's work. Published data keep the rule in about four grasps of five, so a
breach is a warning and never an error.

Not covered: releases that are not mentioned ("insert the key"), objects carried in objects, and objects whose name
changes (``screw`` picked up, ``screws`` put down).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from tsgkit.graph.model import DOBJ, HANDS, INSTANCE, PERSON, VERB, WITH, ActionGraph, Narrative
from tsgkit.lexicon.folding import word_set
from tsgkit.lexicon.nearest import is_one_letter_off

GRASPS = word_set(
    "pick-up pick pick-out take take-out take-up take-down take-off grab grasp grip hold hold-up lift lift-up",
    "fetch get seize catch collect gather",
)
RELEASES = word_set(
    "put-down put put-away put-back put-on put-aside place place-down replace release let-go drop drop-off",
    "throw throw-away toss set-down set-aside lay lay-down return leave discard hang hang-up deposit store",
)
TRANSFERS = word_set("pass switch swap transfer hand-over shift change-hands")

HAND_NAME = re.compile(r"(?:(?:left|right|both)[-_ ]?)?hands?|hand[-_ ]?\d{1,3}", re.IGNORECASE)
"""Names of hands, allowed or not."""
Slot = tuple[str, ...] | None
"""The content of one hand: nothing ``()``, some objects, or ``None`` if unknown."""


def misspelt_hand(name: str) -> str:
    """Return the one hand of which a name differs by a letter too many, missing, changed or swapped, else "".

    >>> [misspelt_hand(name) for name in ("hand1x", "hnad1", "han2", "hand1", "hand3", "hands", "handle", "sand1")]
    ['hand1', 'hand1', 'hand2', '', '', '', '', '']
    """
    if not 4 <= len(name) <= 6 or {*name}.isdisjoint("12") or HAND_NAME.fullmatch(name) or INSTANCE.search(name):
        return ""
    near = [hand for hand in HANDS if is_one_letter_off(name.lower(), hand)]
    is_a_word = name[1:].lower() in (hand[1:] for hand in HANDS)  # sand1, band2
    return near[0] if len(near) == 1 and not is_a_word else ""


def names_another_hand(name: str) -> bool:
    """Return whether a name is that of a hand, but neither hand1 nor hand2."""
    return name not in HANDS and bool(("hand" in name.lower() and HAND_NAME.fullmatch(name)) or misspelt_hand(name))


class State(NamedTuple):
    """The content of both hands."""

    hand1: Slot
    hand2: Slot

    def of(self, hand: str) -> Slot:
        """Return what one hand holds."""
        return self[HANDS.index(hand)]

    def __str__(self) -> str:
        words = ("unknown" if things is None else ", ".join(things) or "free" for things in self)
        return ", ".join(f"{hand} {what}" for hand, what in zip(HANDS, words, strict=True))


EMPTY = State((), ())
UNKNOWN = State(None, None)


@dataclass(frozen=True)
class HandRule:
    """Actions that take, release and pass objects; all others leave the hands unchanged."""

    grasps: frozenset[str] = GRASPS
    releases: frozenset[str] = RELEASES
    transfers: frozenset[str] = TRANSFERS

    def __repr__(self) -> str:
        """Show only what differs from the default."""
        usual = {"grasps": GRASPS, "releases": RELEASES, "transfers": TRANSFERS}
        others = [f"{name}={getattr(self, name)!r}" for name, verbs in usual.items() if getattr(self, name) != verbs]
        return f"HandRule({', '.join(others)})"


DEFAULT_RULE = HandRule()


@dataclass(frozen=True)
class Breach:
    """A breach of the rule by one step."""

    code: str
    message: str


@dataclass(frozen=True)
class HandStep:
    """The effect of one graph on the hands."""

    index: int
    action: str
    objects: tuple[str, ...]
    before: State
    after: State
    breaches: tuple[Breach, ...] = ()

    def __str__(self) -> str:
        head = f"{self.index} {' '.join((self.action or 'no action', *self.objects))}"
        lines = [f"{head}: {self.before} => {self.after}"]
        return "\n".join([*lines, *(f"  {breach.code}: {breach.message}" for breach in self.breaches)])


def trace(narrative: Narrative, rule: HandRule = DEFAULT_RULE) -> tuple[HandStep, ...]:
    """Return one step per graph, from empty hands; after a description without graphs nothing is known of them."""
    steps: list[HandStep] = []
    state, unknown = EMPTY, after_gaps(narrative)
    for number, graph in enumerate(narrative.graphs):
        steps.append(hand_step(number, graph, UNKNOWN if number in unknown else state, rule))
        state = steps[-1].after
    return tuple(steps)


def after_gaps(narrative: Narrative) -> frozenset[int]:
    """Return the numbers of the graphs that follow right after a description without graphs."""
    numbers, number = set[int](), 0
    for description in narrative.descriptions:
        if not description.graphs:
            numbers.add(number)
        number += len(description.graphs)
    return frozenset(numbers)


def held(state: State) -> dict[str, tuple[str, ...]]:
    """Return the hands known to hold something, and what."""
    return {hand: things for hand, things in zip(HANDS, state, strict=True) if things}


@dataclass
class _Move:
    """A step in progress: the roles in its graph, and the changing state."""

    graph: ActionGraph
    state: dict[str, Slot]
    breaches: list[Breach] = field(default_factory=list)

    def __post_init__(self) -> None:
        triplets = self.graph.triplets
        self.action = next((triplet.target for triplet in triplets if triplet.edge == VERB), "")
        self.objects = _unique(t.target for t in triplets if t.edge == DOBJ and t.target not in HANDS)
        self.hands = _unique(end for t in triplets if t.edge == WITH for end in (t.source, t.target) if end in HANDS)
        self.from_hands = _unique(t.target for t in triplets if t.edge in ("from", "out-of") and t.target in HANDS)
        self.to_hands = _unique(
            t.target for t in triplets if t.edge in ("to", "into", "in", "onto") and t.target in HANDS
        )
        self.named = frozenset(name for t in triplets for name in (t.source, t.target)) - {PERSON, *HANDS}

    @property
    def has_unknown_hand(self) -> bool:
        """True if a hand has another name than hand1 or hand2."""
        return any(map(names_another_hand, self.named))

    @property
    def places(self) -> bool:
        """True if the graph names a destination other than a hand."""
        toward = (t.target for t in self.graph.triplets if t.edge in ("to", "into", "in", "onto", "on"))
        return any(target not in HANDS for target in toward)

    @property
    def passes_on(self) -> bool:
        """True if something changes hands: both are named, or it is held and no other destination is named."""
        if self.from_hands and self.to_hands:
            return True
        return bool(self.to_hands or not self.places) and any(self.holders(thing) for thing in self.objects)

    def warn(self, code: str, message: str) -> None:
        self.breaches.append(Breach(code, message))

    def hold(self, hand: str, thing: str) -> None:
        self.state[hand] = (thing,)

    def free(self, hand: str, thing: str) -> None:
        things = self.state[hand]
        if things is not None:
            self.state[hand] = tuple(kept for kept in things if kept != thing)

    def holders(self, thing: str) -> list[str]:
        return [hand for hand in HANDS if thing in (self.state[hand] or ())]


def hand_step(index: int, graph: ActionGraph, state: State, rule: HandRule = DEFAULT_RULE) -> HandStep:
    """Return one graph's effect on hands in a known state."""
    move = _Move(graph, dict(zip(HANDS, state, strict=True)))
    if move.has_unknown_hand:
        return HandStep(index, move.action, move.objects, state, UNKNOWN)
    if (move.action in rule.transfers and move.passes_on) or (move.from_hands and move.to_hands):
        _transfer(move)
    elif move.action in rule.grasps:
        _grasp(move)
    elif move.action in rule.releases:
        _release(move)
    else:
        _use(move)
    return HandStep(index, move.action, move.objects, state, State(**move.state), tuple(move.breaches))


def _grasp(move: _Move) -> None:
    hands = _unique((*move.hands, *move.to_hands))
    if not hands:
        move.warn("hand-unstated", f"{move.action} names no hand")
        hands = (next((hand for hand in HANDS if move.state[hand] == ()), HANDS[0]),)
    for hand in move.from_hands:
        for thing in move.objects:
            move.free(hand, thing)
    one_each = len(hands) == len(move.objects) > 1
    before = State(**move.state)
    for position, hand in enumerate(hands):
        things = (move.objects[position],) if one_each else move.objects
        if things:
            _check_free(move, before, hand, things, alone=len(hands) == 1)
            already = before.of(hand) or ()
            move.state[hand] = _unique((*already, *things)) if set(things) & set(already) else things


def _check_free(move: _Move, before: State, hand: str, things: tuple[str, ...], *, alone: bool) -> None:
    """Add a breach if a hand cannot take these objects, given the content of both hands before."""
    holds, free_hand = before.of(hand), HANDS[1 - HANDS.index(hand)]
    what = ", ".join(things)
    if holds is None or set(holds) & set(things):
        return
    if not holds:
        if alone and hand == HANDS[1] and before.of(free_hand) == ():
            move.warn("hand2-first", f"{hand} takes {what} while {free_hand} is free")
    elif not alone:
        move.warn("hand-occupied", f"both hands take {what} while {hand} holds {', '.join(holds)}")
    elif before.of(free_hand) == ():
        move.warn("hand-occupied", f"{hand} takes {what} while it holds {', '.join(holds)} and {free_hand} is free")
    elif before.of(free_hand) is not None:
        move.warn("hands-full", f"{hand} takes {what} while both hands hold something ({before})")


def _release(move: _Move) -> None:
    hands = _unique((*move.hands, *move.from_hands))
    for thing in move.objects:
        holders = move.holders(thing)
        if holders:
            _check_wrong_hand(move, thing, holders, hands)
        elif None not in move.state.values():
            move.warn("not-held", f"{move.action} {thing}, but no hand holds it ({State(**move.state)})")
        for hand in holders:
            move.free(hand, thing)
        for hand in hands:
            if move.state[hand] is None:
                move.state[hand] = ()
    if not move.objects:
        for hand in hands:
            move.state[hand] = ()


def _check_wrong_hand(move: _Move, thing: str, holders: list[str], hands: tuple[str, ...]) -> None:
    if hands and not set(hands) & set(holders):
        move.warn("wrong-hand", f"{move.action} {thing} with {', '.join(hands)}, but {', '.join(holders)} holds it")


def _transfer(move: _Move) -> None:
    """Something goes from one hand to another: ``to`` says where, else ``with`` does, else the other hand."""
    for thing in move.objects:
        holders = move.holders(thing)
        sources = list(move.from_hands) or holders
        targets = move.to_hands or tuple(hand for hand in move.hands if hand not in sources)
        if not targets and len(sources) == 1:
            targets = (HANDS[1 - HANDS.index(sources[0])],)
        if move.from_hands and holders and not set(move.from_hands) & set(holders):
            move.warn("wrong-hand", f"{thing} passes from {', '.join(sources)}, but {', '.join(holders)} holds it")
        for hand in holders:
            move.free(hand, thing)
        for hand in targets:
            if occupied := move.state[hand]:
                move.warn("hand-occupied", f"{thing} passes to {hand}, which holds {', '.join(occupied)}")
            move.hold(hand, thing)


def _use(move: _Move) -> None:
    """Any other action: each hand it names must be free or hold something that the graph names."""
    for hand in move.hands:
        holds = move.state[hand]
        if holds and not set(holds) & move.named:
            move.warn("hand-busy", f"{move.action} uses {hand}, which holds {', '.join(holds)}")
    tools = (t.target for t in move.graph.triplets if t.edge == WITH and t.target not in HANDS)
    for tool in tools:
        holders = move.holders(tool)
        if holders:
            _check_wrong_hand(move, tool, holders, move.hands)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
