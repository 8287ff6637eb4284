"""Converter for I-Design: a JSON list of objects that includes the six parts of the room.

>>> from tsgkit.suites.sceneeval.converters.source import SourceFile, Options
>>> text = '''[{"new_object_id": "bed_1", "size_in_meters": {"length": 1.6, "width": 2, "height": 0.6},
...   "position": {"x": 1, "y": 2, "z": 0.3}, "rotation": {"z_angle": 180}, "is_on_the_floor": true},
...  {"new_object_id": "middle of the room", "size_in_meters": {"length": 4, "width": 3, "height": 0}}]'''
>>> bed = IDESIGN(SourceFile.of("scene_graph.json", text), Options())[0].scene["objects"][0]
>>> bed["size"], bed["at"], bed["yaw"], bed["held_by"]
([1.6, 2.0, 0.6], [1.0, 2.0, 0.0], 0.0, 'ground')

The frame: metres, z up, the origin at the south-west corner of the floor. ``position`` is the middle of the box;
``z_angle`` goes with the clock from the north, so our yaw is 180 minus it. The floor is as long and as wide as ``middle
of the room``; the walls end at the ``z`` of the ceiling. What a thing is ``on`` in its ``placement`` holds it: another
object, a wall or the ceiling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field, ValidationError

from tsgkit.geometry import Architecture, Floor
from tsgkit.suites.sceneeval.converters.arrangements import Arrangement, Holder, Ledger, Names, Thing
from tsgkit.suites.sceneeval.converters.measurements import (
    HEIGHT,
    ForeignModel,
    Label,
    Vector,
    plain_category,
    refuse_many,
    tell_unread,
    walls_around,
)
from tsgkit.suites.sceneeval.converters.source import Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Scenes, room_of
from tsgkit.suites.sceneeval.scene_files.files import object_names, problem_of
from tsgkit.suites.sceneeval.scene_files.simple import Far

WALLS = ("south_wall", "east_wall", "north_wall", "west_wall")
FLOOR, CEILING = "middle of the room", "ceiling"
ROOM = frozenset({*WALLS, FLOOR, CEILING})
NotNegative = Annotated[Far, Field(ge=0)]


class _Size(ForeignModel):
    length: NotNegative
    width: NotNegative
    height: NotNegative


class _Angle(ForeignModel):
    z: Far = Field(default=0.0, alias="z_angle")


class _OnRoom(ForeignModel):
    id: Label = Field(alias="layout_element_id")
    preposition: Label = ""


class _OnObject(ForeignModel):
    id: Label = Field(alias="object_id")
    preposition: Label = ""


class _Placement(ForeignModel):
    room: tuple[_OnRoom, ...] = Field(default=(), alias="room_layout_elements")
    objects: tuple[_OnObject, ...] = Field(default=(), alias="objects_in_room")


class _Node(ForeignModel):
    id: Label = Field(alias="new_object_id")
    size: _Size | None = Field(default=None, alias="size_in_meters")
    position: Vector | None = None
    rotation: _Angle = _Angle()
    placement: _Placement | None = None
    on_floor: bool = Field(default=False, alias="is_on_the_floor")


def fits(given: SourceFile) -> bool:
    """Return whether a file is a list of objects with a ``new_object_id``."""
    listed = given.value
    return isinstance(listed, list) and any(isinstance(one, dict) and "new_object_id" in one for one in listed)


def convert(given: SourceFile, options: Options) -> Scenes:
    """Convert the one scene of a file."""
    refuse_many(len(given.value), given.name)
    losses = Ledger()
    nodes = [_node(one, number, given.name) for number, one in enumerate(given.value)]
    room = {node.id: node for node in nodes if node.id in ROOM}
    names = Names()
    things = [_thing(node, names, losses) for node in nodes if node.id not in ROOM]
    tell_unread(losses, "fields of objects", nodes)
    found = Arrangement("", tuple(one for one in things if one), _built(room, losses), losses=losses.told())
    return (room_of(found, given.name),)


def _node(value: object, number: int, where: str) -> _Node:
    names = object_names([value], "list", "new_object_id")
    try:
        return _Node.model_validate(value)
    except ValidationError as error:
        name = names["list", 0] if isinstance(value, dict) and "new_object_id" in value else f"object number {number}"
        raise problem_of(error, f"{where}: {name}") from None


def _thing(node: _Node, names: Names, losses: Ledger) -> Thing | None:
    if node.position is None:
        losses.lost("objects that have no place, left out", node.id[:60])
        return None
    size = node.size and (node.size.length, node.size.width, node.size.height)
    held_by, parent = _holder(node)
    return Thing(
        names.free(node.id),
        plain_category(node.id),
        (node.position.x, node.position.y, node.position.z),
        180 - node.rotation.z,
        size if size and min(size) > 0 else None,
        centred=True,
        lacks="size_in_meters",
        held_by=held_by,
        parent=parent,
    )


def _holder(node: _Node) -> tuple[Holder | None, str]:
    """Return the holder of an object: the floor, an object, the ceiling or a wall."""
    placement = node.placement or _Placement()
    on = [one.id for one in placement.room if one.preposition == "on"]
    if node.on_floor:
        return "ground", ""
    if parent := next((one.id for one in placement.objects if one.preposition == "on"), ""):
        return "object", parent
    if CEILING in on:
        return "ceiling", ""
    wall = next((name for name in on if name in WALLS), "")
    return ("wall" if wall else "ground" if FLOOR in on else None), wall


def _built(room: Mapping[str, _Node], losses: Ledger) -> Architecture | None:
    floor = room[FLOOR].size if FLOOR in room else None
    if floor is None or min(floor.length, floor.width) <= 0:
        losses.lost("the size of the room, which is put around its objects")
        return None
    ceiling = room[CEILING].position if CEILING in room else None
    if ceiling is None or ceiling.z <= 0:
        losses.assumed(f"walls are {HEIGHT} m high")
    losses.lost("doors and windows: the form has none")
    height = ceiling.z if ceiling is not None and ceiling.z > 0 else HEIGHT
    corners: Sequence[tuple[float, float]] = (
        (0.0, 0.0), (floor.length, 0.0), (floor.length, floor.width), (0.0, floor.width)
    )  # fmt: skip
    walls = walls_around(corners, "room", height)
    named = tuple(replace(wall, name=name) for name, wall in zip(WALLS, walls, strict=False))
    return Architecture((Floor("room", tuple((x, y, 0.0) for x, y in corners)),), named)


IDESIGN = Converter(
    "idesign",
    "a scene graph as a JSON list of objects with a new_object_id",
    fits,
    convert,
    names_meshes=False,
)
