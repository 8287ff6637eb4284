"""Converter for I-Design: a JSON list of objects that includes the six parts of the room.

>>> from tsgkit.suites.sceneeval.converters import ConversionOptions
>>> text = '''[{"new_object_id": "bed_1", "size_in_meters": {"length": 1.6, "width": 2, "height": 0.6},
...   "position": {"x": 1, "y": 2, "z": 0.3}, "rotation": {"z_angle": 180}, "is_on_the_floor": true},
...  {"new_object_id": "middle of the room", "size_in_meters": {"length": 4, "width": 3, "height": 0}}]'''
>>> bed = IDESIGN(SourceFile.of("scene_graph.json", text), ConversionOptions())[0].scene["objects"][0]
>>> bed["size"], bed["at"], bed["yaw"], bed["held_by"]
([1.6, 2.0, 0.6], [1.0, 2.0, 0.0], 0.0, 'ground')

The frame: metres, z up, the origin at the south-west corner of the floor. ``position`` is the middle of the box;
``z_angle`` goes with the clock from the north, so our yaw is 180 minus it. The floor is as long and as wide as ``middle
of the room``; the walls end at the ``z`` of the ceiling. What a thing is ``on`` in its ``placement`` holds it: another
object, a wall or the ceiling.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import BeforeValidator, Field

from tsgkit.suites.sceneeval.converters.arrangements import ArrangedObject, Arrangement, Holder
from tsgkit.suites.sceneeval.converters.fields import Far, ForeignModel, Label, NotNegative, Vector, refuse_many
from tsgkit.suites.sceneeval.converters.shapes import plain_category, rectangle, room_within
from tsgkit.suites.sceneeval.converters.source import Converter, SceneDraft, SourceFile
from tsgkit.suites.sceneeval.scene_files.files import objects_in

WALLS = ("south_wall", "east_wall", "north_wall", "west_wall")
FLOOR, CEILING = "middle of the room", "ceiling"


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


class _DesignNode(ForeignModel):
    id: Label = Field(alias="new_object_id")
    size: _Size | None = Field(default=None, alias="size_in_meters")
    position: Vector | None = None
    rotation: _Angle = _Angle()
    placement: Annotated[_Placement, BeforeValidator(lambda value: {} if value is None else value)] = _Placement()
    on_floor: bool = Field(default=False, alias="is_on_the_floor")


class _DesignGraph(ForeignModel):
    nodes: tuple[_DesignNode, ...]


def _arranged(source: SourceFile, draft: SceneDraft) -> Arrangement:
    refuse_many(len(source.value), draft.where)
    nodes = _DesignGraph.of({"nodes": source.value}, draft.where, nodes="new_object_id").nodes
    room = {node.id: node for node in nodes if node.id in (*WALLS, FLOOR, CEILING)}
    things = []
    for node in nodes:
        if node.id in room:
            continue
        if node.position is None:
            draft.losses.lost("objects that have no place, left out", node.id[:60])
            continue
        size = node.size and (node.size.length, node.size.width, node.size.height)
        held_by, parent = _holder(node)
        things.append(ArrangedObject(
            draft.names.free(node.id), plain_category(node.id), (node.position.x, node.position.y, node.position.z),
            180 - node.rotation.z, size if size and min(size) > 0 else None, centred=True, lacks="size_in_meters",
            held_by=held_by, parent=parent,
        ))  # fmt: skip
    draft.losses.unread("fields of objects", nodes)
    floor = room[FLOOR].size if FLOOR in room else None
    if floor is None or min(floor.length, floor.width) <= 0:
        draft.losses.lost("the size of the room, which is put around its objects")
        return Arrangement(things, None)
    ceiling = room[CEILING].position if CEILING in room else None
    height = ceiling.z if ceiling is not None and ceiling.z > 0 else None
    built = room_within(rectangle(floor.length, floor.width), draft.losses, height)
    walls = (replace(wall, name=name) for name, wall in zip(WALLS, built.walls, strict=False))
    return Arrangement(things, replace(built, walls=tuple(walls)))


def _holder(node: _DesignNode) -> tuple[Holder | None, str]:
    """Return the holder of an object: the floor, an object, the ceiling or a wall."""
    if node.on_floor:
        return "ground", ""
    if parent := next((support.id for support in node.placement.objects if support.preposition == "on"), ""):
        return "object", parent
    on = [element.id for element in node.placement.room if element.preposition == "on"]
    if CEILING in on:
        return "ceiling", ""
    wall = next((name for name in on if name in WALLS), "")
    return ("wall" if wall else "ground" if FLOOR in on else None), wall


IDESIGN = Converter(
    "idesign",
    "a scene graph as a JSON list of objects with a new_object_id",
    lambda source: any("new_object_id" in node for node in objects_in(source.value)),
    _arranged,
)
