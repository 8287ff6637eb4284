"""Projects: any folder with ``tasks``, ``prompts`` and ``eval`` in it; the shipped one is the first.

Things are looked up by their path inside a room, in this order: folders the caller names, then the working project
(the nearest folder at or above the working one that holds all three rooms), then the shipped one.

>>> find("tasks", "tsg/examples/tea.jsonl").name
'tea.jsonl'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.resources import as_file
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from tsgkit.errors import UsageError
from tsgkit.library.bundled import ROOMS, bundled
from tsgkit.library.files import read_text


def is_project(folder: Path) -> bool:
    """Whether a folder holds all three rooms."""
    return all((folder / room).is_dir() for room in ROOMS)


def working_project(start: Path | None = None) -> Path | None:
    """The nearest project at or above a folder, by default the working one."""
    start = (start or Path.cwd()).resolve()
    return next((folder for folder in (start, *start.parents) if is_project(folder)), None)


def search_path(room: str, folders: Sequence[Path] = (), start: Path | None = None) -> Iterator[Traversable]:
    """The folders in which things of a room are looked up, first to last."""
    shipped = bundled(room)
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder")
        yield folder / room if (folder / room).is_dir() else folder
    if project := working_project(start):
        yield project / room
    yield shipped


def find(room: str, name: str, folders: Sequence[Path] = (), start: Path | None = None) -> Traversable:
    """The first file or folder of this name (``tsg/sgqa.yaml``) on the search path of a room."""
    parts = PurePosixPath(name).parts
    if not parts or PurePosixPath(name).is_absolute() or ".." in parts:
        raise UsageError(f"{name!r} is no name inside {room}", hint="name it as in tsg/sgqa.yaml")
    tried = []
    for place in search_path(room, folders, start):
        found = place.joinpath(*parts)
        if found.is_file() or found.is_dir():
            return found
        tried.append(str(place))
    raise UsageError(f"{room} has no {name}", hint=f"looked in: {', '.join(dict.fromkeys(tried))}")


def text_of(found: Traversable) -> str:
    """The text of a file that was found, wherever the project lies."""
    with as_file(found) as path:
        return read_text(path)
