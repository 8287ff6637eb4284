"""Choice of the files that hold a task's rows among those of a dataset or folder.

A table may be cut into parts, which are one set: ``test-00000-of-00002.parquet`` and its like, and the
``0000.parquet``, ``0001.parquet`` of a folder.

>>> paths = ["README.md", "data/test-00001-of-00002.parquet", "data/test-00000-of-00002.parquet", "sgqa.jsonl"]
>>> [one.label for one in sets_of(paths)]
['data/test.parquet', 'sgqa.jsonl']
>>> chosen(paths, Wanted("sgqa"), "hf://lab/stories").paths
('sgqa.jsonl',)
>>> chosen(paths, Wanted("sgds", split="test"), "hf://lab/stories").paths
('data/test-00000-of-00002.parquet', 'data/test-00001-of-00002.parquet')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.lexicon import listed
from tsgkit.library.tables import SUFFIXES, suffix_of

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
    found: dict[str, list[str]] = {}
    for path in sorted(paths):
        if suffix_of(path) in SUFFIXES and not any(part.startswith(".") for part in path.split("/")):
            found.setdefault(_label(path), []).append(path)
    return [FileSet(label, tuple(parts), _lacking(parts)) for label, parts in sorted(found.items())]


def chosen(paths: Sequence[str], wanted: Wanted, place: str) -> FileSet:
    """Return the table that holds what is wanted; ``UsageError`` lists what there is where none or several fit."""
    every = sets_of(paths)
    if exact := wanted.path if wanted.path in paths else wanted.file:
        return _exact(exact, paths, every, place)
    below = [one for one in every if not wanted.path or one.label.startswith(f"{wanted.path}/")]
    fitting = [one for one in below if _fits(one, wanted)]
    if not wanted.split:
        fitting = _of_name(fitting, wanted.stored) or fitting
    if len(fitting) == 1:
        return _whole(fitting[0], place)
    inside = f"{place}/{wanted.path}" if wanted.path else place
    if fitting:
        hint = f"name one: {place}/{fitting[0].paths[0]}; or a split, in a mapping"
        raise UsageError(f"{inside}: several files could be meant: {_listed(fitting)}", hint=hint)
    what = ", ".join(f"{name} {value}" for name, value in (("config", wanted.config), ("split", wanted.split)) if value)
    if below:
        raise UsageError(f"{inside}: no rows of {what} in it", hint=f"it has {_listed(below)}")
    raise _nothing(inside, paths)


def rows_below(paths: Sequence[str], path: str, place: str) -> list[str]:
    """Return the files of rows, and of mappings, in a folder (empty: anywhere), or of one table."""
    below = [one for one in paths if not path or one == path or one.startswith(f"{path}/")]
    found = [one for every in sets_of(below) for one in every.paths]
    if path and not found:
        return list(_exact(path, paths, sets_of(paths), place).paths)
    if not found:
        raise _nothing(place, paths)
    return [*found, *(one for one in paths if one.rpartition("/")[2] == MAPPING)]


def _nothing(place: str, paths: Sequence[str]) -> UsageError:
    there = f"it has {listed(sorted(paths), MOST_SHOWN)}" if paths else "it is empty"
    return UsageError(f"{place}: no file of rows in it ({', '.join(SUFFIXES)})", hint=there)


def _exact(path: str, paths: Sequence[str], every: Sequence[FileSet], place: str) -> FileSet:
    if found := [one for one in every if one.label == path]:
        return _whole(found[0], place)
    if path not in paths:
        raise UsageError(f"{place}: it has no file {path}", hint=f"it has {listed(sorted(paths), MOST_SHOWN)}")
    if suffix_of(path) not in SUFFIXES:
        raise UsageError(f"{place}/{path}: not a file of rows", hint=f"these are read: {', '.join(SUFFIXES)}")
    return FileSet(path, (path,))


def _whole(found: FileSet, place: str) -> FileSet:
    if found.lacks:
        raise UsageError(f"{place}: {found.label} lacks {found.lacks} of its parts", hint="name one of its files")
    return found


def _fits(one: FileSet, wanted: Wanted) -> bool:
    if wanted.config and wanted.config not in one.folders:
        return False
    if not wanted.split:
        return True
    return one.stem == wanted.split or one.stem.startswith(f"{wanted.split}-") or wanted.split in one.folders


def _of_name(found: Sequence[FileSet], stored: str | None) -> list[FileSet]:
    """Return the tables of a task's name that lie highest."""
    named = [one for one in found if one.stem == stored]
    least = min((len(one.folders) for one in named), default=0)
    return [one for one in named if len(one.folders) == least]


def _label(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    stem, dot, suffix = name.rpartition(".")
    if part := PART.fullmatch(stem):
        return f"{folder}{slash}{part['stem']}{dot}{suffix}"
    if folder and NUMBERED.fullmatch(stem) and suffix == "parquet":
        return f"{folder}.parquet"
    return path


def _lacking(parts: Sequence[str]) -> int:
    stems = [PART.fullmatch(path.rpartition("/")[2].rpartition(".")[0]) for path in parts]
    return max((int(one["all"]) for one in stems if one), default=len(parts)) - len(parts)


def _listed(found: Sequence[FileSet]) -> str:
    return listed([one.label for one in found], MOST_SHOWN)
