"""Access to users' files: paths that stay in their folder, ids as file names, validated JSON.

>>> inside(Path("rooms"), "../secret.glb", "scene_1.json: object lamp_1: mesh")
Traceback (most recent call last):
tsgkit.errors.FileProblem: scene_1.json: object lamp_1: mesh: '../secret.glb' is outside its folder
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, ValidationError

from tsgkit.errors import FileProblem, NotationError
from tsgkit.geometry import Mesh, Problem, read_mesh
from tsgkit.graph.notation.json_triplets import load
from tsgkit.library.files import read_bytes

LOOKS = frozenset({".mtl", ".png", ".jpg", ".jpeg", ".bin"})
"""Endings of the files beside a mesh that belong to it: materials, textures and the buffers of glTF."""
LONGEST_PART, LONGEST_PATH = 255, 2000
"""Bytes of the name of a file, and of its path in a folder; systems take 255 and some 4,000."""
LONGEST = 100
"""Characters of an id in the other spelling."""
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
"""An id that may become part of a file name."""


def inside(folder: Path, name: str, where: str, *, any_text: bool = False) -> Path:
    """Return the path of a name in a folder, links followed; ``FileProblem`` where it leads elsewhere.

    Names with backslashes and colons lead elsewhere on some systems; ``any_text`` takes them where they do not here.
    """
    parts = PurePosixPath(name).parts
    odd = "\0" in name or not parts or (not any_text and ("\\" in name or ":" in name))
    if odd or PurePosixPath(name).is_absolute() or ".." in parts:
        raise FileProblem(f"{where}: {name!r:.200} is outside its folder", hint="name a file inside it, with slashes")
    path = folder.joinpath(*parts)
    try:
        is_inside = path.resolve().is_relative_to(folder.resolve())
        path.exists()  # a name that is too long raises here, and not where the file is used
    except (OSError, RuntimeError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        raise FileProblem(f"{where}: {name!r:.200} cannot be followed: {why}") from None
    if not is_inside:
        raise FileProblem(f"{where}: {name!r:.200} is a link to outside its folder")
    return path


def plain_id(text: str, where: str) -> str:
    """Return an id that is safe in a file name."""
    if not NAME.fullmatch(text) or ".." in text:
        hint = "letters, digits, hyphens, underscores and dots"
        raise FileProblem(f"{where}: {text!r:.120} cannot be a file name", hint=hint)
    return text


def file_of_asset(folder: Path, asset_id: str, name_of: Callable[[str], str], where: str) -> Path:
    """Return the file of an asset id in a folder; ``named`` is the form of its name.

    An id that no path inside the folder can be made of (``../lamp``, a name too long) stands there in another spelling,
    with its odd characters as percent signs and numbers. A link that is outside the folder is refused.
    """
    is_path = _is_path_in(folder, name_of(asset_id))
    return inside(folder, name_of(asset_id if is_path else spelt(asset_id)), where, any_text=True)


def _is_path_in(folder: Path, name: str) -> bool:
    """Return whether a file inside a folder can have this name, with slashes for folders in it."""
    parts = PurePosixPath(name).parts
    if "\0" in name or ".." in parts or not folder.joinpath(*parts).is_relative_to(folder):
        return False
    try:
        sizes = [len(os.fsencode(part)) for part in parts]
    except UnicodeEncodeError:
        return False
    return max(sizes) <= LONGEST_PART and sum(sizes) + len(sizes) <= LONGEST_PATH


def spelt(asset_id: str) -> str:
    """Return an id as a name that any file can have, another for every id.

    >>> spelt("../lamp")[:10]
    '..%2Flamp-'
    """
    digest = hashlib.sha256(asset_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{quote(asset_id, safe=' ', errors='surrogatepass')[:LONGEST]}-{digest}"


class LooksBeside(Mapping[str, bytes]):
    """The materials and textures in the folder of a mesh by name, read on access."""

    def __init__(self, mesh: Path) -> None:
        self._folder = mesh.parent

    def __getitem__(self, name: str) -> bytes:
        try:
            path = inside(self._folder, name, str(self._folder))
            if path.suffix.lower() in LOOKS and path.is_file():
                return read_bytes(path)
        except FileProblem:
            raise KeyError(name) from None
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (path.name for path in sorted(self._folder.iterdir()) if path.suffix.lower() in LOOKS)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def named_in(self, data: bytes) -> list[Path]:
        """Return those whose names occur in a file, and in the materials that it names."""
        names = {name for name in self if name.encode() in data}
        materials = [read_bytes(self._folder / name) for name in names if name.lower().endswith(".mtl")]
        names |= {name for name in self for text in materials if name.encode() in text}
        return [self._folder / name for name in sorted(names)]


def mesh_in(path: Path, where: str, name: str = "") -> Mesh:
    """Return the mesh of a file, with the looks beside it; its own problems name the object, else the place."""
    ending = path.suffix.lower().removeprefix(".")
    mesh = read_mesh(read_bytes(path), ending, where=name or where, beside=LooksBeside(path))
    if isinstance(mesh, Problem):
        raise FileProblem(f"{where}: mesh: {mesh.message}")
    return mesh


class FileModel(BaseModel):
    """A model of file content: invalid numbers are refused, and so are unknown fields in our own form."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def json_of(text: str, where: str) -> Any:  # noqa: ANN401  (as JSON has it)
    """Return the JSON value of a text; ``FileProblem`` names the line."""
    try:
        return load(text)
    except NotationError as error:
        raise FileProblem(f"{where}: {error}") from None


def objects_in(listed: object) -> list[dict[str, Any]]:
    """Return the JSON objects of a list; none of another value."""
    return [part for part in listed if isinstance(part, dict)] if isinstance(listed, list) else []


def problem_of(error: ValidationError, where: str, value: object = None, **keys: str) -> FileProblem:
    """Return the first thing that is wrong in a value, with its field and its object.

    ``keys`` are the lists of objects, each with the field that names one in messages; others have their number there.
    """
    first = error.errors(include_url=False, include_input=False)[0]
    location = list(first["loc"])
    for end, (name, number) in enumerate(pairwise(location), 2):
        if name in keys and isinstance(number, int):
            thing: Any = value
            for part in location[:end]:
                thing = thing[part]
            own_name = thing.get(keys[str(name)]) if isinstance(thing, dict) else None
            location[:end] = [f"object {own_name if isinstance(own_name, str | int) else f'number {number}'!s:.80}"]
            break
    message = "Input should be an object with fields" if first["type"] == "model_type" else first["msg"]
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return FileProblem(": ".join([where, *map(str, location), message]) + more)
