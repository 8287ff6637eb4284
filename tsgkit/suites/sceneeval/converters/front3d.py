"""Converter for houses of 3D-FRONT: every room with furniture is a scene.

>>> yaw_of((0, 0.7071068, 0, 0.7071068))
90.0

The frame: metres, y up, right-handed; (x, y, z) is our (x, -z, y). A child of a room says where the origin of its mesh
goes (``pos``), how it is turned (``rot``, a quaternion with its real part last) and scaled. Meshes have y up and their
front along +z; their boxes, and so all sizes, come from ``--assets threed_future=DIR``, as do categories where the file
has no ``title``. Furniture that is not ``valid`` has no mesh. The floor is the outline of the triangles of ``Floor``,
and the walls end where those of ``WallInner`` do. The id of a scene is that of its house and its room, as in the data
sets that are made of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from pydantic import Field, ValidationError

from tsgkit.errors import FileProblem
from tsgkit.geometry import Architecture, Floor
from tsgkit.suites.sceneeval.converters.arrangements import Arrangement, Ledger, Names, Thing, with_parents
from tsgkit.suites.sceneeval.converters.measurements import (
    HANGING,
    HEIGHT,
    Deep,
    ForeignModel,
    Label,
    box_of_mesh,
    outline,
    refuse_many,
    walls_around,
)
from tsgkit.suites.sceneeval.converters.source import Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Converted, Scenes, each_scene, room_of, state_of
from tsgkit.suites.sceneeval.scene_files.files import problem_of
from tsgkit.suites.sceneeval.scene_files.simple import Far, Size

PREFIX = "3dfModel"
ASSETS = "the meshes: --assets threed_future=DIR"
BUILT = ("Floor", "WallInner")
TILTED = 1e-3
Quaternion = tuple[Far, Far, Far, Far]


class _Furniture(ForeignModel):
    uid: Label
    mesh: Label = Field(default="", alias="jid")
    title: Label | None = None
    valid: bool = False


class _Mesh(ForeignModel):
    uid: Label
    type: Label
    xyz: tuple[Far, ...]
    faces: tuple[int, ...]


class _Child(ForeignModel):
    ref: Label
    at: Deep = Field(alias="pos")
    turn: Quaternion = Field(alias="rot")
    scale: tuple[Size, Size, Size]


class _Room(ForeignModel):
    id: Label = Field(alias="instanceid")
    children: tuple[_Child, ...]


class _House(ForeignModel):
    uid: Label = ""
    furniture: tuple[_Furniture, ...]
    meshes: tuple[_Mesh, ...]
    rooms: tuple[_Room, ...]


def fits(given: SourceFile) -> bool:
    """Return whether a file has furniture, and rooms in a scene."""
    value = given.value
    scene = value.get("scene") if isinstance(value, dict) else None
    return isinstance(scene, dict) and isinstance(scene.get("room"), list) and isinstance(value.get("furniture"), list)


def convert(given: SourceFile, options: Options) -> Scenes:
    """Convert every room of a house that has furniture."""
    listed = given.value.get("mesh")
    meshes = (
        [one for one in listed if isinstance(one, dict) and one.get("type") in BUILT]
        if isinstance(listed, list)
        else []
    )
    value = {"uid": given.value.get("uid") or "", "furniture": given.value["furniture"], "meshes": meshes}
    try:
        house = _House.model_validate(value | {"rooms": given.value["scene"]["room"]})
    except ValidationError as error:
        raise problem_of(error, given.name) from None
    furniture = {one.uid: one for one in house.furniture}
    built = {one.uid: one for one in house.meshes}
    rooms = [room for room in house.rooms if any(child.ref in furniture for child in room.children)]
    refuse_many(max((len(room.children) for room in rooms), default=0), given.name)
    if not rooms:
        raise FileProblem(f"{given.name}: no room of it has furniture")

    def make(number: int, name: str, where: str) -> Converted:
        found = _arranged(rooms[number], name, furniture, built, where, options)
        return state_of(found, PREFIX, where) if options.to == "state" else room_of(found, where)

    before = house.uid or given.name.rpartition("/")[2].removesuffix(".json")
    return each_scene([f"{before}_{room.id}" for room in rooms], given.name, make)


def _arranged(
    room: _Room,
    name: str,
    furniture: Mapping[str, _Furniture],
    built: Mapping[str, _Mesh],
    where: str,
    options: Options,
) -> Arrangement:
    losses, names = Ledger(), Names()
    things = []
    for child in room.children:
        if (one := furniture.get(child.ref)) is None:
            continue
        if one.valid:
            things.append(_thing(child, one, names, losses, where, options))
        else:
            losses.lost("furniture without a mesh (not valid)", one.title or one.uid)
    parts = [built[child.ref] for child in room.children if child.ref in built]
    return Arrangement(name, with_parents(things, losses), _built(parts, losses), "", losses.told(), ASSETS)


def _thing(child: _Child, one: _Furniture, names: Names, losses: Ledger, where: str, options: Options) -> Thing:
    """Return a piece of furniture; without a size where its mesh is not at hand."""
    asset = options.asset(PREFIX, one.mesh, f"{where}: furniture {one.uid:.80}: jid")
    category = ((asset and asset.category) or (one.title or "").rpartition("/")[2] or "thing").lower()
    name = names.counted(category.replace(" ", "_"))
    if max(abs(child.turn[0]), abs(child.turn[2])) > TILTED:
        losses.lost("tilts: only turns about the vertical are kept", name)
    box = box_of_mesh(asset, where) if asset else None
    (x, y, z), (across, up, along), yaw = child.at, child.scale, yaw_of(child.turn)
    scale = (across, along, up)
    if asset is None or box is None:
        return Thing(name, category, (x, -z, y), yaw, lacks="its mesh is not at hand")
    middle = [part * factor for part, factor in zip(box.middle, child.scale, strict=True)]
    c, s = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
    at = (x + middle[0] * c + middle[2] * s, -z + middle[0] * s - middle[2] * c, y + middle[1])
    size = (box.size[0] * across, box.size[1] * along, box.size[2] * up)
    return Thing(
        name, category, at, yaw, size, centred=True, description=asset.description, asset=one.mesh, scale=scale,
        held_by="ceiling" if category in HANGING else None, mesh_middle=box.middle,
    )  # fmt: skip


def yaw_of(turn: Quaternion) -> float:
    """Return the angle of a quaternion about the vertical, in degrees."""
    return round(math.degrees(2 * math.atan2(turn[1], turn[3])), 6)


def _built(parts: Iterable[_Mesh], losses: Ledger) -> Architecture | None:
    floors = [
        (list(zip(xyz[::3], xyz[1::3], xyz[2::3], strict=False)), zip(at[::3], at[1::3], at[2::3], strict=False))
        for part in parts
        if part.type == "Floor"
        for xyz, at in [(part.xyz, part.faces)]
    ]
    heights = [height for part in parts if part.type == "WallInner" for height in part.xyz[1::3]]
    losses.lost("doors and windows: they are meshes")
    if not (corners := outline(floors)):
        losses.lost("floors: a room is put around the objects")
        return None
    if not heights:
        losses.assumed(f"walls are {HEIGHT} m high")
    walls = walls_around(corners, "room", max(heights, default=HEIGHT))
    return Architecture((Floor("room", tuple((x, y, 0.0) for x, y in corners)),), walls)


FRONT3D: Converter = Converter(
    "3d-front",
    "a house of 3D-FRONT as JSON: furniture, mesh, and a scene with rooms",
    fits,
    convert,
)
