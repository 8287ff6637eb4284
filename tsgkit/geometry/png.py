"""PNG files written with zlib only, so that equal images have equal bytes.

>>> png(np.zeros((2, 2, 3), dtype=np.uint8))[:8]
b'\\x89PNG\\r\\n\\x1a\\n'
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from tsgkit.geometry.libraries import np

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Bytes

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = {1: 0, 3: 2, 4: 6}
"""The colour type for each number of channels: grey, colour, colour that can be seen through."""
UP = 2
"""The PNG filter that stores differences to the row above."""


def png(pixels: Bytes) -> bytes:
    """Return a PNG file of pixels: rows from the top, columns, channels of eight bits."""
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, COLOURS[channels], 0, 0, 0)
    rows = pixels.reshape(height, -1)
    added = np.diff(rows, axis=0, prepend=np.zeros_like(rows[:1]))
    filtered = np.concatenate([np.full((height, 1), UP, dtype=np.uint8), added], axis=1)
    data = zlib.compress(filtered.tobytes(), 6)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
