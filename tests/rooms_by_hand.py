"""Expected measurements of the bundled rooms by plain arithmetic on the numbers in their files.

Nothing of tsgkit is used, so that it can be held against what tsgkit measures. All objects of these rooms are turned by
quarter turns, so each is a box along the axes, and everything follows from the six numbers of boxes.
"""

from __future__ import annotations

import csv
import json
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple

COMPARED: Mapping[str, Callable[[int, int], bool]] = {
    name: getattr(operator, name) for name in ("eq", "lt", "gt", "le", "ge")
}
CALLED = {
    "beanbag": ["bean bag"], "nightstand": ["bedside table"], "bookshelf": ["bookcase"], "sofa": ["couch"],
    "office chair": ["desk chair"], "lamp": ["desk lamp", "table lamp"], "table": ["dining table"],
    "refrigerator": ["fridge"], "plant": ["potted plant"], "desk": ["writing desk"],
}  # fmt: skip
"""By which other names the objects of a category are called in these rooms; all else by the category itself."""
TOUCHING, BESIDE = 0.02, 0.8
"""Metres between things that touch, and between things that stand next to each other."""


class Box(NamedTuple):
    """An object: where it begins and ends along x, y and z, and the way it looks (a step along x or y)."""

    name: str
    category: str
    attributes: frozenset[str]
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    front: tuple[int, int]

    def middle(self, axis: int) -> float:
        return (self.low[axis] + self.high[axis]) / 2

    def covers(self, x: float, y: float, slack: float = 0.0) -> bool:
        return all(self.low[k] - slack <= v <= self.high[k] + slack for k, v in enumerate((x, y)))


class Opening(NamedTuple):
    """A door or window: its two ends on the floor plan, and from where to where it goes up."""

    kind: str
    start: tuple[float, float]
    end: tuple[float, float]
    low: float
    high: float


class Room(NamedTuple):
    """A rectangular room."""

    name: str
    low: tuple[float, float]
    high: tuple[float, float]
    height: float
    openings: tuple[Opening, ...]


class Home(NamedTuple):
    """All of a file."""

    rooms: tuple[Room, ...]
    boxes: tuple[Box, ...]


TURNS = {0: (0, -1), 90: (1, 0), 180: (0, 1), -90: (-1, 0)}


def turned(x: float, y: float, front: tuple[int, int]) -> tuple[float, float]:
    """Return where a step lies when what looked along -y looks along ``front``."""
    dx, dy = front
    return -dy * x - dx * y, dx * x - dy * y


def box_of(one: Mapping[str, Any]) -> Box:
    parts = one.get("parts") or [{"size": one["size"]}]
    front = TURNS[one.get("yaw", 0)]
    x, y, z = one["at"]
    corners = []
    for part in parts:
        (wide, deep, high), (px, py, pz) = part["size"], part.get("at", (0, 0, 0))
        for a, b in ((-1, -1), (1, 1)):
            dx, dy = turned(px + a * wide / 2, py + b * deep / 2, front)
            corners.append((x + dx, y + dy, z + pz + (high if a > 0 else 0)))
    low, high_ = (tuple(pick(corner[k] for corner in corners) for k in range(3)) for pick in (min, max))
    return Box(one["id"], one["category"], frozenset(one["attributes"]), low, high_, front)


def opening_of(room: Mapping[str, Any], given: Mapping[str, Any]) -> Opening:
    (west, south), (east, north) = room["from"], room["to"]
    a, b = given["at"], given["at"] + given["width"]
    along = given["wall"] in ("south", "north")
    fixed = {"south": south, "north": north, "west": west, "east": east}[given["wall"]]
    start, end = ((west + a, fixed), (west + b, fixed)) if along else ((fixed, south + a), (fixed, south + b))
    low = given.get("sill", 0.0)
    return Opening(given["kind"], start, end, low, low + given["height"])


def home(path: Path) -> Home:
    value = json.loads(path.read_text())
    rooms = tuple(
        Room(
            one["name"],
            tuple(one["from"]),
            tuple(one["to"]),
            one["height"],
            tuple(opening_of(one, given) for given in one["openings"]),
        )
        for one in value["rooms"]
    )
    return Home(rooms, tuple(box_of(one) for one in value["objects"]))


def gap(one: Box, low: Sequence[float], high: Sequence[float]) -> float:
    """Return the way from a box to another, or to a part of a wall."""
    return math.hypot(*(max(low[k] - one.high[k], one.low[k] - high[k], 0.0) for k in range(3)))


def apart(one: Box, other: Box) -> float:
    return gap(one, other.low, other.high)


def steps(one: Box, anchor: Box) -> tuple[float, float]:
    """Return how far to the right and to the front of the anchor something is, for who looks at the anchor's front."""
    dx, dy = one.middle(0) - anchor.middle(0), one.middle(1) - anchor.middle(1)
    ahead = dx * anchor.front[0] + dy * anchor.front[1]
    right = -dx * anchor.front[1] + dy * anchor.front[0]
    return right, ahead


def halves(box: Box) -> tuple[float, float]:
    """Half its width and half its depth, as it looks."""
    wide, deep = ((box.high[k] - box.low[k]) / 2 for k in (0, 1))
    return (deep, wide) if box.front[0] else (wide, deep)


def beyond(place: float, across: float, half: float, half_across: float) -> bool:
    """Beyond a side, and before it rather than off to one end."""
    return place > half and abs(across) <= 1.25 * half_across


def beside_side(one: Box, anchor: Box, side: str) -> bool:
    """Tell if something lies beyond the left, right or front side of an anchor."""
    (right, ahead), (wide, deep) = steps(one, anchor), halves(anchor)
    if side == "front":
        return beyond(ahead, right, deep, wide)
    return beyond(right if side == "right" else -right, ahead, wide, deep)


def on_long_side(one: Box, anchor: Box) -> bool:
    """Before one of its longer sides, between its ends."""
    (right_, ahead), (wide, deep) = steps(one, anchor), halves(anchor)
    along, away, half = (right_, ahead, wide) if wide > deep else (ahead, right_, deep)
    return abs(along) <= half and abs(away) > abs(along)


def over(one: Box, anchor: Box) -> bool:
    return anchor.covers(one.middle(0), one.middle(1))


def on(one: Box, anchor: Box) -> bool:
    return over(one, anchor) and abs(one.low[2] - anchor.high[2]) <= TOUCHING


def above(one: Box, anchor: Box) -> bool:
    """Higher, and not off to a side: as much as a quarter of its size."""
    return one.low[2] >= anchor.high[2] - TOUCHING and all(
        abs(one.middle(k) - anchor.middle(k)) <= 1.25 * (anchor.high[k] - anchor.low[k]) / 2 for k in (0, 1)
    )


def inside(one: Box, anchor: Box) -> bool:
    return all(anchor.low[k] - TOUCHING <= one.low[k] and one.high[k] <= anchor.high[k] + TOUCHING for k in range(3))


def facing(one: Box, anchor: Box) -> bool:
    """Return the anchor lies ahead, and the middle of what of it lies straight ahead is no farther off than 15
    degrees."""
    axis = 0 if one.front[0] else 1
    way, across = one.front[axis], 1 - axis
    ahead = way * ((anchor.low if way > 0 else anchor.high)[axis] - one.middle(axis))
    seen = max(one.low[across], anchor.low[across]), min(one.high[across], anchor.high[across])
    if ahead <= 0 or seen[0] >= seen[1]:
        return False
    return abs(sum(seen) / 2 - one.middle(across)) < math.tan(math.radians(15)) * ahead


def surround(anchor: Box, others: Sequence[Box]) -> bool:
    """About equally far, all around, with no gap of much more than its share."""
    away = [(other.middle(0) - anchor.middle(0), other.middle(1) - anchor.middle(1)) for other in others]
    far = [math.hypot(*step) for step in away]
    if min(far) == 0 or max(far) > 1.5 * min(far):
        return False
    angles = sorted(math.atan2(y, x) for x, y in away)
    between = [b - a for a, b in pairwise([*angles, angles[0] + 2 * math.pi])]
    return max(between) <= 1.3 * 2 * math.pi / len(others)


PAIRS: Mapping[str, Callable[[Box, Box], bool]] = {
    "on": on,
    "stacked_on": on,
    "next_to": lambda one, anchor: apart(one, anchor) < BESIDE,
    "beside": lambda one, anchor: apart(one, anchor) < BESIDE,
    "near": lambda one, anchor: 0.2 < apart(one, anchor) < 1.8,
    "across_from": lambda one, anchor: 1.2 < apart(one, anchor) < 4.3,
    "facing": facing,
    "above": above,
    "in_front_of": lambda one, anchor: beside_side(one, anchor, "front"),
    "left": lambda one, anchor: beside_side(one, anchor, "left"),
    "right": lambda one, anchor: beside_side(one, anchor, "right"),
    "at_foot": lambda one, anchor: beside_side(one, anchor, "front") and apart(one, anchor) < BESIDE,
    "on_shelves": inside,
    "in": inside,
    "on_long_side": on_long_side,
}


def to_walls(one: Box, room: Room) -> dict[str, float]:
    """Return the way to each wall of a room, for what lies before that wall."""
    found = {
        "west": one.low[0] - room.low[0],
        "east": room.high[0] - one.high[0],
        "south": one.low[1] - room.low[1],
        "north": room.high[1] - one.high[1],
    }
    return {side: away for side, away in found.items() if in_room(one, room)}


def in_room(one: Box, room: Room) -> bool:
    return all(room.low[k] <= one.middle(k) <= room.high[k] for k in (0, 1))


def against_wall(one: Box, room: Room) -> bool:
    """Something may stand between it and the wall, but not much of a person."""
    return any(abs(away) < 0.3 for away in to_walls(one, room).values())


def on_wall(one: Box, room: Room) -> bool:
    return any(abs(away) <= TOUCHING for away in to_walls(one, room).values())


def in_corner(one: Box, room: Room) -> bool:
    walls = to_walls(one, room)
    return bool(walls) and min(walls["west"], walls["east"]) < 1 and min(walls["south"], walls["north"]) < 1


def from_ceiling(one: Box, room: Room) -> bool:
    return in_room(one, room) and abs(room.height - one.high[2]) <= 0.05


def in_middle(one: Box, room: Room) -> bool:
    """Return no farther from the middle than a quarter of the room."""
    return all(abs(one.middle(k) - (room.low[k] + room.high[k]) / 2) <= (room.high[k] - room.low[k]) / 4
               for k in (0, 1))  # fmt: skip


def by_window(one: Box, room: Room) -> bool:
    spots = ((sorted((w.start, w.end)), w) for w in room.openings if w.kind == "window")
    return any(gap(one, (*ends[0], w.low), (*ends[1], w.high)) < BESIDE for ends, w in spots)


BUILT: Mapping[tuple[str, str], Callable[[Box, Room], bool]] = {
    ("against", "wall"): against_wall,
    ("on", "wall"): on_wall,
    ("hang", "wall"): on_wall,
    ("mounted_on", "wall"): on_wall,
    ("in_corner", "room"): in_corner,
    ("hang_from", "ceiling"): from_ceiling,
    ("hanging_from", "ceiling"): from_ceiling,
    ("by", "window"): by_window,
    ("in_middle", "room"): in_middle,
    ("in", "room"): in_room,
}


class Demands(NamedTuple):
    """A row of the annotations: its entries, by column."""

    item: str
    counts: tuple[str, ...]
    attributes: tuple[str, ...]
    pairs: tuple[str, ...]
    built: tuple[str, ...]


def demands(path: Path) -> Iterator[Demands]:
    def entries(cell: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in cell.split(";") if part.strip())

    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cells = (row[name] for name in ("ObjCount", "ObjAttr", "OORel", "OARel"))
            yield Demands(row["ID"], *map(entries, cells))


def category_of(called: str, known: Sequence[str]) -> str | None:
    """Return the category of an object among those that a description counts."""
    names = {name: [name.replace("_", " "), *CALLED.get(name.replace("_", " "), ())] for name in known}
    exact = (name for name, said in names.items() if said[0] == called)
    other = (name for name, said in names.items() if called in said)
    return next(exact, None) or next(other, None)


class Judged:
    """The verdicts on the demands of one description about one home."""

    def __init__(self, place: Home, wanted: Demands) -> None:
        self.place, self.wanted = place, wanted
        known = [entry.split(",")[2] for entry in wanted.counts]
        self._of: dict[str | None, list[Box]] = {}
        for box in place.boxes:
            self._of.setdefault(category_of(box.category, known), []).append(box)

    def of(self, category: str) -> list[Box]:
        return self._of.get(category.partition(":")[0], [])

    def verdicts(self) -> dict[str, bool]:
        kinds = ((self.wanted.counts, self.counted), (self.wanted.attributes, self.attributed),
                 (self.wanted.pairs, self.paired), (self.wanted.built, self.placed))  # fmt: skip
        found = {}
        for entries, count in kinds:
            for entry in entries:
                quantity, n, *rest = entry.split(",")
                found[entry] = COMPARED[quantity](count(rest), int(n))
        return found

    def counted(self, rest: list[str]) -> int:
        return len(self.of(rest[0]))

    def attributed(self, rest: list[str]) -> int:
        return sum(rest[1] in box.attributes for box in self.of(rest[0]))

    def paired(self, rest: list[str]) -> int:
        relation, place, *names = rest
        anchors = self.of(names.pop(int(place)))
        if relation == "surround":
            groups = [(anchor, group) for anchor in anchors for group in combinations(self.of(names[0]), len(names))]
            return sum(surround(anchor, group) for anchor, group in groups)
        (name,) = names
        couples = [(one, anchor) for anchor in anchors for one in self.of(name) if one is not anchor]
        return sum(PAIRS[relation](one, anchor) for one, anchor in couples)

    def placed(self, rest: list[str]) -> int:
        relation, category, reference = rest
        named = reference.replace("_", " ")
        of_kind = [room for room in self.place.rooms if room.name == named] or list(self.place.rooms)
        key = (relation, reference if (relation, reference) in BUILT else "room")
        return sum(any(BUILT[key](box, room) for room in of_kind) for box in self.of(category))
