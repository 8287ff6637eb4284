"""A self-contained GLB file as a scene: every node is an object.

The nodes of the file's scene are the objects; where the scene has one node alone that has no mesh of its own, its
children are. A node's ``extras`` may say ``category``, ``description`` and ``attributes``; without a category its name
is one, without a number at its end (``dining_table_2``). The scene's ``extras`` may hold ``rooms``, ``floors`` and
``walls`` as :mod:`~tsgkit.suites.sceneeval.scene_files.simple` has them (metres, z up); without them a room is put
around the objects. Files that name other files are refused: nothing but the file is read.

>>> read_glb(b"no glb", "scene_0.glb")
Traceback (most recent call last):
tsgkit.errors.FileProblem: scene_0.glb: not a GLB file (it does not begin with glTF)
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from tsgkit.errors import FileProblem
from tsgkit.geometry import Object, Problem, Scene
from tsgkit.geometry.gltf import NotRead, PlainFile, chunks_of, plain
from tsgkit.geometry.libraries import np
from tsgkit.geometry.meshes import Transform, matrix_of, mesh_of_file, transform_of
from tsgkit.suites.sceneeval.scene_files.files import json_of, problem_of
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.scene_files.simple import FORMAT, SceneGiven, architecture_of

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats

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
        return content, plain(content, binary)
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
