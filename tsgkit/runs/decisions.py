"""Decisions of a person about generated items, stored line by line, so that a review can be resumed.

>>> import tempfile
>>> place = Path(tempfile.mkdtemp()) / "made.csv.review.jsonl"
>>> Decisions(place).keep("a1", {"decision": "drop"})
>>> Decisions(place).find("a1"), Decisions(place).find("b2")
({'decision': 'drop'}, None)

An item is identified by a hash of what was shown, so a decision applies to that alone. A truncated last line counts as
no decision.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem

BEGINNING = b'{"shown": "'
"""Beginning of every line with a decision."""


def shown_as(value: object) -> str:
    """Return the name of what was shown."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:20]


class Decisions:
    """Decisions in a file by item name; the last one counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known = self._read()

    def find(self, name: str) -> dict[str, Any] | None:
        """Return what was decided of an item."""
        return self._known.get(name)

    def keep(self, name: str, value: dict[str, Any]) -> None:
        """Write a decision down, before anything else is shown."""
        line = (json.dumps({"shown": name, **value}, ensure_ascii=False) + "\n").encode()
        try:
            with self.path.open("ab", buffering=0) as file:
                size = os.fstat(file.fileno()).st_size
                try:
                    while line:
                        line = line[file.write(line) :]
                    os.fsync(file.fileno())
                except OSError:  # nothing of the line stays
                    with suppress(OSError):
                        file.truncate(size)
                    raise
        except OSError as error:
            raise FileProblem(f"{self.path}: no decision can be kept here: {error.strerror}") from None
        self._known[name] = value

    def _read(self) -> dict[str, dict[str, Any]]:
        try:
            whole, end, cut = self.path.read_bytes().rpartition(b"\n")
            lines = (whole + end).decode().split("\n")
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise FileProblem(f"{self.path}: decisions cannot be read: {error}") from None
        known = dict(self._decision(line, number) for number, line in enumerate(lines, 1) if line)
        if cut and not (cut.startswith(BEGINNING) or BEGINNING.startswith(cut)):
            self._decision(cut.decode(errors="replace"), len(lines))  # a file of something else is left as it is
        if cut:
            with self.path.open("r+b") as file:  # so that the next line is not joined to it
                file.truncate(len(whole + end))
        return known

    def _decision(self, line: str, number: int) -> tuple[str, dict[str, Any]]:
        try:
            value = json.loads(line)
            return str(value.pop("shown")), value
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            hint = "mend or remove it; a file of decisions is written by --review alone"
            raise FileProblem(f"{self.path}: line {number}: no decision", hint=hint) from None
