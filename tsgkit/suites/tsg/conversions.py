"""The files that conversions wrote, which the next conversion may replace.

A file is one of these while it holds what a conversion wrote there: the cache keeps a checksum for each place. A file
that was changed since, or came from elsewhere, or whose checksum was lost with the cache, is not.

    remember_conversion("graphs.txt")
    is_conversion("graphs.txt")             # True, until the file is changed
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from tsgkit.homes import cache_home
from tsgkit.library.checksums import checksum_of_bytes
from tsgkit.library.files import read_bytes


def is_conversion(target: str | Path) -> bool:
    """Whether a file holds what a conversion wrote there."""
    with suppress(OSError, ValueError):
        return Path(target).is_file() and _note(target).read_text("ascii") == checksum_of_bytes(read_bytes(target))
    return False


def remember_conversion(target: str | Path) -> None:
    """Keep the checksum of a file that was written; where nothing can be kept, the next one needs ``--force``."""
    with suppress(OSError, ValueError):
        if Path(target).is_file():
            note = _note(target)
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(checksum_of_bytes(read_bytes(target)), "ascii")


def _note(target: str | Path) -> Path:
    """Where the checksum of a file is kept."""
    place = str(Path(target).resolve()).encode("utf-8", "surrogateescape")
    return cache_home() / "conversions" / hashlib.sha256(place).hexdigest()[:32]
