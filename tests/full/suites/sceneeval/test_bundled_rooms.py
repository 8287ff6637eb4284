"""The verdicts on the bundled rooms equal those checked by hand, and plain arithmetic on the numbers in their files.

The arithmetic uses nothing of tsgkit. All objects of these rooms are turned by quarter turns, so each is a box along
the axes, and everything follows from the six numbers of boxes.
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

from rooms_of_ours import ROOMS, assert_as_stored

from tsgkit.suites.sceneeval.annotation_files import read_annotation_file

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
TURNS = {0: (0, -1), 90: (1, 0), 180: (0, 1), -90: (-1, 0)}
"""Where things look, by their yaw."""
ANNOTATIONS = {one.item_id: one for one in read_annotation_file(ROOMS / "annotations.csv").usable()}
EXPECTED = {item: json.loads((ROOMS / "expected" / f"scene_{item}.json").read_text()) for item in ANNOTATIONS}
HOVERS = "on is measured as over and higher, as published: what hovers above something is on it, and unsupported"
SUNK = "on is measured from the middle of the anchor's height, as published: what is sunk into it is on it"
OUTWARDS = (
    "as published only the last of several floors is asked which way walls look: those of the first look outwards"
)
ITSELF = "as published an object is compared with itself too, and a box is over the middle of its own height"
IN_BOTH = {
    ("1", "eq,1,on,0,nightstand,lamp"): HOVERS,
    ("3", "ge,1,stacked_on,0,storage_box,storage_box"): HOVERS,
    ("4", "eq,1,on,0,tv_stand,tv"): HOVERS,
    ("8", "ge,2,on,0,rug,toy"): HOVERS,
    ("14", "eq,1,on,0,shelf,towel"): HOVERS,
    ("15", "eq,4,on,0,table,plate"): HOVERS,
    ("26", "eq,1,on,0,filing_cabinet,printer"): HOVERS,
    ("7", "eq,1,on,0,kitchen_island,bowl"): SUNK,
    ("4", "eq,1,facing,0,tv,sofa"): "level rays from the object, as published: the TV hovers higher than the sofa is",
    ("5", "eq,1,surround,0,dining_table,chair:0,chair:1,chair:2,chair:3"): (
        "a mean over the objects, as published: three good chairs make up for the one in the table"
    ),
}
"""Demands on flawed rooms whose verdicts in both profiles differ from plain arithmetic, and why."""
EXCEPTIONS = {
    **{("flawed", *key, profile): why for key, why in IN_BOTH.items() for profile in ("strict", "official")},
    ("good", "16", "eq,1,against,sofa,wall", "official"): OUTWARDS,
    ("flawed", "16", "eq,1,against,sofa,wall", "official"): OUTWARDS,
    ("good", "16", "eq,1,in_corner,plant,living_room", "official"): OUTWARDS,
    ("flawed", "29", "ge,1,stacked_on,0,storage_box,storage_box", "official"): ITSELF,
}


class Box(NamedTuple):
    """An object: where it begins and ends along x, y and z, and the way it looks (a step along x or y)."""

    category: str
    attributes: Sequence[str]
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    front: tuple[int, int]

    def middle(self, axis: int) -> float:
        return (self.low[axis] + self.high[axis]) / 2

    def to(self, low: Sequence[float], high: Sequence[float]) -> float:
        """Return the way to another box, or to a part of a wall."""
        return math.hypot(*(max(low[k] - self.high[k], self.low[k] - high[k], 0.0) for k in range(3)))


def box_of(one: Mapping[str, Any]) -> Box:
    """Return the box around the parts of an object. A step along -y lies along its front when it is turned."""
    front = TURNS[one.get("yaw", 0)]
    (dx, dy), (x, y, z) = front, one["at"]
    corners = []
    for part in one.get("parts") or [{"size": one["size"]}]:
        (wide, deep, high), (px, py, pz) = part["size"], part.get("at", (0, 0, 0))
        for a in (-1, 1):
            right, back = px + a * wide / 2, py + a * deep / 2
            corners.append((x - dy * right - dx * back, y + dx * right - dy * back, z + pz + (high if a > 0 else 0)))
    low, high_ = (tuple(pick(corner[k] for corner in corners) for k in range(3)) for pick in (min, max))
    return Box(one["category"], one["attributes"], low, high_, front)


def steps(one: Box, anchor: Box) -> tuple[float, float]:
    """Return how far to the right and to the front of the anchor something is, for who looks at the anchor's front."""
    dx, dy = one.middle(0) - anchor.middle(0), one.middle(1) - anchor.middle(1)
    x, y = anchor.front
    return dy * x - dx * y, dx * x + dy * y


def halves(box: Box) -> tuple[float, float]:
    """Half its width and half its depth, as it looks."""
    wide, deep = ((box.high[k] - box.low[k]) / 2 for k in (0, 1))
    return (deep, wide) if box.front[0] else (wide, deep)


def beside_side(one: Box, anchor: Box, side: str) -> bool:
    """Beyond the left, right or front side of an anchor, and before it rather than off to one end."""
    (right, ahead), (wide, deep) = steps(one, anchor), halves(anchor)
    if side == "front":
        return ahead > deep and abs(right) <= 1.25 * wide
    return (right if side == "right" else -right) > wide and abs(ahead) <= 1.25 * deep


def on_long_side(one: Box, anchor: Box) -> bool:
    """Before one of its longer sides, between its ends."""
    (right, ahead), (wide, deep) = steps(one, anchor), halves(anchor)
    along, away, half = (right, ahead, wide) if wide > deep else (ahead, right, deep)
    return abs(along) <= half and abs(away) > abs(along)


def on(one: Box, anchor: Box) -> bool:
    over = all(anchor.low[k] <= one.middle(k) <= anchor.high[k] for k in (0, 1))
    return over and abs(one.low[2] - anchor.high[2]) <= TOUCHING


def above(one: Box, anchor: Box) -> bool:
    """Higher, and not off to a side: as much as a quarter of its size."""
    return one.low[2] >= anchor.high[2] - TOUCHING and all(
        abs(one.middle(k) - anchor.middle(k)) <= 1.25 * (anchor.high[k] - anchor.low[k]) / 2 for k in (0, 1)
    )


def inside(one: Box, anchor: Box) -> bool:
    return all(anchor.low[k] - TOUCHING <= one.low[k] and one.high[k] <= anchor.high[k] + TOUCHING for k in range(3))


def facing(one: Box, anchor: Box) -> bool:
    """The anchor lies ahead, and the middle of what of it lies straight ahead is no farther off than 15 degrees."""
    axis = 0 if one.front[0] else 1
    way, across = one.front[axis], 1 - axis
    ahead = way * ((anchor.low if way > 0 else anchor.high)[axis] - one.middle(axis))
    start, end = max(one.low[across], anchor.low[across]), min(one.high[across], anchor.high[across])
    return start < end and abs((start + end) / 2 - one.middle(across)) < math.tan(math.radians(15)) * ahead


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
    "next_to": lambda one, anchor: one.to(*anchor[2:4]) < BESIDE,
    "beside": lambda one, anchor: one.to(*anchor[2:4]) < BESIDE,
    "near": lambda one, anchor: 0.2 < one.to(*anchor[2:4]) < 1.8,
    "across_from": lambda one, anchor: 1.2 < one.to(*anchor[2:4]) < 4.3,
    "facing": facing,
    "above": above,
    "in_front_of": lambda one, anchor: beside_side(one, anchor, "front"),
    "left": lambda one, anchor: beside_side(one, anchor, "left"),
    "right": lambda one, anchor: beside_side(one, anchor, "right"),
    "at_foot": lambda one, anchor: beside_side(one, anchor, "front") and one.to(*anchor[2:4]) < BESIDE,
    "on_shelves": inside,
    "in": inside,
    "on_long_side": on_long_side,
}


class Room(NamedTuple):
    """A rectangular room, and where its windows begin and end."""

    name: str
    low: tuple[float, float]
    high: tuple[float, float]
    height: float
    windows: tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]

    def to_walls(self, one: Box) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return the ways to the west and east, and to the south and north wall."""
        x, y = ((one.low[k] - self.low[k], self.high[k] - one.high[k]) for k in (0, 1))
        return x, y

    def touches(self, one: Box, slack: float) -> bool:
        return in_room(one, self) and any(abs(away) <= slack for ways in self.to_walls(one) for away in ways)


def room_of(one: Mapping[str, Any]) -> Room:
    low, high = tuple(one["from"]), tuple(one["to"])
    windows = []
    for given in one["openings"]:
        along, fixed = (0, 1) if given["wall"] in ("south", "north") else (1, 0)
        start, end = [0.0, 0.0, given.get("sill", 0.0)], [0.0, 0.0, given.get("sill", 0.0) + given["height"]]
        start[fixed] = end[fixed] = (low if given["wall"] in ("south", "west") else high)[fixed]
        start[along] = low[along] + given["at"]
        end[along] = start[along] + given["width"]
        windows += [(tuple(start), tuple(end))] if given["kind"] == "window" else []
    return Room(one["name"], low, high, one["height"], tuple(windows))


def in_room(one: Box, room: Room) -> bool:
    return all(room.low[k] <= one.middle(k) <= room.high[k] for k in (0, 1))


def in_middle(one: Box, room: Room) -> bool:
    """No farther from the middle than a quarter of the room."""
    middles = [(one.middle(k) - (room.low[k] + room.high[k]) / 2, room.high[k] - room.low[k]) for k in (0, 1)]
    return all(abs(away) <= size / 4 for away, size in middles)


def on_wall(one: Box, room: Room) -> bool:
    return room.touches(one, TOUCHING)


def from_ceiling(one: Box, room: Room) -> bool:
    return in_room(one, room) and abs(room.height - one.high[2]) <= 0.05


BUILT: Mapping[tuple[str, str], Callable[[Box, Room], bool]] = {
    ("against", "wall"): lambda one, room: room.touches(one, 0.3),  # not much of a person fits between
    ("on", "wall"): on_wall,
    ("hang", "wall"): on_wall,
    ("mounted_on", "wall"): on_wall,
    ("in_corner", "room"): lambda one, room: in_room(one, room) and all(min(ways) < 1 for ways in room.to_walls(one)),
    ("hang_from", "ceiling"): from_ceiling,
    ("hanging_from", "ceiling"): from_ceiling,
    ("by", "window"): lambda one, room: any(one.to(*window) < BESIDE for window in room.windows),
    ("in_middle", "room"): in_middle,
    ("in", "room"): in_room,
}


def demands(path: Path) -> Iterator[tuple[str, tuple[list[str], ...]]]:
    """Yield the id of each row of annotations with its entries, by column."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            cells = [row[name].split(";") for name in ("ObjCount", "ObjAttr", "OORel", "OARel")]
            yield row["ID"], tuple([part.strip() for part in cell if part.strip()] for cell in cells)


def category_of(called: str, known: Sequence[str]) -> str | None:
    """Return the category of an object among those that a description counts."""
    names = {name: [name.replace("_", " "), *CALLED.get(name.replace("_", " "), ())] for name in known}
    exact = (name for name, said in names.items() if said[0] == called)
    other = (name for name, said in names.items() if called in said)
    return next(exact, None) or next(other, None)


def verdicts(path: Path, wanted: tuple[list[str], ...]) -> dict[str, bool]:
    """Return whether the room of a file meets each demand of a row of annotations."""
    value = json.loads(path.read_text())
    rooms = [room_of(one) for one in value["rooms"]]
    counts, attributes, pairs, built = wanted
    known = [entry.split(",")[2] for entry in counts]
    boxes: dict[str | None, list[Box]] = {}
    for box in map(box_of, value["objects"]):
        boxes.setdefault(category_of(box.category, known), []).append(box)

    def paired(relation: str, place: str, *others: str) -> int:
        names = [name.partition(":")[0] for name in others]
        anchors = boxes.get(names.pop(int(place)), [])
        if relation == "surround":
            groups = list(combinations(boxes.get(names[0], []), len(names)))
            return sum(surround(anchor, group) for anchor in anchors for group in groups)
        (name,) = names
        couples = [(one, anchor) for anchor in anchors for one in boxes.get(name, []) if one is not anchor]
        return sum(PAIRS[relation](one, anchor) for one, anchor in couples)

    def placed(relation: str, category: str, reference: str) -> int:
        of_kind = [room for room in rooms if room.name == reference.replace("_", " ")] or rooms
        holds = BUILT[relation, reference if (relation, reference) in BUILT else "room"]
        return sum(any(holds(box, room) for room in of_kind) for box in boxes.get(category, []))

    kinds: list[tuple[list[str], Callable[..., int]]] = [
        (counts, lambda category: len(boxes.get(category, []))),
        (attributes, lambda category, said: sum(said in box.attributes for box in boxes.get(category, []))),
        (pairs, paired),
        (built, placed),
    ]
    found = {}
    for entries, count in kinds:
        for entry in entries:
            quantity, n, *rest = entry.split(",")
            found[entry] = COMPARED[quantity](count(*rest), int(n))
    return found


def test_every_demand_and_every_object_of_good_and_flawed_rooms_gets_its_verdict() -> None:
    for annotation in ANNOTATIONS.values():
        for kind, stored in EXPECTED[annotation.item_id].items():
            assert_as_stored(annotation, kind, stored)


WANTED = dict(demands(ROOMS / "annotations.csv"))


def test_stored_verdicts_equal_independent_arithmetic_or_have_a_reason() -> None:
    different, known, unmet = set(), 0, 0
    for item, kinds in EXPECTED.items():
        for kind in ("good", "flawed"):
            mine = verdicts(ROOMS / "rooms" / kind / f"scene_{item}.json", WANTED[item])
            assert mine.keys() == kinds[kind]["specifications"].keys(), (kind, item)
            assert kind == "flawed" or all(mine.values()), item
            unmet += list(mine.values()).count(False)
            for entry, said in kinds[kind]["specifications"].items():
                different |= {(kind, item, entry, profile) for profile, met in said.items() if met != mine[entry]}
                known += len(said)
    assert different == EXCEPTIONS.keys()
    assert len(EXCEPTIONS) < 0.02 * known
    assert unmet > len(WANTED), "the arithmetic finds most deliberate flaws"
