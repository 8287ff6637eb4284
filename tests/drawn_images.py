"""Images of all kinds for tests, drawn here: sound ones, odd ones, broken ones. Needs Pillow."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL.Image import Image

PALETTE = 3
"""A PNG's number for colours from a palette."""


def drawn(mode: str = "RGB", size: tuple[int, int] = (12, 8)) -> Image:
    """Return an image whose upper left pixel differs from the others."""
    from PIL import Image

    image = Image.new("RGB", size, (200, 40, 40))
    image.putpixel((0, 0), (10, 220, 30))
    if mode == "I;16":
        return Image.new("I;16", size, 0x8000)
    return image.convert(mode)


def saved(image: Image, kind: str, **how: Any) -> bytes:  # noqa: ANN401
    file = BytesIO()
    image.save(file, kind, **how)
    return file.getvalue()


def animated(kind: str) -> bytes:
    """Return two frames, the first of them red."""
    from PIL import Image

    frames = [Image.new("RGB", (12, 8), colour) for colour in ("red", "blue")]
    return saved(frames[0], kind, save_all=True, append_images=frames[1:], duration=100, loop=0)


def turned() -> bytes:
    """Return a JPEG 12 wide and 8 high that its EXIF data turn by a quarter."""
    from PIL import Image

    exif = Image.Exif()
    exif[0x0112] = 6
    return saved(drawn(), "JPEG", exif=exif.tobytes())


def clear_palette() -> bytes:
    """Return a palette PNG with a transparent colour."""
    return saved(drawn("P"), "PNG", transparency=0)


def deep_colours() -> bytes:
    """Return an RGB PNG with 16 bits a channel."""
    pixel = struct.pack(">HHH", 0x8000, 0x4000, 0xFFFF)
    return png_of(12, 8, 16, 2, (b"\0" + pixel * 12) * 8)


def png_of(width: int, height: int, bits: int, colours: int, rows: bytes, level: int = 9) -> bytes:
    """Return a PNG from its parts, whatever they say; one with a palette has 256 greys, the first of them
    transparent."""
    head = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, 0))
    if colours == PALETTE:
        head += _chunk(b"PLTE", bytes(grey for grey in range(256) for _ in "rgb")) + _chunk(b"tRNS", b"\0")
    return b"\x89PNG\r\n\x1a\n" + head + _chunk(b"IDAT", zlib.compress(rows, level)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bomb(width: int = 30_000, height: int = 30_000) -> bytes:
    """Return a small PNG that says it has very many pixels."""
    return png_of(width, height, 1, 0, bytes((width // 8 + 1) * 100))


def webp_bomb(kind: bytes) -> bytes:
    """Return a WEBP whose head says 16,000 x 16,000 pixels."""
    side = 16_000
    body = {
        b"VP8X": bytes(4) + (side - 1).to_bytes(3, "little") * 2,
        b"VP8L": b"\x2f" + ((side - 1) | (side - 1) << 14).to_bytes(4, "little"),
        b"VP8 ": b"\x10\x00\x00\x9d\x01\x2a" + struct.pack("<HH", side, side),
    }[kind]
    chunk = kind + struct.pack("<I", len(body)) + body + bytes(20)
    return b"RIFF" + struct.pack("<I", len(chunk) + 4) + b"WEBP" + chunk


def text_bomb() -> bytes:
    """Return a PNG with a compressed text of a hundred megabytes."""
    text = b"note\0\0" + zlib.compress(bytes(100_000_000), 9)
    good = png_of(12, 8, 8, 2, (b"\0" + b"abc" * 12) * 8)
    return good[:33] + _chunk(b"zTXt", text) + good[33:]
