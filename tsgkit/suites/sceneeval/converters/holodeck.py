"""Converter for Holodeck: houses in the form of AI2-THOR and ProcTHOR, in Unity's frame.

>>> from tsgkit.suites.sceneeval.converters.source import SourceFile, Options
>>> text = '''{"rooms": [{"id": "den", "floorPolygon": [{"x": 0, "z": 0}, {"x": 0, "z": 3}, {"x": 4, "z": 3}]}],
...   "floor_objects": [{"assetId": "a1", "id": "bed-0 (den)", "position": {"x": 1, "y": 0.3, "z": 2.1},
...     "rotation": {"y": 180}, "vertices": [[15, 105], [185, 105], [185, 315], [15, 315]]}]}'''
>>> bed = HOLODECK(SourceFile.of("x.json", text), Options())[0].scene["objects"][0]
>>> bed["id"], bed["size"], bed["at"], bed["yaw"], bed["held_by"]
('bed-0 (den)', [1.6, 2.0, 0.6], [1.0, 2.1, 0.0], 0.0, 'ground')

The frame: metres and degrees; y up, left-handed. ``x`` goes east and ``z`` north as seen from above, so nothing is
mirrored when (x, y, z) becomes our (x, z, y). A thing of rotation 0 faces +z, and rotations go with the clock: our yaw
is 180 minus theirs. ``position`` is the middle of the box. The same thing is listed under ``objects`` and under one of
``floor_objects``, ``wall_objects``, ``small_objects``, ``ceiling_objects``; it is taken once, by its ``id``.

Sizes come from the thing itself, else from the assets (``--assets objathor=DIR``), else from the file:

=======  ==================================================  ====================  ==========================
list     width and depth                                     height                held by
=======  ==================================================  ====================  ==========================
floor    ``vertices`` (footprint in cm) less 0.1 m in all    twice the middle's    the ground
wall     ``vertices`` as they are                            not in the file       the wall it touches
small    not in the file                                     not in the file       the id behind the first |
ceiling  not in the file                                     from ``wall_height``  the ceiling
=======  ==================================================  ====================  ==========================

Holodeck pads the objects on the floor, and nothing else, by 5 cm a side while it places them
(``--assume footprint-margin``). An object whose size is not whole is left out, and the missing part is named.

Walls have four corners; two rooms have a wall each where they meet, and ``|exterior`` marks outer faces, which are left
out. Doors and windows lie where ``doorSegment`` and ``windowSegment`` end on the floor plan, in metres; without them
holes are counted along the wall from the first lower corner of its polygon.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import Field, ValidationError

from tsgkit.geometry import Architecture, Floor, Opening, Wall
from tsgkit.suites.sceneeval.converters.arrangements import Arrangement, Holder, Ledger, Names, Point, Thing
from tsgkit.suites.sceneeval.converters.measurements import (
    HEIGHT,
    SHORT,
    Flat,
    ForeignModel,
    Label,
    Vector,
    crosses_itself,
    gap,
    plain_category,
    refuse_many,
    ring,
    size_of,
    size_written,
    stood,
    tell_unread,
    walls_around,
)
from tsgkit.suites.sceneeval.converters.source import Assumption, Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Scenes, room_of, state_of
from tsgkit.suites.sceneeval.scene_files.assets import Asset
from tsgkit.suites.sceneeval.scene_files.files import object_names, problem_of

PREFIX = "objaverse"
HELD_BY: Mapping[str, Holder] = {
    "floor_objects": "ground",
    "wall_objects": "wall",
    "small_objects": "object",
    "ceiling_objects": "ceiling",
}
LISTS = (*HELD_BY, "objects")
NEAR = 0.3
"""Metres from a wall within which an opening is in it."""
TOUCHING = 0.05
"""Metres from a wall within which a thing or an opening touches it."""
THINNEST = 1e-3
MARGIN, PADDING = "footprint-margin", 0.1
SAME = 0.01
"""Metres by which an asset may differ from its footprint."""
TILTED = math.cos(math.radians(0.5))
OUTER = "|exterior"


class _Thing(ForeignModel):
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
        """Its name in the file."""
        return self.id or self.name or self.asset


class _Room(ForeignModel):
    id: Label = "room"
    corners: tuple[Vector, ...] = Field(default=(), alias="floorPolygon")


class _Wall(ForeignModel):
    id: Label
    room: Label | None = Field(default=None, alias="roomId")
    corners: tuple[Vector, ...] = Field(default=(), alias="polygon")

    @property
    def is_outer(self) -> bool:
        """True for the outer face of a wall, which belongs to no room."""
        return self.id.endswith(OUTER) or "exterior" in (self.room, *self.id.split("|")[1:2])


class _Hole(ForeignModel):
    id: Label = ""
    walls: tuple[Label | None, Label | None] = (None, None)
    polygon: tuple[Vector, ...] = Field(default=(), alias="holePolygon")
    segment: tuple[Flat, Flat] | None = None


class _House(ForeignModel):
    rooms: tuple[_Room, ...]
    walls: tuple[_Wall, ...] = ()
    doors: tuple[_Hole, ...] = ()
    windows: tuple[_Hole, ...] = ()
    objects: tuple[_Thing, ...] = ()
    floor_objects: tuple[_Thing, ...] | None = None
    wall_objects: tuple[_Thing, ...] | None = None
    small_objects: tuple[_Thing, ...] | None = None
    ceiling_objects: tuple[_Thing, ...] | None = None
    height: float | None = Field(default=None, alias="wall_height", gt=0, le=1e4)
    query: Label | None = None


class _Listed(NamedTuple):
    """An object, its holder, and the holder's id."""

    thing: _Thing
    held_by: Holder
    parent: str = ""


class _Context(NamedTuple):
    """The data for converting the objects of a house."""

    options: Options
    where: str
    losses: Ledger
    height: float | None
    walls: Mapping[str, Wall]
    rooms: Mapping[str, str | None]
    """The room of each wall."""


def fits(given: SourceFile) -> bool:
    """Return whether a file has rooms with floor polygons."""
    rooms = given.value.get("rooms") if isinstance(given.value, dict) else None
    return isinstance(rooms, list) and any(isinstance(room, dict) and "floorPolygon" in room for room in rooms)


def convert(given: SourceFile, options: Options) -> Scenes:
    """Convert the one scene of a file."""
    house = _house(given)
    refuse_many(len(house.walls) + len(house.doors) + len(house.windows), f"{given.name}: walls, doors and windows")
    losses = Ledger()
    height = house.height or _tallest(house.walls)
    floors = _floors(house, losses)
    walls = _walls(house, floors, height or HEIGHT, losses)
    openings = _openings(house, walls, losses)
    if height is None:
        losses.assumed(f"walls are {HEIGHT} m high")
    listed = list(_listed(house))
    refuse_many(len(listed), given.name)
    rooms = {wall.id: wall.room for wall in house.walls}
    things = _things(listed, _Context(options, given.name, losses, height, walls, rooms))
    if options.to == "room" and all(getattr(house, name) is None for name in HELD_BY):
        losses.assumed("everything stands on the floor, as the file does not list what hangs or lies on others")
    if any(one.lacks for one in things) and not any(source.prefix == PREFIX for source in options.sources):
        losses.lost(
            "sizes that only the assets hold (--assets objathor=DIR)", count=sum(bool(one.lacks) for one in things)
        )
    _tell_unread(house, listed, losses)
    built = Architecture(floors, tuple(_opened(wall, openings.get(name, ())) for name, wall in walls.items()))
    found = Arrangement("", things, built, house.query or "", losses.told(), "the assets: --assets objathor=DIR")
    return (state_of(found, PREFIX, given.name) if options.to == "state" else room_of(found, given.name),)


def _house(given: SourceFile) -> _House:
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


# walls, floors and openings


def _floors(house: _House, losses: Ledger) -> tuple[Floor, ...]:
    floors, names = [], Names()
    for room in house.rooms:
        corners = ring((corner.x, corner.z) for corner in room.corners)
        if len(corners) < 3:
            losses.lost("rooms without a floor", room.id)
            continue
        if crosses_itself(corners):
            losses.lost("outlines of floors, which cross themselves as they are stored", room.id)
        floors.append(Floor(names.free(room.id), tuple((x, y, 0.0) for x, y in corners)))
    return tuple(floors)


def _tallest(walls: Sequence[_Wall]) -> float | None:
    found = max((corner.y for wall in walls for corner in wall.corners), default=0.0)
    return found if found > 0 else None


def _walls(house: _House, floors: Sequence[Floor], height: float, losses: Ledger) -> dict[str, Wall]:
    """Return the inner faces of walls by their ids."""
    found: dict[str, Wall] = {}
    names = Names()
    for wall in house.walls:
        if wall.is_outer:
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
    """Return every door and window in each of its walls."""
    found: dict[str, list[Opening]] = {}
    faces = {wall.id: _ends(wall) for wall in house.walls}
    for kind, holes in (("door", house.doors), ("window", house.windows)):
        for hole in holes:
            ends = _ends_of_hole(hole, faces.get(hole.walls[0] or ""))
            places = _places(hole, ends, kind, walls, losses) if ends else {}
            if not places:
                losses.lost(f"{kind}s that lie in no wall of a room", hole.id)
            for name, place in places.items():
                found.setdefault(name, []).append(place)
    counted = [hole for hole in (*house.doors, *house.windows) if hole.polygon]
    if along := sum(hole.segment is None for hole in counted):
        losses.assumed("holes are counted along their wall from the first lower corner of its polygon", along)
    return found


def _places(
    hole: _Hole, ends: Sequence[Flat], kind: str, walls: Mapping[str, Wall], losses: Ledger
) -> dict[str, Opening]:
    """Return the opening in the walls that a hole names, by inner face; else in those it touches."""
    named = dict.fromkeys(name.removesuffix(OUTER) for name in hole.walls if name)
    places = {
        name: place for name in named if name in walls and (place := _opening(hole, ends, kind, walls[name], NEAR))
    }
    if places or hole.segment is None:
        return places
    touched = {name: place for name, wall in walls.items() if (place := _opening(hole, ends, kind, wall, TOUCHING))}
    if touched:
        losses.assumed("openings whose walls are not in the file lie in those that they touch", name=hole.id)
    return touched


def _opening(hole: _Hole, ends: Sequence[Flat], kind: str, wall: Wall, reach: float) -> Opening | None:
    """Return the part of a wall that lies between two places on it."""
    length = math.dist(wall.start, wall.end)
    way = [(b - a) / length for a, b in zip(wall.start[:2], wall.end[:2], strict=True)]
    steps = [(x - wall.start[0], y - wall.start[1]) for x, y in ends]
    if max(abs(x * way[1] - y * way[0]) for x, y in steps) > reach:
        return None
    start, end = sorted(min(max(x * way[0] + y * way[1], 0.0), length) for x, y in steps)
    sill = max(0.0, min(corner.y for corner in hole.polygon))
    top = min(wall.height, max(corner.y for corner in hole.polygon))
    if end - start < SHORT or top - sill < SHORT:
        return None
    called: Literal["door", "window"] = "door" if kind == "door" else "window"
    return Opening(called, (start, sill), (end, top))


def _ends_of_hole(hole: _Hole, wall: tuple[Point, Point] | None) -> Sequence[Flat] | None:
    """Return the ends of a hole on the floor plan, measured along ``wall``."""
    if not hole.polygon or hole.segment is not None or wall is None:
        return hole.segment if hole.polygon else None
    (x, y, _), (to_x, to_y, _) = wall
    length = math.dist(*wall)
    shares = [end / length for end in (min(one.x for one in hole.polygon), max(one.x for one in hole.polygon))]
    return [(x + share * (to_x - x), y + share * (to_y - y)) for share in shares]


def _opened(wall: Wall, openings: Sequence[Opening]) -> Wall:
    return Wall(wall.name, wall.start, wall.end, wall.height, tuple(openings))


# objects


def _listed(house: _House) -> Iterator[_Listed]:
    """Yield every thing once, with those that are nested in others."""
    seen: set[str] = set()
    for name in LISTS:
        known = frozenset(seen)
        for top in getattr(house, name) or ():
            if top.said and top.said in known:
                continue
            seen.add(top.said)
            held_by = HELD_BY.get(name) or _usual_holder(top)
            yield _Listed(top, held_by, _behind_the_bar(top.id) if held_by == "object" else "")
            yield from _nested(top)


def _usual_holder(thing: _Thing) -> Holder:
    """Return the holder of a thing that is in no list but ``objects``, by the form of its id."""
    if "|" in thing.id and not thing.footprint:
        return "object"
    return "ceiling" if thing.id.startswith("ceiling (") else "ground"


def _behind_the_bar(name: str) -> str:
    """Return the id after the bar: ``mug-0|desk-0 (office)`` is on ``desk-0 (office)``."""
    return name.partition("|")[2]


def _nested(top: _Thing) -> Iterator[_Listed]:
    for child in top.children or ():
        yield _Listed(child, "object", _behind_the_bar(child.id) or top.said)
        yield from _nested(child)


def _things(listed: Sequence[_Listed], context: _Context) -> tuple[Thing, ...]:
    names = Names()
    found = [_thing(one, context, names.free(one.thing.said)) for one in listed]
    return tuple(thing for thing in found if thing is not None)


def _thing(one: _Listed, context: _Context, name: str) -> Thing | None:
    thing, options, losses = one.thing, context.options, context.losses
    asset = options.asset(PREFIX, thing.asset, f"{context.where}: object {name}: assetId")
    if asset is not None and asset.box is None and not asset.mesh.is_file():
        if options.to == "state":
            losses.lost("objects whose mesh is not in the folder of assets, left out", name)
            return None
        asset = None
    unturned, lacks = _size(one, asset, context, name)
    axes = _axes(thing.rotation)
    size, yaw, straight = stood(unturned, axes)
    if straight < TILTED and options.to == "room":
        losses.lost("tilts: boxes stand upright", name)
    return Thing(
        name,
        asset.category if asset is not None and asset.category else _category(thing, losses),
        (thing.position.x, thing.position.z, thing.position.y),
        yaw,
        size,
        centred=True,
        description=asset.description if asset is not None else "",
        asset=thing.asset,
        lacks=lacks,
        held_by=one.held_by,
        parent=_wall_touched(one, context) if one.held_by == "wall" else one.parent,
        axes=axes if axes[1][2] < TILTED else None,
    )


def _category(thing: _Thing, losses: Ledger) -> str:
    """``bed-0 (bedroom)`` and ``mug-0|desk-1`` are a bed and a mug."""
    losses.assumed("categories are the names that the generator gave (--assets objathor=DIR has those of assets)")
    return plain_category(re.split(r"[|(]", thing.name or thing.id or thing.asset, maxsplit=1)[0])


def _size(one: _Listed, asset: Asset | None, context: _Context, name: str) -> tuple[Point | None, str]:
    """Return the size of an unrotated object, or the part of it that is unknown."""
    written = size_written(one.thing.more)
    known = written or (size_of(asset, context.where) if asset is not None else None)
    if context.options.to == "state":
        return known, "" if known else "width, depth and height"
    flat = _footprint(one, context)
    if known is not None:
        if not written and flat and max(abs(a - b) for a, b in zip(flat, known, strict=False)) > SAME:
            losses = context.losses
            losses.assumed("sizes are those of the assets, which differ from footprints by more than 1 cm", name=name)
        return known, ""
    height = _height(one, context.height)
    if flat is None or height is None:
        missing = [word for word, part in (("width and depth", flat), ("height", height)) if part is None]
        return None, " and ".join(missing).replace("width and depth and", "width, depth and")
    if one.held_by == "ground":
        context.losses.assumed("heights are twice the height of the middle, as for things that stand on the floor")
    return (*flat, height), ""


def _footprint(one: _Listed, context: _Context) -> Flat | None:
    """Return the width and depth of a thing by its footprint, turned back."""
    if not one.thing.footprint:
        return None
    margin = context.options.number(MARGIN, PADDING) if one.held_by == "ground" else 0.0
    turn = math.radians(180 - one.thing.rotation.y % 360)
    c, s = math.cos(turn), math.sin(turn)
    turned = [((x * c + y * s) / 100, (y * c - x * s) / 100) for x, y in one.thing.footprint]
    wide, deep = (max(along) - min(along) - margin for along in zip(*turned, strict=True))
    if margin:
        context.losses.assumed(
            f"footprints of things on the floor are {margin:g} m wider and deeper (--assume {MARGIN})"
        )
    return (wide, deep) if min(wide, deep) > THINNEST else None


def _height(one: _Listed, ceiling: float | None) -> float | None:
    """Return the height of a thing whose middle hangs or stands so high."""
    middle = one.thing.position.y
    if one.held_by == "ground":
        return 2 * middle if middle > THINNEST else None
    if one.held_by == "ceiling" and ceiling is not None and ceiling - middle > THINNEST:
        return 2 * (ceiling - middle)
    return None


def _axes(turns: Vector) -> tuple[Point, Point, Point]:
    """Return where the right, the top and the front of a mesh point to in our world; turned about z, then x, then y."""
    (cx, sx), (cy, sy), (cz, sz) = (
        (math.cos(angle), math.sin(angle)) for angle in (math.radians(one % 360) for one in (turns.x, turns.y, turns.z))
    )
    right = (-(cy * cz + sy * sx * sz), sy * cz - cy * sx * sz, -cx * sz)
    top = (sy * sx * cz - cy * sz, cy * sx * cz + sy * sz, cx * cz)
    front = (sy * cx, cy * cx, -sx)
    return right, top, front


def _wall_touched(one: _Listed, context: _Context) -> str:
    """Return the wall on which an object hangs: the nearest of its room."""
    thing = one.thing
    own = [name for name in context.walls if thing.room and context.rooms.get(name) == thing.room]
    outline = [(x / 100, y / 100) for x, y in thing.footprint or ()] or [(thing.position.x, thing.position.z)]
    gaps = {name: min(gap(corner, context.walls[name]) for corner in outline) for name in own or context.walls}
    near = min(gaps, key=lambda name: gaps[name], default=None)
    return context.walls[near].name if near is not None and gaps[near] <= TOUCHING else ""


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
    (Assumption(MARGIN, (), f"metres by which footprints are larger than things on the floor (default: {PADDING})"),),
)
