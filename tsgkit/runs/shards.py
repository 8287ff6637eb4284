"""Shards: units of a job divided by a hash of their keys, for several processes or machines.

>>> shard = shard_of("3/16")
>>> shard, str(shard), shard.beside("runs/mine")
(Shard(number=3, of=16), '3/16', PosixPath('runs/mine.shard-3-of-16'))
>>> [number for number in range(1, 5) if Shard(number, 4).takes("tsg/sgqa/wound/q1")]
[1]
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from tsgkit.errors import UsageError

MOST = 10_000
WRITTEN = re.compile(r"(\d{1,6})/(\d{1,6})")
NAMED = re.compile(r"\.shard-\d{1,6}-of-\d{1,6}\Z")


class Shard(NamedTuple):
    """A shard: its number, from 1, and their count."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def takes(self, key: str) -> bool:
        """Return whether the unit of this key is one of its own; of all shards exactly one takes it."""
        digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest) % self.of == self.number - 1

    def beside(self, path: str | Path) -> Path:
        """Return where the shard of what would lie at a path is kept."""
        path = Path(path)
        return path.with_name(f"{path.name}.shard-{self.number}-of-{self.of}")


def shard_of(text: str) -> Shard:
    """Return the shard that ``3/16`` names; ``UsageError`` where it names none."""
    hint = "the third of sixteen is --shard 3/16"
    if (match := WRITTEN.fullmatch(text.strip())) is None:
        raise UsageError(f"--shard {text}: expected NUMBER/ALL", hint=hint)
    shard = Shard(*map(int, match.groups()))
    if not 1 <= shard.number <= shard.of <= MOST:
        raise UsageError(f"--shard {text}: expected a number from 1 to {min(max(shard.of, 1), MOST)}", hint=hint)
    return shard


def whole_of(path: Path) -> Path:
    """Return the path that a shard's path was made from."""
    return path.with_name(NAMED.sub("", path.name))
