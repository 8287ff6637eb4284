"""The file of decisions beside a settled file: a line for each, and one about the settled file once it is written.

A decision is found again by a hash of what was shown, so that changed inputs are asked about again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.downloads import checksum_of_bytes
from tsgkit.library.files import read_bytes
from tsgkit.library.overwrites import FORCE, refuse_to_overwrite
from tsgkit.serve.disagreements import Disagreement, Kind, Value, json_value
from tsgkit.serve.edit_session import now
from tsgkit.serve.line_file import Line, LineFile

ENDING = ".decisions.jsonl"
SETTLED = "settled"
"""The field of the line about the settled file, with its checksum."""
RESULTS = {Kind.GRAPH: "graph", Kind.TEXT: "text", Kind.VOCABULARY: "vocabulary"}
KEPT = "kept"


def decisions_file(settled: Path) -> Path:
    """Return the file of decisions beside a settled file.

    >>> decisions_file(Path("settled.jsonl")).as_posix()
    'settled.decisions.jsonl'
    """
    return settled.with_name(f"{settled.stem}{ENDING}")


def key_of(one: Disagreement) -> str:
    """Return the hash of what a person is shown."""
    return hashlib.sha256(json.dumps(one.content).encode()).hexdigest()[:32]


class SettledDecisions:
    """The decisions about a settled file."""

    def __init__(self, settled: Path, disagreements: Sequence[Disagreement], *, force: bool = False) -> None:
        """Open them.

        Raise ``UsageError`` without ``force`` if decisions about something else lie there, and ``FileProblem`` if there
        is no folder for them.
        """
        if not settled.parent.is_dir():
            raise FileProblem(f"{settled}: there is no folder {settled.parent}", hint="make it first")
        self.settled = settled
        self.file = LineFile(decisions_file(settled), "decisions of a settlement")
        self.keys = [key_of(one) for one in disagreements]
        self._lines = self.file.lines()
        known = set(self.keys)
        self.unused = sum(line.get("key") not in known for line in self._lines if SETTLED not in line)
        if self._lines and not force and not self._is_continued(known):
            number = f"{len(self._lines):,} lines" if len(self._lines) > 1 else "1 line"
            raise UsageError(f"{self.file.path}: {number} about something else already here", hint=FORCE)
        if self._lines and not self._is_continued(known):
            self.file.change(lambda _: ())
            self._lines = []

    def _is_continued(self, known: set[str]) -> bool:
        """Return whether the lines are of this job: it decided something of these versions, or wrote the file."""
        return any(line.get("key") in known for line in self._lines) or self.wrote_settled

    @property
    def wrote_settled(self) -> bool:
        """True if the settled file that lies there is as this job wrote it."""
        checksums = {line.get(SETTLED) for line in self._lines} - {None}
        return self.settled.is_file() and checksum_of_bytes(read_bytes(self.settled)) in checksums

    def found(self) -> dict[int, Line]:
        """Return the decisions by the numbers of the disagreements."""
        by_key = {line["key"]: line for line in self._lines if "key" in line}
        return {number: by_key[key] for number, key in enumerate(self.keys) if key in by_key}

    def refuse_to_lose(self, text: str | None = None, *, force: bool = False) -> None:
        """Raise ``FileProblem`` if the settled file would replace something else; ``text`` may replace its equal."""
        refuse_to_overwrite(self.settled, force=force or self.wrote_settled, text=text)

    def keep(self, number: int, one: Disagreement, decision: Line, value: Value) -> Line:
        """Write a decision in the place of an earlier one about the same, and return its line."""
        about = {"key": self.keys[number], "item": one.item, "what": str(one.kind)}
        places = {"first": one.place[0], "second": one.place[1]}
        result = {RESULTS.get(one.kind, KEPT): json_value(value)}
        return self._add("key", about | places | decision | result | {"time": now()})

    def finish(self, checksum: str, told: Line) -> None:
        """Write the line about the settled file."""
        self._add(SETTLED, {SETTLED: checksum} | told | {"time": now()})

    def _add(self, field: str, new: Line) -> Line:
        """Add a line, without the earlier one that has the same key, or that is about the settled file too."""

        def changed(lines: list[Line]) -> list[Line]:
            same = new[field] if field == "key" else None
            kept = [line for line in lines if field not in line or (same is not None and line[field] != same)]
            self._lines = [*kept, new]
            return self._lines

        self.file.change(changed)
        return new
