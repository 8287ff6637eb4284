"""Conversion of files and folders, one by one; a bad file is a named failure and does not stop the others.

>>> id_of("scene_12"), id_of("a_bedroom_7"), id_of("A tiny den")
('12', '7', 'A_tiny_den')

Every scene gets the id its file gives it, else the number at the end of the file's name (after ``_``, as the published
tool counts), else that name. Nothing is written here but ``scene_<ID>.json``, whole or not at all, and nothing that is
there already is replaced unless that was asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import read_text, write_text
from tsgkit.library.overwrites import refuse_to_overwrite
from tsgkit.suites.sceneeval.converters.arrangements import Loss
from tsgkit.suites.sceneeval.converters.registry import converter_of, is_companion, recognised
from tsgkit.suites.sceneeval.converters.source import Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Converted, Scenes, Unconverted
from tsgkit.suites.sceneeval.scene_files.files import plain_id

ENDINGS = (".json", ".txt", ".css")
MOST_BYTES = 32 * 2**20
MOST_BESIDE = 200
Companions = dict[tuple[Path, str], SourceFile | None]
_LAST_NUMBER = re.compile(r"(?:^|_)(\d{1,18})$")


@dataclass(frozen=True)
class Entry:
    """A file to convert, its name in messages, and the name of its scene."""

    path: Path
    name: str
    stem: str

    @staticmethod
    def of(path: Path) -> Entry:
        """Return a file on its own."""
        return Entry(path, path.name, path.stem)


@dataclass(frozen=True)
class Batch:
    """The settings of a conversion."""

    options: Options = field(default_factory=Options)
    form: str | None = None
    beside: Path | None = None
    """The companion of every file, or the folder of companions of the same names."""


@dataclass(frozen=True)
class Outcome:
    """The result for one file."""

    entry: Entry
    form: str = ""
    scenes: tuple[Converted, ...] = ()
    failures: tuple[UsageError, ...] = ()


def entries_of(folder: Path, out: Path | None = None) -> list[Entry]:
    """Return the files in a folder and its subfolders, except ``out``. A file alone in its folder is named after the
    folder.
    """
    found = list(map(Entry.of, _files(folder)))
    for inner in sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()):
        if out is not None and inner.resolve() == out.resolve():
            continue
        paths = [path for path in _files(inner) if not _is_companion(path)]
        stems = [inner.name if len(paths) == 1 else path.stem for path in paths]
        found += [Entry(path, f"{inner.name}/{path.name}", stem) for path, stem in zip(paths, stems, strict=True)]
    if not found:
        raise FileProblem(f"{folder}: no file in it ends in {', '.join(ENDINGS)}")
    return found


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS and path.is_file())


def _is_companion(path: Path) -> bool:
    given = _readable(path)
    return given is not None and is_companion(given)


def read_given(path: Path, name: str = "") -> SourceFile:
    """Return the text and value of a file that is not too large; messages call it by the name."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise FileProblem(f"{path}: this is a device or a pipe, not a file")
    if path.is_file() and (size := path.stat().st_size) > MOST_BYTES:
        raise FileProblem(f"{path}: it has {size:,} bytes, and {MOST_BYTES:,} are read at most")
    return SourceFile.of(name or path.name, read_text(path))


def convert_each(entries: Sequence[Entry], batch: Batch) -> Iterator[Outcome]:
    """Yield the result for each file; companion files are skipped."""
    taken: dict[str, str] = {}
    companions: Companions = {}
    for entry in entries:
        try:
            given = read_given(entry.path, entry.name)
            if len(entries) > 1 and is_companion(given):
                continue
            form, scenes = _converted(given, entry, batch, companions)
            yield _named(scenes, entry, form, taken)
        except UsageError as error:
            yield Outcome(entry, failures=(error,))


def convert_file(path: Path, batch: Batch) -> Outcome:
    """Return the result for one file; an error that concerns all of it is raised."""
    entry = Entry.of(path)
    form, scenes = _converted(read_given(path), entry, batch, {})
    return _named(scenes, entry, form, {})


def _converted(given: SourceFile, entry: Entry, batch: Batch, companions: Companions) -> tuple[str, Scenes]:
    converter = converter_of(batch.form) if batch.form else recognised(given)
    if batch.form and not converter.fits(given):
        raise _unfitting(given, batch.form)
    companion = _companion(entry.path, batch, converter, companions)
    scenes = converter(given, replace(batch.options, companion=companion))
    if batch.beside is None and companion is not None:
        scenes = tuple(_found_beside(scene, companion.name) for scene in scenes)
    return converter.name, scenes


def _found_beside(scene: Converted | Unconverted, name: str) -> Converted | Unconverted:
    """Return the scene with a note about a companion file that was found automatically."""
    if isinstance(scene, Unconverted):
        return scene
    loss = Loss("assumed", "the file that lies beside belongs to the scene (--with)", 1, (name,))
    return replace(scene, losses=(*scene.losses, loss))


def _unfitting(given: SourceFile, form: str) -> FileProblem:
    try:
        hint = f"it looks like {recognised(given).name}"
    except FileProblem:
        hint = ""
    return FileProblem(f"{given.name}: this is not {form} ({converter_of(form).meaning})", hint=hint)


def _companion(path: Path, batch: Batch, converter: Converter, known: Companions) -> SourceFile | None:
    """Return the companion given with a file, else the only one of its form beside it."""
    if batch.beside is not None:
        return read_given(batch.beside / path.name if batch.beside.is_dir() else batch.beside)
    key = (path.parent, converter.name)
    if key not in known:
        listed = [one for one in _files(path.parent)[:MOST_BESIDE] if one.suffix.lower() == ".json" and one != path]
        near = [given for one in listed if (given := _readable(one)) and converter.is_companion(given)]
        known[key] = near[0] if len(near) == 1 else None
    return known[key]


def _readable(path: Path) -> SourceFile | None:
    try:
        return read_given(path)
    except FileProblem:
        return None


def _named(scenes: Scenes, entry: Entry, form: str, taken: dict[str, str]) -> Outcome:
    """Return the scenes with ids that no other file's have."""
    made: list[Converted] = []
    failures: list[UsageError] = []
    for scene in scenes:
        if isinstance(scene, Unconverted):
            failures.append(scene.problem)
            continue
        try:
            name = plain_id(scene.id, f"{entry.name}: id of a scene") if scene.id else id_of(entry.stem)
            if name in taken:
                hint = "give the files names that end in different numbers, or convert one alone with --id"
                raise FileProblem(f"{entry.name}: scene {name} is made of {taken[name]} already", hint=hint)
        except UsageError as error:
            failures.append(error)
            continue
        taken[name] = entry.name
        made.append(replace(scene, id=name))
    return Outcome(entry, form, tuple(made), tuple(failures))


def id_of(stem: str) -> str:
    """Return the id that a file's name gives its scene."""
    bare = stem.removeprefix("scene_")
    if number := _LAST_NUMBER.search(bare):
        return number[1]
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "_", bare)
    return re.sub(r"\.{2,}", ".", plain).lstrip(".-").rstrip(".")[:150] or "scene"


def text_of(scene: Mapping[str, Any]) -> str:
    """Return a scene as its file has it."""
    return json.dumps(scene, indent=1, ensure_ascii=False) + "\n"


def write_scene(path: Path, scene: Mapping[str, Any], source: Path, *, force: bool = False) -> None:
    """Write a scene. Raise ``FileProblem`` if another file would be replaced without permission."""
    text = text_of(scene)
    refuse_to_overwrite(path, source, force=force, text=text)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileProblem(f"{path.parent}: cannot be made: {error.strerror}") from None
    write_text(path, text)
