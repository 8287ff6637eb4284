"""Converter for Holodeck: houses in the form of AI2-THOR and ProcTHOR, in Unity's frame.

>>> from tsgkit.suites.sceneeval.converters import ConversionOptions
>>> text = '''{"rooms": [{"id": "den", "floorPolygon": [{"x": 0, "z": 0}, {"x": 0, "z": 3}, {"x": 4, "z": 3}]}],
...   "floor_objects": [{"assetId": "a1", "id": "bed-0 (den)", "position": {"x": 1, "y": 0.3, "z": 2.1},
...     "rotation": {"y": 180}, "vertices": [[15, 105], [185, 105], [185, 315], [15, 315]]}]}'''
>>> bed = HOLODECK(SourceFile.of("x.json", text), ConversionOptions())[0].scene["objects"][0]
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
from dataclasses import replace
from typing import Literal, NamedTuple

from pydantic import AliasChoices, Field

from tsgkit.geometry import Architecture, Floor, Opening, Wall
from tsgkit.suites.sceneeval.converters.arrangements import (
    ArrangedObject,
    Arrangement,
    Holder,
    Ledger,
    Point,
    UniqueNames,
)
from tsgkit.suites.sceneeval.converters.shapes import (
    SHORT,
    STRAIGHT,
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
    walls_around,
)
from tsgkit.suites.sceneeval.converters.source import Assumption, Converter, SceneDraft, SourceFile
from tsgkit.suites.sceneeval.scene_files.files import objects_in
from tsgkit.suites.sceneeval.scene_files.simple import HEIGHT

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
    def label(self) -> str:
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

    @property
    def ends(self) -> tuple[Point, Point] | None:
        """Its first lower corner, and the one farthest from it."""
        if not self.corners:
            return None
        base = min(corner.y for corner in self.corners) + SHORT
        low = [(corner.x, corner.z) for corner in self.corners if corner.y <= base]
        far = max(low, key=lambda end: math.dist(low[0], end))
        return None if math.dist(low[0], far) < SHORT else ((*low[0], 0.0), (*far, 0.0))


class _WallHole(ForeignModel):
    id: Label = ""
    wall0: Label | None = None
    wall1: Label | None = None
    polygon: tuple[Vector, ...] = Field(default=(), alias="holePolygon")
    segment: tuple[Flat, Flat] | None = Field(
        default=None, validation_alias=AliasChoices("doorSegment", "windowSegment")
    )


class _House(ForeignModel):
    rooms: tuple[_Room, ...]
    walls: tuple[_Wall, ...] = ()
    doors: tuple[_WallHole, ...] | None = None
    windows: tuple[_WallHole, ...] | None = None
    objects: tuple[_Thing, ...] = ()
    floor_objects: tuple[_Thing, ...] | None = None
    wall_objects: tuple[_Thing, ...] | None = None
    small_objects: tuple[_Thing, ...] | None = None
    ceiling_objects: tuple[_Thing, ...] | None = None
    height: float | None = Field(default=None, alias="wall_height", gt=0, le=1e4)
    query: Label | None = None


class _ListedObject(NamedTuple):
    """An object, its holder, and the holder's id."""

    thing: _Thing
    held_by: Holder
    parent: str = ""


def _arranged(source_file: SourceFile, draft: SceneDraft) -> Arrangement:
    """Return the one scene of a house."""
    house, options, losses = (
        _House.of(source_file.value, source_file.name, **dict.fromkeys(LISTS, "id")),
        draft.options,
        draft.losses,
    )
    holes = (*(house.doors or ()), *(house.windows or ()))
    refuse_many(len(house.walls) + len(holes), f"{source_file.name}: walls, doors and windows")
    tallest = max((corner.y for wall in house.walls for corner in wall.corners), default=0.0)
    height = house.height or (tallest if tallest > 0 else None)
    floors, walls = _floors_and_walls(house, height or HEIGHT, losses)
    openings = _openings(house, walls, losses)
    if height is None:
        losses.assumed(f"walls are {HEIGHT} m high")
    listed = list(_listed(house, walls))
    refuse_many(len(listed), source_file.name)
    things = [thing for item in listed if (thing := _thing(item, height, draft)) is not None]
    if options.to == "room" and all(getattr(house, name) is None for name in HELD_BY):
        losses.assumed("everything stands on the floor, as the file does not list what hangs or lies on others")
    if not any(source.prefix == PREFIX for source in options.sources):
        unsized = sum(bool(thing.lacks) for thing in things)
        losses.lost("sizes that only the assets hold (--assets objathor=DIR)", count=unsized)
    losses.unread("fields of the scene", [house])
    losses.unread("fields of objects", [item.thing for item in listed])
    losses.unread("fields of rooms and walls", [*house.rooms, *house.walls])
    losses.unread("fields of doors and windows", holes)
    opened = tuple(replace(wall, openings=tuple(openings.get(name, ()))) for name, wall in walls.items())
    built = Architecture(floors, opened)
    return Arrangement(things, built, house.query or "", "the assets: --assets objathor=DIR")


# walls, floors and openings


def _floors_and_walls(house: _House, height: float, losses: Ledger) -> tuple[tuple[Floor, ...], dict[str, Wall]]:
    """Return the floors, and the inner faces of walls by their ids."""
    floors, names = [], UniqueNames()
    for room in house.rooms:
        corners = ring((corner.x, corner.z) for corner in room.corners)
        if len(corners) < 3:
            losses.lost("rooms without a floor", room.id)
            continue
        if crosses_itself(corners):
            losses.lost("outlines of floors, which cross themselves as they are stored", room.id)
        floors.append(Floor(names.free(room.id), tuple((x, y, 0.0) for x, y in corners)))
    walls, names = dict[str, Wall](), UniqueNames()
    for wall in house.walls:
        if wall.is_outer:
            losses.lost("outer faces of walls, whose inner faces are kept", count=1)
        elif (ends := wall.ends) is None:
            losses.lost("walls without two ends", wall.id)
        else:
            name = names.free(re.sub(r"\s+", "_", wall.id.removeprefix("wall|")))
            high = max(corner.y for corner in wall.corners)
            walls.setdefault(wall.id, Wall(name, *ends, high if high > 0 else height))
    if not house.walls and floors:
        losses.assumed("walls stand around the floors, as the file has none", len(floors))
        for floor in floors:
            around = [(x, y) for x, y, _ in floor.points]
            walls |= {side.name: side for side in walls_around(around, floor.room.replace(" ", "_"), height)}
    return tuple(floors), walls


def _openings(house: _House, walls: Mapping[str, Wall], losses: Ledger) -> dict[str, list[Opening]]:
    """Return every door and window in each of its walls.

    The ends of one without a segment are measured along its first wall.
    """
    openings: dict[str, list[Opening]] = {}
    faces, counted = {wall.id: wall.ends for wall in house.walls}, 0
    kinds: Mapping[Literal["door", "window"], Sequence[_WallHole]]
    kinds = {"door": house.doors or (), "window": house.windows or ()}
    for kind, hole in ((kind, hole) for kind, holes in kinds.items() for hole in holes):
        ends: Sequence[Flat] = (hole.segment or ()) if hole.polygon else ()
        if hole.polygon and hole.segment is None:
            counted += 1
            if face := faces.get(hole.wall0 or ""):
                (x, y, _), (to_x, to_y, _) = face
                along = [corner.x for corner in hole.polygon]
                shares = [end / math.dist(*face) for end in (min(along), max(along))]
                ends = [(x + share * (to_x - x), y + share * (to_y - y)) for share in shares]
        wall_ids = dict.fromkeys(name.removesuffix(OUTER) for name in (hole.wall0, hole.wall1) if name)
        inner = {name: walls[name] for name in wall_ids if name in walls}
        places = _places(hole, ends, kind, inner, NEAR)
        if not places and hole.segment is not None and (places := _places(hole, ends, kind, walls, TOUCHING)):
            losses.assumed("openings whose walls are not in the file lie in those that they touch", name=hole.id)
        if not places:
            losses.lost(f"{kind}s that lie in no wall of a room", hole.id)
        for name, opening in places.items():
            openings.setdefault(name, []).append(opening)
    losses.assumed("holes are counted along their wall from the first lower corner of its polygon", counted)
    return openings


def _places(
    hole: _WallHole, ends: Sequence[Flat], kind: Literal["door", "window"], walls: Mapping[str, Wall], reach: float
) -> dict[str, Opening]:
    """Return the opening between two places on the floor plan in every wall that they are within ``reach`` of."""
    openings = {}
    for name, wall in walls.items() if ends else ():
        length = math.dist(wall.start, wall.end)
        way_x, way_y = ((b - a) / length for a, b in zip(wall.start[:2], wall.end[:2], strict=True))
        steps = [(x - wall.start[0], y - wall.start[1]) for x, y in ends]
        start, end = sorted(min(max(x * way_x + y * way_y, 0.0), length) for x, y in steps)
        sill = max(0.0, min(corner.y for corner in hole.polygon))
        top = min(wall.height, max(corner.y for corner in hole.polygon))
        is_near = max(abs(x * way_y - y * way_x) for x, y in steps) <= reach
        if is_near and end - start >= SHORT and top - sill >= SHORT:
            openings[name] = Opening(kind, (start, sill), (end, top))
    return openings


# objects


def _listed(house: _House, walls: Mapping[str, Wall]) -> Iterator[_ListedObject]:
    """Yield every thing once, with those that are nested in others.

    The id of ``mug-0|desk-0 (office)`` says that it is on ``desk-0 (office)``; that of a thing in no list but
    ``objects`` says what usually holds it.
    """
    yielded: set[str] = set()
    rooms = {wall.id: wall.room for wall in house.walls}
    for name in LISTS:
        known = frozenset(yielded)
        for top in getattr(house, name) or ():
            if top.label and top.label in known:
                continue
            yielded.add(top.label)
            usual: Holder = "ceiling" if top.id.startswith("ceiling (") else "ground"
            held_by = HELD_BY.get(name) or ("object" if "|" in top.id and not top.footprint else usual)
            parent = top.id.partition("|")[2] if held_by == "object" else ""
            if held_by == "wall":
                room_walls = {key: wall for key, wall in walls.items() if top.room and rooms.get(key) == top.room}
                parent = _wall_touched(top, room_walls or walls)
            waiting = [_ListedObject(top, held_by, parent)]
            while waiting:
                yield (item := waiting.pop())
                waiting += [
                    _ListedObject(child, "object", child.id.partition("|")[2] or item.thing.label)
                    for child in reversed(item.thing.children or ())
                ]


def _wall_touched(thing: _Thing, walls: Mapping[str, Wall]) -> str:
    """Return the wall on which an object hangs: the nearest."""
    outline = [(x / 100, y / 100) for x, y in thing.footprint or ()] or [(thing.position.x, thing.position.z)]
    gaps = {wall.name: min(gap(corner, wall) for corner in outline) for wall in walls.values()}
    near = min(gaps, key=lambda name: gaps[name], default="")
    return near if near and gaps[near] <= TOUCHING else ""


def _thing(item: _ListedObject, ceiling: float | None, draft: SceneDraft) -> ArrangedObject | None:
    thing, options, losses = item.thing, draft.options, draft.losses
    name = draft.names.free(thing.label)
    asset = options.asset(PREFIX, thing.asset, f"{draft.where}: object {name}: assetId")
    if asset is not None and asset.box is None and not asset.mesh.is_file():
        if options.to == "state":
            losses.lost("objects whose mesh is not in the folder of assets, left out", name)
            return None
        asset = None
    written = size_written(thing.model_extra or {})
    known = written or (size_of(asset, draft.where) if asset is not None else None)
    lacks = "" if known else "width, depth and height"
    if options.to == "room":
        flat = _footprint(item, draft)
        if known is None:
            known, lacks = _size(item, flat, ceiling, losses)
        elif not written and flat and max(abs(a - b) for a, b in zip(flat, known, strict=False)) > SAME:
            losses.assumed("sizes are those of the assets, which differ from footprints by more than 1 cm", name=name)
    (cx, sx), (cy, sy), (cz, sz) = (
        (math.cos(angle), math.sin(angle))
        for angle in (math.radians(turn % 360) for turn in (thing.rotation.x, thing.rotation.y, thing.rotation.z))
    )
    right = (-(cy * cz + sy * sx * sz), sy * cz - cy * sx * sz, -cx * sz)
    top = (sy * sx * cz - cy * sz, cy * sx * cz + sy * sz, cx * cz)
    front = (sy * cx, cy * cx, -sx)
    axes = right, top, front
    size, yaw, leans = stood(known, axes)
    if leans and options.to == "room":
        losses.lost("tilts: boxes stand upright", name)
    category = asset.category if asset is not None else ""
    if not category:  # bed-0 (bedroom) and mug-0|desk-1 are a bed and a mug
        losses.assumed("categories are the names that the generator gave (--assets objathor=DIR has those of assets)")
        category = plain_category(re.split(r"[|(]", thing.name or thing.id or thing.asset, maxsplit=1)[0])
    return ArrangedObject(
        name, category, (thing.position.x, thing.position.z, thing.position.y), yaw, size, centred=True,
        description=asset.description if asset is not None else "", asset=thing.asset, lacks=lacks,
        held_by=item.held_by, parent=item.parent, axes=axes if axes[1][2] < STRAIGHT else None,
    )  # fmt: skip


def _size(item: _ListedObject, flat: Flat | None, ceiling: float | None, losses: Ledger) -> tuple[Point | None, str]:
    """Return the size of an unrotated object by its footprint and the height of its middle, or the part of it that is
    unknown.
    """
    half = item.thing.position.y if item.held_by == "ground" else 0.0
    if item.held_by == "ceiling" and ceiling is not None:
        half = ceiling - item.thing.position.y
    if half <= THINNEST:
        return None, "height" if flat else "width, depth and height"
    if flat is None:
        return None, "width and depth"
    if item.held_by == "ground":
        losses.assumed("heights are twice the height of the middle, as for things that stand on the floor")
    return (*flat, 2 * half), ""


def _footprint(item: _ListedObject, draft: SceneDraft) -> Flat | None:
    """Return the width and depth of a thing by its footprint, turned back."""
    if not item.thing.footprint:
        return None
    margin = draft.options.number(MARGIN, PADDING) if item.held_by == "ground" else 0.0
    turn = math.radians(180 - item.thing.rotation.y % 360)
    c, s = math.cos(turn), math.sin(turn)
    turned = [((x * c + y * s) / 100, (y * c - x * s) / 100) for x, y in item.thing.footprint]
    wide, deep = (max(along) - min(along) - margin for along in zip(*turned, strict=True))
    if margin:
        draft.losses.assumed(f"footprints of things on the floor are {margin:g} m wider and deeper (--assume {MARGIN})")
    return (wide, deep) if min(wide, deep) > THINNEST else None


HOLODECK = Converter(
    "holodeck",
    "a house as JSON: rooms with a floorPolygon, walls, doors, windows, objects",
    lambda source_file: any("floorPolygon" in room for room in objects_in(source_file.fields.get("rooms"))),
    _arranged,
    assumptions=(
        Assumption(MARGIN, (), f"metres by which footprints are larger than things on the floor (default: {PADDING})"),
    ),
    prefix=PREFIX,
)
