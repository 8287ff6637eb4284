"""Converter for ATISS layouts in the form that LayoutGPT's copy writes: JSON records centred on the floor.

>>> from tsgkit.suites.sceneeval.converters.source import SourceFile, Options
>>> said = {"length": 0.9, "width": 1, "height": 0.25, "left": -0.5, "top": 0.5, "depth": 0.25, "orientation": 0}
>>> record = {"query_id": "Bedroom-7", "centroid": [2, 1.5], "object_list": [["bed", said]]}
>>> found = ATISS(SourceFile("x.json", "", [record]), Options())[0].scene["objects"][0]
>>> found["size"], found["at"], found["yaw"]
([1.8, 2.0, 0.5], [-0.5, -0.5, 0.0], 0.0)

The names of the fields are LayoutGPT's, their meaning is not: sizes are half of the real ones, in metres; orientation
is in radians; ``left`` and ``top`` count from the centroid of the floor (right-handed, y up, ``top`` along +z);
``depth`` is the height of the middle. The file does not hold the floor. A table does (``--room-sizes FILE``): with the
corners of a room its floor is built and objects count from its smallest x and z; with its sides the centroid is taken
for the middle of a rectangle. Else the centroid is the origin, and a room is put around the objects.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import Field, ValidationError

from tsgkit.geometry import Architecture, Floor
from tsgkit.suites.sceneeval.converters.arrangements import Arrangement, Ledger, Names, Thing, with_parents
from tsgkit.suites.sceneeval.converters.measurements import (
    HANGING,
    HEIGHT,
    Corner,
    Flat,
    ForeignModel,
    Label,
    plain_category,
    refuse_many,
    ring,
    tell_unread,
    walls_around,
)
from tsgkit.suites.sceneeval.converters.room_sizes import RoomSize
from tsgkit.suites.sceneeval.converters.source import Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Converted, Scenes, each_scene, room_of
from tsgkit.suites.sceneeval.scene_files.files import object_names, problem_of
from tsgkit.suites.sceneeval.scene_files.simple import Far, Size

Half = Annotated[Size, Field(le=1e3)]


class _Values(ForeignModel):
    length: Half
    width: Half
    height: Half
    left: Far
    top: Far
    depth: Far
    orientation: Far


class _Record(ForeignModel):
    id: Label = ""
    query: Label = Field(default="", alias="query_id")
    centroid: Flat
    things: tuple[tuple[Label, _Values], ...] = Field(alias="object_list")


def fits(given: SourceFile) -> bool:
    """Return whether a file has records with an ``object_list`` and a centroid."""
    records = given.value if isinstance(given.value, list) else [given.value]
    return bool(records) and all(
        isinstance(one, dict) and "object_list" in one and "centroid" in one for one in records
    )


def convert(given: SourceFile, options: Options) -> Scenes:
    """Convert the scene of each record."""
    listed = given.value if isinstance(given.value, list) else [given.value]
    refuse_many(len(listed), given.name)

    def make(number: int, name: str, where: str) -> Converted:
        return room_of(arranged(listed[number], [], name, where, options), where)

    return each_scene([_id(one) for one in listed], given.name, make)


def _id(one: dict[str, Any]) -> str:
    said = one.get("query_id") or one.get("id") or ""
    return str(said) if isinstance(said, str | int) else ""


def arranged(value: dict[str, Any], floor: list[Corner], name: str, where: str, options: Options) -> Arrangement:
    """Return the scene of a record; ``floor`` is the outline of its floor about the centroid, where that is known."""
    try:
        record = _Record.model_validate(value)
    except ValidationError as error:
        raise problem_of(error, where, object_names(value.get("object_list"), "object_list", "")) from None
    refuse_many(len(record.things), where)
    losses = Ledger()
    size = next((row for said in (record.query, record.id) if options.room_sizes
                 if (row := options.room_sizes.of(said))), None)  # fmt: skip
    corners = floor or _corners(record, size, losses, has_table=options.room_sizes is not None)
    west, south = (min(along) for along in zip(*corners, strict=True)) if corners else (0.0, 0.0)
    names = Names()
    things = [_thing(category, said, (west, south), names) for category, said in record.things]
    outline = ring((x - west, y - south) for x, y in corners)
    tell_unread(losses, "fields of records", [record])
    tell_unread(losses, "properties", [said for _, said in record.things])
    return Arrangement(name, with_parents(things, losses), _built(outline, losses), losses=losses.told())


def _corners(record: _Record, size: RoomSize | None, losses: Ledger, *, has_table: bool) -> list[Corner]:
    """Return the outline of the floor about the centroid, on our floor plan, where y grows against ``top``."""
    if size is None or size.sides is None:
        missing = "no length and width" if size else "no such room" if has_table else "none given"
        losses.lost(
            f"floors: objects stand about the centroid, and a room is put around them (--room-sizes: {missing})"
        )
        return []
    if size.corners:
        x, z = record.centroid
        return [(one - x, z - other) for one, other in size.corners]
    losses.assumed("the centroid of the floor is the middle of a rectangle")
    across, down = (side / 2 for side in size.sides)
    return [(-across, -down), (across, -down), (across, down), (-across, down)]


def _thing(category: str, said: _Values, corner: Corner, names: Names) -> Thing:
    plain = plain_category(category)
    return Thing(
        names.counted(plain.replace(" ", "_")),
        plain,
        (said.left - corner[0], -said.top - corner[1], said.depth),
        math.degrees(said.orientation),
        (2 * said.length, 2 * said.width, 2 * said.height),
        centred=True,
        held_by="ceiling" if plain in HANGING else None,
    )


def _built(corners: tuple[Corner, ...], losses: Ledger) -> Architecture | None:
    if not corners:
        return None
    losses.assumed(f"walls are {HEIGHT} m high")
    losses.lost("doors and windows: the form has none")
    return Architecture((Floor("room", tuple((x, y, 0.0) for x, y in corners)),), walls_around(corners, "room", HEIGHT))


ATISS = Converter(
    "atiss",
    "JSON records with a centroid and an object_list of half sizes",
    fits,
    convert,
    names_meshes=False,
    uses_room_sizes=True,
)
