"""Conversion of files and folders, one by one; a bad file is a named failure and does not stop the others.

>>> id_of("scene_12"), id_of("a_bedroom_7"), id_of("A tiny den")
('12', '7', 'A_tiny_den')

Every scene gets the id its file gives it, else the number at the end of the file's name (after ``_``, as the published
tool counts), else that name; a table of ids (``name,id``) comes before all three. In a tree, a file that is alone in
its folder has the name of the folder. Where all scenes of a tree are named alike but for numbers (``layout.json``),
files of no known form with other names are passed over. Nothing is written here but ``scene_<ID>.json``, whole or not
at all, and nothing that is there already is replaced unless that was asked for.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry.libraries import np
from tsgkit.lexicon import meant
from tsgkit.library.files import read_bytes, read_text, refuse_to_overwrite, walk, write_text
from tsgkit.library.projects import entry_points
from tsgkit.suites.sceneeval.converters.agents import HSM, IDESIGN, SCENEWEAVER
from tsgkit.suites.sceneeval.converters.arrangements import Loss
from tsgkit.suites.sceneeval.converters.front3d import ATISS, BOXES, FRONT3D
from tsgkit.suites.sceneeval.converters.holodeck import HOLODECK
from tsgkit.suites.sceneeval.converters.layoutgpt import LAYOUTGPT
from tsgkit.suites.sceneeval.converters.layoutvlm import LAYOUTVLM
from tsgkit.suites.sceneeval.converters.source import (
    ConversionOptions,
    Converted,
    Converter,
    SceneIds,
    SourceFile,
    Unconverted,
)
from tsgkit.suites.sceneeval.scene_files.files import plain_id
from tsgkit.suites.sceneeval.scene_files.simple import FORMAT as ROOM
from tsgkit.suites.sceneeval.scene_files.states import FORMAT as STATE

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "tsgkit.scene_converters"
"""A package joins by an entry point in this group: its name is that of the form, its value a ``Converter``."""
OURS: Mapping[str, Converter] = {
    converter.name: converter
    for converter in (HOLODECK, LAYOUTVLM, LAYOUTGPT, ATISS, HSM, IDESIGN, SCENEWEAVER, BOXES, FRONT3D)
}
ENDINGS = (".json", ".txt", ".css", ".npz")
MOST_SCENE_FILE_BYTES = 32 * 2**20
MOST_ARRAY = 2**19
"""Bytes of an array that is read; those of boxes and floors are smaller."""
MOST_BESIDE = 200
ITERATIONS = "record_scene"
"""The folder in which SceneWeaver writes ``layout_N.json`` in every iteration; the last one is the scene of the run."""
FileKind = Literal["scene", "companion", "unknown", "broken"]
_ITERATION = re.compile(r"layout_(\d{1,9})\.json")
_LAST_NUMBER = re.compile(r"(?:^|_)(\d{1,18})$")


def known_converters() -> tuple[str, ...]:
    """Return the names of all forms."""
    return tuple(dict.fromkeys((*OURS, *entry_points_by_name())))


@cache
def entry_points_by_name() -> Mapping[str, EntryPoint]:
    """Return the entry points of other packages, which take longer to find than a file takes to convert."""
    return {point.name: point for point in entry_points(group=GROUP)}


def converter_of(name: str) -> Converter:
    """Return the converter of a form; ``UsageError`` where there is none.

    >>> converter_of("holodek")
    Traceback (most recent call last):
    tsgkit.errors.UsageError: there is no converter holodek
    """
    if name in OURS:
        return OURS[name]
    if name not in entry_points_by_name():
        raise UsageError(f"there is no converter {name}", hint=meant(name, known_converters()))
    converter: Converter = entry_points_by_name()[name].load()
    return converter


def fitting(source_file: SourceFile) -> list[Converter]:
    """Return the converters that a file fits."""
    return [converter for converter in map(converter_of, known_converters()) if converter.fits(source_file)]


def recognised(source_file: SourceFile) -> Converter:
    """Return the one converter that a file fits; ``FileProblem`` where it fits none, or several.

    >>> recognised(SourceFile.of("x.json", '[{"object_list": []}]')).name
    'layoutgpt'
    """
    converters = fitting(source_file)
    if len(converters) == 1:
        return converters[0]
    if converters:
        names = ", ".join(converter.name for converter in converters)
        raise FileProblem(f"{source_file.name}: this may be one of {names}", hint="name it: --from FORM")
    if (form := source_file.fields.get("format")) in (ROOM, STATE):
        raise FileProblem(f"{source_file.name}: this is a {form} already: it can be scored as it is")
    known = "\n".join(f"{name}: {converter_of(name).meaning}" for name in known_converters())
    raise FileProblem(f"{source_file.name}: its form is unknown", hint=known)


def is_companion(source_file: SourceFile) -> bool:
    """Return whether a file only says more of the scene of another."""
    return any(converter_of(name).is_companion(source_file) for name in known_converters())


@dataclass(frozen=True)
class ConvertedFile:
    """A file to convert, its name in messages, and the name of its scene."""

    path: Path
    name: str
    stem: str
    names: tuple[str, ...]
    """The names that a table of ids may give its scene, the longest first."""

    @staticmethod
    def of(path: Path, name: str = "", named_after: Path | None = None) -> ConvertedFile:
        """Return a file, and the path in its tree of what its scene is named after if it is another."""
        named_after = named_after or Path(path.stem)
        return ConvertedFile(
            path, name or path.name, named_after.name, (named_after.as_posix(), name or path.name, named_after.name)
        )


@dataclass(frozen=True)
class ConversionSettings:
    """The settings of a conversion."""

    options: ConversionOptions = field(default_factory=ConversionOptions)
    form: str | None = None
    beside: Path | None = None
    """The companion of every file, or the folder of companions that are named as files or runs are."""
    ids: SceneIds | None = None


@dataclass(frozen=True)
class ConversionOutcome:
    """The result for one file."""

    entry: ConvertedFile
    form: str = ""
    scenes: tuple[Converted, ...] = ()
    failures: tuple[UsageError, ...] = ()


class Tree(NamedTuple):
    """The files of a folder and of all folders in it."""

    entries: tuple[ConvertedFile, ...]
    passed_over: tuple[str, ...]
    """Names of files of no known form beside scenes that are all named alike, and of earlier iterations."""
    unreadable: tuple[ConversionOutcome, ...] = ()
    """The folders in it that cannot be read, as failures."""


def tree_of(folder: Path, out: Path | None = None) -> Tree:
    """Return the files to convert in a folder and all folders in it, except ``out``."""
    kinds: dict[Path, FileKind] = {}
    passed_over: list[Path] = []
    unreadable: list[ConversionOutcome] = []

    def failed(inner: Path, problem: FileProblem) -> None:
        unreadable.append(
            ConversionOutcome(ConvertedFile.of(inner, inner.relative_to(folder).as_posix()), failures=(problem,))
        )

    walked = walk(folder, skips=lambda inner: out is not None and inner.resolve() == out.resolve(), failed=failed)
    for inner, names in walked:
        paths = _inputs(inner / name for name in names)
        if inner.name == ITERATIONS:
            numbers = {path: int(number[1]) for path in paths if (number := _ITERATION.fullmatch(path.name))}
            earlier = sorted(numbers, key=numbers.__getitem__)[:-1]
            passed_over += earlier
            paths = [path for path in paths if path not in earlier]
        for path in paths:
            source_file = _readable(path)
            kind: FileKind = "broken"
            if source_file is not None:
                kind = "companion" if is_companion(source_file) else "scene" if fitting(source_file) else "unknown"
            if kind != "companion" or inner == folder:
                kinds[path] = kind
    scenes = {_masked(path) for path, kind in kinds.items() if kind == "scene"}
    if len(scenes) == 1:
        passed_over += [path for path, kind in kinds.items() if kind == "unknown" and _masked(path) not in scenes]
    paths = [path for path in kinds if path not in set(passed_over)]
    if not paths and unreadable:
        raise unreadable[0].failures[0]
    if not paths:
        raise FileProblem(f"{folder}: no file in it ends in {', '.join(ENDINGS)}")
    in_folder = Counter(path.parent for path in paths)
    entries = []
    for path in paths:
        home = path.parent.parent if path.parent.name == ITERATIONS else path.parent
        named_after = path.with_suffix("") if path.parent == folder or in_folder[path.parent] > 1 else home
        entries.append(ConvertedFile.of(path, path.relative_to(folder).as_posix(), named_after.relative_to(folder)))
    return Tree(tuple(entries), tuple(path.relative_to(folder).as_posix() for path in passed_over), tuple(unreadable))


def _masked(path: Path) -> str:
    """Return the name of a file without its numbers."""
    return re.sub(r"\d+", "#", path.name)


def _inputs(paths: Iterable[Path]) -> list[Path]:
    """Return the files that can hold scenes."""
    return sorted(path for path in paths if path.suffix.lower() in ENDINGS and path.is_file())


def read_given(path: Path, name: str = "") -> SourceFile:
    """Return the text and value of a file that is not too large; messages call it by the name."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise FileProblem(f"{path}: this is a device or a pipe, not a file")
    if path.is_file() and (size := path.stat().st_size) > MOST_SCENE_FILE_BYTES:
        raise FileProblem(f"{path}: it has {size:,} bytes, and {MOST_SCENE_FILE_BYTES:,} are read at most")
    if path.suffix.lower() == ".npz":
        return SourceFile(name or path.name, "", _arrays(path))
    return SourceFile.of(name or path.name, read_text(path))


def _arrays(path: Path) -> dict[str, Any]:
    """Return the arrays of a file as lists, but those of pictures and features."""
    data = io.BytesIO(read_bytes(path))
    if not zipfile.is_zipfile(data):
        raise FileProblem(f"{path}: not an .npz file")
    try:
        with zipfile.ZipFile(data) as packed:
            sizes = {part.filename.removesuffix(".npy"): part.file_size for part in packed.infolist()}
        with np.load(data, allow_pickle=False) as file:
            return {name: np.asarray(file[name]).tolist() for name in file.files if sizes.get(name, 0) <= MOST_ARRAY}
    except (OSError, EOFError, MemoryError, RuntimeError, ValueError, zipfile.BadZipFile, zlib.error) as error:
        if "allow_pickle" not in str(error):
            raise FileProblem(f"{path}: not a whole .npz file: {error}") from None
        hint = (
            f"re-export it where you trust it: python -c \"import numpy as n; d = n.load('{path.name}', "
            "allow_pickle=True); a = {k: n.array(d[k].tolist()) for k in d.files}; "
            "n.savez('plain.npz', **{k: v for k, v in a.items() if v.dtype != object})\""
        )
        raise FileProblem(f"{path}: its arrays are pickled, and a pickle can run any code", hint=hint) from None


def convert_each(entries: Sequence[ConvertedFile], batch: ConversionSettings) -> Iterator[ConversionOutcome]:
    """Yield the result for each file; companion files are skipped. Rows of the table of ids that name no scene are the
    last.
    """
    conversion = _Conversion(batch)
    for entry in entries:
        conversion.known.update(entry.names)
        try:
            source_file = read_given(entry.path, entry.name)
            if len(entries) == 1 or not is_companion(source_file):
                yield conversion.outcome(entry, source_file)
        except UsageError as error:
            yield ConversionOutcome(entry, failures=(error,))
    if batch.ids and (unused := [name for name in batch.ids.by_name if name not in conversion.known]):
        shown = ", ".join(unused[:10]) + (", ..." if len(unused) > 10 else "")
        hint = "a name is that of a file, of the folder of a run (or its path in the tree), or of a record in a file"
        problem = FileProblem(f"{batch.ids.file}: no scene is named {shown}", hint=hint)
        yield ConversionOutcome(ConvertedFile.of(Path(batch.ids.file)), failures=(problem,))


def convert_file(path: Path, batch: ConversionSettings) -> ConversionOutcome:
    """Return the result for one file; an error that concerns all of it is raised."""
    source_file = read_given(path)
    return _Conversion(batch).outcome(ConvertedFile.of(path), source_file)


class _Conversion:
    """The conversion of a batch: companions are searched once, and no two scenes have the same id."""

    def __init__(self, batch: ConversionSettings) -> None:
        self.known = set[str]()
        """Names and ids that a row of the table of ids may have."""
        self._batch = batch
        self._ids: dict[str, str] = {}
        self._beside: dict[tuple[Path, str], SourceFile | None] = {}
        self._companions: list[Path] | None = None
        if batch.beside and batch.beside.is_dir():
            walked = walk(batch.beside)
            self._companions = [path for folder, names in walked for path in _inputs(folder / name for name in names)]

    def outcome(self, entry: ConvertedFile, source_file: SourceFile) -> ConversionOutcome:
        """Return the scenes of a file with ids that no other file's have."""
        batch = self._batch
        converter = converter_of(batch.form) if batch.form else recognised(source_file)
        if not converter.fits(source_file):
            alike = " or ".join(fitting_converter.name for fitting_converter in fitting(source_file))
            hint = f"it looks like {alike}" if alike else ""
            raise FileProblem(f"{source_file.name}: this is not {converter.name} ({converter.meaning})", hint=hint)
        companion, assumed = self._named_companion(entry), tuple[Loss, ...]()
        if companion is None and (companion := self._companion_beside(entry.path, converter)) is not None:
            what = "the file that lies beside belongs to the scene (--with)"
            assumed = (Loss("assumed", what, 1, (companion.name,)),)
        if companion is None and batch.beside is not None:
            hint = f"name it {entry.stem}.json, or put it into a folder {entry.stem}"
            raise FileProblem(f"{batch.beside}: no file in it is named after {entry.name}", hint=hint)
        results = converter(source_file, replace(batch.options, companion=companion))
        self.known.update(result.id for result in results)
        scenes: list[Converted] = []
        failures: list[UsageError] = []
        for result in results:
            if isinstance(result, Unconverted):
                failures.append(result.problem)
                continue
            try:
                name = self._free_id(result.id, entry, is_alone=len(results) == 1)
                scenes.append(replace(result, id=name, losses=(*result.losses, *assumed)))
            except UsageError as error:
                failures.append(error)
        return ConversionOutcome(entry, converter.name, tuple(scenes), tuple(failures))

    def _free_id(self, scene_id: str, entry: ConvertedFile, *, is_alone: bool) -> str:
        """Return the id of a scene by the table of ids, else its own, else that of its file."""
        if self._batch.ids is not None:
            name = self._batch.ids.of_scene((scene_id, *entry.names) if is_alone else (scene_id,), entry.name)
        else:
            name = plain_id(scene_id, f"{entry.name}: id of a scene") if scene_id else id_of(entry.stem)
        if name in self._ids:
            hint = "give each its id in a table: --ids FILE (CSV with the columns name,id)"
            raise FileProblem(f"{entry.name}: scene {name} is made of {self._ids[name]} already", hint=hint)
        self._ids[name] = entry.name
        return name

    def _named_companion(self, entry: ConvertedFile) -> SourceFile | None:
        """Return the companion given with all files, or the one that is named after a file or the folder of its run;
        None where a folder of companions has none.
        """
        folder, companions = self._batch.beside, self._companions
        if folder is None or companions is None:
            return read_given(folder) if folder else None
        exact = [path for name in entry.names if (path := folder / f"{name}.json") in companions]
        paths = exact[:1] or [
            path for path in companions if entry.stem in (path.stem, *path.relative_to(folder).parts[:-1])
        ]
        if len(paths) > 1:
            paths = [path for path in paths if (source_file := _readable(path)) and is_companion(source_file)]
        if len(paths) > 1:
            names = ", ".join(path.relative_to(folder).as_posix() for path in paths[:3])
            raise FileProblem(f"{folder}: several files are named after {entry.name}: {names}")
        return read_given(paths[0]) if paths else None

    def _companion_beside(self, path: Path, converter: Converter) -> SourceFile | None:
        """Return the only companion of a form in the folder of a file."""
        key = (path.parent, converter.name)
        if key not in self._beside:
            inputs = _inputs(path.parent.iterdir())[:MOST_BESIDE]
            listed = [
                _readable(neighbour) for neighbour in inputs if neighbour.suffix.lower() != ".npz" and neighbour != path
            ]
            near = [source_file for source_file in listed if source_file and converter.is_companion(source_file)]
            self._beside[key] = near[0] if len(near) == 1 else None
        return self._beside[key]


def _readable(path: Path) -> SourceFile | None:
    try:
        return read_given(path)
    except FileProblem:
        return None


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
