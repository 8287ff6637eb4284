"""Converter for SceneWeaver: the layout that a run records after every iteration (``record_scene/layout_N.json``).

>>> from tsgkit.suites.sceneeval.converters import ConversionOptions
>>> text = '''{"roomsize": [4, 3], "structure": {}, "objects": {"5348940_BedFactory": {"location": [1, 2, 0],
...   "rotation": [0, 0, -1.57], "size": [2, 1.6, 0.6], "parent": [["newroom_0-0", "onfloor"]]}}}'''
>>> bed = SCENEWEAVER(SourceFile.of("layout_5.json", text), ConversionOptions())[0].scene["objects"][0]
>>> bed["category"], bed["size"], bed["at"], round(bed["yaw"]), bed["held_by"]
('bed', [1.6, 2.0, 0.6], [1.0, 2.0, 0.0], 0, 'ground')

The frame: metres, z up, right-handed as ours, the origin at a corner of the floor. ``location`` is the middle of the
underside; the last of three angles, in radians, turns it against the clock. An object of rotation 0 has its front along
+x, so the first number of its ``size`` is its depth and our yaw is theirs and 90 degrees. All numbers are rounded to
0.01. What an object is ``onfloor``, ``on`` or ``ontop`` of holds it; one that is only ``against_wall`` hangs there.
"""

from __future__ import annotations

import math
from typing import Any

from pydantic import Field

from tsgkit.suites.sceneeval.converters.arrangements import ArrangedObject, Arrangement, Holder, with_parents
from tsgkit.suites.sceneeval.converters.fields import Deep, ForeignModel, Label, NotNegative, Size, refuse_many
from tsgkit.suites.sceneeval.converters.shapes import rectangle, room_within
from tsgkit.suites.sceneeval.converters.source import Converter, SceneDraft, SourceFile
from tsgkit.suites.sceneeval.scene_files.assets import category_of

UPRIGHT = 0.02
"""Radians of a tilt that is only rounded."""


class _RecordedObject(ForeignModel):
    location: Deep
    rotation: Deep
    size: tuple[NotNegative, NotNegative, NotNegative]
    relations: tuple[tuple[Label, Label], ...] = Field(default=(), alias="parent")


class _RecordedLayout(ForeignModel):
    room: tuple[Size, Size] = Field(alias="roomsize")
    objects: dict[str, Any]
    structure: dict[str, Any] = Field(default_factory=dict)


def _arranged(source: SourceFile, draft: SceneDraft) -> Arrangement:
    layout, losses = _RecordedLayout.of(source.value, draft.where), draft.losses
    refuse_many(len(layout.objects), draft.where)
    objects = {
        key: _RecordedObject.of(value, f"{draft.where}: object {key!r:.80}") for key, value in layout.objects.items()
    }
    things = []
    for key, located in objects.items():
        name = draft.names.free(key)
        if max(map(abs, located.rotation[:2])) > UPRIGHT:
            losses.tilted(name)
        targets = {relation: target for target, relation in located.relations}
        held_by: Holder | None = None
        parent = targets.get("on") or targets.get("ontop") or ""
        if "onfloor" in targets:
            held_by, parent = "ground", ""
        elif parent in objects:
            held_by = "object"
        else:
            held_by, parent = "wall" if "against_wall" in targets and located.location[2] > 0 else None, ""
        deep, wide, high = located.size
        size = (wide, deep, high) if min(located.size) > 0 else None
        things.append(ArrangedObject(
            name, category_of(name), located.location, math.degrees(located.rotation[2]) + 90, size,
            lacks="its size is 0", held_by=held_by, parent=parent,
        ))  # fmt: skip
    losses.assumed("an object of rotation 0 has its front along +x", len(things))
    built = room_within(rectangle(*layout.room), losses, openings="")
    if layout.structure:
        losses.lost("doors and windows: their walls are not said", count=len(layout.structure))
    losses.unread("fields of the layout", [layout])
    losses.unread("fields of objects", objects.values())
    return Arrangement(with_parents(things, losses), built)


SCENEWEAVER = Converter(
    "sceneweaver",
    "a layout as JSON: a roomsize, and a location, a rotation and a size of each object",
    lambda source: "roomsize" in source.fields and isinstance(source.fields.get("objects"), dict),
    _arranged,
)
