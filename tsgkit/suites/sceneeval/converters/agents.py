"""Converters for generators that place objects step by step: HSM, I-Design and SceneWeaver.

Of HSM there are scene states (``stk_scene_state.json``) with details from ``hsm_scene_state.json``.

>>> from tsgkit.suites.sceneeval.converters import ConversionOptions
>>> bed = {"name": "bed_1", "position": [1, 0, 2], "dimensions": [1.6, 0.6, 2], "rotation": 180, "obj_type": "large"}
>>> value = {"room_vertices": [[0, 0], [4, 0], [4, 3], [0, 3]], "scene_objects": [bed]}
>>> bed = HSM(SourceFile("hsm_scene_state.json", "", value), ConversionOptions())[0].scene["objects"][0]
>>> bed["size"], bed["at"], bed["yaw"]
([1.6, 2.0, 0.6], [1.0, 2.0, 0.0], 0.0)

The state: metres and z up, whatever its ``up`` and ``front`` say. The transform of an object is column by column; its
third column is the way of the mesh's front, so an object that points along (f.x, f.y) has the yaw atan2(f.x, -f.y).
The translation is where the origin of the mesh goes; HSM takes that for the middle of the underside. Neither sizes nor
categories are in the file: they come from the assets (``--assets hssd=DIR``), whose meshes are turned upright first,
and from ``hsm_scene_state.json`` (``--with``, or beside the state), which alone has kinds and parents.

That file counts x, y (up) and z, and rotations with the clock from +z: (x, y, z) is our (x, z, y), and our yaw is 180
minus theirs. Dimensions are width, height and depth. It is converted on its own too; openings are in the state alone.

I-Design writes a JSON list of objects that includes the six parts of the room.

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

SceneWeaver records a layout after every iteration of a run (``record_scene/layout_N.json``).

>>> text = '''{"roomsize": [4, 3], "structure": {}, "objects": {"5348940_BedFactory": {"location": [1, 2, 0],
...   "rotation": [0, 0, -1.57], "size": [2, 1.6, 0.6], "parent": [["newroom_0-0", "onfloor"]]}}}'''
>>> bed = SCENEWEAVER(SourceFile.of("layout_5.json", text), ConversionOptions())[0].scene["objects"][0]
>>> bed["category"], bed["size"], bed["at"], round(bed["yaw"]), bed["held_by"]
('bed', [1.6, 2.0, 0.6], [1.0, 2.0, 0.0], 0, 'ground')

The frame: metres, z up, right-handed as ours, the origin at a corner of the floor. ``location`` is the middle of the
underside; the last of three angles, in radians, turns it against the clock. An object of rotation 0 has its front along
+x, so the first number of its ``size`` is its depth and our yaw is theirs and 90 degrees. All numbers are rounded to
0.01. What an object is ``onfloor``, ``on`` or ``ontop`` of holds it; one that is only ``against_wall`` hangs there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converters.arrangements import ArrangedObject, Arrangement, Holder, Point, with_parents
from tsgkit.suites.sceneeval.converters.shapes import (
    Deep,
    Far,
    Flat,
    ForeignModel,
    Label,
    NotNegative,
    Size,
    Sizes,
    Vector,
    box_of_mesh,
    plain_category,
    rectangle,
    refuse_many,
    ring,
    room_within,
    scaled,
    stood,
)
from tsgkit.suites.sceneeval.converters.source import Converter, SceneDraft, SourceFile
from tsgkit.suites.sceneeval.scene_files.assets import category_of
from tsgkit.suites.sceneeval.scene_files.files import objects_in
from tsgkit.suites.sceneeval.scene_files.states import FORMAT, PlacedModel, parsed_state

HSSD = "fpModel"
HSM_HEIGHT = 2.5
"""Of the walls that HSM writes."""
SAME = 1e-3
"""Metres between the places of one object in the two files."""


class _Object(ForeignModel):
    """An object of ``hsm_scene_state.json``."""

    name: Label
    position: Deep
    size: Sizes = Field(alias="dimensions")
    rotation: Far = 0.0
    kind: Label | None = Field(default=None, alias="obj_type")
    parent: Label | None = Field(default=None, alias="parent_name")
    wall: Label | None = Field(default=None, alias="wall_id")
    mesh: Label | None = Field(default=None, alias="mesh_path")

    @property
    def at(self) -> Point:
        """Its place in our world."""
        x, y, z = self.position
        return (x, z, y)

    @property
    def extents(self) -> Point:
        """Its width, depth and height."""
        wide, high, deep = self.size
        return (wide, deep, high)

    @property
    def held_by(self) -> Holder | None:
        """Its holder; None if the file does not name it."""
        kind = (self.kind or "").lower()
        if self.wall or "wall" in kind:
            return "wall"
        return "ceiling" if "ceiling" in kind else "object" if self.parent else None

    @property
    def holder(self) -> str:
        """The name of the object that it lies on."""
        return self.parent or "" if self.held_by == "object" else ""


class _Summary(ForeignModel):
    """The content of ``hsm_scene_state.json``."""

    objects: tuple[_Object, ...] = Field(alias="scene_objects")
    corners: tuple[Flat, ...] = Field(default=(), alias="room_vertices")
    type: Label | None = Field(default=None, alias="room_type")
    description: Label | None = Field(default=None, alias="room_desc")


def _fits(source: SourceFile) -> bool:
    """Return whether a file is a scene state with meshes of HSSD, or says more of one."""
    scene = source.within("scene") if source.fields.get("format") == FORMAT else {}
    sources, models = scene.get("assetSource"), [part.get("modelId") for part in objects_in(scene.get("object"))]
    return (
        _is_summary(source)
        or (isinstance(sources, list) and HSSD in sources)
        or any(isinstance(model, str) and model.startswith(f"{HSSD}.") for model in models)
    )


def _is_summary(source: SourceFile) -> bool:
    """Return whether a file is an ``hsm_scene_state.json``."""
    return "scene_objects" in source.fields


def _arranged_hsm(source: SourceFile, draft: SceneDraft) -> Arrangement:
    if draft.options.to == "state":
        raise UsageError(f"{source.name}: the states of HSM are scored as they are", hint="--to room")
    return _of_summary(source, draft) if _is_summary(source) else _of_state(source, draft)


def _summary(source: SourceFile) -> _Summary:
    summary = _Summary.of(source.fields, source.name, scene_objects="name")
    refuse_many(len(summary.objects), source.name)
    return summary


def _of_summary(source: SourceFile, draft: SceneDraft) -> Arrangement:
    summary, losses = _summary(source), draft.losses
    things = [
        ArrangedObject(
            draft.names.free(placed.name), plain_category(placed.name), placed.at, 180 - placed.rotation % 360,
            placed.extents, held_by=placed.held_by, parent=placed.holder,
        )
        for placed in summary.objects
    ]  # fmt: skip
    losses.unread("fields of the scene", [summary])
    losses.unread("fields of objects", summary.objects)
    corners, built = ring(summary.corners), None
    if len(corners) < 3:
        losses.lost("the size of the room, which is put around its objects")
    else:
        west, south = (min(along) for along in zip(*corners, strict=True))
        moved = [(x - west, y - south) for x, y in corners]
        losses.assumed(f"walls are {HSM_HEIGHT} m high")
        missing = "doors and windows, which are in the scene state alone"
        built = room_within(moved, losses, HSM_HEIGHT, room=summary.type or "room", openings=missing)
    return Arrangement(with_parents(things, losses), built, summary.description or "")


def _of_state(source: SourceFile, draft: SceneDraft) -> Arrangement:
    models, built = parsed_state(source.value, source.name, room="0")
    refuse_many(len(models), source.name)
    summarised: dict[str, list[_Object]] = {}
    if (companion := draft.options.companion) is not None:
        if not _is_summary(companion):
            raise FileProblem(f"{companion.name}: scene_objects: an hsm_scene_state.json has them")
        for placed in _summary(companion).objects:
            summarised.setdefault(PurePath(placed.mesh or "").stem, []).append(placed)
    things = with_parents([_thing(model, summarised, draft) for model in models], draft.losses)
    sources = "the meshes (--assets hssd=DIR), or the state of the scene (--with hsm_scene_state.json)"
    return Arrangement(things, built, sizes_from=sources)


def _thing(model: PlacedModel, summarised: Mapping[str, Sequence[_Object]], draft: SceneDraft) -> ArrangedObject:
    """Return an object from its transform, its mesh and the details."""
    asset_id, where = model.model.removeprefix(f"{HSSD}."), f"{draft.where}: object {model.index}"
    asset = draft.options.asset(HSSD, asset_id, f"{where}: modelId")
    mesh = box_of_mesh(asset, where) if asset is not None else None
    data = model.transform.data
    *columns, origin = [(data[start], data[start + 1], data[start + 2]) for start in (0, 4, 8, 12)]
    more = next(
        (candidate for candidate in summarised.get(asset_id, ()) if math.dist(candidate.at, origin) <= SAME), None
    )
    wide, high, deep = (math.hypot(*column) or 1.0 for column in columns)
    right, top, front = (
        (x / length, y / length, z / length) for (x, y, z), length in zip(columns, (wide, high, deep), strict=True)
    )
    size: Point | None = None
    if mesh is not None:  # its middle goes there
        size = scaled(mesh.size, (wide, deep, high))
        x, y, z = (
            origin[row] + sum(data[4 * column + row] * mesh.middle[column] for column in range(3)) for row in range(3)
        )
        origin = (x, y, z)
    elif more is not None:
        size = more.extents
        draft.losses.assumed(
            "the origins of meshes lie in the middle of their undersides (--assets hssd=DIR measures them)"
        )
    filled, yaw, leans = stood(size, (right, top, front))
    category = asset.category if asset is not None and asset.category else plain_category(more.name if more else "")
    name = draft.names.free(more.name) if more else draft.names.counted(category.replace(" ", "_"))
    if leans:
        draft.losses.lost("tilts: boxes stand upright", name)
    return ArrangedObject(
        name, category, origin, yaw, filled, centred=mesh is not None, asset=asset_id,
        description=asset.description if asset is not None else "",
        lacks="its mesh is needed: --assets hssd=DIR, or hsm_scene_state.json: --with",
        held_by=more.held_by if more else None, parent=more.holder if more else "",
    )  # fmt: skip


HSM = Converter(
    "hsm",
    "a scene state with meshes of HSSD (stk_scene_state.json), or hsm_scene_state.json",
    _fits,
    _arranged_hsm,
    is_companion=_is_summary,
    prefix=HSSD,
)


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


def _arranged_graph(source: SourceFile, draft: SceneDraft) -> Arrangement:
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
    _arranged_graph,
)


UPRIGHT = 0.02
"""Radians of a tilt that is only rounded."""


class _RecordedObject(ForeignModel):
    location: Deep
    rotation: Deep
    size: tuple[NotNegative, NotNegative, NotNegative]
    relations: tuple[tuple[Label, Label], ...] = Field(default=(), alias="parent")


class _RecordedLayout(ForeignModel):
    room: tuple[Size, Size] = Field(alias="roomsize")
    objects: dict[str, Any]
    structure: dict[str, Any] = Field(default_factory=dict)


def _arranged_layout(source: SourceFile, draft: SceneDraft) -> Arrangement:
    layout, losses = _RecordedLayout.of(source.value, draft.where), draft.losses
    refuse_many(len(layout.objects), draft.where)
    objects = {
        key: _RecordedObject.of(value, f"{draft.where}: object {key!r:.80}") for key, value in layout.objects.items()
    }
    things = []
    for key, located in objects.items():
        name = draft.names.free(key)
        if max(map(abs, located.rotation[:2])) > UPRIGHT:
            losses.tilted(name)
        targets = {relation: target for target, relation in located.relations}
        held_by: Holder | None = None
        parent = targets.get("on") or targets.get("ontop") or ""
        if "onfloor" in targets:
            held_by, parent = "ground", ""
        elif parent in objects:
            held_by = "object"
        else:
            held_by, parent = "wall" if "against_wall" in targets and located.location[2] > 0 else None, ""
        deep, wide, high = located.size
        size = (wide, deep, high) if min(located.size) > 0 else None
        things.append(ArrangedObject(
            name, category_of(name), located.location, math.degrees(located.rotation[2]) + 90, size,
            lacks="its size is 0", held_by=held_by, parent=parent,
        ))  # fmt: skip
    losses.assumed("an object of rotation 0 has its front along +x", len(things))
    built = room_within(rectangle(*layout.room), losses, openings="")
    if layout.structure:
        losses.lost("doors and windows: their walls are not said", count=len(layout.structure))
    losses.unread("fields of the layout", [layout])
    losses.unread("fields of objects", objects.values())
    return Arrangement(with_parents(things, losses), built)


SCENEWEAVER = Converter(
    "sceneweaver",
    "a layout as JSON: a roomsize, and a location, a rotation and a size of each object",
    lambda source: "roomsize" in source.fields and isinstance(source.fields.get("objects"), dict),
    _arranged_layout,
)
