"""Random plans for new descriptions: a difficulty, a type of room and a set of things.

>>> [one] = draw_plans(1, ("medium",), ("bedroom",), 1, furniture())
>>> one.difficulty, one.rooms, one.total == sum(thing.n for thing in one.things)
('medium', ('bedroom',), True)
>>> draw_plans(3, ("easy",), ROOM_TYPES, 0, furniture()) == draw_plans(3, ("easy",), ROOM_TYPES, 0, furniture())
True

Difficulties alternate, and types of rooms occur equally often, give or take one. A quarter of the hard plans have two
rooms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from tsgkit.suites.sceneeval.annotations import ROOMS
from tsgkit.suites.sceneeval.makers.furniture import PLACES, Furniture, RoomThings, furniture, key_of

__all__ = ["ROOM_TYPES", "PlannedThing", "RoomPlan", "draw_plans", "furniture"]

ROOM_TYPES = ROOMS[:-1]
TOTALS = {"easy": (2, 4), "medium": (5, 8), "hard": (9, 16)}
MOST_SMALL = {"easy": 0, "medium": 3, "hard": 6}
MOST_BESIDES = 2
"""The maximum number of kinds of things on walls, from the ceiling and of rugs."""
TWO_ROOMS = 0.25


class PlannedThing(NamedTuple):
    """A drawn kind of thing: its number, its place in a room, and the room."""

    name: str
    n: int
    place: str
    room: str


@dataclass(frozen=True)
class RoomPlan:
    """The content that one description must have."""

    number: int
    difficulty: str
    rooms: tuple[str, ...]
    things: tuple[PlannedThing, ...]

    @property
    def total(self) -> int:
        """The number of objects."""
        return sum(thing.n for thing in self.things)

    def of(self, *places: str) -> tuple[PlannedThing, ...]:
        """Return the things in some places."""
        return tuple(thing for thing in self.things if thing.place in places)


def draw_plans(
    count: int, difficulties: Sequence[str], rooms: Sequence[str], seed: int, table: Furniture
) -> tuple[RoomPlan, ...]:
    """Draw ``count`` rooms to describe."""
    order = _in_turn(rooms, count, Random(f"{seed}/rooms"))
    return tuple(
        _drawn(number, difficulties[number % len(difficulties)], order[number], rooms, seed, table)
        for number in range(count)
    )


def _in_turn(rooms: Sequence[str], count: int, rng: Random) -> list[str]:
    order: list[str] = []
    while len(order) < count:
        order += rng.sample(list(rooms), len(rooms))
    return order


def _drawn(number: int, difficulty: str, room: str, rooms: Sequence[str], seed: int, table: Furniture) -> RoomPlan:
    rng = Random(f"{seed}/{number}/{difficulty}/{room}")
    total = rng.randint(*TOTALS[difficulty])
    others = [name for name in rooms if name != room]
    if difficulty == "hard" and others and rng.random() < TWO_ROOMS:
        second = rng.choice(others)
        halves = (total - total // 2, total // 2)
        first = list(_things(rng, room, halves[0], MOST_SMALL[difficulty] // 2, table, ()))
        more = list(_things(rng, second, halves[1], MOST_SMALL[difficulty] // 2, table, [one.name for one in first]))
        return RoomPlan(number, difficulty, (room, second), (*first, *more))
    things = tuple(_things(rng, room, total, MOST_SMALL[difficulty], table, ()))
    return RoomPlan(number, difficulty, (room,), things)


def _things(
    rng: Random, room: str, total: int, most_small: int, table: Furniture, taken: Sequence[str]
) -> Iterator[PlannedThing]:
    """Draw the things of a room, those that can carry others first. Their names are never confusable."""
    free = _free(table.rooms[room], taken)
    small = rng.randint(0, min(most_small, total // 2))
    besides = rng.randint(0, min(MOST_BESIDES, total - small - 1))
    standing = rng.sample(free.standing, len(free.standing))
    if small:
        standing.sort(key=lambda name: name not in table.carriers)
        small = small if standing[0] in table.carriers else 0
    chosen = list(_several(rng, standing, total - small - besides, table))
    yield from (PlannedThing(name, n, "standing", room) for name, n in chosen)
    left = total - small - sum(n for _, n in chosen)
    decor = [(name, place) for place in ("wall", "ceiling", "rug") for name in getattr(free, place)]
    for name, place in rng.sample(decor, min(left, len(decor))):
        yield PlannedThing(name, 1, place, room)
    for name, n in _several(rng, rng.sample(free.small, len(free.small)), small, table):
        yield PlannedThing(name, n, "small", room)


def _several(rng: Random, names: Sequence[str], total: int, table: Furniture) -> Iterator[tuple[str, int]]:
    """Yield things with numbers that sum to ``total``, or less if the names run out."""
    left = total
    for name in names:
        if not left:
            return
        n = min(left, rng.randint(1, table.several.get(name, 1)))
        yield name, n
        left -= n


def _free(things: RoomThings, taken: Sequence[str]) -> RoomThings:
    """Return the things whose names neither end in a taken name nor are the end of one."""
    keys = [key_of(name) for name in taken]

    def is_free(name: str) -> bool:
        key = key_of(name)
        return not any(key.endswith(other) or other.endswith(key) for other in keys)

    return RoomThings(**{place: tuple(filter(is_free, getattr(things, place))) for place in PLACES})
