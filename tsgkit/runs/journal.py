"""Append-only file of JSON lines that survives truncation at any byte.

>>> import tempfile
>>> journal = Journal(Path(tempfile.mkdtemp()) / "calls.jsonl")
>>> place = journal.add({"reply": "[B]"})
>>> journal.read(place), [value for _, value in journal], journal.count()
({'reply': '[B]'}, [{'reply': '[B]'}], 1)
>>> journal.close()

Every line is passed to the system at once, so that it survives this process, and synced to disk once a second. An
incomplete last line is cut off when the file is opened again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tsgkit.errors import FileProblem

SYNC_EVERY = 1.0
CHANGED = "the file was changed by hand or by the disk; mend or remove the line"
KEPT = "all that was answered before is kept; make room, and the same command goes on"
CHUNK = 65_536
LINE = 8_192
"""More than most lines have: one is read in such pieces."""
MOST_OPEN = 64
DIGEST = "digest"
"""The last field of a sealed line: a hash of all that stands before it."""
_BEFORE, _AFTER, _SIDE = b',"digest":"', b'"}\n', 8
_SEAL = len(_BEFORE) + 2 * _SIDE + len(_AFTER)
SYNCER = ThreadPoolExecutor(1, thread_name_prefix="tsgkit-sync")
"""The one thread that waits for disks, started when it first does."""
_ENCODER = json.JSONEncoder(separators=(",", ":"))


class Journal:
    """An append-only file of JSON lines."""

    def __init__(self, path: Path, *fields: str, writes: bool = True) -> None:
        """Open it; every line has these fields."""
        self.path, self.fields = path, frozenset(fields)
        self._writes = writes
        self._open()
        self._synced = time.monotonic()
        self._syncing: Future[None] | None = None

    def _open(self) -> None:
        try:
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT if self._writes else os.O_RDONLY
            is_there = self._writes or self.path.exists()  # a run may have been killed before its first record
            self._file = os.open(self.path if is_there else os.devnull, flags | os.O_CLOEXEC, 0o666)
            self.size = _healed(self._file) if self._writes else os.fstat(self._file).st_size
        except OSError as error:
            raise FileProblem(f"{self.path}: cannot be opened: {error.strerror}") from None

    def add(self, value: dict[str, Any]) -> int:
        """Write a value as the last line; the result is where it begins."""
        return self.add_line(self.encoded(value))

    def add_line(self, line: bytes) -> int:
        """Write an encoded value as the last line; the result is where it begins."""
        offset, left, now = self.size, memoryview(line), time.monotonic()
        try:
            try:
                while left:
                    left = left[os.write(self._file, left) :]
            except OSError:  # nothing of the line stays
                os.ftruncate(self._file, self.size)
                raise
            if now - self._synced >= SYNC_EVERY and (self._syncing is None or self._syncing.done()):
                if self._syncing is not None:
                    self._syncing.result()  # which raises what failed since the last line
                self._synced, self._syncing = now, SYNCER.submit(os.fsync, self._file)
        except OSError as error:
            raise FileProblem(f"{self.path}: cannot be written: {error.strerror}", hint=KEPT) from None
        self.size += len(line)
        return offset

    @staticmethod
    def encoded(value: dict[str, Any]) -> bytes:
        """Return a value as a line."""
        return _ENCODER.encode(value).encode("ascii") + b"\n"

    def read(self, offset: int) -> dict[str, Any]:
        """Return the line that begins at a place."""
        value: dict[str, Any] = json.loads(self.line(offset))
        return value

    def line(self, offset: int) -> bytes:
        """Return the line that begins at a place, as it is written."""
        line = bytearray()
        while chunk := os.pread(self._file, LINE, offset + len(line)):
            line += chunk[: chunk.find(b"\n") + 1] or chunk
            if line.endswith(b"\n"):
                break
        return bytes(line)

    def count(self) -> int:
        """Return the number of complete lines without parsing them."""
        starts = range(0, self.size, CHUNK)
        return sum(os.pread(self._file, CHUNK, start).count(b"\n") for start in starts)

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Return every line with its place, from the beginning."""
        return lines_of(self.path, self.fields)

    def replace(self, lines: Iterable[bytes]) -> None:
        """Put other lines in the place of all, at once or not at all."""
        with self.replacing() as put:
            for line in lines:
                put(line)

    @contextmanager
    def replacing(self) -> Iterator[Callable[[bytes], object]]:
        """Yield what takes other lines, which are put in the place of all when the block ends well."""
        replacement = self.path.with_name(f".{self.path.name}.new")
        try:
            with replacement.open("wb") as file:
                yield file.write
                file.flush()
                os.fsync(file.fileno())
            self.close()
            replacement.replace(self.path)
        except OSError as error:
            raise FileProblem(f"{self.path}: cannot be written: {error.strerror}", hint=KEPT) from None
        finally:
            replacement.unlink(missing_ok=True)
        self._open()

    def close(self) -> None:
        """Force everything to the disk and let go of the file."""
        if self._file < 0:
            return
        try:
            if self._syncing is not None:
                self._syncing.result()
            if self._writes:
                os.fsync(self._file)
        except OSError:  # a full disk was reported when the line was written
            pass
        finally:
            os.close(self._file)
            self._file, self._syncing = -1, None


class Journals:
    """Journals to be read, of which a few are open at a time."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths, self._open = paths, dict[int, Journal]()

    def line(self, number: int, offset: int) -> bytes:
        """Return the line of a journal, by its number, that begins at a place."""
        if number not in self._open:
            if len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open))).close()
            self._open[number] = Journal(self._paths[number], writes=False)
        return self._open[number].line(offset)

    def close(self) -> None:
        """Let go of the files."""
        for journal in self._open.values():
            journal.close()


def sealed(value: dict[str, Any]) -> bytes:
    """Return a value as a line that ends with its digest.

    >>> sealed({"outcome": "answered"})
    b'{"outcome":"answered","digest":"60e1f83833d1daba"}\\n'
    """
    body = Journal.encoded({name: part for name, part in value.items() if name != DIGEST})[:-2]
    return body + _BEFORE + _digest(body) + _AFTER


def is_sealed(line: bytes) -> bool:
    """Return whether a line is as :func:`sealed` wrote it."""
    body, seal = line[:-_SEAL], line[-_SEAL:]
    return seal == _BEFORE + _digest(body) + _AFTER


def _digest(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SIDE).hexdigest().encode()


Lines = Iterator[tuple[int, dict[str, Any]]]
"""Lines with their positions."""


def lines_of(path: Path, fields: AbstractSet[str] = frozenset(), start: int = 0) -> Lines:
    """Yield every complete line of a file with its position; a partially written last line is left out.

    A file that is not there yet has none. ``start`` is the position of the first line.

    ``FileProblem`` where a line is broken or lacks one of these fields.
    """
    for offset, line in raw_lines(path, start):
        try:
            value = json.loads(line)
        except ValueError:
            raise FileProblem(f"{line_at(path, offset)}: not JSON", hint=CHANGED) from None
        except RecursionError:
            raise FileProblem(f"{line_at(path, offset)}: nested too deeply", hint=CHANGED) from None
        if not isinstance(value, dict) or not fields <= value.keys():
            lacking = ", ".join(sorted(fields - value.keys() if isinstance(value, dict) else fields))
            raise FileProblem(f"{line_at(path, offset)}: no field {lacking}", hint=CHANGED)
        yield offset, value


def raw_lines(path: Path, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield every complete line of a file as it is written, with its position."""
    if not path.exists():
        return
    offset = start
    with _opened(path) as file:
        file.seek(start)
        for line in file:
            if not line.endswith(b"\n"):
                return
            yield offset, line
            offset += len(line)


def line_at(path: Path, offset: int) -> str:
    """Return the name of the line that begins at a position, for messages."""
    with _opened(path) as file:
        before = sum(file.read(min(CHUNK, offset - start)).count(b"\n") for start in range(0, offset, CHUNK))
    return f"{path}: line {before + 1}"


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise FileProblem(f"{path}: cannot be opened: {error.strerror}") from None


def _healed(file: int) -> int:
    """Return the size of a file after a last line without an end was cut away."""
    end = keep = os.fstat(file).st_size
    while keep and os.pread(file, 1, keep - 1) != b"\n":
        step = min(keep, CHUNK)
        keep += os.pread(file, step, keep - step).rfind(b"\n") + 1 - step
    if keep < end:
        os.ftruncate(file, keep)
    return keep
