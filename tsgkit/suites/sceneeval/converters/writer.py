"""Writers of arrangements: our own form with boxes, or the published scene state with mesh ids.

>>> bed = Thing("bed_1", "bed", at=(1, 2, 0.25), yaw=90, size=(2, 1.6, 0.5), centred=True, asset="a1")
>>> room_of(Arrangement((bed,), None), Ledger(), "scene")["objects"]
[{'id': 'bed_1', 'category': 'bed', 'size': [2.0, 1.6, 0.5], 'at': [1.0, 2.0, 0.0], 'yaw': 90.0}]
>>> state_of(Arrangement((bed,), None), "objaverse", Ledger(), "scene")["scene"]["object"][0]["modelId"]
'objaverse.a1'
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from tsgkit.errors import FileProblem
from tsgkit.geometry import Architecture
from tsgkit.suites.sceneeval.converters.arrangements import Arrangement, Ledger, Point, Thing
from tsgkit.suites.sceneeval.scene_files.assets import LAYOUTS
from tsgkit.suites.sceneeval.scene_files.files import NAME, object_names, problem_of
from tsgkit.suites.sceneeval.scene_files.simple import FORMAT as ROOM
from tsgkit.suites.sceneeval.scene_files.simple import SceneGiven
from tsgkit.suites.sceneeval.scene_files.states import FORMAT as STATE
from tsgkit.suites.sceneeval.scene_files.states import VERSIONS

UNSIZED = "objects whose size is not known, left out"
BASED = frozenset(layout.prefix for layout in LAYOUTS.values() if layout.based)
"""Prefixes of assets whose origin is the centre of their underside; others have it in the centre of their box."""


def room_of(arrangement: Arrangement, losses: Ledger, where: str) -> dict[str, Any]:
    """Return a room of ours: every object is a box."""
    boxes, meshes = list[dict[str, Any]](), 0
    for thing in arrangement.things:
        at = thing.underside
        if at is None or thing.size is None:
            losses.lost(UNSIZED, f"{thing.id} ({thing.lacks})" if thing.lacks else thing.id)
            continue
        meshes += bool(thing.asset)
        boxes.append({
            "id": thing.id,
            "category": thing.category,
            **({"description": thing.description} if thing.description else {}),
            "size": _rounded(thing.size),
            "at": _rounded(at),
            "yaw": _round(180 - (180 - thing.yaw) % 360),
            **({"held_by": thing.held_by} if thing.held_by else {}),
            **({"parent": thing.parent} if thing.parent else {}),
        })  # fmt: skip
    built = _architecture(arrangement.built)
    holders = {box["id"] for box in boxes} | {wall["name"] for wall in built.get("walls", ())}
    for box in boxes:
        if "parent" in box and box["parent"] not in holders:
            losses.lost("parents that are not in the room", f"{box['id']} on {box.pop('parent')}")
    _refuse_nothing(boxes, arrangement, where)
    if meshes:
        losses.lost("meshes, replaced by their boxes", count=meshes)
    scene = {"format": ROOM, "note": arrangement.note[:500], **built, "objects": boxes}
    try:
        SceneGiven.model_validate(scene)
    except ValidationError as error:
        raise problem_of(error, where, object_names(boxes, "objects", "id")) from None
    return scene


def state_of(arrangement: Arrangement, prefix: str, losses: Ledger, where: str) -> dict[str, Any]:
    """Return a published scene state, in which every object is named by its mesh."""
    objects = list[dict[str, Any]]()
    for thing in arrangement.things:
        if not NAME.fullmatch(thing.asset) or "." in thing.asset:
            losses.lost("objects without an asset that a mesh could be found by, left out", thing.id)
        elif (columns := _transform(thing, prefix)) is None:
            losses.lost(UNSIZED, thing.id)
        else:
            transform = {"rows": 4, "cols": 4, "data": [number for column in columns for number in _rounded(column)]}
            ids = {"id": thing.id, "index": len(objects), "modelId": f"{prefix}.{thing.asset}"}
            objects.append({**ids, "parentId": thing.parent, "transform": transform})
    _refuse_nothing(objects, arrangement, where)
    origin = "in the middle of its underside" if prefix in BASED else "in the middle of its box"
    losses.assumed(f"a mesh of {prefix} has y up, its front along +z and its origin {origin}", len(objects))
    scene: dict[str, Any] = {"version": VERSIONS["scene"], "unit": 1, "up": [0, 0, 1], "front": [0, 1, 0]}
    if arrangement.built is not None:
        scene["arch"] = {"version": VERSIONS["arch"], "elements": _elements(arrangement.built)}
    return {"format": STATE, "scene": {**scene, "object": objects}}


def _refuse_nothing(objects: list[Any], arrangement: Arrangement, where: str) -> None:
    if arrangement.things and not objects:
        raise FileProblem(
            f"{where}: none of its {len(arrangement.things):,} objects can be placed, as their sizes are not known",
            hint=arrangement.sizes_from and f"sizes come from {arrangement.sizes_from}",
        )


def _round(number: float) -> float:
    return round(float(number), 6) + 0.0


def _rounded(numbers: Iterable[float]) -> list[float]:
    return [_round(number) for number in numbers]


def _transform(thing: Thing, prefix: str) -> list[tuple[float, ...]] | None:
    """Return the columns of a mesh's transform: where its right, top and front (y up, front +z) point to, as long as it
    is scaled, and its origin, from its box if known, else by the convention of its collection.
    """
    c, s = math.cos(math.radians(thing.yaw)), math.sin(math.radians(thing.yaw))
    ways = thing.axes or ((c, s, 0.0), (0.0, 0.0, 1.0), (s, -c, 0.0))
    wide, deep, high = thing.scale
    axes = [_times(way, factor) for way, factor in zip(ways, (wide, high, deep), strict=True)]
    origin = thing.underside if prefix in BASED else thing.middle
    if thing.mesh_middle is not None and thing.middle is not None:
        steps = [_times(axis, number) for axis, number in zip(axes, thing.mesh_middle, strict=True)]
        x, y, z = (part - sum(along) for part, along in zip(thing.middle, zip(*steps, strict=True), strict=True))
        origin = (x, y, z)
    return None if origin is None else [*((*axis, 0) for axis in axes), (*origin, 1)]


def _times(axis: Point, number: float) -> Point:
    return (axis[0] * number, axis[1] * number, axis[2] * number)


def _architecture(built: Architecture | None) -> dict[str, Any]:
    """Return the floors and walls of a room of ours."""
    if built is None:
        return {}
    walls = []
    for wall in built.walls:
        openings = []
        for opening in wall.openings:
            (start, sill), (end, top) = opening.low, opening.high
            sizes = {"at": start, "width": end - start, "height": top - sill, "sill": sill}
            openings.append({"kind": opening.kind, **{name: _round(number) for name, number in sizes.items()}})
        ends = {"from": _rounded(wall.start[:2]), "to": _rounded(wall.end[:2])}
        walls.append({"name": wall.name, **ends, "height": _round(wall.height), "openings": openings})
    floors = [{"room": floor.room, "points": [_rounded(point[:2]) for point in floor.points]} for floor in built.floors]
    return {"floors": floors, "walls": walls}


def _elements(built: Architecture) -> list[dict[str, Any]]:
    """Return the floors and walls of a scene state."""
    elements: list[dict[str, Any]] = [
        {"type": "Floor", "id": floor.id, "roomId": floor.room, "points": list(map(_rounded, floor.points))}
        for floor in built.floors
    ]
    for wall in built.walls:
        holes = [
            {"type": hole.kind.capitalize(), "box": {"min": _rounded(hole.low), "max": _rounded(hole.high)}}
            for hole in wall.openings
        ]
        ends = {"points": [_rounded(wall.start), _rounded(wall.end)], "height": _round(wall.height)}
        elements.append({"type": "Wall", "id": wall.name, **ends, "holes": holes})
    return elements
