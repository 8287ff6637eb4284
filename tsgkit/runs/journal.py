"""A file of JSON lines that is only ever added to, and survives being cut off at any byte.

>>> import tempfile
>>> journal = Journal(Path(tempfile.mkdtemp()) / "calls.jsonl")
>>> place = journal.add({"reply": "[B]"})
>>> journal.read(place), [value for _, value in journal]
({'reply': '[B]'}, [{'reply': '[B]'}])
>>> journal.close()

Every line is handed to the system at once, so that it outlives this process, and forced to the disk once a second. A
last line without an end was being written when everything stopped: it is cut away when the file is opened again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem

SYNC_EVERY = 1.0
CHANGED = "the file was changed by hand or by the disk; mend or remove the line"


class Journal:
    """One such file."""

    def __init__(self, path: Path, *fields: str) -> None:
        """Open it; every line has these fields."""
        self.path, self.fields = path, frozenset(fields)
        try:
            self._open()
            self.size = _healed(path)
        except OSError as error:
            raise FileProblem(f"{path}: cannot be opened: {error.strerror}") from None
        self._synced = time.monotonic()

    def _open(self) -> None:
        """Nothing is buffered on the way out, so that a line that could not be written does not come later."""
        self._file = self.path.open("ab", buffering=0)
        self._reader = self.path.open("rb")

    def add(self, value: dict[str, Any]) -> int:
        """Write a value as the last line; the result is where it begins."""
        line = json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"
        place = self.size
        try:
            self._write(line)
            if (now := time.monotonic()) - self._synced >= SYNC_EVERY:
                os.fsync(self._file.fileno())
                self._synced = now
        except OSError as error:
            hint = "all that was answered before is kept; make room, and the same command goes on"
            raise FileProblem(f"{self.path}: cannot be written: {error.strerror}", hint=hint) from None
        self.size += len(line)
        return place

    def _write(self, line: bytes) -> None:
        """Write all of a line, or nothing of it."""
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            os.ftruncate(self._file.fileno(), self.size)
            raise

    def read(self, place: int) -> dict[str, Any]:
        """The line that begins at a place."""
        value: dict[str, Any] = json.loads(self.line(place))
        return value

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Every line with its place, from the beginning."""
        return lines_of(self.path, self.fields)

    def replace(self, lines: Iterable[bytes]) -> None:
        """Put other lines in the place of all, at once or not at all."""
        other = self.path.with_name(f".{self.path.name}.new")
        try:
            with other.open("wb") as file:
                file.writelines(lines)
                file.flush()
                os.fsync(file.fileno())
            other.replace(self.path)
            self._file.close()
            self._reader.close()
            self._open()
        except OSError as error:
            raise FileProblem(f"{self.path}: cannot be written: {error.strerror}") from None
        finally:
            other.unlink(missing_ok=True)
        self.size = self.path.stat().st_size

    def line(self, place: int) -> bytes:
        """The line that begins at a place, as it is written."""
        self._reader.seek(place)
        return self._reader.readline()

    def close(self) -> None:
        """Force everything to the disk and let go of the file."""
        if not self._file.closed:
            with suppress(OSError):  # a full disk was reported when the line was written
                os.fsync(self._file.fileno())
            self._file.close()
            self._reader.close()


def lines_of(path: Path, fields: AbstractSet[str] = frozenset()) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every whole line of a file with its place; one that was being written when everything stopped is left out.

    ``FileProblem`` where a line is broken or lacks one of these fields.
    """
    place = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                value = json.loads(line)
            except ValueError:
                raise FileProblem(f"{path}: line {number}: not JSON", hint=CHANGED) from None
            if not isinstance(value, dict) or not fields <= value.keys():
                lacking = ", ".join(sorted(fields - value.keys() if isinstance(value, dict) else fields))
                raise FileProblem(f"{path}: line {number}: no field {lacking}", hint=CHANGED)
            yield place, value
            place += len(line)


def _healed(path: Path) -> int:
    """The size of a file after a last line without an end was cut away."""
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        keep = end
        while keep:
            step = min(keep, 65_536)
            file.seek(keep - step)
            found = file.read(step).rfind(b"\n")
            if found >= 0:
                keep = keep - step + found + 1
                break
            keep -= step
        if keep < end:
            file.truncate(keep)
    return keep
