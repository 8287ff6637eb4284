"""Rows that are not ours as they lie: on the Hugging Face hub, in Parquet or CSV, or under other column names.

``--data`` (and ``data=``) may be any of these, with ``#MAPPING.yaml`` after it:

    hf://lab/stories                      a dataset of the hub, as its branch main is now
    hf://lab/stories@v1.0/data/test.parquet
    rows.parquet#columns.yaml             a table with columns of other names
    rows.csv                              a table, with a mapping tsgkit.yaml beside it, if there is one

A table becomes a file of our rows once; it is kept in the cache under a hash of its content and of the mapping.
Messages and runs name the table, with the commit, and never the file in the cache.

The files of a task are chosen among those of a dataset or folder. A table may be cut into parts, which are one set:
``test-00000-of-00002.parquet`` and its like, and the ``0000.parquet``, ``0001.parquet`` of a folder.

>>> paths = ["README.md", "data/test-00001-of-00002.parquet", "data/test-00000-of-00002.parquet", "sgqa.jsonl"]
>>> [one.label for one in sets_of(paths)]
['data/test.parquet', 'sgqa.jsonl']
>>> chosen(paths, Wanted("sgqa"), "hf://lab/stories").paths
('sgqa.jsonl',)
>>> chosen(paths, Wanted("sgds", split="test"), "hf://lab/stories").paths
('data/test-00000-of-00002.parquet', 'data/test-00001-of-00002.parquet')
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem, UsageError
from tsgkit.lexicon import listed
from tsgkit.library.files import look_alike, read_text, walk
from tsgkit.library.hub import checksum_of_file, hub_name, is_hub, snapshot
from tsgkit.library.tables import (
    CSV,
    IDENTITY,
    JSONL,
    SUFFIXES,
    TABLES,
    NamedMapping,
    mapped_rows,
    mapping_for,
    mappings_in,
    suffix_of,
)
from tsgkit.user_folders import cache_home

PART = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<all>\d{5})")
NUMBERED = re.compile(r"\d{4,5}")
MOST_SHOWN = 8
MAPPING = "tsgkit.yaml"
"""The name of a mapping that is found beside the rows without being named."""


class Wanted(NamedTuple):
    """A task's rows: the name that a file of them has, and what a name or a mapping says about the place."""

    stored: str | None = None
    path: str = ""
    file: str | None = None
    config: str | None = None
    split: str | None = None


class FileSet(NamedTuple):
    """A table: its files in order, and the name that it would have if it was one."""

    label: str
    paths: tuple[str, ...]
    lacks: int = 0

    @property
    def stem(self) -> str:
        """The name without folder and ending."""
        return self.label.rpartition("/")[2].rpartition(".")[0]

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that it lies in."""
        return tuple(self.label.split("/")[:-1])


def sets_of(paths: Iterable[str]) -> list[FileSet]:
    """Return the tables among some files, by name; hidden files are passed over."""
    paths_of_label: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for path in sorted(paths):
        if suffix_of(path) not in SUFFIXES or any(part.startswith(".") for part in path.split("/")):
            continue
        folder, slash, name = path.rpartition("/")
        stem, dot, suffix = name.rpartition(".")
        label = path
        if part := PART.fullmatch(stem):
            label = f"{folder}{slash}{part['stem']}{dot}{suffix}"
            counts[label] = max(counts.get(label, 0), int(part["all"]))
        elif folder and NUMBERED.fullmatch(stem) and suffix == "parquet":
            label = f"{folder}.parquet"
        paths_of_label.setdefault(label, []).append(path)
    parts = sorted(paths_of_label.items())
    return [FileSet(label, tuple(names), counts.get(label, len(names)) - len(names)) for label, names in parts]


def chosen(paths: Sequence[str], wanted: Wanted, source: str) -> FileSet:
    """Return the table that holds what is wanted; ``UsageError`` lists what there is where none or several fit."""
    every = sets_of(paths)
    if exact := wanted.path if wanted.path in paths else wanted.file:
        return _exact(exact, paths, every, source)
    below = [file_set for file_set in every if not wanted.path or file_set.label.startswith(f"{wanted.path}/")]
    fitting = [
        file_set
        for file_set in below
        if (not wanted.config or wanted.config in file_set.folders)
        and (
            not wanted.split
            or file_set.stem == wanted.split
            or file_set.stem.startswith(f"{wanted.split}-")
            or wanted.split in file_set.folders
        )
    ]
    if not wanted.split and (namesakes := [file_set for file_set in fitting if file_set.stem == wanted.stored]):
        least = min(len(file_set.folders) for file_set in namesakes)
        fitting = [file_set for file_set in namesakes if len(file_set.folders) == least]
    if len(fitting) == 1:
        return _whole(fitting[0], source)
    inside = f"{source}/{wanted.path}" if wanted.path else source
    if fitting:
        hint = f"name one: {source}/{fitting[0].paths[0]}; or a split, in a mapping"
        raise UsageError(f"{inside}: several files could be meant: {_listed(fitting)}", hint=hint)
    if below:
        parts = (("config", wanted.config), ("split", wanted.split))
        what = ", ".join(f"{name} {part}" for name, part in parts if part)
        raise UsageError(f"{inside}: no rows of {what} in it", hint=f"it has {_listed(below)}")
    raise _nothing(inside, paths)


def rows_below(paths: Sequence[str], path: str, source: str) -> list[str]:
    """Return the files of rows, and of mappings, in a folder (empty: anywhere), or of one table."""
    below = [file_path for file_path in paths if not path or file_path == path or file_path.startswith(f"{path}/")]
    files = [file_path for every in sets_of(below) for file_path in every.paths]
    if path and not files:
        return list(_exact(path, paths, sets_of(paths), source).paths)
    if not files:
        raise _nothing(source, paths)
    return [*files, *(file_path for file_path in paths if file_path.rpartition("/")[2] == MAPPING)]


def _nothing(source: str, paths: Sequence[str]) -> UsageError:
    contents = f"it has {listed(sorted(paths), MOST_SHOWN)}" if paths else "it is empty"
    return UsageError(f"{source}: no file of rows in it ({', '.join(SUFFIXES)})", hint=contents)


def _exact(path: str, paths: Sequence[str], every: Sequence[FileSet], source: str) -> FileSet:
    if matches := [file_set for file_set in every if file_set.label == path]:
        return _whole(matches[0], source)
    if path not in paths:
        raise UsageError(f"{source}: it has no file {path}", hint=f"it has {listed(sorted(paths), MOST_SHOWN)}")
    if suffix_of(path) not in SUFFIXES:
        raise UsageError(f"{source}/{path}: not a file of rows", hint=f"these are read: {', '.join(SUFFIXES)}")
    return FileSet(path, (path,))


def _whole(file_set: FileSet, source: str) -> FileSet:
    if file_set.lacks:
        raise UsageError(
            f"{source}: {file_set.label} lacks {file_set.lacks} of its parts", hint="name one of its files"
        )
    return file_set


def _listed(sets: Sequence[FileSet]) -> str:
    return listed([file_set.label for file_set in sets], MOST_SHOWN)


@dataclass(frozen=True)
class NamedFile(Traversable):
    """A readable file under another name than its own, which messages use; ``origin`` is what a run records about it.

    >>> file = NamedFile(Path("/cache/3f.jsonl"), "hf://lab/stories@main/test.parquet")
    >>> str(file), file.name
    ('hf://lab/stories@main/test.parquet', 'test.parquet')
    """

    held: Path
    shown: str
    origin: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.shown

    @property
    def name(self) -> str:
        """The last part of its name."""
        return self.shown.rpartition("/")[2]

    def iterdir(self) -> Iterator[Traversable]:
        """Refuse: it is a file."""
        raise NotADirectoryError(self.shown)

    def joinpath(self, *descendants: Any) -> Traversable:  # noqa: ANN401  (as the protocol has it)
        """Refuse: nothing lies in a file."""
        raise NotADirectoryError(self.shown)

    def is_dir(self) -> bool:
        """Return False."""
        return False

    def is_file(self) -> bool:
        """Return whether its bytes are there."""
        return self.held.is_file()

    def open(self, mode: str = "r", *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (as the protocol has it)
        """Open its bytes, or its text, for reading."""
        return self.held.open(mode, *args, **kwargs)

    def read_bytes(self) -> bytes:
        """Return its bytes."""
        return self.held.read_bytes()

    def read_text(self, encoding: str | None = None) -> str:
        """Return its text, UTF-8 unless another encoding is named."""
        return self.held.read_text(encoding=encoding or "utf-8")


VERSION = 1
"""Changes whenever the same table and mapping would give other rows."""
MOST_LISTED = 10_000
ADDRESS = re.compile(r"https?://", re.IGNORECASE)


class Fetched(NamedTuple):
    """A file on this machine, and its checksum."""

    path: Path
    check: str


@dataclass(frozen=True)
class RowPlace:
    """A place that holds files of rows: a commit of a dataset on the hub, a folder, or one file."""

    name: str
    paths: Sequence[str]
    fetch: Callable[[str], Fetched]
    mappings: Mapping[str, NamedMapping] = field(default_factory=dict)
    mapping_name: str = ""
    path: str = ""
    is_file: bool = False
    is_folder: bool = False

    @property
    def stems(self) -> frozenset[str]:
        """The names of its tables; none where one file is named."""
        if self.is_file or self.path in self.paths:
            return frozenset()
        below = [path for path in self.paths if not self.path or path.startswith(f"{self.path}/")]
        return frozenset(file_set.stem for file_set in sets_of(below))

    def rows_of(self, task: str = "", stored: str | None = None, native: Iterable[str] = (JSONL,)) -> NamedFile:
        """Return the rows of a task (``tsg/sgqa``) in a file of our rows, or of a ``native`` format of the task.

        A table of another format is converted to the first of these.
        """
        mapping = mapping_for(task, self.mappings) or IDENTITY
        if self.mappings and mapping is IDENTITY and task:
            available = ", ".join(self.mappings)
            source = next(iter(self.mappings.values())).source.partition(": tasks.")[0]
            raise UsageError(f"{source}: there is no mapping for {task}", hint=f"it has {available}")
        columns = mapping.mapping
        file_set = chosen(self.paths, Wanted(stored, self.path, columns.file, columns.config, columns.split), self.name)
        files = {path: self.fetch(path) for path in file_set.paths}
        formats = tuple(native)
        if len(files) == 1 and not mapping.changes_rows and suffix_of(file_set.label) in formats:
            local_path = next(iter(files.values())).path
        else:
            local_path = _converted(files, file_set, mapping, self._shown(file_set), formats[0])
        known = {"source": self.name, "files": {path: file.check for path, file in files.items()}}
        return NamedFile(
            local_path, self._shown(file_set), known if mapping is IDENTITY else known | {"mapping": mapping.value}
        )

    def _shown(self, file_set: FileSet) -> str:
        source = self.name if self.is_file else f"{self.name}/{file_set.label}"
        return f"{source}#{self.mapping_name}" if self.mapping_name else source


def row_place(data: str, stored: str | None = None, native: Iterable[str] = (JSONL,)) -> RowPlace | None:
    """Return the place that ``data`` names; None where its rows are read as they lie, or where it is no such place."""
    source, mapping_name = parts_of(data)
    if is_hub(source):
        pinned_files = snapshot(hub_name(source))
        files = {file.path: file for file in pinned_files.files}
        folder, mappings = pinned_files.name.path, dict[str, NamedMapping]()
        places = (f"{folder}/{MAPPING}" if folder else MAPPING, MAPPING)  # in the named folder, else at the top
        if mapping_name:
            mappings = mappings_in(read_text(mapping_name), mapping_name)
        elif mapping_paths := [path for path in places if path in files]:
            text = read_text(pinned_files.fetch(files[mapping_paths[0]]))
            mappings = mappings_in(text, f"{pinned_files.name}: {mapping_paths[0]}")
        everything = hub_name(f"hf://{pinned_files.name.repository}").at(pinned_files.name.revision or "")

        def fetch(path: str) -> Fetched:
            return Fetched(pinned_files.fetch(files[path]), files[path].check)

        if folder and folder not in files and not any(path.startswith(f"{folder}/") for path in files):
            table = _exact(folder, tuple(files), sets_of(files), str(everything))  # in parts, or an error
            return RowPlace(str(everything), table.paths, fetch, mappings, mapping_name)
        return RowPlace(str(everything), tuple(files), fetch, mappings, mapping_name, folder)
    if ADDRESS.match(source):
        hint = "name a dataset of the hub hf://OWNER/NAME; download other files, and name them"
        raise UsageError("rows are not read from a web address", hint=hint)
    path = Path(source)
    default_file = (path if path.is_dir() else path.parent) / MAPPING
    mapping_file = mapping_name or (str(default_file) if default_file.is_file() and path.exists() else "")
    mappings = mappings_in(read_text(mapping_file), mapping_file) if mapping_file else {}
    formats, suffix = tuple(native), suffix_of(source)
    if path.is_dir():  # a place of rows if it has a mapping, or a table and not the file that the task looks for
        if not mappings and stored is not None and (path / f"{stored}{JSONL}").exists():
            return None
        inner_files = (inner / name for inner, names in walk(path) for name in names)
        paths = [file.relative_to(path).as_posix() for file in islice(inner_files, MOST_LISTED)]
        tables = [table for table in sets_of(paths) if suffix_of(table.label) in set(TABLES) - set(formats)]
        if not mappings and not any(stored in (None, table.stem) for table in tables):
            return None
        return RowPlace(str(path), paths, lambda name: _local(path / name), mappings, mapping_name, is_folder=True)
    if not path.is_file():
        if mapping_name:
            raise FileProblem(f"{source}: no such file or folder", hint=look_alike(path))
        return None
    if not mappings and (suffix not in TABLES or suffix in formats):
        return None
    if suffix not in SUFFIXES:
        problem = f"{source}: no rows that {mapping_file} could map"
        raise UsageError(problem, hint=f"these are read: {', '.join(SUFFIXES)}")
    return RowPlace(source, (path.name,), lambda _: _local(path), mappings, mapping_name, path.name, is_file=True)


def pinned(data: str) -> str:
    """Return a name of the hub with the commit that it means now; other data as they are."""
    source, mapping = parts_of(data)
    if not is_hub(source):
        return data
    commit = str(snapshot(hub_name(source)).name)
    return f"{commit}#{mapping}" if mapping else commit


def parts_of(data: str) -> tuple[str, str]:
    """Return the place of rows, and the file of their mapping: ``PLACE#MAPPING.yaml``; empty where none is named."""
    source, mark, mapping = data.rpartition("#")
    is_mapping = mark and source and mapping.lower().endswith((".yaml", ".yml"))
    return (source, mapping) if is_mapping and not os.path.exists(data) else (data, "")  # noqa: PTH110  (any text)


def with_mapping(data: str, mapping: str) -> str:
    """Return data with a mapping, as one name."""
    if not mapping.lower().endswith((".yaml", ".yml")):
        raise UsageError(f"{mapping}: a mapping is a file in YAML", hint="its name ends in .yaml")
    if parts_of(data)[1]:
        raise UsageError(f"{data}: a mapping is named already")
    return f"{data}#{mapping}"


def _local(path: Path) -> Fetched:
    return Fetched(path, checksum_of_file(path))


def _converted(files: Mapping[str, Fetched], file_set: FileSet, mapping: NamedMapping, shown: str, suffix: str) -> Path:
    """Return a table as a file of our rows in the cache."""
    key = [VERSION, suffix, mapping.value, suffix_of(file_set.label), [file.check for file in files.values()]]
    target = cache_home() / "rows" / f"{hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()}{suffix}"
    if target.is_file():
        return target
    source = shown.partition("#")[0]
    names = {path: source if len(files) == 1 else f"{source} ({path})" for path in files}

    def rows() -> Iterator[dict[str, Any]]:
        for path, file in files.items():
            yield from mapped_rows(file.path, names[path], suffix_of(path), mapping)

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=target.parent, encoding="utf-8", newline="", delete=False) as part:
            try:
                if suffix == CSV:  # for a task that reads CSV; values that are no texts are written as JSON
                    fields = tuple(dict.fromkeys(name for row in rows() for name in row))
                    writer = csv.writer(part)
                    writer.writerow(fields)
                    for row in rows():
                        cells = (row.get(name, "") for name in fields)
                        writer.writerow([cell if isinstance(cell, str) else json.dumps(cell) for cell in cells])
                else:
                    part.writelines(json.dumps(row, allow_nan=False) + "\n" for row in rows())
                part.close()
                Path(part.name).replace(target)
            finally:
                Path(part.name).unlink(missing_ok=True)
    except OSError as error:
        hint = "TSGKIT_CACHE_HOME names another folder"
        raise FileProblem(f"{target.parent}: rows cannot be kept there: {error.strerror}", hint=hint) from None
    return target
