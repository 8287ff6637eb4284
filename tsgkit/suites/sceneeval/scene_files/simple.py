"""Scenes in our own form, which can be written by hand (``"format": "tsgkit/room"``), and in GLB files.

>>> text = '''{"format": "tsgkit/room", "rooms": [{"name": "bedroom", "from": [0, 0], "to": [4, 3],
...   "openings": [{"wall": "south", "kind": "door", "at": 0.5, "width": 0.9, "height": 2.0}]}],
...   "objects": [{"id": "bed_1", "category": "bed", "size": [1.6, 2, 0.5], "at": [2, 1.9, 0], "yaw": 0},
...     {"id": "lamp_1", "category": "lamp", "attributes": ["red"], "at": [3.5, 2.7, 0], "parts": [
...       {"shape": "cylinder", "size": [0.05, 0.05, 1.2]},
...       {"shape": "cone", "size": [0.4, 0.4, 0.3], "at": [0, 0, 1.2]}]}]}'''
>>> room = read_simple(text, "scene_0", Path("."))
>>> [thing.id for thing in room.scene.objects], room.attributes["lamp_1"], room.scene.architecture.walls[0].id
(['bed_1', 'lamp_1'], ('red',), 'wall_bedroom_south')

Metres and degrees; x to the east, y to the north, z up. An object without yaw looks south (-y). Its ``size`` is how
wide (x), deep (y) and high it is before it is turned; ``at`` is the middle of its underside. Its shape is a ``shape``
(box, cylinder, cone, sphere) of that size, or ``parts``, each a shape whose ``at`` counts from the object's, or a
``mesh``: a GLB, OBJ or PLY file (y up, front +z) inside the folder of the room, put with its own origin at ``at``; a
``size`` beside it says what box stands for it where it is missing. A ``colour`` (``#c04030``) of an object or a part
is for images only. A rectangular room goes ``from`` its south-west corner ``to`` its north-east one; an opening lies
``at`` so many metres from the west (south) end of its wall, ``sill`` above the floor. ``held_by`` (ground, object,
wall, ceiling) and ``parent`` (the id of an object, or the name of a wall) keep what a generator put an object on;
scores measure it and do not read them. Other shapes are written as ``floors`` and ``walls``. Without any of these a
room is put around the objects.

In a self-contained GLB file every node is an object. The nodes of the file's scene are the objects; where the scene has
one node alone that has no mesh of its own, its children are. A node's ``extras`` may say ``category``, ``description``
and ``attributes``; without a category its name is one, without a number at its end (``dining_table_2``). The scene's
``extras`` may hold ``rooms``, ``floors`` and ``walls`` as the JSON form has them (metres, z up); without them a room is
put around the objects. Files that name other files are refused: nothing but the file is read.

>>> read_glb(b"no glb", "scene_0.glb")
Traceback (most recent call last):
tsgkit.errors.FileProblem: scene_0.glb: not a GLB file (it does not begin with glTF)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field, StrictStr, ValidationError, model_validator

from tsgkit.errors import FileProblem
from tsgkit.geometry import (
    Architecture,
    Floor,
    Mesh,
    Object,
    Opening,
    Primitive,
    Problem,
    Scene,
    Shape,
    Wall,
    box,
    standing,
)
from tsgkit.geometry.gltf import NotRead, PlainFile, chunks_of
from tsgkit.geometry.gltf import plain as plain_gltf
from tsgkit.geometry.libraries import np
from tsgkit.geometry.materials import joined, linear, plain
from tsgkit.geometry.meshes import FORMATS, Transform, matrix_of, mesh_of, mesh_of_file, stacked, transform_of
from tsgkit.suites.sceneeval.scene_files.files import FileModel, inside, json_of, mesh_in, problem_of
from tsgkit.suites.sceneeval.scene_files.loaded_scene import MISSING, LoadedScene

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats

FORMAT = "tsgkit/room"
HEIGHT = 2.6
UNPAINTED = "#b8b5b0"
"""The colour of parts without one, where other parts of their object have one."""
Far = Annotated[float, Field(ge=-1e4, le=1e4)]
Size = Annotated[float, Field(gt=0, le=1e4)]
Pair = tuple[Far, Far]
Point = tuple[Far, Far, Far]
Sizes = tuple[Size, Size, Size]
Name = Annotated[StrictStr, Field(min_length=1, max_length=200)]
Colour = Annotated[StrictStr, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Kind = Literal["box", "cylinder", "cone", "sphere"]
Side = Literal["south", "east", "north", "west"]


class OpeningGiven(FileModel):
    """A door or window of a wall."""

    kind: Literal["door", "window"]
    at: Annotated[float, Field(ge=0, le=1e4)]
    width: Size
    height: Size
    sill: Annotated[float, Field(ge=0, le=1e4)] = 0.0


class SidedOpening(OpeningGiven):
    """An opening in one of the four walls of a rectangular room."""

    wall: Side


class RoomGiven(FileModel):
    """A rectangular room."""

    name: Name = "room"
    start: Pair = Field(alias="from")
    end: Pair = Field(alias="to")
    height: Size = HEIGHT
    openings: tuple[SidedOpening, ...] = ()

    @model_validator(mode="after")
    def _goes_north_east(self) -> Self:
        if not (self.start[0] < self.end[0] and self.start[1] < self.end[1]):
            raise ValueError("a room goes from its south-west corner to its north-east one")
        return self


class FloorGiven(FileModel):
    """A floor of any outline."""

    room: Name
    points: Annotated[tuple[Pair, ...], Field(min_length=3)]


class WallGiven(FileModel):
    """A wall anywhere."""

    name: Name
    start: Pair = Field(alias="from")
    end: Pair = Field(alias="to")
    height: Size = HEIGHT
    openings: tuple[OpeningGiven, ...] = ()


class PartGiven(FileModel):
    """A part of an object; ``at`` is the centre of its underside, relative to that of the object."""

    shape: Kind = "box"
    size: Sizes
    at: Point = (0, 0, 0)
    colour: Colour | None = None


class ObjectGiven(FileModel):
    """An object."""

    id: Name
    category: Name
    description: StrictStr = ""
    attributes: tuple[Name, ...] | None = None
    shape: Kind = "box"
    size: Sizes | None = None
    parts: tuple[PartGiven, ...] = ()
    mesh: Name | None = None
    colour: Colour | None = None
    at: Point
    yaw: Annotated[float, Field(ge=-3600, le=3600)] = 0.0
    scale: Size = 1.0
    held_by: Literal["ground", "object", "wall", "ceiling"] | None = None
    parent: Name | None = None

    @model_validator(mode="after")
    def _has_one_shape(self) -> Self:
        if self.mesh is None and not self.parts and self.size is None:
            raise ValueError("a size, parts or a mesh is needed")
        if self.parts and (self.mesh is not None or self.size is not None):
            raise ValueError("parts have their own sizes: leave size and mesh out")
        return self


class SceneGiven(FileModel):
    """The whole file."""

    format: Literal["tsgkit/room"]
    note: StrictStr = ""
    rooms: tuple[RoomGiven, ...] = ()
    floors: tuple[FloorGiven, ...] = ()
    walls: tuple[WallGiven, ...] = ()
    objects: tuple[ObjectGiven, ...] = ()


def read_simple(text: str, name: str, folder: Path, *, missing: str = MISSING[0]) -> LoadedScene:
    """Return the scene of a text; meshes are read from the folder only."""
    value = json_of(text, name)
    try:
        room = SceneGiven.model_validate(value)
    except ValidationError as error:
        raise problem_of(error, name, value, objects="id") from None
    ids = [thing.id for thing in room.objects]
    if twice := next((object_id for object_id in ids if ids.count(object_id) > 1), None):
        raise FileProblem(f"{name}: object {twice}: id: two objects have it")
    notes = list[str]()
    objects = list[Object]()
    for thing in room.objects:
        shape, lift = _shape(thing, f"{name}: object {thing.id}", folder, missing, notes)
        x, y, z = thing.at
        transform = standing((x, y, z + lift * thing.scale), yaw=thing.yaw, scale=thing.scale)
        objects.append(Object(thing.id, shape, transform, thing.category, thing.description))
    attributes = {thing.id: thing.attributes for thing in room.objects if thing.attributes is not None}
    return LoadedScene(Scene(name, tuple(objects), architecture_of(room)), attributes, tuple(notes))


def architecture_of(scene: SceneGiven) -> Architecture | None:
    """Return the architecture; None if the file has none."""
    floors, walls = [], []
    for room in scene.rooms:
        (west, south), (east, north) = room.start, room.end
        corners = ((west, south, 0.0), (east, south, 0.0), (east, north, 0.0), (west, north, 0.0))
        floors.append(Floor(room.name, corners))
        # South and north run from west to east, west and east from south to north, so openings count from there.
        ends: dict[str, tuple[Pair, Pair]] = {
            "south": ((west, south), (east, south)),
            "east": ((east, south), (east, north)),
            "north": ((west, north), (east, north)),
            "west": ((west, south), (west, north)),
        }
        for side, (start, end) in ends.items():
            openings = _openings([opening for opening in room.openings if opening.wall == side])
            name = f"{room.name}_{side}".replace(" ", "_")
            walls.append(Wall(name, (*start, 0.0), (*end, 0.0), room.height, openings))
    floors += [Floor(floor.room, tuple((x, y, 0.0) for x, y in floor.points)) for floor in scene.floors]
    for wall in scene.walls:
        name, openings = wall.name.replace(" ", "_"), _openings(wall.openings)
        walls.append(Wall(name, (*wall.start, 0.0), (*wall.end, 0.0), wall.height, openings))
    return Architecture(tuple(floors), tuple(walls)) if floors or walls else None


def _openings(holes: Iterable[OpeningGiven]) -> tuple[Opening, ...]:
    return tuple(
        Opening(hole.kind, (hole.at, hole.sill), (hole.at + hole.width, hole.sill + hole.height)) for hole in holes
    )


def _shape(thing: ObjectGiven, where: str, folder: Path, missing: str, notes: list[str]) -> tuple[Shape, float]:
    """Return the shape of an object in its colour, and the height of the shape's origin above its underside."""
    if thing.parts:
        return _joined(thing.parts, thing.colour), 0.0
    shape: Shape
    wide, deep, high = thing.size or (0.0, 0.0, 0.0)
    lift = 0.0
    if thing.mesh is None:
        shape, lift = Primitive(thing.shape, (wide, deep, high)), high / 2
    else:
        path = inside(folder, thing.mesh, f"{where}: mesh")
        if path.suffix.lower().removeprefix(".") not in FORMATS:
            raise FileProblem(f"{where}: mesh: {path.name} is none of {', '.join(FORMATS)}")
        if path.is_file():
            shape = mesh_in(path, where, thing.id)
        elif missing == "box" and thing.size is not None:
            notes.append(f"object {thing.id}: {thing.mesh} is missing, and its box is taken")
            shape, lift = box(wide, deep, high), high / 2
        else:
            hint = "with --missing box its size is taken"
            hint = hint if thing.size else "give it a size to be taken with --missing box"
            raise FileProblem(f"{where}: mesh: there is no file {thing.mesh}", hint=hint)
    if thing.colour is None or (isinstance(shape, Mesh) and shape.paint is not None):
        return shape, lift
    mesh = mesh_of(shape)
    paint = plain(_light(thing.colour), len(mesh.vertices), len(mesh.faces))
    return Mesh.of(mesh.vertices, mesh.faces, paint), lift


def _light(colour: str) -> Sequence[float]:
    return [float(share) for share in linear([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])]


def _joined(parts: Sequence[PartGiven], colour: str | None) -> Mesh:
    """Return one surface of many parts, in the frame of asset files (y up, front +z)."""
    surfaces, paints = [], []
    for part in parts:
        mesh, (x, y, z) = mesh_of(Primitive(part.shape, part.size)), part.at
        surfaces.append((mesh.vertices + np.array([x, z + part.size[2] / 2, -float(y)]), mesh.faces))
        light = _light(part.colour or colour or UNPAINTED)
        paints.append(plain(light, len(mesh.vertices), len(mesh.faces)))
    is_painted = colour is not None or any(part.colour for part in parts)
    vertices, faces = stacked(surfaces)
    return Mesh.of(np.ascontiguousarray(vertices), faces, joined(paints) if is_painted else None)


def meshes_of(text: str, name: str, folder: Path) -> list[Path]:
    """Return the existing mesh files that a scene names in its folder; none if it cannot be read."""
    try:
        value = json_of(text, name)
        meshes = [thing.get("mesh") for thing in value["objects"] if isinstance(thing, dict)]
        paths = [inside(folder, mesh, name) for mesh in meshes if isinstance(mesh, str)]
    except (FileProblem, KeyError, TypeError):
        return []
    return [path for path in paths if path.is_file()]


MOST_NODES = 5000
FARTHEST = 1e9
BUILT = ("rooms", "floors", "walls")
_NUMBERED = re.compile(r"(?:(?<![\s_.-])[\s_.-]+|(?<!\d))\d+$")
UPRIGHT = ((1.0, 0, 0), (0, 0, -1.0), (0, 1.0, 0))
"""The rotation from the file's frame (y up) to ours (z up)."""


def read_glb(data: bytes, name: str) -> LoadedScene:
    """Return the room of a file."""
    content, file = _opened(data, name)
    nodes, scenes, which = _list(content, "nodes", name), _list(content, "scenes", name), content.get("scene", 0)
    if not (isinstance(which, int) and 0 <= which < len(scenes) and isinstance(scenes[which], dict)):
        raise FileProblem(f"{name}: scene: there is no scene {which!r:.40}")
    paths: list[tuple[int, ...]] = [(number,) for number in _list(scenes[which], "nodes", name)]
    if len(paths) == 1 and "mesh" not in (only := _node(nodes, paths[0][0], name)):
        paths = [(paths[0][0], child) for child in _list(only, "children", name)]
    if len(paths) > MOST_NODES:
        raise FileProblem(f"{name}: {len(paths):,} objects, and {MOST_NODES:,} are read at most")
    paths = [
        path for path in paths if any("mesh" in _node(nodes, below, name) for below in _below(nodes, path[-1], name))
    ]
    objects, names = list[Object](), set[str]()
    attributes: dict[str, tuple[str, ...]] = {}
    for path in paths:
        top = _node(file.content["nodes"], path[-1], name)
        own_name = str(top.get("name") or f"node_{path[-1]}")
        object_id = own_name if own_name not in names else f"{own_name}.{path[-1]}"
        where = f"{name}: object {object_id}"
        try:
            mesh = mesh_of_file(_alone(path[-1], file, name), object_id)
        except NotRead as error:
            raise FileProblem(f"{where}: mesh: {error}") from None
        if isinstance(mesh, Problem):
            raise FileProblem(f"{where}: mesh: {mesh.message}")
        extras = _extras(top)
        category = str(extras.get("category") or _NUMBERED.sub("", own_name).replace("_", " "))
        if isinstance(listed := extras.get("attributes"), list):
            attributes[object_id] = tuple(map(str, listed))
        transform = _place([_node(file.content["nodes"], number, name) for number in path], where)
        objects.append(Object(object_id, mesh, transform, category, str(extras.get("description") or "")))
        names.add(object_id)
    built = {key: part for key, part in _extras(scenes[which]).items() if key in BUILT}
    try:
        architecture = architecture_of(SceneGiven.model_validate({"format": FORMAT, **built}))
    except ValidationError as error:
        raise problem_of(error, f"{name}: extras of the scene") from None
    return LoadedScene(Scene(name, tuple(objects), architecture), attributes)


def _opened(data: bytes, name: str) -> tuple[dict[str, Any], PlainFile]:
    """Return the JSON of a file, and the file made plain."""
    try:
        text, binary = chunks_of(data)
        content = json_of(text.decode("utf-8"), name)
        if not isinstance(content, dict):
            raise FileProblem(f"{name}: the JSON of the GLB file is no object")
        for field in ("buffers", "images"):
            for part in _list(content, field, name):
                uri = part.get("uri") if isinstance(part, dict) else None
                if isinstance(uri, str) and not uri.startswith("data:"):
                    hint = "pack it into one file"
                    raise FileProblem(f"{name}: {field}: it names another file ({uri!r:.80})", hint=hint)
        return content, plain_gltf(content, binary)
    except UnicodeDecodeError:
        raise FileProblem(f"{name}: the JSON of the GLB file is not UTF-8") from None
    except NotRead as error:
        raise FileProblem(f"{name}: {error}") from None


def _list(content: Mapping[str, Any], field: str, name: str) -> list[Any]:
    if not isinstance(listed := content.get(field, []), list):
        raise FileProblem(f"{name}: {field}: a list is needed")
    return listed


def _node(nodes: Sequence[Any], number: object, name: str) -> dict[str, Any]:
    if not (isinstance(number, int) and 0 <= number < len(nodes) and isinstance(nodes[number], dict)):
        raise FileProblem(f"{name}: nodes: there is no node {number!r:.40}")
    node: dict[str, Any] = nodes[number]
    return node


def _extras(of: Mapping[str, Any]) -> Mapping[str, Any]:
    extras = of.get("extras")
    return extras if isinstance(extras, dict) else {}


def _below(nodes: list[Any], top: int, name: str) -> list[int]:
    """Return a node and all below it."""
    below: list[int] = []
    waiting = [top]
    while waiting:
        number = waiting.pop()
        if number in below:
            raise FileProblem(f"{name}: nodes: node {number} is its own descendant, or has two parents")
        below.append(number)
        waiting += _list(_node(nodes, number, name), "children", name)
    return below


def _alone(top: int, file: PlainFile, name: str) -> PlainFile:
    """Return a file that holds one object, at the origin."""
    nodes, meshes = file.content["nodes"], file.meshes
    kept = _below(nodes, top, name)
    mesh_numbers = [nodes[number]["mesh"] for number in kept if "mesh" in nodes[number]]
    used = sorted({number for number in mesh_numbers if type(number) is int and 0 <= number < len(meshes)})
    if not all(type(number) is int and number in used for number in mesh_numbers):
        raise FileProblem(f"{name}: nodes: node {top} names a mesh that is not there")
    new = []
    for number in kept:
        node = {key: nodes[number][key] for key in _KEPT if key in nodes[number] and (number != top or key == "mesh")}
        if "mesh" in node:
            node["mesh"] = used.index(node["mesh"])
        if children := nodes[number].get("children"):
            node["children"] = [kept.index(child) for child in children]
        new.append(node)
    return file.part(used, new)


_KEPT = ("mesh", "matrix", "translation", "rotation", "scale")


def _place(path: Sequence[Mapping[str, Any]], where: str) -> Transform:
    """Return the node's place in our world, column by column."""
    matrix = np.eye(4)
    matrix[:3, :3] = UPRIGHT
    for node in path:
        # Rows are added up in order: the product of numpy rounds differently on different processors.
        matrix = (matrix[:, :, None] * _matrix(node, where)[None]).sum(axis=1)
    return transform_of(matrix)


def _matrix(node: Mapping[str, Any], where: str) -> Floats:
    if "matrix" in node:
        return matrix_of(tuple(_numbers(node, "matrix", [0.0] * 16, where)))
    shift = _numbers(node, "translation", [0.0, 0, 0], where)
    x, y, z, w = _numbers(node, "rotation", [0.0, 0, 0, 1], where)
    scale = _numbers(node, "scale", [1.0, 1, 1], where)
    turn = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = np.array(turn) * scale, shift
    return matrix


def _numbers(node: Mapping[str, Any], field: str, default: list[float], where: str) -> list[float]:
    numbers = node.get(field, default)
    is_list = isinstance(numbers, list) and len(numbers) == len(default)
    if not is_list or not all(isinstance(number, int | float) and abs(number) <= FARTHEST for number in numbers):
        raise FileProblem(f"{where}: {field}: {len(default)} numbers up to {FARTHEST:g} are needed")
    return [float(number) for number in numbers]
