"""Real sizes of rooms, for files that only contain proportions.

>>> sizes = room_sizes_of("id,length,width\\nBedroom-803,4.0,3.2\\n", "sizes.csv")
>>> sizes.of("0a1b_Bedroom-803").shorter
3.2

A table is CSV with a head (``id,shorter_side`` or ``id,length,width``, in metres), or a JSON object: under each id the
shorter side, ``[length, width]``, or ``{"corners": [[x, z], ...]}``, the outline of the floor in the coordinates of the
data set. An id is that of a record (``UUID_Bedroom-803``) or its last part (``Bedroom-803``).
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.scene_files.files import json_of

MOST = 1e4
LEAST = 1e-3
"""Square metres of a floor."""
EXPECTED = 'a number of metres, [length, width], or {"corners": [[x, z], ...]}'
Corners = tuple[tuple[float, float], ...]


class RoomSize(NamedTuple):
    """A table's entry for one room, in metres."""

    shorter: float
    sides: tuple[float, float] | None = None
    """Its length (x) and its width (z)."""
    corners: Corners = ()


class RoomSizes(NamedTuple):
    """The sizes of rooms by the ids of records."""

    name: str
    by_id: Mapping[str, RoomSize | None]
    """Sizes by short id; None if several rooms share it."""

    def of(self, record: str) -> RoomSize | None:
        """Return the size of a record's room; None if the table lacks it."""
        return self.by_id.get(record) or self.by_id.get(_short(record))


def room_sizes_of(text: str, name: str) -> RoomSizes:
    """Read a table; ``FileProblem`` names the row that is wrong."""
    found: dict[str, RoomSize | None] = {}
    for where, record, said in _rows(text, name):
        if record in found:
            raise FileProblem(f"{where}: the id is there twice")
        size = _size(said)
        if size is None:
            raise FileProblem(f"{where}: {said!r:.80} is no size of a room; expected {EXPECTED}")
        found[record] = size
    if not found:
        raise FileProblem(f"{name}: no sizes of rooms in it", hint="CSV: id,shorter_side or id,length,width")
    shared = Counter(map(_short, found))
    short = {one: None if shared[one] > 1 else found[record] for record in found for one in [_short(record)]}
    return RoomSizes(name, {**short, **found})


def _short(record: str) -> str:
    """``UUID_Bedroom-803`` is Bedroom-803."""
    return record.rpartition("_")[2]


def _rows(text: str, name: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the place, the id and the value of each row."""
    if text.lstrip().startswith(("{", "[")):
        value = json_of(text, name)
        if not isinstance(value, dict):
            raise FileProblem(f"{name}: expected a JSON object of ids and sizes, found a list")
        yield from ((f"{name}: {record[:80]!r}", record, said) for record, said in value.items())
        return
    rows = csv.reader(io.StringIO(text))
    try:
        head = [one.strip() for one in next(rows, [])]
        if head not in (["id", "shorter_side"], ["id", "length", "width"]):
            raise FileProblem(
                f"{name}: line 1: expected id,shorter_side or id,length,width, found {','.join(head)!r:.80}"
            )
        for row in rows:
            if any(cell.strip() for cell in row):
                yield f"{name}: line {rows.line_num}", row[0].strip(), _cells(row[1:], len(head) - 1)
    except csv.Error as error:
        raise FileProblem(f"{name}: line {rows.line_num}: {error}") from None


def _cells(cells: list[str], expected: int) -> object:
    """Return the value of a row as JSON would have it; its text where cells are missing or too many."""
    numbers = [_number(cell) for cell in cells]
    return ",".join(cells) if len(cells) != expected else numbers[0] if expected == 1 else numbers


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def _size(said: object) -> RoomSize | None:
    if _is_length(said):
        return RoomSize(float(said))  # type: ignore[arg-type]
    if isinstance(said, list) and len(said) == 2 and all(map(_is_length, said)):
        return RoomSize(min(said), (float(said[0]), float(said[1])))
    listed = said.get("corners") if isinstance(said, dict) else None
    if not isinstance(listed, list) or not 3 <= len(listed) <= 10_000 or not all(map(_is_place, listed)):
        return None
    corners = tuple((float(x), float(z)) for x, z in listed)
    length, width = (max(along) - min(along) for along in zip(*corners, strict=True))
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([*corners, corners[0]])) / 2
    return RoomSize(min(length, width), (length, width), corners) if abs(area) > LEAST else None


def _is_length(said: object) -> bool:
    return isinstance(said, int | float) and not isinstance(said, bool) and 0 < said <= MOST


def _is_place(said: object) -> bool:
    return (
        isinstance(said, list)
        and len(said) == 2
        and all(isinstance(one, int | float) and abs(one) <= MOST for one in said)
    )
