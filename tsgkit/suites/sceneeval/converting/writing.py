"""Arrangements as files: our own room with boxes, or the published scene state with the ids of meshes.

>>> from tsgkit.suites.sceneeval.converting.arrangements import Arrangement, Thing
>>> bed = Thing("bed_1", "bed", at=(1, 2, 0.25), yaw=90, size=(2, 1.6, 0.5), centred=True, asset="a1")
>>> made = room_of(Arrangement("0", (bed,), None))
>>> made.scene["objects"]
[{'id': 'bed_1', 'category': 'bed', 'size': [2.0, 1.6, 0.5], 'at': [1.0, 2.0, 0.0], 'yaw': 90.0}]
>>> state_of(Arrangement("0", (bed,), None), "objaverse").scene["scene"]["object"][0]["modelId"]
'objaverse.a1'
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from tsgkit.errors import FileProblem
from tsgkit.geometry import Architecture, Opening, Wall
from tsgkit.suites.sceneeval.converting.arrangements import Arrangement, Ledger, Loss, Point, Thing
from tsgkit.suites.sceneeval.folders import NAME
from tsgkit.suites.sceneeval.furnished import object_names, problem_of
from tsgkit.suites.sceneeval.simple import FORMAT as ROOM
from tsgkit.suites.sceneeval.simple import SceneGiven
from tsgkit.suites.sceneeval.states import FORMAT as STATE
from tsgkit.suites.sceneeval.states import VERSIONS

UNSIZED = "objects whose size is not known, left out"
BASED = frozenset({"layoutvlm-objaverse"})
"""Prefixes of assets whose origin lies in the middle of their underside; others have it in the middle of their box."""


@dataclass(frozen=True)
class Converted:
    """A scene as its file will have it, and what was lost on the way."""

    id: str
    scene: Mapping[str, Any]
    losses: tuple[Loss, ...] = ()

    @property
    def objects(self) -> int:
        """How many objects it has."""
        found = self.scene["scene"]["object"] if self.scene["format"] == STATE else self.scene["objects"]
        return len(found)


def room_of(found: Arrangement, where: str = "scene") -> Converted:
    """A room of ours: every object is a box."""
    losses = _ledger(found)
    objects = [_boxed(thing, losses) for thing in found.things]
    kept = [one for one in objects if one is not None]
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
    """A published scene state: every object is named by its mesh, which lies elsewhere."""
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
            hint="name the folder of their assets (--assets LAYOUT=DIR), or the configuration of the scene (--with)",
        )


def _boxed(thing: Thing, losses: Ledger) -> dict[str, Any] | None:
    at = thing.underside
    if at is None or thing.size is None:
        losses.lost(UNSIZED, thing.id)
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
    }


def _round(number: float) -> float:
    return round(float(number), 6) + 0.0


def _turn(yaw: float) -> float:
    """The same turn, more than -180 degrees and at most 180."""
    return 180 - (180 - yaw) % 360


def _modelled(thing: Thing, prefix: str, losses: Ledger, index: int) -> dict[str, Any] | None:
    at = thing.underside if prefix in BASED else thing.middle
    if not NAME.fullmatch(thing.asset) or "." in thing.asset:
        losses.lost("objects without an asset that a mesh could be found by, left out", thing.id)
        return None
    if at is None:
        losses.lost(UNSIZED, thing.id)
        return None
    return {"index": index, "modelId": f"{prefix}.{thing.asset}", "transform": {"data": _upright(thing, at)}}


def _upright(thing: Thing, at: Point) -> list[float]:
    """From the frame of asset files (y up, front +z) into the world, column by column."""
    c, s = math.cos(math.radians(thing.yaw)), math.sin(math.radians(thing.yaw))
    wide, deep, high = thing.scale
    columns = ((c * wide, s * wide, 0, 0), (0, 0, high, 0), (s * deep, -c * deep, 0, 0), (*at, 1))
    return [_round(number) for column in columns for number in column]


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
    """A scene of a file with several that cannot be converted."""

    id: str
    problem: FileProblem


Scenes = tuple[Converted | Unconverted, ...]
"""What becomes of a file."""
