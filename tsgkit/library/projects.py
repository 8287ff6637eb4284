"""Projects: folders with ``tasks``, ``prompts`` and ``eval``. The shipped one is the first.

Declarations are looked up by their path in this order: given folders, the working project (the nearest folder at or
above the working one that has all three), the shipped one, packages that add suites.

>>> find("tasks", "tsg/examples/tea.jsonl").name
'tea.jsonl'

In a wheel the shipped folders are inside the package as ``tsgkit/_bundled``; in an editable install they are those of
the checkout. The result is a ``Traversable``, not a path, so that zip imports work too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import decoded, read_text, write_text

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from importlib.resources.abc import Traversable

ROOMS = ("tasks", "prompts", "eval")


def bundled(room: str) -> Traversable:
    """Return the shipped folder of this name."""
    from importlib.resources import files

    if room not in ROOMS:
        raise UsageError(f"there is no folder {room!r} in a project", hint=f"its folders: {', '.join(ROOMS)}")
    package = files("tsgkit")
    shipped = package / "_bundled" / room
    if shipped.is_dir():
        return shipped
    if isinstance(package, Path) and (package.parent / "pyproject.toml").is_file():
        checkout = package.parent / room
        if checkout.is_dir():
            return checkout
    raise UsageError(f"tsgkit was installed without its folder {room!r}", hint="install it from a released wheel")


def portable(file: str) -> str:
    """Return the path of a shipped file within what is shipped, the same on every machine; any other as it is."""
    path, root = Path(file), Path(str(bundled("tasks"))).parent
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else file


def entry_points(*, group: str) -> tuple[EntryPoint, ...]:
    """Return what installed packages name in a group.

    Python's own look at all packages takes as long as everything else that ``tsgkit --help`` does, so it is left out
    where no file of a package names the group.
    """
    path = tuple(sys.path)
    if (path, group) not in _ENTRY_POINTS:
        folders = list(map(Path, path))
        files = (file for folder in folders for file in folder.glob("*.*-info/entry_points.txt"))
        is_possible = any(folder.is_file() for folder in folders)  # an archive
        if is_possible or any(group.encode() in file.read_bytes() for file in files):
            from importlib import metadata

            _ENTRY_POINTS[path, group] = tuple(metadata.entry_points(group=group))
        else:
            _ENTRY_POINTS[path, group] = ()
    return _ENTRY_POINTS[path, group]


_ENTRY_POINTS: dict[tuple[tuple[str, ...], str], tuple[EntryPoint, ...]] = {}


def installed_suites() -> tuple[EntryPoint, ...]:
    """Return the entry points of all suites that packages add, by name."""
    suites = {point.name: point for point in reversed(entry_points(group="tsgkit.suites"))}
    return tuple(suites[name] for name in sorted(suites))


def rooms_of_suites(room: str) -> Iterator[Path]:
    """Yield the folders with this name in packages that add suites, without importing them."""
    for point in installed_suites():
        spec = find_spec(point.module.partition(".")[0])
        for location in (spec.submodule_search_locations or ()) if spec else ():
            if (folder := Path(location) / room).is_dir():
                yield folder


def is_project(folder: Path) -> bool:
    """Return whether a folder holds all three rooms."""
    return all((folder / room).is_dir() for room in ROOMS)


def working_project(start: Path | None = None) -> Path | None:
    """Return the nearest project at or above a folder, by default the working one."""
    start = (start or Path.cwd()).resolve()
    return next((folder for folder in (start, *start.parents) if is_project(folder)), None)


def search_path(room: str, folders: Sequence[Path] = (), start: Path | None = None) -> Iterator[Traversable]:
    """Yield the folders in which a kind of declaration is looked up, first to last."""
    shipped = bundled(room)
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder")
        yield folder / room if (folder / room).is_dir() else folder
    if project := working_project(start):
        yield project / room
    yield shipped
    yield from rooms_of_suites(room)


def find(room: str, name: str, folders: Sequence[Path] = (), start: Path | None = None) -> Traversable:
    """Return the first file or folder with this name (``tsg/sgqa.yaml``) on the search path."""
    parts = PurePosixPath(name).parts
    if not parts or PurePosixPath(name).is_absolute() or ".." in parts:
        raise UsageError(f"{name!r} is no name inside {room}", hint="name it as in tsg/sgqa.yaml")
    tried = []
    for room_folder in search_path(room, folders, start):
        candidate = room_folder.joinpath(*parts)
        if candidate.is_file() or candidate.is_dir():
            return candidate
        tried.append(str(room_folder))
    raise UsageError(f"{room} has no {name}", hint=f"looked in: {', '.join(dict.fromkeys(tried))}")


def text_of(file: Traversable) -> str:
    """Return the text of a file of a project, wherever that lies."""
    return read_text(file) if isinstance(file, Path) else decoded(file.read_bytes(), str(file))


STARTER = {
    "README.md": "README.md",
    "actions.yaml": "tasks/my/actions.yaml",
    "actions.jsonl": "tasks/my/data/actions.jsonl",
    "statement.txt": "prompts/my/actions/statement.txt",
    "first.yaml": "eval/plans/first.yaml",
    "parts.txt": "parts.py",
}
"""The files of the starter, and where a project has them."""


def start_project(folder: Path) -> tuple[Path, ...]:
    """Write a small project that runs at once into a new or empty folder, and return the paths of its files in it.

    >>> import tempfile
    >>> [str(path) for path in start_project(Path(tempfile.mkdtemp()) / "mine")][:2]
    ['README.md', 'tasks/my/actions.yaml']
    """
    if folder.is_file():
        raise FileProblem(f"{folder}: this is a file", hint="name a new folder")
    if folder.is_dir() and any(folder.iterdir()):
        what = "a project lies here already" if is_project(folder) else "the folder is not empty"
        raise UsageError(f"{folder}: {what}", hint="name a new folder; nothing was written")
    from importlib.resources import files

    starter = files("tsgkit") / "library" / "starter"
    written = []
    for name, destination in STARTER.items():
        path = folder / destination
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileProblem(f"{path.parent}: cannot be made: {error.strerror}") from None
        write_text(path, (starter / name).read_text(encoding="utf-8"))
        written.append(Path(destination))
    (folder / "eval/reference").mkdir(parents=True, exist_ok=True)
    return tuple(written)
