"""Published datasets, listed in the files ``SUITE/datasets.yaml`` under ``tasks``, and those on the user's machine.

>>> dataset = known("tsg-bench")
>>> dataset.suite, dataset.tasks
('tsg', ('sgqa', 'sgds', 'sa-sgg', 'ma-sgg'))
>>> dataset.file("sgqa").rows
100

If several catalogues, of tsgkit and of the project, have a dataset of one name, the first one counts. Those on the
machine have one folder each under the data home, never in a project: ``TSGKIT_DATA_HOME``, else
``$XDG_DATA_HOME/tsgkit/data``, else ``~/.local/share/tsgkit/data``. A dataset's folder holds its files, by the names of
the catalogue, and ``dataset.json``: where each file came from, when, its checksum, how many rows it has and what was
found in them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tsgkit.errors import FileProblem, UsageError, first_fault
from tsgkit.lexicon import meant, nearest
from tsgkit.library.cards import Declaration, loaded
from tsgkit.library.downloads import checksum_of_bytes, kind_of_check, lock
from tsgkit.library.files import read_bytes, read_text, refuse_to_overwrite, write_bytes, write_text
from tsgkit.library.projects import bundled, rooms_of_suites, search_path, text_of
from tsgkit.user_folders import data_home

FILE = "datasets.yaml"
ARCHIVE = "tar.gz"
SOURCE_VARIABLE = "TSGKIT_SOURCE"
"""The environment variable that names another base address than the catalogue's."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
Check = Annotated[str, Field(pattern=r"^(sha256:[0-9a-f]{64}|git:[0-9a-f]{40})$")]
Address = Annotated[str, Field(pattern=r"^https?://[^/\s]\S*$")]


class KnownFile(Declaration):
    """A file of a dataset: its local name, its task, its remote path and its checksum.

    A file without a ``check`` is accepted without verification.
    """

    name: Name
    task: Name
    path: str
    check: Check | None = None
    rows: int | None = None

    @field_validator("path")
    @classmethod
    def _is_relative(cls, path: str) -> str:
        if not path or path.startswith("/") or ".." in path.split("/") or any(letter.isspace() for letter in path):
            raise ValueError("not a path inside a repository")
        return path


class KnownDataset(Declaration):
    """A published dataset, or one that can only be imported (without base, repository and commit)."""

    name: Name
    suite: Name
    about: str
    base: Address | None = None
    repository: Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")] = ""
    commit: Annotated[str, Field(pattern=r"^[\w.-]+$")] = ""
    licence: str
    archive: bool = False
    """True if its files are folders of the repository, fetched as one archive."""
    release: bool = False
    """True if its files belong to a release of the repository; ``commit`` is then the tag."""
    files: Annotated[list[KnownFile], Field(min_length=1)]

    @field_validator("files")
    @classmethod
    def _are_distinct(cls, files: list[KnownFile]) -> list[KnownFile]:
        for names in ([file.name for file in files], [file.task for file in files]):
            if len(set(names)) < len(names):
                raise ValueError("two files of one name or task")
        return files

    @model_validator(mode="after")
    def _is_placed(self) -> KnownDataset:
        if len({bool(self.base), bool(self.repository), bool(self.commit)}) > 1:
            raise ValueError("base, repository and commit must be given together")
        return self

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks it has data for."""
        return tuple(file.task for file in self.files)

    def file(self, task: str) -> KnownFile:
        """Return the file of a task; ``UsageError`` where there is none."""
        for file in self.files:
            if file.task == task:
                return file
        raise UsageError(f"{self.name} has no data of {task}", hint=f"it has {', '.join(self.tasks)}")

    def url(self, file: KnownFile, base: str | None = None) -> str:
        """Return the address of a file. ``base``, else ``TSGKIT_SOURCE``, replaces the base address."""
        if not self.base:
            hint = f"take it from a copy on this machine: tsgkit data import {self.name} FILE"
            raise UsageError(f"{self.name}: it has no download address", hint=hint)
        start = base or os.environ.get(SOURCE_VARIABLE) or self.base
        if self.archive:
            return "/".join([start.rstrip("/"), self.repository, ARCHIVE, self.commit])
        segments = ("releases", "download", self.commit) if self.release else (self.commit,)
        return "/".join([start.rstrip("/"), self.repository, *segments, file.path])


def catalogue(folders: Sequence[Path] = ()) -> dict[str, KnownDataset]:
    """Return all known datasets by name."""
    datasets: dict[str, KnownDataset] = {}
    for room in search_path("tasks", folders):
        for suite in sorted(room.iterdir(), key=lambda folder: folder.name):
            if (suite / FILE).is_file():
                file = suite / FILE
                for dataset in _read(text_of(file), str(file), suite.name):
                    datasets.setdefault(dataset.name, dataset)
    return datasets


def known(name: str) -> KnownDataset:
    """Return the dataset of this name; ``UsageError`` where none is known."""
    datasets = catalogue()
    if name not in datasets:
        near = nearest(name, datasets, limit=1)
        hint = f"{near[0].name}?" if near else f"known are {', '.join(datasets)}"
        raise UsageError(f"no dataset is called {name}", hint=hint)
    return datasets[name]


@lru_cache(maxsize=32)
def _read(text: str, file: str, suite: str) -> tuple[KnownDataset, ...]:
    """Return the datasets that a text declares, checked once however often they are asked for."""
    value = loaded(text, file)
    if not isinstance(value, dict):
        raise FileProblem(f"{file}: expected datasets by name")
    datasets = []
    for name, fields in value.items():
        if not isinstance(fields, dict):
            raise FileProblem(f"{file}: {name}: expected the fields of a dataset")
        try:
            datasets.append(KnownDataset.model_validate({**fields, "name": name, "suite": suite}))
        except ValidationError as error:
            raise FileProblem(f"{file}: {name}: {first_fault(error)}") from None
    return tuple(datasets)


RECORD = "dataset.json"
DEFAULT_DATASET = "TSGKIT_DATASET"
"""The environment variable that names the dataset, or the folder, whose rows are taken where no data are named."""


class StoredFile(BaseModel):
    """The record of one file. ``official`` says whether it is the published one; null if unknown."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: Name
    task: Name
    origin: str
    when: str
    sha256: str
    bytes: int
    rows: int
    expected_rows: int | None = None
    official: bool | None = None
    findings: dict[str, int] = {}


@dataclass(frozen=True)
class InstalledDataset:
    """A dataset that is or could be installed: its folder, its files, and its entry in the catalogue."""

    name: str
    folder: Path
    files: tuple[StoredFile, ...]
    known: KnownDataset | None

    @property
    def missing(self) -> tuple[str, ...]:
        """The tasks that the dataset has data for and this machine has not."""
        here = {file.task for file in self.files}
        return tuple(task for task in (self.known.tasks if self.known else ()) if task not in here)

    @property
    def is_complete(self) -> bool:
        """True if every file is present with all its rows."""
        short = [file for file in self.files if file.expected_rows is not None and file.rows < file.expected_rows]
        return bool(self.files) and not self.missing and not short


def dataset(name: str) -> InstalledDataset:
    """Return a known dataset as it stands on this machine."""
    return InstalledDataset(name, data_home() / name, _stored(data_home() / name), known(name))


def datasets() -> tuple[InstalledDataset, ...]:
    """Return all datasets, known or installed."""
    listed = catalogue()
    home = data_home()
    others = sorted(path.parent.name for path in home.glob(f"*/{RECORD}")) if home.is_dir() else []
    names = dict.fromkeys([*listed, *others])
    return tuple(InstalledDataset(name, home / name, _stored(home / name), listed.get(name)) for name in names)


def installed() -> tuple[InstalledDataset, ...]:
    """Return the datasets of which at least one file is on this machine."""
    return tuple(dataset for dataset in datasets() if dataset.files)


def dataset_file(name: str, task: str) -> Path:
    """Return the file of one task of an installed dataset, as it was installed; ``UsageError`` says how to get it."""
    wanted = known(name)
    wanted.file(task)
    listed_file = next((file for file in _stored(data_home() / name) if file.task == task), None)
    if listed_file is None:
        get = f"tsgkit data get {name}, or " if wanted.base else ""
        ways = f"{get}from a copy on this machine: tsgkit data import {name} DIR"
        raise UsageError(f"the data of {task} of {name} are not on this machine", hint=ways)
    path = data_home() / name / listed_file.name
    if checksum_of_bytes(read_bytes(path)) != f"sha256:{listed_file.sha256}":
        hint = f"put it back: tsgkit data get {name} --force, or tsgkit data import {name} DIR --force"
        raise UsageError(f"{path}: this is not the file that was installed: it was changed since", hint=hint)
    return path


@dataclass(frozen=True)
class ShippedFile:
    """A data file shipped with a suite; ``dataset`` is empty where the suite has one set of data only."""

    suite: str
    task: str
    dataset: str
    rows: int


def shipped() -> tuple[ShippedFile, ...]:
    """Return the data that come with the toolkit and with packages that add suites, for the tasks of the catalogue."""
    tasks = dict.fromkeys((dataset.suite, task) for dataset in catalogue().values() for task in dataset.tasks)
    datasets = []
    for suite, task in tasks:
        for name in ("", *shipped_datasets(suite)):
            if file := shipped_file(suite, name, task):
                rows = sum(1 for line in file.read_text(encoding="utf-8").split("\n") if line.strip())
                datasets.append(ShippedFile(suite, task, name, rows))
    return tuple(datasets)


def shipped_datasets(suite: str) -> tuple[str, ...]:
    """Return the names of the datasets that come with a suite, the last of the alphabet first."""
    folders = [room / suite / "data" for room in (bundled("tasks"), *rooms_of_suites("tasks"))]
    inner = (inner for folder in folders if folder.is_dir() for inner in folder.iterdir())
    return tuple(sorted({dataset.name for dataset in inner if (dataset / "README.md").is_file()}, reverse=True))


def default_file(suite: str, task: str) -> Path | Traversable | None:
    """Return the rows of a task in the dataset, or the folder of rows, that ``TSGKIT_DATASET`` names; None where it has
    none, or is not set."""
    name = os.environ.get(DEFAULT_DATASET, "")
    if not name:
        return None
    listed = catalogue()
    if name in listed:
        has_rows = listed[name].suite == suite and task in listed[name].tasks
        return dataset_file(name, task) if has_rows else None
    suites = {dataset.suite for dataset in listed.values()}
    ours = [dataset for each in sorted({suite, *suites}) for dataset in shipped_datasets(each)]
    if name in ours:
        return shipped_file(suite, name, task)
    if Path(name).is_dir():
        file = Path(name) / f"{task}.jsonl"
        return file if suite in suites and file.is_file() else None
    raise UsageError(f"{DEFAULT_DATASET}={name}: no such dataset or folder", hint=meant(name, (*ours, *listed)))


def shipped_file(suite: str, name: str, task: str) -> Traversable | None:
    """Return the rows of a task in a dataset that comes with its suite; None where there are none."""
    if name not in ("", *shipped_datasets(suite)):
        return None
    for room in (bundled("tasks"), *rooms_of_suites("tasks")):
        folder = room / suite / "data"
        if (file := (folder / name if name else folder) / f"{task}.jsonl").is_file():
            return file
    return None


def dataset_value(dataset: InstalledDataset) -> dict[str, object]:
    """Return the JSON value of a dataset."""
    return {
        "name": dataset.name,
        "known": dataset.known is not None,
        "installed": bool(dataset.files),
        "complete": dataset.is_complete,
        "folder": str(dataset.folder),
        "about": dataset.known.about if dataset.known else "",
        "licence": dataset.known.licence if dataset.known else "",
        "files": [file.model_dump() for file in dataset.files],
        "missing": list(dataset.missing),
    }


def store(
    known: KnownDataset, file: KnownFile, data: bytes, origin: str, rows: int, found: dict[str, int]
) -> StoredFile:
    """Put a file into its dataset, in place of the one of its name; the others stay."""
    folder = data_home() / known.name
    stored = StoredFile(
        name=file.name,
        task=file.task,
        origin=origin,
        when=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        sha256=checksum_of_bytes(data).partition(":")[2],
        bytes=len(data),
        rows=rows,
        expected_rows=file.rows,
        official=is_official(file, data),
        findings=found,
    )
    make_folder(folder)
    with (folder / ".lock").open("w") as guard:
        lock(guard, waits=True)  # one writer of the record at a time
        others = [stored_file for stored_file in _stored(folder) if stored_file.task != file.task]
        write_bytes(folder / file.name, data)
        order = {task: number for number, task in enumerate(known.tasks)}
        value: dict[str, Any] = {
            "name": known.name,
            "repository": known.repository,
            "commit": known.commit,
            "licence": known.licence,
            "files": [
                file.model_dump()
                for file in sorted([*others, stored], key=lambda file: order.get(file.task, len(order)))
            ],
        }
        write_text(folder / RECORD, json.dumps(value, indent=2) + "\n")
    return stored


def refuse_to_replace(known: KnownDataset, file: KnownFile, data: bytes | None = None, *, force: bool = False) -> None:
    """Raise ``FileProblem`` if a file would replace other rows without ``force``."""
    refuse_to_overwrite(data_home() / known.name / file.name, force=force, text=data)


def is_official(file: KnownFile, data: bytes) -> bool | None:
    """Return whether bytes are the published file; ``None`` where the catalogue has no checksum."""
    return None if file.check is None else checksum_of_bytes(data, kind_of_check(file.check)) == file.check


def make_folder(folder: Path) -> None:
    """Make a folder with those above it; ``FileProblem`` says why it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = "TSGKIT_DATA_HOME names another folder for data"
        raise FileProblem(f"{folder}: cannot be made: {error.strerror}", hint=hint) from None


def _stored(folder: Path) -> tuple[StoredFile, ...]:
    """Return the recorded files that are there."""
    path = folder / RECORD
    if not path.is_file():
        return ()
    try:
        files = [StoredFile.model_validate(file) for file in json.loads(read_text(path)).get("files", ())]
    except (ValueError, AttributeError, TypeError, RecursionError):
        hint = "delete it, then get or import the data again"
        raise FileProblem(f"{path}: this is not the record of a dataset", hint=hint) from None
    return tuple(file for file in files if (folder / file.name).is_file())
