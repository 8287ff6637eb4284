"""Scenes of Holodeck: houses as AI2-THOR and ProcTHOR have them, in Unity's frame.

>>> from tsgkit.suites.sceneeval.converting.given import Given, Options
>>> text = '''{"rooms": [{"id": "den", "floorPolygon": [{"x": 0, "z": 0}, {"x": 0, "z": 3}, {"x": 4, "z": 3}]}],
...   "objects": [{"assetId": "a1", "object_name": "bed-0", "position": {"x": 1, "y": 0.3, "z": 2.1},
...     "rotation": {"y": 180}, "vertices": [[20, 110], [180, 110], [180, 310], [20, 310]]}]}'''
>>> HOLODECK(Given.of("x.json", text), Options())[0].scene["objects"]
[{'id': 'bed-0', 'category': 'bed', 'size': [1.6, 2.0, 0.6], 'at': [1.0, 2.1, 0.0], 'yaw': 0.0}]

What is known of the form: metres and degrees; y up, left-handed. ``x`` goes east and ``z`` north as seen from above,
so nothing is mirrored when (x, y, z) becomes our (x, z, y). A thing of rotation 0 faces +z, and rotations go with the
clock: our yaw is 180 minus theirs. ``position`` is the middle of the box. ``vertices`` of a thing are its footprint
where it stands, in centimetres. Walls are four corners; two rooms have a wall each where they meet, and outer faces
(``exterior``) are doubles, left out. The same thing may be listed under ``objects`` and under ``floor_objects``,
``wall_objects``, ``ceiling_objects``, ``small_objects``; it is taken once.

Sizes come from the thing itself, else from the assets (``--assets objathor=DIR``), else a footprint with the height
that makes a thing whose middle is at ``y`` stand on the floor. That last holds for floor objects only; others are left
out.

What we are not certain of, and say in every conversion: that ``doorSegment`` and ``windowSegment`` are ends on the
floor plan in metres (without them holes are counted along the wall from the first lower corner of its polygon), and
that footprints have the size of the thing: the published generator is believed to leave a margin around it while it
places it (0.1 m in all), which ``--assume footprint-margin=0.1`` takes off.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from pydantic import Field, ValidationError

from tsgkit.geometry import Architecture, Floor, Opening, Wall
from tsgkit.suites.sceneeval.converting.arrangements import Arrangement, Ledger, Names, Point, Thing
from tsgkit.suites.sceneeval.converting.given import Assumption, Converter, Given, Options
from tsgkit.suites.sceneeval.converting.measures import (
    HEIGHT,
    SHORT,
    Flat,
    Label,
    Theirs,
    Vector,
    refuse_many,
    ring,
    size_of,
    size_written,
    tell_unread,
    walls_around,
)
from tsgkit.suites.sceneeval.converting.writing import Scenes, room_of, state_of
from tsgkit.suites.sceneeval.furnished import object_names, problem_of

PREFIX = "objaverse"
LISTS = ("objects", "floor_objects", "wall_objects", "ceiling_objects", "small_objects")
ELSEWHERE = frozenset(LISTS[2:])
"""Lists of things that stand on no floor."""
NEAR = 0.3
"""Metres from a wall within which an opening is in it."""
THINNEST = 0.02
MARGIN = "footprint-margin"
_NUMBER = re.compile(r"[\s_-]*\d+$")


class _Thing(Theirs):
    id: Label = ""
    asset: Label = Field(default="", alias="assetId")
    name: Label = Field(default="", alias="object_name")
    room: Label | None = Field(default=None, alias="roomId")
    position: Vector
    rotation: Vector = Vector()
    footprint: tuple[Flat, ...] | None = Field(default=None, alias="vertices")
    children: tuple[_Thing, ...] | None = None

    @property
    def said(self) -> str:
        """What the file calls it, and no other."""
        return self.id or self.name or self.asset


class _Room(Theirs):
    id: Label = "room"
    corners: tuple[Vector, ...] = Field(default=(), alias="floorPolygon")


class _Wall(Theirs):
    id: Label
    corners: tuple[Vector, ...] = Field(default=(), alias="polygon")


class _Hole(Theirs):
    id: Label = ""
    walls: tuple[Label | None, Label | None] = (None, None)
    polygon: tuple[Vector, ...] = Field(default=(), alias="holePolygon")
    segment: tuple[Flat, Flat] | None = None


class _House(Theirs):
    rooms: tuple[_Room, ...]
    walls: tuple[_Wall, ...] = ()
    doors: tuple[_Hole, ...] = ()
    windows: tuple[_Hole, ...] = ()
    objects: tuple[_Thing, ...] = ()
    floor_objects: tuple[_Thing, ...] | None = None
    wall_objects: tuple[_Thing, ...] | None = None
    ceiling_objects: tuple[_Thing, ...] | None = None
    small_objects: tuple[_Thing, ...] | None = None
    height: float | None = Field(default=None, alias="wall_height", gt=0, le=1e4)
    query: Label | None = None


class _Listed(NamedTuple):
    """A thing, and whether it stands on the floor as far as the file says."""

    thing: _Thing
    on_floor: bool


def fits(given: Given) -> bool:
    """Whether a file has rooms with floor polygons."""
    rooms = given.value.get("rooms") if isinstance(given.value, dict) else None
    return isinstance(rooms, list) and any(isinstance(room, dict) and "floorPolygon" in room for room in rooms)


def convert(given: Given, options: Options) -> Scenes:
    """The one scene of a file."""
    house = _house(given)
    losses = Ledger()
    built = _built(house, losses)
    listed = list(_listed(house))
    refuse_many(len(listed), given.name)
    things = _things(listed, options, given.name, losses)
    if options.to == "room" and all(getattr(house, name) is None for name in ELSEWHERE):
        losses.assumed("everything stands on the floor, as the file does not list what hangs or lies on others")
    losses.assumed("positions are the middles of boxes, and rotation 0 faces +z", len(things))
    _tell_unread(house, listed, losses)
    found = Arrangement("", things, built, house.query or "", losses.told())
    return (state_of(found, PREFIX, given.name) if options.to == "state" else room_of(found, given.name),)


def _house(given: Given) -> _House:
    value = dict(given.value)
    for name, short in (("doors", "door"), ("windows", "window")):
        value[name] = _holes(value.get(name), short)
    try:
        return _House.model_validate(value)
    except ValidationError as error:
        names = {key: name for one in LISTS for key, name in object_names(value.get(one), one, "id").items()}
        raise problem_of(error, given.name, names) from None


def _holes(listed: object, short: str) -> object:
    """Doors and windows in the words they share."""
    if not isinstance(listed, list):
        return () if listed is None else listed
    return [
        {**{key: part for key, part in one.items() if key not in ("wall0", "wall1", f"{short}Segment")},
         "walls": (one.get("wall0"), one.get("wall1")), "segment": one.get(f"{short}Segment")}
        if isinstance(one, dict) else one
        for one in listed
    ]  # fmt: skip


# what is built


def _built(house: _House, losses: Ledger) -> Architecture:
    height = house.height or _tallest(house.walls)
    if height is None:
        losses.assumed(f"walls are {HEIGHT} m high")
    floors, names = [], Names()
    for room in house.rooms:
        corners = ring((corner.x, corner.z) for corner in room.corners)
        if len(corners) < 3:
            losses.lost("rooms without a floor", room.id)
            continue
        floors.append(Floor(names.free(room.id), tuple((x, y, 0.0) for x, y in corners)))
    walls = _walls(house, floors, height or HEIGHT, losses)
    openings = _openings(house, walls, losses)
    return Architecture(tuple(floors), tuple(_opened(wall, openings.get(name, ())) for name, wall in walls.items()))


def _tallest(walls: Sequence[_Wall]) -> float | None:
    found = max((corner.y for wall in walls for corner in wall.corners), default=0.0)
    return found if found > 0 else None


def _walls(house: _House, floors: Sequence[Floor], height: float, losses: Ledger) -> dict[str, Wall]:
    """By the names that doors and windows call them."""
    found: dict[str, Wall] = {}
    names = Names()
    for wall in house.walls:
        if "exterior" in wall.id.lower():
            losses.lost("outer faces of walls, whose inner faces are kept", count=1)
        elif (ends := _ends(wall)) is None:
            losses.lost("walls without two ends", wall.id)
        else:
            name = names.free(re.sub(r"\s+", "_", wall.id.removeprefix("wall|")))
            high = max(corner.y for corner in wall.corners) or height
            found.setdefault(wall.id, Wall(name, *ends, high if high > 0 else height))
    if not house.walls and floors:
        losses.assumed("walls stand around the floors, as the file has none", len(floors))
        for floor in floors:
            corners = [(x, y) for x, y, _ in floor.points]
            found |= {wall.name: wall for wall in walls_around(corners, floor.room.replace(" ", "_"), height)}
    return found


def _ends(wall: _Wall) -> tuple[Point, Point] | None:
    if not wall.corners:
        return None
    base = min(corner.y for corner in wall.corners) + SHORT
    low = [(corner.x, corner.z) for corner in wall.corners if corner.y <= base]
    far = max(low, key=lambda end: math.dist(low[0], end))
    return None if math.dist(low[0], far) < SHORT else ((*low[0], 0.0), (*far, 0.0))


def _openings(house: _House, walls: dict[str, Wall], losses: Ledger) -> dict[str, list[Opening]]:
    """Every door and window in each of its walls."""
    found: dict[str, list[Opening]] = {}
    faces = {wall.id: _ends(wall) for wall in house.walls}
    for kind, holes in (("door", house.doors), ("window", house.windows)):
        for hole in holes:
            ends = _ends_of_hole(hole, faces.get(hole.walls[0] or ""))
            named = [name for name in hole.walls if name in walls]
            places = {name: place for name in named if ends and (place := _opening(hole, ends, kind, walls[name]))}
            if not places:
                losses.lost(f"{kind}s that lie in no wall of a room", hole.id)
            for name, place in places.items():
                found.setdefault(name, []).append(place)
    counted = [hole for hole in (*house.doors, *house.windows) if hole.polygon]
    if along := sum(hole.segment is None for hole in counted):
        losses.assumed("holes are counted along their wall from the first lower corner of its polygon", along)
    if marked := len(counted) - along:
        losses.assumed("segments of doors and windows are their ends on the floor plan, in metres", marked)
    return found


def _opening(hole: _Hole, ends: Sequence[Flat], kind: str, wall: Wall) -> Opening | None:
    """Where a hole between two places lies in a wall."""
    length = math.dist(wall.start, wall.end)
    way = [(b - a) / length for a, b in zip(wall.start[:2], wall.end[:2], strict=True)]
    steps = [(x - wall.start[0], y - wall.start[1]) for x, y in ends]
    if max(abs(x * way[1] - y * way[0]) for x, y in steps) > NEAR:
        return None
    start, end = sorted(min(max(x * way[0] + y * way[1], 0.0), length) for x, y in steps)
    sill = max(0.0, min(corner.y for corner in hole.polygon))
    top = min(wall.height, max(corner.y for corner in hole.polygon))
    if end - start < SHORT or top - sill < SHORT:
        return None
    called: Literal["door", "window"] = "door" if kind == "door" else "window"
    return Opening(called, (start, sill), (end, top))


def _ends_of_hole(hole: _Hole, wall: tuple[Point, Point] | None) -> Sequence[Flat] | None:
    """Where a hole begins and ends on the floor plan; ``wall`` is the one that it is counted along."""
    if not hole.polygon or hole.segment is not None or wall is None:
        return hole.segment if hole.polygon else None
    (x, y, _), (to_x, to_y, _) = wall
    length = math.dist(*wall)
    shares = [end / length for end in (min(one.x for one in hole.polygon), max(one.x for one in hole.polygon))]
    return [(x + share * (to_x - x), y + share * (to_y - y)) for share in shares]


def _opened(wall: Wall, openings: Sequence[Opening]) -> Wall:
    return Wall(wall.name, wall.start, wall.end, wall.height, tuple(openings))


# what stands in it


def _listed(house: _House) -> Iterator[_Listed]:
    """Every thing once, with those that are nested in others."""
    lists = {name: getattr(house, name) or () for name in LISTS}
    aloft = {thing.said for name in ELSEWHERE for thing in lists[name]}
    seen: set[str] = set()
    for name in LISTS:
        for top in lists[name]:
            if name != "objects" and top.said and top.said in seen:
                continue
            seen.add(top.said)
            yield _Listed(top, top.said not in aloft)
            yield from (_Listed(one, False) for one in _nested(top))


def _nested(top: _Thing) -> Iterator[_Thing]:
    for child in top.children or ():
        yield child
        yield from _nested(child)


def _things(listed: Sequence[_Listed], options: Options, where: str, losses: Ledger) -> tuple[Thing, ...]:
    names = Names()
    found = [_thing(one, options, where, losses, names.free(one.thing.name or one.thing.said)) for one in listed]
    return tuple(thing for thing in found if thing is not None)


def _thing(one: _Listed, options: Options, where: str, losses: Ledger, name: str) -> Thing | None:
    thing = one.thing
    asset = options.asset(PREFIX, thing.asset, f"{where}: object {name}: assetId")
    known = asset is not None and (asset.box is not None or asset.mesh.is_file())
    if options.to == "state" and asset is not None and not known:
        losses.lost("objects whose mesh is not in the folder of assets, left out", name)
        return None
    if thing.rotation.x % 360 or thing.rotation.z % 360:
        losses.lost("tilts: only turns about the vertical are kept", name)
    yaw = 180 - thing.rotation.y % 360
    size = size_written(thing.more) or (size_of(asset, where) if asset is not None and known else None)
    if size is None and options.to == "room":
        size = _size_on_floor(one, yaw, options.number(MARGIN, 0.0), losses)
    place = (thing.position.x, thing.position.z, thing.position.y)
    described = asset.description if asset is not None else ""
    return Thing(name, _category(thing), place, yaw, size, True, described, thing.asset)


def _size_on_floor(one: _Listed, yaw: float, margin: float, losses: Ledger) -> Point | None:
    """A footprint, turned back, and the height at which the middle of the box is where it is."""
    height = 2 * one.thing.position.y
    if not (one.on_floor and one.thing.footprint and height > THINNEST):
        return None
    c, s = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
    turned = [((x * c + y * s) / 100, (y * c - x * s) / 100) for x, y in one.thing.footprint]
    wide, deep = (max(along) - min(along) - margin for along in zip(*turned, strict=True))
    if min(wide, deep) < THINNEST:
        return None
    margins = f"less a margin of {margin:g} m" if margin else "without a margin taken off (--assume footprint-margin)"
    losses.assumed(f"widths and depths are those of footprints, in centimetres, {margins}")
    losses.assumed("heights are twice the height of the middle, as for things that stand on the floor")
    return (wide, deep, height)


def _category(thing: _Thing) -> str:
    """``bed-0 (bedroom)`` and ``mug-0|desk-1`` are a bed and a mug."""
    plain = re.split(r"[|(]", thing.name or thing.id or thing.asset, maxsplit=1)[0].strip()
    return (_NUMBER.sub("", plain).replace("_", " ").strip() or plain or "thing")[:200]


def _tell_unread(house: _House, listed: Sequence[_Listed], losses: Ledger) -> None:
    tell_unread(losses, "fields of the scene", [house])
    tell_unread(losses, "fields of objects", [one.thing for one in listed])
    tell_unread(losses, "fields of rooms and walls", [*house.rooms, *house.walls])
    tell_unread(losses, "fields of doors and windows", [*house.doors, *house.windows])


HOLODECK = Converter(
    "holodeck",
    "a house as JSON: rooms with a floorPolygon, walls, doors, windows, objects",
    fits,
    convert,
    (Assumption(MARGIN, (), "metres by which footprints are larger than things (default: 0)"),),
)
