"""Writers of arrangements: our own form with boxes, or the published scene state with mesh ids.

>>> from tsgkit.suites.sceneeval.converters.arrangements import Arrangement, Thing
>>> bed = Thing("bed_1", "bed", at=(1, 2, 0.25), yaw=90, size=(2, 1.6, 0.5), centred=True, asset="a1")
>>> made = room_of(Arrangement("0", (bed,), None))
>>> made.scene["objects"]
[{'id': 'bed_1', 'category': 'bed', 'size': [2.0, 1.6, 0.5], 'at': [1.0, 2.0, 0.0], 'yaw': 90.0}]
>>> state_of(Arrangement("0", (bed,), None), "objaverse").scene["scene"]["object"][0]["modelId"]
'objaverse.a1'
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from tsgkit.errors import FileProblem
from tsgkit.geometry import Architecture, Opening, Wall
from tsgkit.suites.sceneeval.converters.arrangements import Arrangement, Ledger, Loss, Point, Thing
from tsgkit.suites.sceneeval.scene_files.assets import LAYOUTS
from tsgkit.suites.sceneeval.scene_files.files import NAME, object_names, problem_of
from tsgkit.suites.sceneeval.scene_files.simple import FORMAT as ROOM
from tsgkit.suites.sceneeval.scene_files.simple import SceneGiven
from tsgkit.suites.sceneeval.scene_files.states import FORMAT as STATE
from tsgkit.suites.sceneeval.scene_files.states import VERSIONS

UNSIZED = "objects whose size is not known, left out"
BASED = frozenset(layout.prefix for layout in LAYOUTS.values() if layout.based)
"""Prefixes of assets whose origin is the centre of their underside; others have it in the centre of their box."""


@dataclass(frozen=True)
class Converted:
    """A converted scene with its losses."""

    id: str
    scene: Mapping[str, Any]
    losses: tuple[Loss, ...] = ()

    @property
    def objects(self) -> int:
        """The number of objects."""
        found = self.scene["scene"]["object"] if self.scene["format"] == STATE else self.scene["objects"]
        return len(found)


def room_of(found: Arrangement, where: str = "scene") -> Converted:
    """Return a room of ours: every object is a box."""
    losses = _ledger(found)
    objects = [_boxed(thing, losses) for thing in found.things]
    kept = [one for one in objects if one is not None]
    holders = {one["id"] for one in kept} | {wall.name for wall in (found.built.walls if found.built else ())}
    for one in kept:
        if "parent" in one and one["parent"] not in holders:
            losses.lost("parents that are not in the room", f"{one['id']} on {one.pop('parent')}")
    _refuse_nothing(kept, found, where)
    if meshes := sum(bool(thing.asset) for thing, one in zip(found.things, objects, strict=True) if one is not None):
        losses.lost("meshes, replaced by their boxes", count=meshes)
    scene = {"format": ROOM, "note": found.note[:500], **_built(found.built), "objects": kept}
    try:
        SceneGiven.model_validate(scene)
    except ValidationError as error:
        raise problem_of(error, where, object_names(kept, "objects", "id")) from None
    return Converted(found.id, scene, losses.told())


def state_of(found: Arrangement, prefix: str, where: str = "scene") -> Converted:
    """Return a published scene state, in which every object is named by its mesh."""
    losses = _ledger(found)
    objects: list[dict[str, Any]] = []
    for thing in found.things:
        placed = _modelled(thing, prefix, losses, len(objects))
        objects += [placed] if placed else []
    _refuse_nothing(objects, found, where)
    origin = "in the middle of its underside" if prefix in BASED else "in the middle of its box"
    losses.assumed(f"a mesh of {prefix} has y up, its front along +z and its origin {origin}", len(objects))
    scene: dict[str, Any] = {"version": VERSIONS["scene"], "unit": 1, "up": [0, 0, 1], "front": [0, 1, 0]}
    if found.built is not None:
        scene["arch"] = {"version": VERSIONS["arch"], "elements": _elements(found.built)}
    return Converted(found.id, {"format": STATE, "scene": {**scene, "object": objects}}, losses.told())


def _ledger(found: Arrangement) -> Ledger:
    losses = Ledger()
    losses.merge(found.losses)
    return losses


def _refuse_nothing(objects: list[Any], found: Arrangement, where: str) -> None:
    if found.things and not objects:
        raise FileProblem(
            f"{where}: none of its {len(found.things):,} objects can be placed, as their sizes are not known",
            hint=found.sizes_from and f"sizes come from {found.sizes_from}",
        )


def _boxed(thing: Thing, losses: Ledger) -> dict[str, Any] | None:
    at = thing.underside
    if at is None or thing.size is None:
        losses.lost(UNSIZED, f"{thing.id} ({thing.lacks})" if thing.lacks else thing.id)
        return None
    said = {"description": thing.description} if thing.description else {}
    size, place = [_round(one) for one in thing.size], [_round(one) for one in at]
    return {
        "id": thing.id,
        "category": thing.category,
        **said,
        "size": size,
        "at": place,
        "yaw": _round(_turn(thing.yaw)),
        **({"held_by": thing.held_by} if thing.held_by else {}),
        **({"parent": thing.parent} if thing.parent else {}),
    }


def _round(number: float) -> float:
    return round(float(number), 6) + 0.0


def _turn(yaw: float) -> float:
    """Return the same turn, more than -180 degrees and at most 180."""
    return 180 - (180 - yaw) % 360


def _modelled(thing: Thing, prefix: str, losses: Ledger, index: int) -> dict[str, Any] | None:
    if not NAME.fullmatch(thing.asset) or "." in thing.asset:
        losses.lost("objects without an asset that a mesh could be found by, left out", thing.id)
        return None
    axes = _axes(thing)
    origin = _origin(thing, prefix, axes)
    if origin is None:
        losses.lost(UNSIZED, thing.id)
        return None
    columns = (*((*axis, 0) for axis in axes), (*origin, 1))
    return {
        "id": thing.id,
        "index": index,
        "modelId": f"{prefix}.{thing.asset}",
        "parentId": thing.parent,
        "transform": {"rows": 4, "cols": 4, "data": [_round(number) for column in columns for number in column]},
    }


def _axes(thing: Thing) -> tuple[Point, Point, Point]:
    """Return where the right, the top and the front of a mesh (y up, front +z) point to, scaled as the mesh is."""
    c, s = math.cos(math.radians(thing.yaw)), math.sin(math.radians(thing.yaw))
    right, top, front = thing.axes or ((c, s, 0.0), (0.0, 0.0, 1.0), (s, -c, 0.0))
    wide, deep, high = thing.scale
    return _times(right, wide), _times(top, high), _times(front, deep)


def _times(axis: Point, number: float) -> Point:
    return (axis[0] * number, axis[1] * number, axis[2] * number)


def _origin(thing: Thing, prefix: str, axes: tuple[Point, Point, Point]) -> Point | None:
    """Return the position of a mesh's origin: from its box if known, else by the convention of its collection."""
    middle = thing.middle
    if thing.mesh_middle is None or middle is None:
        return thing.underside if prefix in BASED else middle
    steps = [_times(axis, number) for axis, number in zip(axes, thing.mesh_middle, strict=True)]
    x, y, z = (one - sum(along) for one, along in zip(middle, zip(*steps, strict=True), strict=True))
    return (x, y, z)


def _built(built: Architecture | None) -> dict[str, Any]:
    if built is None:
        return {}
    floors = [{"room": one.room, "points": [_flat(point) for point in one.points]} for one in built.floors]
    walls = [
        {"name": one.name, "from": _flat(one.start), "to": _flat(one.end), "height": _round(one.height),
         "openings": [_opening(opening) for opening in one.openings]}
        for one in built.walls
    ]  # fmt: skip
    return {"floors": floors, "walls": walls}


def _flat(point: Point) -> list[float]:
    return [_round(point[0]), _round(point[1])]


def _opening(opening: Opening) -> dict[str, Any]:
    (start, sill), (end, top) = opening.low, opening.high
    return {"kind": opening.kind, "at": _round(start), "width": _round(end - start), "height": _round(top - sill),
            "sill": _round(sill)}  # fmt: skip


def _elements(built: Architecture) -> list[dict[str, Any]]:
    floors = [
        {"type": "Floor", "id": one.id, "roomId": one.room, "points": [_deep(point) for point in one.points]}
        for one in built.floors
    ]
    return floors + [_wall(one) for one in built.walls]


def _wall(wall: Wall) -> dict[str, Any]:
    holes = [
        {"type": one.kind.capitalize(), "box": {"min": list(map(_round, one.low)), "max": list(map(_round, one.high))}}
        for one in wall.openings
    ]
    return {"type": "Wall", "id": wall.name, "points": [_deep(wall.start), _deep(wall.end)],
            "height": _round(wall.height), "holes": holes}  # fmt: skip


def _deep(point: Point) -> list[float]:
    return [_round(number) for number in point]


@dataclass(frozen=True)
class Unconverted:
    """A scene that cannot be converted, in a file with several."""

    id: str
    problem: FileProblem


Scenes = tuple[Converted | Unconverted, ...]
"""The results for the scenes of a file."""


def each_scene(ids: Sequence[str], where: str, make: Callable[[int, str, str], Converted]) -> Scenes:
    """Make every scene of a file by its number, id and name in messages.

    Where there are several, one that cannot be made is a failure of its own, and one without an id has its number.
    """
    if len(ids) == 1:
        return (make(0, ids[0], where),)
    found: list[Converted | Unconverted] = []
    for number, said in enumerate(ids):
        one = said or str(number)
        try:
            found.append(make(number, one, f"{where}: scene {one:.80}"))
        except FileProblem as error:
            found.append(Unconverted(one, error))
    return tuple(found)
