"""Run folder of generated images: calls are recorded as in every run, and the images lie beside them.

``<id>.png``          the image of an item; a PNG stays as it came, other formats are made one
``.<id>.png.new``     an image whose call is being recorded; before, with more at its end, one that is being written

An image gets its final name after its call is recorded. So the request of every image is counted, and if the process
ends in between, the next call names the image instead of asking again.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem
from tsgkit.library.files import read_bytes, write_bytes
from tsgkit.llm.door import Call, Door, SentPrompt, prompt_hash
from tsgkit.llm.images import Messages
from tsgkit.llm.reply import PAINT, Reply, reply_from
from tsgkit.llm.scripts import RecordedModel
from tsgkit.runs.folder import CALLS, RunFolder, calls_in
from tsgkit.runs.journal import CHANGED, SYNCER
from tsgkit.suites.images import is_file_id

WORK = "images"
"""The name of its work in the header of an image folder."""
PNG_START = b"\x89PNG\r\n\x1a\n"
PNG_END = b"\0\0\0\0IEND\xaeB`\x82"


class ImageCalls:
    """The recorded calls of an image folder: of each item the last under each label."""

    def __init__(self, folder: Path) -> None:
        """Read the calls; none where nothing was asked yet."""
        self._path, self._latest = folder / CALLS, 0
        self._last: dict[tuple[str, str], dict[str, Any]] = {}
        self.read_on()

    def read_on(self) -> None:
        """Read what was recorded since."""
        for offset, value in calls_in(self._path, self._latest):
            self._last[value["label"], value["sample"]], self._latest = value, offset

    def sha256(self, item_id: str) -> str | None:
        """Return the hash of the image that was made last for an item."""
        value = self._last.get((PAINT, item_id))
        return None if value is None else value["reply"].get("sha256")

    def reply(self, label: str, item_id: str, prompt: Messages) -> Reply | None:
        """Return the last reply about an item if it answered this prompt."""
        value = self._last.get((label, item_id))
        return reply_from(value["reply"]) if value is not None and value["prompt"] == prompt_hash(prompt) else None

    def images(self) -> Iterator[tuple[str, str]]:
        """Yield the items for which an image was made, with its hash; ``FileProblem`` for one that names no file."""
        for label, item_id in sorted(self._last):
            sha256 = self.sha256(item_id) if label == PAINT else None
            if sha256 is not None and not is_file_id(item_id):
                message = f"{self._path}: {item_id[:80]!r} cannot be the name of an image"
                raise FileProblem(message, hint=CHANGED)
            if sha256 is not None:
                yield item_id, sha256


def call_about(asker: Door | RecordedModel, item_id: str) -> Call:
    """Return the identity of a call about an image, which no solver makes; the door fills in the request."""
    subject = asker.name if isinstance(asker, Door) else "script"
    return Call(subject, "", WORK, solver="", style="", sample=item_id, repeat=0, label="", body="", draw=0)


class ImageRun(RunFolder):
    """An open run folder of images."""

    unpriced = False
    """True if a request was answered at an unknown price."""

    def __init__(self, path: Path, header: dict[str, Any], calls: ImageCalls) -> None:
        """Open it, name images whose calls were recorded when a process ended, and remove those that were not.

        ``calls`` are those that were read before; it reads on from there.
        """
        self._unrecorded: dict[str, tuple[Future[None], Callable[[], None]]] = {}
        super().__init__(path, header)
        calls.read_on()
        for cut in path.glob("..*.png.new.*"):
            _remove(cut)
        for new in path.glob(".*.png.new"):
            item_id = new.name.removeprefix(".").removesuffix(".png.new")
            if calls.sha256(item_id) == hashlib.sha256(read_bytes(new)).hexdigest():
                _name(path, item_id)
            else:
                _remove(new)

    def _note_request(self, call: Call, reply: Reply, offset: int) -> None:
        super()._note_request(call, reply, offset)
        self.unpriced |= reply.source == "model" and reply.error is None and reply.usage.cost is None

    def find(self, call: Call) -> Reply | None:
        """Return the recorded reply to a call; None if its image is not there any more."""
        reply = super().find(call)
        return None if reply is not None and reply.sha256 and not is_there(self.path, call.sample) else reply

    def write(self, call: Call, prompt: SentPrompt | None, reply: Reply) -> None:
        """Record a reply. One with an image is recorded when a thread has written that: see :meth:`recorded`."""
        record = partial(super().write, call, prompt, reply)
        if reply.image is None:
            record()
        else:
            writing = SYNCER.submit(write_bytes, _newest_of(self.path, call.sample), reply.image)
            self._unrecorded[call.sample] = writing, record

    async def recorded(self, item_id: str) -> None:
        """Wait until the image of an item is written, without holding up other requests; record its call and name it.

        Where the wait is cancelled, :meth:`close` does that.
        """
        if item_id in self._unrecorded:
            with suppress(FileProblem):  # raised below
                await asyncio.shield(asyncio.wrap_future(self._unrecorded[item_id][0]))
            self._record(item_id)

    def _record(self, item_id: str) -> None:
        writing, record = self._unrecorded.pop(item_id)
        try:
            writing.result()
            record()
        except FileProblem:
            _remove(_newest_of(self.path, item_id))
            raise
        _name(self.path, item_id)

    def close(self) -> None:
        """Record what is left, and let go of the files."""
        try:
            for item_id in tuple(self._unrecorded):
                self._record(item_id)
        finally:
            super().close()


def image_of(folder: Path, item_id: str) -> Path:
    """Return where the image of an item lies, or will lie."""
    return folder / f"{item_id}.png"


def _newest_of(folder: Path, item_id: str) -> Path:
    return folder / f".{item_id}.png.new"


def _name(folder: Path, item_id: str) -> None:
    path = _newest_of(folder, item_id)
    try:
        path.replace(image_of(folder, item_id))
    except OSError as error:
        raise FileProblem(f"{path}: cannot be renamed: {error.strerror}") from None


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise FileProblem(f"{path}: cannot be removed: {error.strerror}") from None


def is_there(folder: Path, item_id: str) -> bool:
    """Return whether an item has an image; an empty file or a truncated PNG does not count."""
    path = image_of(folder, item_id)
    if path.is_symlink() and not path.exists():
        return True
    if path.is_dir():
        raise FileProblem(f"{path}: a folder lies where an image is to be written", hint="give another -o")
    try:
        with path.open("rb") as file:
            start = file.read(len(PNG_START))
            if not PNG_START.startswith(start):  # another format, of somebody else's making
                return True
            file.seek(-min(len(PNG_END), os.fstat(file.fileno()).st_size), os.SEEK_END)
            return start == PNG_START and file.read() == PNG_END
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise FileProblem(f"{path}: cannot be read: {error.strerror}") from None


def copy_images(folders: Sequence[Path], merged: Path) -> tuple[str, ...]:
    """Copy the images of recorded calls from folders that were merged; return which could not be, and why."""
    problems = []
    for item_id, sha256 in ImageCalls(merged).images():
        for source in (image_of(folder, item_id) for folder in folders):
            data = read_bytes(source) if source.exists() else b""
            if hashlib.sha256(data).hexdigest() == sha256:
                write_bytes(image_of(merged, item_id), data)
                break
        else:
            problems.append(f"{item_id}.png: no folder has the image that was made; it is to be made again")
    return tuple(problems)
