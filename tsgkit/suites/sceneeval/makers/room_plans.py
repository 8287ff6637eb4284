"""Random plans for new descriptions (a difficulty, a type of room and a set of things), and patterns that fill them.

>>> [one] = draw_plans(1, ("medium",), ("bedroom",), 1, furniture())
>>> one.difficulty, one.rooms, one.total == sum(thing.n for thing in one.things)
('medium', ('bedroom',), True)
>>> draw_plans(3, ("easy",), ROOM_TYPES, 0, furniture()) == draw_plans(3, ("easy",), ROOM_TYPES, 0, furniture())
True

>>> made = written_room(one, 0, furniture())
>>> len(made.counts) == len(one.things), made.difficulty
(True, 'medium')

Difficulties alternate, and types of rooms occur equally often, give or take one. A quarter of the hard plans have two
rooms.

Descriptions from sentence patterns have correct annotations without a model. They show what a file of annotations looks
like, and are useful for trying out a generator. They are all alike, and no benchmark: anyone who knows the patterns
knows the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from tsgkit.suites.sceneeval.annotation_replies import NUMBERS
from tsgkit.suites.sceneeval.annotations import DIFFICULTIES, KINDS, ROOMS, Annotation, Kind, annotation_of
from tsgkit.suites.sceneeval.word_meanings import PLACES, Furniture, furniture, key_of

__all__ = ["ROOM_TYPES", "PlannedThing", "RoomPlan", "draw_plans", "furniture", "in_numbers", "written_room"]

ROOM_TYPES = ROOMS[:-1]
MOST_BESIDES = 2
"""The maximum number of kinds of things on walls, from the ceiling and of rugs."""
TWO_ROOMS = 0.25
ATTRIBUTES = ("white", "black", "grey", "blue", "green", "red", "brown", "wooden", "metal")
WITH_ATTRIBUTE = 0.5
IN_FIRST, IN_OTHERS = 3, 2
"""The number of things in the first sentence and in later ones."""
BESIDE = (("next_to", "next to"), ("near", "near"), ("across_from", "across from"), ("beside", "beside"))
BUILT = {
    "standing": (
        ("against", "against the wall", "wall"),
        ("by", "by the window", "window"),
        ("in_corner", "in the corner of the room", "room"),
    ),
    "wall": (("on", "on the wall", "wall"),),
    "ceiling": (("hanging_from", "hanging from the ceiling", "ceiling"),),
    "rug": (("in_middle", "in the middle of the room", "room"),),
}
"""Relations to the room, by place: the relation, its phrase and the built element. The first also fits several things.
"""


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


def draw_plans(
    count: int, difficulties: Sequence[str], rooms: Sequence[str], seed: int, table: Furniture
) -> tuple[RoomPlan, ...]:
    """Draw ``count`` rooms to describe."""
    rng = Random(f"{seed}/rooms")
    order: list[str] = []
    while len(order) < count:
        order += rng.sample(list(rooms), len(rooms))
    plans = []
    for number, room in enumerate(order[:count]):
        difficulty = difficulties[number % len(difficulties)]
        rng = Random(f"{seed}/{number}/{difficulty}/{room}")
        level = DIFFICULTIES[difficulty]
        total, most_small = rng.randint(*level.drawn), level.drawn_small
        others = [name for name in rooms if name != room]
        if difficulty == "hard" and others and rng.random() < TWO_ROOMS:
            second = rng.choice(others)
            first = list(_things(rng, room, total - total // 2, most_small // 2, table, ()))
            more = _things(rng, second, total // 2, most_small // 2, table, [thing.name for thing in first])
            plans.append(RoomPlan(number, difficulty, (room, second), (*first, *more)))
        else:
            things = tuple(_things(rng, room, total, most_small, table, ()))
            plans.append(RoomPlan(number, difficulty, (room,), things))
    return tuple(plans)


def _things(
    rng: Random, room: str, total: int, most_small: int, table: Furniture, taken_names: Sequence[str]
) -> Iterator[PlannedThing]:
    """Draw the things of a room, those that can carry others first.

    Their names are never confusable: none ends in a taken name or is the end of one.
    """
    taken_keys = [key_of(name) for name in taken_names]

    def is_free(name: str) -> bool:
        key = key_of(name)
        return not any(key.endswith(taken_key) or taken_key.endswith(key) for taken_key in taken_keys)

    free = {place: list(filter(is_free, getattr(table.rooms[room], place))) for place in PLACES}
    small = rng.randint(0, min(most_small, total // 2))
    besides = rng.randint(0, min(MOST_BESIDES, total - small - 1))
    standing = rng.sample(free["standing"], len(free["standing"]))
    if small:
        standing.sort(key=lambda name: name not in table.carriers)
        small = small if standing[0] in table.carriers else 0
    chosen = list(_several(rng, standing, total - small - besides, table))
    yield from (PlannedThing(name, n, "standing", room) for name, n in chosen)
    left = total - small - sum(n for _, n in chosen)
    decor = [(name, place) for place in ("wall", "ceiling", "rug") for name in free[place]]
    for name, place in rng.sample(decor, min(left, len(decor))):
        yield PlannedThing(name, 1, place, room)
    for name, n in _several(rng, rng.sample(free["small"], len(free["small"])), small, table):
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


def written_room(drawn: RoomPlan, seed: int, table: Furniture) -> Annotation:
    """Return a description of a drawn room, with its annotation."""
    rng = Random(f"{seed}/{drawn.number}/words")
    entries: dict[Kind, list[str]] = {kind: [] for kind in KINDS}
    phrases = {room: list(_thing_phrases(drawn, room, entries, rng, table)) for room in drawn.rooms}
    [first, *others] = drawn.rooms
    if others:
        rooms = " and ".join(f"{_article(room)} {room}" for room in phrases)
        sentences = [f"A flat of two rooms, {rooms}."]
        for room, parts in phrases.items():
            starts = range(0, len(parts), IN_FIRST)
            sentences += [f"The {room} has {_listed(parts[start : start + IN_FIRST])}." for start in starts]
    else:
        parts = phrases[first]
        sentences = [f"{_article(first).capitalize()} {first} with {_listed(parts[:IN_FIRST])}."]
        for start in range(IN_FIRST, len(parts), IN_OTHERS):
            verb = "is" if parts[start].split()[0] in ("a", "an") else "are"
            sentences.append(f"There {verb} {_listed(parts[start : start + IN_OTHERS])}.")
    counts, attributes, pairs, built = entries.values()
    text = " ".join(sentences)
    return annotation_of(str(drawn.number), drawn.difficulty, text, counts, attributes, pairs, built, first)


def _listed(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _thing_phrases(
    drawn: RoomPlan, room: str, entries: dict[Kind, list[str]], rng: Random, table: Furniture
) -> Iterator[str]:
    """Yield a phrase for each thing, adding its entries."""
    mine = [thing for thing in drawn.things if thing.room == room]
    standing = [thing for thing in mine if thing.place == "standing"]
    carriers = [thing for thing in standing if thing.name in table.carriers]
    for number, thing in enumerate(mine):
        many, name = f"eq,{thing.n}", thing.name.replace(" ", "_")
        entries["cnt"].append(f"{many},{name}")
        attribute = rng.choice(ATTRIBUTES) if rng.random() < WITH_ATTRIBUTE and thing.place != "small" else ""
        if attribute:
            entries["atr"].append(f"{many},{name},{attribute}")
        if thing.place == "small":
            relation, phrase, anchor = "on", "on", rng.choice(carriers)
        elif thing.place == "standing" and number and rng.random() < 2 / 3:
            anchor = rng.choice(standing[:number])
            relation, phrase = rng.choice(BESIDE)
        else:
            relation, phrase, element = rng.choice(BUILT[thing.place] if thing.n == 1 else BUILT[thing.place][:1])
            entries["oar"].append(f"{many},{relation},{name},{element}")
            anchor = None
        if anchor is not None:
            entries["oor"].append(f"{many},{relation},0,{anchor.name.replace(' ', '_')},{name}")
            spelt = _spelt(anchor.name)
            phrase = f"{phrase} the {spelt}" if anchor.n == 1 else f"{phrase} one of the {_plural(spelt)}"
        if len(drawn.rooms) > 1 and thing.place == "standing":
            entries["oar"].append(f"{many},in,{name},{room.replace(' ', '_')}")
        yield f"{in_numbers(thing.n, thing.name, attribute)} {phrase}"


def _spelt(name: str) -> str:
    return name.replace("tv ", "TV ")


def in_numbers(n: int, name: str, attribute: str = "") -> str:
    """Return a number of things in words.

    >>> in_numbers(1, "armchair"), in_numbers(2, "box", "red"), in_numbers(3, "book")
    ('an armchair', 'two red boxes', 'three books')
    """
    words = f"{attribute} {_spelt(name)}".strip()
    if n == 1:
        return f"{_article(words)} {words}"
    number = next((word for word, value in NUMBERS.items() if value == n), str(n))
    return f"{number} {_plural(words)}"


def _article(words: str) -> str:
    return "an" if words[0] in "aeiou" else "a"


def _plural(name: str) -> str:
    if name.endswith("shelf"):
        return name[:-1] + "ves"
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")
