"""The folder of a benchmark in the making: readable files of each stage, and a record of what they were made from.

>>> import tempfile
>>> folder = StageFolder(Path(tempfile.mkdtemp()))
>>> with folder.writing("import", {"seed": 1}, ("stories.jsonl",)) as files:
...     files.add("stories.jsonl", {"id": "tea"})
>>> folder.is_current("import", {"seed": 1}), folder.is_current("import", {"seed": 2}), folder.edited("import")
(True, False, [])
>>> _ = (folder.path / "stories.jsonl").write_text("")
>>> folder.edited("import")
['stories.jsonl']

A stage whose settings and inputs are as they were is not done again; what a person changed in its files since stays,
and later stages start from it. Files are replaced only when a stage is complete.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tsgkit.errors import FileProblem, NotationError
from tsgkit.graph.model import Narrative
from tsgkit.graph.notation import narratives
from tsgkit.library.files import new_folder, write_text

RECORD = "make.json"
VERSION = 1
"""Raised when a stage makes other things of the same inputs."""


def checksum(path: Path) -> str:
    """Return the checksum of a file; empty if it is not there."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass
class StageFiles:
    """The files of a stage while they are written, line by line."""

    _open: Mapping[str, IO[str]]
    lines: dict[str, int]
    figures: dict[str, Any] = field(default_factory=dict)
    """Numbers for the data card."""

    def add(self, name: str, value: Mapping[str, Any]) -> None:
        """Write a JSON value as the next line of a file."""
        self.add_text(name, json.dumps(value, ensure_ascii=False) + "\n")

    def add_text(self, name: str, text: str) -> None:
        """Write a line, or the whole text of a file."""
        self._open[name].write(text)
        self.lines[name] += 1


class StageFolder:
    """The folder, with its record."""

    def __init__(self, path: Path) -> None:
        self.path = path
        record: Any = {"version": VERSION, "stages": {}}
        if (file := self.file(RECORD)).is_file():
            record = None
            with suppress(OSError, ValueError):
                record = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(record, dict) or not isinstance(record.get("stages"), dict):
            hint = "move it away, or name another DIR"
            raise FileProblem(f"{file}: this is no record of tsgkit make tsg", hint=hint)
        self._record: dict[str, Any] = record
        self.stages: dict[str, dict[str, Any]] = record["stages"]
        """The record of each finished stage: ``made_from``, ``files`` with checksums, ``figures``."""

    def file(self, name: str) -> Path:
        """Return the path of a file in the folder."""
        return self.path / name

    def require(self, name: str, stage: str) -> None:
        """Raise ``FileProblem`` if a file that a stage leaves is not there."""
        if not (path := self.file(name)).is_file():
            hint = f"the stage {stage} writes it: leave out --only, or add {stage}"
            raise FileProblem(f"{path}: no such file", hint=hint)

    def checksum(self, name: str) -> str:
        """Return the checksum of a file in the folder; empty if it is not there."""
        return checksum(self.file(name))

    def is_current(self, stage: str, made_from: Mapping[str, Any]) -> bool:
        """Return whether a stage was done with these settings and inputs, and its files are there."""
        done = self.stages.get(stage)
        return done is not None and done["made_from"] == _plain(made_from) and all(map(self.checksum, done["files"]))

    def edited(self, stage: str) -> list[str]:
        """Return the files of a stage that were changed since they were written."""
        files = self.stages.get(stage, {}).get("files", {})
        return [name for name, checksum in files.items() if self.checksum(name) not in ("", checksum)]

    def refuse_to_overwrite(self, stage: str, names: Sequence[str], *, force: bool) -> None:
        """Raise ``FileProblem`` if writing files would lose a person's changes or files of other work."""
        known = self.stages.get(stage, {}).get("files", {})
        unfinished = self._record.get("unfinished", {})
        for name in names if not force else ():
            if self.checksum(name) not in ("", known.get(name), unfinished.get(name)):
                lost = "changes made by hand" if name in known else "what lies there already"
                hint = f"replace it with --force, keep it with --only and the stages after {stage}, or name another DIR"
                raise FileProblem(f"{self.file(name)}: {lost} would be lost", hint=hint)

    @contextmanager
    def writing(self, stage: str, made_from: Mapping[str, Any], names: Sequence[str]) -> Iterator[StageFiles]:
        """Write the files of a stage; they take the place of earlier ones at the end, unless an error is raised."""
        try:
            with new_folder(self.path), ExitStack() as stack:
                parts = {name: self.path / f".{name}.part" for name in names}
                for path in parts.values():
                    stack.callback(path.unlink, missing_ok=True)
                opened = {name: stack.enter_context(path.open("w", encoding="utf-8")) for name, path in parts.items()}
                files = StageFiles(opened, dict.fromkeys(names, 0))
                yield files
                for file in opened.values():
                    file.close()
                checksums = {name: checksum(path) for name, path in parts.items()}
                self._record["unfinished"] = checksums
                self._write_record()  # so that files are known as ours if the process is killed between them
                for name, path in parts.items():
                    path.replace(self.file(name))
        except OSError as error:
            raise FileProblem(f"{error.filename or self.path}: cannot be written: {error.strerror}") from None
        self.stages[stage] = {"made_from": _plain(made_from), "files": checksums, "figures": _plain(files.figures)}
        del self._record["unfinished"]
        self._write_record()

    def _write_record(self) -> None:
        write_text(self.file(RECORD), json.dumps(self._record, indent=1, ensure_ascii=False) + "\n")

    def narratives(self, name: str) -> Iterator[Narrative]:
        """Yield the stories of a file, one in memory at a time. Raise ``FileProblem`` for a line that is none."""
        for where, line in self._lines(name):
            try:
                yield narratives.parse(line)
            except NotationError as error:
                raise FileProblem(f"{where}: {error.message}", hint=error.hint) from None

    def values(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the JSON objects of a file."""
        for where, line in self._lines(name):
            try:
                value = json.loads(line)
            except ValueError as error:
                raise FileProblem(f"{where}: not JSON: {error}") from None
            if not isinstance(value, dict):
                raise FileProblem(f"{where}: expected a JSON object")
            yield value

    def _lines(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the lines of a file that are not empty, each with its place for a message."""
        try:
            with self.file(name).open(encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    if line.strip():
                        yield f"{self.file(name)}: line {number}", line
        except (OSError, UnicodeDecodeError) as error:
            raise FileProblem(f"{self.file(name)}: cannot be read: {error}") from None


def _plain(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as JSON has them, so that they can be compared with recorded ones."""
    plain: dict[str, Any] = json.loads(json.dumps(settings))
    return plain
