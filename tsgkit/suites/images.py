"""Folders of images, paired with items by id or by position.

>>> import tempfile
>>> folder = ImageFolder("some-model", tempfile.mkdtemp(), kept=Path(tempfile.mkdtemp()) / "images")
>>> folder.look("7"), folder.look("../7")
(Missing(), Unreadable(reason="'../7' cannot be the name of an image"))

``<id>.png``, ``.jpg``, ``.jpeg``, ``.webp``, ``.gif`` or ``.bmp`` is the image of an item. An id is data: nothing
outside the folder is ever read. The content decides about the format, not the ending. An image that services could
misread (animated, CMYK, 16 bits a channel, rotated by EXIF data, a palette with transparency, GIF or BMP inside) is
re-encoded as a PNG in the folder ``kept``, under its SHA-256, with a note; it is reduced only for ``longest_side``.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import look_alike, write_bytes
from tsgkit.llm.image_decoder import Examined, Unreadable, examine, require_pillow, sides_of
from tsgkit.llm.images import MOST_IMAGE_BYTES, ImageFile

ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")
OF_FORMAT = {
    "PNG": (".png",),
    "JPEG": (".jpg", ".jpeg"),
    "MPO": (".jpg", ".jpeg"),
    "WEBP": (".webp",),
    "GIF": (".gif",),
    "BMP": (".bmp",),
}
OWN = frozenset({"run.json", "calls.jsonl", "prompts.jsonl", "samples.jsonl", ".lock", "drawings"})
"""What tsgkit keeps beside generated images: these are no stray files."""
HEAD = 2**18
"""Bytes in which the sides of an image are declared."""
LONGEST_ID = 200
"""Bytes of an id, so that a file can be named after it."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The absence of an item's image."""


Looked = ImageFile | Missing | Unreadable
_Stamp = tuple[int, int, int]


def is_file_id(item_id: str) -> bool:
    """Return whether an id can be a file name: plain, not hidden, and without a path.

    >>> [is_file_id(one) for one in ("7", "scene 1", "", "a/b", "..", ".hidden", "a" + chr(0), "x" * 300)]
    [True, True, False, False, False, False, False, False]
    """
    try:
        length = len(item_id.encode("utf-8"))
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    odd = any(letter in "/\\" or ord(letter) < 32 or ord(letter) == 127 for letter in item_id)
    return 0 < length <= LONGEST_ID and not item_id.startswith(".") and not odd


@dataclass
class ImageFolder:
    """The images of one subject."""

    name: str
    path: Path
    kept: Path
    """The folder for re-encoded images."""
    longest_side: int | None = None
    _looked: dict[str, tuple[_Stamp, Looked]] = field(default_factory=dict, repr=False)

    def __init__(self, name: str, path: str | Path, kept: str | Path, longest_side: int | None = None) -> None:
        """Open a folder. Raise ``UsageError`` if it does not exist, or images cannot be decoded here."""
        self.name, self.path, self.kept, self.longest_side = name, Path(path), Path(kept), longest_side
        self._looked = {}
        if not self.path.is_dir():
            what = "this is a file, not a folder of images" if self.path.exists() else "no such folder"
            raise FileProblem(f"{self.path}: {what}", hint="" if self.path.exists() else look_alike(self.path))
        if longest_side is not None and longest_side < 1:
            raise UsageError(f"a longest side of {longest_side} pixels: at least 1 is needed")
        require_pillow()

    @cached_property
    def _files(self) -> dict[str, list[str]]:
        """The names of possible image files, by the id that they are named after."""
        files: dict[str, list[str]] = {}
        for name in self._names:
            stem, ending = os.path.splitext(name)  # noqa: PTH122  (a name, in which ".." means nothing)
            if ending.lower() in ENDINGS:
                files.setdefault(stem, []).append(name)
        return files

    @cached_property
    def in_order(self) -> tuple[str, ...]:
        """The sorted names of everything in the folder, including hidden files and folders, without tsgkit's own."""
        try:
            return tuple(sorted(set(os.listdir(self.path)) - OWN))  # noqa: PTH208  (names, as the published code has them)
        except OSError as error:
            raise FileProblem(f"{self.path}: cannot be read: {error.strerror}") from None

    @cached_property
    def _names(self) -> tuple[str, ...]:
        try:
            with os.scandir(self.path) as found:
                return tuple(
                    sorted(
                        one.name
                        for one in found
                        if not one.name.startswith(".") and not one.is_dir(follow_symlinks=False)
                    )
                )
        except OSError as error:
            raise FileProblem(f"{self.path}: cannot be read: {error.strerror}") from None

    def stray(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the files that belong to none of these items."""
        known = set(ids)
        ours = {name for item_id, names in self._files.items() if item_id in known for name in names}
        return tuple(name for name in self._names if name not in ours and name not in OWN)

    def named(self, item_id: str) -> list[str]:
        """Return the files that are named after an item."""
        return self._files.get(item_id, [])

    def look(self, item_id: str) -> Looked:
        """Return an item's image, or the reason why there is none; an unchanged file is not decoded again."""
        if not is_file_id(item_id):
            return Unreadable(f"{item_id[:LONGEST_ID]!r} cannot be the name of an image")
        names = self.named(item_id)
        if not names:
            return Missing()
        if len(names) > 1:
            return Unreadable(f"several files have this id: {', '.join(names)}")
        return self._seen(item_id, names[0])

    def look_at(self, name: str) -> Looked:
        """Return the image in a file of this folder, whatever it is called."""
        return self._seen(name, name)

    def sides(self, name: str) -> tuple[int, int] | None:
        """Return the sides that the head of a file declares; None if there is no image to be read."""
        try:
            place = self._place(name)
            if place is None or not place.is_file():
                return None
            with place.open("rb") as file:
                return sides_of(file.read(HEAD))
        except (OSError, RuntimeError):
            return None

    def _seen(self, item_id: str, name: str) -> Looked:
        try:
            place = self._place(name)
            if place is None:
                return Unreadable(f"{name} is outside the folder")
            return self._opened(item_id, name, place)
        except FileNotFoundError:
            return Missing()
        except OSError as error:
            return Unreadable(f"{name} cannot be read: {error.strerror}")
        except RuntimeError:  # a link that leads back to itself, up to Python 3.12
            return Unreadable(f"{name} cannot be read: it is a link to itself")

    def _place(self, name: str) -> Path | None:
        """Return the real path of a file; None if it is outside the folder."""
        place = (self.path / name).resolve(strict=True)
        return place if place.is_relative_to(self.path.resolve()) else None

    def _opened(self, item_id: str, name: str, place: Path) -> Looked:
        file = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(file, "rb") as opened:
            found = os.fstat(file)
            stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
            known = self._looked.get(item_id)
            if known is not None and known[0] == stamp and _still_there(known[1]):
                return known[1]
            if not stat.S_ISREG(found.st_mode):
                return Unreadable(f"{name} is no file")
            if found.st_size > MOST_IMAGE_BYTES:
                return Unreadable(
                    f"{name}: the file has {found.st_size:,} bytes; at most {MOST_IMAGE_BYTES:,} are read"
                )
            data = opened.read(MOST_IMAGE_BYTES + 1)
        looked = self._made(name, place, data)
        self._looked[item_id] = (stamp, looked)
        return looked

    def _made(self, name: str, place: Path, data: bytes) -> Looked:
        examined = examine(data, self.longest_side)
        if isinstance(examined, Unreadable):
            return Unreadable(f"{name}: {examined.reason}")
        notes = _misnamed(name, examined) + examined.notes
        if examined.png is not None:
            return keep_image(self.kept, examined.png, (examined.width, examined.height), notes)
        digest = hashlib.sha256(data).hexdigest()
        return ImageFile(place, digest, examined.media_type, examined.width, examined.height, len(data), notes)


def _still_there(looked: Looked) -> bool:
    return not isinstance(looked, ImageFile) or looked.path.is_file()


def _misnamed(name: str, examined: Examined) -> tuple[str, ...]:
    if name.lower().endswith(OF_FORMAT.get(examined.format, ())):
        return ()
    return (f"named {name}, but holds {examined.format}",)


def keep_image(folder: Path, png: bytes, sides: tuple[int, int], notes: tuple[str, ...] = ()) -> ImageFile:
    """Return a PNG written into a folder under its SHA-256, once, whole or not at all."""
    digest = hashlib.sha256(png).hexdigest()
    path = folder / f"{digest}.png"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = path.is_file() and path.read_bytes() == png
    except OSError as error:
        raise FileProblem(f"{folder}: images cannot be stored here: {error.strerror}") from None
    if not there:
        write_bytes(path, png)
    return ImageFile(path, digest, "image/png", *sides, len(png), notes)
