"""Verdicts on a room as sentences, with the number of objects that each is about.

>>> fine = {"in_collision": False, "supported": True, "out_of_bounds": False, "accessibility": None}
>>> lamps = {f"lamp_{n}": fine | {"supported": False} for n in (1, 2)}
>>> floor = {"value": 0.8, "reason": "2 free parts"}
>>> for one in verdicts({"objects": lamps, "openings": [], "navigability": floor}):
...     print(one.text)
two objects hang in the air
part of the floor cannot be reached
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
USABLE = 0.5
"""The share of the best side of an object that must be free for it to be used."""
FINE = "nothing is wrong with the room"
ALL_REACHED = "all free floor can be reached"
NOT_ALL_REACHED = "part of the floor cannot be reached"


class RoomVerdict(NamedTuple):
    """A sentence on a room: whether it is good (None if unknown), the objects it counts, and the reason."""

    text: str
    holds: bool | None
    objects: tuple[str, ...] = ()
    why: str = ""


def in_words(number: int, one: str, several: str) -> str:
    """Return a sentence that begins with a number; small ones are written as words.

    >>> in_words(1, "door is blocked", "doors are blocked"), in_words(13, "door is blocked", "doors are blocked")
    ('one door is blocked', '13 doors are blocked')
    """
    return f"{NUMBERS[number] if number < len(NUMBERS) else f'{number:,}'} {one if number == 1 else several}"


def verdicts(found: Mapping[str, Any]) -> list[RoomVerdict]:
    """Return what is wrong with a room under one profile, what is unknown, and whether all of its floor is reached."""
    wrong = [*_of_objects(found["objects"]), *_of_openings(found["openings"]), *_of_floor(found["navigability"])]
    return wrong if any(one.holds is not True for one in wrong) else [RoomVerdict(FINE, True), *wrong]


def _of_objects(objects: Mapping[str, Any]) -> Iterator[RoomVerdict]:
    kinds = (
        ([name for name, one in objects.items() if one["in_collision"]], "object collides", "objects collide"),
        (
            [name for name, one in objects.items() if one["supported"] is False],
            "object hangs in the air",
            "objects hang in the air",
        ),
        (
            [name for name, one in objects.items() if one["out_of_bounds"]],
            "object is not over the floor",
            "objects are not over the floor",
        ),
        (
            [name for name, one in objects.items() if _is_shut(one.get("accessibility"))],
            "object can hardly be used: less than half of its best side is free",
            "objects can hardly be used: less than half of the best side of each is free",
        ),
    )
    for names, one, several in kinds:
        if names:
            yield RoomVerdict(in_words(len(names), one, several), False, tuple(names))
    if unknown := [name for name, one in objects.items() if one["supported"] is None]:
        words = in_words(len(unknown), "object may hang in the air", "objects may hang in the air")
        yield RoomVerdict(f"{words}: the judge could not say", None, tuple(unknown))


def _is_shut(share: float | None) -> bool:
    return share is not None and share < USABLE


def _of_openings(openings: Sequence[Mapping[str, Any]]) -> Iterator[RoomVerdict]:
    blocked: dict[str, list[str]] = {}
    for one in openings:
        if one["occluded"]:
            blocked.setdefault(one.get("kind", "opening"), []).append(one["id"])
    for kind, names in blocked.items():
        yield RoomVerdict(in_words(len(names), f"{kind} is blocked", f"{kind}s are blocked"), False, tuple(names))


def _of_floor(way: Mapping[str, Any]) -> Iterator[RoomVerdict]:
    if way["value"] is not None:
        is_whole = way["value"] >= 1
        yield RoomVerdict(ALL_REACHED if is_whole else NOT_ALL_REACHED, is_whole, (), way["reason"])
