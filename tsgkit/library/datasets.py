"""Datasets on the user's machine: one folder each under the data home, never in a project.

The data home is ``TSGKIT_DATA_HOME``, else ``$XDG_DATA_HOME/tsgkit/data``, else ``~/.local/share/tsgkit/data``. A
dataset's folder holds its files, by the names of the catalogue, and ``dataset.json``: where each file came from, when,
its checksum, how many rows it has and what was found in them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from tsgkit.errors import FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.library.catalogue import KnownDataset, KnownFile, Name, catalogue, known
from tsgkit.library.downloads import checksum_of_bytes, kind_of_check
from tsgkit.library.files import read_bytes, read_text, refuse_to_overwrite, write_bytes, write_text
from tsgkit.library.projects import bundled, rooms_of_suites
from tsgkit.user_folders import data_home

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


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    files: list[StoredFile] = []


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
    return _dataset(name, known(name))


def datasets() -> tuple[InstalledDataset, ...]:
    """Return all datasets, known or installed."""
    listed = catalogue()
    home = data_home()
    others = sorted(path.parent.name for path in home.glob(f"*/{RECORD}")) if home.is_dir() else []
    return tuple(_dataset(name, listed.get(name)) for name in dict.fromkeys([*listed, *others]))


def installed() -> tuple[InstalledDataset, ...]:
    """Return the datasets of which at least one file is on this machine."""
    return tuple(dataset for dataset in datasets() if dataset.files)


def dataset_file(name: str, task: str) -> Path:
    """Return the file of one task of an installed dataset, as it was installed; ``UsageError`` says how to get it."""
    wanted = known(name)
    wanted.file(task)
    listed_file = next((file for file in _dataset(name, wanted).files if file.task == task), None)
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
    with _held(folder):
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


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Yield one writer of a folder's record at a time; where nothing can be locked, the last one wins."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _dataset(name: str, known: KnownDataset | None) -> InstalledDataset:
    folder = data_home() / name
    return InstalledDataset(name, folder, _stored(folder), known)


def _stored(folder: Path) -> tuple[StoredFile, ...]:
    """Return the recorded files that are there."""
    path = folder / RECORD
    if not path.is_file():
        return ()
    try:
        record = _Record.model_validate(json.loads(read_text(path)))
    except (ValueError, ValidationError, RecursionError):
        hint = "delete it, then get or import the data again"
        raise FileProblem(f"{path}: this is not the record of a dataset", hint=hint) from None
    return tuple(file for file in record.files if (folder / file.name).is_file())
