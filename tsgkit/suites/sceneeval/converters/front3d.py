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
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.converters.arrangements import ArrangedObject, Arrangement, Point, with_parents
from tsgkit.suites.sceneeval.converters.fields import Deep, Far, ForeignModel, Label, Sizes, refuse_many
from tsgkit.suites.sceneeval.converters.shapes import box_of_mesh, outline, room_within, scaled
from tsgkit.suites.sceneeval.converters.source import Converter, SceneDraft, SourceFile
from tsgkit.suites.sceneeval.scene_files.files import objects_in

PREFIX = "3dfModel"
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
    scale: Sizes


class _Front3dRoom(ForeignModel):
    id: Label = Field(alias="instanceid")
    children: tuple[_Child, ...]


class _Front3dHouse(ForeignModel):
    uid: Label = ""
    furniture: tuple[_Furniture, ...]
    meshes: tuple[_Mesh, ...]
    rooms: tuple[_Front3dRoom, ...]


class _FurnishedRoom(NamedTuple):
    """A room, and what its children refer to."""

    room: _Front3dRoom
    furniture: Mapping[str, _Furniture]
    built: Mapping[str, _Mesh]


def _rooms(source: SourceFile) -> list[tuple[str, _FurnishedRoom]]:
    """Return every room of a house that has furniture."""
    meshes = [mesh for mesh in objects_in(source.value.get("mesh")) if mesh.get("type") in ("Floor", "WallInner")]
    parts = {"furniture": source.value["furniture"], "meshes": meshes, "rooms": source.value["scene"]["room"]}
    house = _Front3dHouse.of({"uid": source.value.get("uid") or "", **parts}, source.name)
    furniture = {piece.uid: piece for piece in house.furniture}
    built = {mesh.uid: mesh for mesh in house.meshes}
    rooms = [room for room in house.rooms if any(child.ref in furniture for child in room.children)]
    refuse_many(max((len(room.children) for room in rooms), default=0), source.name)
    if not rooms:
        raise FileProblem(f"{source.name}: no room of it has furniture")
    before = house.uid or source.name.rpartition("/")[2].removesuffix(".json")
    return [(f"{before}_{room.id}", _FurnishedRoom(room, furniture, built)) for room in rooms]


def _arranged(furnished: _FurnishedRoom, draft: SceneDraft) -> Arrangement:
    things, losses = [], draft.losses
    floors, heights = list[tuple[Sequence[Point], Iterable[tuple[int, ...]]]](), list[float]()
    for child in furnished.room.children:
        if piece := furnished.furniture.get(child.ref):
            if piece.valid:
                things.append(_thing(child, piece, draft))
            else:
                losses.lost("furniture without a mesh (not valid)", piece.title or piece.uid)
        if (part := furnished.built.get(child.ref)) and part.type == "Floor":
            at, faces = part.xyz, part.faces
            corners = list(zip(at[::3], at[1::3], at[2::3], strict=False))
            floors.append((corners, zip(faces[::3], faces[1::3], faces[2::3], strict=False)))
        elif part and part.type == "WallInner":
            heights += part.xyz[1::3]
    placed = with_parents(things, losses)
    losses.lost("doors and windows: they are meshes")
    if around := outline(floors):
        built = room_within(around, losses, max(heights, default=None), openings="")
    else:
        losses.lost("floors: a room is put around the objects")
        built = None
    return Arrangement(placed, built, sizes_from="the meshes: --assets threed_future=DIR")


def _thing(child: _Child, piece: _Furniture, draft: SceneDraft) -> ArrangedObject:
    """Return a piece of furniture; without a size where its mesh is not at hand."""
    asset = draft.options.asset(PREFIX, piece.mesh, f"{draft.where}: furniture {piece.uid:.80}: jid")
    category = ((asset and asset.category) or (piece.title or "").rpartition("/")[2] or "thing").lower()
    box = box_of_mesh(asset, draft.where) if asset else None
    (x, y, z), (across, up, along), yaw = child.at, child.scale, yaw_of(child.turn)
    if asset is None or box is None:
        thing = draft.numbered(category, (x, -z, y), yaw, lacks="its mesh is not at hand")
    else:
        right, top, front = scaled(box.middle, child.scale)
        c, s = math.cos(math.radians(yaw)), math.sin(math.radians(yaw))
        at, scale = (x + right * c + front * s, -z + right * s - front * c, y + top), (across, along, up)
        thing = draft.numbered(
            category, at, yaw, scaled(box.size, scale), centred=True, description=asset.description,
            asset=piece.mesh, scale=scale, mesh_middle=box.middle,
        )  # fmt: skip
    if max(abs(child.turn[0]), abs(child.turn[2])) > TILTED:
        draft.losses.tilted(thing.id)
    return thing


def yaw_of(turn: Quaternion) -> float:
    """Return the angle of a quaternion about the vertical, in degrees."""
    return round(math.degrees(2 * math.atan2(turn[1], turn[3])), 6)


FRONT3D = Converter(
    "3d-front",
    "a house of 3D-FRONT as JSON: furniture, mesh, and a scene with rooms",
    lambda source: (
        isinstance(source.fields.get("furniture"), list) and isinstance(source.within("scene").get("room"), list)
    ),
    _arranged,
    _rooms,
    prefix=PREFIX,
)
