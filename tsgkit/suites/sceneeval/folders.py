"""Paths inside a folder that somebody gave: what leads out of it is refused, by whatever detour.

>>> inside(Path("rooms"), "../secret.glb", "scene_1.json: object lamp_1: mesh")
Traceback (most recent call last):
tsgkit.errors.FileProblem: scene_1.json: object lamp_1: mesh: '../secret.glb' leads out of its folder
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from tsgkit.errors import FileProblem
from tsgkit.library.files import read_bytes

LOOKS = frozenset({".mtl", ".png", ".jpg", ".jpeg"})
"""Endings of the files that say how a mesh beside them looks."""
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}")
"""An id that may become part of a file name."""


def inside(folder: Path, name: str, where: str) -> Path:
    """The path of a name in a folder, links followed; ``FileProblem`` where it leads elsewhere."""
    parts = PurePosixPath(name).parts
    odd = "\\" in name or "\0" in name or ":" in name or not parts
    if odd or PurePosixPath(name).is_absolute() or ".." in parts:
        raise FileProblem(f"{where}: {name!r:.200} leads out of its folder", hint="name a file inside it, with slashes")
    path = folder.joinpath(*parts)
    try:
        is_inside = path.resolve().is_relative_to(folder.resolve())
        path.exists()  # a name too long for any file is told here, and not where the file is wanted
    except (OSError, RuntimeError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        raise FileProblem(f"{where}: {name!r:.200} cannot be followed: {why}") from None
    if not is_inside:
        raise FileProblem(f"{where}: {name!r:.200} is a link that leads out of its folder")
    return path


def plain_id(text: str, where: str) -> str:
    """An id that is safe in a file name."""
    if not NAME.fullmatch(text) or ".." in text:
        hint = "letters, digits, hyphens, underscores and dots"
        raise FileProblem(f"{where}: {text!r:.120} is no id that a file can be named by", hint=hint)
    return text


class LooksBeside(Mapping[str, bytes]):
    """The materials and textures in the folder of a mesh, by name, read when they are asked for."""

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
        """Those whose names occur in a file, and in the materials that it names."""
        found = {name for name in self if name.encode() in data}
        materials = [read_bytes(self._folder / name) for name in found if name.lower().endswith(".mtl")]
        found |= {name for name in self for text in materials if name.encode() in text}
        return [self._folder / name for name in sorted(found)]
