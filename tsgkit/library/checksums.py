"""Checksums by which a file is recognised: ``sha256:HEX``, or ``git:HEX``, the id git gives to a file's content.

>>> import io
>>> checksum(io.BytesIO(b"cup"), "git")
'git:7330a5a793513b73608e5d201ddbfbf067ff0655'
"""

from __future__ import annotations

import hashlib
import io
import os
from typing import BinaryIO

KINDS = {"sha256": 64, "git": 40}
"""The kinds of checksum, and how many hexadecimal digits each has."""
BLOCK = 1 << 20


def checksum(stream: BinaryIO, kind: str = "sha256") -> str:
    """The checksum of a whole file that can be sought in."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    digest = hashlib.sha256()
    if kind == "git":  # its SHA-1 recognises a file, and guards no secret
        digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    while block := stream.read(BLOCK):
        digest.update(block)
    return f"{kind}:{digest.hexdigest()}"


def checksum_of_bytes(data: bytes, kind: str = "sha256") -> str:
    """The checksum of bytes in memory."""
    return checksum(io.BytesIO(data), kind)


def kind_of_check(check: str) -> str:
    """The kind of a checksum (``sha256:...``)."""
    return check.partition(":")[0]
