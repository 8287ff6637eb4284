"""A file under another name than its own: what messages and runs call it, and where its bytes lie.

>>> file = NamedFile(Path("/cache/3f.jsonl"), "hf://lab/stories@main/test.parquet")
>>> str(file), file.name
('hf://lab/stories@main/test.parquet', 'test.parquet')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class NamedFile(Traversable):
    """A readable file; ``origin`` is what a run records about it."""

    held: Path
    shown: str
    origin: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.shown

    @property
    def name(self) -> str:
        """The last part of its name."""
        return self.shown.rpartition("/")[2]

    def iterdir(self) -> Iterator[Traversable]:
        """Refuse: it is a file."""
        raise NotADirectoryError(self.shown)

    def is_dir(self) -> bool:
        """Return False."""
        return False

    def is_file(self) -> bool:
        """Return whether its bytes are there."""
        return self.held.is_file()

    def joinpath(self, *descendants: Any) -> Traversable:  # noqa: ANN401  (as the protocol has it)
        """Refuse: nothing lies in a file."""
        raise NotADirectoryError(self.shown)

    def open(self, mode: str = "r", *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (as the protocol has it)
        """Open its bytes, or its text, for reading."""
        return self.held.open(mode, *args, **kwargs)

    def read_bytes(self) -> bytes:
        """Return its bytes."""
        return self.held.read_bytes()

    def read_text(self, encoding: str | None = None) -> str:
        """Return its text, UTF-8 unless another encoding is named."""
        return self.held.read_text(encoding=encoding or "utf-8")
