"""Tables that come with files: the real sizes of rooms that a file has proportions of, and the ids of scenes.

>>> sizes = room_sizes_of("id,length,width\\nBedroom-803,4.0,3.2\\n", "sizes.csv")
>>> sizes.of("0a1b_Bedroom-803").shorter
3.2

A table of sizes is CSV with a head (``id,shorter_side`` or ``id,length,width``, in metres), or a JSON object: under
each id the shorter side, ``[length, width]``, or ``{"corners": [[x, z], ...]}``, the outline of the floor in the
coordinates of the data set. An id is that of a record (``UUID_Bedroom-803``) or its last part (``Bedroom-803``).
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.scene_files.files import json_of, plain_id

LEAST = 1e-3
"""Square metres of a floor."""
EXPECTED = 'a number of metres, [length, width], or {"corners": [[x, z], ...]}'
Corners = tuple[tuple[float, float], ...]
Length = Annotated[float, Field(gt=0, le=1e4, strict=True)]
Coordinate = Annotated[float, Field(ge=-1e4, le=1e4, strict=True)]


class _Outline(BaseModel):
    corners: tuple[tuple[Coordinate, Coordinate], ...] = Field(min_length=3, max_length=10_000)


_SIZE: TypeAdapter[float | tuple[float, float] | _Outline] = TypeAdapter(Length | tuple[Length, Length] | _Outline)


def _rows(
    text: str, file: str, expected: str, heads: Sequence[list[str]], *, strict: bool
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each row of a CSV table that has one of some heads: its place, the head, its cells."""
    rows = csv.reader(io.StringIO(text), strict=strict)
    try:
        if (head := [cell.strip() for cell in next(rows, [])]) not in heads:
            raise FileProblem(f"{file}: line 1: expected {expected}, found {','.join(head)!r:.80}")
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield f"{file}: line {rows.line_num}", head, cells
    except csv.Error as error:
        raise FileProblem(f"{file}: line {rows.line_num}: {error}") from None


class SceneIds(NamedTuple):
    """A table of the ids of scenes by the names of files, runs or records.

    >>> SceneIds.of("name,id\\nbedroom_0,12\\n", "ids.csv").by_name
    {'bedroom_0': '12'}
    """

    file: str
    by_name: Mapping[str, str]

    @staticmethod
    def of(text: str, file: str) -> SceneIds:
        """Read a table; ``FileProblem`` names the line that is wrong."""
        ids: dict[str, str] = {}
        for where, _, row in _rows(text, file, "the columns name,id", [["name", "id"]], strict=True):
            cells = [cell.strip() for cell in row]
            if len(cells) != 2 or not all(cells):
                raise FileProblem(f"{where}: expected a name and an id, found {','.join(row)!r:.80}")
            name, scene_id = cells
            if name in ids:
                raise FileProblem(f"{where}: the name {name!r:.80} has a row already")
            ids[name] = plain_id(scene_id, f"{where}: id")
        if twice := [scene_id for scene_id, number in Counter(ids.values()).items() if number > 1]:
            raise FileProblem(f"{file}: two names have the id {twice[0]}")
        return SceneIds(file, ids)

    def of_scene(self, names: Sequence[str], where: str) -> str:
        """Return the id of a scene by the first of its names that has a row."""
        if scene_id := next((self.by_name[name] for name in names if name in self.by_name), ""):
            return scene_id
        raise FileProblem(f"{where}: {self.file} has no row for it", hint=f"add one: {names[-1]},ID")


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
    sizes: dict[str, RoomSize | None] = {}
    for where, record, value in _sizes_written(text, name):
        if record in sizes:
            raise FileProblem(f"{where}: the id is there twice")
        sizes[record] = _size(value)
        if sizes[record] is None:
            raise FileProblem(f"{where}: {value!r:.80} is no size of a room; expected {EXPECTED}")
    if not sizes:
        raise FileProblem(f"{name}: no sizes of rooms in it", hint="CSV: id,shorter_side or id,length,width")
    shared = Counter(map(_short, sizes))
    short = {_short(record): None if shared[_short(record)] > 1 else size for record, size in sizes.items()}
    return RoomSizes(name, {**short, **sizes})


def _short(record: str) -> str:
    """Return the last part of an id: ``UUID_Bedroom-803`` is Bedroom-803."""
    return record.rpartition("_")[2]


def _sizes_written(text: str, name: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the place, the id and the value of each row, as JSON has it; cells that are no such value are a text."""
    if text.lstrip().startswith(("{", "[")):
        value = json_of(text, name)
        if not isinstance(value, dict):
            raise FileProblem(f"{name}: expected a JSON object of ids and sizes, found a list")
        yield from ((f"{name}: {record[:80]!r}", record, size) for record, size in value.items())
        return
    heads = (["id", "shorter_side"], ["id", "length", "width"])
    rows = _rows(text, name, " or ".join(map(",".join, heads)), heads, strict=False)
    for where, head, row in rows:
        record, *cells = row
        numbers = [_number(cell) for cell in cells]
        value = ",".join(cells) if len(row) != len(head) else numbers[0] if len(head) == 2 else numbers
        yield where, record.strip(), value


def _number(text: str) -> object:
    try:
        return float(text)
    except ValueError:
        return text


def _size(value: object) -> RoomSize | None:
    try:
        size = _SIZE.validate_python(value)
    except ValidationError:
        return None
    if isinstance(size, float):
        return RoomSize(size)
    if isinstance(size, tuple):
        return RoomSize(min(size), size)
    length, width = (max(along) - min(along) for along in zip(*size.corners, strict=True))
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise([*size.corners, size.corners[0]])) / 2
    return RoomSize(min(length, width), (length, width), size.corners) if abs(area) > LEAST else None
