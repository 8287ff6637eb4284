"""Converter for HSM: scene states (``stk_scene_state.json``) with details from ``hsm_scene_state.json``.

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
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from pydantic import Field

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converters.arrangements import ArrangedObject, Arrangement, Holder, Point, with_parents
from tsgkit.suites.sceneeval.converters.fields import Deep, Far, Flat, ForeignModel, Label, Sizes, refuse_many
from tsgkit.suites.sceneeval.converters.shapes import box_of_mesh, plain_category, ring, room_within, scaled, stood
from tsgkit.suites.sceneeval.converters.source import Converter, SceneDraft, SourceFile
from tsgkit.suites.sceneeval.scene_files.files import objects_in
from tsgkit.suites.sceneeval.scene_files.states import FORMAT, PlacedModel, parsed_state

PREFIX = "fpModel"
HEIGHT = 2.5
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
        or (isinstance(sources, list) and PREFIX in sources)
        or any(isinstance(model, str) and model.startswith(f"{PREFIX}.") for model in models)
    )


def _is_summary(source: SourceFile) -> bool:
    """Return whether a file is an ``hsm_scene_state.json``."""
    return "scene_objects" in source.fields


def _arranged(source: SourceFile, draft: SceneDraft) -> Arrangement:
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
        losses.assumed(f"walls are {HEIGHT} m high")
        missing = "doors and windows, which are in the scene state alone"
        built = room_within(moved, losses, HEIGHT, room=summary.type or "room", openings=missing)
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
    asset_id, where = model.model.removeprefix(f"{PREFIX}."), f"{draft.where}: object {model.index}"
    asset = draft.options.asset(PREFIX, asset_id, f"{where}: modelId")
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
    _arranged,
    is_companion=_is_summary,
    prefix=PREFIX,
)
