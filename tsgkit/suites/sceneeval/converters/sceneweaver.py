"""Converter for SceneWeaver: the layout that a run records after every iteration (``record_scene/layout_N.json``).

>>> from tsgkit.suites.sceneeval.converters.source import SourceFile, Options
>>> text = '''{"roomsize": [4, 3], "structure": {}, "objects": {"5348940_BedFactory": {"location": [1, 2, 0],
...   "rotation": [0, 0, -1.57], "size": [2, 1.6, 0.6], "parent": [["newroom_0-0", "onfloor"]]}}}'''
>>> bed = SCENEWEAVER(SourceFile.of("layout_5.json", text), Options())[0].scene["objects"][0]
>>> bed["category"], bed["size"], bed["at"], round(bed["yaw"]), bed["held_by"]
('bed', [1.6, 2.0, 0.6], [1.0, 2.0, 0.0], 0, 'ground')

The frame: metres, z up, right-handed as ours, the origin at a corner of the floor. ``location`` is the middle of the
underside; the last of three angles, in radians, turns it against the clock. An object of rotation 0 has its front along
+x, so the first number of its ``size`` is its depth and our yaw is theirs and 90 degrees. All numbers are rounded to
0.01. What an object is ``onfloor``, ``on`` or ``ontop`` of holds it; one that is only ``against_wall`` hangs there.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import Field, ValidationError

from tsgkit.geometry import Architecture, Floor
from tsgkit.suites.sceneeval.converters.arrangements import Arrangement, Holder, Ledger, Names, Thing, with_parents
from tsgkit.suites.sceneeval.converters.measurements import (
    HEIGHT,
    Deep,
    ForeignModel,
    Label,
    refuse_many,
    tell_unread,
    walls_around,
)
from tsgkit.suites.sceneeval.converters.source import Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Scenes, room_of
from tsgkit.suites.sceneeval.scene_files.assets import category_of
from tsgkit.suites.sceneeval.scene_files.files import problem_of
from tsgkit.suites.sceneeval.scene_files.simple import Far, Size

UPRIGHT = 0.02
"""Radians of a tilt that is only rounded."""
NotNegative = Annotated[Far, Field(ge=0)]


class _Object(ForeignModel):
    location: Deep
    rotation: Deep
    size: tuple[NotNegative, NotNegative, NotNegative]
    relations: tuple[tuple[Label, Label], ...] = Field(default=(), alias="parent")


class _Layout(ForeignModel):
    room: tuple[Size, Size] = Field(alias="roomsize")
    objects: dict[str, Any]
    structure: dict[str, Any] = Field(default_factory=dict)


def fits(given: SourceFile) -> bool:
    """Return whether a file has objects by name and a ``roomsize``."""
    value = given.value
    return isinstance(value, dict) and "roomsize" in value and isinstance(value.get("objects"), dict)


def convert(given: SourceFile, options: Options) -> Scenes:
    """Convert the one scene of a layout."""
    try:
        layout = _Layout.model_validate(given.value)
    except ValidationError as error:
        raise problem_of(error, given.name) from None
    refuse_many(len(layout.objects), given.name)
    losses = Ledger()
    objects = {name: _object(value, f"{given.name}: object {name!r:.80}") for name, value in layout.objects.items()}
    names = Names()
    things = [_thing(names.free(name), one, objects, losses) for name, one in objects.items()]
    losses.assumed("an object of rotation 0 has its front along +x", len(things))
    losses.assumed(f"walls are {HEIGHT} m high")
    if layout.structure:
        losses.lost("doors and windows: their walls are not said", count=len(layout.structure))
    tell_unread(losses, "fields of the layout", [layout])
    tell_unread(losses, "fields of objects", objects.values())
    (x, y) = layout.room
    corners = ((0.0, 0.0), (x, 0.0), (x, y), (0.0, y))
    floor = Floor("room", tuple((*corner, 0.0) for corner in corners))
    built = Architecture((floor,), walls_around(corners, "room", HEIGHT))
    return (room_of(Arrangement("", with_parents(things, losses), built, losses=losses.told()), given.name),)


def _object(value: object, where: str) -> _Object:
    try:
        return _Object.model_validate(value)
    except ValidationError as error:
        raise problem_of(error, where) from None


def _thing(name: str, one: _Object, objects: dict[str, _Object], losses: Ledger) -> Thing:
    if max(map(abs, one.rotation[:2])) > UPRIGHT:
        losses.lost("tilts: only turns about the vertical are kept", name)
    deep, wide, high = one.size
    holder, parent = _holder(one, objects)
    size = (wide, deep, high) if min(one.size) > 0 else None
    yaw = math.degrees(one.rotation[2]) + 90
    return Thing(name, category_of(name), one.location, yaw, size, lacks="its size is 0", held_by=holder, parent=parent)


def _holder(one: _Object, objects: dict[str, _Object]) -> tuple[Holder | None, str]:
    by_relation = {relation: target for target, relation in one.relations}
    if "onfloor" in by_relation:
        return "ground", ""
    parent = by_relation.get("on") or by_relation.get("ontop") or ""
    if parent in objects:
        return "object", parent
    return ("wall" if "against_wall" in by_relation and one.location[2] > 0 else None), ""


SCENEWEAVER = Converter(
    "sceneweaver",
    "a layout as JSON: a roomsize, and a location, a rotation and a size of each object",
    fits,
    convert,
    names_meshes=False,
)
