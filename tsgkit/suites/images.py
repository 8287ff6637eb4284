"""Folders of images, paired with items by id or by position.

>>> import tempfile
>>> folder = ImageFolder("some-model", tempfile.mkdtemp(), kept=Path(tempfile.mkdtemp()) / "images")
>>> folder.look("7"), folder.look("../7")
(MissingImage(), UndecodableImage(reason="'../7' cannot be the name of an image"))

``<id>.png``, ``.jpg``, ``.jpeg``, ``.webp``, ``.gif`` or ``.bmp`` is the image of an item. An id is data: nothing
outside the folder is ever read. The content decides about the format, not the ending. An image that services could
misread (animated, CMYK, 16 bits a channel, rotated by EXIF data, a palette with transparency, GIF or BMP inside) is
re-encoded as a PNG under its SHA-256, with a note.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tsgkit.errors import FileProblem
from tsgkit.library.files import look_alike, write_bytes
from tsgkit.llm.image_decoder import UndecodableImage, examine, require_pillow, sides_of
from tsgkit.llm.images import MOST_IMAGE_BYTES, ImageFile
from tsgkit.user_folders import cache_home

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
class MissingImage:
    """The absence of an item's image."""


Looked = ImageFile | MissingImage | UndecodableImage
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


def image_files(folder: Path, names: Iterable[str]) -> Iterator[Path]:
    """Yield the files in a folder that are named as the images of these items."""
    paths = (folder / f"{name}{ending}" for name in names if is_file_id(name) for ending in ENDINGS)
    return (path for path in paths if path.is_file())


class ImageFolder:
    """The images of one subject; those that are re-encoded lie in the folder ``kept``, or in the cache."""

    def __init__(self, name: str, path: str | Path, kept: str | Path | None = None) -> None:
        """Open a folder. Raise ``UsageError`` if it does not exist, or images cannot be decoded here."""
        self.name, self.path = name, Path(path)
        self.kept = cache_home() / "images" if kept is None else Path(kept)
        self._looked: dict[str, tuple[_Stamp, Looked]] = {}
        if not self.path.is_dir():
            what = "this is a file, not a folder of images" if self.path.exists() else "no such folder"
            raise FileProblem(f"{self.path}: {what}", hint="" if self.path.exists() else look_alike(self.path))
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
            with os.scandir(self.path) as entries:
                shown = [entry.name for entry in entries if not entry.is_dir(follow_symlinks=False)]
        except OSError as error:
            raise FileProblem(f"{self.path}: cannot be read: {error.strerror}") from None
        return tuple(sorted(name for name in shown if not name.startswith(".")))

    def stray(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the files that belong to none of these items."""
        known = set(ids)
        ours = {name for item_id, names in self._files.items() if item_id in known for name in names}
        return tuple(name for name in self._names if name not in ours and name not in OWN)

    def named(self, item_id: str) -> list[str]:
        """Return the files that are named after an item."""
        return self._files.get(item_id, [])

    def look(self, item_id: str) -> Looked:
        """Return an item's image, or the reason why there is none."""
        if not is_file_id(item_id):
            return UndecodableImage(f"{item_id[:LONGEST_ID]!r} cannot be the name of an image")
        names = self.named(item_id)
        if not names:
            return MissingImage()
        if len(names) > 1:
            return UndecodableImage(f"several files have this id: {', '.join(names)}")
        return self.look_at(names[0])

    def look_at(self, name: str) -> Looked:
        """Return the image in a file of this folder, whatever it is called; an unchanged one is not decoded again."""
        try:
            path = self._place(name)
            if path is None:
                return UndecodableImage(f"{name} is outside the folder")
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            with os.fdopen(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
                before, image = self._looked.get(name, (None, MissingImage()))
                if before == stamp and (not isinstance(image, ImageFile) or image.path.is_file()):
                    return image
                if not stat.S_ISREG(status.st_mode):
                    return UndecodableImage(f"{name} is no file")
                if status.st_size > MOST_IMAGE_BYTES:
                    size = f"the file has {status.st_size:,} bytes; at most {MOST_IMAGE_BYTES:,} are read"
                    return UndecodableImage(f"{name}: {size}")
                data = file.read(MOST_IMAGE_BYTES + 1)
            if isinstance(examined := examine(data), UndecodableImage):
                image = UndecodableImage(f"{name}: {examined.reason}")
            else:
                is_named_so = name.lower().endswith(OF_FORMAT.get(examined.format, ()))
                notes = (*(() if is_named_so else (f"named {name}, but holds {examined.format}",)), *examined.notes)
                sides = examined.width, examined.height
                if examined.png is not None:
                    image = keep_image(self.kept, examined.png, sides, notes)
                else:
                    digest = hashlib.sha256(data).hexdigest()
                    image = ImageFile(path, digest, examined.media_type, *sides, len(data), notes)
        except FileNotFoundError:
            return MissingImage()
        except OSError as error:
            return UndecodableImage(f"{name} cannot be read: {error.strerror}")
        except RuntimeError:  # a link that leads back to itself, up to Python 3.12
            return UndecodableImage(f"{name} cannot be read: it is a link to itself")
        self._looked[name] = (stamp, image)
        return image

    def sides(self, name: str) -> tuple[int, int] | None:
        """Return the sides that the head of a file declares; None if there is no image to be read."""
        try:
            path = self._place(name)
            if path is None or not path.is_file():
                return None
            with path.open("rb") as file:
                return sides_of(file.read(HEAD))
        except (OSError, RuntimeError):
            return None

    def _place(self, name: str) -> Path | None:
        """Return the real path of a file; None if it is outside the folder."""
        path = (self.path / name).resolve(strict=True)
        return path if path.is_relative_to(self.path.resolve()) else None


def keep_image(folder: Path, png: bytes, sides: tuple[int, int], notes: tuple[str, ...] = ()) -> ImageFile:
    """Return a PNG written into a folder under its SHA-256, once, whole or not at all."""
    digest = hashlib.sha256(png).hexdigest()
    path = folder / f"{digest}.png"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_stored = path.is_file() and path.read_bytes() == png
    except OSError as error:
        raise FileProblem(f"{folder}: images cannot be stored here: {error.strerror}") from None
    if not is_stored:
        write_bytes(path, png)
    return ImageFile(path, digest, "image/png", *sides, len(png), notes)
