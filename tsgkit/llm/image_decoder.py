"""Decoding of images: whether a model can be shown them, and conversions that this needs.

>>> examine(b"")
UndecodableImage(reason='the file is empty')
>>> examine(b"<!doctype html>")
UndecodableImage(reason='this is no image of a kind that is read (PNG, JPEG, WEBP, GIF, BMP)')

Pillow (extra ``images``) decodes, after the sides are checked against limits. Several threads may decode, as long as
together they have no more than ``MOST_PIXELS`` pixels, so that memory stays below some nine bytes for each of these.
"""

from __future__ import annotations

import asyncio
import hashlib
import struct
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from tsgkit.errors import ExtraMissing
from tsgkit.llm.images import MOST_IMAGE_BYTES
from tsgkit.llm.reply import Ending, Reply, Usage

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 36_000_000
"""As many as 6000 x 6000."""
READ = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
SENT = {"PNG": "image/png", "JPEG": "image/jpeg", "MPO": "image/jpeg", "WEBP": "image/webp"}
"""Formats that services take as they are (MPO is a JPEG with more behind it), and their media types."""
PLAIN = ("1", "L", "LA", "P", "RGB", "RGBA")
ORIENTATION = 0x0112
NO_IMAGE = "this is no image of a kind that is read (PNG, JPEG, WEBP, GIF, BMP)"


class PixelBudget:
    """A limit on the pixels decoded at a time over all threads; decoding waits for free pixels.

    Warnings are ignored during decoding: sizes are checked here, and broken metadata does not matter. Python's warning
    filters are global, so the first decoding thread replaces them and the last one restores them.
    """

    def __init__(self, pixels: int) -> None:
        self._free, self._users = pixels, 0
        self._changed = threading.Condition()
        self._quiet = ExitStack()

    @contextmanager
    def taken(self, pixels: int) -> Iterator[None]:
        """Hold so many pixels while the block lasts."""
        with self._changed:
            self._changed.wait_for(lambda: self._free >= pixels)
            self._free -= pixels
            self._users += 1
            if self._users == 1:
                self._quiet.enter_context(warnings.catch_warnings())
                warnings.simplefilter("ignore")
        try:
            yield
        finally:
            with self._changed:
                self._free += pixels
                self._users -= 1
                if not self._users:
                    self._quiet.close()
                self._changed.notify_all()


_BUDGET = PixelBudget(MOST_PIXELS)


@dataclass(frozen=True, slots=True)
class UndecodableImage:
    """An image that exists and cannot be used."""

    reason: str


class Examined(NamedTuple):
    """A usable image: its format and media type, its sides, and remarks about conversions.

    ``png`` holds the re-encoded image, if it was necessary.
    """

    format: str
    media_type: str
    width: int
    height: int
    png: bytes | None
    notes: tuple[str, ...]


def require_pillow() -> None:
    """Raise ``UsageError`` if the extra for images is not installed."""
    try:
        import PIL.Image  # noqa: F401
    except ImportError:
        raise ExtraMissing("images are read", "Pillow", "images") from None


def examine(data: bytes, *, as_png: bool = False) -> Examined | UndecodableImage:
    """Return the image in these bytes. It is re-encoded as PNG if services could misread it, or only PNG will do."""
    if not data:
        return UndecodableImage("the file is empty")
    if len(data) > MOST_IMAGE_BYTES:
        return UndecodableImage(f"the file has {len(data):,} bytes; at most {MOST_IMAGE_BYTES:,} are read")
    require_pillow()
    from PIL import Image, UnidentifiedImageError

    try:
        width, height = _sides(data)
        if refusal := _too_large(width, height):
            return refusal
        with _BUDGET.taken(width * height), Image.open(BytesIO(data), formats=READ) as image:
            return _too_large(*image.size) or _examined(image, data, as_png)
    except MemoryError:
        return UndecodableImage("there is not enough memory to decode it")
    except UnidentifiedImageError:
        return UndecodableImage(NO_IMAGE)
    except Image.DecompressionBombError:
        return UndecodableImage(f"it has far more than {MOST_PIXELS:,} pixels")
    except Exception as error:  # noqa: BLE001  (whatever a decoder raises, this is not an image it can decode)
        return UndecodableImage(f"it cannot be decoded: {error or type(error).__name__}")


def sides_of(data: bytes) -> tuple[int, int] | None:
    """Return the sides that an image declares in its first bytes; None if they cannot be read."""
    require_pillow()
    try:
        sides = _sides(data)
    except Exception:  # noqa: BLE001  (whatever a decoder raises)
        return None
    return None if _too_large(*sides) else sides


def _too_large(width: int, height: int) -> UndecodableImage | None:
    if 0 < width * height <= MOST_PIXELS:
        return None
    return UndecodableImage(f"it has {width:,} x {height:,} pixels; at most {MOST_PIXELS:,} are decoded")


def _sides(data: bytes) -> tuple[int, int]:
    """Return the sides that an image declares, before it is decoded.

    Those of a WEBP are read here: its decoder takes memory for them before they can be asked for.
    """
    from PIL import Image

    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        if data[12:16] == b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        if data[12:16] == b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    with _BUDGET.taken(0), Image.open(BytesIO(data), formats=READ) as image:
        return image.size


def _examined(image: Image, data: bytes, as_png: bool) -> Examined:
    """Return an image in a form that all services understand, with notes about the conversions."""
    from PIL import ImageOps

    image.load()
    kind, ready, notes = image.format or "", image, list[str]()
    if getattr(image, "is_animated", False) and kind != "MPO":
        notes.append("animated: its first frame is taken")
        ready = image.copy()
    if image.getexif().get(ORIENTATION, 1) in range(2, 9):
        notes.append("turned as its EXIF data say")
        ready = ImageOps.exif_transpose(ready)
    if ready.mode.startswith("I") or (kind == "PNG" and data[24] == 16):  # Pillow halves 16 bits of colours by itself
        notes.append("16 or more bits a channel made 8")
        if ready.mode.startswith("I"):
            ready = ready.convert("I").point([value >> 8 for value in range(1 << 16)], "L")
    elif ready.mode == "PA" or (ready.mode == "P" and "transparency" in ready.info):
        notes.append("palette with transparency made RGBA")
        ready = ready.convert("RGBA")
    elif ready.mode not in PLAIN:
        notes.append(f"{ready.mode} made RGB")
        ready = ready.convert("RGB")
    if ready is not image:
        image.close()  # or both would be in memory while a PNG is made
    is_sent = kind in SENT and (kind == "PNG" or not as_png)
    if is_sent and not notes:
        return Examined(kind, SENT[kind], *ready.size, None, ())
    if not is_sent:
        notes.append(f"{kind} made PNG")
    file = BytesIO()
    ready.save(file, "PNG", icc_profile=None)  # the profile of its colours may not fit the pixels any more
    return Examined(kind, SENT["PNG"], *ready.size, file.getvalue(), tuple(notes))


async def reply_with(data: bytes, model: str | None, usage: Usage) -> Reply:
    """Return the reply that holds an image, as a PNG if it came as something else, or says that it is none."""
    examined = await asyncio.to_thread(examine, data, as_png=True)
    if isinstance(examined, UndecodableImage):
        error = f"what came is no image: {examined.reason}"
        return Reply(None, Ending.API_ERROR, error=error, model=model, usage=usage)
    made_png = None if examined.format == "PNG" else examined.png
    image, note = (data, None) if made_png is None else (made_png, ", ".join(examined.notes))
    sha256 = hashlib.sha256(image).hexdigest()
    return Reply(None, model=model, usage=usage, note=note, image=image, sha256=sha256)
