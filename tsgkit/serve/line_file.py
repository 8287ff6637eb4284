"""A file of JSON lines that several servers change, each under a lock and to what is in the file then."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.graph.notation.json_triplets import kind_of, load
from tsgkit.library.files import read_text, write_text

Line = dict[str, Any]


@dataclass(frozen=True)
class LineFile:
    """The file; ``content`` is how messages name what it keeps."""

    path: Path
    content: str

    def lines(self) -> list[Line]:
        """Return the objects of all lines. Raise ``UsageError`` if the file holds something else."""
        text = read_text(self.path) if self.path.exists() else ""
        numbered = enumerate(text.split("\n"), 1)
        return [self._line(line, number) for number, line in numbered if line.strip()]

    def change(self, changed: Callable[[list[Line]], Sequence[Line]]) -> None:
        """Replace the lines by what ``changed`` makes of those that are there."""
        with self._locked():
            lines = changed(self.lines())
            write_text(self.path, "".join(f"{json.dumps(line)}\n" for line in lines))

    def _line(self, line: str, number: int) -> Line:
        try:
            value = load(line)
        except NotationError as error:
            raise UsageError(f"{self.path}: line {number}: {error.message}", hint=self._hint) from None
        if not isinstance(value, dict):
            raise UsageError(f"{self.path}: line {number}: expected an object, found {kind_of(value)}", hint=self._hint)
        return value

    @property
    def _hint(self) -> str:
        return f"the file keeps {self.content}: mend the line, or move the file away"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        lock = self.path.with_name(f".{self.path.name}.lock")
        try:
            handle = lock.open("a")
        except OSError as error:
            message = f"{self.path}: {self.content} cannot be kept here: {(error.strerror or str(error)).lower()}"
            raise FileProblem(message, hint="name a file in a folder that can be written") from None
        with handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
