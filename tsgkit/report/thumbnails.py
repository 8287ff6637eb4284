"""Small copies of images for pages that are one file.

>>> thumbnail(Path("no-such-file.png"))
''
"""

from __future__ import annotations

import base64
import io
from pathlib import Path

from tsgkit.errors import ExtraMissing

LONGEST_SIDE = 640
"""Pixels of a thumbnail."""


def thumbnail(path: Path) -> str:
    """Return an image, made small, as a data URL; empty where it cannot be read. ``ExtraMissing`` without Pillow."""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise ExtraMissing("thumbnails are made", "Pillow", "view") from None
    try:
        with Image.open(path) as image:
            image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            small, written = image.convert("RGB"), io.BytesIO()
        small.save(written, "JPEG", quality=82)
    except (OSError, ValueError, Image.DecompressionBombError):
        return ""
    return f"data:image/jpeg;base64,{base64.b64encode(written.getvalue()).decode()}"
