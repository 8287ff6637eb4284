"""Converter for HSM: scene states (``stk_scene_state.json``) with details from ``hsm_scene_state.json``.

>>> from tsgkit.suites.sceneeval.converters.source import SourceFile, Options
>>> said = {"name": "bed_1", "position": [1, 0, 2], "dimensions": [1.6, 0.6, 2], "rotation": 180, "obj_type": "large"}
>>> value = {"room_vertices": [[0, 0], [4, 0], [4, 3], [0, 3]], "scene_objects": [said]}
>>> bed = HSM(SourceFile("hsm_scene_state.json", "", value), Options())[0].scene["objects"][0]
>>> bed["size"], bed["at"], bed["yaw"]
([1.6, 2.0, 0.6], [1.0, 2.0, 0.0], 0.0)

The state: metres and z up, whatever its ``up`` and ``front`` say. The transform of an object is column by column; its
third column is the way of the mesh's front, so an object that points along (f.x, f.y) has the yaw atan2(f.x, -f.y).
The translation is where the origin of the mesh goes; HSM takes that for the middle of the underside. Neither sizes nor
categories are in the file: they come from the assets (``--assets hssd=DIR``), whose meshes are turned upright first,
and from ``hsm_scene_state.json`` (``--with``, or beside the state), which alone has kinds and parents.

That file counts x, y (up) and z, and rotations with the clock from +z: (x, y, z) is our (x, z, y), and our yaw is 180
minus theirs. Dimensions are width, height and depth. It is converted on its own too; openings are in the state alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from pydantic import Field, ValidationError

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry import Architecture, Floor
from tsgkit.suites.sceneeval.converters.arrangements import (
    Arrangement,
    Holder,
    Ledger,
    Names,
    Point,
    Thing,
    with_parents,
)
from tsgkit.suites.sceneeval.converters.measurements import (
    Deep,
    Flat,
    ForeignModel,
    Label,
    MeshBox,
    box_of_mesh,
    plain_category,
    refuse_many,
    ring,
    stood,
    tell_unread,
    walls_around,
)
from tsgkit.suites.sceneeval.converters.source import Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Scenes, room_of
from tsgkit.suites.sceneeval.scene_files.files import object_names, problem_of
from tsgkit.suites.sceneeval.scene_files.simple import Far, Size
from tsgkit.suites.sceneeval.scene_files.states import FORMAT, PlacedModel, parsed_state

PREFIX = "fpModel"
ASSETS = "the meshes (--assets hssd=DIR), or the state of the scene (--with hsm_scene_state.json)"
HEIGHT = 2.5
"""Of the walls that HSM writes."""
SAME = 1e-3
"""Metres between the places of one object in the two files."""
TILTED = math.cos(math.radians(0.5))


class _Told(ForeignModel):
    """An object of ``hsm_scene_state.json``."""

    name: Label
    position: Deep
    size: tuple[Size, Size, Size] = Field(alias="dimensions")
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


class _Summary(ForeignModel):
    """The content of ``hsm_scene_state.json``."""

    objects: tuple[_Told, ...] = Field(alias="scene_objects")
    corners: tuple[Flat, ...] = Field(default=(), alias="room_vertices")
    type: Label | None = Field(default=None, alias="room_type")
    description: Label | None = Field(default=None, alias="room_desc")


def fits(given: SourceFile) -> bool:
    """Return whether a file is a scene state with meshes of HSSD, or says more of one."""
    return _is_state(given.value) or is_companion(given)


def _is_state(value: object) -> bool:
    scene = value.get("scene") if isinstance(value, dict) and value.get("format") == FORMAT else None
    listed = scene.get("object") if isinstance(scene, dict) else None
    models = [one.get("modelId") for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)]
    sources = scene.get("assetSource") if isinstance(scene, dict) else None
    is_of_hssd = PREFIX in sources if isinstance(sources, list) else False
    return is_of_hssd or any(isinstance(model, str) and model.startswith(f"{PREFIX}.") for model in models)


def is_companion(given: SourceFile) -> bool:
    """Return whether a file is an ``hsm_scene_state.json``."""
    return isinstance(given.value, dict) and "scene_objects" in given.value


def convert(given: SourceFile, options: Options) -> Scenes:
    """Convert the scene of a file."""
    if options.to == "state":
        raise UsageError(f"{given.name}: the states of HSM are scored as they are", hint="--to room")
    found = _of_summary(given) if is_companion(given) else _of_state(given, options)
    return (room_of(found, given.name),)


# hsm_scene_state.json


def _summary(given: SourceFile) -> _Summary:
    value = given.value if isinstance(given.value, dict) else {}
    try:
        found = _Summary.model_validate(value)
    except ValidationError as error:
        names = object_names(value.get("scene_objects"), "scene_objects", "name")
        raise problem_of(error, given.name, names) from None
    refuse_many(len(found.objects), given.name)
    return found


def _of_summary(given: SourceFile) -> Arrangement:
    summary, losses, names = _summary(given), Ledger(), Names()
    things = []
    for one in summary.objects:
        held_by, parent = _holder(one)
        wide, high, deep = one.size
        things.append(
            Thing(
                names.free(one.name),
                plain_category(one.name),
                one.at,
                180 - one.rotation % 360,
                (wide, deep, high),
                held_by=held_by,
                parent=parent,
            )
        )
    tell_unread(losses, "fields of the scene", [summary])
    tell_unread(losses, "fields of objects", summary.objects)
    built = _around(summary, losses)
    return Arrangement("", with_parents(things, losses), built, summary.description or "", losses.told())


def _holder(one: _Told) -> tuple[Holder | None, str]:
    """Return the holder of an object; None if the file does not name it."""
    kind = (one.kind or "").lower()
    if one.wall or "wall" in kind:
        return "wall", ""
    if "ceiling" in kind:
        return "ceiling", ""
    return ("object", one.parent) if one.parent else (None, "")


def _around(summary: _Summary, losses: Ledger) -> Architecture | None:
    corners = ring(summary.corners)
    if len(corners) < 3:
        losses.lost("the size of the room, which is put around its objects")
        return None
    west, south = (min(along) for along in zip(*corners, strict=True))
    moved = [(x - west, y - south) for x, y in corners]
    losses.assumed(f"walls are {HEIGHT} m high")
    losses.lost("doors and windows, which are in the scene state alone")
    floor = Floor(summary.type or "room", tuple((x, y, 0.0) for x, y in moved))
    return Architecture((floor,), walls_around(moved, "room", HEIGHT))


# stk_scene_state.json


def _of_state(given: SourceFile, options: Options) -> Arrangement:
    models, built = parsed_state(_with_room_ids(given.value), given.name)
    refuse_many(len(models), given.name)
    told: dict[str, list[_Told]] = {}
    if options.companion is not None:
        if not is_companion(options.companion):
            raise FileProblem(f"{options.companion.name}: scene_objects: an hsm_scene_state.json has them")
        for said in _summary(options.companion).objects:
            told.setdefault(PurePath(said.mesh or "").stem, []).append(said)
    losses, names = Ledger(), Names()
    things = [_thing(one, told, options, given.name, losses, names) for one in models]
    return Arrangement("", with_parents(things, losses), built, "", losses.told(), ASSETS)


def _with_room_ids(value: dict[str, Any]) -> dict[str, Any]:
    """Return the state with the room ids of walls as ids of floors."""
    scene = value.get("scene")
    arch = scene.get("arch") if isinstance(scene, dict) else None
    elements = arch.get("elements") if isinstance(arch, dict) else None
    if not isinstance(scene, dict) or not isinstance(arch, dict) or not isinstance(elements, list):
        return value
    named = [{"roomId": "0", **one} if isinstance(one, dict) else one for one in elements]
    return {**value, "scene": {**scene, "arch": {**arch, "elements": named}}}


def _thing(
    model: PlacedModel, told: Mapping[str, Sequence[_Told]], options: Options, where: str, losses: Ledger, names: Names
) -> Thing:
    """Return an object from its transform, its mesh and the details."""
    asset_id = model.model.removeprefix(f"{PREFIX}.")
    asset = options.asset(PREFIX, asset_id, f"{where}: object {model.index}: modelId")
    data = model.transform.data
    place: Point = (data[12], data[13], data[14])
    more = next((one for one in told.get(asset_id, ()) if math.dist(one.at, place) <= SAME), None)
    mesh = box_of_mesh(asset, f"{where}: object {model.index}") if asset is not None else None
    axes, lengths = _columns(data)
    size = mesh and mesh.size
    if size is None and more is not None:
        size = (more.size[0], more.size[2], more.size[1])
        losses.assumed("the origins of meshes lie in the middle of their undersides (--assets hssd=DIR measures them)")
    elif size is not None:
        size = (size[0] * lengths[0], size[1] * lengths[2], size[2] * lengths[1])
    filled, yaw, straight = stood(size, axes)
    category = asset.category if asset is not None and asset.category else plain_category(more.name if more else "")
    name = names.free(more.name) if more else names.counted(category.replace(" ", "_"))
    if straight < TILTED:
        losses.lost("tilts: boxes stand upright", name)
    held_by, parent = _holder(more) if more else (None, "")
    return Thing(
        name,
        category,
        _middle(place, data, mesh) if mesh else place,
        yaw,
        filled,
        centred=mesh is not None,
        description=asset.description if asset is not None else "",
        asset=asset_id,
        lacks="its mesh is needed: --assets hssd=DIR, or hsm_scene_state.json: --with",
        held_by=held_by,
        parent=parent,
    )


def _columns(data: Sequence[float]) -> tuple[tuple[Point, Point, Point], tuple[float, float, float]]:
    """Return the ways of the right, the top and the front of a mesh, and how long each is."""
    columns = [(data[start], data[start + 1], data[start + 2]) for start in (0, 4, 8)]
    lengths = [math.hypot(*column) or 1.0 for column in columns]
    right, top, front = (
        (x / length, y / length, z / length) for (x, y, z), length in zip(columns, lengths, strict=True)
    )
    return (right, top, front), (lengths[0], lengths[1], lengths[2])


def _middle(place: Point, data: Sequence[float], mesh: MeshBox) -> Point:
    """Return where the middle of a mesh's box goes."""
    x, y, z = (
        place[row] + sum(data[4 * column + row] * mesh.middle[column] for column in range(3)) for row in range(3)
    )
    return (x, y, z)


HSM = Converter(
    "hsm",
    "a scene state with meshes of HSSD (stk_scene_state.json), or hsm_scene_state.json",
    fits,
    convert,
    is_companion=is_companion,
)
