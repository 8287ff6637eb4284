"""A folder of scenes: ``scene_<ID>.json`` (published scene state, or our own form) or ``scene_<ID>.glb`` for each id.

>>> [piece.name for piece in pieces_of_scene(Path("rooms/scene_0.glb"), ())]
['scene_0.glb']
>>> objects = '[{"id": "bed_1", "size": [2, 1.6, 0.5]}, {"id": "cup_1", "mesh": "cup.glb"}]'
>>> are_boxes('{"format": "tsgkit/room", "objects": ' + objects + '}', "scene_0.json", {})
[True, False]

Nothing outside the folder, and the asset folders that were given, is read. Assets that were made for a scene lie in
``scene_<ID>/assets`` beside its file, and are found without being given. What a scene is made of has names that stay
when folders move: they decide whether two runs saw the same. Collections of assets are large: only the meshes that the
scene names are included, with their textures and materials, and what the collection's tables say of these assets.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import read_bytes, read_text
from tsgkit.suites.sceneeval.scene_files.assets import FolderSource
from tsgkit.suites.sceneeval.scene_files.files import LooksBeside, inside, json_of, plain_id
from tsgkit.suites.sceneeval.scene_files.loaded_scene import MISSING, LoadedScene
from tsgkit.suites.sceneeval.scene_files.simple import FORMAT as OURS
from tsgkit.suites.sceneeval.scene_files.simple import meshes_of, read_glb, read_simple
from tsgkit.suites.sceneeval.scene_files.states import FORMAT as STATE
from tsgkit.suites.sceneeval.scene_files.states import models_of, read_state
from tsgkit.suites.task import JudgedContent

ENDINGS = (".json", ".glb")


def name_of(item_id: str) -> str:
    """Return how the file of an id is called, its ending apart."""
    return f"scene_{item_id}"


def scene_file(folder: Path, item_id: str) -> Path | None:
    """Return the file of an id; None where there is none. A link that is outside the folder is refused."""
    name = name_of(plain_id(item_id, f"{folder}: scene"))
    paths = [inside(folder, name + ending, str(folder)) for ending in ENDINGS if (folder / (name + ending)).exists()]
    if len(paths) > 1:
        raise FileProblem(f"{folder}: {name} is there twice: {' and '.join(path.name for path in paths)}")
    if paths and not paths[0].is_file():
        raise FileProblem(f"{paths[0].name}: this is no file, but a folder or a device")
    return paths[0] if paths else None


def read_scene(path: Path, sources: Sequence[FolderSource] = (), *, missing: str = MISSING[0]) -> LoadedScene:
    """Return the scene in a file; ``FileProblem`` names the object and the field that are wrong."""
    if path.suffix.lower() == ".glb":
        return read_glb(read_bytes(path), path.name)
    text = read_text(path)
    if path.suffix.lower() == ".csv":
        raise FileProblem(f"{path.name}: a scene is a JSON or GLB file", hint="tsgkit scene check reads annotations")
    value = json_of(text, path.name)
    if not isinstance(value, dict):
        raise FileProblem(f"{path.name}: a scene is an object with a field format")
    form = value.get("format")
    if form == STATE:
        return read_state(text, path.name, _by_prefix(path, text, sources), missing=missing)
    if form == OURS:
        return read_simple(text, path.name, path.parent, missing=missing)
    if form is None:
        hint = "scenes of other tools become rooms by tsgkit scene convert"
        raise FileProblem(
            f"{path.name}: this is not a scene: its field format is missing, as {STATE} or {OURS}", hint=hint
        )
    raise FileProblem(f"{path.name}: format: {form!r:.60} is neither {STATE} nor {OURS}")


def _by_prefix(path: Path, text: str, sources: Iterable[FolderSource]) -> dict[str, FolderSource]:
    """Return the sources by prefix, and for other prefixes the assets that lie beside the scene."""
    by_prefix = {source.prefix: source for source in sources}
    assets = path.parent / path.stem / "assets"
    for prefix, asset_id in models_of(text, path.name, by_prefix) if assets.is_dir() else ():
        if prefix not in by_prefix:
            by_prefix[prefix] = FolderSource(prefix, path.parent if "__" in asset_id else assets)
    return by_prefix


def pieces_of_scene(path: Path, sources: Sequence[FolderSource]) -> Iterator[JudgedContent]:
    """Yield a scene's file, the meshes beside it that it names, and the assets that it names."""
    yield JudgedContent(path.name, path)
    if path.suffix.lower() == ".glb":
        return
    try:
        text = read_text(path)
    except FileProblem:  # told when the scene is looked at, as the reason why it cannot be read
        return
    for mesh in dict.fromkeys(meshes_of(text, path.name, path.parent)):
        yield from _mesh(mesh, path.parent, "")
    by_prefix = _by_prefix(path, text, sources)
    for prefix, asset_id in dict.fromkeys(models_of(text, path.name, by_prefix)):
        try:
            source = by_prefix[prefix]
            asset = source.asset(asset_id, asset_id)
        except (FileProblem, KeyError):  # said when the scene is read
            continue
        known = (asset.category, asset.description, asset.rotation, asset.box, asset.mend_winding)
        yield JudgedContent(f"{source.name}={asset_id}", json.dumps(known))
        if asset.mesh.is_file():
            yield from _mesh(asset.mesh, source.folder, f"{source.name}/")


def _mesh(mesh: Path, folder: Path, before: str) -> Iterator[JudgedContent]:
    for path in (mesh, *LooksBeside(mesh).named_in(read_bytes(mesh))):
        yield JudgedContent(f"{before}{path.relative_to(folder).as_posix()}", path)


LOOKS = ("mesh", "parts", "colour")
"""Fields that give an object its own appearance."""
ASK_NOBODY = ("script:", "replay:")
"""Prefixes of judges that look at no image."""


def check_boxes(folder: Path, name: str, item_ids: Iterable[str], sources: Sequence[FolderSource]) -> None:
    """Raise ``UsageError`` if most objects of a folder's scenes are bare boxes."""
    boxes = list[bool]()
    for item_id in item_ids:
        with suppress(FileProblem):  # said when the scene is read
            path = scene_file(folder, item_id)
            if path is not None and path.suffix.lower() == ".json":
                text = read_text(path)
                boxes += are_boxes(text, path.name, _by_prefix(path, text, sources))
    if 2 * sum(boxes) > len(boxes):
        raise UsageError(
            f"{name}: {sum(boxes):,} of {len(boxes):,} objects are bare boxes, as conversions leave them: "
            "a model would be shown boxes, and judge those",
            hint="give them their meshes (scene convert --to state, then --assets LAYOUT=DIR), take --judge rules, "
            "or give --boxes to let a model judge boxes",
        )


def are_boxes(text: str, name: str, sources: Mapping[str, FolderSource]) -> list[bool]:
    """Return which objects of a scene are bare boxes: in a published state those whose meshes are missing."""
    value = json_of(text, name)
    objects = value.get("objects") if isinstance(value, dict) else None
    if isinstance(objects, list):
        return [
            isinstance(thing, dict) and thing.get("shape", "box") == "box" and not any(map(thing.get, LOOKS))
            for thing in objects
        ]
    return [
        prefix not in sources or not sources[prefix].asset(asset_id, name).mesh.is_file()
        for prefix, asset_id in models_of(text, name, sources)
    ]
