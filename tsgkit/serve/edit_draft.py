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
from types import UnionType
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.serve.edit_session import AcceptedEdit, now

VERSION = 1
BEGINNING = f'{{"draft": {VERSION}, '.encode()
TOKEN = re.compile(r"[\w-]{32,64}", re.ASCII)


def draft_file(file: Path) -> Path:
    """Return the draft of a file.

    >>> draft_file(Path("data/story.jsonl")).as_posix()
    'data/.story.jsonl.draft'
    """
    return file.with_name(f".{file.name}.draft")


class ServerAddress(NamedTuple):
    """The port and the token of the server, so that the next one can have the same address for open pages."""

    port: int
    token: str


@dataclass(frozen=True)
class DraftContent:
    """The content of a draft: the text that its edits belong to, its checksum in the file, and the edits.

    The checksum is None where there was no file yet. ``problem`` says why the edits end early, if they do.
    """

    text: str
    checksum: str | None
    edits: tuple[AcceptedEdit, ...]
    time: str
    problem: str = ""
    link: ServerAddress | None = None


class Draft:
    """The draft of one file, locked until it is closed. Raise ``UsageError`` if another server has it."""

    def __init__(self, file: Path) -> None:
        self.path = draft_file(file)
        self._file = file
        self._handle = self._locked()
        self._size = os.fstat(self._handle).st_size

    def _locked(self) -> int:
        while True:
            try:
                handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
            except OSError as error:
                hint = "copy the file to a folder that can be written, and edit it there"
                raise FileProblem(f"{self.path}: edits cannot be kept here: {error.strerror}", hint=hint) from None
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

    def read(self) -> DraftContent | None:
        """Return the content; None if there is none. Raise ``UsageError`` if it is no draft.

        A last line that was not written to its end was never acknowledged, and is removed.
        """
        data = self._bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if data and not data.startswith(BEGINNING):
            raise _no_draft(str(self.path))
        if not whole:
            self.empty()
            return None
        first, *lines = whole.splitlines()
        head = _fields(first, str(self.path), text=str, time=str, checksum=str | None)
        edits, time, problem = list[AcceptedEdit](), head["time"], ""
        for number, line in enumerate(lines, 2):
            try:
                value = _fields(line, f"{self.path}: line {number}", number=int, ops=list, time=str)
            except UsageError as error:
                problem = error.message
                break
            edits.append(AcceptedEdit(value["number"], value["ops"]))
            time = value["time"]
        if len(whole) < len(data):
            os.ftruncate(self._handle, len(whole))
            self._size = len(whole)
        link = self._link(head.get("port"), head.get("token"))
        return DraftContent(head["text"], head.get("checksum"), tuple(edits), time, problem, link)

    def _link(self, port: object, token: object) -> ServerAddress | None:
        """Return a link of the draft; None where it is none, or where another user may have chosen the token."""
        status = os.fstat(self._handle)
        if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
            return None
        if type(port) is not int or not 0 < port < 65536 or not isinstance(token, str) or not TOKEN.fullmatch(token):
            return None
        return ServerAddress(port, token)

    def add(self, edit: AcceptedEdit, text: str, checksum: str | None, link: ServerAddress | None = None) -> None:
        """Append an edit; the first one comes with the content that it belongs to."""
        lines: list[dict[str, Any]] = [{"number": edit.number, "ops": edit.ops, "time": now()}]
        if not self._size:
            head = {"draft": VERSION, "checksum": checksum, "time": now(), "text": text}
            lines.insert(0, head | ({} if link is None else link._asdict()))
        data, written = "".join(f"{json.dumps(line)}\n" for line in lines).encode(), 0
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


def _no_draft(where: str, why: str = "it is none of tsgkit's") -> UsageError:
    return UsageError(f"{where}: not a draft: {why}", hint="it is kept under another name")


def _fields(line: bytes, where: str, **kinds: type | UnionType) -> dict[str, Any]:
    """Return the object of a line that has fields of these kinds."""
    try:
        value = load(line.decode("utf-8"))
    except (NotationError, UnicodeDecodeError) as error:
        raise _no_draft(where, f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise _no_draft(where)
    for name, kind in kinds.items():
        if not isinstance(value.get(name), kind):
            raise _no_draft(where, f"it lacks {name}")
    return value
