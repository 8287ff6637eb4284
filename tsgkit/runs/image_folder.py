"""Folder of generated images with a log of all requests.

``<id>.png``          the image of an item; a PNG stays as it came, other formats are made one
``.<id>.png.new``     an image whose line is being written; before, with more at its end, one that is being written
``paintings.jsonl``   how each came about, or did not: model, parameters, prompt, attempts, usage, cost; only added to
``rewriting.calls``   the calls of a text model that wrote the prompts anew, where one did

An image gets its final name after its log line is written. So the request of every image is counted, and if the process
ends in between, the next call names the image instead of asking again.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem
from tsgkit.library.files import read_bytes, write_bytes
from tsgkit.llm.reply import TOO_MANY, Ending, Reply, Usage
from tsgkit.runs.journal import lines_of
from tsgkit.suites.image_decoder import Unreadable, examine
from tsgkit.suites.images import PAINTINGS

PAINTED, BLOCKED, API_ERROR = "painted", "blocked", "api_error"
FIELDS = ("id", "outcome", "request", "attempts")
PNG_START = b"\x89PNG\r\n\x1a\n"
PNG_END = b"\0\0\0\0IEND\xaeB`\x82"


class Last(NamedTuple):
    """The last result for an item and its request."""

    outcome: str
    request: str
    sha256: str = ""
    """The hash of the image, if there is one."""


@dataclass
class PaintingLog:
    """The log of a folder: the last line of each item, and the usage of all requests."""

    last: dict[str, Last] = field(default_factory=dict)
    requests: int = 0
    unpriced: int = 0
    """The number of images of unknown cost."""
    spent: Usage = field(default_factory=lambda: Usage(0, 0, 0, 0, 0.0))

    @classmethod
    def of(cls, folder: Path) -> PaintingLog:
        """Return the log of a folder; an empty one where nothing was painted yet."""
        log = cls()
        if (folder / PAINTINGS).is_file():
            for _, line in lines_of(folder / PAINTINGS, frozenset(FIELDS)):
                log.note(line)
        return log

    def note(self, line: dict[str, Any]) -> None:
        """Take in a line."""
        self.last[line["id"]] = Last(line["outcome"], line["request"], str(line.get("sha256", "")))
        self.requests += sum(attempt.get("status") != TOO_MANY for attempt in line["attempts"])
        self.unpriced += line["outcome"] == PAINTED and line.get("cost") is None
        used = {name: line.get("usage", {}).get(name) or 0 for name in Usage.__dataclass_fields__}
        self.spent = self.spent + Usage(**used)


def image_of(folder: Path, item_id: str) -> Path:
    """Return where the image of an item lies, or will lie."""
    return folder / f"{item_id}.png"


def newest_of(folder: Path, item_id: str) -> Path:
    """Return where an image lies until its line is written."""
    return folder / f".{item_id}.png.new"


def name_image(folder: Path, item_id: str) -> None:
    """Give an image its final name after its log line is written."""
    path = newest_of(folder, item_id)
    try:
        path.replace(image_of(folder, item_id))
    except OSError as error:
        raise FileProblem(f"{path}: cannot be renamed: {error.strerror}") from None


def drop_image(folder: Path, item_id: str) -> None:
    """Remove an image without a log line, if there is one."""
    _remove(newest_of(folder, item_id))


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise FileProblem(f"{path}: cannot be removed: {error.strerror}") from None


def finish_names(folder: Path, log: PaintingLog) -> None:
    """Name images whose lines were written when a process ended, and remove those without a line or cut off."""
    for path in folder.glob("..*.png.new.*"):
        _remove(path)
    for path in folder.glob(".*.png.new"):
        item_id = path.name.removeprefix(".").removesuffix(".png.new")
        last = log.last.get(item_id)
        if last is not None and last.sha256 == hashlib.sha256(read_bytes(path)).hexdigest():
            name_image(folder, item_id)
        else:
            drop_image(folder, item_id)


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


def keep(folder: Path, item_id: str, reply: Reply) -> dict[str, Any]:
    """Write the image of a reply if it can be decoded, and return the fields of its log line.

    Until it is named, it is at :func:`newest_of`.
    """
    if reply.image is None:
        outcome = BLOCKED if reply.ending is Ending.REFUSED else API_ERROR
        return {"outcome": outcome, "reason": reply.error or str(reply.ending)}
    examined = examine(reply.image, as_png=True)
    if isinstance(examined, Unreadable):
        return {"outcome": API_ERROR, "reason": f"what came is no image: {examined.reason}"}
    as_it_came = examined.png is None or examined.format == "PNG"
    data = reply.image if as_it_came or examined.png is None else examined.png
    write_bytes(newest_of(folder, item_id), data)
    sides = {"width": examined.width, "height": examined.height}
    notes = {} if as_it_came else {"notes": list(examined.notes)}
    return {"outcome": PAINTED, "sha256": hashlib.sha256(data).hexdigest(), **sides, **notes}
