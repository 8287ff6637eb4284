"""Converters for 3D-FRONT: its houses, and the boxes of the data sets that are made of it (records and arrays).

>>> yaw_of((0, 0.7071068, 0, 0.7071068))
90.0

The frame: metres, y up, right-handed; (x, y, z) is our (x, -z, y). A child of a room says where the origin of its mesh
goes (``pos``), how it is turned (``rot``, a quaternion with its real part last) and scaled. Meshes have y up and their
front along +z; their boxes, and so all sizes, come from ``--assets threed_future=DIR``, as do categories where the file
has no ``title``. Furniture that is not ``valid`` has no mesh. The floor is the outline of the triangles of ``Floor``,
and the walls end where those of ``WallInner`` do. The id of a scene is that of its house and its room, as in the data
sets that are made of it.

Boxes have half sizes about the centroid of a floor: records of ATISS, and arrays as its data sets have.

>>> values = {"length": 0.9, "width": 1, "height": 0.25, "left": -0.5, "top": 0.5, "depth": 0.25, "orientation": 0}
>>> record = {"query_id": "Bedroom-7", "centroid": [2, 1.5], "object_list": [["bed", values]]}
>>> bed = ATISS(SourceFile("x.json", "", [record]), ConversionOptions())[0].scene["objects"][0]
>>> bed["size"], bed["at"], bed["yaw"]
([1.8, 2.0, 0.5], [-0.5, -0.5, 0.0], 0.0)
>>> value = {"class_labels": [[0, 1, 0]], "translations": [[-0.5, 0.25, 0.5]], "sizes": [[0.9, 0.25, 1]],
...   "angles": [[0]], "scene_uid": "house_Bedroom-7"}
>>> stats = SourceFile("dataset_stats.txt", "", {"object_types": ["armchair", "bed"], "class_labels": []})
>>> (converted,) = BOXES(SourceFile("boxes.npz", "", value), ConversionOptions(companion=stats))
>>> converted.id, converted.scene["objects"][0] == {**bed, "id": "bed_1"}
('house_Bedroom-7', True)

Records are in the form that LayoutGPT's copy of ATISS writes. The names of the fields are LayoutGPT's, their meaning is
not: sizes are half of the real ones, in metres; orientation is in radians; ``left`` and ``top`` count from the centroid
of the floor (right-handed, y up, ``top`` along +z); ``depth`` is the height of the middle. The file does not hold the
floor. A table does (``--room-sizes FILE``): with the corners of a room its floor is built and objects count from its
smallest x and z; with its sides the centroid is taken for the middle of a rectangle. Else the centroid is the origin,
and a room is put around the objects.

Arrays are those of DiffuScene, InstructScene, and the ``boxes.npz`` of their data sets: ``sizes`` are half of the real
ones (width, height, depth); ``translations`` are middles from the centroid of the floor (x, y up, z); ``angles`` are
radians about y. These are the numbers after ``post_process``; what a network gives is scaled to -1 and 1. A batch has
one more dimension, and every item is a scene. ``class_labels`` say which of the ``object_types`` of
``dataset_stats.txt`` (``--with``) a box is; one beyond them is no object. Without that file the category is that of the
mesh in ``jids`` (``--assets threed_future=DIR``). A file of the data set has its floor as triangles in the coordinates
of the house; to others a table gives it, as to records.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.converters.arrangements import ArrangedObject, Arrangement, Point, with_parents
from tsgkit.suites.sceneeval.converters.shapes import (
    Corner,
    Deep,
    Far,
    Flat,
    ForeignModel,
    Label,
    Size,
    Sizes,
    box_of_mesh,
    outline,
    plain_category,
    refuse_many,
    ring,
    room_within,
    scaled,
)
from tsgkit.suites.sceneeval.converters.source import ConversionOptions, Converter, SceneDraft, SourceFile, records_of
from tsgkit.suites.sceneeval.scene_files.files import objects_in

FUTURE = "3dfModel"
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


def _arranged_room(furnished: _FurnishedRoom, draft: SceneDraft) -> Arrangement:
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
    asset = draft.options.asset(FUTURE, piece.mesh, f"{draft.where}: furniture {piece.uid:.80}: jid")
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
    _arranged_room,
    _rooms,
    prefix=FUTURE,
)


FUTURE = "3dfModel"
PROCESSED = "save what dataset.post_process returns: metres, and one angle in radians for each box"
ROWS = ("class_labels", "translations", "sizes", "angles")
Half = Annotated[Size, Field(le=1e3)]


class _Values(ForeignModel):
    length: Half
    width: Half
    height: Half
    left: Far
    top: Far
    depth: Far
    orientation: Far


class _AtissRecord(ForeignModel):
    id: Label = ""
    query: Label = Field(default="", alias="query_id")
    centroid: Flat
    things: tuple[tuple[Label, _Values], ...] = Field(alias="object_list")


class _Boxes(ForeignModel):
    classes: tuple[tuple[Far, ...], ...] = Field(alias="class_labels")
    translations: tuple[Deep, ...]
    sizes: tuple[Deep, ...]
    angles: tuple[tuple[Far], ...]
    meshes: tuple[Label, ...] = Field(default=(), alias="jids")
    vertices: tuple[Deep, ...] = Field(default=(), alias="floor_plan_vertices")
    faces: tuple[tuple[int, int, int], ...] = Field(default=(), alias="floor_plan_faces")
    centroid: Deep = Field(default=(0, 0, 0), alias="floor_plan_centroid")


def _are_records(source: SourceFile) -> bool:
    """Return whether a file has records with an ``object_list`` and a centroid."""
    return bool(source.records) and all(
        isinstance(record, dict) and {"object_list", "centroid"} <= record.keys() for record in source.records
    )


def _arranged_record(value: dict[str, Any], draft: SceneDraft, floor: Sequence[Corner] = ()) -> Arrangement:
    """Return the scene of a record; ``floor`` is the outline of its floor about the centroid, where that is known."""
    record = _AtissRecord.of(value, draft.where, object_list="")
    refuse_many(len(record.things), draft.where)
    corners = floor or _corners(record, draft)
    west, south = (min(along) for along in zip(*corners, strict=True)) if corners else (0.0, 0.0)
    things = []
    for name, box in record.things:
        category = plain_category(name)
        at = (box.left - west, -box.top - south, box.depth)
        size = (2 * box.length, 2 * box.width, 2 * box.height)
        things.append(draft.numbered(category, at, math.degrees(box.orientation), size, centred=True))
    draft.losses.unread("fields of records", [record])
    draft.losses.unread("properties", [box for _, box in record.things])
    placed = with_parents(things, draft.losses)
    if not (moved := ring((x - west, y - south) for x, y in corners)):
        return Arrangement(placed, None)
    return Arrangement(placed, room_within(moved, draft.losses))


def _corners(record: _AtissRecord, draft: SceneDraft) -> Sequence[Corner]:
    """Return the outline of the floor about the centroid, on our floor plan, where y grows against ``top``."""
    table = draft.options.room_sizes
    size = table and (table.of(record.query) or table.of(record.id))
    if size is None or size.sides is None:
        missing = "no length and width" if size else "no such room" if table is not None else "none given"
        draft.losses.lost(
            f"floors: objects stand about the centroid, and a room is put around them (--room-sizes: {missing})"
        )
        return ()
    if size.corners:
        x, z = record.centroid
        return [(east - x, z - north) for east, north in size.corners]
    draft.losses.assumed("the centroid of the floor is the middle of a rectangle")
    across, down = (side / 2 for side in size.sides)
    return [(-across, -down), (across, -down), (across, down), (-across, down)]


def _are_statistics(source: SourceFile) -> bool:
    """Return whether a file has the statistics of a data set, with the names of its classes."""
    return all(isinstance(source.fields.get(name), list) for name in ("object_types", "class_labels"))


def _items(source: SourceFile) -> list[tuple[str, Any]]:
    """Return every item of a batch, or the one scene of a file."""
    value, rows = source.value, source.value["translations"]
    if not (rows and isinstance(rows[0], list) and rows[0] and isinstance(rows[0][0], list)):
        uid = value.get("scene_uid")
        return [(uid if isinstance(uid, str) else "", value)]
    if any(len(value[name]) != len(rows) for name in ROWS):
        raise FileProblem(f"{source.name}: {', '.join(ROWS)}: batches of different sizes")
    refuse_many(len(rows), source.name)
    return [("", value | {name: value[name][number] for name in ROWS}) for number in range(len(rows))]


def _arranged_boxes(value: dict[str, Any], draft: SceneDraft) -> Arrangement:
    """Return the scene of boxes, as of a record."""
    try:
        boxes = _Boxes.of(value, draft.where)
    except FileProblem as problem:
        raise FileProblem(str(problem), hint=PROCESSED) from None
    if len({len(boxes.classes), len(boxes.translations), len(boxes.sizes), len(boxes.angles)}) > 1:
        raise FileProblem(f"{draft.where}: {', '.join(ROWS)}: of different lengths")
    things = []
    for number, category in enumerate(_categories(boxes, draft.where, draft.options)):
        (x, y, z), (wide, high, deep) = boxes.translations[number], boxes.sizes[number]
        if category and min(wide, high, deep) <= 0:
            message = f"{draft.where}: sizes: {category} has a side of {min(wide, high, deep):g}"
            raise FileProblem(message, hint=PROCESSED)
        if category:
            box = {"length": wide, "width": deep, "height": high, "left": x, "top": z, "depth": y}
            things.append([category, box | {"orientation": boxes.angles[number][0]}])
    middle_x, _, middle_z = boxes.centroid
    floor = [(x - middle_x, y + middle_z) for x, y in outline([(boxes.vertices, boxes.faces)])]
    return _arranged_record(
        {"query_id": draft.id, "centroid": [middle_x, middle_z], "object_list": things}, draft, floor
    )


def _categories(boxes: _Boxes, where: str, options: ConversionOptions) -> list[str]:
    """Return the category of every box; empty where it is no object."""
    if (stats := options.companion) is not None:
        names = list(map(str, stats.value["object_types"])) if _are_statistics(stats) else []
        if not names:
            raise FileProblem(f"{stats.name}: object_types: the statistics of a data set have them")
        first = [row.index(max(row)) if row and max(row) > 0 else len(names) for row in boxes.classes]
        return [names[index] if index < len(names) else "" for index in first]
    assets = [options.asset(FUTURE, mesh, f"{where}: jids") for mesh in boxes.meshes]
    categories = [asset.category for asset in assets if asset and asset.category]
    if not assets or not len(categories) == len(assets) == len(boxes.classes):
        hint = "name the statistics of its data set: --with dataset_stats.txt" + (
            ", or the folder of its meshes: --assets threed_future=DIR" if boxes.meshes else ""
        )
        raise FileProblem(f"{where}: class_labels: numbers of classes without their names", hint=hint)
    return categories


ATISS = Converter(
    "atiss",
    "JSON records with a centroid and an object_list of half sizes",
    _are_records,
    _arranged_record,
    lambda source: records_of(source, "query_id", "id"),
    uses_room_sizes=True,
)
BOXES = Converter(
    "boxes",
    "arrays of boxes as .npz or JSON: class_labels, translations, sizes, angles",
    lambda source: all(isinstance(source.fields.get(name), list) for name in ROWS),
    _arranged_boxes,
    _items,
    is_companion=_are_statistics,
    uses_room_sizes=True,
)
