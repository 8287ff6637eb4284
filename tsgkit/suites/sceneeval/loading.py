"""The scene of an id in a folder: ``scene_<ID>.json`` (published scene state, or our own form) or ``scene_<ID>.glb``.

Nothing outside the folder, and the asset folders that were given, is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tsgkit.errors import FileProblem
from tsgkit.library.files import read_bytes, read_text
from tsgkit.suites.sceneeval.assets import AssetSource
from tsgkit.suites.sceneeval.folders import inside, plain_id
from tsgkit.suites.sceneeval.furnished import MISSING, Furnished, json_of
from tsgkit.suites.sceneeval.glb import read_glb
from tsgkit.suites.sceneeval.simple import FORMAT as OURS
from tsgkit.suites.sceneeval.simple import read_simple
from tsgkit.suites.sceneeval.states import FORMAT as STATE
from tsgkit.suites.sceneeval.states import read_state

ENDINGS = (".json", ".glb")


def name_of(item_id: str) -> str:
    """How the file of an id is called, its ending apart."""
    return f"scene_{item_id}"


def scene_file(folder: Path, item_id: str) -> Path | None:
    """The file of an id; None where there is none. A link that leads out of the folder is refused."""
    name = name_of(plain_id(item_id, f"{folder}: scene"))
    found = [inside(folder, name + ending, str(folder)) for ending in ENDINGS if (folder / (name + ending)).exists()]
    if len(found) > 1:
        raise FileProblem(f"{folder}: {name} is there twice: {' and '.join(path.name for path in found)}")
    if found and not found[0].is_file():
        raise FileProblem(f"{found[0].name}: this is no file, but a folder or a device")
    return found[0] if found else None


def read_scene(path: Path, sources: Sequence[AssetSource] = (), *, missing: str = MISSING[0]) -> Furnished:
    """The scene in a file; ``FileProblem`` names the object and the field that are wrong."""
    if path.suffix.lower() == ".glb":
        return read_glb(read_bytes(path), path.name)
    text = read_text(path)
    if path.suffix.lower() == ".csv":
        raise FileProblem(f"{path.name}: a room is a JSON or GLB file", hint="tsgkit scene check reads annotations")
    form = _form(text, path.name)
    if form == STATE:
        return read_state(text, path.name, _by_prefix(sources), missing=missing)
    if form == OURS:
        return read_simple(text, path.name, path.parent, missing=missing)
    if form is None:
        hint = "scenes of other tools become rooms by tsgkit scene convert"
        raise FileProblem(f"{path.name}: this is no room: its format is not said, as {STATE} or {OURS}", hint=hint)
    raise FileProblem(f"{path.name}: format: {form!r:.60} is neither {STATE} nor {OURS}")


def _form(text: str, name: str) -> object:
    value = json_of(text, name)
    if not isinstance(value, dict):
        raise FileProblem(f"{name}: a scene is an object with a field format")
    return value.get("format")


def _by_prefix(sources: Sequence[AssetSource]) -> Mapping[str, AssetSource]:
    return {source.prefix: source for source in sources}
