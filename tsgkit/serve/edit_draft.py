"""The draft of a file that is edited: a hidden file beside it with all edits that are not saved yet.

The first line says to which content of the file the edits belong, and holds that content; every other line is an edit,
written before it is acknowledged. The draft is locked as long as its server lives, so that no two servers edit one
file. Only its owner can read it, since it holds the token of the server. Lines survive the end of the process, however
it ends; they are not forced to the disk one by one.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.serve.edit_session import Edit, now

VERSION = 1
BEGINNING = f'{{"draft": {VERSION}, '.encode()
TOKEN = re.compile(r"[\w-]{32,64}", re.ASCII)
T = TypeVar("T")


def draft_file(file: Path) -> Path:
    """Return the draft of a file.

    >>> draft_file(Path("data/story.jsonl")).as_posix()
    'data/.story.jsonl.draft'
    """
    return file.with_name(f".{file.name}.draft")


class Link(NamedTuple):
    """The port and the token of the server, so that the next one can have the same address for open pages."""

    port: int
    token: str


@dataclass(frozen=True)
class Kept:
    """The content of a draft: the text that its edits belong to, its checksum in the file, and the edits.

    The checksum is None where there was no file yet. ``problem`` says why the edits end early, if they do.
    """

    text: str
    checksum: str | None
    edits: tuple[Edit, ...]
    time: str
    problem: str = ""
    link: Link | None = None


class Draft:
    """The draft of one file, locked until it is closed. Raise ``UsageError`` if another server has it."""

    def __init__(self, file: Path) -> None:
        self.path = draft_file(file)
        self._file = file
        self._handle = self._locked()
        self._size = os.fstat(self._handle).st_size

    def _locked(self) -> int:
        while True:
            handle = self._opened()
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(handle), self.path.stat()):
                    return handle
            except BlockingIOError:
                os.close(handle)
                hint = "use its link, or end it with Ctrl-C; --annotator NAME keeps a version of one's own"
                raise UsageError(f"{self._file}: another tsgkit edits this file", hint=hint) from None
            except FileNotFoundError:
                pass  # the server before removed it at its end
            os.close(handle)

    def _opened(self) -> int:
        try:
            return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            hint = "copy the file to a folder that can be written, and edit it there"
            raise FileProblem(f"{self.path}: edits cannot be kept here: {error.strerror}", hint=hint) from None

    def read(self) -> Kept | None:
        """Return the content; None if there is none. Raise ``UsageError`` if it is no draft.

        A last line that was not written to its end was never acknowledged, and is removed.
        """
        data = self._bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if not whole and data and not data.startswith(BEGINNING):
            raise _no_draft(str(self.path))
        if not whole:
            self.empty()
            return None
        head, *lines = whole.splitlines()
        kept = self._kept(head, lines)
        if len(whole) < len(data):
            os.ftruncate(self._handle, len(whole))
            self._size = len(whole)
        return kept

    def _kept(self, head: bytes, lines: list[bytes]) -> Kept:
        if not head.startswith(BEGINNING):
            raise _no_draft(str(self.path))
        value = _object(head, str(self.path))
        text, time = _of(value, "text", str, str(self.path)), _of(value, "time", str, str(self.path))
        checksum = None if value.get("checksum") is None else _of(value, "checksum", str, str(self.path))
        link = Link(value.get("port", 0), value.get("token", ""))
        edits, problem = list[Edit](), ""
        for number, line in enumerate(lines, 2):
            where = f"{self.path}: line {number}"
            try:
                value = _object(line, where)
                edits.append(Edit(_of(value, "number", int, where), _of(value, "ops", list, where)))
                time = _of(value, "time", str, where)
            except UsageError as error:
                problem = error.message
                break
        return Kept(text, checksum, tuple(edits), time, problem, link if self._is_private and _is_link(link) else None)

    @property
    def _is_private(self) -> bool:
        """Return whether only this user could write the draft, so that no other one chose the token in it."""
        found = os.fstat(self._handle)
        return found.st_uid == os.geteuid() and not stat.S_IMODE(found.st_mode) & 0o077

    def add(self, edit: Edit, text: str, checksum: str | None, link: Link | None = None) -> None:
        """Append an edit; the first one comes with the content that it belongs to."""
        lines: list[dict[str, Any]] = [{"number": edit.number, "ops": edit.ops, "time": now()}]
        if not self._size:
            head = {"draft": VERSION, "checksum": checksum, "time": now(), "text": text}
            lines.insert(0, head | ({} if link is None else link._asdict()))
        self._append("".join(f"{json.dumps(line)}\n" for line in lines).encode())

    def _append(self, data: bytes) -> None:
        written = 0
        try:
            while written < len(data):
                written += os.write(self._handle, data[written:])
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, self._size)
            message = f"{self.path}: the edit cannot be kept: {error.strerror}"
            raise FileProblem(message, hint="make room, and edit again; nothing was changed") from None
        self._size += len(data)

    def empty(self) -> None:
        """Remove the content."""
        os.ftruncate(self._handle, 0)
        self._size = 0

    def move_aside(self) -> Path:
        """Keep the content, as private as it is, under a name of its own, and return that; the draft is empty then."""
        data = self._bytes()
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        for number in range(1, 1000):
            target = self._file.with_name(f"{self._file.name}.draft.until-{stamp}{f'-{number}' * (number > 1)}")
            with suppress(FileExistsError):
                with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(data)
                self.empty()
                return target
        raise FileProblem(f"{self.path}: no name is left for a copy beside it")

    @property
    def is_closed(self) -> bool:
        """Return whether the draft was let go of."""
        return self._handle < 0

    def close(self) -> None:
        """Let go of the draft. An empty one is removed."""
        if self.is_closed:
            return
        if not self._size:
            with suppress(OSError):
                self.path.unlink()
        os.close(self._handle)
        self._handle = -1

    def _bytes(self) -> bytes:
        with os.fdopen(os.dup(self._handle), "rb") as file:
            file.seek(0)
            return file.read()


def _is_link(link: Link) -> bool:
    is_port = type(link.port) is int and 0 < link.port < 65536
    return is_port and isinstance(link.token, str) and TOKEN.fullmatch(link.token) is not None


def _no_draft(where: str, why: str = "it is none of tsgkit's") -> UsageError:
    return UsageError(f"{where}: not a draft: {why}", hint="it is kept under another name")


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        value = load(line.decode("utf-8"))
    except (NotationError, UnicodeDecodeError) as error:
        raise _no_draft(where, f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise _no_draft(where)
    return value


def _of(value: dict[str, Any], name: str, kind: type[T], where: str) -> T:
    found = value.get(name)
    if not isinstance(found, kind):
        raise _no_draft(where, f"it lacks {name}")
    return found
