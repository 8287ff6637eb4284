"""Converters as values, with their input: the text and value of a file, the tables beside it, the user's options.

>>> given = SourceFile.of("x.json", '{"rooms": []}')
>>> given.value
{'rooms': []}
>>> Assumption("angles", ("degrees", "radians"), "what angles are").check("x.json", "grads")
Traceback (most recent call last):
tsgkit.errors.UsageError: x.json: --assume angles=grads: not one of degrees, radians

Tables have the real sizes of rooms that a file has proportions of, and the ids of scenes.

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from tsgkit.errors import FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.suites.sceneeval.converters.arrangements import (
    ArrangedObject,
    Arrangement,
    Holder,
    Ledger,
    Loss,
    Point,
    UniqueNames,
    scene_of,
)
from tsgkit.suites.sceneeval.converters.shapes import refuse_many
from tsgkit.suites.sceneeval.scene_files.assets import Asset, FolderSource
from tsgkit.suites.sceneeval.scene_files.files import json_of, plain_id
from tsgkit.suites.sceneeval.scene_files.states import FORMAT as STATE

Target = Literal["room", "state"]
AUTO = "auto"


class SourceFile(NamedTuple):
    """A file; ``value`` is its JSON value, or None if it is not JSON."""

    name: str
    text: str
    value: Any

    @staticmethod
    def of(name: str, text: str) -> SourceFile:
        """Return the file of a text; ``FileProblem`` where it begins as JSON does and is none."""
        start = text.lstrip()[:1]
        if start == '"' and isinstance(quoted := json_of(text, name), str):
            return SourceFile(name, quoted, None)
        return SourceFile(name, text, json_of(text, name) if start in ("{", "[") else None)

    @property
    def records(self) -> list[Any]:
        """The values in a list, or the one value."""
        return self.value if isinstance(self.value, list) else [self.value]

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of an object; none of another value."""
        return self.value if isinstance(self.value, dict) else {}

    def within(self, name: str) -> Mapping[str, Any]:
        """Return the fields of an object in a field; none of another value."""
        return value if isinstance(value := self.fields.get(name), dict) else {}


def records_of(source_file: SourceFile, *ids: str) -> list[tuple[str, Any]]:
    """Return the records of a file by the first of some fields that says an id; empty where none does."""
    refuse_many(len(source_file.records), source_file.name)
    record_ids = [next(filter(None, map(record.get, ids)), "") for record in source_file.records]
    return [
        (str(name) if isinstance(name, str | int) else "", record)
        for name, record in zip(record_ids, source_file.records, strict=True)
    ]


class Assumption(NamedTuple):
    """A property that files of a form leave open, and that the user may set."""

    name: str
    choices: tuple[str, ...] | None
    """The possible values; empty for any number, None for any text."""
    meaning: str

    def check(self, where: str, value: str) -> None:
        """Raise ``UsageError`` if the user's value is invalid."""
        expected = ""
        if self.choices == ():
            with suppress(ValueError):
                if 0 <= float(value) <= 1e4:
                    return
            expected = "not a number from 0 to 10,000"
        elif self.choices is not None and value not in self.choices:
            expected = f"not one of {', '.join(self.choices)}"
        if expected:
            raise UsageError(f"{where}: --assume {self.name}={value}: {expected}")


@dataclass(frozen=True)
class ConversionOptions:
    """The user's options of a conversion."""

    to: Target = "room"
    sources: Sequence[FolderSource] = ()
    companion: SourceFile | None = None
    """Another file that says more of the scene."""
    assumed: Mapping[str, str] = field(default_factory=dict)
    """The user's values of open properties."""
    room_sizes: RoomSizes | None = None
    """The real sizes of rooms by record."""

    def choice(self, name: str, default: str = AUTO) -> str:
        """Return the user's value of an open property, else a default."""
        return self.assumed.get(name, default)

    def number(self, name: str, default: float) -> float:
        """Return the same of a measure, in its unit."""
        return float(self.assumed.get(name, default))

    def asset(self, prefix: str, asset_id: str, where: str) -> Asset | None:
        """Look an asset up in the folders that were given; None where no folder has this kind."""
        assets = [source.asset(asset_id, where) for source in self.sources if source.prefix == prefix and asset_id]
        at_hand = [asset for asset in assets if asset.box is not None or asset.mesh.is_file()]
        return next(iter(at_hand or assets), None)


@dataclass(frozen=True)
class SceneDraft:
    """A scene during its conversion: the user's options, its losses, and the names that are in use."""

    id: str
    """As the file names it; empty where it does not, and the name of the file is taken."""
    where: str
    """The scene in messages."""
    options: ConversionOptions
    losses: Ledger = field(default_factory=Ledger)
    names: UniqueNames = field(default_factory=UniqueNames)

    def numbered(self, category: str, at: Point, yaw: float, size: Point | None = None, **more: Any) -> ArrangedObject:  # noqa: ANN401
        """Return a thing named after its category; the lamps of 3D-FRONT hang from the ceiling by theirs."""
        held_by: Holder | None = "ceiling" if category in ("ceiling lamp", "pendant lamp") else None
        return ArrangedObject(
            self.names.counted(category.replace(" ", "_")), category, at, yaw, size, held_by=held_by, **more
        )


@dataclass(frozen=True)
class Converted:
    """A converted scene with its losses."""

    id: str
    scene: Mapping[str, Any]
    losses: tuple[Loss, ...] = ()

    @property
    def objects(self) -> int:
        """The number of objects."""
        return len(self.scene["scene"]["object"] if self.scene["format"] == STATE else self.scene["objects"])


@dataclass(frozen=True)
class Unconverted:
    """A scene that cannot be converted, in a file with several."""

    id: str
    problem: FileProblem


@dataclass(frozen=True)
class Converter:
    """A converter of one file form.

    ``fits`` tells a file of it from any other, ``is_companion`` one that belongs to it; neither may raise. ``scenes``
    returns the ids and the content of the scenes of a file, and ``arrange`` makes an arrangement of one of them.
    """

    name: str
    meaning: str
    fits: Callable[[SourceFile], bool]
    arrange: Callable[[Any, SceneDraft], Arrangement]
    scenes: Callable[[SourceFile], Sequence[tuple[str, Any]]] = lambda source_file: [("", source_file)]
    assumptions: tuple[Assumption, ...] = ()
    is_companion: Callable[[SourceFile], bool] = lambda source_file: False
    prefix: str = ""
    """The prefix of the meshes that its files name; empty if no scene states can be made of them."""
    uses_room_sizes: bool = False

    def __call__(self, source_file: SourceFile, options: ConversionOptions) -> tuple[Converted | Unconverted, ...]:
        """Return the scenes of a file. Raise ``FileProblem`` if it is invalid.

        Of several scenes, one that cannot be made is a failure of its own, and one without an id has its number.
        """
        known = {assumption.name: assumption for assumption in self.assumptions}
        for name, value in options.assumed.items():
            if name not in known:
                hint = meant(name, known) if known else "it leaves nothing open"
                raise UsageError(
                    f"{source_file.name}: --assume {name}={value}: {self.name} has no such thing", hint=hint
                )
            known[name].check(source_file.name, value)
        if not self.fits(source_file):
            raise FileProblem(f"{source_file.name}: this is not {self.name} ({self.meaning})")
        if options.to == "state" and not self.prefix:
            message = f"{source_file.name}: files of {self.name} name no meshes, so no scene state can be made of them"
            raise UsageError(message, hint="--to room")
        if options.room_sizes is not None and not self.uses_room_sizes:
            raise UsageError(f"{source_file.name}: --room-sizes: files of {self.name} hold their own sizes of rooms")
        scenes = self.scenes(source_file)
        results: list[Converted | Unconverted] = []
        for number, (record_id, content) in enumerate(scenes):
            scene_id, where = record_id, source_file.name
            if len(scenes) > 1:
                scene_id = record_id or str(number)
                where = f"{source_file.name}: scene {scene_id:.80}"
            draft = SceneDraft(scene_id, where, options)
            try:
                arrangement = self.arrange(content, draft)
                prefix = self.prefix if options.to == "state" else ""
                scene = scene_of(arrangement, prefix, draft.losses, where)
            except FileProblem as error:
                if len(scenes) == 1:
                    raise
                results.append(Unconverted(scene_id, error))
                continue
            losses = []  # those of what the user settled ask for nothing
            for loss in draft.losses.summary():
                what = loss.what
                for name in options.assumed:
                    what = what.replace(f"(--assume {name})", "(as said)")
                losses.append(replace(loss, what=what))
            results.append(Converted(scene_id, scene, tuple(losses)))
        return tuple(results)


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
