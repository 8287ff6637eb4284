"""Statuses of items, kept beside the file that is edited: one line for each item, with the annotator and the time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.library.documents.rows import numbered
from tsgkit.serve.edit_session import STATUSES, Status
from tsgkit.serve.line_file import Line, LineFile

ENDING = ".annotations.jsonl"
Key = tuple[str, int]


def statuses_file(file: Path) -> Path:
    """Return the file with the statuses of another.

    >>> statuses_file(Path("story.jsonl")).name
    'story.jsonl.annotations.jsonl'
    """
    return file.with_name(f"{file.name}{ENDING}")


class ItemStatuses:
    """The statuses of a file's items. Items of one id are distinguished by ``repeat``: 1 for the second, and so on."""

    def __init__(self, file: Path, names: Sequence[str]) -> None:
        self._file = LineFile(statuses_file(file), "statuses")
        self._keys = numbered(names)

    def read(self) -> dict[int, Status]:
        """Return the statuses by the numbers of their items. Raise ``UsageError`` if the file holds something else."""
        kept = {_key(line): self._status(line) for line in self._file.lines()}
        return {number: kept[key] for number, key in enumerate(self._keys) if key in kept}

    def write(self, statuses: dict[int, Status]) -> None:
        """Write these statuses in the places of the earlier ones."""
        new = {self._keys[number]: status for number, status in statuses.items()}

        def changed(lines: list[Line]) -> list[Line]:
            earlier = {_key(line): line for line in lines}
            kept = {key: {**line, **new[key].value} if key in new else line for key, line in earlier.items()}
            return [*kept.values(), *({**_named(key), **new[key].value} for key in new if key not in kept)]

        self._file.change(changed)

    def _status(self, line: Line) -> Status:
        parts = [line.get(name, "") for name in Status._fields]
        if not all(isinstance(part, str) for part in (line.get("item"), *parts)) or parts[0] not in STATUSES:
            hint = f"a line has item, status ({', '.join(STATUSES)}), annotator, time and note"
            raise UsageError(f"{self._file.path}: not a status: {str(line)[:100]}", hint=hint)
        return Status(*parts)


def _key(line: Line) -> Key:
    repeat = line.get("repeat", 0)
    return str(line.get("item")), repeat if isinstance(repeat, int) else 0


def _named(key: Key) -> Line:
    return {"item": key[0]} | ({"repeat": key[1]} if key[1] else {})
