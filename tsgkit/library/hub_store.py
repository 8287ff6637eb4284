"""Datasets of the hub on this machine: the commits of revisions, the lists of files, and the files themselves.

They lie in the data home, in ``huggingface/OWNER--NAME``. A file is stored under its checksum, never under the name
that the hub gives it. What a commit holds never changes, so it is asked for once; ``main`` is asked for every time, and
without a network its last known commit is taken, with a note.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tsgkit.errors import DownloadProblem, FileProblem
from tsgkit.library.catalogue import Check
from tsgkit.library.datasets import make_folder
from tsgkit.library.downloads import PATIENT, BeingFetched, Patience, checksum, download, kind_of_check
from tsgkit.library.files import read_text, write_text
from tsgkit.library.hub_client import (
    COMMIT,
    MAIN,
    HubName,
    HubUnreachable,
    address_of,
    commit_of,
    files_at,
    is_inner_path,
    login,
)
from tsgkit.library.long_waits import note, progress_of
from tsgkit.user_folders import data_home

PLACE = "huggingface"
MOST_HUB_FILE_BYTES = 4 << 30
"""A larger file is no file of rows that can be asked."""
FRESH = 300.0
"""Seconds for which a revision is not asked for again, so that one command sees one commit."""


_seen: dict[tuple[Path, str, str], tuple[float, str]] = {}
_ASKS: ContextVar[bool] = ContextVar("asks", default=True)


@contextmanager
def without_hub() -> Iterator[None]:
    """Use only what is on this machine while the block lasts, and ask the hub for nothing."""
    before = _ASKS.set(False)
    try:
        yield
    finally:
        _ASKS.reset(before)


def _check_asks(name: HubName) -> None:
    if not _ASKS.get():
        raise HubUnreachable(f"{name}: is not on this machine", hint=f"to have it fetched, name it: --data {name}")


class StoredHubFile(BaseModel):
    """A file of a commit."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    path: str
    size: Annotated[int, Field(ge=0)]
    check: Check


class _Listing(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    files: tuple[StoredHubFile, ...]
    refused: int = 0


@dataclass(frozen=True)
class Snapshot:
    """A commit of a dataset: its name with the commit, its files, and how many files have names that are refused."""

    name: HubName
    files: tuple[StoredHubFile, ...]
    refused: int = 0

    def fetch(self, file: StoredHubFile, patience: Patience = PATIENT) -> Path:
        """Return the file on this machine, downloaded if it is not there, with the listed checksum."""
        kind, _, digest = file.check.partition(":")
        target = _folder(self.name.repository) / "files" / f"{kind}-{digest}{PurePosixPath(file.path).suffix.lower()}"
        if not target.is_file():
            self._download(file, target, patience)
        elif checksum_of_file(target, kind_of_check(file.check)) != file.check:
            raise FileProblem(f"{target}: this is not the file that was downloaded: it was changed", hint="delete it")
        return target

    def _download(self, file: StoredHubFile, target: Path, patience: Patience) -> None:
        hub_file = HubName(self.name.repository, self.name.revision, file.path)
        _check_asks(hub_file)
        make_folder(target.parent)
        if file.size > MOST_HUB_FILE_BYTES:
            hint = "name a smaller file, such as one split: hf://OWNER/NAME/PATH"
            most = _gigabytes(MOST_HUB_FILE_BYTES)
            raise DownloadProblem(f"{hub_file}: {_gigabytes(file.size)}, and at most {most} are fetched", hint=hint)
        free = shutil.disk_usage(target.parent).free
        if file.size > free:
            hint = "make room, or name another folder for data: TSGKIT_DATA_HOME"
            raise FileProblem(
                f"{hub_file}: {_gigabytes(file.size)}, and {_gigabytes(free)} are free in {target.parent}", hint=hint
            )
        url, progress = address_of(hub_file, patience), progress_of(file.path, file.size)
        waits = False
        while not target.is_file():
            try:
                download(url, target, file.check, progress, patience, secret=login())
            except BeingFetched:  # as the shards of a run do that begin together
                if not waits:
                    note(f"{hub_file}: another process is fetching it; waiting")
                waits = True
                time.sleep(patience.pause)


def snapshot(name: HubName, patience: Patience = PATIENT) -> Snapshot:
    """Return the commit that a name means now; from this machine where the hub need not, or cannot, be asked."""
    pinned = name if name.is_pinned else name.at(_commit(name, patience))
    path = _folder(name.repository) / "commits" / f"{pinned.revision}.json"
    if not path.is_file():
        _check_asks(pinned)
        files = files_at(HubName(name.repository, pinned.revision), patience)
        plain = [file for file in files if is_inner_path(file.path) and file.size >= 0]
        value = {"files": [file._asdict() for file in plain], "refused": len(files) - len(plain)}
        _checked(value, str(pinned), "the hub lists files in a way that is not understood", HubName(name.repository))
        make_folder(path.parent)
        write_text(path, json.dumps(value, indent=1) + "\n")
    listing = _checked(_value_in(path), str(path), "not a list of files", None)
    return Snapshot(pinned, listing.files, listing.refused)


def known_datasets() -> dict[str, tuple[str, ...]]:
    """Return the datasets of the hub that are on this machine, each with its commits."""
    home = data_home() / PLACE
    folders = sorted(home.iterdir()) if home.is_dir() else []
    commits_of_name = {
        folder.name.replace("--", "/"): sorted((folder / "commits").glob("*.json")) for folder in folders
    }
    return {name: tuple(path.stem for path in paths) for name, paths in commits_of_name.items() if paths}


def checksum_of_file(path: Path, kind: str = "sha256") -> str:
    """Return the checksum of a file, read piece by piece."""
    try:
        with path.open("rb") as stream:
            return checksum(stream, kind)
    except OSError as error:
        raise FileProblem(f"{path}: cannot be read: {error.strerror}") from None


def _commit(name: HubName, patience: Patience) -> str:
    """Return the present commit of a revision, and note it once."""
    revision = name.revision or MAIN
    folder = _folder(name.repository)
    key = (folder, name.repository, revision)
    if key in _seen and time.monotonic() - _seen[key][0] < FRESH:
        return _seen[key][1]
    path = folder / "revisions.json"
    value = _value_in(path) if path.is_file() else {}
    pairs = value.items() if isinstance(value, dict) else ()
    kept = {name: commit for name, commit in pairs if isinstance(commit, str) and COMMIT.fullmatch(commit)}
    try:
        _check_asks(name)
        commit = commit_of(name, patience)
    except HubUnreachable:
        if revision not in kept:
            raise
        commit = kept[revision]
        note(f"{name}: the hub cannot be asked; {revision} is taken to be {commit}, as it was last seen")
    else:
        if kept.get(revision) != commit:
            make_folder(folder)
            write_text(path, json.dumps(kept | {revision: commit}, indent=1, sort_keys=True) + "\n")
        note(f"{name}: {revision} is commit {commit}")
    _seen[key] = time.monotonic(), commit
    return commit


def _value_in(path: Path) -> object:
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError):
        raise FileProblem(f"{path}: not JSON", hint="delete it; it is asked for again") from None


def _checked(value: object, where: str, problem: str, source: HubName | None) -> _Listing:
    try:
        return _Listing.model_validate(value)
    except ValidationError:
        if source is not None:
            raise DownloadProblem(f"{where}: {problem}") from None
        raise FileProblem(f"{where}: {problem}", hint="delete it; it is asked for again") from None


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"


def _folder(repository: str) -> Path:
    return data_home() / PLACE / repository.replace("/", "--")
