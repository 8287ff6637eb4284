"""Decisions of people about what they were shown, stored line by line, so that a review can be resumed.

>>> import tempfile
>>> place = Path(tempfile.mkdtemp()) / "made.csv.review.jsonl"
>>> Decisions(place).keep("a1", {"choice": "drop"})
>>> Decisions(place).find("a1"), Decisions(place).find("b2")
({'choice': 'drop'}, None)

An entry is identified by a hash of what was shown, so a decision applies to that alone. Several processes may decide at
once: each appends under a lock, after it has read what the others wrote. A truncated last line counts as no decision.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import require_folder

BEGINNING = b'{"shown": "'
"""Beginning of every line with a decision."""
Decision = dict[str, Any]


def shown_as(value: object) -> str:
    """Return the name of what was shown."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


class Decisions:
    """Decisions in a file by the name of what was shown; the last one counts."""

    def __init__(self, path: Path) -> None:
        """Open them. Raise ``FileProblem`` if there is no folder for the file, or something else in its place."""
        require_folder(path)
        self.path = path
        self._forget()
        self.refresh()

    def _forget(self) -> None:
        self.known: dict[str, Decision] = {}
        self.line_of: dict[str, int] = {}
        """The number of the line, from 1, with the decision that counts."""
        self.lines = 0
        self._read_to = 0

    def find(self, name: str) -> Decision | None:
        """Return what was decided."""
        return self.known.get(name)

    def refresh(self) -> None:
        """Read what other processes have decided since."""
        try:
            if self.path.stat().st_size != self._read_to:
                with self.path.open("rb") as file:
                    self._read(file)
        except FileNotFoundError:
            self._forget()
        except OSError as error:
            raise FileProblem(f"{self.path}: decisions cannot be read: {error}") from None

    def keep(self, name: str, value: Decision, *, is_final: bool = False) -> None:
        """Write a decision down, before anything else is shown.

        Raise ``UsageError`` if ``is_final`` and another process has decided the same meanwhile.
        """
        line = (json.dumps({"shown": name, **value}, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")
        try:
            with self.path.open("a+b", buffering=0) as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                self._read(file)
                if is_final and name in self.known:
                    raise UsageError("this was decided elsewhere meanwhile", hint="decisions are final here")
                try:
                    file.truncate(self._read_to)  # of what a process left that was killed while it wrote
                    rest = line
                    while rest:
                        rest = rest[file.write(rest) :]
                    os.fsync(file.fileno())
                except OSError:  # nothing of the line stays
                    with suppress(OSError):
                        file.truncate(self._read_to)
                    raise
        except OSError as error:
            hint = "name an output in a folder that can be written"
            raise FileProblem(f"{self.path}: no decision can be kept here: {error.strerror}", hint=hint) from None
        self._read_to += len(line)
        self.lines += 1
        self.known[name], self.line_of[name] = value, self.lines

    def clear(self) -> None:
        """Drop all decisions."""
        with self.path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.truncate(0)
        self.refresh()

    def _read(self, file: IO[bytes]) -> None:
        """Read the lines after those that are known; all of a file that was shortened."""
        if os.fstat(file.fileno()).st_size < self._read_to:
            self._forget()
        file.seek(self._read_to)
        whole, end, cut = file.read().rpartition(b"\n")
        lines = (whole + end).split(b"\n")
        if cut and not (cut.startswith(BEGINNING) or BEGINNING.startswith(cut)):
            lines[-1] = cut  # a file of something else is left as it is
        for number, line in enumerate(lines, self.lines + 1):
            if line:
                name, value = self._decision(line, number)
                self.known[name], self.line_of[name] = value, number
        self._read_to += len(whole + end)
        self.lines += len(lines) - 1

    def _decision(self, line: bytes, number: int) -> tuple[str, Decision]:
        try:
            value = json.loads(line)
            return str(value.pop("shown")), value
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            hint = "mend or remove it; a file of decisions is written by reviews alone"
            raise FileProblem(f"{self.path}: line {number}: no decision", hint=hint) from None
