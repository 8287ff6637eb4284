"""EASG's downstream file (ego-centric action scene graphs): clips become narratives. Read only.

>>> import json
>>> text = "Camera wearer - verb - pick; pick - direct object - wooden cup:1; pick - with - right_hand"
>>> clips = parse(json.dumps({"clip": {"graphs": [[52, 40, 60, [text, "pick", "wooden cup"]]], "split": "val"}}))
>>> print(*clips[0].narrative.graphs[0].triplets, sep="\\n")
person -> verb -> pick
pick -> dobj -> wooden-cup
pick -> with -> hand1
>>> clips[0].narrative.descriptions[0].frames
Frames(turning_point=52, start=40, end=60)

One JSON object, keyed by clip: ``graphs`` is a list of ``[frame of no return, first frame, last frame, [text, verb,
object]]``, the text a ``;``-separated list of ``source - relation - target``. Names become lower-case and hyphenated
and lose instance numbers; ``Camera wearer`` becomes ``person``, ``direct object`` becomes ``dobj``. Left and right
become hand1 and hand2 by the hand rule: whichever grasps while nothing is held is hand1, and stays so while it holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tsgkit.errors import NotationError
from tsgkit.graph.hands import DEFAULT_RULE, HandRule
from tsgkit.graph.model import DOBJ, HANDS, INSTANCE, PERSON, VERB, ActionGraph, Description, Frames, Narrative, Triplet
from tsgkit.graph.notation.json_triplets import kind_of, load
from tsgkit.graph.notation.limits import shown
from tsgkit.lexicon import fold

NAMES = {"camera-wearer": PERSON, "direct-object": DOBJ}
REAL_HANDS = {"left-hand": ("left",), "right-hand": ("right",), "both-hands": ("left", "right")}
Unread = Callable[[str], None]


@dataclass(frozen=True)
class Clip:
    """A clip as a narrative, and its unreadable graphs with reasons."""

    narrative: Narrative
    unread: tuple[tuple[int, str], ...]


def parse(text: str) -> tuple[Clip, ...]:
    """Return the clips of a downstream file, in its order."""
    return from_value(load(text))


def is_easg(value: object) -> bool:
    """Return whether a JSON value looks like a downstream file."""
    if not isinstance(value, dict) or not value:
        return False
    first = next(iter(value.values()))
    return isinstance(first, dict) and isinstance(first.get("graphs"), list)


def from_value(value: object) -> tuple[Clip, ...]:
    """Return the clips of a JSON value already loaded."""
    if not isinstance(value, dict):
        raise NotationError(f"expected an object keyed by clip, found {kind_of(value)}")
    return tuple(_clip(uid, clip) for uid, clip in value.items())


def _clip(uid: str, clip: object) -> Clip:
    if not isinstance(clip, dict) or not isinstance(clip.get("graphs"), list):
        raise NotationError(f"clip {uid}: expected an object with a list of graphs, found {kind_of(clip)}")
    unread: list[tuple[int, str]] = []
    hands = _HandNames()
    descriptions = tuple(
        _description(entry, hands, _noter(unread, number)) for number, entry in enumerate(clip["graphs"])
    )
    summaries = clip.get("summaries", [])
    if not isinstance(summaries, list) or not all(isinstance(summary, str) for summary in summaries):
        raise NotationError(f"clip {uid}: summaries is not a list of strings")
    facts = tuple(
        (name, value if isinstance(value, str) else json.dumps(value))
        for name, value in clip.items()
        if name not in ("graphs", "summaries")
    )
    return Clip(Narrative(descriptions, None, uid, tuple(summaries), facts), tuple(unread))


def _noter(unread: list[tuple[int, str]], number: int) -> Unread:
    return lambda reason: unread.append((number, reason))


def _description(entry: object, hands: _HandNames, unread: Unread) -> Description:
    match entry:
        case [int() | float() as turning_point, int() | float() as start, int() | float() as end, [str(text), *_]]:
            triplets = list(_triplets(text, unread))
            graph = ActionGraph(dict.fromkeys(hands.name(triplets)))
            return Description(graphs=(graph,), frames=Frames(turning_point, start, end))
    unread(f"not [frame, frame, frame, [text, verb, object]] but {shown(str(entry))}")
    return Description(graphs=(ActionGraph(),))


def _triplets(text: str, unread: Unread) -> Iterator[Triplet]:
    for part in text.split(";"):
        names = [_name(name) for name in part.split(" - ")]
        if len(names) == 3:
            yield Triplet(*names)
        elif part.strip():
            unread(f"{part.strip()!r} is not 'source - relation - target'")


def _name(name: str) -> str:
    folded = fold(INSTANCE.sub("", name.strip()))
    return NAMES.get(folded, folded)


@dataclass
class _HandNames:
    """The slot (hand1, hand2) of each real hand along a clip; a hand keeps its slot while it holds something."""

    rule: HandRule = DEFAULT_RULE
    slots: dict[str, str] = field(default_factory=dict)
    holds: dict[str, str] = field(default_factory=dict)

    def name(self, triplets: list[Triplet]) -> list[Triplet]:
        """Return the triplets with their real hands named by slots, both hands as two triplets."""
        used = [hand for triplet in triplets for end in triplet for hand in REAL_HANDS.get(end, ())]
        hands = list(dict.fromkeys(used))
        slots = {hand: self.slots[hand] for hand in hands if hand in self.slots}
        for hand in hands:
            if hand not in slots:
                used_slots = {*self.slots.values(), *slots.values()}
                slots[hand] = next(slot for slot in HANDS if slot not in used_slots)
        self._follow(triplets, slots)
        return [
            Triplet(source, edge, target)
            for triplet in triplets
            for source in _named(triplet.source, slots)
            for edge in (triplet.edge,)
            for target in _named(triplet.target, slots)
        ]

    def _follow(self, triplets: list[Triplet], slots: dict[str, str]) -> None:
        action = next((triplet.target for triplet in triplets if triplet.edge == VERB), "")
        things = [triplet.target for triplet in triplets if triplet.edge == DOBJ]
        if action in self.rule.grasps:
            for hand, slot in slots.items():
                self.slots[hand] = slot
                self.holds[hand] = things[0] if things else ""
        elif action in self.rule.releases:
            for hand in [hand for hand in self.slots if hand in slots or self.holds.get(hand) in things]:
                del self.slots[hand], self.holds[hand]


def _named(end: str, slots: dict[str, str]) -> list[str]:
    return sorted(slots[hand] for hand in REAL_HANDS[end]) if end in REAL_HANDS else [end]
