"""The published scene-state JSON: ``"format": "sceneState"``.

>>> text = '''{"format": "sceneState", "scene": {"object": [], "arch": {"elements": [
...   {"type": "Floor", "roomId": "den", "points": [[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0]]},
...   {"type": "Wall", "id": "w1", "points": [[0, 0, 0], [4, 0, 0]], "height": 2.5,
...    "holes": [{"type": "Door", "box": {"min": [1, 0], "max": [2, 2]}}]}]}}}'''
>>> scene = read_state(text, "scene_0", {}).scene
>>> scene.architecture.floors[0].id, scene.architecture.walls[0].openings[0].kind
('floor_den', 'door')

Only what the published tool uses is used: ``transform.data`` (sixteen numbers, column by column), ``modelId``,
``index`` and the architecture; and ``objectFrontVector`` of a later version of it, which strict measures by.
``unit``, ``up``, ``front``, ceilings and the redundant parts of transforms are passed over, as they are there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from tsgkit.errors import FileProblem
from tsgkit.geometry import Architecture, Floor, Object, Opening, Scene, Shape, Wall, box
from tsgkit.geometry.meshes import mesh_of
from tsgkit.suites.sceneeval.scene_files.assets import FolderSource
from tsgkit.suites.sceneeval.scene_files.files import json_of, mesh_in, objects_in, problem_of
from tsgkit.suites.sceneeval.scene_files.loaded_scene import MISSING, LoadedScene

FORMAT = "sceneState"
VERSIONS = {"scene": "scene@1.0.2", "arch": "arch@1.0.2"}
Number = Annotated[float, Field(ge=-1e9, le=1e9)]
"""A bounded number; larger coordinates are refused."""
FORWARDS, BACKWARDS = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0)
"""Fronts of objects: the usual one, and the other."""
KINDS: Mapping[str, Literal["door", "window"]] = {"door": "door", "window": "window"}
Sixteen = Annotated[tuple[Number, ...], Field(min_length=16, max_length=16)]


class _Theirs(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class _Transform(_Theirs):
    data: Sixteen


class PlacedModel(_Theirs):
    """An object of a state: its mesh and its transform."""

    index: StrictInt
    model: StrictStr = Field(alias="modelId")
    transform: _Transform


class _Box(_Theirs):
    min: tuple[Number, Number]
    max: tuple[Number, Number]


class _Hole(_Theirs):
    type: StrictStr
    box: _Box


class _Element(_Theirs):
    type: StrictStr
    id: StrictStr | StrictInt | None = None
    room: StrictStr | None = Field(default=None, alias="roomId")
    points: tuple[tuple[Number, Number, Number] | tuple[Number, Number], ...] = ()
    height: Number | None = None
    holes: tuple[_Hole, ...] = ()


class _Arch(_Theirs):
    version: StrictStr | None = None
    elements: tuple[_Element, ...] = ()


class _Scene(_Theirs):
    version: StrictStr | None = None
    arch: _Arch | None = None
    objects: tuple[PlacedModel, ...] = Field(alias="object")
    front: tuple[Number, Number, Number] = Field(default=FORWARDS, alias="objectFrontVector")
    """In the frame of an object that was read: x to the right, z up."""


class _State(_Theirs):
    format: Literal["sceneState"]
    scene: _Scene


def read_state(text: str, name: str, sources: Mapping[str, FolderSource], *, missing: str = MISSING[0]) -> LoadedScene:
    """Return the scene of a text; meshes come from the source of each model's prefix."""
    scene = _scene(json_of(text, name), name)
    versions = {"scene": scene.version, "arch": scene.arch.version if scene.arch else VERSIONS["arch"]}
    notes = [
        f"{part} is of version {versions[part]}, and {known} is read"
        for part, known in VERSIONS.items()
        if versions[part] != known
    ]
    if scene.front not in (FORWARDS, BACKWARDS):
        raise FileProblem(f"{name}: objectFrontVector: {list(scene.front)} is neither [0, -1, 0] nor [0, 1, 0]")
    if is_backwards := scene.front == BACKWARDS:
        notes.append("objectFrontVector is [0, 1, 0]: strict takes that side for the front, official ignores it")
    objects = [_object(model, name, sources, missing, notes) for model in scene.objects]
    turned = tuple(replace(thing, is_backwards=is_backwards) for thing in objects)
    built = None if scene.arch is None else _architecture(scene.arch, name)
    return LoadedScene(Scene(name, turned, built), {}, tuple(notes))


def parsed_state(value: Any, name: str, room: str) -> tuple[tuple[PlacedModel, ...], Architecture | None]:  # noqa: ANN401
    """Return the objects and the architecture of a state's JSON value, without meshes; floors may lack their room."""
    scene = _scene(value, name)
    return scene.objects, None if scene.arch is None else _architecture(scene.arch, name, room)


def _scene(value: Any, name: str) -> _Scene:  # noqa: ANN401  (whatever was in the file)
    try:
        scene = _State.model_validate(value).scene
    except ValidationError as error:
        raise problem_of(error, name, value, object="index") from None
    indices = [model.index for model in scene.objects]
    if twice := [index for index in indices if indices.count(index) > 1]:
        raise FileProblem(f"{name}: object {twice[0]}: index: two objects have it")
    return scene


def models_of(text: str, name: str, prefixes: Collection[str] = ()) -> list[tuple[str, str]]:
    """Return the prefix and the id of each asset that a scene names; none where it cannot be read."""
    try:
        listed = json_of(text, name)["scene"]["object"]
    except (FileProblem, KeyError, TypeError):
        return []
    models = [part.get("modelId") for part in objects_in(listed)]
    return [parts for model in models if isinstance(model, str) and all(parts := _parted(model, prefixes))]


def _parted(model: str, prefixes: Collection[str]) -> tuple[str, str]:
    """Return prefix and id: by the longest matching prefix, else by the first dot."""
    fitting = [prefix for prefix in prefixes if model.startswith(f"{prefix}.")]
    prefix = max(fitting, key=len, default=model.partition(".")[0])
    return prefix, model[len(prefix) + 1 :]


def _object(
    model: PlacedModel, name: str, sources: Mapping[str, FolderSource], missing: str, notes: list[str]
) -> Object:
    """Return an object with its mesh; the missing one of a box has its origin where the mesh has it."""
    where = f"{name}: object {model.index}"
    prefix, asset_id = _parted(model.model, sources)
    if not (prefix and asset_id):
        raise FileProblem(f"{where}: modelId: {model.model!r:.120} is not PREFIX.ID, as in objaverse.0a1b")
    if prefix not in sources:
        known = ", ".join(sources) or "none were given"
        hint = f"name its folder: --assets {prefix:.60}=DIR"
        raise FileProblem(f"{where}: modelId: no assets of {prefix!r:.60} are available (prefixes: {known})", hint=hint)
    asset = sources[prefix].asset(asset_id, f"{where}: modelId")
    shape: Shape
    if asset.mesh.is_file():
        shape = mesh_in(asset.mesh, where)
        shape = shape if asset.rotation is None else shape.moved(asset.rotation)
    elif missing == "box" and asset.box is not None:
        notes.append(f"{where}: {asset.mesh.name} is missing, and its box is taken")
        shape = box(*asset.box)
        if asset.based:
            shape = mesh_of(shape).moved((1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, asset.box[2] / 2, 0, 1))
    else:
        more = "; its source knows no box of it" if missing == "box" else ""
        hint = "" if missing == "box" else "with --missing box its box is taken, where its source knows one"
        raise FileProblem(f"{where}: modelId: there is no mesh {asset.mesh}{more}", hint=hint)
    matrix = model.transform.data
    if asset.stood_up:  # the mesh itself has y up: its y is where their z points, its z against their y
        matrix = (*matrix[:4], *matrix[8:12], *(-number for number in matrix[4:8]), *matrix[12:])
    object_id = f"idx{model.index}_{model.model}"
    return Object(object_id, shape, matrix, asset.category, asset.description, asset.mend_winding)


def _architecture(arch: _Arch, name: str, room: str | None = None) -> Architecture:
    """Return what is built; a ceiling is always made of the floors and walls."""
    floors, walls = list[Floor](), list[Wall]()
    for number, element in enumerate(arch.elements):
        where = f"{name}: architecture element {number if element.id is None else element.id}"
        kind, count = element.type.lower(), len(element.points)
        corners = [(point[0], point[1], point[2] if len(point) > 2 else 0.0) for point in element.points]
        if kind == "floor":
            if (room_id := room if element.room is None else element.room) is None:
                raise FileProblem(f"{where}: roomId: a floor needs one")
            if count < 3:
                raise FileProblem(f"{where}: points: a floor needs three corners or more, not {count}")
            floors.append(Floor(room_id, tuple(corners)))
        elif kind == "wall":
            if element.id is None:
                raise FileProblem(f"{where}: id: a wall needs one")
            if count != 2:
                raise FileProblem(f"{where}: points: a wall has two ends, not {count}")
            if element.height is None:
                raise FileProblem(f"{where}: height: a wall needs one")
            openings = []
            for hole in element.holes:
                opens = KINDS.get(hole.type.lower())
                if opens is None:
                    raise FileProblem(f"{where}: holes: {hole.type!r:.60} is neither Door nor Window")
                openings.append(Opening(opens, hole.box.min, hole.box.max))
            walls.append(Wall(str(element.id), corners[0], corners[1], element.height, tuple(openings)))
        elif kind != "ceiling":
            raise FileProblem(f"{where}: type: {element.type!r:.60} is none of Floor, Wall, Ceiling")
    return Architecture(tuple(floors), tuple(walls))
