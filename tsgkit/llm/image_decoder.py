"""Decoding of images: whether a model can be shown them, and conversions that this needs.

>>> examine(b"")
Unreadable(reason='the file is empty')
>>> examine(b"<!doctype html>")
Unreadable(reason='this is no image of a kind that is read (PNG, JPEG, WEBP, GIF, BMP)')

Pillow (extra ``images``) decodes, after the sides are checked against limits. Several threads may decode, as long as
together they have no more than ``MOST_PIXELS`` pixels, so that memory stays below some nine bytes for each of these.
"""

from __future__ import annotations

import asyncio
import hashlib
import struct
import threading
import warnings
from collections.abc import Callable, Iterator
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
BAND = 256
"""Rows that are converted at a time."""
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
class Unreadable:
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


def examine(data: bytes, longest_side: int | None = None, *, as_png: bool = False) -> Examined | Unreadable:
    """Return the image in these bytes. It is re-encoded as PNG if services could misread it, a side is too long, or
    only PNG will do.
    """
    if not data:
        return Unreadable("the file is empty")
    if len(data) > MOST_IMAGE_BYTES:
        return Unreadable(f"the file has {len(data):,} bytes; at most {MOST_IMAGE_BYTES:,} are read")
    require_pillow()
    try:
        sides = _webp_sides(data) or _sides(data)
        if refusal := _too_large(*sides):
            return refusal
        with _BUDGET.taken(sides[0] * sides[1]):
            return _examined(data, longest_side, as_png)
    except MemoryError:
        return Unreadable("there is not enough memory to decode it")
    except Exception as error:  # noqa: BLE001  (whatever a decoder raises, this is not an image it can decode)
        return Unreadable(_reason(error))


def sides_of(data: bytes) -> tuple[int, int] | None:
    """Return the sides that an image declares in its first bytes; None if they cannot be read."""
    require_pillow()
    try:
        sides = _webp_sides(data) or _sides(data)
    except Exception:  # noqa: BLE001  (whatever a decoder raises)
        return None
    return None if _too_large(*sides) else sides


def _reason(error: Exception) -> str:
    from PIL import Image, UnidentifiedImageError

    if isinstance(error, UnidentifiedImageError):
        return NO_IMAGE
    if isinstance(error, Image.DecompressionBombError):
        return f"it has far more than {MOST_PIXELS:,} pixels"
    return f"it cannot be decoded: {error or type(error).__name__}"


def _examined(data: bytes, longest_side: int | None, as_png: bool) -> Examined | Unreadable:
    from PIL import Image

    with Image.open(BytesIO(data), formats=READ) as image:
        kind = image.format or ""
        if refusal := _too_large(*image.size):
            return refusal
        image.load()
        ready, notes = _made_plain(image, data)
        if ready is not image:
            image.close()  # or both would be in memory while a PNG is made
        ready, shrunk = _shrunk(ready, longest_side)
        changed = notes + shrunk
        if not changed and kind in SENT and not (as_png and kind != "PNG"):
            return Examined(kind, SENT[kind], *ready.size, None, ())
        if kind not in SENT or (as_png and kind != "PNG"):
            changed += (f"{kind} made PNG",)
        return Examined(kind, SENT["PNG"], *ready.size, _as_png(ready), changed)


def _too_large(width: int, height: int) -> Unreadable | None:
    if 0 < width * height <= MOST_PIXELS:
        return None
    return Unreadable(f"it has {width:,} x {height:,} pixels; at most {MOST_PIXELS:,} are decoded")


def _sides(data: bytes) -> tuple[int, int]:
    """Return the sides that an image declares, before it is decoded."""
    from PIL import Image

    with _BUDGET.taken(0), Image.open(BytesIO(data), formats=READ) as image:
        return image.size


def _webp_sides(data: bytes) -> tuple[int, int] | None:
    """Return the sides a WEBP says it has: its decoder takes memory for them before they can be asked for."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < 30:
        return None
    if data[12:16] == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if data[12:16] == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _made_plain(image: Image, data: bytes) -> tuple[Image, tuple[str, ...]]:
    """Return the image in a form that all services understand, and the conversions made."""
    from PIL import ImageOps

    notes: list[str] = []
    ready: Image = image
    if getattr(image, "is_animated", False) and image.format != "MPO":
        notes.append("animated: its first frame is taken")
        ready = image.copy()
    if image.getexif().get(ORIENTATION, 1) in range(2, 9):
        notes.append("turned as its EXIF data say")
        ready = ImageOps.exif_transpose(ready)
    if ready.mode.startswith(("I", "F")) or _has_16_bits(image, data):
        notes.append("16 or more bits a channel made 8")
        ready = _with_8_bits(ready)
    elif ready.mode == "PA" or (ready.mode == "P" and "transparency" in ready.info):
        notes.append("palette with transparency made RGBA")
        ready = _converted(ready, "RGBA", lambda band: band.convert("RGBA"))
    elif ready.mode not in PLAIN:
        notes.append(f"{ready.mode} made RGB")
        ready = _converted(ready, "RGB", lambda band: band.convert("RGB"))
    return ready, tuple(notes)


def _converted(image: Image, mode: str, convert: Callable[[Image], Image]) -> Image:
    """Return the image in another mode, converted band by band to limit memory."""
    from PIL import Image as pillow  # noqa: N813

    wide, high = image.size
    made = pillow.new(mode, image.size)
    for top in range(0, high, BAND):
        made.paste(convert(image.crop((0, top, wide, min(top + BAND, high)))), (0, top))
    return made


def _has_16_bits(image: Image, data: bytes) -> bool:
    """Return whether a PNG has 16 bits a channel, which Pillow halves for colours without a word."""
    return image.format == "PNG" and len(data) > 24 and data[24] == 16


def _with_8_bits(image: Image) -> Image:
    if image.mode == "F":
        return _converted(image, "L", lambda band: band.convert("L"))
    if image.mode.startswith("I"):
        return _converted(
            image, "L", lambda band: band.convert("I").point(lambda value: value * (1 / 256) + 0).convert("L")
        )
    return image if image.mode in PLAIN else _converted(image, "RGB", lambda band: band.convert("RGB"))


def _shrunk(image: Image, longest_side: int | None) -> tuple[Image, tuple[str, ...]]:
    from PIL.Image import Resampling

    if longest_side is None or max(image.size) <= longest_side:
        return image, ()
    scale = longest_side / max(image.size)
    width, height = (max(round(side * scale), 1) for side in image.size)
    smooth = image if image.mode in ("L", "LA", "RGB", "RGBA") else image.convert("RGB")
    note = f"shrunk from {image.width}x{image.height} to {width}x{height}"
    return smooth.resize((width, height), Resampling.LANCZOS), (note,)


def _as_png(image: Image) -> bytes:
    """Return a PNG of the pixels alone: the profile of the colours it had before may not fit them any more."""
    file = BytesIO()
    image.save(file, "PNG", icc_profile=None)
    return file.getvalue()


async def reply_with(data: bytes, model: str | None, usage: Usage) -> Reply:
    """Return the reply that holds an image, as a PNG if it came as something else, or says that it is none."""
    examined = await asyncio.to_thread(examine, data, as_png=True)
    if isinstance(examined, Unreadable):
        error = f"what came is no image: {examined.reason}"
        return Reply(None, Ending.API_ERROR, error=error, model=model, usage=usage)
    made_png = None if examined.format == "PNG" else examined.png
    image, note = (data, None) if made_png is None else (made_png, ", ".join(examined.notes))
    sha256 = hashlib.sha256(image).hexdigest()
    return Reply(None, model=model, usage=usage, note=note, image=image, sha256=sha256)
