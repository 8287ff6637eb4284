"""Catalogue of published datasets: the files ``SUITE/datasets.yaml`` under ``tasks``, of tsgkit and of the project.

>>> dataset = known("tsg-bench")
>>> dataset.suite, dataset.tasks
('tsg', ('sgqa', 'sgds', 'sa-sgg', 'ma-sgg'))
>>> dataset.file("sgqa").rows
100

If several catalogues have a dataset of one name, the first one counts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.cards import loaded
from tsgkit.library.projects import search_path, text_of

FILE = "datasets.yaml"
ARCHIVE = "tar.gz"
SOURCE_VARIABLE = "TSGKIT_SOURCE"
"""The environment variable that names another base address than the catalogue's."""

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
Check = Annotated[str, Field(pattern=r"^(sha256:[0-9a-f]{64}|git:[0-9a-f]{40})$")]
Address = Annotated[str, Field(pattern=r"^https?://[^/\s]\S*$")]


class _Declared(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class KnownFile(_Declared):
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


class KnownDataset(_Declared):
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
    from tsgkit.lexicon import nearest

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
            first = error.errors(include_url=False)[0]
            location = ".".join(str(part) for part in first["loc"])
            raise FileProblem(f"{file}: {name}: {location}: {first['msg']}") from None
    return tuple(datasets)
