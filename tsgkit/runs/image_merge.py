"""Merging of image folders: each image with its log line."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import write_bytes
from tsgkit.llm.cache import canonical
from tsgkit.runs.image_folder import API_ERROR, BLOCKED, FIELDS, PAINTED, image_of
from tsgkit.runs.journal import CHANGED, Journal, lines_of
from tsgkit.suites.images import PAINTINGS, is_file_id

MOST_OPEN = 64
RANKS = {PAINTED: 0, BLOCKED: 1, API_ERROR: 2}
SAME = ("model", "endpoint", "parameters")
"""Fields that all lines of one plan have alike."""


class Lines:
    """Lines of many files, with only a few files open at a time."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths, self._open = paths, dict[int, Journal]()

    def line(self, source: int, place: int) -> bytes:
        """Return the line of a file, by its number, that begins at a place."""
        if source not in self._open:
            if len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open))).close()
            self._open[source] = Journal(self._paths[source], writes=False)
        return self._open[source].line(place)

    def close(self) -> None:
        """Let go of the files."""
        for journal in self._open.values():
            journal.close()
        self._open.clear()


class _Line(NamedTuple):
    """A log line, ordered by quality: made before blocked, then by hash."""

    rank: int
    hash: str
    source: int
    place: int
    request: str
    sha256: str


class MergedImages(NamedTuple):
    """The numbers of lines and of differing images, and problems with images that were left out."""

    lines: int
    conflicts: int
    example: str
    problems: tuple[str, ...]


def merge_images(folders: Sequence[Path], made: Path) -> MergedImages:
    """Merge the images of all folders. Raise ``UsageError`` if they belong to several plans."""
    best: dict[str, _Line] = {}
    conflicts = set[str]()
    asked: tuple[Path, Mapping[str, Any]] | None = None
    for number, folder in enumerate(folders):
        for item_id, (line, value) in _last_lines(number, folder).items():
            asked = asked or (folder, value)
            _check_same(asked, folder, value)
            known = best.get(item_id)
            if known is not None and known.request != line.request:
                hint = "only parts of one plan can be merged: the same command, with another --shard"
                raise UsageError(f"{folder}: {item_id} was asked for otherwise than in {asked[0]}", hint=hint)
            if known is not None and known.rank == line.rank == 0 and known.sha256 != line.sha256:
                conflicts.add(item_id)
            best[item_id] = line if known is None else min(known, line)
    problems = tuple(_written(folders, made, best))
    return MergedImages(len(best) - len(problems), len(conflicts), min(conflicts, default=""), problems)


def _last_lines(number: int, folder: Path) -> dict[str, tuple[_Line, dict[str, Any]]]:
    """Return the last log line of each item, which is the one that counts."""
    journal = Journal(folder / PAINTINGS, writes=False)
    try:
        found = {}
        for place, value in lines_of(folder / PAINTINGS, frozenset(FIELDS)):
            if not isinstance(value["id"], str) or not is_file_id(value["id"]):
                raise FileProblem(
                    f"{folder / PAINTINGS}: {str(value['id'])[:80]!r} cannot be the name of an image", hint=CHANGED
                )
            if field := next((name for name in ("outcome", "request") if not isinstance(value[name], str)), ""):
                raise FileProblem(f"{folder / PAINTINGS}: {value['id']}: {field}: not a text", hint=CHANGED)
            digest = hashlib.sha256(journal.line(place)).hexdigest()
            sha256 = str(value.get("sha256", ""))
            rank = RANKS.get(value["outcome"], len(RANKS))
            found[value["id"]] = _Line(rank, digest, number, place, value["request"], sha256), value
        return found
    finally:
        journal.close()


def _check_same(asked: tuple[Path, Mapping[str, Any]], folder: Path, value: Mapping[str, Any]) -> None:
    first, wanted = asked
    for name in SAME:
        if canonical(value.get(name)) != canonical(wanted.get(name)):
            hint = "only parts of one plan can be merged: the same command, with another --shard"
            raise UsageError(f"{folder}: another {name} than that of {first}", hint=hint)


def _written(folders: Sequence[Path], made: Path, best: Mapping[str, _Line]) -> list[str]:
    """Write lines in the order of ids with their images, and return the problems of images left out."""
    problems: list[str] = []
    sources = Lines([folder / PAINTINGS for folder in folders])
    target = Journal(made / PAINTINGS, *FIELDS)
    try:
        for item_id, line in sorted(best.items()):
            if line.rank == 0 and (problem := _copied(item_id, line, folders[line.source], made)):
                problems.append(problem)
                continue
            target.add_line(sources.line(line.source, line.place))
    finally:
        sources.close()
        target.close()
    return problems


def _copied(item_id: str, line: _Line, folder: Path, made: Path) -> str:
    """Copy an image and verify it against its line; return the problem, if any."""
    source = image_of(folder, item_id)
    try:
        data = source.read_bytes()
    except OSError as error:
        return f"{source}: cannot be read: {error.strerror}; it is to be made again"
    if line.sha256 and hashlib.sha256(data).hexdigest() != line.sha256:
        return f"{source}: not the image that was made (its SHA-256 is another); it is to be made again"
    write_bytes(image_of(made, item_id), data)
    return ""
