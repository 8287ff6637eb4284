"""Rooms of bare boxes, as conversions leave them: nothing in a picture of them tells a model what they are.

>>> objects = '[{"id": "bed_1", "size": [2, 1.6, 0.5]}, {"id": "cup_1", "mesh": "cup.glb"}]'
>>> boxes_in('{"format": "tsgkit/room", "objects": ' + objects + '}', "scene_0.json")
Counted(boxes=1, objects=2)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import read_text
from tsgkit.suites.sceneeval.assets import AssetSource
from tsgkit.suites.sceneeval.furnished import json_of
from tsgkit.suites.sceneeval.loading import scene_file
from tsgkit.suites.sceneeval.states import models_of

LOOKS = ("mesh", "parts", "colour")
"""What gives an object a look of its own."""
ASK_NOBODY = ("script:", "replay:")
"""How the names of judges begin that look at no picture."""


class Counted(NamedTuple):
    """How many objects of rooms are bare boxes, of how many."""

    boxes: int
    objects: int


def check_boxes(folder: Path, name: str, item_ids: Iterable[str], sources: Iterable[AssetSource]) -> None:
    """``UsageError`` where most objects of a folder's rooms are bare boxes."""
    at_hand = {source.prefix: source for source in sources}
    found = [_in_file(folder, item_id, at_hand) for item_id in item_ids]
    boxes, objects = (sum(numbers) for numbers in zip(*found, strict=True)) if found else (0, 0)
    if 2 * boxes > objects:
        raise UsageError(
            f"{name}: {boxes:,} of {objects:,} objects are bare boxes, as conversions leave them: "
            "a model would be shown boxes, and judge those",
            hint="give them their meshes (scene convert --to state, then --assets LAYOUT=DIR), take --judge rules, "
            "or say --boxes to have boxes judged",
        )


def _in_file(folder: Path, item_id: str, sources: Mapping[str, AssetSource]) -> Counted:
    try:
        path = scene_file(folder, item_id)
        if path is None or path.suffix.lower() != ".json":
            return Counted(0, 0)
        return boxes_in(read_text(path), path.name, sources)
    except FileProblem:  # told when the room is looked at
        return Counted(0, 0)


def boxes_in(text: str, name: str, sources: Mapping[str, AssetSource] | None = None) -> Counted:
    """The bare boxes of one room; of a published state, the objects whose meshes are not at hand."""
    value = json_of(text, name)
    objects = value.get("objects") if isinstance(value, dict) else None
    if isinstance(objects, list):
        return Counted(sum(map(_is_bare, objects)), len(objects))
    models = models_of(text, name, sources or {})
    there = [(sources or {}).get(prefix) for prefix, _ in models]
    pairs = zip(there, models, strict=True)
    missing = [source is None or not source.asset(asset, name).mesh.is_file() for source, (_, asset) in pairs]
    return Counted(sum(missing), len(models))


def _is_bare(thing: Any) -> bool:  # noqa: ANN401  (as JSON has it)
    return isinstance(thing, dict) and thing.get("shape", "box") == "box" and not any(map(thing.get, LOOKS))
